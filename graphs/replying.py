"""A reply on its way: what its events say, and the stream a reader iterates."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Literal

from graphs.chunks import Choice, Chunk, Delta, LeakedReasoning, Took, storable, without_reasoning
from graphs.handover import Handover
from graphs.model_errors import (
    ModelError,
    cut,
    empty,
    garbage,
    leaked_reasoning,
    timed_out,
    withheld,
)

Finish = Literal["stop", "length", "stopped"]
"""How a reply ended: by itself, at the token limit, or stopped by the person."""
LONGEST = 1_000_000
"""Characters after which a reply is refused as garbage."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call took."""

    seconds: float
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(slots=True)
class Progress:
    """What the events of one reply have said so far; filled in the producer's thread."""

    model: str
    finish: Finish | None = None
    took: Took = field(default_factory=Took)
    thought: bool = False
    written: int = 0

    def take(self, event: object) -> str:
        """The text that one event adds, often none.

        Raises:
            ValueError: if the event has another shape than the protocol's.
            ModelError: if it has no choices at all, or the reply was withheld or has no end.
        """
        chunk = Chunk.model_validate(event)
        if chunk.choices is None and chunk.usage is None:
            raise garbage(self.model, "no choices")
        self.took = chunk.usage or self.took
        text = ""
        for choice in chunk.choices or ():
            if not choice.index:
                text += self._spoken(choice)
        self.written += len(text)
        if self.written > LONGEST:
            raise garbage(self.model, f"more than {LONGEST} characters")
        return text

    def unfinished(self) -> ModelError:
        """The error of a stream that ended here, before its reply did."""
        if self.written or self.thought:
            return cut(self.model)
        return garbage(self.model, "no choices")

    def _spoken(self, choice: Choice) -> str:
        delta = choice.delta or Delta()
        self.thought |= bool(delta.reasoning_content or delta.reasoning)
        if choice.finish_reason:
            self.finish = self._ended(choice.finish_reason)
        return storable(delta.content or "")

    def _ended(self, reason: str) -> Finish:
        if reason == "content_filter":
            raise withheld(self.model)
        return "length" if reason in ("length", "max_tokens") else "stop"


Produce = Callable[[Progress, Handover], Iterator[str]]
"""What makes a reply: fills the progress, yields the pieces; runs in its own thread."""


class Reply:
    """A reply stream over a producer; see `ReplyStream`."""

    def __init__(self, model: str, produce: Produce, seconds: float, deadline: float) -> None:
        """Start at once; `seconds` are left, of the `deadline` that an error names."""
        self._model = model
        self._deadline = deadline
        self._progress = Progress(model)
        self._began = monotonic()
        self._took: float | None = None
        self._complete = False
        self._handover = Handover(partial(produce, self._progress), seconds)

    def __iter__(self) -> Iterator[str]:
        """The reply without its reasoning."""
        spoke = False
        try:
            for piece in without_reasoning(self.raw()):
                spoke = spoke or bool(piece.strip())
                yield piece
        except LeakedReasoning:
            raise leaked_reasoning(self._model) from None
        finally:
            self._end()
        if not spoke and self._complete:
            thought = self._progress.thought or self._progress.written > 0
            raise empty(self._model, thought)

    def raw(self) -> Iterator[str]:
        """The reply as it is sent, which may be reasoning only, or nothing."""
        try:
            yield from self._handover
        except TimeoutError:
            raise timed_out(self._model, self._deadline) from None
        self._complete = not self._handover.closed

    def close(self) -> None:
        """End the upstream call, from any thread."""
        self._end()

    @property
    def finish(self) -> Finish:
        """How it ended."""
        return (self._complete and self._progress.finish) or "stopped"

    @property
    def usage(self) -> Usage:
        """What it took."""
        seconds = monotonic() - self._began if self._took is None else self._took
        took = self._progress.took
        return Usage(seconds, took.prompt_tokens, took.completion_tokens)

    def _end(self) -> None:
        if self._took is None:
            self._took = monotonic() - self._began
        self._handover.close()
