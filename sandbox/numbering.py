"""Rows of a reply in the order they came in, whatever the clock says."""

from typing import Any

from sqlalchemy import Connection, Table, func, insert, select


def append_numbered(conn: Connection, table: Table, **row: Any) -> None:
    """Insert `row` behind the others of its reply; `table` has a column `number`."""
    last = select(func.coalesce(func.max(table.c.number), 0)).where(table.c.reply == row["reply"])
    conn.execute(insert(table).values(**row, number=conn.execute(last).scalar_one() + 1))
