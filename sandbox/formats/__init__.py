"""Files of instances, recognised by what they hold.

`sandbox/collections/demo.json` is the collection that ships with the project: twelve scenarios with
invented people, written for it and under its license. `demo.schema.json` beside it is the format's
JSON schema.
"""

import hashlib
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from sandbox.formats import demo, stratmem
from sandbox.formats.demo_form import FORMAT
from sandbox.formats.reading import FormatError, read_json, shown
from sandbox.instances import Collection

__all__ = ["FORMATS", "FormatError", "Format", "packaged_collection", "read_collection"]


class Format(NamedTuple):
    """A kind of file."""

    described: str
    recognises: Callable[[Any], bool]
    """Whether a JSON value is of this kind, sound or not."""
    read: Callable[[Any, str, str], Collection]
    """(value, file name, sha256) to the collection; FormatError at the first fault."""


FORMATS: Sequence[Format] = (
    Format("a StratMem-Bench array of instances", stratmem.recognises, stratmem.read),
    Format(f"an object whose format is {FORMAT!r}", demo.recognises, demo.read),
)


def read_collection(data: bytes, name: str) -> Collection:
    """The instances of a file; `name` is what errors and the collection call it.

    An instance that contradicts itself is refused alone and listed; a file whose shape is wrong
    is refused whole.

    Raises:
        FormatError: if the file cannot be read, is of no known kind, or has no sound instance.
    """
    file = " ".join(name.split())
    value = read_json(data, file)
    kind = next((kind for kind in FORMATS if kind.recognises(value)), None)
    if kind is None:
        raise _unknown(value, file)
    found = kind.read(value, file, hashlib.sha256(data).hexdigest())
    if not found.instances:
        first = found.refused[0]
        count = len(found.refused)
        raise FormatError(
            f"{file}: none of its {count} instances can be used; {first.where}: {first.sentence}"
        )
    return found


def packaged_collection() -> bytes:
    """The file of the collection that ships with the project, `demo.json`."""
    return files("sandbox").joinpath("collections", "demo.json").read_bytes()


def _unknown(value: Any, file: str) -> FormatError:
    known = " or ".join(kind.described for kind in FORMATS)
    got = shown(value)
    if isinstance(value, dict):
        got = f"an object whose format is {shown(value.get('format'))}"
    return FormatError(f"{file}: must be {known}, got {got}")
