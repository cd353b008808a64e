"""An episode's gold as people type it: rows of a form, of which nothing need fit yet."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from sandbox.authoring.authored import Authored
from sandbox.episodes import Episode, EpisodeQuestion, EpisodeSession, GoldEntry, told_entries

ChangeKind = Literal["replace", "forget"]
JOINS = "joins"
"""Where an entry is listed that joins others: at no turn, among the session's operations."""


@dataclass(frozen=True, slots=True)
class TypedEntry:
    """A memory: one that a turn gives, or one that joins several."""

    key: str
    session: str
    """Id of the session that it is listed in."""
    place: str
    """Id of the turn that it is listed at, or JOINS."""
    type: str = ""
    text: str = ""
    turns: str = ""
    """Numbers of the turns that it rests on, its own first, such as `2.3, 1.1`."""
    emotion: str = ""
    scene: str = ""
    anchor: str = ""
    """The day that it is about or was told, as an ISO date."""
    seen: bool = True
    """Whether a person stands behind it; what is only proposed is not."""


@dataclass(frozen=True, slots=True)
class TypedChange:
    """An operation: one memory takes another's place, or is to be forgotten."""

    id: str
    session: str
    kind: ChangeKind
    old: str = ""
    new: str = ""
    turns: str = ""
    """Of what is to be forgotten: the turns that ask for it."""


@dataclass(frozen=True, slots=True)
class TypedQuestion:
    """A question."""

    id: str
    unit: str
    text: str = ""
    answer: str = ""
    kind: str = ""
    centre: str = ""
    phrasing: str = ""
    techniques: tuple[str, ...] = ()
    supports: tuple[str, ...] = ()
    decoys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Typed:
    """Everything that an annotator types of an episode."""

    entries: tuple[TypedEntry, ...] = ()
    changes: tuple[TypedChange, ...] = ()
    questions: tuple[TypedQuestion, ...] = ()

    def at(self, place: str) -> tuple[TypedEntry, ...]:
        """What is listed at a turn."""
        return tuple(one for one in self.entries if one.place == place)

    def of(self, session: str) -> tuple[TypedEntry, ...]:
        """All that is listed in a session."""
        return tuple(one for one in self.entries if one.session == session)


def numbers_of(talk: Episode) -> dict[str, str]:
    """What each turn is called on the page, by its id: the session's number and its own, `2.3`."""
    return {
        turn.id: f"{place}.{number}"
        for place, session in enumerate(talk.sessions, start=1)
        for number, turn in enumerate(session.turns, start=1)
    }


def turns_named(text: str, numbers: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of the turns that `text` names by their numbers, in its order, and what names none."""
    ids = {number: turn for turn, number in numbers.items()}
    words = [word for word in text.replace(",", " ").replace(";", " ").split() if word]
    found = tuple(dict.fromkeys(ids[word] for word in words if word in ids))
    return found, tuple(word for word in words if word not in ids)


def typed_of(authored: Authored) -> Typed:
    """The form of the instance's gold as it is; empty where it has no talk."""
    talk = authored.talk
    if talk is None:
        return Typed()
    numbers = numbers_of(talk)
    return Typed(
        entries=tuple(
            one
            for session in talk.sessions
            for one in _entries(session, numbers, set(authored.unchecked))
        ),
        changes=tuple(one for session in talk.sessions for one in _changes(session, numbers)),
        questions=tuple(_question(one, dict(authored.phrasings)) for one in talk.questions),
    )


def typed_entry(
    entry: GoldEntry, session: EpisodeSession, numbers: Mapping[str, str], *, seen: bool = True
) -> TypedEntry:
    """An entry as it is typed, listed at its own turn."""
    captured = {one.key for one in session.gold.captures} if session.gold else {entry.key}
    own = entry.turns[0] if entry.turns and entry.key in captured else JOINS
    return TypedEntry(
        key=entry.key,
        session=session.id,
        place=own,
        type=entry.type,
        text=entry.text,
        turns=listed(entry.turns, numbers),
        emotion=entry.emotion or "",
        scene=entry.scene or "",
        anchor=entry.anchor or "",
        seen=seen,
    )


def listed(turns: Iterable[str], numbers: Mapping[str, str]) -> str:
    """Numbers of these turns."""
    return ", ".join(numbers[turn] for turn in turns if turn in numbers)


def _entries(
    session: EpisodeSession, numbers: Mapping[str, str], unchecked: set[str]
) -> Iterator[TypedEntry]:
    for entry in told_entries(session):
        yield typed_entry(entry, session, numbers, seen=entry.key not in unchecked)


def _changes(session: EpisodeSession, numbers: Mapping[str, str]) -> Iterator[TypedChange]:
    if session.gold is None:
        return
    for add in session.gold.adds:
        for old in add.replaces:
            id_ = f"{old}-{add.entry.key}"
            yield TypedChange(id_, session.id, "replace", old, add.entry.key)
    for gone in session.gold.deletes:
        told = listed(gone.turns, numbers)
        yield TypedChange(f"{gone.key}-gone", session.id, "forget", gone.key, turns=told)


def _question(one: EpisodeQuestion, phrasings: Mapping[str, str]) -> TypedQuestion:
    return TypedQuestion(
        id=one.id,
        unit=one.unit,
        text=one.text,
        answer=one.answer or "",
        kind=one.kind or "",
        centre=one.centre or "",
        phrasing=phrasings.get(one.id, ""),
        techniques=one.techniques,
        supports=one.supports,
        decoys=one.decoys,
    )
