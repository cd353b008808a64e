"""Do verdicts, corrections and experiments hold together? One sentence a problem."""

from collections.abc import Iterator

from pydantic import ValidationError
from sqlalchemy import Connection, Table, func, select

from sandbox.evaluation.experiments import experiments_of
from sandbox.evaluation.verdicts import verdicts_of
from sandbox.tables import corrections, experiments, verdicts


def judged_problems(conn: Connection) -> Iterator[str]:
    """What is wrong with what was judged, in a fixed order."""
    for table in (verdicts, corrections, experiments):
        yield from _gaps(conn, table)
    for reply in _replies(conn, verdicts):
        try:
            verdicts_of(conn, reply)
        except ValidationError:
            yield f"a verdict on reply {reply} cannot be read"
    for reply in _replies(conn, experiments):
        try:
            experiments_of(conn, reply)
        except ValidationError:
            yield f"an experiment on reply {reply} cannot be read"
    yield from _strays(conn)


def _gaps(conn: Connection, table: Table) -> Iterator[str]:
    count, last = func.count(), func.max(table.c.number)
    query = select(table.c.reply).group_by(table.c.reply).having(count != last)
    for reply in conn.execute(query.order_by(table.c.reply)).scalars():
        yield f"the {table.name} of reply {reply} are not numbered from 1 without a gap"


def _replies(conn: Connection, table: Table) -> list[str]:
    return list(conn.execute(select(table.c.reply).distinct().order_by(table.c.reply)).scalars())


def _strays(conn: Connection) -> Iterator[str]:
    """Corrections of a verdict on another reply."""
    query = (
        select(corrections.c.id)
        .join(verdicts, corrections.c.verdict == verdicts.c.id)
        .where(corrections.c.reply != verdicts.c.reply)
    )
    for one in conn.execute(query.order_by(corrections.c.id)).scalars():
        yield f"correction {one} changes a verdict on another reply"
