"""Rows of what is being made: instances, their versions, what annotators said. Append-only."""

import json
from collections.abc import Collection
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from memory_banks.entries import canonical
from memory_banks.forgetting import FORGOTTEN
from memory_banks.tables import entries
from sandbox.authoring.authored import (
    AUTHORED,
    Annotation,
    Authored,
    Version,
    authored_json,
)
from sandbox.episodes import told_entries
from sandbox.inputs import BadInput
from sandbox.tables import annotations, authored, authored_versions, model_checks

_ANNOTATION: TypeAdapter[Annotation] = TypeAdapter(Annotation)


class UnknownAuthored(BadInput):
    """The account makes no such instance."""


def add_authored(conn: Connection, account: str, found: Authored, at: str) -> None:
    """Store an instance without its versions."""
    conn.execute(
        insert(authored).values(
            id=found.id,
            account=account,
            collection=found.collection,
            kind=found.kind,
            created_at=at,
        )
    )


def add_version(conn: Connection, version: Version) -> None:
    """Store a version behind the others; its number must be the next.

    Raises:
        BadInput: if it was filled in before something that it holds was forgotten.
    """
    if _holds_forgotten(conn, version.authored):
        raise BadInput("Something that it holds was forgotten meanwhile: open it again.")
    conn.execute(
        insert(authored_versions).values(
            id=version.authored.id,
            number=version.number,
            author=version.author,
            state=version.stage,
            reason=version.reason,
            json=authored_json(version.authored),
            created_at=version.created_at,
        )
    )
    moved = update(authored).where(authored.c.id == version.authored.id)
    conn.execute(moved.values(collection=version.authored.collection))


def _holds_forgotten(conn: Connection, found: Authored) -> bool:
    """Whether words stand in it that were taken out of what it is a next version or a copy of."""
    mine = authored_versions.c.id == found.id
    query = select(authored_versions.c.json).where(mine)
    before = conn.execute(query.order_by(authored_versions.c.number.desc()).limit(1)).scalar()
    if before is not None:
        return bool(json.loads(before)["forgotten"] != found.forgotten)
    held = {one.cites: one.held.text for one in found.pool if one.cites}
    gold = (one for told in found.talk.sessions for one in told_entries(told)) if found.talk else ()
    texts = {one.key: one.text for one in gold}
    held |= {entry: texts.get(key, FORGOTTEN) for key, entry in found.citations}
    telling = [entry for entry, text in held.items() if text != FORGOTTEN]
    gone = select(entries.c.id).where(entries.c.id.in_(telling), entries.c.text == FORGOTTEN)
    return conn.execute(gone.limit(1)).first() is not None


def must_own(conn: Connection, account: str, id_: str) -> None:
    """Refuse an instance of another account, or none.

    Raises:
        UnknownAuthored: if the account has none with this id.
    """
    query = select(authored.c.id).where(authored.c.id == id_, authored.c.account == account)
    if conn.execute(query).one_or_none() is None:
        raise UnknownAuthored(f"Nothing is made here under the name {id_[:40]!r}: reload the page.")


def versions_of(conn: Connection, id_: str) -> list[Version]:
    """Every version, oldest first."""
    query = select(authored_versions).where(authored_versions.c.id == id_)
    return [_version(row) for row in conn.execute(query.order_by(authored_versions.c.number))]


def latest(conn: Connection, account: str, id_: str) -> Version:
    """The latest version.

    Raises:
        UnknownAuthored: if the account has none with this id.
    """
    must_own(conn, account, id_)
    query = select(authored_versions).where(authored_versions.c.id == id_)
    row = conn.execute(query.order_by(authored_versions.c.number.desc()).limit(1)).one()
    return _version(row)


def all_latest(
    conn: Connection, account: str, collection: str | None = None, *, deleted: bool = False
) -> list[Version]:
    """The latest version of each instance, in the order in which they were begun.

    Of one collection where one is named; deleted ones are left out unless they alone are asked for.
    """
    last = (
        select(authored_versions.c.id, func.max(authored_versions.c.number).label("number"))
        .group_by(authored_versions.c.id)
        .subquery()
    )
    gone = authored.c.deleted_at.is_not(None) if deleted else authored.c.deleted_at.is_(None)
    query = (
        select(authored_versions)
        .join(
            last,
            (last.c.id == authored_versions.c.id) & (last.c.number == authored_versions.c.number),
        )
        .join(authored, authored.c.id == authored_versions.c.id)
        .where(authored.c.account == account, gone)
        .order_by(authored.c.created_at, authored.c.id)
    )
    if collection is not None:
        query = query.where(authored.c.collection == collection)
    return [_version(row) for row in conn.execute(query)]


def set_deleted(conn: Connection, id_: str, at: str | None) -> None:
    """Delete an instance, or with null take that back; its versions stay."""
    conn.execute(update(authored).where(authored.c.id == id_).values(deleted_at=at))


def add_annotation(conn: Connection, new_id: str, id_: str, annotation: Annotation) -> None:
    """Store what an annotator said."""
    row = {"id": new_id, "authored": id_, "author": annotation.author, "number": annotation.number}
    told = _ANNOTATION.dump_python(annotation, mode="json")
    conn.execute(
        insert(annotations).values(**row, json=canonical(told), done_at=annotation.done_at)
    )


def annotations_of(conn: Connection, id_: str) -> list[Annotation]:
    """What annotators said of an instance, in order."""
    query = select(annotations.c.json).where(annotations.c.authored == id_)
    rows = conn.execute(query.order_by(annotations.c.number)).scalars()
    return [_ANNOTATION.validate_python(json.loads(raw)) for raw in rows]


def remove_authored(conn: Connection, ids: Collection[str]) -> int:
    """Remove instances with all their versions, annotations and checks; how many."""
    conn.execute(delete(model_checks).where(model_checks.c.authored.in_(ids)))
    conn.execute(delete(annotations).where(annotations.c.authored.in_(ids)))
    conn.execute(delete(authored_versions).where(authored_versions.c.id.in_(ids)))
    return conn.execute(delete(authored).where(authored.c.id.in_(ids))).rowcount


def _version(row: Row[Any]) -> Version:
    return Version(
        number=row.number,
        author=row.author,
        stage=row.state,
        reason=row.reason,
        created_at=row.created_at,
        authored=AUTHORED.validate_json(row.json),
    )
