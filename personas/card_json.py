"""JSON that strangers wrote, read under limits; every fault is one sentence."""

import json
import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from personas.persona_file import shown

MOST_BYTES = 10 * 1024 * 1024
_DEEPEST = 100
_MOST_VALUES = 1_000_000
_MOST_DIGITS = 4_300
_MOST_WARNINGS = 5
_MOST_INDENTED = 64 * 1024
_MARKS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},]', re.DOTALL)


class CardError(ValueError):
    """A card cannot be used; the message is one sentence: file, field, the rule, the value."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a JSON text holds."""

    value: Any
    warnings: tuple[str, ...]


def bad_card(file: str, field: str, must: str, value: Any) -> CardError:
    """The error for a field, by its dotted path, whose value breaks the rule `must`."""
    place = f"{file}, field {shown(field)}" if field else file
    return CardError(f"{place}: {must}, got {shown(value)}")


def file_called(name: str) -> str:
    """`name` as sentences call the file: printable, on one line, at most 100 characters."""
    printable = "".join(mark if mark.isprintable() else " " for mark in name)
    called = " ".join(printable.split())
    return called if len(called) <= 100 else f"{called[:97]}..." if called else "the file"


def read_json(content: bytes, file: str) -> Parsed:
    """The value that a JSON text holds, with a warning for each key given twice.

    UTF-8 with or without a byte-order mark, at most 10 MB, 100 levels and a million values.
    Numbers are finite, integers have at most 4,300 digits, texts hold no NUL and no lone
    surrogate. Of a key given twice in one object the last value counts.

    Raises:
        CardError: if it is no such text; nothing is half read.
    """
    if len(content) > MOST_BYTES:
        raise CardError(f"{file}: must be at most {MOST_BYTES} bytes, it has {len(content)}")
    text = _decoded(content, file)
    _check_shape(text, file)
    repeated: dict[str, None] = {}
    decoder = json.JSONDecoder(
        object_pairs_hook=lambda pairs: _object(pairs, repeated),
        parse_int=_integer,
        parse_constant=_Fault,
    )
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError as error:
        raise _malformed(text, file, error) from error
    _check(value, file, "")
    again = [
        f"The key {shown(key)} is given twice in one object; the last value counts."
        for key in list(repeated)[:_MOST_WARNINGS]
    ]
    return Parsed(value, tuple(again))


def json_bytes(value: Any, file: str) -> bytes:
    """`value` as UTF-8 JSON that `read_json` reads back as an equal value; keys in their order.

    Indented up to 64 KB (so that no nesting can blow it up), then on one line.

    Raises:
        CardError: if it breaks the limits of `read_json`.
    """
    _check(value, file, "")
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    _check_shape(text, file)
    if len(text) <= _MOST_INDENTED:
        text = json.dumps(value, ensure_ascii=False, indent=2)
    content = text.encode("utf-8")
    if len(content) > MOST_BYTES:
        raise CardError(f"{file}: must be at most {MOST_BYTES} bytes, it would have {len(content)}")
    return content


@dataclass(frozen=True, slots=True)
class _Fault:
    """A number that must not be; found again by `_check`, which knows the field."""

    text: str


def _decoded(content: bytes, file: str) -> str:
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = content[error.start : error.start + 1].hex()
        raise CardError(f"{file}, line {line}: must be UTF-8, got the byte 0x{found}") from error


def _check_shape(text: str, file: str) -> None:
    """Refuse what would cost too much to parse: deep nesting, very many values."""
    depth = values = 0
    for found in _MARKS.finditer(text):
        mark = text[found.start()]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        values += mark in "[{,"
        if depth > _DEEPEST:
            line = text.count("\n", 0, found.start()) + 1
            raise CardError(f"{file}, line {line}: must nest at most {_DEEPEST} levels, got more")
        if values > _MOST_VALUES:
            raise CardError(f"{file}: must hold at most {_MOST_VALUES} values, got more")


def _object(pairs: list[tuple[str, Any]], repeated: dict[str, None]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and len(repeated) < _MOST_WARNINGS:
            repeated[key] = None
        found[key] = value
    return found


def _integer(text: str) -> int | _Fault:
    return int(text) if len(text.lstrip("-")) <= _MOST_DIGITS else _Fault(text)


def _malformed(text: str, file: str, error: json.JSONDecodeError) -> CardError:
    lines = text.split("\n")
    found = (
        lines[error.lineno - 1][max(0, error.colno - 20) :] if error.lineno <= len(lines) else ""
    )
    place = f"{file}, line {error.lineno}, column {error.colno}"
    return CardError(f"{place}: must be JSON ({error.msg}), got {shown(found.strip())}")


def _check(value: Any, file: str, field: str) -> None:
    """Refuse texts and numbers that no record or other tool can hold, wherever they are."""
    if isinstance(value, str):
        _check_text(value, file, field)
    elif isinstance(value, dict):
        for key, item in value.items():
            _check_text(key, file, f"{field}.(name)" if field else "(name)")
            _check(item, file, f"{field}.{key}" if field else key)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            _check(item, file, f"{field}.{place}" if field else str(place))
    elif isinstance(value, _Fault) or (isinstance(value, float) and not math.isfinite(value)):
        _refuse_number(value, file, field)


def _check_text(text: str, file: str, field: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        found = f"U+{ord(text[error.start]):04X}"
        raise bad_card(file, field, "must hold no lone surrogates", found) from error
    if "\x00" in text:
        raise bad_card(file, field, "must not hold the character NUL", "U+0000")


def _refuse_number(value: _Fault | float, file: str, field: str) -> NoReturn:
    if isinstance(value, _Fault) and value.text.lstrip("-").isdigit():
        must = f"must be an integer of at most {_MOST_DIGITS} digits"
        raise bad_card(file, field, must, value.text)
    found = value.text if isinstance(value, _Fault) else value
    raise bad_card(file, field, "must be a finite number", found)
