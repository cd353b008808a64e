"""Files of instances and episodes, recognised by what they hold.

`sandbox/collections/demo.json` is the collection that ships with the project: twelve scenarios with
invented people, written for it and under its license. `demo.schema.json` beside it is the format's
JSON schema. `episode.json` and `episode.schema.json` are the same for episodes, and
`session.schema.json` is the schema of a session's bundle.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any, NamedTuple

from sandbox.collected import Collection, Quirk, Refused
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
from sandbox.formats.reading import FormatError, listed, shown
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
    title: str
    """What people call it."""
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
        file = given.files[0]
        return len(given.files) == 1 and not file.is_several_lines and recognises(file.value)

    def taken(given: Sources) -> Collection:
        return read(given.files[0].value, given.name, given.sha256)

    return known, taken


FORMATS: Sequence[Format] = (
    Format(
        "madial",
        "MADial-Bench: dialogues with their memories",
        madial.DESCRIBED,
        madial.recognises,
        madial.read,
        madial_write.write,
    ),
    Format(
        "messages",
        "OpenAI messages",
        messages.DESCRIBED,
        messages.recognises,
        messages.read,
        messages.write,
        messages.lost,
    ),
    Format("locomo", "LoCoMo", locomo.DESCRIBED, locomo.recognises, locomo.read),
    Format(
        "session", "session bundle", bundle.DESCRIBED, *_one_value(bundle.recognises, bundle.read)
    ),
    Format(
        "longmemeval",
        "LongMemEval",
        longmemeval.DESCRIBED,
        *_one_value(longmemeval.recognises, longmemeval.read),
    ),
    Format(
        "stratmem",
        "StratMem-Bench",
        "a StratMem-Bench array of instances",
        *_one_value(stratmem.recognises, stratmem.read),
        stratmem_write.write,
        stratmem_write.lost,
    ),
    Format(
        "demo",
        "demo collection",
        f"an object whose format is {FORMAT!r}",
        *_one_value(demo.recognises, demo.read),
        demo_write.write,
    ),
    Format(
        "episode",
        "episodes",
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
    kind = _kind(sources)
    try:
        found = _placed(kind.read(sources), sources)
    except FormatError as error:
        if error.path is None:
            raise
        file = _file(sources, str(error).partition(", ")[0])
        raise error.on_line(str(error).partition(", ")[0], file.line_of(error.path)) from error
    if not found.instances and not found.episodes:
        raise FormatError(_nothing_sound(found))
    return found


def _placed(found: Collection, given: Sources) -> Collection:
    """The collection with a line for whatever is odd or left out, where its path is known."""
    quirks: Iterable[Quirk] = (
        one if one.path is None else replace(one, line=_file(given, one.file).line_of(one.path))
        for one in found.quirks
    )
    refused: Iterable[Refused] = (
        one if one.path is None else replace(one, line=_file(given, one.file).line_of(one.path))
        for one in found.refused
    )
    return replace(found, quirks=tuple(quirks), refused=tuple(refused))


def _file(given: Sources, name: str) -> SourceFile:
    """The file of this name; the only one may have its zip's."""
    return next((one for one in given.files if one.name == name), given.files[0])


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
    ).removesuffix(".")


def _unknown(given: Sources) -> FormatError:
    known = ", ".join(kind.title for kind in FORMATS)
    got = _got(given.files[0])
    return FormatError(f"{given.name}: must be of a kind that is read here ({known}), got {got}")


def _got(file: SourceFile) -> str:
    """What a file of no known kind holds: enough to tell which kind it was to be."""
    if file.is_several_lines:
        return f"{len(file.lines):,} lines, the first {_object(file.lines[0][1])}"
    value: Any = file.value
    if isinstance(value, list) and value:
        return f"a list of {len(value):,}, the first {_object(value[0])}"
    return _object(value)


def _object(value: Any) -> str:
    if not isinstance(value, dict):
        return shown(value)
    if "format" in value:
        return f"an object whose format is {shown(value['format'])}"
    return f"an object with the fields {listed(sorted(value)[:3])}" if value else "an empty object"
