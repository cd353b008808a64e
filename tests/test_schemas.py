"""The packaged JSON schemas hold for what our writers write, and for nothing misshapen."""

import json
from typing import Any

import pytest

from sandbox.formats import FORMATS, packaged_collection, read_collection
from tests.mangling import SOUND
from tests.schemas import faults


def written(kind: str) -> Any:
    """What our writer makes of a sound file of the format."""
    data = packaged_collection() if kind == "demo" else json.dumps(SOUND[kind][0][1]).encode()
    found = read_collection(data, "f.json")
    write = next(one.write for one in FORMATS if one.name == kind)
    assert write is not None
    ((_name, made),) = write(found).items()
    return json.loads(made)


@pytest.mark.parametrize("kind", ["demo", "episode"])
def test_what_is_written_is_as_the_schema_says(kind: str) -> None:
    assert faults(kind, written(kind)) == []


@pytest.mark.parametrize("kind", ["demo", "episode"])
def test_a_field_that_nobody_knows_is_not_as_the_schema_says(kind: str) -> None:
    value = written(kind)
    inside = value["scenarios" if kind == "demo" else "episodes"][0]
    for place in (value, inside, inside["persona"]):
        place["odd"] = 1
        assert faults(kind, value) != []
        del place["odd"]
