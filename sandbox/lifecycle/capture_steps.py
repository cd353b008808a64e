"""What the memory graph does to the record: T4 and T6."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection

from graphs.capture import Captured
from graphs.echoes import Known
from graphs.gates import Candidate, Gated, Request
from graphs.methods import METHODS, Found
from graphs.spoken import Spoken, Utterance
from graphs.update import Updated, Wish
from memory_banks import captures, ledger
from memory_banks.captures import Finding, Proposal
from memory_banks.entries import Add, Delete, Dyad, Entry, Provenance, Scope
from memory_banks.rows import from_fields, to_fields
from personas.library import describe
from sandbox.clock import iso
from sandbox.edits import Edit, rescued_key, written_entry
from sandbox.inputs import BadInput
from sandbox.lifecycle.meanwhile import forgettings, must_be_current
from sandbox.record import Record
from sandbox.reply_traces import find_reply
from sandbox.transcripts import Transcript, transcript

Stage = Literal["capture", "update"]
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
        self._begun: dict[tuple[str, Stage], tuple[str, int]] = {}
        """How often something had been forgotten when a stage of a capture read the record."""

    def captured(self, capture: str) -> bool:
        """Whether the capture's findings are stored already."""
        with self._record.read() as conn:
            return captures.get(conn, capture).status not in ("pending", "unreadable")

    def spoken(self, capture: str) -> Spoken:
        """The session that was ended: what the user said and the chosen replies."""
        with self._record.read() as conn:
            whole = _transcript(conn, capture)
            self._read(conn, capture, "capture", whole.session.account)
            return _spoken(whole)

    def store_captured(self, capture: str, found: Captured) -> None:
        """Store what passed the gates and what did not, with the reason (T4).

        Raises:
            ForgottenMeanwhile: if something was forgotten since the session was read.
        """
        with self._record.read() as conn:
            self._must_be_current(conn, capture, "capture")
            whole = _transcript(conn, capture)
            known = _known(conn, whole)
        session = whole.session
        method = METHODS[session.method]
        gated = method.gate(found, _spoken(whole), session.dyad, session.id, known)
        with self._record.write("T4 captured") as conn:
            self._must_be_current(conn, capture, "capture")
            captures.store_findings(conn, capture, _findings(gated))
            calls = [asdict(call) for call in found.calls]
            notes = [*found.notes, *_notes(gated)]
            captures.set_status(conn, capture, "captured", calls=calls, notes=notes)

    def found(self, capture: str) -> Found:
        """What passed the gates, and the live entries it may touch: of a large bank the closest."""
        with self._record.read() as conn:
            dyad = captures.get(conn, capture).dyad
            self._read(conn, capture, "update", dyad.account)
            findings = captures.findings_of(conn, capture)
            new = [from_fields(one.fields, dyad) for one in findings if one.is_entry]
            wishes = _wishes(findings, _spoken(_transcript(conn, capture)))
            live = [i for scope in dyad.scopes for i in ledger.live_ids(conn, scope)]
            if len(live) <= MOST_HELD:
                held = ledger.entries_by_id(conn, live)
                return Found(new, wishes, [held[entry] for entry in live], len(live))
        texts = [*(entry.text for entry in new), *(wish.text for wish in wishes)]
        each = max(3, MOST_HELD // max(1, len(texts)))
        close = {one.id: one for text in texts for one in self._nearest(dyad, text, each)}
        return Found(new, wishes, list(close.values())[:MOST_HELD], len(live))

    def store_proposals(self, capture: str, updated: Updated) -> None:
        """Store one proposal a change (T4).

        Raises:
            ForgottenMeanwhile: if something was forgotten since the findings were read.
        """
        with self._record.write("T4 proposed") as conn:
            self._must_be_current(conn, capture, "update")
            doubts = _doubts(captures.findings_of(conn, capture))
            for ordinal, change in enumerate(updated.changes):
                key = change.entry.key if change.entry else ""
                captures.store_proposal(
                    conn,
                    capture,
                    ordinal,
                    change.entry,
                    change.deletes,
                    change.reason,
                    evidence=change.evidence,
                    doubt=change.doubt or doubts.get(key),
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

    def rescue(self, capture: str, ordinal: int, edit: Edit) -> None:
        """Add an entry by hand from what was refused (T6), then tell the index; twice is once.

        Raises:
            BadInput: if there is no such refused finding, it names no utterance, or the entry
                cannot be taken.
        """
        with self._record.write("T6") as conn:
            row = captures.get(conn, capture)
            utterance = _refused(captures.findings_of(conn, capture), ordinal)
            said = {one.id: one for one in _spoken(_transcript(conn, capture)).utterances}
            provenance = Provenance(row.session, (utterance,), said[utterance].role)
            key = rescued_key(capture, ordinal)
            entry = written_entry(row.dyad, edit, key, provenance)
            cause = f"by hand:rescued:{capture}:{ordinal}"
            if ledger.operations_caused_by(conn, row.dyad, [cause]):
                return
            ledger.append(conn, [Add(entry, cause, "Captured by hand.")], iso(self._clock()))
        self._changed([entry.scope])

    def _read(self, conn: Connection, capture: str, stage: Stage, account: str) -> None:
        self._begun[capture, stage] = account, forgettings(conn, account)

    def _must_be_current(self, conn: Connection, capture: str, stage: Stage) -> None:
        must_be_current(conn, *self._begun[capture, stage])


def _apply(conn: Connection, capture: str, proposal: Proposal, now: str) -> set[Scope]:
    """Write one approved proposal's operations; the scopes they touch."""
    assert proposal.decision is not None
    captures.mark_applied(conn, proposal.id)
    if proposal.decision.verdict == "rejected":
        return set()
    entry = proposal.decision.edited or proposal.entry
    live = ledger.live_among(conn, [*proposal.deletes, *([entry.id] if entry else [])])
    if entry and entry.id in live:
        captures.set_status(conn, capture, "proposed", notes=["One entry was in the bank already."])
        return set()
    gone = [held for held in proposal.deletes if held in live]
    held = ledger.entries_by_id(conn, gone)
    drafts: list[Add | Delete] = [
        Delete(entry_id, held[entry_id].scope, proposal.id, proposal.reason) for entry_id in gone
    ]
    if entry:
        drafts.append(Add(entry, proposal.id, proposal.reason, tuple(gone)))
    return {operation.scope for operation in ledger.append(conn, drafts, now)}


def _known(conn: Connection, whole: Transcript) -> Known:
    """The bank, and what the agent was shown of it in this session and is not in it any more."""
    session = whole.session
    ids = [i for scope in session.dyad.scopes for i in ledger.live_ids(conn, scope)]
    chosen = [turn.chosen for turn in whole.turns if turn.chosen]
    injected = {
        entry for reply in chosen for entry in find_reply(conn, session.account, reply).injected
    }
    live = ledger.entries_by_id(conn, ids)
    gone = ledger.entries_by_id(conn, injected - live.keys())
    return Known(tuple(live.values()), tuple(gone.values()))


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
        if turn.text:
            said.append(Utterance(turn.id, "user", session.speaker, turn.text, turn.at))
        if turn.reply and turn.reply.text:
            reply = turn.reply
            said.append(Utterance(reply.id, "assistant", session.persona.name, reply.text, turn.at))
    return Spoken(session.speaker, session.persona.name, describe(session.persona), tuple(said))


def _findings(gated: Gated) -> list[Finding]:
    found = [_finding(ordinal, one) for ordinal, one in enumerate(gated.candidates)]
    wishes = [_wish(len(found) + at, one) for at, one in enumerate(gated.requests)]
    return [*found, *wishes]


def _finding(ordinal: int, candidate: Candidate) -> Finding:
    if candidate.entry is None:
        fields = candidate.item.model_dump(exclude={"fault"})
        return Finding(ordinal, fields, candidate.utterance, candidate.refused)
    fields = to_fields(candidate.entry)
    if candidate.doubt:
        fields["doubt"] = candidate.doubt
    return Finding(ordinal, fields, candidate.utterance, None)


def _wish(ordinal: int, request: Request) -> Finding:
    fields = request.item.model_dump(exclude={"fault"}) | {"forget": True}
    return Finding(ordinal, fields, request.utterance, request.refused)


def _wishes(findings: Sequence[Finding], spoken: Spoken) -> list[Wish]:
    """What the user asked to forget, with the words that ask for it."""
    said = {one.id: one.text for one in spoken.utterances}
    return [
        Wish(one.utterance, said[one.utterance], str(one.fields["text"]))
        for one in findings
        if one.refused is None and one.fields.get("forget") and one.utterance
    ]


def _notes(gated: Gated) -> list[str]:
    """What a person should know of the gates: what was changed, and how much was refused."""
    candidates = gated.candidates
    changed = [f"Entry {n}: {one.note}" for n, one in enumerate(candidates, start=1) if one.note]
    whys = [*(one.refused for one in candidates), *(one.refused for one in gated.requests)]
    refused = sum(why is not None for why in whys)
    told = [f"{refused} of {len(whys)} findings were refused."] if refused else []
    return [*changed, *told]


def _doubts(findings: Sequence[Finding]) -> dict[str, str]:
    """Why an entry is doubtful, by its key."""
    doubtful = (one.fields for one in findings if one.is_entry)
    return {fields["key"]: fields["doubt"] for fields in doubtful if fields.get("doubt")}


def _refused(findings: Sequence[Finding], ordinal: int) -> str:
    """The utterance of the refused finding with this number, or BadInput."""
    found = next((one for one in findings if one.ordinal == ordinal), None)
    if found is None or found.refused is None:
        raise BadInput(f"There is no refused finding {ordinal}: reload the page.")
    if found.utterance is None:
        raise BadInput(
            "It names nothing that was said: capture an entry by hand from the right turn instead."
        )
    return found.utterance
