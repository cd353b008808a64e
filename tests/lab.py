"""A model in a lab that is a stub, and what to ask it."""

import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, SecretStr

from graphs.chat_model import Message, ModelError, OpenAIChat, Sampling
from tests.stub_server import Kind, Script, StubServer

ASK: list[Message] = [{"role": "user", "content": "Good morning."}]
CANARY = "sk-CANARY-5f1c9b"
SAMPLING = Sampling()


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid")

    mood: str
    points: int


def chat(
    server: StubServer, deadline: float = 20.0, key: str | None = CANARY, *, scores: bool = False
) -> OpenAIChat:
    secret = SecretStr(key) if key is not None else None
    return OpenAIChat("lab", "stub", server.base_url, secret, deadline=deadline, scores=scores)


def reply(model: OpenAIChat, sampling: Sampling = SAMPLING) -> str:
    return "".join(model.stream(ASK, sampling))


def played(script: Script, call: Callable[[OpenAIChat], Any]) -> Any:
    with StubServer(script) as server:
        return call(chat(server))


def failure(script: Script, call: Callable[[OpenAIChat], Any] = reply) -> ModelError:
    with pytest.raises(ModelError) as caught:
        played(script, call)
    return caught.value


def answer(model: OpenAIChat) -> Form:
    return model.answer(ASK, Form, SAMPLING).value


SENTENCES: list[tuple[Kind, str]] = [
    ("401", "refused the key"),
    ("404", "refused the request (404), saying: The model 'stub' does not exist"),
    ("echo", "refused the request (400), saying: I do not like [key]"),
    ("context", "no room for this prompt"),
    ("redirect", "redirect (307), which is never followed"),
    ("500", "failed on its own side (500)"),
    ("503", "failed on its own side (503)"),
    ("429", "no capacity for now (429)"),
    ("reset", "closed the connection before it answered"),
    ("close", "closed the connection before it answered"),
    ("html", "answered with a web page"),
    ("json", "answered with something else"),
    ("null-choices", "answered with no choices"),
    ("empty-choices", "answered with no choices"),
    ("not-json", "answered with something unreadable"),
    ("not-text", "answered with something unreadable"),
    ("cut", "broke off in the middle"),
    ("reset-midway", "broke off in the middle"),
    ("error-event", "reported an error while it was writing, saying: the graphics card fell out"),
]
"""What each fault's sentence says."""


def told(error: BaseException) -> str:
    """Everything that a traceback or a log could show of an error."""
    return "".join(traceback.format_exception(error)) + "".join(
        repr((link, link.args, vars(link))) for link in chain(error)
    )


def chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
