"""Answers in a form: how they are asked for, read, and asked for again."""

import json
import re
from typing import Any, Literal, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from graphs.chunks import spoken

T = TypeVar("T", bound=BaseModel)
Rung = Literal["json_schema", "json_object", "prompt"]
"""How a form is asked for, the surest first."""
LADDER: tuple[Rung, ...] = ("json_schema", "json_object", "prompt")
_AFTER = re.compile(r"\s*(?:```)?\s*")
_DEEPEST = 100
_LONGEST = 1_000_000
_COMPLAINTS = 5
_SHOWN = 4000


class NotValid(ValueError):
    """An answer that is not in the form; the message says why, to the model."""


class NoJson(NotValid):
    """An answer in which nobody even tried to write JSON."""


def response_format(form: type[BaseModel], rung: Rung) -> dict[str, Any] | None:
    """The `response_format` of a request on this rung; null on the last."""
    if rung == "json_object":
        return {"type": "json_object"}
    if rung == "prompt":
        return None
    asked = {"name": form.__name__, "schema": schema(form), "strict": True}
    return {"type": "json_schema", "json_schema": asked}


def instruction(form: type[BaseModel], rung: Rung) -> str:
    """What the last message must say as well; empty where the server enforces the schema."""
    return "" if rung == "json_schema" else f"\n\nAnswer with {_in_words(form)}"


def repair_request(form: type[BaseModel], complaint: str) -> str:
    """The message that asks once more, with the reason why the answer was not valid."""
    return f"That answer is not valid: {complaint}\nAnswer again, with {_in_words(form)}"


def shown_again(raw: str) -> str:
    """As much of an answer as its repair shows to the model."""
    return spoken(raw)[:_SHOWN]


def schema(form: type[BaseModel]) -> dict[str, Any]:
    """The form's JSON schema as strict servers want it: every property required, no others."""
    closed = _closed(form.model_json_schema())
    assert isinstance(closed, dict)
    return closed


def read_answer(raw: str, form: type[T]) -> T:
    """The object of `form` that the answer holds, strictly validated.

    Reasoning, a byte-order mark, words before the object and a code fence around it are
    tolerated; nothing else is: no second object, no words after it, no numbers JSON does not have.

    Raises:
        NotValid: if it holds none.
    """
    text = spoken(raw)
    start = text.find("{")
    if not text:
        raise NotValid("it is empty")
    if start < 0:
        raise NoJson("it holds no JSON object")
    if len(text) > _LONGEST:
        raise NotValid(f"it is longer than {_LONGEST} characters")
    found, end = _decoded(text, start)
    if not _AFTER.fullmatch(text, end):
        raise NotValid("there is more after the JSON object")
    return _validated(found, form)


def _in_words(form: type[BaseModel]) -> str:
    rules = json.dumps(schema(form), ensure_ascii=False)
    return f"one JSON object only, no other words, that follows this JSON schema:\n{rules}"


def _closed(node: object) -> object:
    """A schema in which every object lists all its properties as required and allows no others."""
    if isinstance(node, list):
        return [_closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    if isinstance(node.get("properties"), dict) and node.get("type") == "object":
        properties = {name: _closed(value) for name, value in node["properties"].items()}
        kept = {key: _closed(value) for key, value in node.items() if key != "properties"}
        closed = {"properties": properties, "required": list(properties)}
        return {**kept, **closed, "additionalProperties": False}
    return {key: _closed(value) for key, value in node.items() if key != "default"}


def _decoded(text: str, start: int) -> tuple[object, int]:
    """The JSON value at `start` and where it ends."""
    decoder = json.JSONDecoder(
        parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_without_twins
    )
    try:
        return decoder.raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        raise NotValid(f"its JSON cannot be read: {_brief(error)}") from None


def _validated(found: object, form: type[T]) -> T:
    if _depth(found) > _DEEPEST:
        raise NotValid(f"its JSON is nested deeper than {_DEEPEST} levels")
    try:
        # By way of JSON, since strict validation of Python values refuses lists for tuples.
        return form.model_validate_json(json.dumps(found), strict=True)
    except ValidationError as error:
        raise NotValid(_complaint(error)) from None


def _complaint(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [
        f"{'.'.join(str(step) for step in fault['loc']) or 'the object'}: {fault['msg']}"
        for fault in faults[:_COMPLAINTS]
    ]
    more = [f"and {len(faults) - _COMPLAINTS} more"] if len(faults) > _COMPLAINTS else []
    return "; ".join([*lines, *more])


def _brief(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos}"
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:100]


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"the number {digits[:40]} is too large")
    return value


def _without_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice in one object")
    return found


def _depth(value: object) -> int:
    """How deep the value is nested, counted level by level so that no depth is too much."""
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
        ]
    return depth
