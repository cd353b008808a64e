"""Two banks side by side: how many entries of each type and scope, and what says the same."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from memory_banks.branching import Difference
from memory_banks.entries import ENTRY_TYPES, Entry, EntryType, Side


@dataclass(frozen=True, slots=True)
class Count:
    """How many entries of one type and scope each of two banks holds."""

    type: EntryType
    side: Side
    before: int
    after: int


def counted(before: Iterable[Entry], after: Iterable[Entry]) -> list[Count]:
    """The counts by type, then scope; only of what at least one of the two holds."""
    first, last = (Counter((one.type, one.scope.side) for one in held) for held in (before, after))
    places = [(kind, side) for kind in ENTRY_TYPES for side in get_args(Side)]
    return [
        Count(kind, side, first[kind, side], last[kind, side])
        for kind, side in places
        if first[kind, side] or last[kind, side]
    ]


@dataclass(frozen=True, slots=True)
class Paired:
    """Differences, without entries that only have come to the two banks by other ways."""

    found: list[Difference]
    alike: int
    """How many entries say the same on both sides: text, type and scope."""


def paired(found: Sequence[Difference]) -> Paired:
    """Take out pairs of an entry here and one there that say the same and are both live or gone.

    A session that is read again gives entries of its own, also where they are the same words.
    """
    waiting: dict[object, list[Difference]] = defaultdict(list)
    for one in found:
        if one.kind == "only after":
            waiting[_says(one)].append(one)
    alike: set[int] = set()
    for one in found:
        if one.kind == "only before" and waiting[_says(one)]:
            alike |= {id(one), id(waiting[_says(one)].pop(0))}
    return Paired([one for one in found if id(one) not in alike], len(alike) // 2)


def _says(one: Difference) -> object:
    """What an entry says and whether it counts."""
    state = one.after or one.before
    assert state is not None
    entry = state.entry
    return entry.scope.agent, entry.type, " ".join(entry.text.split()), state.live
