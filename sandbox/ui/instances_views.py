"""Collections of instances: their figures, and a list to search in.

Roles, reasons and what they make of an instance are shown where `gold` asks for them, and else not.
"""

from collections.abc import Container, Mapping, Sequence
from typing import Any

from graphs.full_pool import LARGEST_POOL
from sandbox.collected import Collection, Figures, Quirk, Refused
from sandbox.formats import FORMATS
from sandbox.formats.reading import LARGEST
from sandbox.instances import Instance
from sandbox.opening import Shelved
from sandbox.ui.dispute_views import dispute_mark
from sandbox.ui.markup import Html, button, element, fold, joined, name_of, said
from sandbox.ui.times import short_time

MOST = 100
"""Instances on the screen; a search finds the others."""
MOST_NOTES = 200
_MB = LARGEST // 2**20
NO_ROLES = "—"
"""What stands for the scenario of instances that know no roles."""


def shelf(shelved: Sequence[Shelved], current: str, published: Container[str] = ()) -> Html:
    """The collections there are, the chosen one marked; imported ones can be removed.

    `published` are the fingerprints of those that were made here.
    """
    rows = [_shelved(one, current, made=one.sha256 in published) for one in shelved]
    return element("ul", *rows, cls="shelf")


def importable() -> Html:
    """What can be imported."""
    kinds = [element("li", kind.described) for kind in FORMATS]
    return fold(
        "What can I import?",
        element("p", f"JSON files or a zip of them, of at most {_MB} MB, that hold one of these:"),
        element("ul", *kinds),
        element(
            "p",
            "Files that belong together are chosen at once and become one collection. They are "
            "kept with your data and read again when an instance is opened. Files that cannot be "
            "read change nothing.",
            cls="hint",
        ),
        cls="fold importable",
    )


def figures(collection: Collection) -> Html:
    """A collection in numbers, with what was refused and what was odd."""
    told = collection.figures()
    rows = [("Instances", f"{told.read} read, {told.refused} refused")]
    if told.dialogues:
        rows += [("Dialogues", f"{told.dialogues:,} with {told.read:,} test turns")]
    rows += [("Scenarios", _counts(told.scenarios) if _total(told.roles) else NO_ROLES)]
    rows += [("Pools", _pools(told))] if told.pools else []
    if _total(told.roles):
        rows += [("Entries", f"{_total(told.roles):,}: {_counts(told.roles, ' / ')}")]
    rows += [("Golden", f"{told.golden:,} entries")] if told.golden else []
    rows += [("Languages", _counts(told.languages))]
    table = [joined(element("dt", name), element("dd", value)) for name, value in rows]
    return joined(
        element("dl", *table, cls="figures"),
        _refused(collection.refused),
        _quirks(collection.quirks),
    )


def matching(collection: Collection, search: str) -> list[Instance]:
    """The instances whose id, title, people, language or query hold every word, in order.

    Roles, reasons and reference replies are not searched: a hit would betray them.
    """
    words = search.casefold().split()
    return [one for one in collection.instances if _holds(one, words)]


def instance_list(
    found: Sequence[Instance],
    all_: int,
    current: str,
    *,
    gold: bool,
    disputed: Mapping[str, int] | None = None,
    changed: Container[str] = (),
) -> Html:
    """The first of the instances found, the chosen one marked.

    `disputed` tells by id how many labels are disputed, `changed` which are not as the bank is now.
    """
    if not found:
        return element("p", "No instance holds all of these words: search for fewer.", cls="empty")
    what = "1 instance" if all_ == 1 else f"{all_} instances"
    count = f"{len(found)} of {what}" if len(found) < all_ else what
    more = len(found) - MOST

    def marks(name: str) -> Html:
        changes = element("span", "changed since", cls="doubt-mark") if name in changed else None
        return joined(dispute_mark((disputed or {}).get(name, 0)), changes)

    rest = f"… and {more} more: search for a word of theirs." if more > 0 else None
    return joined(
        element("p", count, cls="hint"),
        element(
            "ul",
            *(_row(one, current, gold, marks(one.id)) for one in found[:MOST]),
            cls="instances",
        ),
        element("p", rest, cls="empty") if rest else None,
    )


