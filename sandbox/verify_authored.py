"""Does what is made here hold together? One sentence a problem."""

from collections.abc import Iterator

from pydantic import ValidationError
from sqlalchemy import Connection, Table, func, select

from sandbox.authoring.authored import STAGES
from sandbox.authoring.model_checks.store import checks_of
from sandbox.authoring.store import annotations_of, versions_of
from sandbox.tables import annotations, authored, authored_versions, model_checks


def authored_problems(conn: Connection) -> Iterator[str]:
    """What is wrong with instances and annotations."""
    yield from _gaps(conn, authored_versions, "id")
    yield from _gaps(conn, annotations, "authored")
    yield from _gaps(conn, model_checks, "authored")
    for id_ in conn.execute(select(authored.c.id).order_by(authored.c.id)).scalars():
        yield from _unreadable(conn, id_)


def _gaps(conn: Connection, table: Table, whose: str) -> Iterator[str]:
    count, last = func.count(), func.max(table.c.number)
    query = select(table.c[whose]).group_by(table.c[whose]).having(count != last)
    for id_ in conn.execute(query.order_by(table.c[whose])).scalars():
        yield f"the {table.name} of the instance {id_} are not numbered from 1 without a gap"


def _unreadable(conn: Connection, id_: str) -> Iterator[str]:
    try:
        versions = versions_of(conn, id_)
        told = annotations_of(conn, id_)
        checks = checks_of(conn, id_)
    except ValidationError:
        yield f"a version, an annotation or a check of the instance {id_} cannot be read"
        return
    if not versions:
        yield f"the instance {id_} has no version"
    for version in versions:
        if version.authored.id != id_ or version.stage not in STAGES:
            yield f"version {version.number} of the instance {id_} is not what it is called"
    numbers = [("an annotation", one.of) for one in told]
    numbers += [("a check", one.version) for one in checks]
    for what, number in numbers:
        if not 1 <= number <= len(versions):
            yield f"{what} of the instance {id_} is of a version that is not there"
