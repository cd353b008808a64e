"""The one place where SQLite and Postgres are told apart in a statement."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def insert_new(conn: Connection, table: Table, **values: Any) -> bool:
    """Insert a row unless one with its primary key is there; whether it was inserted."""
    make = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
    keys = [column.name for column in table.primary_key.columns]
    statement = make(table).values(**values).on_conflict_do_nothing(index_elements=keys)
    return conn.execute(statement).rowcount > 0


def insert_new_rows(conn: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert the rows whose primary key is not there yet, in one round trip a batch."""
    if not rows:
        return
    make = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
    keys = [column.name for column in table.primary_key.columns]
    conn.execute(make(table).on_conflict_do_nothing(index_elements=keys), list(rows))


def put(conn: Connection, table: Table, **values: Any) -> None:
    """Insert a row, or overwrite the one with its primary key."""
    make = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
    keys = [column.name for column in table.primary_key.columns]
    rest = {name: value for name, value in values.items() if name not in keys}
    statement = make(table).values(**values)
    conn.execute(statement.on_conflict_do_update(index_elements=keys, set_=rest))
