"""Character cards (V1, V2, V3): read from PNG or JSON and written back with nothing lost.

A `Card` holds the whole JSON object it came from, known fields and unknown ones. Only what the
sandbox uses is checked. Never used in a prompt, though kept, shown and exported: `creator_notes`,
`tags`, `creator`, `character_version` (the standards ask for it), and also `system_prompt` and
`post_history_instructions`: a card comes from a stranger, and what it orders must not stand above
the sandbox's own instructions, or strategies could not be compared.

CHARX archives (zip) are not read. Assets that a card names are kept but never fetched.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from personas.card_json import (
    MOST_BYTES,
    CardError,
    bad_card,
    file_called,
    json_bytes,
    read_json,
)
from personas.card_png import SIGNATURE, embedded_card, plain_picture, with_cards
from personas.lorebook import LoreItem, book_items, book_with
from personas.persona import forbidden_character
from personas.persona_file import shown

__all__ = [
    "Card",
    "CardError",
    "Spec",
    "as_v2",
    "lorebook_items",
    "read_card",
    "with_fields",
    "with_lorebook",
    "write_card_json",
    "write_card_png",
]

Spec = Literal["V1", "V2", "V3"]
V1_FIELDS = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
_SHOWN = (
    "creator_notes",
    "system_prompt",
    "post_history_instructions",
    "creator",
    "character_version",
)
_SHOWN_LISTS = ("tags", "alternate_greetings", "group_only_greetings")
_NAMED = re.compile(r"chara_card_v([2-9]|[1-9][0-9]{1,3})")
_OTHERS = {
    b"\x89PNG": "a PNG damaged on its way",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"RIFF": "a WebP picture or another RIFF file",
    b"PK": "a zip archive (CHARX archives are not read: export the character as PNG or JSON)",
    b"<": "HTML or SVG",
}


@dataclass(frozen=True, slots=True)
class Card:
    """A character card with everything that was in its file."""

    spec: Spec
    data: dict[str, Any]
    """The complete JSON object; never changed in place."""
    file: str
    """What sentences about the card call it."""
    warnings: tuple[str, ...] = ()
    """What was odd about the file, a sentence each."""
    image: bytes | None = None
    """The PNG it came in, as it was; null for a card without a picture."""
    sha256: str = ""
    """Fingerprint of the file's bytes; empty once the card is no longer what the file held."""

    @property
    def fields(self) -> dict[str, Any]:
        """The object that holds the character's fields."""
        fields: dict[str, Any] = self.data if self.spec == "V1" else self.data["data"]
        return fields

    @property
    def name(self) -> str:
        """What the character is called in talk: its nickname, else its name; may be empty."""
        return _line(self.text("nickname")) or _line(self.text("name"))

    def text(self, field: str) -> str:
        """A text field as it is; empty where it is missing or no text."""
        value = self.fields.get(field)
        return value if isinstance(value, str) else ""

    def path(self, field: str) -> str:
        """Where a field is, for a sentence."""
        return field if self.spec == "V1" else f"data.{field}"


def read_card(data: bytes, name: str) -> Card:
    """The card in a file: a PNG or APNG that carries one, or JSON, whatever its name says.

    A card without a name is read, with a warning: the person who imports it must give one. A
    version newer than ours is read as the newest we know, with a warning.

    Raises:
        CardError: if there is no card in it, or it cannot be used; nothing is half read.
    """
    file = file_called(name)
    if len(data) > MOST_BYTES:
        raise CardError(f"{file}: must be at most {MOST_BYTES} bytes, it has {len(data)}")
    sha256 = hashlib.sha256(data).hexdigest()
    if not data.startswith(SIGNATURE):
        _refuse_others(data, file)
        parsed = read_json(data, file)
        return replace(_card(parsed.value, file, parsed.warnings), sha256=sha256)
    embedded = embedded_card(data, file)
    parsed = read_json(embedded.json, file)
    card = _card(parsed.value, file, (*embedded.warnings, *parsed.warnings))
    return replace(card, image=data, sha256=sha256)


def write_card_json(card: Card) -> bytes:
    """The card as a JSON file; reading it gives the same object.

    Raises:
        CardError: if it would be too large to be read again.
    """
    return json_bytes(card.data, card.file)


def write_card_png(card: Card) -> bytes:
    """The card in its picture, or in a plain one; reading it gives the same object.

    A V1 or V2 card goes into a `chara` chunk; a V3 card into a `ccv3` chunk, with a V2 copy as
    `chara` for older tools. Card chunks that the picture had are dropped.

    Raises:
        CardError: if it would be too large to be read again: JSON has more room.
    """
    cards = {"chara": json_bytes(card.data, card.file)}
    if card.spec == "V3":
        older = card.data | {"spec": "chara_card_v2", "spec_version": "2.0"}
        cards = {"chara": json_bytes(older, card.file), "ccv3": cards["chara"]}
    return with_cards(card.image or plain_picture(), cards, card.file)


def lorebook_items(card: Card) -> list[LoreItem]:
    """The entries of the card's lorebook, in its order; none where it has none."""
    book = card.fields.get("character_book")
    return book_items(book, card.file, card.path("character_book"))


def with_lorebook(card: Card, items: Sequence[LoreItem]) -> Card:
    """The card whose lorebook holds exactly these items; a V1 card becomes V2 for it.

    An item changes the entry that has its key, and only what it tells; other items become new
    entries. `lorebook_items` of the result gives the items again.

    Raises:
        ValueError: if two items have one key, or a key is not portable.
    """
    if lorebook_items(card) == list(items):
        return card
    card = as_v2(card)
    book = book_with(card.fields.get("character_book"), items, card.file)
    return with_fields(card, {"character_book": book})


