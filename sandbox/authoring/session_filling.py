"""The form for a dialogue or an episode, filled from sessions on record."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memory_banks.captures import Proposal
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
    told_entries,
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
    waiting: tuple[Proposal, ...] = ()
    """What its capture proposed and nobody has decided."""
    evidence: Mapping[str, str] = field(default_factory=dict)
    """The turns that asked for its operations, by their causes."""


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
    with what they left in the bank, or only proposed, as memories that a person has yet to look at.
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
        sessions=tuple(_sessions(told, entries, gold=kind == "episode")),
        questions=(),
    )
    held = {entry.key for one in talk.sessions for entry in told_entries(one)}
    cited = [(key_of(one), one) for one in _cited(sessions, entries)] if kind == "episode" else []
    return replace(
        base,
        kind=kind,
        tests=tuple(_tests(talk))[:1] if kind == "dialogue" else (),
        talk=talk,
        citations=tuple(sorted(one for one in cited if one[0] in held)),
        unchecked=tuple(sorted(held)),
    )


def _tests(talk: Episode) -> Iterable[str]:
    """Ids of the turns of the user that have a reply."""
    turns = list(talk.turns())
    for before, after in zip(turns, turns[1:], strict=False):
        if before.role == "user" and after.role == "assistant":
            yield before.id


def _sessions(
    told: Sequence[Remembered], entries: Mapping[str, Entry], *, gold: bool
) -> Iterator[EpisodeSession]:
    """Each session with its turns, and what of the bank is known to be of these sessions."""
    order: list[str] = []
    live: dict[str, str] = {}
    for one in told:
        session, turns = one.whole.session, tuple(_turns(one.whole))
        own = [turn.id for turn in turns]
        order += own
        yield EpisodeSession(
            id=session.id,
            at=session.clock or session.created_at,
            turns=turns,
            gold=_gold(one, entries, live, own, order) if gold else None,
        )


def _turns(whole: Transcript) -> Iterable[EpisodeTurn]:
    """What counts of the talk: the prelude, and answered turns with their chosen replies."""
    session = whole.session
    for number, said in enumerate(session.prelude, start=1):
        yield EpisodeTurn(f"{session.id}-before-{number}", said.role, said.speaker, said.text)
    for turn in whole.turns:
        if turn.reply is None:
            continue
        if turn.text:
            yield EpisodeTurn(
                turn.id, "user", session.speaker, turn.text, turn.at, turn.emotion, turn.scene
            )
        name = session.persona.name
        if turn.reply.text:
            yield EpisodeTurn(turn.reply.id, "assistant", name, turn.reply.text, turn.at)


def _cited(sessions: Sequence[Remembered], entries: Mapping[str, Entry]) -> set[str]:
    ids = {one.entry_id for held in sessions for one in held.operations}
    return {one for one in ids if one in entries and entries[one].text != FORGOTTEN}


@dataclass(frozen=True, slots=True)
class _Step:
    """One change of the bank: what comes, if anything, and what goes."""

    entry: Entry | None
    gone: tuple[str, ...]
    turn: str = ""
    """The turn that asks for it, where that is known."""


def _steps(one: Remembered, entries: Mapping[str, Entry]) -> Iterator[_Step]:
    """What the session did, and then what was proposed and waits for a decision."""
    replaced = {old for told in one.operations for old in told.replaces}
    for told in one.operations:
        entry = entries.get(told.entry_id)
        if told.kind == "add" and entry is not None and entry.text != FORGOTTEN:
            yield _Step(entry, told.replaces)
        elif told.kind == "delete" and told.entry_id not in replaced:
            yield _Step(None, (told.entry_id,), one.evidence.get(told.cause, ""))
    for proposal in one.waiting:
        yield _Step(proposal.entry, proposal.deletes, proposal.evidence)


def _gold(
    one: Remembered,
    entries: Mapping[str, Entry],
    live: dict[str, str],
    own: Sequence[str],
    order: Sequence[str],
) -> GoldSession:
    """What the session left behind, as gold: an entry enters by itself, a change is an operation.

    What it both added and took back is nothing; lineage goes through it. `live` holds the keys of
    what lives, by id, and is brought up to date.
    """
    here: dict[str, tuple[Entry, list[str]]] = {}
    forgotten: dict[str, str] = {}
    for step in _steps(one, entries):
        olds: list[str] = []
        for gone in step.gone:
            if gone in here:
                olds += here.pop(gone)[1]
            elif gone in live:
                olds.append(live.pop(gone))
        if step.entry is None:
            forgotten |= dict.fromkeys(olds, step.turn)
        else:
            here[step.entry.id] = step.entry, olds
    live |= {id_: key_of(id_) for id_ in here}
    made = [(gold_entry(entry, own, order), tuple(olds)) for entry, olds in here.values()]
    return GoldSession(
        captures=tuple(entry for entry, _olds in made if entry.turns),
        adds=tuple(GoldAdd(entry, olds) for entry, olds in made if olds or not entry.turns),
        deletes=tuple(
            GoldDelete(key, (turn,) if turn in order else ()) for key, turn in forgotten.items()
        ),
    )


def gold_entry(entry: Entry, own: Sequence[str], order: Sequence[str]) -> GoldEntry:
    """An entry of a bank as a gold memory.

    It rests on a turn of its session (`own`), then on earlier ones (`order`); on none where none of
    its session is known.
    """
    first = next((turn for turn in entry.provenance.turns if turn in own), None)
    earlier = order[: order.index(first)] if first else ()
    also = tuple(turn for turn in dict.fromkeys(entry.provenance.turns) if turn in earlier)
    return GoldEntry(
        key=key_of(entry.id),
        type=entry.type,
        text=entry.text,
        turns=(first, *also) if first else (),
        anchor=entry.anchor[:10] if entry.anchor else None,
        emotion=entry.emotion,
        scene=entry.scene,
    )
