"""A character: who answers, and how they speak."""

import re
from datetime import datetime
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

_MOST_TEXT = 80_000
"""Bytes (UTF-8) of all texts together: what a file of 256 KB holds however it is escaped."""

_FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def forbidden_character(text: str) -> str | None:
    """The first character that no file, database or screen should get; null if there is none.

    Those are control characters other than the line end and the tab, and lone surrogates.
    """
    found = _FORBIDDEN.search(text)
    return found[0] if found else None


def _clean(text: str) -> str:
    if forbidden_character(text) is not None:
        raise ValueError("must hold no control characters or lone surrogates")
    return text


Line = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=2000),
    AfterValidator(_clean),
]
Text = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=40_000),
    AfterValidator(_clean),
]
"""Prose of several paragraphs, such as other tools write in one field."""
PersonaId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]


def _moment(text: str) -> str:
    """`text` if it is an ISO date and time with an offset."""
    must = "must be a date and time with an offset, such as 2026-03-26T11:05:00+03:00"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(must) from error
    if moment.tzinfo is None:
        raise ValueError(must)
    return text


class SampleUser(BaseModel):
    """The invented person whose seed bank ships with a character."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: Line
    profile: Line
    bank: PersonaId
    """Name of the seed file."""
    clock: Annotated[str, AfterValidator(_clean), AfterValidator(_moment)] | None = None
    """A session clock, just after the bank's last entry, at which the openers make sense."""


class Persona(BaseModel):
    """A character, as its file describes it.

    Texts may hold the macros of `personas.macros`; they stay as written until they are shown or
    sent to a model.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: PersonaId
    name: Line
    summary: Annotated[tuple[Text, ...], Field(min_length=1, max_length=20, strict=False)]
    traits: Annotated[tuple[Text, ...], Field(max_length=20, strict=False)] = ()
    style: Annotated[tuple[Line, ...], Field(max_length=20, strict=False)] = ()
    domains: Annotated[tuple[Line, ...], Field(max_length=20, strict=False)] = ()
    values: Annotated[tuple[Line, ...], Field(max_length=20, strict=False)] = ()
    rules: Annotated[tuple[Line, ...], Field(max_length=20, strict=False)] = ()
    """What the character always does, with anyone."""
    scenario: Text | None = None
    """The situation in which the talk takes place."""
    examples: Annotated[tuple[Text, ...], Field(max_length=20, strict=False)] = ()
    """Pieces of dialogue that show how the character speaks."""
    greeting: Text | None = None
    """An opening shown before the first turn."""
    openers: Annotated[tuple[Line, ...], Field(max_length=6, strict=False)] = ()
    """Things the sample user might say first, offered with one click."""
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")] = "en"
    sample_user: SampleUser | None = None

    @model_validator(mode="after")
    def _fits(self) -> "Persona":
        size = sum(len(text.encode("utf-8")) for text in self._texts())
        if size > _MOST_TEXT:
            raise ValueError(f"must hold at most {_MOST_TEXT} bytes of text in all, it has {size}")
        return self

    def _texts(self) -> list[str]:
        lists = (self.summary, self.traits, self.style, self.domains, self.values, self.rules)
        texts = [text for told in (*lists, self.examples, self.openers) for text in told]
        texts += [self.name, self.scenario or "", self.greeting or ""]
        if self.sample_user:
            texts += [self.sample_user.name, self.sample_user.profile]
        return texts
