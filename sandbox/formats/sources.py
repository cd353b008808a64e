"""Files as formats look at them: JSON or JSON Lines, one or several that belong together, zipped.

MADial-Bench's dialogues need the memories beside them, LoCoMo comes as a zip of ten files. What is
kept of them is one packed file, so that a collection stays one thing with one fingerprint.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from memory_banks.entries import canonical
from sandbox.formats.places import Places, Step
from sandbox.formats.reading import FormatError, check_size, invalid, parse, read_json
from sandbox.formats.unzipping import MOST_FILES, ZIP, unzipped

PACKED = "memory-sandbox-files"
"""The format of several files kept as one."""
_LONGEST_NAME = 120
_ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in "\u0085\u2028\u2029"}


@dataclass(frozen=True)
class SourceFile:
    """A file's name and bytes, parsed when a format asks for it."""

    name: str
    data: bytes

    @cached_property
    def value(self) -> Any:
        """What it holds as one JSON value.

        Raises:
            FormatError: if it is no such file.
        """
        return read_json(self.data, self.name)

    def line_of(self, path: Sequence[Step]) -> int:
        """The line from 1 of what stands at `path` in `value`, which must have been read."""
        return self._places.line(path)

    @cached_property
    def _places(self) -> Places:
        return Places(self.data.decode("utf-8").removeprefix("\ufeff"))

    @cached_property
    def is_lines(self) -> bool:
        """Whether it looks like JSON Lines: an object on each line. One object alone counts too."""
        first, _end, rest = self.data.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")
        whole = first.startswith(b"{") and first.rstrip().endswith(b"}")
        return whole and rest.lstrip()[:1] in (b"", b"{")

    @property
    def is_several_lines(self) -> bool:
        """Whether it looks like JSON Lines and has more than one: then it is no JSON value."""
        return self.is_lines and b"\n{" in self.data.removeprefix(b"\xef\xbb\xbf").lstrip()

    @cached_property
    def lines(self) -> list[tuple[int, Any]]:
        """Its JSON Lines with their line numbers from 1; blank lines are left out.

        Raises:
            FormatError: at the first line that is no JSON; the sentence names it.
        """
        return list(self._lines())

    def _lines(self) -> Iterator[tuple[int, Any]]:
        check_size(self.name, len(self.data))
        for number, line in enumerate(self.data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
            if line.strip():
                yield number, read_json_line(line, self.name, number)


def read_json_line(line: bytes, file: str, number: int) -> Any:
    """What a line of a JSON Lines file holds; `number` is its place from 1.

    Raises:
        FormatError: if it is not UTF-8 or no JSON; the sentence names file and line.
    """
    where = f"{file}, line {number}"
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"the byte 0x{line[error.start]:02x} at position {error.start}"
        raise FormatError(f"{where}: must be UTF-8, got {found}") from error
    try:
        return parse(text, where)
    except FormatError as error:
        # Its path is one within the line, which is told already.
        raise FormatError(str(error)) from error


def json_lines(rows: Iterable[Any]) -> bytes:
    """The rows as JSON Lines.

    U+0085, U+2028 and U+2029 are escaped: some readers take them for line ends.
    """
    return "".join(canonical(row).translate(_ESCAPES) + "\n" for row in rows).encode("utf-8")


@dataclass(frozen=True)
class Sources:
    """Files that are read together, in the order in which they were given."""

    name: str
    """What the collection is called: its only file's name, or its first one's with a count."""
    files: tuple[SourceFile, ...]

    @cached_property
    def packed(self) -> bytes:
        """One file that stands for all of them: itself where there is only one."""
        if len(self.files) == 1:
            return self.files[0].data
        held = [{"name": one.name, "text": one.data.decode("utf-8")} for one in self.files]
        return canonical({"format": PACKED, "name": self.name, "files": held}).encode("utf-8")

    @cached_property
    def sha256(self) -> str:
        """Fingerprint of `packed`."""
        return hashlib.sha256(self.packed).hexdigest()


def gathered(files: Sequence[tuple[str, bytes]]) -> Sources:
    """The files by name and bytes, zips and packed files opened.

    Raises:
        FormatError: if there is none or too many, a name comes twice, a zip cannot be read or
            holds too much, or one of several is not UTF-8.
    """
    found = [one for name, data in files for one in _opened(_tidy(name), data)]
    if not found:
        raise FormatError("There is no file to read: choose one.")
    if len(found) > MOST_FILES:
        raise FormatError(f"At most {MOST_FILES} files are read together, got {len(found)}.")
    names = [one.name for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise FormatError(f"{twice}: comes twice: give each file once")
    check_size(_named(files, found), sum(len(one.data) for one in found))
    return Sources(_named(files, found), tuple(_text(found)))


def _named(files: Sequence[tuple[str, bytes]], found: Sequence[SourceFile]) -> str:
    first = _tidy(files[0][0])
    if len(files) == 1:
        packed = _packed(files[0][1], first)
        return first if packed is None else _tidy(packed.name)
    return f"{found[0].name} and {len(found) - 1} more"


def _text(found: Sequence[SourceFile]) -> Sequence[SourceFile]:
    if len(found) > 1:
        for one in found:
            try:
                one.data.decode("utf-8")
            except UnicodeDecodeError as error:
                raise FormatError(
                    f"{one.name}: must be UTF-8, byte {error.start} is not"
                ) from error
    return found


def _opened(name: str, data: bytes) -> Iterator[SourceFile]:
    if data.startswith(ZIP):
        yield from (SourceFile(_tidy(inner), held) for inner, held in unzipped(name, data))
    elif (packed := _packed(data, name)) is not None:
        yield from (SourceFile(_tidy(one.name), one.text.encode("utf-8")) for one in packed.files)
    else:
        yield SourceFile(name, data)


class _One(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    name: str
    text: str


class _Packed(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    format: Literal["memory-sandbox-files"]
    name: str
    files: list[_One]


def _packed(data: bytes, name: str) -> _Packed | None:
    """What a packed file holds; None for any other file.

    Raises:
        FormatError: if it calls itself one and has not the shape of one.
    """
    if b'"format":"' + PACKED.encode() + b'"' not in data[-200:] + data[:200]:
        return None
    value = read_json(data, name)
    if not isinstance(value, dict) or value.get("format") != PACKED:
        return None
    try:
        return _Packed.model_validate(value)
    except ValidationError as error:
        raise invalid(error, name) from error


def _tidy(name: str) -> str:
    """A file's name fit for a sentence: on one line, printable, not too long."""
    told = "".join(one if one.isprintable() else "?" for one in " ".join(name.split()))
    half = _LONGEST_NAME // 2
    return told if len(told) <= _LONGEST_NAME else f"{told[: half - 3]}...{told[-half:]}"
