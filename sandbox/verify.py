"""Is everything in the data folder consistent? Reads only; one sentence a problem."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from sqlalchemy import Connection, func, select

from memory_banks import folders
from memory_banks.checking import Answer, Question, check_in_child, question
from memory_banks.tables import entries, metadata, operations, users, vectors
from memory_banks.verify import ledger_problems
from sandbox import migrations
from sandbox.folder import Layout
from sandbox.record import Record, RecordError
from sandbox.tables import replies, sessions, turns, verdicts
from sandbox.verify_authored import authored_problems
from sandbox.verify_judged import judged_problems
from sandbox.verify_memory import memory_problems
from sandbox.verify_talk import talk_problems

CHECK_SECONDS = 120.0
_COUNTED = (users, sessions, turns, replies, entries, operations, vectors, verdicts)
_OTHER_EMBEDDER = "it was made with the embedder"
_UNCHECKED = "The vector index was not checked."
_EMPTY = "Nothing was written in the record yet."


@dataclass(frozen=True, slots=True)
class IndexCheck:
    """How the vector index stands to the ledger."""

    sentence: str
    """What was found, also where all is well."""
    difference: bool
    """Whether the index holds something else than the ledger."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a check of a data folder found."""

    problems: tuple[str, ...]
    """One sentence each; empty where all is consistent."""
    counts: dict[str, int]
    """Rows by table, of the tables that people know."""
    index: str
    """How the vector index stands."""

    @property
    def consistent(self) -> bool:
        """Whether there is no problem."""
        return not self.problems


def verify(layout: Layout, record: Record) -> Report:
    """Check the record, the ledger in it, and the vector index against the ledger.

    Nothing is written and no lock is needed: the record is read as one snapshot, and the index is
    checked on a copy, in a child process.
    """
    try:
        with record.read() as conn:
            counts, found = _record_checked(conn)
    except RecordError as error:
        counts, found = {}, [str(error)]
    if not counts:
        return Report(tuple(found), counts, _UNCHECKED if found else _EMPTY)
    index = check_index(layout, record)
    problems = [*found, index.sentence] if index.difference else found
    return Report(tuple(problems), counts, index.sentence)


def check_index(layout: Layout, record: Record) -> IndexCheck:
    """Whether the live vector index agrees with the ledger as far as it follows it.

    An index that is behind, or not there yet, is no difference: recall searches the ledger then.
    A difference found while another process writes is looked at once more.
    """
    check = _check_index(layout, record)
    return _check_index(layout, record) if check.difference else check


def _record_checked(conn: Connection) -> tuple[dict[str, int], list[str]]:
    """Rows by table, and the problems; no counts where the database is empty or broken."""
    if migrations.empty(conn):
        return {}, []
    broken = list(_database_problems(conn))
    if broken:
        return {}, broken
    counts = {table.name: _count(conn, table.name) for table in _COUNTED}
    found = [*ledger_problems(conn), *talk_problems(conn), *memory_problems(conn)]
    return counts, [*found, *judged_problems(conn), *authored_problems(conn)]


def embedders(conn: Connection) -> list[str]:
    """Ids of the embedders that made the ledger's vectors."""
    query = select(vectors.c.embedder).distinct().order_by(vectors.c.embedder)
    return list(conn.execute(query).scalars())


def _check_index(layout: Layout, record: Record) -> IndexCheck:
    with record.read() as conn:
        path = folders.live_folder(conn, layout.index)
        names = embedders(conn)
        asked = {name: question(conn, name) for name in names}
    if path is None or not names:
        return IndexCheck("There is no vector index yet; it is made at the next start.", False)
    if folders.mark(path) is None:
        return IndexCheck(
            "The vector index is missing from the data folder; it is made anew at the next start.",
            True,
        )
    answers = [_ask(path, asked[name]) for name in names]
    ours = [found for found in answers if not (found.difference or "").startswith(_OTHER_EMBEDDER)]
    answer = (ours or answers)[0]
    if answer.difference:
        return IndexCheck(
            f"The vector index differs from the ledger ({answer.difference}); it is made anew at "
            "the next start, or now with bank rebuild.",
            True,
        )
    return IndexCheck("The vector index agrees with the ledger.", False)


def _ask(path: Path, asked: Question) -> Answer:
    """What a child process says about a copy of the index: opening the index would write in it."""
    with tempfile.TemporaryDirectory(prefix="sandbox-index-") as place:
        copy = Path(place) / path.name
        try:
            shutil.copytree(path, copy)
        except (OSError, shutil.Error) as error:
            return Answer(difference=f"it could not be copied ({type(error).__name__})")
        return check_in_child(copy, asked, CHECK_SECONDS, Event())


def _database_problems(conn: Connection) -> Iterator[str]:
    """What makes looking further useless."""
    found = migrations.version(conn)
    if found != migrations.VERSION:
        yield (
            f"the record has schema version {found} and this program reads {migrations.VERSION}: "
            "start the sandbox on it once, or use the version that wrote it"
        )
        return
    if conn.dialect.name == "sqlite":
        checked = conn.exec_driver_sql("PRAGMA integrity_check(10)").scalars().all()
        yield from (f"the record is damaged: {line}" for line in checked if line != "ok")
        for row in conn.exec_driver_sql("PRAGMA foreign_key_check"):
            yield f"row {row[1]} of {row[0]} names a row of {row[2]} that is not there"


def _count(conn: Connection, table: str) -> int:
    return int(conn.execute(select(func.count()).select_from(metadata.tables[table])).scalar_one())
