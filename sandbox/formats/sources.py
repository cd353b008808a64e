"""Files as formats look at them: JSON or JSON Lines, one or several that belong together, zipped.

MADial-Bench's dialogues need the memories beside them, LoCoMo comes as a zip of ten files. What is
kept of them is one packed file, so that a collection stays one thing with one fingerprint.
"""

import hashlib
import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from memory_banks.entries import canonical
from sandbox.formats.reading import LARGEST, FormatError, parse, read_json

PACKED = "memory-sandbox-files"
"""The format of several files kept as one."""
MOST_FILES = 100
_ZIP = b"PK\x03\x04"
_TAKEN = (".json", ".jsonl")


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

    @cached_property
    def is_lines(self) -> bool:
        """Whether it looks like JSON Lines: an object on each line. One object alone counts too."""
        first, _end, rest = self.data.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")
        whole = first.startswith(b"{") and first.rstrip().endswith(b"}")
        return whole and rest.lstrip()[:1] in (b"", b"{")

    @cached_property
    def lines(self) -> list[tuple[int, Any]]:
        """Its JSON Lines with their line numbers from 1; blank lines are left out.

        Raises:
            FormatError: at the first line that is no JSON; the sentence names it.
        """
        return list(self._lines())

    def _lines(self) -> Iterator[tuple[int, Any]]:
        if len(self.data) > LARGEST:
            raise FormatError(f"{self.name}: must have at most {LARGEST:,} bytes")
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
    return parse(text.strip(), where)


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
    found = [one for name, data in files for one in _opened(" ".join(name.split()), data)]
    if not found:
        raise FormatError("There is no file to read: choose one.")
    if len(found) > MOST_FILES:
        raise FormatError(f"At most {MOST_FILES} files are read together, got {len(found)}.")
    names = [one.name for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise FormatError(f"{twice}: comes twice: give each file once")
    return Sources(_named(files, found), tuple(_text(found)))


def _named(files: Sequence[tuple[str, bytes]], found: Sequence[SourceFile]) -> str:
    first = " ".join(files[0][0].split())
    if len(files) == 1:
        packed = _packed(files[0][1], first)
        return first if packed is None else str(packed["name"])
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
    if data.startswith(_ZIP):
        yield from _unzipped(name, data)
    elif (packed := _packed(data, name)) is not None:
        yield from (SourceFile(one["name"], one["text"].encode("utf-8")) for one in packed["files"])
    else:
        yield SourceFile(name, data)


def _packed(data: bytes, name: str) -> Any:
    """The packed file's value; None for any other file."""
    if b'"format":"' + PACKED.encode() + b'"' not in data[-200:] + data[:200]:
        return None
    value = read_json(data, name)
    return value if isinstance(value, dict) and value.get("format") == PACKED else None


def _unzipped(name: str, data: bytes) -> Iterator[SourceFile]:
    """The JSON files of a zip, in the order of their names; folders count for nothing."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            held = [one for one in archive.infolist() if one.filename.endswith(_TAKEN)]
            if sum(one.file_size for one in held) > LARGEST:
                raise FormatError(f"{name}: must hold at most {LARGEST:,} bytes of JSON")
            if not held:
                raise FormatError(f"{name}: holds no .json or .jsonl file")
            for one in sorted(held, key=lambda one: one.filename):
                yield SourceFile(one.filename.rsplit("/", 1)[-1], archive.read(one))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise FormatError(f"{name}: cannot be read as a zip ({error})") from error
