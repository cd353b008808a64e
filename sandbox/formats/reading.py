"""Careful reading of JSON files: whatever is wrong is one sentence, and nothing is half read."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

LARGEST = 64 * 1024 * 1024
"""Bytes that a file may have."""
DEEPEST = 40
_ESCAPED = re.compile(r"\\u(0000|[dD][89a-fA-F])")
"""What may stand for a character that no database keeps; nothing else can bring one in."""
_UNKEPT = re.compile("[\x00\ud800-\udfff]")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class FormatError(ValueError):
    """A file cannot be used; one sentence: file, place, field, value, what must hold."""


class Unfit(ValueError):
    """An instance contradicts itself and is left out; one sentence says how."""


def read_json(data: bytes, file: str) -> Any:
    """What the JSON file `data` holds.

    UTF-8 with or without a byte-order mark, any line ends. No repeated fields, no NaN or Infinity,
    no text that a database cannot keep, at most LARGEST bytes.

    Raises:
        FormatError: at the first fault.
    """
    if len(data) > LARGEST:
        raise FormatError(f"{file}: must have at most {LARGEST:,} bytes, got {len(data):,}")
    return parse(_decoded(data, file), file)


def parse(text: str, where: str) -> Any:
    """What `text` holds, checked as `read_json` does; `where` is what errors call it.

    Raises:
        FormatError: at the first fault.
    """
    odd: list[str] = []
    try:
        value = _decoder(odd).decode(text)
    except RecursionError as error:
        raise FormatError(f"{where}: must be at most {DEEPEST} levels deep, it is more") from error
    except _Repeated as error:
        must = "must be given once in an object, got it twice"
        raise FormatError(f"{where}, field {shown(str(error))}: {must}") from error
    except json.JSONDecodeError as error:
        raise FormatError(_syntax(text, error, where)) from error
    if odd or _ESCAPED.search(text):
        for path, must, found in _faults(value, ()):
            raise wrong(where, ".".join(path), must, found)
    return value


def wrong(where: str, field: str, must: str, value: Any) -> FormatError:
    """The error for a field, by its dotted path, whose value breaks the rule `must`."""
    return FormatError(f"{where}, field {shown(field)}: {must}, got {shown(value)}")


def invalid(error: ValidationError, where: str, within: int = 0) -> FormatError:
    """The error for the first fault that a form found; `where` says the path's first steps."""
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"][within:])
    must = _MUST.get(first["type"], first["msg"]).format(**first.get("ctx", {}))
    return wrong(where, field, must, None if first["type"] == "missing" else first["input"])


def unfit_field(error: ValidationError, field: str) -> Unfit:
    """Why an object cannot be taken although the file's form allows its fields."""
    return Unfit(str(invalid(error, f"Its {field}")))


def shown(value: Any) -> str:
    """`value` for a sentence: short, on one line; null is `nothing`."""
    if value is None:
        return "nothing"
    if isinstance(value, list | dict):
        return f"a list of {len(value)}" if isinstance(value, list) else f"{len(value)} fields"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:76]}...{text[-1]}"


class _Number:
    """A number that no field takes, as it was written."""

    def __init__(self, written: str) -> None:
        self._written = written

    def __repr__(self) -> str:
        return self._written


class _Repeated(ValueError):
    """An object gives a field twice; the message is the field's name."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _value in pairs]
        raise _Repeated(next(name for name in names if names.count(name) > 1))
    return found


def _decoder(odd: list[str]) -> json.JSONDecoder:
    """A decoder that puts a `_Number` for what is no ordinary number, and its words in `odd`."""

    def kept(written: str) -> _Number:
        odd.append(written)
        return _Number(written)

    def integer(written: str) -> int | _Number:
        return int(written) if len(written) <= 18 else kept(written)

    return json.JSONDecoder(object_pairs_hook=_unique, parse_int=integer, parse_constant=kept)


def _decoded(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"the byte 0x{data[error.start]:02x} at position {error.start}"
        guess = " (it looks like UTF-16)" if data.startswith(_UTF16) else ""
        raise FormatError(f"{file}, line {line}: must be UTF-8, got {found}{guess}") from error


def _syntax(text: str, error: json.JSONDecodeError, where: str) -> str:
    place = f"{where}, line {error.lineno}, column {error.colno}"
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return f"{place}: must be whole JSON, and breaks off there"
    near = shown(text[max(0, error.pos - 20) : error.pos + 20])
    return f"{place}: must be JSON ({error.msg}), got {near}"


_Path = tuple[str, ...]


def _faults(value: Any, path: _Path) -> Iterator[tuple[_Path, str, Any]]:
    """What no field may hold, wherever it stands."""
    if len(path) > DEEPEST:
        yield path, f"must be at most {DEEPEST} levels deep", value
    elif isinstance(value, dict | list):
        inside = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inner in inside:
            yield from _faults(name, (*path, "(name)"))
            yield from _faults(inner, (*path, str(name)))
    elif isinstance(value, str) and _UNKEPT.search(value):
        yield path, "must hold neither NUL nor a lone surrogate", value
    elif isinstance(value, _Number):
        yield path, "must be a number of ordinary size", value


_MUST = {
    "missing": "must be given",
    "extra_forbidden": "is not a field of this format",
    "string_type": "must be text",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must match the pattern {pattern}",
    "int_type": "must be a whole number",
    "finite_number": "must be a number of ordinary size",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "too_short": "must hold at least {min_length}",
    "too_long": "must hold at most {max_length}",
    "literal_error": "must be {expected}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "value_error": "{error}",
}