def scenario_of(one: Instance) -> str:
    """Its scenario, or a dash where no roles are known."""
    return one.scenario if one.roles else NO_ROLES


def fitting(one: Instance | None, strategy: str) -> str:
    """The strategy to open an instance with: the one given, or `top_k` for too large a pool."""
    too_large = one is not None and len(one.pool) > LARGEST_POOL
    return "top_k" if too_large and strategy == "full_pool" else strategy


def removal(name: str, opened: int) -> Html:
    """What removing a collection means, before it is done."""
    if opened:
        sessions = "1 session was" if opened == 1 else f"{opened} sessions were"
        words = f" stays: {sessions} opened from it, and roles are looked up in its file."
        return element("p", element("strong", name_of(name)), words, cls="warning")
    return element(
        "p",
        "Remove ",
        element("strong", name_of(name)),
        "? No session was opened from it, and its file can be imported again.",
        cls="warning",
    )


def _shelved(one: Shelved, current: str, *, made: bool) -> Html:
    here = one.sha256 == current
    how = "published" if made else "imported"
    when = f"{how} {short_time(one.added)}" if one.added else "comes with the program"
    choose = button(
        joined(element("strong", name_of(one.name)), element("small", when)),
        "select",
        one.sha256,
        cls=f"collection{' here' if here else ''}",
        current="true" if here else None,
    )
    remove = button("Remove", "delete", one.sha256, cls="quiet", label=f"Remove {one.name}")
    return element("li", choose, remove if one.added else None)


def _total(counts: Mapping[Any, int]) -> int:
    return sum(counts.values())


def _counts(counts: Mapping[Any, int], between: str = ", ") -> str:
    """`15 must / 20 nice / 54 irr`; what does not occur is left out unless nothing does."""
    told = [f"{count} {name}" for name, count in counts.items() if count or between != ", "]
    return between.join(told) or "none"


def _pools(told: Figures) -> str:
    """The sizes with their counts: `7-8 entries (7 of 7, 5 of 8)`."""
    sizes = list(told.pools)
    span = f"{sizes[0]}-{sizes[-1]}" if len(sizes) > 1 else str(sizes[0])
    each = ", ".join(f"{count} of {size}" for size, count in told.pools.items())
    return f"{span} entries ({each})"


def _refused(refused: Sequence[Refused]) -> Html | None:
    rows = [_note(one.place, one.sentence) for one in refused[:MOST_NOTES]]
    caption = f"{len(refused)} refused"
    return fold(caption, element("ul", *rows), cls="fold refused", key="refused") if rows else None


def _quirks(quirks: Sequence[Quirk]) -> Html | None:
    """Oddities with file and place, folded: some tell what a role is."""
    if not quirks:
        return None
    rows = [_note(one.place, one.sentence) for one in quirks[:MOST_NOTES]]
    more = len(quirks) - len(rows)
    what = "oddity" if len(quirks) == 1 else "oddities"
    count = f"{len(quirks)} {what}, read all the same (may tell what a role is)"
    rest = element("p", f"… and {more} more.", cls="empty") if more else None
    return fold(count, element("ul", *rows), rest, cls="fold quirks", key="quirks")


def _note(place: str, sentence: str) -> Html:
    return element("li", element("code", place, dir="auto"), " ", said(sentence, "span"))


def _holds(one: Instance, words: Sequence[str]) -> bool:
    """Whether all words are in what is told of the instance."""
    told = (one.id, one.title, one.language, one.persona.name, one.human.name, one.query)
    text = "\n".join(told).casefold()
    return all(word in text for word in words)


def _row(one: Instance, current: str, gold: bool, marks: Html) -> Html:
    here = one.id == current
    facts = [one.id, one.language, f"pool {len(one.pool)}"]
    facts += [short_time(one.time)] if one.time else []
    facts += [scenario_of(one)] if gold else []
    facts += [f"{len(one.golden)} golden"] if gold and one.golden else []
    caption = joined(
        element("strong", one.title, dir="auto"),
        said(one.query, "span", "row-query said"),
        element("small", " · ".join(facts), " " if marks else None, marks),
    )
    return element(
        "li",
        button(
            caption,
            "select",
            one.id,
            cls=f"instance{' here' if here else ''}",
            current="true" if here else None,
        ),
    )
