"""Writing a file whole or not at all."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from sandbox.commands.output import CommandError


def write_whole(path: Path, data: bytes) -> None:
    """Put `data` in place of the file at `path`, which a crash leaves either old or new.

    Raises:
        CommandError: if it cannot be written; what was there is untouched.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        reason = (error.strerror or str(error)).lower()
        raise CommandError(
            f"{path} cannot be written ({reason}): choose another file with --out"
        ) from error


def _sync_folder(folder: Path) -> None:
    """Make the new name durable, where folders can be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
