"""Is the ledger consistent? Every check reads only and says each problem in one sentence."""

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np
from sqlalchemy import Column, Connection, Row, select

from memory_banks.entries import Dyad, Scope, digest
from memory_banks.rows import entry_from, from_fields, operation_from
from memory_banks.tables import (
    captured,
    captures,
    decisions,
    entries,
    operations,
    proposals,
    users,
    vectors,
)

_UNIT = 1e-3


def ledger_problems(conn: Connection) -> list[str]:
    """Everything in the ledger that cannot be, one sentence each; empty where it is consistent."""
    return [
        *_numbers(conn),
        *_entries(conn),
        *_operations(conn),
        *_histories(conn),
        *_vectors(conn),
        *_references(conn),
        *_decisions(conn),
    ]


def _numbers(conn: Connection) -> Iterator[str]:
    """A user's operations are numbered 1 to head, over all scopes."""
    heads = {(row.account, row.id): row.head for row in conn.execute(select(users))}
    columns = operations.c.account, operations.c.user, operations.c.number
    rows = conn.execute(select(*columns).order_by(*columns))
    found = {key: [row.number for row in group] for key, group in groupby(rows, lambda r: r[:2])}
    for owner in sorted(found.keys() - heads.keys()):
        yield f"User {owner[1]!r} has operations and no row of their own."
    for owner, head in sorted(heads.items()):
        numbers = found.get(owner, [])
        if numbers != list(range(1, head + 1)):
            yield (
                f"User {owner[1]!r} has the counter {head} and {len(numbers)} operations numbered "
                f"up to {max(numbers, default=0)}, not 1 to {head}."
            )


def _entries(conn: Connection) -> Iterator[str]:
    """An entry's id is made of its scope and key, and an operation added it."""
    added = set(
        conn.execute(select(operations.c.entry).where(operations.c.kind == "add")).scalars()
    )
    for row in conn.execute(select(entries)):
        if entry_from(row).id != row.id:
            yield f"Entry {row.id} has not the id that its scope and key give."
        if row.id not in added:
            yield f"Entry {row.id} was never added."


def _operations(conn: Connection) -> Iterator[str]:
    """An operation's id is made of its fields, and it is in its entry's scope."""
    columns = (entries.c[name].label(f"entry_{name}") for name in ("account", "user", "agent"))
    query = select(operations, *columns).outerjoin(entries, entries.c.id == operations.c.entry)
    for row in conn.execute(query):
        if row.id != digest(row.kind, row.entry, row.cause):
            yield f"Operation {row.id} has not the id that its fields give."
        if row.entry_account is None:
            yield f"Operation {row.id} names entry {row.entry}, which does not exist."
        elif Scope(row.account, row.user, row.agent) != Scope(*row[-3:]):
            yield f"Operation {row.id} is not in the scope of its entry {row.entry}."


def _histories(conn: Connection) -> Iterator[str]:
    """Of an entry, adds and deletes alternate; what is replaced was deleted before."""
    live: dict[str, bool] = {}
    order = operations.c.account, operations.c.user, operations.c.number
    for row in conn.execute(select(operations).order_by(*order)):
        operation = operation_from(row)
        added = operation.kind == "add"
        if live.get(operation.entry_id, False) == added:
            state = "live already" if added else "not live"
            yield f"Operation {row.id} would {row.kind} entry {row.entry}, which was {state}."
        live[operation.entry_id] = added
        for replaced in operation.replaces:
            if live.get(replaced, True):
                yield f"Operation {row.id} replaces entry {replaced}, which was not deleted before."


def _vectors(conn: Connection) -> Iterator[str]:
    """A vector is made of float32 numbers, as many as its embedder's others, of length 1."""
    lengths: dict[str, int] = {}
    for row in conn.execute(select(vectors).order_by(vectors.c.embedder, vectors.c.entry)):
        if problem := _vector_problem(row, lengths):
            yield f"The vector of entry {row.entry} by {row.embedder} {problem}."


def _vector_problem(row: Row[Any], lengths: dict[str, int]) -> str | None:
    size = len(row.vector)
    if size == 0 or size % 4:
        return f"has {size} bytes, which are no float32 numbers"
    if size != lengths.setdefault(row.embedder, size):
        return f"has {size // 4} numbers where others have {lengths[row.embedder] // 4}"
    vector = np.frombuffer(row.vector, dtype="<f4").astype(np.float64)
    if not np.isfinite(vector).all():
        return "holds a value that is no number"
    if abs(float(np.linalg.norm(vector)) - 1) > _UNIT:
        return f"has the length {np.linalg.norm(vector):.3f}, not 1"
    return None


def _references(conn: Connection) -> Iterator[str]:
    """Rows name rows that exist. SQLite checks that only while it is asked to."""
    links: tuple[tuple[Column[str], Column[str]], ...] = (
        (vectors.c.entry, entries.c.id),
        (captured.c.capture, captures.c.id),
        (proposals.c.capture, captures.c.id),
        (decisions.c.proposal, proposals.c.id),
    )
    for named, there in links:
        query = select(named).distinct().outerjoin(there.table, there == named)
        for missing in conn.execute(query.where(there.is_(None))).scalars():
            yield f"A row of {named.table.name} names the {named.name} {missing}, which is missing."


def _decisions(conn: Connection) -> Iterator[str]:
    """A proposal's operations are there exactly when it was approved and that was applied."""
    causes = set(conn.execute(select(operations.c.cause).distinct()).scalars())
    held = set(conn.execute(select(entries.c.id)).scalars())
    query = select(
        proposals.c.id,
        proposals.c.entry,
        *(captures.c[name] for name in ("account", "user", "agent")),
        *(decisions.c[name] for name in ("verdict", "edited", "applied")),
    ).select_from(proposals.join(captures).outerjoin(decisions))
    for row in conn.execute(query):
        if row.verdict == "approved" and row.applied:
            # An approved entry that was in the bank already needed no operation, nor did a wish
            # to forget what had gone already.
            if row.id not in causes and _entry_id(row) not in held | {None}:
                yield f"Proposal {row.id} is marked as applied and has no operation."
        elif row.id in causes:
            yield f"Proposal {row.id} has operations without an applied approval."


def _entry_id(row: Row[Any]) -> str | None:
    if row.edited is None and row.entry is None:
        return None
    fields = json.loads(row.edited or row.entry)
    return from_fields(fields, Dyad(row.account, row.user, row.agent)).id
