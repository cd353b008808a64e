"""Verdicts on record, and what people changed of them: nothing is ever overwritten."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, select

from sandbox.instances import ROLES
from sandbox.judges.verdict import EntryVerdict, Miq, Verdict
from sandbox.numbering import append_numbered
from sandbox.tables import corrections, verdicts

Subject = Literal["usage", "rule", "miq", "role", "wanted"]
"""What a correction is about. `usage`, `rule` and `miq` change one verdict; `role` and `wanted`
(an entry that should have been recalled) belong to the reply, whoever judges it."""
OF_A_VERDICT: tuple[Subject, ...] = ("usage", "rule", "miq")
ALLOWED: Mapping[Subject, tuple[str, ...]] = {
    "usage": ("used", "not used", "already said", "unsure"),
    "rule": ("followed", "violated", "not applicable"),
    "miq": ("1", "2", "3", "4", "5", "unscored"),
    "role": ROLES,
    "wanted": ("yes",),
}
"""The values that each may take; null takes a correction back."""
_VERDICT: TypeAdapter[Verdict] = TypeAdapter(Verdict)


@dataclass(frozen=True, slots=True)
class Kept:
    """A verdict on record, as the judge gave it."""

    id: str
    reply: str
    verdict: Verdict
    created_at: str


@dataclass(frozen=True, slots=True)
class Correction:
    """One change by a person."""

    id: str
    reply: str
    verdict: str | None
    """Id of the verdict it changes; null where it is about the reply."""
    subject: Subject
    entry: str | None
    value: str | None
    """Null: as the judge or the instance has it."""
    author: str
    reason: str
    created_at: str


def add_verdict(conn: Connection, kept: Kept) -> None:
    """Store a verdict behind the reply's others."""
    append_numbered(
        conn,
        verdicts,
        id=kept.id,
        reply=kept.reply,
        judge=kept.verdict.judge,
        version=kept.verdict.version,
        json=_VERDICT.dump_json(kept.verdict).decode(),
        created_at=kept.created_at,
    )


def verdicts_of(conn: Connection, reply: str) -> list[Kept]:
    """Every verdict on a reply, oldest first."""
    query = select(verdicts).where(verdicts.c.reply == reply)
    rows = conn.execute(query.order_by(verdicts.c.number))
    return [Kept(r.id, r.reply, _VERDICT.validate_json(r.json), r.created_at) for r in rows]


def add_correction(conn: Connection, correction: Correction) -> None:
    """Store a correction behind the reply's others."""
    row: dict[str, Any] = {
        name: getattr(correction, name) for name in correction.__dataclass_fields__
    }
    append_numbered(conn, corrections, **row)


def corrections_of(conn: Connection, reply: str) -> list[Correction]:
    """Every correction on a reply and its verdicts, oldest first."""
    query = select(corrections).where(corrections.c.reply == reply)
    return [_correction(row) for row in conn.execute(query.order_by(corrections.c.number))]


def corrected(kept: Kept, changes: Iterable[Correction]) -> Verdict:
    """The verdict with the latest correction of each of its parts applied."""
    verdict = kept.verdict
    latest = {(one.subject, one.entry): one for one in changes if one.verdict == kept.id}
    for (subject, entry), change in latest.items():
        if change.value is None:
            continue
        if subject == "miq":
            score = None if change.value == "unscored" else float(change.value)
            verdict = replace(verdict, miq=Miq(score, change.reason, verdict.miq.failures))
        else:
            entries = tuple(
                _changed(one, subject, change.value) if one.entry == entry else one
                for one in verdict.entries
            )
            verdict = replace(verdict, entries=entries)
    return verdict


def latest_of_reply(changes: Iterable[Correction], subject: Subject) -> dict[str, Correction]:
    """The latest correction by entry of what belongs to the reply; those taken back left out."""
    latest = {one.entry: one for one in changes if one.subject == subject and one.entry}
    return {entry: one for entry, one in latest.items() if entry and one.value is not None}


def _changed(one: EntryVerdict, subject: Subject, value: str) -> EntryVerdict:
    """The entry's verdict as a person says it is; a rule that is followed counts as used."""
    if subject == "rule":
        usage = "used" if value == "followed" else "not used"
        return replace(one, rule=value, usage=usage, leaning=None)  # type: ignore[arg-type]
    if value == "used":
        return replace(one, usage="used", leaning=None)
    return replace(one, usage=value, leaning=None, spans=())  # type: ignore[arg-type]


def _correction(row: Row[Any]) -> Correction:
    return Correction(**{name: getattr(row, name) for name in Correction.__dataclass_fields__})
