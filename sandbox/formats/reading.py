"""Careful reading of JSON files: whatever is wrong is one sentence, and nothing is half read."""

import json
import re
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

from pydantic import ValidationError

from sandbox.formats.places import Places, Step, line_of_repeated

LARGEST = 64 * 1024 * 1024
"""Bytes that a file may have."""
DEEPEST = 40
_ESCAPED = re.compile(r"\\u(0000|[dD][89a-fA-F])")
"""What may stand for a character that no database keeps; nothing else can bring one in."""
_UNKEPT = re.compile("[\x00\ud800-\udfff]")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class FormatError(ValueError):
    """A file cannot be used; one sentence: file, place, field, value, what must hold.

    The sentence begins with the file's name. `path` leads to the value at fault, where it is known,
    so that whoever has the text can tell the line.
    """

    def __init__(self, sentence: str, path: Sequence[Step] | None = None) -> None:
        super().__init__(sentence)
        self.path = path

    def on_line(self, file: str, line: int) -> "FormatError":
        """The same with the line behind the file's name."""
        return FormatError(str(self).replace(file, f"{file}, line {line}", 1))


class Unfit(ValueError):
    """An instance contradicts itself and is left out; one sentence says how."""


def read_json(data: bytes, file: str) -> Any:
    """What the JSON file `data` holds.

    UTF-8 with or without a byte-order mark, any line ends. No repeated fields, no NaN or Infinity,
    no text that a database cannot keep, at most LARGEST bytes.

    Raises:
        FormatError: at the first fault.
    """
    check_size(file, len(data))
    text = _decoded(data, file)
    try:
        return parse(text, file)
    except FormatError as error:
        if error.path is None:
            raise
        raise error.on_line(file, Places(text).line(error.path)) from error


def check_size(file: str, size: int) -> None:
    """Let nothing be read that is too large.

    Raises:
        FormatError: if `size`, in bytes, is more than LARGEST.
    """
    if size > LARGEST:
        must = f"must have at most {LARGEST:,} bytes, got {size:,}"
        raise FormatError(f"{file}: {must}: give it in parts")


def parse(text: str, where: str) -> Any:
    """What `text` holds, checked as `read_json` does; `where` is what errors call it.

    A line is told in errors of a text with several lines only: a text of one is part of something.

    Raises:
        FormatError: at the first fault.
    """
    odd: list[str] = []
    try:
        value = _decoder(odd).decode(text)
    except RecursionError as error:
        raise FormatError(f"{where}: must be at most {DEEPEST} levels deep, it is more") from error
    except _Repeated as error:
        line = line_of_repeated(text) if "\n" in text else None
        place = where if line is None else f"{where}, line {line}"
        must = "must be given once in an object, got it twice"
        raise FormatError(f"{place}, field {shown(str(error))}: {must}") from error
    except json.JSONDecodeError as error:
        raise FormatError(_syntax(text, error, where)) from error
    if odd or _ESCAPED.search(text) or _is_deep(value):
        for path, must, found in _faults(value, ()):
            raise wrong(where, ".".join(path), must, found, path)
    return value


def wrong(
    where: str, field: str, must: str, value: Any, path: Sequence[Step] | None = None
) -> FormatError:
    """The error for a field, by its dotted path, whose value breaks the rule `must`."""
    return FormatError(f"{where}, field {shown(field)}: {must}, got {shown(value)}", path)


def invalid(
    error: ValidationError, where: str, within: int = 0, above: Sequence[Step] | None = None
) -> FormatError:
    """The error for the first fault that a form found; `where` says the path's first steps.

    Args:
        error: what the form found.
        where: file and place.
        within: steps of the error's own path that `where` tells already.
        above: the path from the file's whole value to the form's, where it is known.
    """
    first = error.errors(include_url=False)[0]
    steps = [part for part in first["loc"] if part not in _BRANCHES]
    field = ".".join(str(part) for part in steps[within:])
    must = _MUST.get(first["type"], first["msg"]).format(**first.get("ctx", {}))
    value = None if first["type"] == "missing" else first["input"]
    path = None if above is None else (*above, *steps)
    if not field:
        return FormatError(f"{where}: {must}, got {shown(value)}", path)
    return wrong(where, field, must, value, path)


def unfit_field(error: ValidationError, field: str) -> Unfit:
    """Why an object cannot be taken although the file's form allows its fields."""
    return Unfit(str(invalid(error, f"Its {field}")))


def called(name: Any, place: int) -> str:
    """What a sentence calls an object of a list: its name where that is a fit one, else its place.

    Whatever a file holds as a name, the sentence stays short and on one line.
    """
    fit = isinstance(name, str) and name.isprintable() and 0 < len(name) <= 100
    return str(name) if fit else str(place)


def shown(value: Any) -> str:
    """`value` for a sentence: short, on one line; null is `nothing`."""
    if value is None:
        return "nothing"
    if isinstance(value, list | dict):
        return f"a list of {len(value)}" if isinstance(value, list) else f"{len(value)} fields"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:76]}...{text[-1]}"


def listed(values: Sequence[Any]) -> str:
    """`values` for a sentence, the first ten of them."""
    more = f" and {len(values) - 10:,} more" if len(values) > 10 else ""
    return ", ".join(map(shown, values[:10])) + more


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

    def fraction(written: str) -> float | _Number:
        found = float(written)
        return found if isfinite(found) else kept(written)

    return json.JSONDecoder(
        object_pairs_hook=_unique, parse_int=integer, parse_float=fraction, parse_constant=kept
    )


def _is_deep(value: Any) -> bool:
    """Whether `value` has more levels than DEEPEST."""
    level = [value] if isinstance(value, dict | list) else []
    for _step in range(DEEPEST + 1):
        inside = (one.values() if isinstance(one, dict) else one for one in level)
        level = [found for held in inside for found in held if isinstance(found, dict | list)]
        if not level:
            return False
    return True


def _decoded(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"the byte 0x{data[error.start]:02x} at position {error.start}"
        guess = " (it looks like UTF-16)" if data.startswith(_UTF16) else ""
        raise FormatError(f"{file}, line {line}: must be UTF-8, got {found}{guess}") from error


def _syntax(text: str, error: json.JSONDecodeError, where: str) -> str:
    line = f", line {error.lineno}" if "\n" in text or ", line " not in where else ""
    place = f"{where}{line}, column {error.colno}"
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return f"{place}: must be whole JSON, and breaks off there"
    near = shown(text[max(0, error.pos - 20) : error.pos + 20])
    return f"{place}: must be JSON ({error.msg}), got {near}"


_Path = tuple[str, ...]


def _faults(value: Any, path: _Path) -> Iterator[tuple[_Path, str, Any]]:
    """What no field may hold, wherever it stands."""
    if len(path) > DEEPEST and isinstance(value, dict | list):
        yield path[:1], f"must be at most {DEEPEST} levels deep", value
    elif isinstance(value, dict | list):
        inside = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inner in inside:
            yield from _faults(name, (*path, "(name)"))
            yield from _faults(inner, (*path, str(name)))
    elif isinstance(value, str) and _UNKEPT.search(value):
        yield path, "must hold neither NUL nor a lone surrogate", value
    elif isinstance(value, _Number):
        yield path, "must be a number of ordinary size", value


_BRANCHES = ("str", "int", "float", "constrained-str", "constrained-int", "list[constrained-str]")
"""How pydantic calls the branches of a choice of types, which are no fields of a file."""
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
