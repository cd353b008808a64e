"""What of an episode's typed gold cannot be: one clear sentence each, in the words of the page."""

from collections.abc import Iterator, Sequence
from typing import get_args

from memory_banks.entries import SCENES, valid_text
from sandbox.authoring.authored import PHRASINGS
from sandbox.authoring.episode_building import built, live_before
from sandbox.authoring.episode_typed import (
    JOINS,
    Typed,
    TypedChange,
    TypedEntry,
    TypedQuestion,
    numbers_of,
    turns_named,
)
from sandbox.authoring.session_filling import ALLOWED
from sandbox.episodes import Episode, Unit, gold_bank, told_entries
from sandbox.formats.episode_checks import check_episode
from sandbox.formats.episode_form import TECHNIQUES
from sandbox.formats.reading import Unfit
from sandbox.inputs import LONGEST_ENTRY, BadInput, checked_anchor, checked_line
from sandbox.sentences import sentence

UNITS = frozenset(get_args(Unit))
CENTRES = ("", "user", "agent")
_LONGEST_TALK = 20_000


def faults_of(talk: Episode, typed: Typed) -> Iterator[str]:
    """What is wrong, in the order of the page; nothing where it fits."""
    rules = _Rules(talk, typed)
    if rules.strange():
        yield "The form is of another talk than this one: reload the page."
        return
    for one in typed.entries:
        yield from rules.entry(one)
    for change in typed.changes:
        yield from rules.change(change)
    for number, question in enumerate(typed.questions, start=1):
        yield from rules.question(question, f"Question {number}")
    try:
        check_episode(built(talk, typed))
    except Unfit as error:
        yield str(error)


