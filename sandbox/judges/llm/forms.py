"""The forms a judging model fills in: strict in structure, lenient about values.

A value is read later, one at a time, so that one bad value costs only what it stands for; what is
asked for is told by the schema, most of all the order: evidence first, then the verdict.
"""

from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, create_model

from sandbox.judges.guideline import SITUATIONS
from sandbox.judges.verdict import FAILURES

_MOST_ITEMS = 200


def _asked(**schema: Any) -> WithJsonSchema:
    return WithJsonSchema(schema)


def _exactly(count: int, most: int) -> Any:
    """A list that is asked for with `count` items, and taken with up to `most`."""
    return Field(max_length=most, json_schema_extra={"minItems": count, "maxItems": count})


Text = Annotated[object, _asked(type="string", maxLength=300)]
Number = Annotated[object, _asked(type="integer")]


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True)


class UsageItem(_Form):
    """What is said of one entry, by its number on the list."""

    number: Number = None
    quote: Text = ""
    detail: Text = ""
    why: Text = ""
    used: Annotated[object, _asked(type="string", enum=["yes", "no", "already said", "unsure"])] = (
        None
    )
    rule: Annotated[
        object, _asked(type="string", enum=["followed", "violated", "not applicable"])
    ] = None
    recall: Annotated[object, _asked(type="string", enum=["passive", "proactive", "none"])] = None


class UsageForm(_Form):
    """The answer to the question which entries are used."""

    entries: Annotated[list[UsageItem], Field(max_length=_MOST_ITEMS)]


@lru_cache(maxsize=128)
def usage_form(count: int) -> type[UsageForm]:
    """The form that asks for `count` entries, so that a server that enforces it ends there."""
    asked = Annotated[list[UsageItem], _exactly(count, most=_MOST_ITEMS)]
    return create_model("UsageForm", __base__=UsageForm, entries=(asked, ...))


class MiqForm(_Form):
    """The answer to the question how well they are woven in."""

    quote: Text = ""
    reason: Text = ""
    failures: Annotated[
        object, _asked(type="array", items={"type": "string", "enum": list(FAILURES)})
    ] = None
    score: Annotated[object, _asked(type="integer", enum=[1, 2, 3, 4, 5])]


class PointItem(_Form):
    """What is said of one of an aspect's points."""

    number: Number = None
    quote: Text = ""
    reason: Text = ""
    value: Annotated[object, _asked(type="number", enum=[0, 0.5, 1])] = None


class AspectForm(_Form):
    """The answer to the question how an aspect is met."""

    points: Annotated[list[PointItem], _exactly(3, most=20)]


class SupportForm(_Form):
    """The answer to the question how the guideline is followed."""

    situation: Annotated[
        object, _asked(type="string", enum=[*(one.name for one in SITUATIONS), "none"])
    ] = None
    cause_said: Annotated[object, _asked(type="boolean")] = None
    key_points: Annotated[object, _asked(type="array", items={"type": "integer"})] = None
    points: Annotated[list[PointItem], _exactly(3, most=20)]


class CompareForm(_Form):
    """The answer to the question which of two replies feels closer."""

    reason: Text = ""
    choice: Annotated[object, _asked(type="string", enum=["A", "B", "tie"])] = None


class PickForm(_Form):
    """The answer to the question which of several replies is best."""

    reason: Text = ""
    choice: Number = None
