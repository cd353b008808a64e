"""The questions of an episode as instances: one pool each, of entries, turns or whole sessions."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from memory_banks.entries import Provenance, Side, TurnRole, side_of
from sandbox.episodes import (
    Episode,
    EpisodeQuestion,
    EpisodeSession,
    EpisodeTurn,
    GoldEntry,
    Unit,
    gold_bank,
)
from sandbox.instances import Instance, PoolEntry

DECOYS = "decoys"
"""The name of the ranking that holds a question's decoys, where it has any."""


def question_instances(episode: Episode) -> tuple[Instance, ...]:
    """One instance a question, in their order, called `EPISODE-QUESTION`; no questions, none.

    The pool is what the question's unit names: the gold bank with its superseded states, every
    turn, or every session in which something is said, as one text. `golden` are the supports; a
    question without a time is asked at the last session's.
    """
    pools: dict[Unit, tuple[PoolEntry, ...]] = {
        unit: _pool(episode, unit) for unit in {one.unit for one in episode.questions}
    }
    return tuple(_instance(episode, one, pools[one.unit]) for one in episode.questions)


def _instance(episode: Episode, question: EpisodeQuestion, pool: tuple[PoolEntry, ...]) -> Instance:
    last = episode.sessions[-1].at if episode.sessions else None
    return Instance(
        id=f"{episode.id}-{question.id}",
        source=episode.source,
        title=f"{episode.title}: {question.kind or 'question'} {question.id}",
        language=episode.language,
        persona=episode.persona,
        human=episode.human,
        history=(),
        query=question.text,
        time=question.at or last,
        emotion=None,
        scene=None,
        pool=pool,
        dialogue=episode.id,
        licence=episode.licence,
        rankings={DECOYS: question.decoys} if question.decoys else {},
        golden=question.supports,
        reply=question.answer,
    )


def _pool(episode: Episode, unit: Unit) -> tuple[PoolEntry, ...]:
    if unit == "entry":
        return tuple(_entries(episode))
    if unit == "turn":
        return tuple(_turn(one, held) for held in episode.sessions for one in held.turns)
    return tuple(_session(one) for one in episode.sessions if one.turns)


def _entries(episode: Episode) -> Iterator[PoolEntry]:
    """The gold bank, and what its entries took the place of, in the order in which they came.

    What was to be forgotten is left out, with the older states of it.
    """
    live = {one.key for one in gold_bank(episode)}
    later = _successors(episode)
    told = _told(episode)
    for key, (entry, session) in told.items():
        if _end(key, live, later) not in live:
            continue
        made = _entry(entry, session, _roles(episode))
        if key not in live:
            made = replace(made, status="superseded", replaced_by=later[key])
        yield made


def _told(episode: Episode) -> dict[str, tuple[GoldEntry, str]]:
    """Each gold entry as it was told last, with the id of that session, by its key."""
    found: dict[str, tuple[GoldEntry, str]] = {}
    for session in episode.sessions:
        gold = session.gold
        if gold is None:
            continue
        for entry in (*gold.captures, *(add.entry for add in gold.adds)):
            found[entry.key] = (entry, session.id)
    return found


def _successors(episode: Episode) -> Mapping[str, str]:
    """What took the place of an entry last, by its key; a wish to forget undoes it."""
    found: dict[str, str] = {}
    for session in episode.sessions:
        gold = session.gold
        if gold is None:
            continue
        for one in gold.deletes:
            found.pop(one.key, None)
        found |= {key: add.entry.key for add in gold.adds for key in add.replaces}
    return found


def _end(key: str, live: set[str], later: Mapping[str, str]) -> str | None:
    """The live entry that the chain from `key` ends in; None where it was forgotten."""
    passed: set[str] = set()
    while key not in live:
        if key in passed or key not in later:
            return None
        passed.add(key)
        key = later[key]
    return key


def _roles(episode: Episode) -> Mapping[str, TurnRole]:
    return {turn.id: turn.role for turn in episode.turns()}


def _entry(entry: GoldEntry, session: str, roles: Mapping[str, TurnRole]) -> PoolEntry:
    role: TurnRole = roles.get(entry.turns[0], "user") if entry.turns else "user"
    return PoolEntry(
        key=entry.key,
        type=entry.type,
        side=side_of(entry.type, role),
        text=entry.text,
        anchor=entry.anchor,
        emotion=entry.emotion,
        scene=entry.scene,
        provenance=Provenance(session, entry.turns, role),
    )


def _turn(turn: EpisodeTurn, session: EpisodeSession) -> PoolEntry:
    side: Side = side_of("episodic", turn.role)
    return PoolEntry(
        key=turn.id,
        type=None,
        side=side,
        text=_said(turn),
        anchor=turn.at or session.at,
        emotion=turn.emotion,
        scene=turn.scene,
        provenance=Provenance(session.id, (turn.id,), turn.role),
    )


def _session(session: EpisodeSession) -> PoolEntry:
    """The whole session; what two people said to each other is the dyad's."""
    return PoolEntry(
        key=session.id,
        type=None,
        side="dyad",
        text="\n".join(_said(turn) for turn in session.turns),
        anchor=session.at,
        provenance=Provenance(session.id, tuple(turn.id for turn in session.turns)),
    )


def _said(turn: EpisodeTurn) -> str:
    return f"{turn.speaker}: {turn.text}"
