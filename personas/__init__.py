"""Who the character is: personas, their files and cards, and the library of them."""

from personas.card_persona import card_of, card_with, persona_id, persona_of
from personas.cards import (
    Card,
    CardError,
    lorebook_items,
    read_card,
    with_lorebook,
    write_card_json,
    write_card_png,
)
from personas.library import (
    Library,
    PersonaError,
    UnknownPersona,
    describe,
    load_persona,
    packaged_library,
)
from personas.lorebook import Lorebook, LoreItem, read_lorebook
from personas.macros import expand, expanded
from personas.persona import Persona, SampleUser
from personas.persona_file import persona_yaml, read_persona

__all__ = [
    "Card",
    "CardError",
    "Library",
    "LoreItem",
    "Lorebook",
    "Persona",
    "PersonaError",
    "SampleUser",
    "UnknownPersona",
    "card_of",
    "card_with",
    "describe",
    "expand",
    "expanded",
    "load_persona",
    "lorebook_items",
    "packaged_library",
    "persona_id",
    "persona_of",
    "persona_yaml",
    "read_card",
    "read_lorebook",
    "read_persona",
    "with_lorebook",
    "write_card_json",
    "write_card_png",
]
