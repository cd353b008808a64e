"""The data folder: where it is, what lies where in it, and that one process writes it."""

import json
import os
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

LOCK = "lock"
OWNER = "owner.json"


class FolderError(Exception):
    """The data folder cannot be used; the message is one sentence with the way out."""


class FolderInUse(FolderError):
    """Another process writes the data folder; the message says which."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things lie in a data folder. Reading needs no more than this, and no lock."""

    root: Path

    @property
    def record(self) -> Path:
        """The record, where it is SQLite."""
        return self.root / "record.sqlite"

    @property
    def checkpoints(self) -> Path:
        """The memory graph's open threads."""
        return self.root / "checkpoints.sqlite"

    @property
    def index(self) -> Path:
        """The vector index; can be deleted and is rebuilt."""
        return self.root / "index"

    @property
    def uploads(self) -> Path:
        """What a person gave to the page; short-lived."""
        return self.root / "uploads"

    def empty_uploads(self) -> None:
        """Delete what was given to the page: it has been read."""
        for path in self.uploads.iterdir() if self.uploads.is_dir() else ():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    @property
    def exports(self) -> Path:
        """Files made for the person to take away."""
        return self.root / "exports"


@dataclass(frozen=True, slots=True)
class DataFolder(Layout):
    """A data folder that this process alone may write, until `close`."""

    lock: FileLock
    started: datetime

    def announce(self, url: str) -> None:
        """Say where the page is, for whoever finds the folder in use."""
        _write_owner(self.root, self.started, url)

    def close(self) -> None:
        """Give the folder back; safe to call twice."""
        if self.lock.is_locked:
            (self.root / OWNER).unlink(missing_ok=True)
            self.lock.release()

    def __enter__(self) -> "DataFolder":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_folder(root: Path) -> DataFolder:
    """The data folder at `root`, locked for this process; made, for its owner only, if missing.

    The kernel holds the lock, so a process that died holds nothing.

    Raises:
        FolderInUse: if another process, or this one already, has it open.
        FolderError: if it cannot be made or written.
    """
    started = datetime.now().astimezone()
    lock = FileLock(root / LOCK, mode=0o600, thread_local=False)
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire(blocking=False)
    except Timeout:
        raise FolderInUse(_in_use(root)) from None
    except OSError as error:
        raise FolderError(_unusable(root, error)) from error
    try:
        _write_owner(root, started, url=None)
    except OSError as error:
        lock.release()
        raise FolderError(_unusable(root, error)) from error
    return DataFolder(root, lock, started)


def _write_owner(root: Path, started: datetime, url: str | None) -> None:
    """Write who owns the folder, whole or not at all."""
    owner = {"pid": os.getpid(), "url": url, "started": started.isoformat(timespec="seconds")}
    part = root / f"{OWNER}.part"
    try:
        with part.open("w", encoding="utf-8") as file:
            json.dump(owner, file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(root / OWNER)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _in_use(root: Path) -> str:
    """The sentence for whoever comes second."""
    return (
        f"The data folder {root} is in use by {_owner(root)}: use that one, stop it, "
        "or choose another folder with --data-dir."
    )


def _owner(root: Path) -> str:
    """Who holds the folder, as far as the holder has said."""
    try:
        owner = json.loads((root / OWNER).read_text("utf-8"))
        who = f"process {int(owner['pid'])}"
        details = [owner["url"], f"since {datetime.fromisoformat(owner['started'])}"]
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
    return f"{who} ({', '.join(str(detail) for detail in details if detail)})"


def _unusable(root: Path, error: OSError) -> str:
    """The sentence for a folder that cannot be made or written."""
    reason = (error.strerror or str(error)).lower()
    if isinstance(error, FileExistsError | NotADirectoryError):
        reason = "a file is in its place"
    return (
        f"The data folder {root} cannot be written ({reason}): "
        "make it writable or free some space, or choose another folder with --data-dir."
    )
