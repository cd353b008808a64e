"""Characters as files: YAML and character cards, in and out, with lorebooks as bank entries."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Literal, get_args

from memory_banks.entries import ImportedFrom
from memory_banks.files import imported_from
from personas.card_persona import card_of, card_with, persona_id, persona_of
from personas.card_png import SIGNATURE
from personas.card_spec import as_spec
from personas.cards import (
    Card,
    CardError,
    lorebook_items,
    read_card,
    with_lorebook,
    write_card_json,
    write_card_png,
)
from personas.lorebook import LoreItem, read_lorebook
from personas.persona import Persona
from personas.persona_file import persona_yaml, read_persona
from sandbox.banks import Banks, Imported
from sandbox.characters import Characters
from sandbox.inputs import BadInput
from sandbox.lore import People, lore_lines, with_bank

Kind = Literal["yaml", "json V2", "json V3", "json", "png", "original"]
KINDS: tuple[Kind, ...] = get_args(Kind)
YAML_ENDINGS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Brought:
    """What an import gave."""

    persona: Persona
    warnings: tuple[str, ...] = ()
    known: bool = False
    """Whether the account had it already; nothing was changed then."""


@dataclass(frozen=True, slots=True)
class LoreBrought:
    """What the import of a lorebook did."""

    imported: Imported
    notes: tuple[str, ...]
    """What was left out or changed on the way, a sentence each."""


@dataclass(frozen=True, slots=True)
class Export:
    """A file to take away. Its name is made of an id: nothing of what a file said is in it."""

    name: str
    mime: str
    data: bytes


class CharacterFiles:
    """Imports and exports characters. Every method takes the account first."""

    def __init__(self, characters: Characters, banks: Banks) -> None:
        self._characters = characters
        self._banks = banks

    def bring(self, account: str, data: bytes, name: str) -> Brought:
        """Keep the character in a YAML file or a card; no other one is changed by it.

        A taken id gets a number behind it. The same file twice is one character.

        Raises:
            BadInput, PersonaError: if it cannot be read; nothing is kept then.
        """
        if PurePath(name).suffix.lower() in YAML_ENDINGS:
            return self._bring_yaml(account, read_persona(data, PurePath(name).name))
        card = _card(data, name)
        warnings = card.warnings
        called = card.name or _stem(name)
        number = 1
        while True:
            persona = _persona(card, called, "" if number == 1 else str(number))
            if not self._taken(account, persona.id):
                break
            if self._characters.card(account, persona.id) == data:
                kept = self._characters.get(account, persona.id)
                return Brought(kept, warnings, known=True)
            number += 1
        self._characters.save(account, persona, data)
        return Brought(persona, warnings)

    def card(self, account: str, persona: str) -> Card | None:
        """The card that the account's own character was imported from; None for one without."""
        data = self._characters.card(account, persona)
        return None if data is None else _card(data, persona)

    def bring_lore(self, account: str, user: str, persona: str) -> LoreBrought:
        """Import the lorebook of a character's card into its bank for this user.

        Raises:
            BadInput: if the character has no lorebook, or the name cannot be taken.
        """
        data = self._characters.card(account, persona)
        card = self.card(account, persona)
        if data is None or card is None or not (items := lorebook_items(card)):
            raise BadInput("This character has no lorebook: import a card that holds one.")
        source = imported_from(data, f"{persona}{_ending(data)}")
        return self._bring_items(account, user, persona, items, source)

    def bring_lorebook(
        self, account: str, user: str, persona: str, data: bytes, name: str
    ) -> LoreBrought:
        """Import a lorebook that is a file of its own into a character's bank for this user.

        Raises:
            BadInput: if it cannot be read, or the name cannot be taken; nothing is imported then.
        """
        try:
            book = read_lorebook(data, PurePath(name).name)
        except CardError as error:
            raise BadInput(f"{error}.") from error
        source = imported_from(data, PurePath(name).name)
        did = self._bring_items(account, user, persona, book.items, source)
        return replace(did, notes=(*book.warnings, *did.notes))

    def kinds(self, account: str, persona: str) -> list[Kind]:
        """What a character can be exported as; a card that was imported keeps its standard.

        Unless another one is asked for.
        """
        kept = self.card(account, persona)
        if kept is None:
            return ["yaml", "json V2", "json V3", "png"]
        others: list[Kind] = ["json V2"] if kept.spec != "V2" else []
        others += ["json V3"] if kept.spec != "V3" else []
        return ["yaml", "json", *others, "png", "original"]

    def export(self, account: str, persona: str, kind: str, user: str = "") -> Export:
        """A character as a file; a card with what it holds for `user` as its lorebook, if given.

        Raises:
            BadInput: if there is no such kind for it, or the file would be too large.
            UnknownPersona: if there is no such character.
        """
        known = self._characters.get(account, persona)
        if kind not in self.kinds(account, persona):
            raise BadInput(f"The kind of file must be one of {', '.join(KINDS)}, got {kind!r}.")
        if kind == "yaml":
            text = persona_yaml(known)
            return Export(f"{known.id}.yaml", "application/yaml", text.encode("utf-8"))
        if kind == "original":
            return self._original(account, known)
        try:
            card = self._edited(account, known, kind, user)
            if kind == "png":
                return Export(f"{known.id}.png", "image/png", write_card_png(card))
            return Export(f"{known.id}.json", "application/json", write_card_json(card))
        except CardError as error:
            raise BadInput(f"{error}.") from error

    def _bring_items(
        self,
        account: str,
        user: str,
        persona: str,
        items: Sequence[LoreItem],
        source: ImportedFrom,
    ) -> LoreBrought:
        lore = lore_lines(items, self._people(account, user, persona))
        did = self._banks.import_lines(account, user, persona, lore.lines, source)
        return LoreBrought(did, lore.notes)

    def _bring_yaml(self, account: str, told: Persona) -> Brought:
        found, number = told, 1
        while self._taken(account, found.id):
            if self._characters.get(account, found.id) == found:
                return Brought(found, known=True)
            number += 1
            found = told.model_copy(update={"id": persona_id(told.id, str(number))})
        self._characters.save(account, found)
        return Brought(found)

    def _taken(self, account: str, known: str) -> bool:
        return any(persona.id == known for persona in self._characters.all(account))

    def _original(self, account: str, persona: Persona) -> Export:
        data = self._characters.card(account, persona.id) or b""
        mime = "image/png" if data.startswith(SIGNATURE) else "application/json"
        return Export(f"{persona.id}.original{_ending(data)}", mime, data)

    def _edited(self, account: str, persona: Persona, kind: str, user: str) -> Card:
        kept = self.card(account, persona.id)
        if kept is not None:
            card = card_with(kept, persona)
            card = as_spec(card, "V2" if kind == "json V2" else "V3") if " " in kind else card
        else:
            card = card_of(persona, "V2" if kind == "json V2" else "V3")
        if not user:
            return card
        states = self._banks.view(account, user, persona.id).states
        people = self._people(account, user, persona.id)
        return with_lorebook(card, with_bank(lorebook_items(card), states, people))

    def _people(self, account: str, user: str, persona: str) -> People:
        return People(self._characters.get(account, persona).name, " ".join(user.split()))


def _card(data: bytes, name: str) -> Card:
    try:
        return read_card(data, PurePath(name).name)
    except CardError as error:
        raise BadInput(f"{error}.") from error


def _persona(card: Card, called: str, suffix: str) -> Persona:
    try:
        return persona_of(card, suffix, called)
    except CardError as error:
        raise BadInput(f"{error}.") from error


def _stem(name: str) -> str:
    """A name for a character whose card has none."""
    printable = "".join(mark if mark.isprintable() else " " for mark in PurePath(name).stem)
    return " ".join(printable.split())[:100] or "Character"


def _ending(data: bytes) -> str:
    return ".png" if data.startswith(SIGNATURE) else ".json"
