"""A form with the gold that a person typed, and rows that they add or drop."""

from dataclasses import replace

from sandbox.authoring.authored import PHRASINGS, Authored, Phrasing
from sandbox.authoring.episode_building import built
from sandbox.authoring.episode_faults import faults_of
from sandbox.authoring.episode_typed import (
    JOINS,
    ChangeKind,
    Typed,
    TypedChange,
    TypedEntry,
    TypedQuestion,
    numbers_of,
    typed_of,
)
from sandbox.authoring.session_filling import ALLOWED
from sandbox.episodes import Episode, EpisodeSession, EpisodeTurn, Unit, told_entries
from sandbox.inputs import BadInput


def with_gold(authored: Authored, typed: Typed) -> Authored:
    """The form with the gold that is typed. What a person changed of a proposal is theirs.

    Raises:
        BadInput: at the first thing that cannot be; the sentence names it.
    """
    talk = _talk(authored)
    for fault in faults_of(talk, typed):
        raise BadInput(fault)
    made = built(talk, typed)
    keys = {one.key for session in made.sessions for one in told_entries(session)}
    before = {one.key: one for one in typed_of(authored).entries}
    waiting = [
        one.key
        for one in typed.entries
        if one.key in authored.unchecked and not one.seen and _same(before.get(one.key), one)
    ]
    return replace(
        authored,
        talk=made,
        unchecked=tuple(sorted(waiting)),
        citations=tuple(one for one in authored.citations if one[0] in keys),
        phrasings=_wishes(typed),
    )


def gold_of_typed(bare: Episode, typed: Typed) -> Episode:
    """What a second annotator types of a talk without gold: memories, supports of questions.

    Raises:
        BadInput: at the first thing that cannot be.
    """
    whole = asked_by(bare, typed)
    for fault in faults_of(bare, whole):
        raise BadInput(fault)
    return built(bare, whole)


def asked_by(bare: Episode, typed: Typed) -> Typed:
    """The rows of a second annotator with the questions as they are asked, and no operations."""
    needs = {one.id: one.supports for one in typed.questions}
    asked = tuple(
        TypedQuestion(one.id, one.unit, one.text, supports=needs.get(one.id, ()))
        for one in bare.questions
    )
    return Typed(typed.entries, (), asked)


def as_typed(authored: Authored, typed: Typed) -> Authored:
    """The form as it is typed, fitting or not: for checks alone."""
    return replace(authored, talk=built(_talk(authored), typed), phrasings=_wishes(typed))


def _wishes(typed: Typed) -> tuple[tuple[str, Phrasing], ...]:
    return tuple(
        (one.id, wish) for one in typed.questions for wish in PHRASINGS[1:] if wish == one.phrasing
    )


def _same(before: TypedEntry | None, now: TypedEntry) -> bool:
    return before is not None and replace(before, seen=True) == replace(now, seen=True)


def entry_added(talk: Episode, typed: Typed, place: str, key: str) -> Typed:
    """One more row for a memory, at the turn `place` or, for one that joins others, of a session.

    What can be told of it already is filled in.

    Raises:
        BadInput: if there is no such turn or session.
    """
    for session in talk.sessions:
        for turn in session.turns:
            if turn.id == place:
                return replace(typed, entries=(*typed.entries, _row(talk, session, turn, key)))
        if session.id == place:
            joined = TypedEntry(key, session.id, JOINS, anchor=(session.at or "")[:10])
            return replace(typed, entries=(*typed.entries, joined))
    raise BadInput(f"There is no turn {place[:40]!r}: reload the page.")


def change_added(typed: Typed, kind: ChangeKind, session: str, id_: str) -> Typed:
    """One more row for an operation of a session."""
    return replace(typed, changes=(*typed.changes, TypedChange(id_, session, kind)))


def question_added(typed: Typed, unit: Unit, id_: str) -> Typed:
    """One more row for a question about memories, turns or sessions."""
    return replace(typed, questions=(*typed.questions, TypedQuestion(id_, unit)))


def dropped(typed: Typed, id_: str) -> Typed:
    """The rows without the one that goes by this name; others that name it say nothing there."""
    return Typed(
        entries=tuple(one for one in typed.entries if one.key != id_),
        changes=tuple(
            replace(
                one,
                old="" if one.old == id_ else one.old,
                new="" if one.new == id_ else one.new,
            )
            for one in typed.changes
            if one.id != id_
        ),
        questions=tuple(
            replace(
                one,
                supports=tuple(key for key in one.supports if key != id_),
                decoys=tuple(key for key in one.decoys if key != id_),
            )
            for one in typed.questions
            if one.id != id_
        ),
    )


def _row(talk: Episode, session: EpisodeSession, turn: EpisodeTurn, key: str) -> TypedEntry:
    return TypedEntry(
        key=key,
        session=session.id,
        place=turn.id,
        type=ALLOWED[turn.role][0],
        turns=numbers_of(talk)[turn.id],
        emotion=turn.emotion or "",
        scene=turn.scene or "",
        anchor=(turn.at or session.at or "")[:10],
    )


def _talk(authored: Authored) -> Episode:
    if authored.kind != "episode" or authored.talk is None:
        raise BadInput(f"{authored.title!r} is a {authored.kind}: only episodes have such a table.")
    return authored.talk
