"""One conversation of LoCoMo: its shape, and the sessions and questions that it makes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from memory_banks.entries import TurnRole
from sandbox.episodes import EpisodeQuestion, EpisodeSession, EpisodeTurn
from sandbox.formats.places import Step
from sandbox.formats.reading import Unfit, invalid, listed, shown, wrong
from sandbox.formats.stratmem_item import time_of

CATEGORIES: Mapping[int, str] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
"""What the numbers mean: the release does not say it; its counts agree with these names only."""
ADVERSARIAL = 5
_SESSION = re.compile(r"session_([1-9]\d{0,3})")
_DATE = re.compile(r"session_([1-9]\d{0,3})_date_time")
_ID = re.compile(r"D(\d{1,4}):(\d{1,4})")

_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
_Text = Annotated[str, StringConstraints(min_length=1, max_length=20_000)]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class TurnForm(_Form):
    """An utterance; the addresses of its images and what they were found by are not read."""

    speaker: _Name
    dia_id: Annotated[str, StringConstraints(pattern=r"^[!-~]{1,100}$")]
    text: _Text
    blip_caption: _Text | None = None


class QuestionForm(_Form):
    """A question. `adversarial_answer`, what a misled model says, is not read."""

    question: _Text
    answer: str | int | float | None = None
    evidence: list[str] = []
    category: Annotated[int, Field(ge=0, le=99)]


@dataclass(slots=True)
class Odd:
    """What was odd in a conversation, by place."""

    where: str
    """How sentences call the conversation."""
    path: tuple[Step, ...] = ()
    """The steps from the file's value to the conversation."""
    talk: tuple[Step, ...] = ()
    """The steps from there to what holds the sessions."""
    met: list[tuple[str, str, tuple[Step, ...]]] = field(default_factory=list)
    """Place, sentence and path."""

    def tell(self, place: str, sentence: str, *inner: Step) -> None:
        """Remember something; `inner` leads to it from the conversation."""
        self.met.append((f"{self.where}, {place}", sentence, (*self.path, *inner)))

    def of_talk(self, place: str, sentence: str) -> None:
        """Remember something of a field beside the sessions, which is called as the place is."""
        self.tell(place, sentence, *self.talk, place)

    def of_question(self, number: int, sentence: str) -> None:
        """Remember something of a question by its number from 1."""
        self.tell(f"question {number}", sentence, "qa", number - 1)


def sessions_of(
    talk: Mapping[str, Any], roles: Mapping[str, TurnRole], odd: Odd, where: str
) -> tuple[EpisodeSession, ...]:
    """The sessions by their numbers, with ids such as `session_1`.

    Raises:
        FormatError: if a turn has not its shape.
        Unfit: if somebody else speaks, or a turn's id comes twice.
    """
    numbers = sorted(int(found[1]) for name in talk if (found := _SESSION.fullmatch(name)))
    dated = sorted(int(found[1]) for name in talk if (found := _DATE.fullmatch(name)))
    for number in dated:
        if number not in numbers:
            odd.of_talk(f"session_{number}_date_time", "is the date of a session that is not there")
    made = [_session(talk, number, roles, odd, where) for number in numbers]
    _check_turns(made, odd)
    return tuple(made)


def _check_turns(sessions: Sequence[EpisodeSession], odd: Odd) -> None:
    seen: set[str] = set()
    for turn in (turn for session in sessions for turn in session.turns):
        if turn.id in seen:
            raise Unfit(f"Two of its turns have the dia_id {turn.id!r}.")
        seen.add(turn.id)
    if not seen:
        raise Unfit("It has no turn.")
    times = [session.at for session in sessions if session.at is not None]
    for before, after in zip(times, times[1:], strict=False):
        if after < before:
            odd.tell("sessions", f"one of {after} comes after one of {before}")


