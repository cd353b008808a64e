"""A card in another version of the standard: what the other one does not know is kept."""

from dataclasses import replace
from typing import Any, Literal

from personas.cards import Card, as_v2


def as_spec(card: Card, spec: Literal["V2", "V3"]) -> Card:
    """The card as one of version `spec`; the same card where it is one.

    Only what says the version and what V3 requires is written. Fields of V3 alone stay in a V2
    card, where readers of V2 leave them alone: back in V3 nothing is lost. A V1 card passes
    through V2.
    """
    if card.spec == spec:
        return card
    older = as_v2(card)
    if spec == "V2":
        return replace(older, spec="V2", data=older.data | _named("V2"), sha256="")
    inner = {"group_only_greetings": []} | older.fields
    if isinstance(book := inner.get("character_book"), dict):
        inner["character_book"] = _book(book)
    return replace(older, spec="V3", data=older.data | _named("V3") | {"data": inner}, sha256="")


def _named(spec: Literal["V2", "V3"]) -> dict[str, str]:
    number = spec.removeprefix("V")
    return {"spec": f"chara_card_v{number}", "spec_version": f"{number}.0"}


def _book(book: dict[str, Any]) -> dict[str, Any]:
    """The lorebook with what V3 requires of each entry."""
    entries = book.get("entries")
    if not isinstance(entries, list):
        return book
    told = [{"use_regex": False} | one if isinstance(one, dict) else one for one in entries]
    return book | {"entries": told}
