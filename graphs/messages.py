"""What is sent to a chat model."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

OPTIONAL = {
    "max_tokens": "max_completion_tokens",
    "stream_options": None,
    "temperature": None,
    "top_p": None,
    "seed": None,
}
"""Fields that some models refuse, and what takes their place."""


class Message(TypedDict):
    """One chat message as it is sent."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to draw a reply."""

    temperature: float = 0.7
    top_p: float = 1.0
    max_tokens: int = 512
    seed: int | None = None


def request(messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
    """The fields of a streamed chat completion, without the model's name.

    A field at its default value is left out where servers are known to refuse it.
    """
    fields: dict[str, Any] = {
        "messages": list(messages),
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if sampling.top_p != 1.0:
        fields["top_p"] = sampling.top_p
    if sampling.seed is not None:
        fields["seed"] = sampling.seed
    return fields


def accepted(fields: Mapping[str, Any], refused: Collection[str]) -> dict[str, Any]:
    """The fields with the refused ones of `OPTIONAL` left out or renamed."""
    names = {name: OPTIONAL[name] if name in refused else name for name in fields}
    return {new: fields[name] for name, new in names.items() if new}


def with_words(messages: Sequence[Message], words: str) -> list[Message]:
    """The messages with `words` at the end of the last one; as they are where there are none."""
    *earlier, last = messages
    return [*earlier, {"role": last["role"], "content": last["content"] + words}]


def with_answer(messages: Sequence[Message], answer: str, words: str) -> list[Message]:
    """The messages, an answer to them, and a user's message that comments on it.

    An empty answer is not sent; the comment then stands at the end of the last message.
    """
    if not answer:
        return with_words(messages, f"\n\n{words}")
    return [
        *messages,
        {"role": "assistant", "content": answer},
        {"role": "user", "content": words},
    ]
