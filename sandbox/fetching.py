"""Fetching released files: whole and as released, or not at all; what broke off is continued."""

import hashlib
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sandbox.datasets import BASE, Dataset, DatasetError, DatasetFile

_FETCHING = ".fetching"
"""Folder of what has not arrived whole, beside the files."""
_TIMEOUT = 30.0
"""Seconds without a byte before a fetch is given up."""


def is_there(path: Path, file: DatasetFile) -> bool:
    """Whether the released file is at `path`, byte by byte."""
    try:
        if path.stat().st_size != file.size:
            return False
        return hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256
    except OSError:
        return False


def fetch(
    dataset: Dataset,
    folder: Path,
    base: str = BASE,
    told: Callable[[str], None] = lambda _line: None,
) -> list[Path]:
    """Fetch what of the dataset is not in its folder under `folder` yet; all its files' paths.

    A file has its name only once it is whole and as released. What arrived of one that broke off is
    kept apart and continued the next time.

    Args:
        dataset: what to fetch.
        folder: a folder `dataset.name` is made in it.
        base: address of the server in place of GitHub's.
        told: gets a line for each file.

    Raises:
        DatasetError: if a file cannot be fetched, is not the released one, or another file has its
            name already.
    """
    place = folder / dataset.name
    paths = [place / file.name for file in dataset.files]
    for file, path in zip(dataset.files, paths, strict=True):
        if is_there(path, file):
            told(f"{path} is there")
            continue
        if path.exists():
            raise DatasetError(
                f"{path} is another file than the released one: move it away, or choose another "
                "folder with --to."
            )
        told(f"{file.name} ({file.size:,} bytes) is fetched")
        _fetched(dataset.url(file, base), file, path)
    return paths


def _fetched(url: str, file: DatasetFile, path: Path) -> None:
    """Fetch into a folder beside `path`, and move what is whole and right to it."""
    apart = path.parent / _FETCHING
    try:
        apart.mkdir(parents=True, exist_ok=True)
        _retrieved(url, file, apart)
        (apart / file.name).replace(path)
    except OSError as error:
        raise DatasetError(
            f"{file.name} cannot be fetched from {url} ({_reason(error)}): try again, what arrived "
            "is continued."
        ) from error
    finally:
        _tidied(apart)


def _tidied(apart: Path) -> None:
    """Keep what arrived in part, and nothing empty."""
    with suppress(OSError):
        for path in apart.iterdir():
            if path.stat().st_size == 0:
                path.unlink()
        apart.rmdir()


def _retrieved(url: str, file: DatasetFile, apart: Path) -> None:
    """Fetch, from where it broke off; from the start where that did not fit.

    Raises:
        DatasetError: if it is not the released file.
        OSError: if it broke off, or the server has none.
    """
    import pooch

    pooch.get_logger().setLevel(logging.WARNING)
    part = _Part(apart / f"{file.name}.part", file.size)
    for again in (part.begun > 0, False):
        try:
            pooch.retrieve(url, f"sha256:{file.sha256}", file.name, apart, downloader=part.fetch)
            return
        except ValueError as error:
            part.forget()
            if not again:
                raise DatasetError(
                    f"{url} is not the released {file.name} (its sha256 differs): nothing was kept."
                ) from error
        except OSError as error:
            refused = getattr(error, "response", None) is not None
            if not (again and refused):
                raise
            part.forget()


@dataclass(frozen=True, slots=True)
class _Part:
    """What arrived of a file."""

    path: Path
    size: int

    @property
    def begun(self) -> int:
        """Bytes that are there."""
        return self.path.stat().st_size if self.path.exists() else 0

    def forget(self) -> None:
        """Start over."""
        self.path.unlink(missing_ok=True)

    def fetch(self, url: str, to: str, _pooch: Any) -> None:
        """Fetch the rest, and put the whole to where pooch wants it. A downloader of pooch's."""
        from pooch import HTTPDownloader

        begun = self.begun
        if begun < self.size:
            # Compressed on the way, the bytes could not be counted.
            headers = {"Accept-Encoding": "identity"}
            if begun:
                headers["Range"] = f"bytes={begun}-"
            with self.path.open("ab") as file:
                bounded = _Bounded(file, self.size - begun)
                HTTPDownloader(headers=headers, timeout=_TIMEOUT)(url, bounded, None)
        self.path.replace(to)


class _Bounded:
    """A file that takes no more bytes than are missing."""

    def __init__(self, file: IO[bytes], room: int) -> None:
        self._file = file
        self._room = room

    def write(self, data: bytes) -> int:
        """Write, or ValueError where it is too much."""
        self._room -= len(data)
        if self._room < 0:
            raise ValueError("more arrived than the file has")
        return self._file.write(data)

    def flush(self) -> None:
        """Write out what is buffered."""
        self._file.flush()


def _reason(error: OSError) -> str:
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status is not None:
        return f"the server answered {status}"
    return error.strerror.lower() if error.strerror else "the connection failed"
