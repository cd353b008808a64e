"""An episode's gold after a person has decided where two annotators differ."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

from memory_banks.entries import digest
from sandbox.authoring.authored import Annotation
from sandbox.authoring.episode_differences import QUESTION, TURN, by_turn
from sandbox.episodes import (
    Episode,
    EpisodeQuestion,
    EpisodeSession,
    GoldAdd,
    GoldEntry,
    GoldSession,
    gold_bank,
)
from sandbox.inputs import BadInput

Choice = Literal["first", "second", "both"]
CHOICES: tuple[Choice, ...] = get_args(Choice)


def decided(talk: Episode, told: Annotation, decisions: Mapping[str, str]) -> Episode:
    """The gold with each decision carried out: the first's stays, the second's is taken, or both.

    What the second says in place of the first keeps the first's key, by type and order, so that
    lineage and supports stay. What is dropped goes from operations and questions with it.

    Raises:
        BadInput: for a decision that there is not, or supports that the gold does not hold.
    """
    if wrong := [one for one in decisions.values() if one not in CHOICES]:
        raise BadInput(f"A decision is one of {', '.join(CHOICES)}, got {wrong[0][:40]!r}.")
    theirs = by_turn(told.memories)
    chosen = {
        key.removeprefix(TURN): choice for key, choice in decisions.items() if key[:5] == TURN
    }
    found = replace(talk, sessions=tuple(_session(one, theirs, chosen) for one in talk.sessions))
    gone = _keys(talk) - _keys(found)
    found = _without(found, gone)
    asked = {
        key.removeprefix(QUESTION): choice
        for key, choice in decisions.items()
        if key.startswith(QUESTION)
    }
    return replace(
        found,
        questions=tuple(
            _question(found, one, told, asked.get(one.id, "first")) for one in found.questions
        ),
    )


def _keys(talk: Episode) -> set[str]:
    return {one.key for held in talk.sessions if held.gold for one in held.gold.captures}


def _session(
    session: EpisodeSession, theirs: Mapping[str, Sequence[GoldEntry]], chosen: Mapping[str, str]
) -> EpisodeSession:
    gold = session.gold or GoldSession()
    mine = by_turn(gold.captures)
    captures = [
        entry
        for turn in session.turns
        for entry in _turn(
            mine.get(turn.id, ()), theirs.get(turn.id, ()), chosen.get(turn.id, "first")
        )
    ]
    if session.gold is None and not captures:
        return session
    now = {one.key: one for one in captures}
    adds = tuple(replace(one, entry=now.get(one.entry.key, one.entry)) for one in gold.adds)
    return replace(session, gold=replace(gold, captures=tuple(captures), adds=adds))


def _turn(
    first: Sequence[GoldEntry], second: Sequence[GoldEntry], choice: str
) -> Sequence[GoldEntry]:
    if choice == "first":
        return first
    if choice == "both":
        return (*first, *(_fresh(one) for one in second))
    left = list(first)
    found: list[GoldEntry] = []
    for one in second:
        known = next((held for held in left if held.type == one.type), None)
        known = known or (left[0] if len(left) >= len(second) - len(found) else None)
        if known:
            left.remove(known)
        found.append(replace(one, key=known.key) if known else _fresh(one))
    return found


def _fresh(one: GoldEntry) -> GoldEntry:
    """With a key that no memory of the first has."""
    return replace(one, key=digest("second", one.key)[:10])


def _without(talk: Episode, gone: Collection[str]) -> Episode:
    """The talk without what names these keys: what they replaced lives on."""
    return replace(
        talk,
        sessions=tuple(_cleared(one, gone) for one in talk.sessions),
        questions=tuple(
            replace(
                one,
                supports=tuple(key for key in one.supports if key not in gone),
                decoys=tuple(key for key in one.decoys if key not in gone),
            )
            for one in talk.questions
        ),
    )


def _cleared(session: EpisodeSession, gone: Collection[str]) -> EpisodeSession:
    if session.gold is None:
        return session
    captured = {one.key for one in session.gold.captures}
    adds = [
        GoldAdd(one.entry, tuple(key for key in one.replaces if key not in gone))
        for one in session.gold.adds
        if one.entry.key not in gone
    ]
    return replace(
        session,
        gold=replace(
            session.gold,
            adds=tuple(one for one in adds if one.replaces or one.entry.key not in captured),
            deletes=tuple(one for one in session.gold.deletes if one.key not in gone),
        ),
    )


def _question(
    talk: Episode, one: EpisodeQuestion, told: Annotation, choice: str
) -> EpisodeQuestion:
    if choice == "first":
        return one
    theirs = _theirs(talk, one, told)
    kept = one.supports if choice == "both" else ()
    supports = tuple(dict.fromkeys((*kept, *theirs)))
    return replace(
        one, supports=supports, decoys=tuple(key for key in one.decoys if key not in supports)
    )


def _theirs(talk: Episode, one: EpisodeQuestion, told: Annotation) -> Sequence[str]:
    """The second's supports as what is live in the gold: what stands at the same turn."""
    keys = told.supports.get(one.id, ())
    if one.unit != "entry":
        return keys
    live = by_turn(gold_bank(talk))
    memories = {entry.key: entry for entry in told.memories}
    found = []
    for key in keys:
        wanted = memories[key]
        here = live.get(wanted.turns[0], [])
        same = next((held for held in here if held.type == wanted.type), None)
        match = same or next(iter(here), None)
        if match is None:
            raise BadInput(
                f"{told.author} supports {one.text[:60]!r} by {wanted.text[:60]!r}, and nothing of "
                "its turn is live in the gold: take what they say at that turn as well."
            )
        found.append(match.key)
    return found
