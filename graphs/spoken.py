"""A session as the capture reads it: numbered utterances, split where the window is too small."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memory_banks.entries import TurnRole

OVERLAP = 2
"""Utterances that a later part shows again, for reference only."""
_REFERENCE = 400
"""Characters of each of these that are shown at most."""
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
"""As the prompts say them, wherever this runs."""


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
    piece: tuple[int, int | None] = (0, None)
    """Which characters of its one utterance, where that is too large for one part."""


def parts(spoken: Spoken, room: int) -> list[Part]:
    """The session cut into parts of at most `room` tokens each, by utterances, with an overlap.

    One part where everything fits; none for a session in which nothing was said. An utterance
    that is larger than `room` has parts of its own, a piece of it each.
    """
    cut: list[Part] = []
    start = 0
    while start < len(spoken.utterances):
        shown = max(0, start - OVERLAP) if cut else 0
        end = _end(spoken.utterances, shown, start, room)
        cut += [Part(shown, start, end, piece) for piece in _pieces(spoken, start, end, room)]
        start = end
    return cut


def lines(spoken: Spoken, part: Part) -> str:
    """The part as text: `[number] day time speaker: words`, numbered from 1 in the session."""
    said = []
    for number, one in list(enumerate(spoken.utterances, start=1))[part.shown : part.end]:
        if number <= part.start:
            said.append(_line(number, _brief(one)))
        else:
            said.append(_line(number, replace(one, text=one.text[slice(*part.piece)])))
    return "\n".join(said)


def days(spoken: Spoken) -> str:
    """The day on which the session begins and its neighbours, to count relative dates from."""
    if not spoken.utterances:
        return ""
    begin = datetime.fromisoformat(spoken.utterances[0].at)
    yesterday, tomorrow = begin - timedelta(days=1), begin + timedelta(days=1)
    return (
        f"It begins on {_day(begin)}; the day before was {_day(yesterday)}, the day after is "
        f"{_day(tomorrow)}."
    )


def tokens(text: str) -> int:
    """Tokens of `text`, estimated high: about three bytes a token."""
    return len(text.encode("utf-8")) // 3 + 1


def _end(utterances: tuple[Utterance, ...], shown: int, start: int, room: int) -> int:
    """The end of the part that begins at `start`: at least one utterance, then all that fit."""
    used = sum(_size(_brief(utterance)) for utterance in utterances[shown:start])
    end = start
    while end < len(utterances):
        used += _size(utterances[end])
        if used > room and end > start:
            break
        end += 1
    return end


def _pieces(spoken: Spoken, start: int, end: int, room: int) -> list[tuple[int, int | None]]:
    """The pieces of the one utterance of a part, so that each has room; else all of it."""
    text = spoken.utterances[start].text
    if end - start > 1 or _size(spoken.utterances[start]) <= room:
        return [(0, None)]
    widest = max(len(character.encode("utf-8", "replace")) for character in text or " ")
    length = max(200, room * 3 // widest - _REFERENCE * OVERLAP)
    return [(at, at + length) for at in range(0, len(text), length)] or [(0, None)]


def _brief(utterance: Utterance) -> Utterance:
    """An utterance that is shown for reference only, as its end where it is long."""
    if len(utterance.text) <= _REFERENCE:
        return utterance
    return replace(utterance, text="…" + utterance.text[-_REFERENCE:])


def _size(utterance: Utterance) -> int:
    return tokens(_line(99, utterance) + "\n")


def _line(number: int, utterance: Utterance) -> str:
    at = datetime.fromisoformat(utterance.at)
    time = utterance.at.partition("T")[2] or "00:00"
    return f"[{number}] {_day(at)} {time} {utterance.speaker}: {utterance.text}"


def _day(at: datetime) -> str:
    return f"{_WEEKDAYS[at.weekday()]} {at.date().isoformat()}"
