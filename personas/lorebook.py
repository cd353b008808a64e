"""A card's lorebook as items that a memory bank can hold, and back.

An entry's keys are passed on as texts; nothing here searches with them, so that no regular
expression of a stranger ever runs and no entry can call another. Decorators (the lines `@@...`
before an entry's text) stay in the card and out of the item's text.

What the standards have no field for is kept in the entry's `extensions`, under our own name.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from personas.card_json import CardError, bad_card, file_called, read_json
from personas.persona_file import shown

NAMESPACE = "strategic-memory-sandbox"
"""Our name in a card's `extensions`."""
_Default = TypeVar("_Default")
_MOST_ENTRIES = 20_000
_OURS = ("type", "side", "anchor", "emotion", "scene")
_NEW: dict[str, Any] = {
    "keys": [],
    "content": "",
    "extensions": {},
    "enabled": True,
    "insertion_order": 0,
    "use_regex": False,
}
_HEAD = re.compile(r"\s*(?:@@[^\n]*(?:\n\s*|\Z))+")


@dataclass(frozen=True, slots=True)
class LoreItem:
    """One entry of a lorebook."""

    key: str
    """Its portable name: kept in the card, else made from what the entry says."""
    text: str
    """May be empty; decorators left out, macros as written."""
    keys: tuple[str, ...] = ()
    """What the entry's author wants it to be recalled by."""
    name: str = ""
    enabled: bool = True
    order: int | float = 0
    """Place in a prompt; lower comes first."""
    type: str | None = None
    """Entry type, side, anchor, emotion and scene: as a bank file has them, unchecked."""
    side: str | None = None
    anchor: str | None = None
    emotion: str | None = None
    scene: str | None = None


@dataclass(frozen=True, slots=True)
class Lorebook:
    """A lorebook that is a file of its own."""

    name: str
    items: tuple[LoreItem, ...]
    warnings: tuple[str, ...]


def read_lorebook(data: bytes, name: str) -> Lorebook:
    """The items of a stand-alone lorebook: a `lorebook_v3` file or a SillyTavern world file.

    Raises:
        CardError: if it is neither, or an entry is broken; nothing is half read.
    """
    file = file_called(name)
    parsed = read_json(data, file)
    book, field = parsed.value, ""
    if isinstance(book, dict) and book.get("spec") == "lorebook_v3":
        book, field = book.get("data"), "data"
    if not isinstance(book, dict) or "entries" not in book:
        must = "must be a lorebook: an object with entries, alone or in the data of a lorebook_v3"
        raise bad_card(file, field, must, book)
    called = book.get("name")
    items = book_items(book, file, field)
    return Lorebook(called if isinstance(called, str) else "", tuple(items), parsed.warnings)


def book_items(book: Any, file: str, field: str) -> list[LoreItem]:
    """The items of a lorebook object, in its order; none for null.

    Their keys are unique. `field` is the object's dotted path in the file.

    Raises:
        CardError: if the object or an entry is broken, or it has more than 20,000.
    """
    if book is None:
        return []
    if not isinstance(book, dict):
        raise bad_card(file, field, "must be an object with entries", book)
    place = f"{field}.entries" if field else "entries"
    entries = _entries(book, file, place)
    read = [_item(entry, file, f"{place}.{name}") for name, entry in entries.items()]
    return _unique(read)


def book_with(book: dict[str, Any] | None, items: Sequence[LoreItem], file: str) -> dict[str, Any]:
    """`book` with exactly these items; what they do not tell of an entry stays as it was.

    Items find their entries by key. Reading the result gives the items again.

    Raises:
        ValueError: if two items have one key, or a key is not portable.
    """
    if repeated := [key for key, count in Counter(i.key for i in items).items() if count > 1]:
        raise ValueError(f"the items' keys must be unique, got {shown(repeated[0])} twice")
    known = book_items(book, file, "character_book")
    if book is not None and known == list(items):
        return book
    entries = _entries(book or {}, file, "character_book.entries").values()
    old = {item.key: (item, entry) for item, entry in zip(known, entries, strict=True)}
    written = [
        _entry(item, *old.get(item.key, (LoreItem(item.key, ""), dict(_NEW)))) for item in items
    ]
    return {"extensions": {}, **(book or {}), "entries": written}


def _entries(book: dict[str, Any], file: str, field: str) -> dict[str, Any]:
    """The entries by their place or, in a SillyTavern world, by their name."""
    entries = book.get("entries")
    if entries is None:
        return {}
    if isinstance(entries, list):
        entries = {str(place): entry for place, entry in enumerate(entries)}
    if not isinstance(entries, dict):
        raise bad_card(file, field, "must be a list of entries", entries)
    if len(entries) > _MOST_ENTRIES:
        must = f"must hold at most {_MOST_ENTRIES} entries"
        raise CardError(f"{file}, field {field!r}: {must}, got {len(entries)}")
    return entries


