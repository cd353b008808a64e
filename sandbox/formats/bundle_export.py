"""A session taken out of a record as a bundle."""

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Table, func, select

from memory_banks.branching import BRANCH_USER
from memory_banks.entries import canonical
from memory_banks.ledger import find_user
from memory_banks.tables import captured, captures, decisions, entries, meta, operations, proposals
from sandbox.formats.bundle import FORMAT, Row
from sandbox.formats.bundle_names import marker_of, named
from sandbox.tables import branches, collections, corrections, replies, sessions, turns, verdicts
from sandbox.transcripts import Session, find_session

BUNDLE_USER = "bundle:"
"""How the ids of users begin who were made for an imported session."""
_WHOSE = ("account", "user")


def exported(conn: Connection, account: str, session_id: str) -> bytes:
    """The session's bundle: canonical JSON and a line end, the same wherever the session lies.

    Raises:
        UnknownSession: if the account has none.
    """
    session = find_session(conn, account, session_id)
    said = _turns(conn, session)
    held = [_capture(conn, row) for row in _rows(conn, captures, captures.c.session, [session_id])]
    done = _operations(conn, session, _last(conn, said, held))
    known = _rows(conn, entries, entries.c.id, list(dict.fromkeys(one["entry"] for one in done)))
    by_id = {row["id"]: row for row in known}
    used = [by_id[one] for one in dict.fromkeys(one["entry"] for one in done)]
    user = find_user(conn, account, session.user)
    value = {
        "format": FORMAT,
        "version": 1,
        "user": {
            "name": user.name.removesuffix(imported_mark(user.id)) if user else "",
            "profile": user.profile if user else "",
        },
        "branch": _branch(conn, session),
        "collection": _collection(conn, session),
        "session": _without(_session(conn, session_id), "continues", *_WHOSE),
        "turns": said,
        "entries": [{"name": row["id"], **_without(row, "id", *_WHOSE)} for row in used],
        "operations": [_without(row, "id", *_WHOSE) for row in done],
        "captures": held,
    }
    text = canonical(value)
    marker = marker_of(text)
    names = dict(_names(session_id, said, held, used))
    whole = {"marker": marker, **json.loads(named(text, marker, names))}
    return (canonical(whole) + "\n").encode("utf-8")


def _names(
    session: str, said: Sequence[Row], held: Sequence[Row], used: Sequence[Row]
) -> Iterator[tuple[str, str]]:
    """Every id that means something here only, with its name: a letter and a number."""
    yield session, "s"
    judged = [reply for turn in said for reply in turn["replies"]]
    parts: dict[str, Iterable[str]] = {
        "v": (one["id"] for reply in judged for one in reply["verdicts"]),
        "k": (one["id"] for reply in judged for one in reply["corrections"]),
        "c": (one["row"]["id"] for one in held),
        "p": (row["id"] for one in held for row in one["proposals"]),
        "e": (row["id"] for row in used),
    }
    for letter, ids in parts.items():
        for number, one in enumerate(ids, 1):
            yield one, f"{letter}{number}"


def _rows(conn: Connection, table: Table, column: Column[Any], values: Sequence[str]) -> list[Row]:
    """The rows whose column has one of the values, in a fixed order."""
    found: list[Row] = []
    order = [one for one in ("number", "ordinal", "id") if one in table.c]
    for start in range(0, len(values), 500):
        query = select(table).where(column.in_(values[start : start + 500]))
        rows = conn.execute(query.order_by(*(table.c[name] for name in order)))
        found += [dict(row._mapping) for row in rows]
    return found


def _without(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in names}


def _session(conn: Connection, session_id: str) -> Row:
    return _rows(conn, sessions, sessions.c.id, [session_id])[0]


def _turns(conn: Connection, session: Session) -> list[Row]:
    return [
        {
            "row": turn,
            "replies": [
                {
                    "row": reply,
                    "verdicts": _rows(conn, verdicts, verdicts.c.reply, [reply["id"]]),
                    "corrections": _rows(conn, corrections, corrections.c.reply, [reply["id"]]),
                }
                for reply in _rows(conn, replies, replies.c.turn, [turn["id"]])
            ],
        }
        for turn in _rows(conn, turns, turns.c.session, [session.id])
    ]


def _capture(conn: Connection, row: Row) -> Row:
    offered = _rows(conn, proposals, proposals.c.capture, [row["id"]])
    decided = [_rows(conn, decisions, decisions.c.proposal, [one["id"]]) for one in offered]
    return {
        "row": _without(row, *_WHOSE),
        "captured": _rows(conn, captured, captured.c.capture, [row["id"]]),
        "proposals": offered,
        "decisions": [one for found in decided for one in found],
    }


def _last(conn: Connection, said: Sequence[Row], held: Sequence[Row]) -> int:
    """The last revision that a reply saw or a decision made."""
    seen = [reply["row"]["revision"] for turn in said for reply in turn["replies"]]
    causes = [row["id"] for one in held for row in one["proposals"]]
    made = select(func.max(operations.c.number)).where(operations.c.cause.in_(causes))
    last: int = max([0, *seen, conn.execute(made).scalar_one() or 0])
    return last


def _operations(conn: Connection, session: Session, last: int) -> list[Row]:
    query = select(operations).where(
        operations.c.account == session.account,
        operations.c.user == session.user,
        operations.c.number <= last,
    )
    found = [dict(row._mapping) for row in conn.execute(query.order_by(operations.c.number))]
    return [_as_before(row, session.user) for row in found]


def _as_before(row: Row, user: str) -> Row:
    """The operation without the mark of an import by bundle."""
    ours = user.startswith(BUNDLE_USER) and (row["sha256"] or "").startswith(
        user.removeprefix(BUNDLE_USER)
    )
    return {**row, "file": None, "sha256": None} if ours else row


def _branch(conn: Connection, session: Session) -> Row | None:
    if session.user.startswith(BUNDLE_USER):
        query = select(meta.c.value).where(meta.c.key == branch_key(session.user))
    else:
        name = session.user.removeprefix(BRANCH_USER)
        query = select(branches.c.revision).where(branches.c.id == name)
    revision = conn.execute(query).scalar_one_or_none()
    return None if revision is None else {"revision": int(revision)}


def imported_mark(user: str) -> str:
    """What stands behind the name of a user who was made for an imported session; else nothing."""
    known = user.removeprefix(BUNDLE_USER)
    return "" if known == user else f" (imported {known[:4]})"


def branch_key(user: str) -> str:
    """Where the record keeps the revision at which an imported session's branch began."""
    return f"{user} branched at"


def _collection(conn: Connection, session: Session) -> Row | None:
    if session.instance is None:
        return None
    query = select(collections.c.name, collections.c.sha256, collections.c.data).where(
        collections.c.account == session.account,
        collections.c.sha256 == session.instance.sha256,
    )
    row = conn.execute(query).one_or_none()
    if row is None:
        return None
    data = base64.b64encode(row.data).decode("ascii")
    return {"name": row.name, "sha256": row.sha256, "data": data}
