"""Checks of how far an instance is: second annotator, license, what changed since, guideline."""

from collections import Counter

from sandbox.authoring.authored import UNSPECIFIED
from sandbox.authoring.badge import DYADMEM, MADIAL, OURS, Badge, Look, counted
from sandbox.authoring.licences import is_noncommercial
from sandbox.authoring.wording import shared
from sandbox.judges.guideline import SITUATIONS

LEXICAL_GAP = 0.2
"""Share of an entry's words in the query up to which there is a lexical gap (ours)."""
EXACT = 0.5
"""Share from which the query uses the entry's own phrases (ours)."""


def second_annotator(look: Look) -> Badge:
    """Whether somebody else has said, without seeing the first, what is gold."""
    name = "second annotator"
    if not look.annotations:
        return Badge(name, "waiting", "Second annotator: waiting.", OURS)
    latest = look.annotations[-1]
    numbers = (("passes", str(len(look.annotations))), ("differences", str(look.differing)))
    if look.stage == "adjudicated" or look.differing == 0:
        told = f"{latest.author} annotated it blind; {counted(look.differing, 'difference')}."
        return Badge(name, "ok", told, OURS, numbers)
    told = f"{latest.author} differs on {counted(look.differing, 'thing')}: it is to be decided."
    return Badge(name, "waiting", told, OURS, numbers)


def licence(look: Look) -> Badge:
    """Whether the text's license is known, and what it forbids."""
    found = look.authored.licence
    numbers = (("license", found),)
    if found == UNSPECIFIED:
        told = "No license is chosen: nobody can tell whether the text may be passed on."
        return Badge("license", "warn", told, OURS, numbers)
    kept = "Inherited from its source: it stays. " if look.authored.licence_kept else ""
    if is_noncommercial(found):
        told = f"{kept}The text must not be used commercially, and exports say so."
        return Badge("license", "warn", told, OURS, numbers)
    return Badge("license", "ok", f"{kept}{found}.", OURS, numbers)


def up_to_date(look: Look) -> Badge:
    """Whether what it cites is as it was."""
    name, kinds = "up to date", Counter(one.what for one in look.changes)
    numbers = tuple((what, str(count)) for what, count in sorted(kinds.items()))
    if look.authored.forgotten or kinds["forgotten"]:
        told = "It cites what was forgotten: the words are gone, and its checks ran again."
        return Badge(name, "fail", told, OURS, numbers)
    serious = [one for one in look.changes if one.what != "text"]
    if serious:
        more = f" And {counted(len(serious) - 1, 'more')}." if len(serious) > 1 else ""
        return Badge(name, "warn", f"{serious[0].sentence}{more}", OURS, numbers)
    return Badge(name, "ok", "What it cites is as it was.", OURS, numbers)


def reference(look: Look) -> Badge:
    """Whether the reference follows the key points of its situation."""
    one, name = look.authored, "reference"
    if not one.reference:
        return Badge(name, "warn", "There is no reference reply: write one.", MADIAL)
    known = {found.name: found for found in SITUATIONS}.get(one.situation or "")
    if known is None:
        return Badge(name, "ok", f"Written by a {one.reference_by or 'person'}.", OURS)
    numbers = (("key points", f"{len(one.points)} of {len(known.points)}"),)
    if known.complete(one.points):
        return Badge(name, "ok", f"It follows {known.name!r}.", MADIAL, numbers)
    told = f"Not every key point of {known.name!r} is ticked: check the reference against them."
    return Badge(name, "warn", told, MADIAL, numbers)


def phrasing(look: Look) -> Badge | None:
    """Whether the query stands to what it needs as the author wants; None where they do not say."""
    one = look.authored
    if not one.phrasing or one.kind == "episode":
        return None
    wanted = [entry.held for entry in one.pool if entry in one.having("must")]
    wanted += [e.held for e in one.pool if e.held.key in one.golden and e.held not in wanted]
    if not wanted:
        return Badge("phrasing", "not run", "No entry is must or golden yet.", DYADMEM)
    most = max(shared(one.query, held.text) for held in wanted)
    numbers = (("shared words", f"{most:.2f}"),)
    if one.phrasing == "lexical gap":
        good = most <= LEXICAL_GAP
        told = "The query shares few words with it." if good else "The query says its words."
        return Badge("phrasing", "ok" if good else "warn", told, DYADMEM, numbers)
    good = most >= EXACT
    told = "The query uses its phrases." if good else "The query does not use its phrases."
    return Badge("phrasing", "ok" if good else "warn", told, "UtilMem", numbers)


def golden(look: Look) -> Badge:
    """The golden list of a dialogue, chosen from the top entries shown."""
    one = look.authored
    outside = [key for key in one.golden if key not in one.shown]
    numbers = (("golden", str(len(one.golden))), ("shown", str(len(one.shown))))
    if not one.golden:
        return Badge("golden", "waiting", "No golden entry is chosen yet.", MADIAL, numbers)
    if outside:
        told = "A golden entry is not among those shown: change the memory or the dialogue."
        return Badge("golden", "fail", told, MADIAL, numbers)
    if len(one.golden) > 7:
        told = "The paper's dialogues have one to seven."
        return Badge("golden", "warn", told, MADIAL, numbers)
    return Badge("golden", "ok", "Chosen from those shown, in order.", MADIAL, numbers)
