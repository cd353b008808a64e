"""The record: one database that holds everything that counts, and its transactions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, IntegrityError

from sandbox import migrations

Step = Literal[
    "T1",
    "T2",
    "T3",
    "T4 captured",
    "T4 proposed",
    "T5",
    "T6",
    "import",
    "judged",
    "authored",
    "derived",
]
"""The write path, one transaction each; the last four are outside a conversation."""
Phase = Literal["open", "written", "committed"]
Watch = Callable[[Step, Phase], None]
"""Called as a transaction opens, just before it commits, and after. For logs and tests."""


class RecordError(Exception):
    """The database cannot be read or written; the message says why and what to do."""


def unwatched(_step: Step, _phase: Phase) -> None:
    """Watch nothing."""


class Record:
    """The database. `read` and `write` give a connection in a transaction of its own."""

    def __init__(self, url: str, watch: Watch = unwatched) -> None:
        """Connect to nothing yet.

        Raises:
            RecordError: if the URL cannot be used.
        """
        try:
            self._engine = _engine(url)
        except (ArgumentError, ModuleNotFoundError, ValueError):
            raise RecordError(_BAD_URL) from None
        self._watch = watch

    @property
    def on_server(self) -> bool:
        """Whether a database server keeps it, whose files are not ours to clean."""
        return self._engine.dialect.name != "sqlite"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A snapshot to read from."""
        with self._translated(), self._engine.connect() as conn, conn.begin():
            yield conn

    @contextmanager
    def write(self, step: Step) -> Iterator[Connection]:
        """A transaction that is whole or not at all, durable once the block is left."""
        with self._translated():
            with self._engine.connect().execution_options(writes=True) as conn, conn.begin():
                self._watch(step, "open")
                yield conn
                self._watch(step, "written")
            self._watch(step, "committed")

    def migrate(self) -> None:
        """Bring the schema to this version.

        Raises:
            RecordError: if the database was written by a newer version.
        """
        try:
            with self.write("derived") as conn:
                migrations.migrate(conn)
        except migrations.NewerSchema as error:
            raise RecordError(str(error)) from error

    def compact(self) -> None:
        """Keep nothing of what was deleted in the database's files, as far as SQLite can.

        Freed pages are overwritten as they are freed; here the log is emptied and the file
        rewritten. Postgres does this in its own time (VACUUM).
        """
        with self._translated(), self._engine.connect() as conn:
            if conn.dialect.name != "sqlite":
                return
            raw = conn.connection.driver_connection
            assert raw is not None
            for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                raw.execute(statement)

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError:
            raise
        except DatabaseError as error:
            raise RecordError(_sentence(str(error.orig))) from error


_BAD_URL = (
    "SANDBOX_DATABASE_URL cannot be used: give a SQLAlchemy URL such as "
    "postgresql+psycopg://USER@HOST/NAME, with its driver installed, or leave it out."
)
"""Says nothing of the URL: it may hold a password."""


_WRITERS = 0x5AB0
"""Number of the advisory lock that the writers of a Postgres database take."""


def _sentence(cause: str) -> str:
    if "full" in cause:
        return "The disk is full: nothing was written; free some space and try again."
    if "locked" in cause:
        return "The record is busy: another program holds its lock; close it and try again."
    if "readonly" in cause or "unable to open" in cause:
        return f"The record cannot be written ({cause}); check the data folder's permissions."
    if "malformed" in cause or "not a database" in cause:
        return f"The record is damaged ({cause}); restore the data folder from a backup."
    return f"The record cannot be used: {cause}."


def sqlite_url(path: Path) -> str:
    """The URL of a SQLite file."""
    url = URL.create("sqlite", database=str(path))
    return url.render_as_string(hide_password=False)


def _engine(url: str) -> Engine:
    if make_url(url).get_backend_name() == "postgresql":
        engine = create_engine(url, pool_pre_ping=True)
        event.listen(engine, "begin", _begin_on_server)
        return engine
    if make_url(url).get_backend_name() != "sqlite":
        raise ValueError("neither SQLite nor Postgres")
    engine = create_engine(url, connect_args={"timeout": 10, "check_same_thread": False})
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    return engine


def _configure(connection: Any, _record: object) -> None:
    """Set what SQLite keeps per connection; transactions are opened by `_begin`."""
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_on_server(conn: Connection) -> None:
    """Postgres as SQLite is: one writer at a time, and readers see one moment.

    A writer waits before its first statement, so that all it reads is what the one before it left.
    """
    if conn.get_execution_options().get("writes", False):
        conn.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITERS})")
    else:
        conn.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def _begin(conn: Connection) -> None:
    """A writer takes the lock at once: a transaction that reads first could not upgrade later."""
    writes = conn.get_execution_options().get("writes", False)
    conn.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