def _session(
    talk: Mapping[str, Any], number: int, roles: Mapping[str, TurnRole], odd: Odd, where: str
) -> EpisodeSession:
    name = f"session_{number}"
    told = talk.get(f"{name}_date_time")
    at = time_of(told) if isinstance(told, str) else None
    if at is None:
        must = "must be such as '1:56 pm on 8 May, 2023'"
        odd.of_talk(f"{name}_date_time", f"{must}, got {shown(told)}: the session has no time")
    if not isinstance(talk[name], list):
        path = (*odd.path, *odd.talk, name)
        raise wrong(where, name, "must be a list", talk[name], path)
    if not talk[name]:
        odd.of_talk(name, "has no turn")
    above = (*odd.path, *odd.talk, name)
    turns = tuple(_turn(found, roles, f"{where}, {name}", above) for found in enumerate(talk[name]))
    return EpisodeSession(name, at, turns)


def _turn(
    found: tuple[int, Any], roles: Mapping[str, TurnRole], where: str, above: tuple[Step, ...]
) -> EpisodeTurn:
    index, value = found
    try:
        turn = TurnForm.model_validate(value)
    except ValidationError as error:
        raise invalid(error, f"{where}, turn {index + 1}", above=(*above, index)) from error
    if turn.speaker not in roles:
        raise Unfit(f"{shown(turn.speaker)} speaks in {turn.dia_id}, who is neither of the two.")
    return EpisodeTurn(turn.dia_id, roles[turn.speaker], turn.speaker, with_image(turn))


def with_image(turn: TurnForm) -> str:
    """The words, and in brackets what its image shows, as a model described it."""
    if turn.blip_caption is None:
        return turn.text
    return f"{turn.text} [shares an image: {turn.blip_caption}]"


def questions_of(
    found: Sequence[Any], turns: Sequence[EpisodeTurn], odd: Odd, where: str
) -> tuple[EpisodeQuestion, ...]:
    """The questions with ids by their places, `q1` first.

    Raises:
        FormatError: if one has not its shape.
    """
    ids = {turn.id for turn in turns}
    return tuple(_question(one, ids, odd, where) for one in enumerate(found, 1))


def _question(found: tuple[int, Any], ids: set[str], odd: Odd, where: str) -> EpisodeQuestion:
    number, value = found
    try:
        form = QuestionForm.model_validate(value)
    except ValidationError as error:
        above = (*odd.path, "qa", number - 1)
        raise invalid(error, f"{where}, question {number}", above=above) from error
    if form.category not in CATEGORIES:
        odd.of_question(number, f"has the category {form.category}, which nobody explains")
    return EpisodeQuestion(
        id=f"q{number}",
        text=form.question,
        answer=_answer(form, odd, number),
        unit="turn",
        supports=tuple(dict.fromkeys(_supports(form, ids, odd, number))),
        kind=CATEGORIES.get(form.category, str(form.category)),
    )


def _answer(form: QuestionForm, odd: Odd, number: int) -> str | None:
    if isinstance(form.answer, int | float):
        odd.of_question(
            number, f"has a number for an answer, kept as the text {shown(str(form.answer))}"
        )
        return str(form.answer)
    if form.answer is None and form.category != ADVERSARIAL:
        odd.of_question(number, "has no answer: taken as one to which none is known")
    return form.answer or None


def _supports(form: QuestionForm, ids: set[str], odd: Odd, number: int) -> Iterator[str]:
    if not form.evidence:
        odd.of_question(number, "has no evidence")
    if len(set(form.evidence)) < len(form.evidence):
        odd.of_question(number, "names a turn twice as evidence, kept once")
    for told in form.evidence:
        if told in ids:
            yield told
            continue
        parts = [part for part in re.split(r"[;,\s]+", told) if part]
        meant = [_plain(part) for part in parts]
        known = [one for one in meant if one in ids]
        if known and len(known) == len(parts):
            odd.of_question(number, f"has the evidence {shown(told)}, taken as {listed(known)}")
            yield from known
        else:
            odd.of_question(
                number, f"has the evidence {shown(told)}, which names no turn: left out"
            )


def _plain(part: str) -> str:
    """A turn's id without zeros before its numbers."""
    found = _ID.fullmatch(part)
    return f"D{int(found[1])}:{int(found[2])}" if found else part
