"""The forms a model fills in: lenient about values, so that one bad item loses no good one."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.json_schema import SkipJsonSchema

from memory_banks.entries import ENTRY_TYPES, SCENES

MOST_ITEMS = 60
"""Items that one answer is asked for at most; what is beyond is refused, the others stay."""
I = TypeVar("I", bound="Item")  # noqa: E741  # an item


class Item(BaseModel):
    """One item of an answer. The gates judge its values."""

    model_config = ConfigDict(frozen=True)

    fault: SkipJsonSchema[str | None] = None
    """Why it could not be read, as a sentence; null where it could. No model is asked for it."""


class CapturedItem(Item):
    """One thing worth remembering, as the model says it."""

    utterance: int
    type: Annotated[str, Field(json_schema_extra={"enum": list(ENTRY_TYPES)})]
    text: str
    event: bool = False
    """Whether the text tells one single event as a whole: what fits `episodic`."""
    anchor: str | None = None
    emotion: str | None = None
    scene: Annotated[str | None, Field(json_schema_extra={"enum": [*SCENES, None]})] = None


class ForgetItem(Item):
    """A wish of the user that something be forgotten."""

    utterance: int
    text: str
    """What is to be forgotten."""


class ChangedItem(Item):
    """Held entries that one new entry takes the place of, by their numbers."""

    new: int
    held: Annotated[list[int], Field(json_schema_extra={"maxItems": 20})]
    reason: str = ""


class ForgottenItem(Item):
    """Held entries that one request to forget is about, by their numbers."""

    request: int
    held: Annotated[list[int], Field(json_schema_extra={"maxItems": 20})]
    reason: str = ""


def _tolerant(form: type[I]) -> BeforeValidator:
    """Reads an item as far as it can be read; one that cannot be says so in `fault`."""
    blank: dict[Any, Any] = {int: 0, str: ""}
    needed = {
        name: blank.get(field.annotation, [])
        for name, field in form.model_fields.items()
        if field.is_required()
    }

    def read(value: object) -> object:
        told = {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}
        told.pop("fault", None)
        wrong = "It is no object of the form."
        tries = (told.keys(), needed.keys() & told.keys()) if isinstance(value, dict) else ()
        for names in tries:
            try:
                return form.model_validate({name: told[name] for name in names})
            except ValidationError as error:
                named = sorted({str(fault["loc"][0]) for fault in error.errors()})
                wrong = f"It has no {' and no '.join(named)} that can be read."
        text = told.get("text")
        shown = {"text": text[:2000]} if isinstance(text, str) and "text" in needed else {}
        return form(**(needed | shown | {"fault": wrong}))

    return BeforeValidator(read)


_MOST = Field(json_schema_extra={"maxItems": MOST_ITEMS})
_FEW = Field(json_schema_extra={"maxItems": 10})


class CaptureForm(BaseModel):
    """The answer of a capture. No entries is a valid answer."""

    model_config = ConfigDict(frozen=True)

    entries: Annotated[list[Annotated[CapturedItem, _tolerant(CapturedItem)]], _MOST]
    forget: Annotated[list[Annotated[ForgetItem, _tolerant(ForgetItem)]], _FEW] = []


class UpdateForm(BaseModel):
    """The answer of an update. No changes is the normal answer."""

    model_config = ConfigDict(frozen=True)

    changes: Annotated[list[Annotated[ChangedItem, _tolerant(ChangedItem)]], _MOST]
    forget: Annotated[list[Annotated[ForgottenItem, _tolerant(ForgottenItem)]], _FEW] = []
