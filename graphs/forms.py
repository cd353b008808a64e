"""The forms a model fills in: lenient about values, so that one bad item loses no good one."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from memory_banks.entries import ENTRY_TYPES, SCENES


class CapturedItem(BaseModel):
    """One thing worth remembering, as the model says it. The gates judge its values."""

    model_config = ConfigDict(frozen=True)

    utterance: int
    type: Annotated[str, Field(json_schema_extra={"enum": list(ENTRY_TYPES)})]
    text: str
    anchor: str | None = None
    emotion: str | None = None
    scene: Annotated[str | None, Field(json_schema_extra={"enum": [*SCENES, None]})] = None


class CaptureForm(BaseModel):
    """The answer of a capture. No entries is a valid answer."""

    model_config = ConfigDict(frozen=True)

    entries: Annotated[list[CapturedItem], Field(max_length=60)]


class ChangedItem(BaseModel):
    """Held entries that one new entry takes the place of, by their numbers."""

    model_config = ConfigDict(frozen=True)

    new: int
    held: Annotated[list[int], Field(max_length=20)]
    reason: str = ""


class UpdateForm(BaseModel):
    """The answer of an update. No changes is the normal answer."""

    model_config = ConfigDict(frozen=True)

    changes: Annotated[list[ChangedItem], Field(max_length=60)]
