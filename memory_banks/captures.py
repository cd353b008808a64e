"""Captures, findings, proposals and decisions: the ledger's rows that come before operations.

Every function works on a connection whose transaction the caller opened, and doing it twice is
doing it once.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Row, func, select, update

from memory_banks.dialect import insert_new
from memory_banks.entries import Dyad, Entry, canonical, digest
from memory_banks.rows import from_fields, to_fields
from memory_banks.tables import captured, captures, decisions, proposals

Status = Literal["pending", "captured", "proposed", "done", "unreadable"]
"""`pending`: not read yet (or its model failed) · `captured`: found, not compared with the bank ·
`proposed`: waits for decisions · `done` · `unreadable`: the model's answer could not be read."""
Verdict = Literal["approved", "rejected"]


class CaptureGone(LookupError):
    """There is no such capture, or none any more: its session was forgotten."""


@dataclass(frozen=True, slots=True)
class Capture:
    """The capture of one session."""

    id: str
    dyad: Dyad
    session: str
    status: Status
    calls: tuple[dict[str, Any], ...]
    """Every question to a model: prompt hash, model, raw answer, seconds, tokens."""
    notes: tuple[str, ...]
    """Sentences a person should read: parts, refusals, failures."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a capture found."""

    ordinal: int
    fields: dict[str, Any]
    """The entry's fields, the model's item where it was refused, or a wish to forget: its words
    under `text`, and `forget` is true. `doubt` says why a human must look at an entry."""
    utterance: str | None
    refused: str | None

    @property
    def is_entry(self) -> bool:
        """Whether it became an entry; else it was refused, or is a wish to forget."""
        return self.refused is None and "key" in self.fields


@dataclass(frozen=True, slots=True)
class Decision:
    """What a human decided on a proposal."""

    verdict: Verdict
    edited: Entry | None
    """The entry as the human changed it; null where it was taken as proposed."""
    author: str
    at: str
    applied: bool


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of the bank that waits for a decision, or has one."""

    id: str
    capture: str
    entry: Entry | None
    """The new entry; null where the user asked to forget others and nothing takes their place."""
    deletes: tuple[str, ...]
    """Ids of the entries that the new one takes the place of, or that are to be forgotten."""
    reason: str
    evidence: str
    """Id of the utterance that supports the entry, or that asks to forget."""
    decision: Decision | None
    doubt: str | None = None
    """Why a human must look before it is approved, as a sentence; null where nothing is."""


def capture_id(session: str) -> str:
    """The id of the session's one capture."""
    return digest("capture", session)


def open_capture(conn: Connection, dyad: Dyad, session: str, at: str) -> None:
    """Write the session's capture as pending, unless it is there."""
    insert_new(
        conn,
        captures,
        id=capture_id(session),
        account=dyad.account,
        user=dyad.user,
        agent=dyad.agent,
        session=session,
        status="pending",
        calls="[]",
        notes="[]",
        created_at=at,
    )


def find_capture(conn: Connection, session: str) -> Capture | None:
    """The session's capture, or None while the session is open."""
    query = select(captures).where(captures.c.session == session)
    row = conn.execute(query).one_or_none()
    return None if row is None else _capture(row)


def get(conn: Connection, capture: str) -> Capture:
    """The capture with this id, or CaptureGone."""
    return _capture(_row(conn, capture))


def open_captures(conn: Connection, account: str) -> list[Capture]:
    """The account's captures that are not done, oldest first."""
    query = select(captures).where(captures.c.account == account, captures.c.status != "done")
    return [_capture(row) for row in conn.execute(query.order_by(captures.c.created_at))]


def set_status(
    conn: Connection,
    capture: str,
    status: Status,
    *,
    calls: Sequence[dict[str, Any]] = (),
    notes: Sequence[str] = (),
) -> None:
    """Move the capture on, adding to its calls and notes; CaptureGone where there is none."""
    row = _row(conn, capture)
    conn.execute(
        update(captures)
        .where(captures.c.id == capture)
        .values(
            status=status,
            calls=canonical([*json.loads(row.calls), *calls]),
            notes=canonical(list(dict.fromkeys([*json.loads(row.notes), *notes]))),
        )
    )


