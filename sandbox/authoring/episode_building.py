"""What an annotator has typed so far as an episode, and what lives when; nothing is refused."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, cast
from unicodedata import normalize

from memory_banks.entries import SCENES, EntryType
from sandbox.authoring.episode_typed import (
    JOINS,
    Typed,
    TypedChange,
    TypedEntry,
    TypedQuestion,
    numbers_of,
    turns_named,
)
from sandbox.episodes import (
    Episode,
    EpisodeQuestion,
    EpisodeSession,
    GoldAdd,
    GoldDelete,
    GoldEntry,
    GoldSession,
    Unit,
    gold_bank,
)


def built(talk: Episode, typed: Typed) -> Episode:
    """The talk with the gold that is typed, fitting or not; see `faults_of`.

    What is no field of the form, such as when a question is asked, stays as `talk` has it.
    """
    numbers = numbers_of(talk)
    asked = {one.id: one for one in talk.questions}
    return replace(
        talk,
        sessions=tuple(replace(one, gold=_gold(one, typed, numbers)) for one in talk.sessions),
        questions=tuple(_question(one, asked.get(one.id)) for one in typed.questions),
    )


def live_before(made: Episode, typed: Typed, change: TypedChange) -> tuple[GoldEntry, ...]:
    """What is live at the point of a change, and so can go, in the order in which it came.

    `made` is what `built` makes of the same rows; a change of a session that it has not finds none.
    That is the bank after the session before and what this session captured, without what an
    earlier row of the session takes away, and without what comes by the row itself.
    """
    place = next((n for n, one in enumerate(made.sessions) if one.id == change.session), None)
    if place is None:
        return ()
    gold = made.sessions[place].gold or GoldSession()
    live = {one.key: one for one in gold_bank(made, place)} | {e.key: e for e in gold.captures}
    for one in typed.changes:
        if one.id == change.id:
            break
        if one.session == change.session:
            live.pop(one.old, None)
    live.pop(change.new, None)
    return tuple(live.values())


def entry_of(typed: TypedEntry, numbers: Mapping[str, str]) -> GoldEntry:
    """The memory that is typed, resting on the turns that there are."""
    return GoldEntry(
        key=typed.key,
        type=cast("EntryType", typed.type),
        text=_line(typed.text),
        turns=turns_named(typed.turns, numbers)[0],
        anchor=typed.anchor.strip() or None,
        emotion=_line(typed.emotion) or None,
        scene=next((one for one in SCENES if one == typed.scene), None),
    )


def _gold(
    session: EpisodeSession,
    typed: Typed,
    numbers: Mapping[str, str],
) -> GoldSession | None:
    """Its gold; a session without gold stays so while nothing is typed in it."""
    rows = typed.of(session.id)
    changes = [one for one in typed.changes if one.session == session.id]
    if session.gold is None and not rows and not changes:
        return None
    made = {one.key: entry_of(one, numbers) for one in rows}
    joins = {one.key for one in rows if one.place == JOINS}
    own = [turn.id for turn in session.turns]
    captures = sorted(
        (one for key, one in made.items() if key not in joins), key=lambda one: _place(one, own)
    )
    return GoldSession(
        captures=tuple(captures),
        adds=tuple(_adds(made, joins, changes)),
        deletes=tuple(
            GoldDelete(one.old, turns_named(one.turns, numbers)[0])
            for one in changes
            if one.kind == "forget" and one.old
        ),
    )


def _place(entry: GoldEntry, own: Sequence[str]) -> int:
    return own.index(entry.turns[0]) if entry.turns and entry.turns[0] in own else len(own)


def _adds(
    made: Mapping[str, GoldEntry], joins: set[str], changes: Sequence[TypedChange]
) -> Iterator[GoldAdd]:
    for key, entry in made.items():
        olds = tuple(
            one.old for one in changes if one.kind == "replace" and one.new == key and one.old
        )
        if olds or key in joins:
            yield GoldAdd(entry, olds)


def _question(typed: TypedQuestion, known: EpisodeQuestion | None) -> EpisodeQuestion:
    return EpisodeQuestion(
        id=typed.id,
        text=_line(typed.text),
        answer=normalize("NFC", typed.answer).strip() or None,
        unit=cast("Unit", typed.unit),
        supports=typed.supports,
        decoys=typed.decoys,
        at=known.at if known else None,
        kind=_line(typed.kind) or None,
        techniques=typed.techniques,
        centre=cast("Literal['user', 'agent']", typed.centre) if typed.centre else None,
    )


def _line(text: str) -> str:
    """In NFC, on one line."""
    return normalize("NFC", " ".join(text.split()))
