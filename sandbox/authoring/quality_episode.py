"""Checks of an episode: its annotation turn by turn, and DyadMem's checklist for its questions."""

import re
from collections.abc import Callable, Iterable, Iterator

from sandbox.authoring.badge import DYADMEM, UTILMEM, Badge, Cosine, Look
from sandbox.authoring.quality_state import EXACT, LEXICAL_GAP
from sandbox.authoring.session_filling import ALLOWED
from sandbox.authoring.wording import content_words, folded, shared
from sandbox.episodes import Episode, EpisodeQuestion, GoldEntry, gold_bank

TECHNIQUES = (
    "cross-session",
    "completeness",
    "decoys",
    "lexical gap",
    "temporal state",
    "constraint combination",
    "qualifiers",
    "coreference",
    "calculation",
)
"""How a question is made hard (DyadMem)."""
CUE = 0.35
"""Cosine from which a question hints at a memory without sharing a word (ours)."""
RESTATED = 0.8
"""Share of a memory's words in the question from which it only restates it (ours)."""
_SPOKEN_TO = re.compile(
    r"\b(?:i|me|my|mine|myself|you|your|yours|yourself)\b|[我你您]", re.IGNORECASE
)
_Rule = Callable[[EpisodeQuestion, "_Told"], bool]


class _Told:
    """What the questions of an episode are held against."""

    def __init__(self, talk: Episode, cosine: Cosine | None) -> None:
        self.live = {one.key: one for one in gold_bank(talk)}
        self.entries = {one.key: one for one in _entries(talk)}
        self.turns = {one.id: one for one in talk.turns()}
        self.session = {one.id: held.id for held in talk.sessions for one in held.turns}
        self.sessions = {held.id for held in talk.sessions}
        self.cosine = cosine

    def supports(self, question: EpisodeQuestion) -> list[GoldEntry]:
        """The gold memories that a question names."""
        return [self.entries[key] for key in question.supports if key in self.entries]

    def places(self, question: EpisodeQuestion) -> set[str]:
        """The sessions that its supports come from."""
        found = {self.session.get(turn, "") for e in self.supports(question) for turn in e.turns}
        for key in question.supports:
            found |= {key} if key in self.sessions else {self.session.get(key, "")}
        return found - {""}


def annotation(look: Look) -> Badge:
    """Whether each gold memory has a type that its turn may yield, and a turn."""
    name, talk = "annotation", look.authored.talk
    told = _Told(talk, None) if talk else None
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
    told = _Told(talk, look.cosine)
    badges: list[Badge | None] = [
        _over(talk.questions, told, name, rule, sentence) for name, rule, sentence in _RULES
    ]
    badges += [_chains(talk), _wording(look, talk, told)]
    return tuple(badge for badge in badges if badge)


def _over(
    asked: Iterable[EpisodeQuestion], told: _Told, name: str, rule: _Rule, sentence: str
) -> Badge:
    all_ = list(asked)
    bad = [one for one in all_ if not rule(one, told)]
    numbers = (("questions", f"{len(all_) - len(bad)} of {len(all_)}"),)
    if bad:
        return Badge(name, "fail", f"{bad[0].id}: {sentence}", DYADMEM, numbers)
    return Badge(name, "ok", "So is every question.", DYADMEM, numbers)


def _third_person(one: EpisodeQuestion, _told: _Told) -> bool:
    return not _SPOKEN_TO.search(one.text)


def _two_techniques(one: EpisodeQuestion, _told: _Told) -> bool:
    return len(set(one.techniques) & set(TECHNIQUES)) >= 2


def _two_sessions(one: EpisodeQuestion, told: _Told) -> bool:
    return len(told.places(one)) >= 2


def _live_supports(one: EpisodeQuestion, told: _Told) -> bool:
    if one.unit != "entry":
        return all(key in told.turns or key in told.sessions for key in one.supports)
    return bool(one.supports) and all(key in told.live for key in one.supports)


def _cued(one: EpisodeQuestion, told: _Told) -> bool:
    words = content_words(one.text)
    return all(
        words & content_words(entry.text)
        or (told.cosine is not None and told.cosine(one.text, entry.text) >= CUE)
        for entry in told.supports(one)
    )


def _not_restated(one: EpisodeQuestion, told: _Told) -> bool:
    return not any(
        folded(entry.text) in folded(one.text) or shared(one.text, entry.text) >= RESTATED
        for entry in told.supports(one)
    )


_RULES: tuple[tuple[str, _Rule, str], ...] = (
    ("third person", _third_person, "it says I or you; name the people."),
    ("two techniques", _two_techniques, "it names fewer than two ways in which it is hard."),
    ("two sessions", _two_sessions, "its supports come from fewer than two sessions."),
    ("live supports", _live_supports, "a support is missing, or no longer live at the end."),
    ("a cue for each", _cued, "nothing in it hints at one of its supports."),
    ("no restating", _not_restated, "it says one of its supports itself."),
)


def _chains(talk: Episode) -> Badge:
    """A question of temporal state for each chain of three states or more."""
    replaced: dict[str, str] = {}
    for session in talk.sessions:
        if session.gold:
            replaced |= {old: add.entry.key for add in session.gold.adds for old in add.replaces}
    chains = list(_long_chains(replaced))
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


def _long_chains(replaced: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """A -> B -> C and longer, from their first state."""
    for first in replaced.keys() - set(replaced.values()):
        chain = [first]
        while chain[-1] in replaced and replaced[chain[-1]] not in chain:
            chain.append(replaced[chain[-1]])
        if len(chain) >= 3:
            yield tuple(chain)


def _wording(look: Look, talk: Episode, told: _Told) -> Badge | None:
    """A lexical gap, or exact phrases, as the author wants."""
    wanted = look.authored.phrasing
    if not wanted:
        return None
    overlaps = [
        max((shared(one.text, entry.text) for entry in told.supports(one)), default=0.0)
        for one in talk.questions
    ]
    gap = wanted == "lexical gap"
    good = sum(one <= LEXICAL_GAP if gap else one >= EXACT for one in overlaps)
    numbers = (("questions", f"{good} of {len(overlaps)}"),)
    section = DYADMEM if gap else UTILMEM
    if good < len(overlaps):
        words = "share too many words with" if gap else "do not use the phrases of"
        found = f"{len(overlaps) - good} questions {words} what they need."
        return Badge("phrasing", "warn", found, section, numbers)
    return Badge("phrasing", "ok", f"All have what was wanted: {wanted}.", section, numbers)


def _entries(talk: Episode) -> Iterator[GoldEntry]:
    for session in talk.sessions:
        if session.gold:
            yield from session.gold.captures
            yield from (add.entry for add in session.gold.adds)
