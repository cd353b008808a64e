"""The form for a dialogue or an episode, filled from sessions on record."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memory_banks.entries import Entry, EntryType, Operation, TurnRole
from memory_banks.forgetting import FORGOTTEN
from sandbox.authoring.authored import Authored, Kind
from sandbox.authoring.filling import Seen, authored_from_turn, key_of
from sandbox.episodes import (
    Episode,
    EpisodeSession,
    EpisodeTurn,
    GoldAdd,
    GoldDelete,
    GoldEntry,
    GoldSession,
)
from sandbox.instances import Human
from sandbox.transcripts import Transcript

ALLOWED: Mapping[TurnRole, tuple[EntryType, ...]] = {
    "user": ("episodic", "user_profile", "fact"),
    "assistant": ("episodic", "agent_identity", "agent_method", "agent_knowledge"),
}
"""Which types an utterance may yield, by who speaks (DyadMem, gold annotation)."""
SOURCE = "own"


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of one session in the ledger."""

    whole: Transcript
    operations: tuple[Operation, ...]
    """Those that the session caused, in order."""


def authored_from_session(
    kind: Kind,
    seen: Seen,
    sessions: Sequence[Remembered],
    entries: Mapping[str, Entry],
    new: str,
    author: str,
) -> Authored:
    """The form for the session of the reply `seen`, with all that was said.

    A dialogue is the last of `sessions` alone, tested at its first turn; an episode is all of them,
    with the operations that they caused as gold memories which a person has yet to look at.
    """
    base = authored_from_turn(seen, new, author)
    told = sessions[-1:] if kind == "dialogue" else sessions
    talk = Episode(
        id=new,
        source=SOURCE,
        title=base.title,
        language=base.language,
        licence=base.licence,
        persona=base.persona,
        human=Human(base.human.name, base.human.profile),
        sessions=tuple(_session(one, entries, gold=kind == "episode") for one in told),
        questions=(),
    )
    cited = _cited(sessions, entries) if kind == "episode" else {}
    return replace(
        base,
        kind=kind,
        tests=tuple(_tests(talk))[:1] if kind == "dialogue" else (),
        talk=talk,
        citations=tuple(sorted((key_of(one), one) for one in cited)),
        unchecked=tuple(sorted(key_of(one) for one in cited)),
    )


def _tests(talk: Episode) -> Iterable[str]:
    """Ids of the turns of the user that have a reply."""
    turns = list(talk.turns())
    for before, after in zip(turns, turns[1:], strict=False):
        if before.role == "user" and after.role == "assistant":
            yield before.id


def _session(one: Remembered, entries: Mapping[str, Entry], *, gold: bool) -> EpisodeSession:
    session = one.whole.session
    return EpisodeSession(
        id=session.id,
        at=session.clock or session.created_at,
        turns=tuple(_turns(one.whole)),
        gold=_gold(one.operations, entries) if gold else None,
    )


def _turns(whole: Transcript) -> Iterable[EpisodeTurn]:
    """What counts of the talk: the prelude, and answered turns with their chosen replies."""
    session = whole.session
    for number, said in enumerate(session.prelude, start=1):
        yield EpisodeTurn(f"{session.id}-before-{number}", said.role, said.speaker, said.text)
    for turn in whole.turns:
        if turn.reply is None:
            continue
        yield EpisodeTurn(
            turn.id, "user", session.speaker, turn.text, turn.at, turn.emotion, turn.scene
        )
        name = session.persona.name
        yield EpisodeTurn(turn.reply.id, "assistant", name, turn.reply.text, turn.at)


def _cited(sessions: Sequence[Remembered], entries: Mapping[str, Entry]) -> set[str]:
    ids = {one.entry_id for held in sessions for one in held.operations}
    return {one for one in ids if one in entries and entries[one].text != FORGOTTEN}


def _gold(operations: Sequence[Operation], entries: Mapping[str, Entry]) -> GoldSession:
    """The operations as gold ones; a delete that belongs to an add is told by that add."""
    known = [one for one in operations if one.entry_id in entries]
    replaced = {old for one in known for old in one.replaces}
    adds = tuple(
        GoldAdd(gold_entry(entries[one.entry_id]), tuple(key_of(old) for old in one.replaces))
        for one in known
        if one.kind == "add" and entries[one.entry_id].text != FORGOTTEN
    )
    deletes = tuple(
        GoldDelete(key_of(one.entry_id), ())
        for one in known
        if one.kind == "delete" and one.entry_id not in replaced
    )
    return GoldSession((), adds, deletes)


def gold_entry(entry: Entry) -> GoldEntry:
    """An entry of a bank as a gold memory."""
    return GoldEntry(
        key=key_of(entry.id),
        type=entry.type,
        text=entry.text,
        turns=entry.provenance.turns,
        anchor=entry.anchor,
        emotion=entry.emotion,
        scene=entry.scene,
    )
