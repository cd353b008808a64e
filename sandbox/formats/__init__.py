"""Files of instances and episodes, recognised by what they hold.

`sandbox/collections/demo.json` is the collection that ships with the project: twelve scenarios with
invented people, written for it and under its license. `demo.schema.json` beside it is the format's
JSON schema. `episode.json` and `episode.schema.json` are the same for episodes.
"""

from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from sandbox.collected import Collection
from sandbox.formats import (
    bundle,
    demo,
    demo_write,
    episode,
    episode_form,
    episode_write,
    locomo,
    longmemeval,
    madial,
    madial_write,
    messages,
    stratmem,
    stratmem_write,
)
from sandbox.formats.demo_form import FORMAT
from sandbox.formats.reading import FormatError, shown
from sandbox.formats.sources import SourceFile, Sources, gathered

__all__ = [
    "FORMATS",
    "Format",
    "FormatError",
    "format_of",
    "packaged_collection",
    "read_collection",
    "read_files",
]


class Format(NamedTuple):
    """A kind of file, or of files that belong together."""

    name: str
    """What commands call it."""
    described: str
    recognises: Callable[[Sources], bool]
    """Whether the files are of this kind, sound or not; must not raise FormatError for others."""
    read: Callable[[Sources], Collection]
    """FormatError at the first fault."""
    write: Callable[[Collection], dict[str, bytes]] | None = None
    """The files by name; FormatError says what this format cannot say. Null: read only."""
    lost: Callable[[Collection], tuple[str, ...]] | None = None
    """What `write` drops of the collection, a line each. Null: it drops nothing, and refuses."""


def _one_value(
    recognises: Callable[[Any], bool], read: Callable[[Any, str, str], Collection]
) -> tuple[Callable[[Sources], bool], Callable[[Sources], Collection]]:
    """The two functions of a format whose files are a single JSON value each."""

    def known(given: Sources) -> bool:
        return len(given.files) == 1 and recognises(given.files[0].value)

    def taken(given: Sources) -> Collection:
        return read(given.files[0].value, given.name, given.sha256)

    return known, taken


FORMATS: Sequence[Format] = (
    Format("madial", madial.DESCRIBED, madial.recognises, madial.read, madial_write.write),
    Format(
        "messages",
        messages.DESCRIBED,
        messages.recognises,
        messages.read,
        messages.write,
        messages.lost,
    ),
    Format("locomo", locomo.DESCRIBED, locomo.recognises, locomo.read),
    Format("session", bundle.DESCRIBED, *_one_value(bundle.recognises, bundle.read)),
    Format(
        "longmemeval",
        longmemeval.DESCRIBED,
        *_one_value(longmemeval.recognises, longmemeval.read),
    ),
    Format(
        "stratmem",
        "a StratMem-Bench array of instances",
        *_one_value(stratmem.recognises, stratmem.read),
        stratmem_write.write,
        stratmem_write.lost,
    ),
    Format(
        "demo",
        f"an object whose format is {FORMAT!r}",
        *_one_value(demo.recognises, demo.read),
        demo_write.write,
    ),
    Format(
        "episode",
        f"an object whose format is {episode_form.FORMAT!r}",
        *_one_value(episode.recognises, episode.read),
        episode_write.write,
    ),
)
"""Each is asked in this order; the formats of JSON Lines come before those of one JSON value."""


def read_collection(data: bytes, name: str) -> Collection:
    """The instances of one file; `name` is what errors and the collection call it.

    Raises:
        FormatError: as `read_files`.
    """
    return read_files([(name, data)])


def read_files(given: Sequence[tuple[str, bytes]]) -> Collection:
    """The instances and episodes of files that belong together, by name and bytes.

    An instance that contradicts itself is refused alone and listed; a file whose shape is wrong
    is refused whole. A zip stands for the JSON files in it.

    Raises:
        FormatError: if a file cannot be read, is of no known kind, or none has a sound instance.
    """
    sources = gathered(given)
    found = _kind(sources).read(sources)
    if not found.instances and not found.episodes:
        raise FormatError(_nothing_sound(found))
    return found


def format_of(given: Sequence[tuple[str, bytes]]) -> Format:
    """The format of files that belong together, by name and bytes, sound or not.

    Raises:
        FormatError: if a file cannot be read or they are of no known kind.
    """
    return _kind(gathered(given))


def _kind(sources: Sources) -> Format:
    kind = next((kind for kind in FORMATS if kind.recognises(sources)), None)
    if kind is None:
        raise _unknown(sources)
    return kind


def packaged_collection() -> bytes:
    """The file of the collection that ships with the project, `demo.json`."""
    return files("sandbox").joinpath("collections", "demo.json").read_bytes()


def _nothing_sound(found: Collection) -> str:
    if not found.refused:
        return f"{found.name}: holds nothing that can be replayed or judged"
    first = found.refused[0]
    count = len(found.refused)
    return (
        f"{found.name}: none of its {count} instances can be used; {first.where}: {first.sentence}"
    )


def _unknown(given: Sources) -> FormatError:
    told = [kind.described for kind in FORMATS]
    others = [one for one in told if not one.startswith(_OURS)]
    ours = " or ".join(one.removeprefix(_OURS) for one in told if one.startswith(_OURS))
    known = f"{', '.join(others)} or {_OURS}{ours}"
    return FormatError(f"{given.name}: must be {known}, got {_got(given.files[0])}")


_OURS = "an object whose format is "
"""How the formats of the project's own are described, told once for all of them."""


def _got(file: SourceFile) -> str:
    several = file.is_lines and len(file.lines) > 1
    value: Any = file.lines if several else file.value
    if isinstance(value, dict):
        return f"an object whose format is {shown(value.get('format'))}"
    return shown(value)