def store_findings(conn: Connection, capture: str, findings: Sequence[Finding]) -> None:
    """Write what the capture found."""
    for finding in findings:
        insert_new(
            conn,
            captured,
            capture=capture,
            ordinal=finding.ordinal,
            entry=canonical(finding.fields),
            evidence=finding.utterance or "",
            refused=finding.refused,
        )


def findings_of(conn: Connection, capture: str) -> list[Finding]:
    """What the capture found, in order, refused items included."""
    query = select(captured).where(captured.c.capture == capture).order_by(captured.c.ordinal)
    return [
        Finding(row.ordinal, json.loads(row.entry), row.evidence or None, row.refused)
        for row in conn.execute(query)
    ]


def store_proposal(
    conn: Connection,
    capture: str,
    ordinal: int,
    entry: Entry | None,
    deletes: Sequence[str],
    reason: str,
    *,
    evidence: str | None = None,
    doubt: str | None = None,
) -> None:
    """Write one proposal, unless it is there; `evidence` is the entry's utterance if None."""
    turns = entry.provenance.turns if entry else ()
    insert_new(
        conn,
        proposals,
        id=digest("proposal", capture, str(ordinal)),
        capture=capture,
        ordinal=ordinal,
        entry=None if entry is None else canonical(to_fields(entry)),
        deletes=canonical(list(deletes)),
        reason=reason,
        evidence=next(iter(turns), "") if evidence is None else evidence,
        doubt=doubt,
    )


def proposals_of(conn: Connection, capture: str) -> list[Proposal]:
    """The capture's proposals with their decisions, in order."""
    query = _joined().where(proposals.c.capture == capture).order_by(proposals.c.ordinal)
    return [_proposal(row) for row in conn.execute(query)]


def find_proposal(conn: Connection, account: str, proposal: str) -> Proposal | None:
    """The account's proposal with this id, or None."""
    query = _joined().where(proposals.c.id == proposal, captures.c.account == account)
    row = conn.execute(query).one_or_none()
    return None if row is None else _proposal(row)


def store_decision(
    conn: Connection,
    proposal: str,
    verdict: Verdict,
    *,
    edited: Entry | None = None,
    author: str,
    at: str,
) -> bool:
    """Write the one decision on a proposal; whether it is new (a second one changes nothing)."""
    return insert_new(
        conn,
        decisions,
        proposal=proposal,
        verdict=verdict,
        edited=None if edited is None else canonical(to_fields(edited)),
        author=author,
        at=at,
        applied=0,
    )


def mark_applied(conn: Connection, proposal: str) -> None:
    """Say that the decision's operations are written."""
    conn.execute(update(decisions).where(decisions.c.proposal == proposal).values(applied=1))


def count_open(conn: Connection, capture: str) -> int:
    """How many proposals of the capture have no decision."""
    query = select(func.count()).select_from(proposals.outerjoin(decisions))
    undecided = proposals.c.capture == capture, decisions.c.proposal.is_(None)
    return int(conn.execute(query.where(*undecided)).scalar_one())


def _joined() -> Any:
    columns = (
        *proposals.c,
        *(captures.c[name] for name in ("account", "user", "agent")),
        *(decisions.c[name] for name in ("verdict", "edited", "author", "at", "applied")),
    )
    return select(*columns).select_from(proposals.join(captures).outerjoin(decisions))


def _row(conn: Connection, capture: str) -> Row[Any]:
    row = conn.execute(select(captures).where(captures.c.id == capture)).one_or_none()
    if row is None:
        raise CaptureGone(f"there is no capture {capture!r}")
    return row


def _capture(row: Row[Any]) -> Capture:
    return Capture(
        id=row.id,
        dyad=Dyad(row.account, row.user, row.agent),
        session=row.session,
        status=row.status,
        calls=tuple(json.loads(row.calls)),
        notes=tuple(json.loads(row.notes)),
    )


def _proposal(row: Row[Any]) -> Proposal:
    dyad = Dyad(row.account, row.user, row.agent)
    decision = None
    if row.verdict:
        edited = from_fields(json.loads(row.edited), dyad) if row.edited else None
        decision = Decision(row.verdict, edited, row.author, row.at, bool(row.applied))
    return Proposal(
        id=row.id,
        capture=row.capture,
        entry=from_fields(json.loads(row.entry), dyad) if row.entry else None,
        deletes=tuple(json.loads(row.deletes)),
        reason=row.reason,
        evidence=row.evidence,
        decision=decision,
        doubt=row.doubt,
    )
