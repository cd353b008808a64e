"""The packaged JSON schemas, as something that says what is wrong with a value."""

import json
from importlib.resources import files
from typing import Any

import pytest


def packaged_schema(name: str) -> Any:
    """The schema of a format of ours."""
    return json.loads(files("sandbox").joinpath("collections", f"{name}.schema.json").read_bytes())


def faults(name: str, value: Any) -> list[str]:
    """Where a value is not as the schema says; empty where it is."""
    jsonschema = pytest.importorskip("jsonschema")
    found = jsonschema.Draft202012Validator(packaged_schema(name)).iter_errors(value)
    return [".".join(map(str, one.absolute_path)) for one in found]
