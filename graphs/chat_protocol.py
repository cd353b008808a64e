"""What the graphs ask of a chat model, whoever serves it."""

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

from pydantic import BaseModel

from graphs.asking import Answer
from graphs.messages import Message, Sampling
from graphs.replying import Finish, Usage

T = TypeVar("T", bound=BaseModel)


class ReplyStream(Protocol):
    """A reply as it is written. Iterate for the pieces; `close` ends the upstream call."""

    def __iter__(self) -> Iterator[str]:
        """The pieces of text, in order.

        Raises:
            ModelError: on any failure, a stream that was cut, or the deadline.
        """

    def close(self) -> None:
        """Close the upstream stream; safe to call twice."""

    @property
    def finish(self) -> Finish:
        """How it ended; valid once iteration is over."""

    @property
    def usage(self) -> Usage:
        """What it took; valid once iteration is over or closed."""


class ChatModel(Protocol):
    """A chat model: messages to streamed text, or to a validated object."""

    @property
    def name(self) -> str:
        """The name people choose it by."""

    @property
    def context_tokens(self) -> int:
        """How many tokens prompt and reply may have together."""

    def stream(self, messages: Sequence[Message], sampling: Sampling) -> ReplyStream:
        """Start a reply."""

    def answer(self, messages: Sequence[Message], form: type[T], sampling: Sampling) -> Answer[T]:
        """An object of `form`: asked for by JSON schema, else as a JSON object, else in words.

        Raises:
            UnreadableAnswer: if the answer does not validate, also after one repair.
            ModelError: on any other failure.
        """

    def count_tokens(self, text: str) -> int:
        """Tokens of `text`: exact where the server can say, else estimated from its length."""

    def log_probabilities(self, messages: Sequence[Message], text: str) -> tuple[float, ...] | None:
        """Natural logarithm of the probability of each token of `text` as the reply.

        Null where the model cannot tell.

        Raises:
            ModelError: if it should and does not.
        """
