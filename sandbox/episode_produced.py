"""What the sandbox made of an episode's session, in the words of the stage metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphs.forms import UpdateForm
from graphs.update import UNREAD
from memory_banks.captures import Proposal
from memory_banks.entries import Entry
from sandbox.episode_rows import Produced
from sandbox.lifecycle.remembering import Remembered
from sandbox.metrics.stage_episode import Added, Captured, Changes, Deleted, StageFailure


@dataclass(frozen=True, slots=True)
class Names:
    """What the gold calls what the sandbox holds."""

    turns: Mapping[str, str]
    """The episode's turns by the ids of the utterances that they became."""
    entries: Mapping[str, Entry]
    """Every entry the bank has or had, by id."""
    keys: Mapping[str, str]
    """Gold keys by the ids of entries; an entry that has none goes by its id."""


def produced(ended: Remembered, names: Names, *, done: bool = False) -> Produced:
    """What the sandbox made of a session: entries that passed the gates, and what they delete.

    An operation is a proposal that deletes; an entry that deletes nothing enters by itself. With
    `done`, only what was carried out counts, not what waits for a human or was rejected.
    """
    status = ended.capture.status
    if status in ("pending", "unreadable"):
        return Produced(capture_failure="failed" if status == "pending" else "unparseable")
    unread = any(note.startswith(UNREAD) for note in ended.capture.notes)
    failure: StageFailure | None = "unparseable" if unread else None
    failure = "failed" if status == "captured" else failure
    found = [
        Captured(
            text=str(one.fields["text"]),
            type=one.fields["type"],
            turn=names.turns.get(one.utterance or "", ""),
        )
        for one in ended.findings
        if one.is_entry
    ]
    counted = [one for one in ended.proposals if one.deletes and (not done or _carried_out(one))]
    adds = tuple(_added(one.entry, one, names) for one in counted if one.entry is not None)
    deletes = tuple(_deleted(key, one, names) for one in counted for key in one.deletes)
    return Produced(tuple(found), Changes(adds, deletes), update_failure=failure)


def answered_changes(
    answer: UpdateForm, new: Sequence[Captured], held: Sequence[Captured]
) -> Changes:
    """The operations that a model's answer asks for, before any gate: what a model is scored by.

    Its numbers are those of the lists it was shown, from 1. A number outside of them stays as an
    id that no entry has, so that an invented one is not free.
    """
    adds: list[Added] = []
    deletes: list[Deleted] = []
    for change in answer.changes:
        gone = [_held(number, held) for number in change.held]
        deletes += gone
        if 1 <= change.new <= len(new):
            entry = new[change.new - 1]
            replaced = tuple(one.key for one in gone)
            adds.append(Added(entry.text, entry.type, replaced, entry.turns))
    deletes += [_held(number, held) for one in answer.forget for number in one.held]
    return Changes(tuple(adds), tuple(deletes))


def _carried_out(proposal: Proposal) -> bool:
    decision = proposal.decision
    return decision is not None and decision.applied and decision.verdict != "rejected"


def _added(entry: Entry, proposal: Proposal, names: Names) -> Added:
    turns = tuple(names.turns.get(turn, turn) for turn in entry.provenance.turns)
    replaced = tuple(names.keys.get(key, key) for key in proposal.deletes)
    return Added(entry.text, entry.type, replaced, turns)


def _deleted(key: str, proposal: Proposal, names: Names) -> Deleted:
    entry = names.entries.get(key)
    turn = names.turns.get(proposal.evidence, proposal.evidence)
    told = names.keys.get(key, key)
    if entry is None:
        return Deleted(told, turns=(turn,))
    return Deleted(told, entry.text, entry.type, (turn,))


def _held(number: int, held: Sequence[Captured]) -> Deleted:
    if not 1 <= number <= len(held):
        return Deleted(f"none:{number}")
    one = held[number - 1]
    return Deleted(one.key, one.text, one.type)
