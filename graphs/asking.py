"""Asking for an object: down the ladder of ways to ask, and one repair."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from graphs.json_answer import (
    LADDER,
    NoJson,
    NotValid,
    Rung,
    instruction,
    read_answer,
    repair_request,
    response_format,
    shown_again,
)
from graphs.messages import Message, with_answer, with_words
from graphs.model_errors import RefusedRequest, unreadable
from graphs.replying import Finish, Usage

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A validated answer, with what it took to get it."""

    value: T
    raw: str
    usage: Usage
    how: Rung
    """How the form was asked for."""
    repaired: bool
    cut: bool = False
    """Whether the first answer was cut off at the token limit: this one is a briefer one."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote, reasoning included."""

    raw: str
    finish: Finish
    usage: Usage

    @property
    def cut(self) -> bool:
        """Whether it was cut off at the token limit."""
        return self.finish == "length"


Write = Callable[[Sequence[Message], dict[str, Any] | None], Written]
"""One call of a model: messages and a `response_format`."""


class Asking:
    """Asks one server for objects, and remembers which way of asking it takes."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._first = 0

    def ask(self, messages: Sequence[Message], form: type[T], write: Write) -> Answer[T]:
        """An object of `form`, by at most one call on each rung and one repair.

        Raises:
            UnreadableAnswer: if the answer does not validate, also after the repair.
            ModelError: whatever `write` raises, except a refusal that a lower rung avoids.
        """
        rung, first = self._descend(messages, form, write)
        try:
            return Answer(_read(first, form), first.raw, first.usage, rung, repaired=False)
        except NotValid as fault:
            self._doubt(rung, fault)
            request = repair_request(form, str(fault))
        again = with_answer(messages, shown_again(first.raw), request)
        second = write(again, response_format(form, rung))
        try:
            value = _read(second, form)
        except NotValid as fault:
            cut = first.cut or second.cut
            raise unreadable(self._model, str(fault), second.raw, cut=cut) from None
        usage = _sum(first.usage, second.usage)
        return Answer(value, second.raw, usage, rung, repaired=True, cut=first.cut)

    def _descend(
        self, messages: Sequence[Message], form: type[T], write: Write
    ) -> tuple[Rung, Written]:
        """The first answer, on the highest rung that the server takes.

        A rung is given up for good only once a lower one was taken: a request that is refused on
        every rung was refused for another reason, and the first refusal says which.
        """
        refusals: list[RefusedRequest] = []
        for index, rung in list(enumerate(LADDER))[self._first :]:
            try:
                written = write(
                    with_words(messages, instruction(form, rung)), response_format(form, rung)
                )
            except RefusedRequest as error:
                refusals.append(error)
                continue
            self._first = max(self._first, index)
            return rung, written
        raise refusals[0]

    def _doubt(self, rung: Rung, fault: NotValid) -> None:
        """Start lower from now on where a server took the schema and did not enforce it."""
        if isinstance(fault, NoJson) and rung == "json_schema":
            self._first = max(self._first, 1)


def _read(written: Written, form: type[T]) -> T:
    if written.cut:
        raise NotValid("it was cut off at the token limit; be briefer")
    return read_answer(written.raw, form)


def _sum(first: Usage, second: Usage) -> Usage:
    def both(one: int | None, other: int | None) -> int | None:
        return None if one is None or other is None else one + other

    return Usage(
        first.seconds + second.seconds,
        both(first.prompt_tokens, second.prompt_tokens),
        both(first.completion_tokens, second.completion_tokens),
    )
