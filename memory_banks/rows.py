"""Rows of the ledger's tables and the values they stand for, both ways."""

import json
from typing import Any, cast

from sqlalchemy import Row

from memory_banks.entries import Entry, ImportedFrom, Operation, Provenance, Scope, canonical


def entry_row(entry: Entry) -> dict[str, Any]:
    """The row of `entries` that holds `entry`."""
    return {
        "id": entry.id,
        "key": entry.key,
        "account": entry.scope.account,
        "user": entry.scope.user,
        "agent": entry.scope.agent,
        "type": entry.type,
        "text": entry.text,
        "anchor": entry.anchor,
        "emotion": entry.emotion,
        "scene": entry.scene,
        "author": entry.author,
        "session": entry.provenance.session,
        "turns": canonical(list(entry.provenance.turns)),
        "role": entry.provenance.role,
    }


def entry_from(row: Row[Any]) -> Entry:
    """The entry that a row of `entries` holds."""
    return Entry(
        key=row.key,
        scope=Scope(row.account, row.user, row.agent),
        type=row.type,
        text=row.text,
        anchor=row.anchor,
        emotion=row.emotion,
        scene=row.scene,
        author=row.author,
        provenance=Provenance(row.session, tuple(json.loads(row.turns)), row.role),
    )


def operation_row(operation: Operation) -> dict[str, Any]:
    """The row of `operations` that holds `operation`."""
    imported = operation.imported
    return {
        "id": operation.id,
        "account": operation.scope.account,
        "user": operation.scope.user,
        "agent": operation.scope.agent,
        "number": operation.number,
        "kind": operation.kind,
        "entry": operation.entry_id,
        "replaces": canonical(list(operation.replaces)),
        "reason": operation.reason,
        "cause": operation.cause,
        "at": operation.at,
        "file": imported.file if imported else None,
        "sha256": imported.sha256 if imported else None,
    }


def operation_from(row: Row[Any]) -> Operation:
    """The operation that a row of `operations` holds."""
    return Operation(
        id=row.id,
        scope=Scope(row.account, row.user, row.agent),
        number=row.number,
        kind=row.kind,
        entry_id=row.entry,
        replaces=tuple(cast("list[str]", json.loads(row.replaces))),
        reason=row.reason,
        cause=row.cause,
        at=row.at,
        imported=ImportedFrom(row.file, row.sha256) if row.sha256 else None,
    )
