"""Rows of checks that need a model. Append-only; only forgetting blanks texts in them."""

from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from memory_banks.entries import canonical
from memory_banks.forgetting import FORGOTTEN
from sandbox.authoring.model_checks.found import FOUND, Checked, CheckKind
from sandbox.lifecycle.redaction import Redaction
from sandbox.tables import authored, model_checks

_WRITTEN = ("text", "why", "quote", "against", "trouble")
"""Fields that a model wrote, or that quote what it was shown."""
_LISTED = ("troubles", "notes")


def add_check(conn: Connection, found: Checked) -> None:
    """Store a check behind the others of its instance."""
    mine = model_checks.c.authored == found.authored
    last = select(func.coalesce(func.max(model_checks.c.number), 0)).where(mine)
    conn.execute(
        insert(model_checks).values(
            id=found.id,
            authored=found.authored,
            number=conn.execute(last).scalar_one() + 1,
            kind=found.found.kind,
            version=found.version,
            inputs=found.inputs,
            json=canonical(FOUND.dump_python(found.found, mode="json")),
            created_at=found.created_at,
        )
    )


def checks_of(conn: Connection, id_: str) -> list[Checked]:
    """Every check of an instance, oldest first."""
    query = select(model_checks).where(model_checks.c.authored == id_)
    return [_checked(row) for row in conn.execute(query.order_by(model_checks.c.number))]


def latest_checks(conn: Connection, id_: str) -> dict[CheckKind, Checked]:
    """The latest check of each kind, in the order in which they were made."""
    mine = model_checks.c.authored == id_
    last = select(func.max(model_checks.c.number)).where(mine).group_by(model_checks.c.kind)
    query = select(model_checks).where(mine, model_checks.c.number.in_(last))
    found = [_checked(row) for row in conn.execute(query.order_by(model_checks.c.number))]
    return {one.found.kind: one for one in found}


def clean_checks(
    conn: Connection, account: str, redaction: Redaction, touched: Collection[str]
) -> None:
    """Take forgotten words out of checks; all that a model wrote where it was shown the words.

    `touched` are the instances that held them: an answer may say them in words of its own.
    """
    query = select(model_checks).join(authored).where(authored.c.account == account)
    for row in conn.execute(query).all():
        raw = _blanked(row.json) if row.authored in touched else redaction.json(row.json)
        if raw != row.json:
            changed = update(model_checks).where(model_checks.c.id == row.id)
            conn.execute(changed.values(json=raw))


def _blanked(raw: str) -> str:
    value = FOUND.dump_python(FOUND.validate_json(raw), mode="json")
    return canonical(_without_words(value))


def _without_words(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_words(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: FORGOTTEN
        if key in _WRITTEN and one
        else _all_gone(one)
        if key in _LISTED
        else _without_words(one)
        for key, one in value.items()
    }


def _all_gone(told: Iterable[str]) -> list[str]:
    return [FORGOTTEN for _ in told]


def _checked(row: Row[Any]) -> Checked:
    return Checked(
        id=row.id,
        authored=row.authored,
        version=row.version,
        inputs=row.inputs,
        found=FOUND.validate_json(row.json),
        created_at=row.created_at,
    )