class _Rules:
    """What the rows of a form are held against."""

    def __init__(self, talk: Episode, typed: Typed) -> None:
        self.talk = talk
        self.typed = typed
        self.numbers = numbers_of(talk)
        self.order = list(self.numbers)
        self.roles = {turn.id: turn.role for turn in talk.turns()}
        self.session = {turn.id: one.id for one in talk.sessions for turn in one.turns}
        self.ordinal = {one.id: n for n, one in enumerate(talk.sessions, start=1)}
        self.made = built(talk, typed)

    def strange(self) -> bool:
        """Whether a row is of a session that there is not, or asks for what cannot be asked."""
        sessions = {one.session for one in self.typed.entries}
        sessions |= {one.session for one in self.typed.changes}
        units = {one.unit for one in self.typed.questions}
        return not (sessions <= self.ordinal.keys() and units <= UNITS)

    def entry(self, one: TypedEntry) -> Iterator[str]:
        """What is wrong with a memory."""
        where = self._where(one)
        yield from _text_faults(one.text, where)
        name = f"The memory {_short(one.text)}"
        turns, unknown = turns_named(one.turns, self.numbers)
        if unknown:
            yield f"{name} names the turn {unknown[0][:20]!r}, which there is not: see the numbers."
        elif not turns:
            yield f"{name} rests on no turn: write the number of its own turn, such as 1.2."
        elif self.session[turns[0]] != one.session:
            yield (
                f"{name} is of session {self.ordinal[one.session]} and must begin with one of its "
                f"turns, got {self.numbers[turns[0]]}."
            )
        else:
            yield from self._type_faults(one, name, turns[0])
            yield from self._evidence_faults(name, turns)
        yield from _line_faults(one.emotion, "emotion")
        try:
            checked_anchor(one.anchor)
        except BadInput as error:
            yield f"{name}: {sentence(error)}"
        if one.scene and one.scene not in SCENES:
            yield f"scene must be one of {', '.join(SCENES)}, got {one.scene[:40]!r}."

    def _type_faults(self, one: TypedEntry, name: str, own: str) -> Iterator[str]:
        role = self.roles[own]
        if one.type not in ALLOWED[role]:
            got = f"is {one.type}" if one.type else "has no type"
            speaker = "user" if role == "user" else "character"
            yield (
                f"{name} {got}, and a turn of the {speaker} such as {self.numbers[own]} yields "
                f"{', '.join(ALLOWED[role])} only: choose one of them."
            )

    def _evidence_faults(self, name: str, turns: Sequence[str]) -> Iterator[str]:
        own = self.order.index(turns[0])
        for turn in turns[1:]:
            if self.order.index(turn) > own:
                yield (
                    f"{name} is told at {self.numbers[turns[0]]} and cannot rest on "
                    f"{self.numbers[turn]}, which comes later: name earlier turns only."
                )

    def change(self, one: TypedChange) -> Iterator[str]:
        """What is wrong with an operation."""
        place = self.ordinal[one.session]
        live = {held.key for held in live_before(self.made, self.typed, one)}
        if not one.old:
            yield f"An operation of session {place} names nothing that goes: choose it, or drop it."
        elif one.old not in live:
            yield (
                f"{self._named(one.old)} is not live at that point of session {place}: it has gone "
                "before, or is not there yet."
            )
        elif one.kind == "replace":
            yield from self._new_faults(one, place)
        else:
            yield from self._asked_faults(one, place)

    def _new_faults(self, one: TypedChange, place: int) -> Iterator[str]:
        fresh = {row.key for row in self.typed.of(one.session)}
        gone = {row.old for row in self.typed.changes if row.session == one.session}
        if one.new not in fresh:
            yield (
                f"What takes the place of {self._named(one.old)} must be a memory of session "
                f"{place}: choose it, or drop the operation."
            )
        elif one.new in gone:
            yield (
                f"{self._named(one.new)} comes and goes in session {place}: let what comes last "
                "take the place of what was there before."
            )

    def _asked_faults(self, one: TypedChange, place: int) -> Iterator[str]:
        turns, unknown = turns_named(one.turns, self.numbers)
        last = self.talk.sessions[place - 1].turns[-1:]
        if unknown or not turns:
            yield (
                f"Which turn asks to forget {self._named(one.old)}? Write its number, such as "
                f"{place}.1, got {one.turns[:40]!r}."
            )
        elif last and any(self.order.index(turn) > self.order.index(last[0].id) for turn in turns):
            yield f"{self._named(one.old)} is forgotten in session {place}, not for a later turn."

    def question(self, one: TypedQuestion, name: str) -> Iterator[str]:
        """What is wrong with a question."""
        if not one.text.strip():
            yield f"{name} has no text: write it, or drop it."
        if max(len(one.text), len(one.answer)) > _LONGEST_TALK:
            yield f"{name} or its answer is longer than {_LONGEST_TALK:,} characters: shorten it."
        yield from _unkept(one.text + one.answer, name)
        yield from _line_faults(one.kind, f"{name}: its kind")
        if one.phrasing not in PHRASINGS:
            yield f"phrasing must be one of {', '.join(PHRASINGS[1:])}, got {one.phrasing[:40]!r}."
        if unknown := [told for told in one.techniques if told not in TECHNIQUES]:
            yield f"{name}: there is no technique {unknown[0][:40]!r}."
        if one.centre not in CENTRES:
            yield f"{name}: it can be about the user or the agent, got {one.centre[:40]!r}."
        live = {entry.key for entry in gold_bank(self.made)}
        if one.unit == "entry" and (gone := [key for key in one.supports if key not in live]):
            yield f"{name} needs {self._named(gone[0])}, which is not live at the end."

    def _where(self, one: TypedEntry) -> str:
        if one.place == JOINS or one.place not in self.numbers:
            return f"joining others in session {self.ordinal[one.session]}"
        return f"at {self.numbers[one.place]}"

    def _named(self, key: str) -> str:
        for session in self.made.sessions:
            for entry in told_entries(session):
                if entry.key == key:
                    return _short(entry.text)
        return "a memory that is not there any more"


def _text_faults(text: str, where: str) -> Iterator[str]:
    if not text.strip():
        yield f"A memory {where} has no text: write it, or drop it."
    if len(text) > LONGEST_ENTRY:
        yield (
            f"A memory {where} has {len(text):,} characters and {LONGEST_ENTRY:,} are the most: "
            "shorten it."
        )
    yield from _unkept(text, f"A memory {where}")


def _unkept(text: str, what: str) -> Iterator[str]:
    try:
        valid_text(text, what)
    except ValueError as error:
        yield f"{error}."


def _line_faults(text: str, what: str) -> Iterator[str]:
    try:
        checked_line(text, what)
    except BadInput as error:
        yield sentence(error)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else f"{line[:59]}…")
