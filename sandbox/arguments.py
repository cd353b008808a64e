"""The arguments of the API's endpoints, checked and not converted; one sentence a fault."""

import reprlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, ValidationError

from memory_banks.entries import valid_text
from sandbox.inputs import BadInput

T = TypeVar("T", bound="Arguments")
_Text = Annotated[str, AfterValidator(valid_text)]
_Name = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(valid_text)]


class Arguments(BaseModel):
    """The arguments of one endpoint; nothing is converted."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Where(Arguments):
    """Who talks to whom, and where: in a session that is there, or in a new one."""

    user: _Name
    persona: _Name
    session_id: _Name | None = None
    strategy: _Name | None = None
    model: _Name | None = None
    now: _Name | None = None
    method: _Name | None = None
    """How the session is remembered; null: as it was opened, a new one by the default method."""


class Chat(Where):
    """Arguments of `chat`."""

    text: _Text
    strategy: _Name = "top_k"


class EndSession(Arguments):
    """Arguments of `end_session`."""

    session_id: _Name
    approve: Literal["none", "all"] = "none"


class Evaluate(Arguments):
    """Arguments of `evaluate`."""

    reply_id: _Name
    judge: _Name = "local"


class BankOf(Arguments):
    """Arguments of `bank`."""

    user: _Name
    persona: _Name


def taken(form: type[T], arguments: Mapping[str, object]) -> T:
    """The arguments as `form`.

    Raises:
        BadInput: at the first that cannot be taken: its name, what must hold, its value.
    """
    try:
        return form.model_validate(dict(arguments))
    except ValidationError as error:
        raise BadInput(_sentence(error)) from None


_MUST = {
    "missing": "must be given",
    "extra_forbidden": "is not an argument",
    "string_type": "must be text",
    "string_unicode": "must be valid Unicode, without lone surrogates",
    "string_too_short": "must not be empty",
    "string_too_long": "must be at most {max_length} characters",
    "literal_error": "must be {expected}",
}


def _sentence(error: ValidationError) -> str:
    """The first fault: the argument, what must hold, the value where there is one."""
    fault = error.errors(include_url=False)[0]
    name = str(fault["loc"][0])
    if fault["type"] == "value_error":
        return f"{name}{str(fault['ctx']['error']).removeprefix('text')}."
    must = _MUST.get(fault["type"], fault["msg"]).format(**fault.get("ctx", {}))
    return (
        f"{name} {must}."
        if fault["type"] == "missing"
        else f"{name} {must}, got {_short(fault['input'])}."
    )


def _short(value: Any) -> str:
    """`value` for a sentence: on one line, at most 80 characters, whatever it holds."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    shown = _SHORT.repr(value)
    return shown if len(shown) <= 80 else f"{shown[:76]}...{shown[-1]}"


_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxlong = 3, 60, 40
