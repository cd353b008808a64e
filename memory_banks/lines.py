"""Reading a bank file: from bytes to checked lines, or one sentence that says what is wrong.

The format itself is described in `memory_banks.files`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from memory_banks.checked_text import iso_time, visible
from memory_banks.entries import Author, EntryType, Scene, Side, TurnRole, clean_text, side_of

_MOST_BYTES = 64 * 1024 * 1024
_MOST_LINES = 200_000
_DEEPEST = 8


class BankFileError(ValueError):
    """A bank file cannot be used; one sentence: file, line, field, what must hold, the value."""


def _portable(text: str) -> str:
    if not text.isprintable() or " " in text or text.startswith(("user:", "dyad:")):
        raise ValueError("must be printable, without spaces, and not begin with 'user:' or 'dyad:'")
    return text


_Id = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_portable)]
_Name = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
_Text = Annotated[str, StringConstraints(max_length=100_000), AfterValidator(clean_text)]
_Told = Annotated[_Text, AfterValidator(visible)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class LineProvenance(_Part):
    """Where the entry of a line comes from."""

    session: _Name | None = None
    turns: Annotated[tuple[_Name, ...], Field(max_length=10_000, strict=False)] = ()
    role: TurnRole | None = None


class Deleted(_Part):
    """That the entry of a line is deleted, and why."""

    reason: _Text = ""


class Line(_Part):
    """One line of a bank file: an entry, why it was added, and how it ended if it did."""

    id: _Id
    side: Side
    type: EntryType
    text: _Told
    anchor: Annotated[str, AfterValidator(iso_time)] | None = None
    emotion: _Told | None = None
    scene: Scene | None = None
    author: Author = "import"
    provenance: LineProvenance = LineProvenance()
    replaces: Annotated[tuple[_Name, ...], Field(max_length=10_000, strict=False)] = ()
    """Earlier lines whose place it takes: by id, or by `side:id` where both sides have the id."""
    reason: _Text = ""
    """Why it was added."""
    deleted: Deleted | None = None
    """Null while it is live."""


class LineIndex:
    """Finds lines by the references that `replaces` uses."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._places: dict[str, dict[str, int]] = {}
        for place, line in enumerate(lines):
            self._places.setdefault(line.id, {}).setdefault(line.side, place)

    def find(self, reference: str) -> list[int]:
        """Places (from 0) of the lines that `reference` may mean: none, one, or one a side."""
        if found := self._places.get(reference):
            return list(found.values())
        side, _, line_id = reference.partition(":")
        found = self._places.get(line_id, {})
        return [found[side]] if side in found else []

    def place(self, line: Line) -> int:
        """The place of the first line with this id on this side."""
        return self._places[line.id][line.side]


def read_bank_file(data: bytes, name: str) -> list[Line]:
    """The lines of the bank file `data`, all checked; none for an empty file.

    A byte-order mark, CRLF, empty lines and a missing last line end are accepted. `name` is what
    errors call the file.

    Raises:
        BankFileError: at the first fault; nothing is half read.
    """
    rows = _rows(data, " ".join(name.split()))
    lines = [_line(text, where) for where, text in rows]
    index = LineIndex(lines)
    for place, line in enumerate(lines):
        where = rows[place][0]
        if index.place(line) != place:
            raise where.error("id", f"must be used once on the side {line.side!r}", line.id)
        _check_replaces(place, lines, index, where)
    return lines


@dataclass(frozen=True, slots=True)
class _Where:
    file: str
    line: int

    def error(self, field: str, must: str, value: object) -> BankFileError:
        return BankFileError(f"{self}, field {_shown(field)}: {must}, got {_shown(value)}")

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


@dataclass(frozen=True, slots=True, repr=False)
class _Number:
    """A number as it was written: no field takes one, so none is ever computed."""

    written: str

    def __repr__(self) -> str:
        return self.written


