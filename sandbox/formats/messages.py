r"""OpenAI's chat messages, one talk a line (JSON Lines), read and written.

    {"messages": [{"role": "system", "content": "You are Bo."},
                  {"role": "user", "name": "Ann", "content": "Hi!"},
                  {"role": "assistant", "content": "Hello."}]}

A line is one instance: the system message is the character's summary, the last user message the
query, the assistant's last words behind it the reply, what was said before it the history. Calls of
tools, their results, pictures and refusals are left out, and noted; so is space at the ends of a
system message, without a note. There is no pool and no role.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from sandbox.collected import Collection, Quirk, Refused
from sandbox.formats.losses import losses
from sandbox.formats.reading import FormatError, Unfit, invalid, shown, unfit_field
from sandbox.formats.sources import SourceFile, Sources, json_lines
from sandbox.instances import Human, Instance, Said, made_persona

SOURCE = "OpenAI messages"
DESCRIBED = "JSON Lines of OpenAI chat messages"
ASSISTANT, USER = "Assistant", "User"
"""Who talks where no message has a name."""
NO_SYSTEM = "An assistant."
"""The summary of a character without a system message."""
_FACTS = ("traits", "style", "domains", "values", "rules", "examples")
_UNKEPT = ("tool_calls", "function_call", "refusal", "audio", "weight")

_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow", frozen=True)


class _Part(_Form):
    type: str
    text: str | None = None


class _Message(_Form):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[_Part] | None = None
    name: _Name | None = None


class _Line(_Form):
    messages: list[_Message]


def recognises(given: Sources) -> bool:
    """Whether it is one file of JSON Lines whose first holds messages, sound or not."""
    if len(given.files) != 1 or not given.files[0].is_lines:
        return False
    first = given.files[0].data.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    return re.search(rb'"messages"\s*:\s*\[', first) is not None


def read(given: Sources) -> Collection:
    """The lines as instances called `line-` and their number, in the file's order.

    Raises:
        FormatError: if a line has not the shape shown above.
    """
    file: SourceFile = given.files[0]
    instances: list[Instance] = []
    refused: list[Refused] = []
    quirks: list[Quirk] = []
    for number, value in file.lines:
        where = f"{file.name}, line {number}"
        try:
            line = _Line.model_validate(value)
        except ValidationError as error:
            raise invalid(error, where) from error
        odd = [*_extra(value), *_left_out(line.messages)]
        try:
            instances.append(_instance(f"line-{number}", line.messages, tuple(odd)))
        except Unfit as error:
            refused.append(Refused(f"line {number}", str(error)))
            continue
        quirks += [Quirk(file.name, f"line {number}", sentence) for sentence in odd]
    return Collection(given.name, given.sha256, tuple(instances), tuple(quirks), tuple(refused))


def _extra(value: dict[str, Any]) -> Iterator[str]:
    names = sorted(value.keys() - {"messages"})
    if names:
        yield f"has fields beside messages that are not read, such as {shown(names[0])}"


def _left_out(messages: Sequence[_Message]) -> Iterator[str]:
    for number, message in enumerate(messages, 1):
        if message.role in ("tool", "function"):
            yield f"Message {number}, of a {message.role}, is left out."
            continue
        if not _text(message).strip():
            yield f"Message {number} has no words: left out."
        for name in _UNKEPT:
            if (message.model_extra or {}).get(name) is not None:
                yield f"Message {number} has {name}: left out."
        if isinstance(message.content, list):
            for kind in sorted({part.type for part in message.content if part.text is None}):
                yield f"Message {number} has a part of the type {kind[:40]!r}, left out."


@dataclass(frozen=True, slots=True)
class _Words:
    """A message with words in it."""

    role: Literal["user", "assistant"]
    name: str | None
    text: str


def _text(message: _Message) -> str:
    if isinstance(message.content, list):
        return "\n".join(part.text for part in message.content if part.text is not None)
    return message.content or ""


def _instance(name: str, messages: Sequence[_Message], odd: tuple[str, ...]) -> Instance:
    system = [_text(one) for one in messages if one.role in ("system", "developer")]
    words = [
        _Words(one.role, one.name, _text(one))
        for one in messages
        if (one.role == "user" or one.role == "assistant") and _text(one).strip()
    ]
    asked = max((place for place, one in enumerate(words) if one.role == "user"), default=None)
    if asked is None:
        raise Unfit("It has no user message with words in it.")
    people = {role: _called(role, words) for role in ("user", "assistant")}
    try:
        summary = [text.strip() for text in system if text.strip()] or [NO_SYSTEM]
        persona = made_persona(people["assistant"], summary=summary)
    except ValidationError as error:
        raise unfit_field(error, "system message") from error
    after = [one.text for one in words[asked + 1 :]]
    return Instance(
        id=name,
        source=SOURCE,
        title=f"{people['assistant']} answers {people['user']}",
        language="en",
        persona=persona,
        human=Human(people["user"]),
        history=tuple(
            Said(one.role, one.name or people[one.role], one.text) for one in words[:asked]
        ),
        query=words[asked].text,
        time=None,
        emotion=None,
        scene=None,
        pool=(),
        notes=(*odd, *(("Its reply is several messages, put together.",) if after[1:] else ())),
        reply="\n\n".join(after) or None,
    )


def _called(role: str, words: Sequence[_Words]) -> str:
    """The last name of who speaks so; a plain word where no message has one."""
    named = [one.name for one in words if one.role == role and one.name]
    return named[-1] if named else USER if role == "user" else ASSISTANT


def write(collection: Collection) -> dict[str, bytes]:
    """A line an instance, as one file by its name.

    What the format has no place for is dropped: `lost` tells it.

    Raises:
        FormatError: if there is no instance.
    """
    if not collection.instances:
        raise FormatError(f"{collection.name}: has no instance that could be written")
    stem = collection.name.removesuffix(".jsonl").removesuffix(".json")
    rows = ({"messages": _messages(one)} for one in collection.instances)
    return {f"{stem}.jsonl": json_lines(rows)}


def lost(collection: Collection) -> tuple[str, ...]:
    """What of the collection the file does not say, a line each; empty where it says all.

    Raises:
        FormatError: as `write`.
    """
    ((name, data),) = write(collection).items()
    found = read(Sources(name, (SourceFile(name, data),)))
    if found.refused:
        raise FormatError(f"{collection.name}, {found.refused[0].where}: cannot be read back")
    dropped = losses(collection.instances, found.instances)
    episodes = len(collection.episodes)
    return dropped + ((f"{episodes} episodes",) if episodes else ())


def _messages(one: Instance) -> list[dict[str, Any]]:
    said = [*one.history, Said("user", one.human.name, one.query)]
    if one.reply:
        said.append(Said("assistant", one.persona.name, one.reply))
    system = _system(one)
    return [*system, *(_message(line) for line in said)]


def _message(said: Said) -> dict[str, Any]:
    plain = USER if said.role == "user" else ASSISTANT
    named = {} if said.speaker == plain else {"name": said.speaker}
    return {"role": said.role, **named, "content": said.text}


def _system(one: Instance) -> list[dict[str, Any]]:
    """A message for each line of the summary, and one with whatever else the character is."""
    told = [] if one.persona.summary == (NO_SYSTEM,) else list(one.persona.summary)
    more = [f"{name}: {'; '.join(found)}" for name in _FACTS if (found := _fact(one, name))]
    more += [f"scenario: {one.persona.scenario}"] if one.persona.scenario else []
    if more:
        told.append("\n".join(more))
    return [{"role": "system", "content": text} for text in told]


def _fact(one: Instance, name: str) -> tuple[str, ...]:
    found: tuple[str, ...] = getattr(one.persona, name)
    return found
