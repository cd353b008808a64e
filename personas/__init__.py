"""Who the character is: personas, their files, and the library of them."""

from personas.library import (
    Library,
    PersonaError,
    UnknownPersona,
    describe,
    load_persona,
    packaged_library,
)
from personas.persona import Persona, SampleUser

__all__ = [
    "Library",
    "Persona",
    "PersonaError",
    "SampleUser",
    "UnknownPersona",
    "describe",
    "load_persona",
    "packaged_library",
]
