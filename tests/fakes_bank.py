"""A ledger in a folder for tests of memory_banks, and small ways to fill and ask it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.pool import StaticPool

from memory_banks.building import Deadlines
from memory_banks.embedding import HashedWords, Vectors
from memory_banks.entries import Add, Delete, Dyad, Entry, Scope
from memory_banks.index import Index
from memory_banks.ledger import User, append, ensure_user, head
from memory_banks.tables import metadata
from sandbox.record import Record

AT = "2026-03-01T10:00:00+00:00"
ANA = Dyad("local", "ana", "robo")


class Database:
    """SQLite as the sandbox opens it: WAL, and writers that lock at once."""

    def __init__(self, path: Path | None = None) -> None:
        """In `path`, or in memory, where there is one connection only."""
        self._engine = create_engine(
            f"sqlite:///{path}" if path else "sqlite://",
            connect_args={"timeout": 5, "check_same_thread": False},
            poolclass=None if path else StaticPool,
        )
        event.listen(self._engine, "connect", _configure)
        event.listen(self._engine, "begin", _begin)
        with self.write() as conn:
            metadata.create_all(conn)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with self._engine.connect() as conn, conn.begin():
            yield conn

    @contextmanager
    def write(self) -> Iterator[Connection]:
        with self._engine.connect().execution_options(writes=True) as conn, conn.begin():
            yield conn

    @contextmanager
    def unchecked(self) -> Iterator[Connection]:
        """A transaction to plant damage in: foreign keys are not looked at."""
        with self._engine.connect() as conn:
            raw = conn.connection.driver_connection
            assert raw is not None
            raw.execute("PRAGMA foreign_keys=OFF")
            with conn.begin():
                yield conn
            raw.execute("PRAGMA foreign_keys=ON")

    def close(self) -> None:
        self._engine.dispose()


class ServerDatabase(Database):
    """A Postgres database, with transactions as the record makes them."""

    def __init__(self, url: str) -> None:
        self._record = Record(url)
        self._server = create_engine(url)
        with self.write() as conn:
            metadata.create_all(conn)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with self._record.read() as conn:
            yield conn

    @contextmanager
    def write(self) -> Iterator[Connection]:
        with self._record.write("derived") as conn:
            yield conn

    @contextmanager
    def unchecked(self) -> Iterator[Connection]:
        with self._server.begin() as conn:
            conn.exec_driver_sql("SET LOCAL session_replication_role = replica")
            yield conn

    def close(self) -> None:
        self._record.close()
        self._server.dispose()


def _configure(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=OFF", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(conn: Connection) -> None:
    writes = conn.get_execution_options().get("writes", False)
    conn.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@dataclass
class Ledger:
    """A database with users in it, and a cause for every write."""

    database: Database
    count: int = field(default=0)

    def user(self, dyad: Dyad) -> None:
        with self.database.write() as conn:
            ensure_user(conn, User(dyad.account, dyad.user, dyad.user.title(), "", 0), AT)

    def add(self, scope: Scope, *texts: str) -> list[str]:
        """Add one entry a text, with keys of their own; their ids."""
        made = [entry(scope, text, key=f"k{self.count + i}") for i, text in enumerate(texts)]
        self.count += len(texts)
        self.write(*(Add(one, f"add {one.key} {self.count}") for one in made))
        return [one.id for one in made]

    def add_user_like(self, dyad: Dyad, account: str, text: str) -> None:
        """The same user and agent in another account, with one entry on either side."""
        other = Dyad(account, dyad.user, dyad.agent)
        self.user(other)
        for scope in other.scopes:
            self.add(scope, text)

    def add_again(self, one: Entry) -> None:
        self.count += 1
        self.write(Add(one, f"again {self.count}"))

    def delete(self, scope: Scope, *ids: str) -> None:
        self.count += 1
        self.write(*(Delete(one, scope, f"delete {self.count}") for one in ids))

    def write(self, *drafts: Add | Delete) -> None:
        with self.database.write() as conn:
            append(conn, drafts, AT)

    def head(self, dyad: Dyad) -> int:
        with self.database.read() as conn:
            return head(conn, dyad.account, dyad.user)


def entry(scope: Scope, text: str, key: str) -> Entry:
    return Entry(
        key=key, scope=scope, type="fact" if not scope.agent else "agent_method", text=text
    )


def unit(dimension: int, place: int) -> Vectors:
    """The unit vector along `place`."""
    return np.asarray(np.eye(dimension)[place], dtype=np.float32)


class Counted:
    """An embedder that remembers what it was asked."""

    def __init__(self, inner: Any = None) -> None:
        self._inner = inner or HashedWords(32)
        self.texts: list[str] = []

    @property
    def id(self) -> str:
        return str(self._inner.id)

    @property
    def dimension(self) -> int:
        return int(self._inner.dimension)

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return np.asarray(self._inner.embed(texts), dtype=np.float32)


def wait_for(index: Index, kind: str, seconds: float = 60) -> None:
    """Wait until the index is in a state, which must come."""
    wait_until(lambda: index.state.kind == kind, seconds, lambda: str(index.state))


def wait_until(true: Callable[[], bool], seconds: float = 60, say: Callable[[], str] = str) -> None:
    until = monotonic() + seconds
    while not true():
        assert monotonic() < until, f"waited {seconds} s in vain: {say()}"
        sleep(0.01)


def open_index(root: Path, database: Database, deadlines: Deadlines | None = None) -> Index:
    return Index(root, database.read, database.write, deadlines)
