"""A chat model that plays a script in process, and remembers what it was asked."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from graphs.chat_model import (
    Answer,
    Finish,
    Message,
    ModelError,
    Sampling,
    UnreadableAnswer,
    Usage,
)

T = TypeVar("T", bound=BaseModel)
Scripted = str | Mapping[str, Any] | ModelError
"""A reply's text, the object of an answer, or the error to raise."""


@dataclass(frozen=True)
class Asked:
    """What the model was asked once."""

    messages: Sequence[Message]
    sampling: Sampling
    form: type[BaseModel] | None = None
    """The form of an answer; null for a reply."""

    @property
    def said(self) -> str:
        """The last message's text."""
        return self.messages[-1]["content"]

    @property
    def text(self) -> str:
        """All that was sent, as one text."""
        return "\n".join(message["content"] for message in self.messages)


Play = Callable[[Asked], Scripted]


class ScriptedModel:
    """Plays items in order, or a function of what is asked; `asked` holds every call.

    `pause` stops each reply behind its first word until the event is set or the stream is closed;
    `at_piece` is called before each word. An answer that does not fit its form is unreadable.
    """

    def __init__(
        self,
        *items: Scripted,
        play: Play | None = None,
        name: str = "scripted",
        context_tokens: int = 8192,
        pause: Event | None = None,
        at_piece: Callable[[], None] | None = None,
        score: Callable[[str, str], tuple[float, ...]] | None = None,
    ) -> None:
        self._score = score
        self.name = name
        self.context_tokens = context_tokens
        self.asked: list[Asked] = []
        self.started = Event()
        """Set when the first word of a reply was written."""
        self._items = list(items)
        self._play = play
        self._pause = pause
        self._at_piece = at_piece or (lambda: None)
        self._lock = Lock()

    def stream(self, messages: Sequence[Message], sampling: Sampling) -> "ScriptedStream":
        """The next item, word by word."""
        item = self._next(Asked(list(messages), sampling))
        return ScriptedStream(item, self.started, self._pause, self._at_piece)

    def answer(self, messages: Sequence[Message], form: type[T], sampling: Sampling) -> Answer[T]:
        """The next item, validated by the form."""
        item = self._next(Asked(list(messages), sampling, form))
        if isinstance(item, ModelError):
            raise item
        raw = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
        try:
            value = form.model_validate_json(raw, strict=True)
        except ValidationError:
            sentence = f"Model {self.name!r} did not answer in the form asked for; try again."
            raise UnreadableAnswer(sentence, raw) from None
        return Answer(value, raw, Usage(0.0, 0, 0), "json_schema", repaired=False)

    def count_tokens(self, text: str) -> int:
        """One token a word."""
        return len(text.split())

    def log_probabilities(self, messages: Sequence[Message], text: str) -> tuple[float, ...] | None:
        """What `score` gives for the prompt's text and the reply; null without it."""
        if self._score is None:
            return None
        return self._score("\n".join(message["content"] for message in messages), text)

    def _next(self, asked: Asked) -> Scripted:
        with self._lock:
            self.asked.append(asked)
            if self._play is None:
                if not self._items:
                    raise AssertionError(f"the script is over, and yet asked: {asked.said[:200]!r}")
                return self._items.pop(0)
        return self._play(asked)


@dataclass
class ScriptedStream:
    """A scripted reply on its way."""

    item: Scripted
    started: Event
    pause: Event | None
    at_piece: Callable[[], None]
    complete: bool = False
    closed: bool = False
    written: int = 0

    def __iter__(self) -> Iterator[str]:
        """The words, each with the blanks behind it."""
        if isinstance(self.item, ModelError):
            raise self.item
        text = self.item if isinstance(self.item, str) else json.dumps(dict(self.item))
        for piece in re.findall(r"\S+\s*|\s+", text):
            self._wait()
            if self.closed:
                return
            self.at_piece()
            self.written += 1
            yield piece
            self.started.set()
        self.complete = not self.closed

    @property
    def finish(self) -> Finish:
        """Stopped, where it was closed before its last word."""
        return "stop" if self.complete else "stopped"

    @property
    def usage(self) -> Usage:
        """A token a word, in no time."""
        return Usage(0.0, 0, self.written)

    def close(self) -> None:
        """End the reply, from any thread."""
        self.closed = True

    def _wait(self) -> None:
        while self.pause is not None and self.written and not self.closed:
            if self.pause.wait(0.01):
                return
