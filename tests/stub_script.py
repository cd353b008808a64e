"""What a scripted model server can be told to do."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Literal

Kind = Literal[
    "401",  # repeats the key in its body
    "404",
    "429",
    "500",  # a web page
    "503",
    "echo",  # 400, repeats the key too
    "context",  # 400, the prompt is too long
    "unsupported",  # 400, naming `field` of the request
    "redirect",
    "hang",  # takes the request and says nothing
    "drip",  # a byte of the header every tenth of a second
    "drip-body",  # a byte of the stream every tenth of a second
    "reset",
    "close",  # closes the connection without a word
    "html",  # 200 with a web page
    "json",  # 200 with a JSON document instead of a stream
    "null-choices",
    "empty-choices",
    "not-json",  # an event that is no JSON
    "not-text",  # events that are no UTF-8
    "cut",  # ends after the first words, without a finish
    "reset-midway",
    "error-event",  # reports an error after the first words
]

MESSAGES: dict[str, tuple[int, dict[str, Any]]] = {
    "401": (401, {"message": "", "code": "invalid_api_key"}),
    "echo": (400, {"message": "", "code": "bad"}),
    "404": (404, {"message": "The model 'stub' does not exist.", "code": "model_not_found"}),
    "429": (429, {"message": "Slow down.", "code": "rate_limit_exceeded"}),
    "503": (503, {"message": "Loading model.", "code": 503}),
    "context": (400, {"message": "too many tokens", "code": "context_length_exceeded"}),
    "unsupported": (400, {"message": "Unsupported.", "code": "unsupported_parameter"}),
}
"""Status and error of the faults that are told in JSON."""


@dataclass(frozen=True)
class Fault:
    """What goes wrong instead of a reply."""

    kind: Kind
    retry_after: str | None = None
    location: str = ""
    """Where a redirect points."""
    field: str = ""
    """The field that an `unsupported` fault refuses."""


@dataclass(frozen=True)
class Reply:
    """A reply as it is streamed."""

    text: str = ""
    delay: float = 0.0
    """Seconds before each piece."""
    finish: str | None = "stop"
    reasoning: str = ""
    """Sent first, as `reasoning_content`."""
    pieces: Sequence[str] | None = None
    """The text cut as it is to be sent; null cuts it behind each blank."""
    usage: bool = True
    wait: Event | None = None
    """Set by the test to let the reply go on behind its first piece."""

    def cut(self) -> Sequence[str]:
        """The pieces."""
        return self.pieces if self.pieces is not None else re.findall(r"\S+\s*|\s+", self.text)


Played = str | Mapping[str, Any] | Reply | Fault
Script = Callable[[dict[str, Any]], Played] | Sequence[Played] | Played


@dataclass(frozen=True)
class Recorded:
    """A request as it came in, without the key."""

    path: str
    body: dict[str, Any]
    has_key: bool
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def said(self) -> str:
        """The last message's text."""
        messages = self.body.get("messages") or [{"content": ""}]
        return str(messages[-1]["content"])

    @property
    def form(self) -> str | None:
        """The name of the JSON schema asked for."""
        asked = self.body.get("response_format") or {}
        name = asked.get("json_schema", {}).get("name")
        return None if name is None else str(name)


def rules_script(rules: Sequence[Mapping[str, Any]]) -> Callable[[dict[str, Any]], Played]:
    """The script that a file of rules describes."""

    def script(body: dict[str, Any]) -> Played:
        request = Recorded("", body, has_key=False)
        for rule in rules:
            asked, form = rule.get("asked", ""), rule.get("form")
            if asked.casefold() in request.said.casefold() and form in (None, request.form):
                return _played(rule)
        return "I have no rule for that."

    return script


def _played(rule: Mapping[str, Any]) -> Played:
    if "fault" in rule:
        return Fault(rule["fault"], retry_after=rule.get("retry_after"))
    if "json" in rule:
        return dict(rule["json"])
    return Reply(rule["text"], delay=rule.get("delay", 0.0), finish=rule.get("finish", "stop"))


def as_reply(played: Played) -> Reply | Fault:
    """What is played, as a reply: a text as it is, an object as its JSON."""
    if isinstance(played, Reply | Fault):
        return played
    return Reply(played if isinstance(played, str) else json.dumps(played, ensure_ascii=False))
