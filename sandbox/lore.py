"""A card's lorebook as entries of a bank, and a bank's entries as a lorebook.

Macros are replaced on the way in, because a text of memory is never expanded later. On the way
out, what the bank still says as it was brought in stays in the card as it was written.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from memory_banks.entries import ENTRY_TYPES, SCENES, Entry, EntryType, Side, State, side_of
from memory_banks.lines import Line
from personas.lorebook import LoreItem
from personas.macros import expand

DEFAULT_TYPE: EntryType = "agent_knowledge"
"""What an item becomes that says no type: something the character knows."""


@dataclass(frozen=True, slots=True)
class Lore:
    """A lorebook as it can be brought into a bank."""

    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    """What was left out or changed on the way, a sentence each."""


@dataclass(frozen=True, slots=True)
class People:
    """Whose names the macros stand for."""

    char: str
    user: str


def lore_lines(items: Sequence[LoreItem], people: People) -> Lore:
    """The items that are switched on and say something, as lines of a bank file."""
    lines: list[Line] = []
    off = empty = 0
    notes: list[str] = []
    for item in items:
        text = expand(item.text, people.char, people.user).strip()
        if not item.enabled or not text:
            off += not item.enabled
            empty += item.enabled
            continue
        made = _line(item, text)
        lines += [made.line] if made.line else []
        notes += made.notes
    told = {"switched off": off, "empty": empty}
    left_out = [f"{count} of its entries left out: {why}." for why, count in told.items() if count]
    return Lore(tuple(lines), (*left_out, *notes))


def with_bank(items: Sequence[LoreItem], states: Sequence[State], people: People) -> list[LoreItem]:
    """The items of a lorebook with a bank's live entries: changed, added, and the deleted left out.

    Items that the bank never held stay. An entry that was changed in the bank changes the item it
    was brought in as.
    """
    known = {item.key: item for item in items}
    origins = _origins(states, known)
    live: dict[str, Entry] = {}
    new: list[Entry] = []
    for entry in (state.entry for state in states if state.live):
        origin = origins.get(entry.id)
        if origin is None or origin in live:
            new.append(entry)
        else:
            live[origin] = entry
    gone = set(origins.values()) - set(live)
    kept = [
        _told(item, live[item.key], people) if item.key in live else item
        for item in items
        if item.key not in gone
    ]
    return [*kept, *_added(new, set(known))]


@dataclass(frozen=True, slots=True)
class _Made:
    line: Line | None
    notes: tuple[str, ...] = ()


def _line(item: LoreItem, text: str) -> _Made:
    """The line of an item; what it tells of itself and cannot be taken is left out, and noted."""
    kind, side = _kind(item)
    plain: dict[str, str | None] = {
        "id": item.key,
        "type": kind,
        "side": side,
        "text": text,
        "reason": _reason(item),
    }
    told = {"anchor": item.anchor, "emotion": item.emotion, "scene": item.scene}
    notes: list[str] = []
    if (item.type, item.side) not in ((None, None), (kind, None), (None, side), (kind, side)):
        notes.append(f"The entry {item.key} became {kind} ({side}).")
    if item.scene is not None and item.scene not in SCENES:
        told["scene"] = None
        notes.append(f"The scene of the entry {item.key} was left out.")
    if line := _valid(plain | told):
        return _Made(line, tuple(notes))
    if line := _valid(plain):
        return _Made(line, (*notes, f"Date and feeling of the entry {item.key} were left out."))
    return _Made(None, (f"The entry {item.key} is too long for a bank and was left out.",))


def _valid(told: dict[str, str | None]) -> Line | None:
    try:
        return Line.model_validate(told)
    except ValidationError:
        return None


def _kind(item: LoreItem) -> tuple[EntryType, Side]:
    """Type and side of an item, which fit each other; by default what the character knows."""
    wanted: Side | None = "user" if item.side == "user" else "dyad" if item.side == "dyad" else None
    kind = next((known for known in ENTRY_TYPES if known == item.type), None)
    if kind is None:
        kind = "fact" if wanted == "user" else DEFAULT_TYPE
    side = wanted or side_of(kind, "assistant")
    return kind, (side if kind == "episodic" else side_of(kind, "user"))


def _reason(item: LoreItem) -> str:
    named = " ".join(item.name.split())[:200]
    return f"From the lorebook entry {named!r}." if named else "From a lorebook entry."


def _origins(states: Sequence[State], known: Mapping[str, LoreItem]) -> dict[str, str]:
    """The key of the item that an entry was brought in as, or that it took the place of; by id."""
    origins: dict[str, str] = {}
    for state in states:
        before = [origins[old] for old in state.replaces if old in origins]
        if state.entry.key in known:
            origins[state.entry.id] = state.entry.key
        elif before:
            origins[state.entry.id] = before[0]
    return origins


def _told(item: LoreItem, entry: Entry, people: People) -> LoreItem:
    """`item` saying what the entry says; itself where that is what it was brought in as."""
    lore = lore_lines([replace(item, enabled=True)], people)
    if lore.lines and _says(lore.lines[0]) == _says(entry):
        return item
    same = bool(lore.lines) and lore.lines[0].text == entry.text
    return replace(
        item,
        text=item.text if same else entry.text,
        type=entry.type,
        side=entry.scope.side,
        anchor=entry.anchor,
        emotion=entry.emotion,
        scene=entry.scene,
    )


def _says(told: Line | Entry) -> tuple[str | None, ...]:
    side = told.side if isinstance(told, Line) else told.scope.side
    return told.type, side, told.text, told.anchor, told.emotion, told.scene


def _item(key: str, entry: Entry) -> LoreItem:
    return LoreItem(
        key=key,
        text=entry.text,
        type=entry.type,
        side=entry.scope.side,
        anchor=entry.anchor,
        emotion=entry.emotion,
        scene=entry.scene,
    )


def _added(entries: Sequence[Entry], taken: set[str]) -> Iterator[LoreItem]:
    """Items for entries that the lorebook does not know, each under a key of its own."""
    for entry in entries:
        key = entry.key if entry.key not in taken else f"{entry.key[:160]}-{entry.id[:12]}"
        taken.add(key)
        yield _item(key, entry)
