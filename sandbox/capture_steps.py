"""What the memory graph does to the record: T4 and T6."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import Connection

from graphs.capture import Captured
from graphs.gates import Candidate, normal, pass_gates
from graphs.spoken import Spoken, Utterance
from graphs.update import Updated
from memory_banks import captures, ledger
from memory_banks.captures import Finding, Proposal
from memory_banks.entries import Add, Delete, Dyad, Entry, Scope
from personas.library import describe
from sandbox.clock import iso
from sandbox.record import Record
from sandbox.transcripts import Transcript, transcript

MOST_HELD = 60
"""Held entries that an update is shown; the newest first where the bank has more."""


class CaptureSteps:
    """The record's side of the memory graph. Every step done twice is done once."""

    def __init__(
        self,
        record: Record,
        clock: Callable[[], datetime],
        changed: Callable[[Sequence[Scope]], None],
        nearest: Callable[[Dyad, str, int], list[Entry]],
    ) -> None:
        self._record = record
        self._clock = clock
        self._changed = changed
        self._nearest = nearest

    def captured(self, capture: str) -> bool:
        """Whether the capture's findings are stored already."""
        with self._record.read() as conn:
            return captures.get(conn, capture).status not in ("pending", "unreadable")

    def spoken(self, capture: str) -> Spoken:
        """The session that was ended: what the user said and the chosen replies."""
        with self._record.read() as conn:
            return _spoken(_transcript(conn, capture))

    def store_captured(self, capture: str, found: Captured) -> None:
        """Store what passed the gates and what did not, with the reason (T4)."""
        with self._record.read() as conn:
            whole = _transcript(conn, capture)
            known = self._known(conn, whole)
        session = whole.session
        candidates = pass_gates(found.items, _spoken(whole), session.dyad, session.id, known)
        with self._record.write("T4 captured") as conn:
            findings = [_finding(index, one) for index, one in enumerate(candidates)]
            captures.store_findings(conn, capture, findings)
            calls = [asdict(call) for call in found.calls]
            captures.set_status(conn, capture, "captured", calls=calls, notes=found.notes)

    def new(self, capture: str) -> list[Entry]:
        """The entries that passed the gates."""
        with self._record.read() as conn:
            dyad = captures.get(conn, capture).dyad
            return [
                captures.from_fields(finding.fields, dyad)
                for finding in captures.findings_of(conn, capture)
                if finding.refused is None
            ]

    def held(self, capture: str, new: Collection[Entry]) -> list[Entry]:
        """The live entries that the new ones may touch: all of a small bank, else the closest."""
        with self._record.read() as conn:
            dyad = captures.get(conn, capture).dyad
            ids = [i for scope in dyad.scopes for i in ledger.live_ids(conn, scope)]
            if len(ids) <= MOST_HELD:
                return list(ledger.entries_by_id(conn, ids).values())
        each = max(3, MOST_HELD // len(new))
        close = {held.id: held for entry in new for held in self._nearest(dyad, entry.text, each)}
        return list(close.values())[:MOST_HELD]

    def store_proposals(self, capture: str, updated: Updated) -> None:
        """Store one proposal a change (T4)."""
        with self._record.write("T4 proposed") as conn:
            for ordinal, change in enumerate(updated.changes):
                captures.store_proposal(
                    conn, capture, ordinal, change.entry, change.deletes, change.reason
                )
            calls = [asdict(call) for call in updated.calls]
            captures.set_status(conn, capture, "proposed", calls=calls, notes=updated.notes)

    def apply(self, capture: str) -> int:
        """Turn decisions into operations (T6), then tell the index; how many are undecided."""
        now = iso(self._clock())
        touched: set[Scope] = set()
        with self._record.write("T6") as conn:
            for proposal in captures.proposals_of(conn, capture):
                if proposal.decision and not proposal.decision.applied:
                    touched |= _apply(conn, capture, proposal, now)
            undecided = captures.count_open(conn, capture)
            if undecided == 0:
                captures.set_status(conn, capture, "done")
        if touched:
            self._changed(sorted(touched, key=lambda scope: scope.key))
        return undecided

    def _known(self, conn: Connection, whole: Transcript) -> set[str]:
        """Normal texts of the bank: what was injected from it is among them."""
        ids = [i for scope in whole.session.dyad.scopes for i in ledger.live_ids(conn, scope)]
        return {normal(entry.text) for entry in ledger.entries_by_id(conn, ids).values()}


def _apply(conn: Connection, capture: str, proposal: Proposal, now: str) -> set[Scope]:
    """Write one approved proposal's operations; the scopes they touch."""
    assert proposal.decision is not None
    captures.mark_applied(conn, proposal.id)
    if proposal.decision.verdict == "rejected":
        return set()
    entry = proposal.decision.edited or proposal.entry
    live = ledger.live_among(conn, [*proposal.deletes, entry.id])
    if entry.id in live:
        captures.set_status(conn, capture, "proposed", notes=["One entry was in the bank already."])
        return set()
    gone = [held for held in proposal.deletes if held in live]
    held = ledger.entries_by_id(conn, gone)
    drafts: list[Add | Delete] = [
        Delete(entry_id, held[entry_id].scope, proposal.id, proposal.reason) for entry_id in gone
    ]
    drafts.append(Add(entry, proposal.id, proposal.reason, tuple(gone)))
    return {operation.scope for operation in ledger.append(conn, drafts, now)}


def _transcript(conn: Connection, capture: str) -> Transcript:
    row = captures.get(conn, capture)
    return transcript(conn, row.dyad.account, row.session)


def _spoken(whole: Transcript) -> Spoken:
    """What was said in the session itself.

    The prelude is left out: it was said before, it has no turns that an entry could name as its
    evidence, and what is worth keeping of it is in the bank that came with it.
    """
    session = whole.session
    said: list[Utterance] = []
    for turn in whole.turns:
        said.append(Utterance(turn.id, "user", session.speaker, turn.text, turn.at))
        if turn.reply:
            reply = turn.reply
            said.append(Utterance(reply.id, "assistant", session.persona.name, reply.text, turn.at))
    return Spoken(session.speaker, session.persona.name, describe(session.persona), tuple(said))


def _finding(ordinal: int, candidate: Candidate) -> Finding:
    if candidate.entry is None:
        fields = candidate.item.model_dump()
        return Finding(ordinal, fields, candidate.utterance, candidate.refused)
    return Finding(ordinal, captures.to_fields(candidate.entry), candidate.utterance, None)
