"""The characters to choose from, as the list on the left names them."""

from collections import Counter

from personas.persona import Persona


def choices(personas: list[Persona]) -> list[tuple[str, str]]:
    """The characters to choose from by name; those of one name with their ids."""
    names = Counter(persona.name for persona in personas)
    return [
        (persona.name if names[persona.name] == 1 else f"{persona.name} · {persona.id}", persona.id)
        for persona in personas
    ]


def gone(deleted: list[Persona]) -> list[tuple[str, str]]:
    """Deleted characters to choose from: their sessions are still there."""
    return [(f"{persona.name} · deleted", persona.id) for persona in deleted]
