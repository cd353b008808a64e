"""Checks of an episode: its annotation turn by turn, and DyadMem's checklist for its questions."""

from collections.abc import Iterable, Iterator

from sandbox.authoring.badge import DYADMEM, UTILMEM, Badge, Look
from sandbox.authoring.question_rules import RULES, Rule, Told, overlap, phrased, wanted
from sandbox.authoring.session_filling import ALLOWED
from sandbox.episodes import Episode, EpisodeQuestion


def annotation(look: Look) -> Badge:
    """Whether each gold memory has a type that its turn may yield, and a turn."""
    name, talk = "annotation", look.authored.talk
    told = Told(talk, None) if talk else None
    if told is None or not told.entries:
        return Badge(name, "waiting", "No memory is annotated yet.", DYADMEM)
    numbers = (("memories", str(len(told.entries))),)
    adrift = [one for one in told.entries.values() if not one.turns]
    if adrift:
        found = f"{adrift[0].text[:60]!r} has no turn that supports it."
        return Badge(name, "fail", found, DYADMEM, numbers)
    for one in told.entries.values():
        turn = told.turns.get(one.turns[0])
        if turn and one.type not in ALLOWED[turn.role]:
            found = f"{one.text[:60]!r} is {one.type}, which no turn of the {turn.role} yields."
            return Badge(name, "fail", found, DYADMEM, numbers)
    if look.authored.unchecked:
        found = f"{len(look.authored.unchecked)} memories are the model's: look at each."
        return Badge(name, "waiting", found, DYADMEM, numbers)
    return Badge(name, "ok", "Every memory has its turn and an allowed type.", DYADMEM, numbers)


def questions(look: Look) -> tuple[Badge, ...]:
    """The checklist, one badge a rule; one that waits where there is no question."""
    talk = look.authored.talk
    if talk is None or not talk.questions:
        return (Badge("questions", "waiting", "There is no question yet.", DYADMEM),)
    told = Told(talk, look.cosine)
    badges: list[Badge | None] = [
        _over(talk.questions, told, name, rule, sentence) for name, rule, sentence in RULES
    ]
    badges += [_chains(talk), _wording(look, talk, told)]
    return tuple(badge for badge in badges if badge)


def _over(
    asked: Iterable[EpisodeQuestion], told: Told, name: str, rule: Rule, sentence: str
) -> Badge:
    all_ = list(asked)
    bad = [one for one in all_ if not rule(one, told)]
    numbers = (("questions", f"{len(all_) - len(bad)} of {len(all_)}"),)
    if bad:
        return Badge(name, "fail", f"{bad[0].id}: {sentence}", DYADMEM, numbers)
    return Badge(name, "ok", "So is every question.", DYADMEM, numbers)


def _chains(talk: Episode) -> Badge:
    """A question of temporal state for each chain of three states or more."""
    chains = [one for one in lineages(talk) if len(one) >= 3]
    asked = {
        key for one in talk.questions if "temporal state" in one.techniques for key in one.supports
    }
    bare = [chain for chain in chains if not asked & set(chain)]
    numbers = (("chains", str(len(chains))), ("without", str(len(bare))))
    if bare:
        told = f"{len(bare)} chains of states have no question of temporal state."
        return Badge("temporal state", "fail", told, DYADMEM, numbers)
    told = "Each chain has one." if chains else "There is no chain of three states."
    return Badge("temporal state", "ok", told, DYADMEM, numbers)


def lineages(talk: Episode) -> Iterator[tuple[str, ...]]:
    """Keys of the gold memories that took each other's place, A -> B -> C, from their first."""
    replaced: dict[str, str] = {}
    for session in talk.sessions:
        if session.gold:
            replaced |= {old: add.entry.key for add in session.gold.adds for old in add.replaces}
    later = set(replaced.values())
    for first in (one for one in replaced if one not in later):
        chain = [first]
        while chain[-1] in replaced and replaced[chain[-1]] not in chain:
            chain.append(replaced[chain[-1]])
        yield tuple(chain)


def _wording(look: Look, talk: Episode, told: Told) -> Badge | None:
    """A lexical gap, or exact phrases, as the author wants."""
    wishes = {one.id: wish for one in talk.questions if (wish := wanted(look.authored, one))}
    if not wishes:
        return None
    asked = [one for one in talk.questions if one.id in wishes]
    bad = [one for one in asked if not phrased(wishes[one.id], overlap(one, told))]
    numbers = (("questions", f"{len(asked) - len(bad)} of {len(asked)}"),)
    section = UTILMEM if set(wishes.values()) == {"exact phrases"} else DYADMEM
    if bad:
        gap = wishes[bad[0].id] == "lexical gap"
        words = "shares too many words with" if gap else "does not use the phrases of"
        found = f"{bad[0].id} {words} what it needs."
        return Badge("phrasing", "warn", found, section, numbers)
    kinds = " and ".join(sorted(set(wishes.values())))
    return Badge("phrasing", "ok", f"All have what was wanted: {kinds}.", section, numbers)
