"""Rows of the ledger's tables and the values they stand for, both ways."""

import json
from typing import Any, cast

from sqlalchemy import Row

from memory_banks.entries import (
    Dyad,
    Entry,
    ImportedFrom,
    Operation,
    Provenance,
    Scope,
    canonical,
)

_PLAIN = ("key", "type", "text", "anchor", "emotion", "scene", "author")
"""Fields of an entry that are kept as they are."""


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


def to_fields(entry: Entry) -> dict[str, Any]:
    """The entry as JSON, without whose it is."""
    told = entry.provenance
    return {
        **{name: getattr(entry, name) for name in _PLAIN},
        "side": entry.scope.side,
        "session": told.session,
        "turns": list(told.turns),
        "role": told.role,
    }


def from_fields(fields: dict[str, Any], dyad: Dyad) -> Entry:
    """The entry that `to_fields` wrote, in the dyad's user or dyad scope."""
    told = Provenance(fields["session"], tuple(fields["turns"]), fields["role"])
    plain = {name: fields[name] for name in _PLAIN}
    return Entry(scope=dyad.scope(fields["side"]), provenance=told, **plain)


def texts_from(stored: str) -> tuple[str, ...]:
    """The texts of a JSON list; most lists are empty."""
    return () if stored == "[]" else tuple(cast("list[str]", json.loads(stored)))