def with_fields(card: Card, changes: dict[str, Any]) -> Card:
    """The card with these fields changed, all else as it was; the same card for no changes.

    Where a V2 or V3 card repeats a changed field at the top, as V1 has it, the copy follows.
    """
    before = card.fields
    if not changes:
        return card
    if card.spec == "V1":
        return replace(card, data=card.data | changes, sha256="")
    copies = {name for name in changes if name in card.data and name in V1_FIELDS}
    follow = {name: changes[name] for name in copies if card.data[name] == before.get(name)}
    return replace(card, data=card.data | follow | {"data": before | changes}, sha256="")


def as_v2(card: Card) -> Card:
    """A V1 card as V2, with what V1 does not know kept at the top; other cards as they are."""
    if card.spec != "V1":
        return card
    data = blank_data("V2")
    inner = {*data["data"], "nickname", "character_book"}
    data["data"] |= {name: value for name, value in card.data.items() if name in inner}
    others = {name: value for name, value in card.data.items() if name not in inner}
    return replace(card, spec="V2", data=others | data, sha256="")


def blank_data(spec: Literal["V2", "V3"]) -> dict[str, Any]:
    """A card's object with every field that the standard requires, all of them empty."""
    data: dict[str, Any] = dict.fromkeys((*V1_FIELDS, *_SHOWN), "")
    data |= {"alternate_greetings": [], "tags": [], "extensions": {}}
    if spec == "V3":
        data["group_only_greetings"] = []
    number = spec.removeprefix("V")
    return {"spec": f"chara_card_v{number}", "spec_version": f"{number}.0", "data": data}


def _refuse_others(data: bytes, file: str) -> None:
    found = [what for beginning, what in _OTHERS.items() if data.startswith(beginning)]
    if b"\x00" in data[:1000]:
        found.append("a file of another kind")
    if not data.strip():
        found = ["an empty file"]
    if found:
        raise CardError(f"{file}: must be a PNG or JSON character card, got {found[0]}")


def _card(value: Any, file: str, warnings: tuple[str, ...]) -> Card:
    """The checked card that a JSON value is."""
    if not isinstance(value, dict):
        raise bad_card(file, "", "must be an object that holds a character's fields", value)
    odd: list[str] = []
    card = Card(_spec(value, file, odd), value, file)
    _check_used(card)
    odd += _not_shown(card)
    if not card.name:
        odd.append("The card has no name: give the character one.")
    return replace(card, warnings=(*warnings, *odd))


def _spec(value: dict[str, Any], file: str, odd: list[str]) -> Spec:
    """Which standard a card follows; what is odd about that is added to `odd`."""
    spec, inner = value.get("spec"), value.get("data")
    if spec is None and isinstance(inner, dict) and "name" in inner and "name" not in value:
        odd.append("The card does not say which standard it follows; it is read as V2.")
        return "V2"
    if spec is None:
        if not isinstance(value.get("name"), str) or not any(f in value for f in V1_FIELDS[1:]):
            must = "must be a character card: with a spec, or with a name and the other V1 fields"
            raise bad_card(file, "", must, value)
        return "V1"
    if not isinstance(spec, str) or not (named := _NAMED.fullmatch(spec)):
        hint = " (import a lorebook into a bank)" if spec == "lorebook_v3" else ""
        raise bad_card(file, "spec", f"must be chara_card_v2 or chara_card_v3{hint}", spec)
    if not isinstance(inner, dict):
        raise bad_card(file, "data", "must be an object that holds a character's fields", inner)
    known: Spec = "V2" if named[1] == "2" else "V3"
    odd += _newer(spec, value.get("spec_version"), 2.0 if known == "V2" else 3.0)
    return known


def _newer(spec: str, version: Any, known: float) -> list[str]:
    """A warning where a card is of a later version than the one we know, or says none."""
    called = shown(version) if version is not None else "none"
    try:
        number = float(version)
    except (TypeError, ValueError, OverflowError):
        return [f"The card's spec_version should be a number such as {known}, got {called}."]
    if number > known or int(spec.removeprefix("chara_card_v")) > known:
        return [f"The card is newer ({spec}, {called}): what we do not know is kept, not used."]
    return []


def _check_used(card: Card) -> None:
    """Refuse a card with a field that the sandbox uses and cannot."""
    for field in (*V1_FIELDS, "nickname"):
        if not isinstance(value := card.fields.get(field), str | None):
            raise bad_card(card.file, card.path(field), "must be text", value)
    if not isinstance(extensions := card.fields.get("extensions"), dict | None):
        raise bad_card(card.file, card.path("extensions"), "must be an object", extensions)
    lorebook_items(card)


def _not_shown(card: Card) -> list[str]:
    """A warning for each field that is only shown and cannot be."""
    lists = {name: card.fields.get(name) for name in _SHOWN_LISTS}
    wrong = [
        name
        for name, value in lists.items()
        if value is not None
        and not (isinstance(value, list) and all(isinstance(item, str) for item in value))
    ]
    wrong += [name for name in _SHOWN if not isinstance(card.fields.get(name), str | None)]
    return [f"The card's {name} is not of the right kind: kept, not shown." for name in wrong]


def _line(text: str) -> str:
    """`text` on one line, without characters that no persona may hold."""
    words = "".join(" " if forbidden_character(mark) else mark for mark in text).split()
    return " ".join(words)
