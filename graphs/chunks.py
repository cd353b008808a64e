"""What a streamed completion may hold, checked; and the reply without the model's reasoning."""

import re
from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

_OPENINGS = ("<think>", "<thinking>", "think>")
"""Marks that begin reasoning; servers are known to lose the first character."""
_CLOSING = re.compile(r"</think(?:ing)?>")
_LONGEST = len("</thinking>")


class LeakedReasoning(Exception):
    """Reasoning was written as reply: its end is marked, its beginning was not."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, from_attributes=True)


class Delta(_Part):
    """The text one event adds. Reasoning is only noticed, never kept."""

    content: str | None = None
    reasoning_content: object = None
    reasoning: object = None


class Choice(_Part):
    """One of the replies being written; ours has the index 0, or none."""

    index: int | None = None
    delta: Delta | None = None
    finish_reason: str | None = None


Count = Annotated[
    int | None, BeforeValidator(lambda n: n if isinstance(n, int) and 0 <= n < 2**31 else None)
]


class Took(_Part):
    """Tokens of a call, null where the server does not say."""

    prompt_tokens: Count = None
    completion_tokens: Count = None


class Chunk(_Part):
    """One event of the stream."""

    choices: Annotated[list[Choice] | None, Field(max_length=100)] = None
    usage: Took | None = None


class Counted(BaseModel):
    """What `/tokenize` answers: llama.cpp lists the tokens, vLLM says how many as well."""

    tokens: Annotated[list[object], Field(max_length=10_000_000)]


def storable(text: str) -> str:
    """`text` with what no record can hold, lone surrogates and NUL, replaced by U+FFFD."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", "\ufffd")


def without_reasoning(pieces: Iterable[str]) -> Iterator[str]:
    """The reply's pieces without the reasoning at its start, and without blanks before it.

    Text is held back only as long as it may still be a mark.

    Raises:
        LeakedReasoning: if the end of reasoning is marked but its beginning was not.
    """
    source = iter(pieces)
    held = ""
    for piece in source:
        held = _after_reasoning(held + piece)
        if _is_reply(held):
            break
        if opening := next(filter(held.startswith, _OPENINGS), None):
            held = opening + held[len(opening) :][-_LONGEST:]
    else:
        if not held.startswith(_OPENINGS):
            yield from _checked(iter([held]))
        return
    yield from _checked(_with_first(held, source))


def spoken(text: str) -> str:
    """A whole answer without its reasoning, also where only the end of that is marked.

    A text in which reasoning begins and never ends is empty.
    """
    text = _after_reasoning(text)
    if text.startswith(_OPENINGS):
        return ""
    closing = None if text.startswith(("{", "```")) else next(_CLOSING.finditer(text), None)
    return text[closing.end() :].lstrip() if closing else text


def _after_reasoning(text: str) -> str:
    """`text` without leading blanks and the finished blocks of reasoning it begins with."""
    while True:
        text = text.lstrip().removeprefix("\ufeff").lstrip()
        closing = _CLOSING.search(text) if text.startswith(_OPENINGS) else None
        if closing is None:
            return text
        text = text[closing.end() :]


def _is_reply(text: str) -> bool:
    """Whether `text` is surely no beginning of reasoning."""
    if not text or text.startswith(_OPENINGS):
        return False
    return not any(opening.startswith(text) for opening in _OPENINGS)


def _with_first(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _checked(pieces: Iterator[str]) -> Iterator[str]:
    """The pieces as they are, as long as no mark ends a reasoning that never began."""
    tail = ""
    for piece in pieces:
        if _CLOSING.search(tail + piece):
            raise LeakedReasoning
        tail = (tail + piece)[-_LONGEST:]
        if piece:
            yield piece
