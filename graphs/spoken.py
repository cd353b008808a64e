"""A session as the capture reads it: numbered utterances, split where the window is too small."""

from dataclasses import dataclass

from memory_banks.entries import TurnRole

OVERLAP = 2
"""Utterances that a later part shows again, for reference only."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """One thing that was said."""

    id: str
    """The turn's id for the user's words, the reply's id for the agent's."""
    role: TurnRole
    speaker: str
    text: str
    at: str
    """ISO date and time with offset, by the session's clock."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A whole session: what was said, in order, and by whom."""

    user: str
    agent: str
    persona: str
    """The character's description, so that nobody takes it for news."""
    utterances: tuple[Utterance, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a session: utterances `start` to `end` (exclusive), from `shown` on visible."""

    shown: int
    start: int
    end: int


def parts(spoken: Spoken, room: int) -> list[Part]:
    """The session cut into parts of at most `room` tokens each, by utterances, with an overlap.

    One part where everything fits; none for a session in which nothing was said. An utterance
    that is larger than `room` has a part of its own.
    """
    cut: list[Part] = []
    start = 0
    while start < len(spoken.utterances):
        shown = max(0, start - OVERLAP) if cut else 0
        end = _end(spoken.utterances, shown, start, room)
        cut.append(Part(shown, start, end))
        start = end
    return cut


def lines(spoken: Spoken, part: Part) -> str:
    """The part as text: `[number] time speaker: words`, numbers counting from 1 in the session."""
    return "\n".join(
        f"[{index + 1}] {utterance.at} {utterance.speaker}: {utterance.text}"
        for index, utterance in list(enumerate(spoken.utterances))[part.shown : part.end]
    )


def tokens(text: str) -> int:
    """Tokens of `text`, estimated high: about three bytes a token."""
    return len(text.encode("utf-8")) // 3 + 1


def _end(utterances: tuple[Utterance, ...], shown: int, start: int, room: int) -> int:
    """The end of the part that begins at `start`: at least one utterance, then all that fit."""
    used = sum(_size(utterance) for utterance in utterances[shown:start])
    end = start
    while end < len(utterances):
        used += _size(utterances[end])
        if used > room and end > start:
            break
        end += 1
    return end


def _size(utterance: Utterance) -> int:
    return tokens(f"[00] {utterance.at} {utterance.speaker}: {utterance.text}\n")
