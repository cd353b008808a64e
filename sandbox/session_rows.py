"""A session's fields as the record keeps them: what is no plain value becomes JSON."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from memory_banks.entries import canonical
from personas.persona import Persona
from sandbox.instances import InstanceRef, Said
from sandbox.replay.gears import Options

_READ: Mapping[str, Callable[[str], Any]] = {
    "persona": Persona.model_validate_json,
    "prelude": lambda kept: tuple(Said(**said) for said in json.loads(kept)),
    "instance": lambda kept: InstanceRef(**json.loads(kept)),
    "replay": lambda kept: Options(**json.loads(kept)),
}
_KEPT: Mapping[str, Callable[[Any], str]] = {
    "persona": lambda persona: str(persona.model_dump_json()),
    "prelude": lambda prelude: canonical([asdict(said) for said in prelude]),
    "instance": lambda instance: canonical(asdict(instance)),
    "replay": lambda options: canonical(asdict(options)),
}


def read_fields(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The fields' values; what is null stays null."""
    return {
        name: _READ[name](value) if name in _READ and value is not None else value
        for name, value in kept.items()
    }


def kept_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as columns hold them; what is null stays null."""
    return {
        name: _KEPT[name](value) if name in _KEPT and value is not None else value
        for name, value in fields.items()
    }
