"""The index's folders: one generation is live, and its name is in the database.

A rebuild makes a new folder and never reuses a path: a Chroma client on a path that was deleted
lives on inside the process and would answer for the new one.
"""

import logging
import re
import secrets
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, delete, select

from memory_banks.dialect import put
from memory_banks.tables import meta

DATABASE = "chroma.sqlite3"
_KEY = "vector index"
_NAME = re.compile(r"g-[0-9a-f]{16}")
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Mark:
    """Which file the index's database is: it changes when the file is replaced."""

    device: int
    inode: int


def live_folder(conn: Connection, root: Path) -> Path | None:
    """The folder of the live generation, whether it is there or not; None before the first."""
    name = conn.execute(select(meta.c.value).where(meta.c.key == _KEY)).scalar_one_or_none()
    return root / name if name and _NAME.fullmatch(name) else None


def make_live(conn: Connection, folder: Path) -> None:
    """Let `folder` be the live generation."""
    put(conn, meta, key=_KEY, value=folder.name)


def make_none_live(conn: Connection) -> None:
    """Say that there is no live generation."""
    conn.execute(delete(meta).where(meta.c.key == _KEY))


def new_folder(root: Path) -> Path:
    """A new, empty folder for a generation under `root`, which is made where it is missing."""
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = root / f"g-{secrets.token_hex(8)}"
    folder.mkdir(mode=0o700)
    return folder


def mark(folder: Path) -> Mark | None:
    """Which database the generation has; None where it is no folder of ours or has none."""
    try:
        if not stat.S_ISDIR(folder.lstat().st_mode):
            return None
        found = (folder / DATABASE).lstat()
    except OSError:
        return None
    return Mark(found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def remove_others(root: Path, keep: Path | None) -> None:
    """Remove every generation under `root` but `keep`; a link is removed, not followed."""
    if not root.is_dir():
        return
    for path in root.iterdir():
        if _NAME.fullmatch(path.name) and path != keep:
            remove(path)


def remove(path: Path) -> None:
    """Remove a generation; what cannot be removed stays until the next start."""
    try:
        if path.is_symlink() or not path.is_dir():
            path.unlink()
        else:
            shutil.rmtree(path)
    except OSError as error:
        logger.warning("the index folder %s could not be removed: %s", path.name, error.strerror)
