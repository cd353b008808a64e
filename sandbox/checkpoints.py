"""The memory graph's checkpointer. Derived: a capture that is open reruns from the record."""

import sqlite3
from pathlib import Path

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver


def open_checkpoints(path: Path) -> SqliteSaver:
    """A saver on the file at `path`; a damaged file is set aside and begun anew.

    It revives plain data only, never a type named in the file.
    """
    try:
        return _open(path)
    except sqlite3.DatabaseError:
        path.replace(path.with_suffix(".damaged"))
        for leftover in (f"{path.name}-wal", f"{path.name}-shm"):
            path.with_name(leftover).unlink(missing_ok=True)
        return _open(path)


def _open(path: Path) -> SqliteSaver:
    connection = sqlite3.connect(path, check_same_thread=False, timeout=10)
    saver = SqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
    try:
        saver.setup()
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return saver
