"""What is said in a dialogue of MADial-Bench: utterances as strings with a tag and quotes.

`<Bart>: "text"` is the rule. Tags are missing, stand behind a space or before `::`; some utterances
are `<the whole text>`, some have a quote at one end only. Nobody is found by counting turns: an
utterance without a tag is taken as the other one's, seen from whoever spoke before.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_banks.entries import TurnRole
from sandbox.formats.madial_people import ASSISTANT
from sandbox.formats.reading import shown
from sandbox.instances import Said

_TAG = re.compile(r"(?P<space>\s*)<(?P<name>[^<>\n]{1,100})>\s*(?P<colon>[:：]+)\s*")
_STRAY = re.compile(r"<eod>?\s*$", re.IGNORECASE)
_MARKS = {"<BOD>": "begin", "<EOD>": "end"}


class UnknownSpeaker(ValueError):
    """A tag names somebody else; the message says whom."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """One utterance: its place in the file's list, and what is odd about it."""

    place: int
    said: Said
    odd: tuple[str, ...] = ()


def utterances(lines: Sequence[str], user: str) -> list[Utterance]:
    """What is said between `<BOD>` and `<EOD>`, in order; `user` is the child's name.

    Raises:
        UnknownSpeaker: if a tag names somebody else.
    """
    found: list[Utterance] = []
    for place, line in enumerate(lines):
        if line.strip() not in _MARKS:
            found.append(_utterance(place, line, user, found[-1].said.role if found else None))
    return found


def missing_marks(lines: Sequence[str]) -> Iterator[str]:
    """Which of the two marks a dialogue does not have in its place."""
    if not lines or lines[0].strip() != "<BOD>":
        yield "does not begin with <BOD>"
    if not lines or lines[-1].strip() != "<EOD>":
        yield "does not end with <EOD>"


def written(said: Said) -> str:
    """An utterance as a file has it."""
    return f'<{said.speaker}>: "{said.text}"\n'


def _utterance(place: int, line: str, user: str, before: TurnRole | None) -> Utterance:
    tag = _TAG.match(line)
    if tag is None:
        role: TurnRole = "assistant" if before == "user" else "user"
        text, odd = _untagged(line)
        name = ASSISTANT if role == "assistant" else user
        told = f"has no speaker's tag; taken as {name}'s, who had not spoken just before"
        return Utterance(place, Said(role, name, text), (told, *odd))
    if tag["name"] not in (user, ASSISTANT):
        raise UnknownSpeaker(f"must be tagged <{user}> or <{ASSISTANT}>, got {shown(tag['name'])}")
    role = "assistant" if tag["name"] == ASSISTANT else "user"
    text, odd = _unquoted(line[tag.end() :])
    said = Said(role, tag["name"], text)
    before_tag = ("begins with a space",) if tag["space"] else ()
    twice = ("has two colons behind its tag",) if len(tag["colon"]) > 1 else ()
    again = (f"is by {tag['name']} like the one before",) if role == before else ()
    return Utterance(place, said, (*before_tag, *twice, *odd, *again))


def _untagged(line: str) -> tuple[str, tuple[str, ...]]:
    told = line.strip()
    if told.startswith("<") and told.endswith(">"):
        return told[1:-1], ("stands in <> as a whole",)
    return _unquoted(line)


def _unquoted(told: str) -> tuple[str, tuple[str, ...]]:
    """The text without its quotes and what follows it by mistake."""
    told = told.strip()
    if len(told) >= 2 and told[0] == told[-1] == '"':
        return told[1:-1], ()
    cut = _STRAY.sub("", told).strip()
    stray = ("ends with a stray <eod",) if cut != told else ()
    if len(cut) >= 2 and cut[0] == cut[-1] == '"':
        return cut[1:-1], stray
    if cut.count('"') % 2:
        return _one_quote(cut), (*stray, "has a quote at one end only")
    return cut, (*stray, "has no quotes around it")


def _one_quote(told: str) -> str:
    if told.startswith('"'):
        return told[1:]
    return told[:-1] if told.endswith('"') else told
