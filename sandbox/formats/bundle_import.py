"""A bundle put into a record: its session with its bank, for a user of its own.

The user's id is made of the file, so that a bundle is imported once however often it is given, and
nothing of anybody's memory is touched. What was written is taken out again at once: unless that is
the same file to the byte, nothing is kept.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Table, insert, update
from sqlalchemy.exc import SQLAlchemyError

from memory_banks.dialect import insert_new
from memory_banks.entries import canonical, digest
from memory_banks.ledger import User, ensure_user, find_user
from memory_banks.tables import (
    captured,
    captures,
    decisions,
    entries,
    meta,
    operations,
    proposals,
    users,
)
from sandbox.evaluation.verdicts import corrections_of, verdicts_of
from sandbox.formats.bundle import Bundle, Row, bundle_of
from sandbox.formats.bundle_export import BUNDLE_USER, branch_key, exported, imported_mark
from sandbox.formats.bundle_names import resolved
from sandbox.formats.bundle_rows import check_rows
from sandbox.formats.reading import FormatError, read_json
from sandbox.reply_traces import find_reply
from sandbox.tables import collections, corrections, replies, sessions, turns, verdicts
from sandbox.transcripts import UnknownSession, transcript


def imported(conn: Connection, account: str, data: bytes, file: str, at: str) -> str:
    """Put the bundle into the record and return its session's id; known already, only that.

    Raises:
        FormatError: if it is no bundle, or what it holds does not fit together. The caller's
            transaction must not be kept then.
    """
    sha256 = hashlib.sha256(data).hexdigest()
    whole = bundle_of(read_json(data, file), file)
    check_rows(whole, file)
    session = _new_id(sha256, "s")
    user = f"{BUNDLE_USER}{sha256[:32]}"
    if find_user(conn, account, user) is not None:
        return session
    try:
        bundle = _with_ids(whole, sha256, account, user)
        _write(conn, bundle, account, user, at)
        _write_bank(conn, bundle, account, user, file, sha256)
        back = exported(conn, account, session)
        _check_readable(conn, account, session)
    except (KeyError, TypeError, ValueError, SQLAlchemyError, UnknownSession) as error:
        raise FormatError(f"{file}: what it holds does not fit together") from error
    if back != data:
        raise FormatError(f"{file}: it was changed by hand, or written by another version")
    return session


def _check_readable(conn: Connection, account: str, session: str) -> None:
    """Read everything once, as the page will."""
    for turn in transcript(conn, account, session).turns:
        for line in turn.replies:
            find_reply(conn, account, line.id)
            verdicts_of(conn, line.id)
            corrections_of(conn, line.id)


def _new_id(sha256: str, name: str) -> str:
    return digest("bundle", sha256, name)


def _with_ids(whole: Bundle, sha256: str, account: str, user: str) -> Bundle:
    """The bundle with the ids that it has in this record in place of its names."""
    marker = whole.marker
    text = canonical({**whole.model_dump(), "marker": ""})
    text = resolved(
        text, marker, lambda name: None if name.startswith("e") else _new_id(sha256, name)
    )
    ids = {
        f"e{number}": digest("entry", account, user, row["agent"], row["key"])
        for number, row in enumerate(json.loads(text)["entries"], 1)
    }
    return Bundle.model_validate(json.loads(resolved(text, marker, ids.get)))


def _put(conn: Connection, table: Table, rows: Iterable[Row]) -> None:
    found = [{column.name: row[column.name] for column in table.c} for row in rows]
    if found:
        conn.execute(insert(table), found)


def _write(conn: Connection, bundle: Bundle, account: str, user: str, at: str) -> None:
    """The talk, what was judged and captured of it, and the collection that it came from."""
    whose = {"account": account, "user": user}
    name = f"{bundle.user.name}{imported_mark(user)}"
    ensure_user(conn, User(account, user, name, bundle.user.profile, 0), at)
    if bundle.branch is not None:
        _put(conn, meta, [{"key": branch_key(user), "value": str(bundle.branch.revision)}])
    if bundle.collection is not None:
        _write_collection(conn, bundle, account, at)
    _put(conn, sessions, [{**bundle.session, **whose, "continues": None}])
    _put(conn, turns, [turn.row for turn in bundle.turns])
    said = [reply for turn in bundle.turns for reply in turn.replies]
    _put(conn, replies, [reply.row for reply in said])
    _put(conn, verdicts, [row for reply in said for row in reply.verdicts])
    _put(conn, corrections, [row for reply in said for row in reply.corrections])
    for one in bundle.captures:
        _put(conn, captures, [{**one.row, **whose}])
        _put(conn, captured, one.captured)
        _put(conn, proposals, one.proposals)
        _put(conn, decisions, one.decisions)


def _write_collection(conn: Connection, bundle: Bundle, account: str, at: str) -> None:
    told = bundle.collection
    assert told is not None
    try:
        data = base64.b64decode(told.data, validate=True)
    except binascii.Error as error:
        raise ValueError("the collection is no base64") from error
    if hashlib.sha256(data).hexdigest() != told.sha256:
        raise ValueError("the collection is not the file that it is said to be")
    insert_new(
        conn,
        collections,
        account=account,
        sha256=told.sha256,
        name=told.name,
        data=data,
        created_at=at,
    )


def _write_bank(
    conn: Connection, bundle: Bundle, account: str, user: str, file: str, sha256: str
) -> None:
    """Entries and operations, marked as imported, and the counter that follows from them."""
    whose = {"account": account, "user": user}
    rows = [{**row, "id": row["name"], **whose} for row in bundle.entries]
    _put(conn, entries, rows)
    done = [_operation(row, whose, file, sha256) for row in bundle.operations]
    _check_numbers(done)
    _put(conn, operations, done)
    mine = users.c.account == account, users.c.id == user
    conn.execute(update(users).where(*mine).values(head=len(done)))


def _operation(row: Row, whose: dict[str, Any], file: str, sha256: str) -> Row:
    name = digest(row["kind"], row["entry"], row["cause"])
    mark = {} if row["sha256"] else {"file": file, "sha256": sha256}
    return {**row, "id": name, **whose, **mark}


def _check_numbers(done: Sequence[Row]) -> None:
    if [row["number"] for row in done] != list(range(1, len(done) + 1)):
        raise ValueError("operations must be numbered from 1 without a gap")