def _item(entry: Any, file: str, field: str) -> LoreItem:
    if not isinstance(entry, dict):
        raise bad_card(file, field, "must be an object", entry)
    told = _Told(entry, file, field)
    ours = _ours(entry)
    content = told.text("content")
    enabled = not told.flag("disable", False) if "disable" in entry else told.flag("enabled", True)
    return LoreItem(
        key=_key(entry, ours),
        text=content[_head(content, ours) :],
        keys=told.texts("key" if "keys" not in entry and "key" in entry else "keys"),
        name=told.text("name" if isinstance(entry.get("name"), str) else "comment"),
        enabled=enabled,
        order=told.number("order" if "insertion_order" not in entry else "insertion_order"),
        **{name: ours[name] for name in _OURS if isinstance(ours.get(name), str)},
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """An entry's fields, each checked as it is read; null is as good as left out."""

    entry: dict[str, Any]
    file: str
    field: str

    def text(self, name: str) -> str:
        value = self.entry.get(name)
        return value if isinstance(value, str) else self._absent(name, "must be text", "")

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.entry.get(name)
        if isinstance(value, list) and all(isinstance(key, str) for key in value):
            return tuple(value)
        return self._absent(name, "must be a list of texts", ())

    def flag(self, name: str, default: bool) -> bool:
        value = self.entry.get(name)
        if isinstance(value, bool):
            return value
        return self._absent(name, "must be true or false", default)

    def number(self, name: str) -> int | float:
        value = self.entry.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        return self._absent(name, "must be a number", 0)

    def _absent(self, name: str, must: str, default: _Default) -> _Default:
        """`default` for a field that is not there."""
        if self.entry.get(name) is None:
            return default
        raise bad_card(self.file, f"{self.field}.{name}", must, self.entry[name])


def _ours(entry: dict[str, Any]) -> dict[str, Any]:
    """What we once wrote into an entry; empty where it is not ours."""
    extensions = entry.get("extensions")
    ours = extensions.get(NAMESPACE) if isinstance(extensions, dict) else None
    return ours if isinstance(ours, dict) else {}


def _head(content: str, ours: dict[str, Any]) -> int:
    """How many characters of decorators precede the entry's text."""
    kept = ours.get("decorators")
    if type(kept) is int and (kept == 0 or _HEAD.fullmatch(content, 0, max(kept, 0))):
        return kept
    found = _HEAD.match(content)
    return found.end() if found else 0


def _key(entry: dict[str, Any], ours: dict[str, Any]) -> str:
    key = ours.get("key")
    if isinstance(key, str) and _portable(key):
        return key
    whole = json.dumps(entry, sort_keys=True, separators=(",", ":"))
    return f"lore-{hashlib.sha256(whole.encode('utf-8')).hexdigest()[:16]}"


def _portable(key: str) -> bool:
    """Whether a bank file can call an entry so."""
    plain = key.isprintable() and " " not in key and not key.startswith(("user:", "dyad:"))
    return plain and 0 < len(key) <= 200


def _unique(items: list[LoreItem]) -> list[LoreItem]:
    """The items, of those with one key the later ones renamed."""
    taken = {item.key for item in items}
    seen: set[str] = set()
    numbers: Counter[str] = Counter()
    renamed: list[LoreItem] = []
    for item in items:
        key = item.key
        while key in seen or (key != item.key and key in taken):
            numbers[item.key] += 1
            key = f"{item.key[:190]}-{numbers[item.key] + 1}"
        seen.add(key)
        renamed.append(item if key == item.key else replace(item, key=key))
    return renamed


def _entry(item: LoreItem, was: LoreItem, entry: dict[str, Any]) -> dict[str, Any]:
    """`entry`, which said what `was` says, saying what `item` says."""
    if not _portable(item.key):
        must = "must be printable, without spaces, of 1 to 200 characters, not begin with a side"
        raise ValueError(f"an item's key {must}, got {shown(item.key)}")
    content = _content(item, was, entry)
    written = entry | {"content": content.whole} if was.text != item.text else dict(entry)
    if was.keys != item.keys:
        written["keys"] = list(item.keys)
    if was.name != item.name:
        written["name"] = item.name
    if was.enabled != item.enabled:
        written |= (
            {"disable": not item.enabled} if "disable" in entry else {"enabled": item.enabled}
        )
    if was.order != item.order:
        written["insertion_order"] = item.order
    foreign = entry.get("extensions")
    kept = foreign if isinstance(foreign, dict) else {}
    written["extensions"] = {**kept, NAMESPACE: _mine(item, content, _ours(entry))}
    return written


@dataclass(frozen=True, slots=True)
class _Content:
    """An entry's content; the first `head` characters are decorators."""

    whole: str
    head: int


def _content(item: LoreItem, was: LoreItem, entry: dict[str, Any]) -> _Content:
    """The entry's content with the item's text in it."""
    content = entry.get("content") or ""
    head = content[: _head(content, _ours(entry))]
    if was.text == item.text:
        return _Content(content, len(head))
    if head and item.text and not head[-1].isspace():
        head += "\n"
    return _Content(head + item.text, len(head))


def _mine(item: LoreItem, content: _Content, before: dict[str, Any]) -> dict[str, Any]:
    """What goes into the entry's extensions under our name."""
    known = {*_OURS, "key", "decorators"}
    mine = {name: value for name, value in before.items() if name not in known}
    told = {name: getattr(item, name) for name in _OURS}
    mine |= {"key": item.key} | {name: value for name, value in told.items() if value is not None}
    if content.head != _head(content.whole, {}):
        mine["decorators"] = content.head
    return mine
