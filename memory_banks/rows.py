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
    """The entry that a whole row of `entries` holds."""
    # By position: a page reads tens of thousands, and a row's names are slow.
    _id, key, account, user, agent, kind, *said, author, session, turns, role = tuple(row)
    text, anchor, emotion, scene = said
    return Entry(
        key=key,
        scope=Scope(account, user, agent),
        type=kind,
        text=text,
        anchor=anchor,
        emotion=emotion,
        scene=scene,
        author=author,
        provenance=Provenance(session, texts_from(turns), role),
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
    """The operation that a whole row of `operations` holds."""
    key, account, user, agent, number, kind, entry, replaces, *why, at, file, sha256 = tuple(row)
    reason, cause = why
    return Operation(
        id=key,
        scope=Scope(account, user, agent),
        number=number,
        kind=kind,
        entry_id=entry,
        replaces=texts_from(replaces),
        reason=reason,
        cause=cause,
        at=at,
        imported=ImportedFrom(file, sha256) if sha256 else None,
    )


def texts_from(stored: str) -> tuple[str, ...]:
    """The texts of a JSON list; most lists are empty."""
    return () if stored == "[]" else tuple(cast("list[str]", json.loads(stored)))