class _Repeated(ValueError):
    """A JSON object gives a field twice; the message is the field's name."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Repeated(key)
        found[key] = value
    return found


_JSON = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=_Number, parse_float=_Number, parse_constant=_Number
)


def _rows(data: bytes, file: str) -> list[tuple[_Where, str]]:
    """The lines that are not empty, with their numbers from 1."""
    if len(data) > _MOST_BYTES:
        raise BankFileError(f"{file}: must be at most {_MOST_BYTES} bytes, got {len(data)}")
    if data.count(b"\n") > _MOST_LINES:
        raise BankFileError(f"{file}: must have at most {_MOST_LINES} lines, it has more")
    try:
        texts = data.decode("utf-8").removeprefix("\ufeff").split("\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BankFileError(
            f"{file}, line {line}: must be UTF-8, got the byte 0x{data[error.start]:02x} "
            f"at position {error.start} of the file"
        ) from error
    rows = ((_Where(file, number), text) for number, text in enumerate(texts, 1))
    return [(where, text) for where, text in rows if text.strip(" \t\r")]


def _line(text: str, where: _Where) -> Line:
    found = _object(text, where)
    _check_strings(found, "", 0, where)
    try:
        line = Line.model_validate(found)
    except ValidationError as error:
        raise _invalid(error, where) from error
    side = side_of(line.type, line.provenance.role or "user")
    if line.type != "episodic" and line.side != side:
        raise where.error("side", f"must be {side!r} for the type {line.type!r}", line.side)
    return line


def _object(text: str, where: _Where) -> dict[str, Any]:
    try:
        found = _JSON.decode(text)
    except _Repeated as error:
        raise where.error(str(error), "must be given once", "it again") from error
    except RecursionError as error:
        raise BankFileError(
            f"{where}: must be one JSON object, {_DEEPEST} levels deep at most, got {_shown(text)}"
        ) from error
    except json.JSONDecodeError as error:
        raise BankFileError(_syntax(text, error, where)) from error
    if not isinstance(found, dict):
        raise BankFileError(f"{where}: must be one JSON object, got {_shown(found)}")
    return found


def _syntax(text: str, error: json.JSONDecodeError, where: _Where) -> str:
    cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    problem = "it breaks off at the end of the line" if cut else error.msg
    near = _shown(text[max(0, error.pos - 20) : error.pos + 20])
    return f"{where}, column {error.pos + 1}: must be one JSON object ({problem}), got {near}"


def _check_strings(value: Any, field: str, depth: int, where: _Where) -> None:
    """Refuse what no database keeps, in every string of the line, and nesting without end."""
    if depth > _DEEPEST:
        raise where.error(field, f"must be at most {_DEEPEST} levels deep", "more")
    if isinstance(value, str):
        try:
            clean_text(value)
        except ValueError as error:
            raise where.error(field, str(error).removeprefix("text "), value) from error
    elif isinstance(value, dict):
        for key, inner in value.items():
            _check_strings(key, field or "(name)", depth + 1, where)
            _check_strings(inner, f"{field}.{key}" if field else key, depth + 1, where)
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            _check_strings(inner, f"{field}.{position}", depth + 1, where)


def _check_replaces(place: int, lines: Sequence[Line], index: LineIndex, where: _Where) -> None:
    seen: set[int] = set()
    for reference in lines[place].replaces:
        found = index.find(reference)
        if len(found) > 1:
            must = f"must name one line, as 'user:{reference}' or 'dyad:{reference}'"
            raise where.error("replaces", must, reference)
        if not found or found[0] >= place:
            raise where.error("replaces", "must name an earlier line", reference)
        if found[0] in seen:
            raise where.error("replaces", "must name each line once", reference)
        if lines[found[0]].deleted is None:
            raise where.error("replaces", "must name a line whose 'deleted' is filled", reference)
        seen.add(found[0])


_MUST = {
    "missing": "must be given",
    "extra_forbidden": "is not a field of a line",
    "string_type": "must be text",
    "string_too_short": "must not be empty",
    "string_too_long": "must be at most {max_length} characters",
    "tuple_type": "must be a list",
    "too_long": "must hold at most {max_length}",
    "model_type": "must be an object with fields of its own",
    "literal_error": "must be {expected}",
    "value_error": "{error}",
}


def _invalid(error: ValidationError, where: _Where) -> BankFileError:
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    must = _MUST.get(first["type"], first["msg"]).format(**first.get("ctx", {}))
    return where.error(field, must, None if first["type"] == "missing" else first["input"])


def _shown(value: object) -> str:
    """`value` for a sentence: short, on one line."""
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:76]}...{text[-1]}"
