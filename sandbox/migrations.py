"""The schema's versions. A fresh database gets today's tables; an older one is brought here."""

from collections.abc import Callable

from sqlalchemy import Connection, insert, inspect, select, update

from memory_banks.tables import metadata
from sandbox.tables import schema


def _judged_and_branched(conn: Connection) -> None:
    """Version 2: verdicts, corrections and experiments on replies; branches; forgetting."""
    for statement in (
        "CREATE TABLE verdicts (id TEXT NOT NULL PRIMARY KEY, number INTEGER NOT NULL, reply TEXT "
        "NOT NULL REFERENCES replies (id), judge TEXT NOT NULL, version TEXT NOT NULL, json TEXT "
        "NOT NULL, created_at TEXT NOT NULL)",
        "CREATE UNIQUE INDEX verdicts_by_number ON verdicts (reply, number)",
        "CREATE TABLE corrections (id TEXT NOT NULL PRIMARY KEY, number INTEGER NOT NULL, "
        "reply TEXT NOT NULL REFERENCES replies (id), verdict TEXT REFERENCES verdicts (id), "
        "subject TEXT NOT NULL, entry TEXT, value TEXT, author TEXT NOT NULL, "
        "reason TEXT NOT NULL, created_at TEXT NOT NULL)",
        "CREATE UNIQUE INDEX corrections_by_number ON corrections (reply, number)",
        "CREATE TABLE experiments (id TEXT NOT NULL PRIMARY KEY, number INTEGER NOT NULL, reply "
        "TEXT NOT NULL REFERENCES replies (id), kind TEXT NOT NULL, json TEXT NOT NULL, "
        "created_at TEXT NOT NULL)",
        "CREATE UNIQUE INDEX experiments_by_number ON experiments (reply, number)",
        "CREATE TABLE branches (id TEXT NOT NULL PRIMARY KEY, account TEXT NOT NULL, origin TEXT "
        "NOT NULL, revision INTEGER NOT NULL, name TEXT NOT NULL, session TEXT, turn INTEGER, "
        "copy TEXT, created_at TEXT NOT NULL, deleted_at TEXT)",
        "CREATE INDEX branches_by_origin ON branches (account, origin)",
        "CREATE TABLE audit (id TEXT NOT NULL PRIMARY KEY, account TEXT NOT NULL, kind TEXT NOT "
        "NULL, target TEXT NOT NULL, counts TEXT NOT NULL, created_at TEXT NOT NULL)",
        "ALTER TABLE sessions ADD COLUMN method TEXT NOT NULL DEFAULT 'typed'",
        "ALTER TABLE proposals ADD COLUMN doubt TEXT",
    ):
        conn.exec_driver_sql(statement)


def _replayed_and_authored(conn: Connection) -> None:
    """Version 3: replays of instances; instances made here, their annotators and disputes."""
    for statement in (
        "CREATE TABLE authored (id TEXT NOT NULL PRIMARY KEY, account TEXT NOT NULL, collection "
        "TEXT NOT NULL, kind TEXT NOT NULL, created_at TEXT NOT NULL, deleted_at TEXT)",
        "CREATE INDEX authored_by_collection ON authored (account, collection)",
        "CREATE TABLE authored_versions (id TEXT NOT NULL REFERENCES authored (id), number INTEGER "
        "NOT NULL, author TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, json TEXT NOT "
        "NULL, created_at TEXT NOT NULL, PRIMARY KEY (id, number))",
        "CREATE TABLE annotations (id TEXT NOT NULL PRIMARY KEY, authored TEXT NOT NULL REFERENCES "
        "authored (id), author TEXT NOT NULL, number INTEGER NOT NULL, json TEXT NOT NULL, "
        "done_at TEXT NOT NULL)",
        "CREATE UNIQUE INDEX annotations_by_number ON annotations (authored, number)",
        "CREATE TABLE model_checks (id TEXT NOT NULL PRIMARY KEY, authored TEXT NOT NULL "
        "REFERENCES authored (id), number INTEGER NOT NULL, kind TEXT NOT NULL, version INTEGER "
        "NOT NULL, inputs TEXT NOT NULL, json TEXT NOT NULL, created_at TEXT NOT NULL)",
        "CREATE UNIQUE INDEX model_checks_by_number ON model_checks (authored, number)",
        "CREATE TABLE published (account TEXT NOT NULL, collection TEXT NOT NULL, number INTEGER "
        "NOT NULL, sha256 TEXT NOT NULL, created_at TEXT NOT NULL, blanked_at TEXT, "
        "PRIMARY KEY (account, collection, number))",
        "CREATE TABLE disputes (id TEXT NOT NULL PRIMARY KEY, account TEXT NOT NULL, sha256 TEXT "
        "NOT NULL, instance TEXT NOT NULL, entry TEXT NOT NULL, was TEXT NOT NULL, role TEXT NOT "
        "NULL, reason TEXT NOT NULL, author TEXT NOT NULL, created_at TEXT NOT NULL, "
        "withdrawn_at TEXT)",
        "CREATE INDEX disputes_by_file ON disputes (account, sha256)",
        "ALTER TABLE sessions ADD COLUMN protocol TEXT NOT NULL DEFAULT 'free'",
        "ALTER TABLE sessions ADD COLUMN gear TEXT",
        "ALTER TABLE sessions ADD COLUMN forcing TEXT",
        "ALTER TABLE sessions ADD COLUMN replay TEXT",
        "ALTER TABLE turns ADD COLUMN origin TEXT",
        "CREATE INDEX entries_by_text ON entries (substr(text, 1, 64))",
    ):
        conn.exec_driver_sql(statement)


STEPS: tuple[Callable[[Connection], None], ...] = (_judged_and_branched, _replayed_and_authored)
"""Step i brings version i + 1 to version i + 2. A landed step is never edited."""
VERSION = len(STEPS) + 1


class NewerSchema(Exception):
    """The database was written by a newer version of the sandbox."""


def version(conn: Connection) -> int:
    """The database's schema version; 0 for an empty one."""
    if not inspect(conn).has_table("schema"):
        return 0
    return int(conn.execute(select(schema.c.version)).scalar_one())


def empty(conn: Connection) -> bool:
    """Whether nothing was ever written: a first start that was cut off leaves such a file."""
    return not inspect(conn).get_table_names()


def migrate(conn: Connection) -> None:
    """Bring the schema to VERSION in the caller's transaction: wholly or not at all.

    Raises:
        NewerSchema: if the database is ahead of this program.
    """
    found = version(conn)
    if found > VERSION:
        raise NewerSchema(
            f"The data folder has schema version {found} and this program knows versions up to "
            f"{VERSION}: update the program, or choose another folder with --data-dir."
        )
    if found == 0:
        metadata.create_all(conn)
        conn.execute(insert(schema).values(version=VERSION))
    elif found < VERSION:
        for step in STEPS[found - 1 :]:
            step(conn)
        conn.execute(update(schema).values(version=VERSION))
