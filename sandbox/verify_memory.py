"""Do captures, proposals and captured entries agree with the sessions they come from?

Every function works on a connection whose transaction the caller opened.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, func, select

from memory_banks.tables import captured, captures, decisions, entries, operations, proposals
from sandbox.tables import replies, sessions, turns


def memory_problems(conn: Connection) -> Iterator[str]:
    """What is wrong between sessions and what was captured; nothing where all is well."""
    yield from _end_problems(conn)
    yield from _capture_problems(conn)
    yield from _provenance_problems(conn)


def _end_problems(conn: Connection) -> Iterator[str]:
    """Whether exactly the ended sessions have a capture, of their own dyad."""
    columns = (sessions.c[name] for name in ("id", "account", "user", "agent", "ended_at"))
    held: dict[str, Any] = {row.id: row for row in conn.execute(select(*columns))}
    made = {row.session: row for row in conn.execute(select(captures))}
    for session, row in held.items():
        if row.ended_at is not None and session not in made:
            yield f"session {session} is ended and has no capture"
    for session, capture in made.items():
        row = held.get(session)
        if row is None:
            yield f"capture {capture.id} belongs to session {session}, which is not there"
        elif row.ended_at is None:
            yield f"capture {capture.id} belongs to session {session}, which is still open"
        elif (row.account, row.user, row.agent) != (capture.account, capture.user, capture.agent):
            yield f"capture {capture.id} belongs to another dyad than its session {session}"


def _capture_problems(conn: Connection) -> Iterator[str]:
    """Whether each capture's status says what it has."""
    found = _counts(conn, captured.c.capture)
    made = _counts(conn, proposals.c.capture)
    undecided, unapplied = _undecided(conn)
    for capture in conn.execute(select(captures.c.id, captures.c.status)):
        told = f"capture {capture.id} is {capture.status}"
        if capture.status not in ("pending", "unreadable", "captured", "proposed", "done"):
            yield f"{told}, which there is not"
        if capture.status in ("pending", "unreadable") and found[capture.id]:
            yield f"{told} and yet has {found[capture.id]} findings"
        if capture.status not in ("proposed", "done") and made[capture.id]:
            yield f"{told} and yet has {made[capture.id]} proposals"
        if capture.status == "done" and undecided[capture.id]:
            yield f"{told}, and {undecided[capture.id]} of its proposals are not decided"
        if capture.status == "done" and unapplied[capture.id]:
            yield f"{told}, and {unapplied[capture.id]} of its decisions are not carried out"


def _counts(conn: Connection, column: Any) -> dict[str, int]:
    counted = conn.execute(select(column, func.count()).group_by(column))
    return defaultdict(int, {key: count for key, count in counted})


def _undecided(conn: Connection) -> tuple[dict[str, int], dict[str, int]]:
    """How many proposals have no decision, and how many decisions are not carried out."""
    undecided: dict[str, int] = defaultdict(int)
    unapplied: dict[str, int] = defaultdict(int)
    query = select(proposals.c.capture, decisions.c.applied)
    for capture, applied in conn.execute(query.select_from(proposals.outerjoin(decisions))):
        undecided[capture] += applied is None
        unapplied[capture] += applied == 0
    return undecided, unapplied


def _provenance_problems(conn: Connection) -> Iterator[str]:
    """Whether entries that were not imported come from utterances that are there."""
    said: dict[str, set[str]] = defaultdict(set)
    for session, turn in conn.execute(select(turns.c.session, turns.c.id)):
        said[session].add(turn)
    for session, reply in conn.execute(
        select(turns.c.session, replies.c.id).select_from(replies.join(turns))
    ):
        said[session].add(reply)
    imported = operations.c.sha256.is_not(None)
    own = select(operations.c.entry).where(operations.c.kind == "add", ~imported)
    query = select(entries.c.id, entries.c.session, entries.c.turns)
    for row in conn.execute(query.where(entries.c.session.is_not(None), entries.c.id.in_(own))):
        for utterance in json.loads(row.turns):
            if utterance not in said[row.session]:
                yield (
                    f"entry {row.id} comes from {utterance!r} of session {row.session}, where "
                    "nothing was said under that id"
                )
