"""The JSON files in a zip. Nothing is ever written to a disk, whatever its names say.

Only what is stored or deflated is taken: Python lets no other method be stopped when a small file
opens into one that fills the memory.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath, PureWindowsPath

from sandbox.formats.reading import FormatError, check_size, shown

MOST_FILES = 100
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""How the bytes of a zip begin: of one with files, of one without."""
_TAKEN = (".json", ".jsonl")
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_METHODS = {zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "lzma"}
_ENCRYPTED = 0x1
_ANEW = "zip the files anew, without a password"


def unzipped(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each JSON file of the zip `data`, in the order of their names in it.

    Folders count for nothing, and neither does what macOS puts beside the files.

    Raises:
        FormatError: if it cannot be read, is encrypted, holds too much or nothing, or a name in it
            leads out of the zip.
    """
    check_size(name, len(data))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            held = [one for one in archive.infolist() if _is_taken(one.filename)]
            _check(name, held)
            for one in sorted(held, key=lambda one: one.filename):
                with archive.open(one) as file:
                    # Never `archive.read`: it believes what the zip says of a file's size.
                    yield PurePosixPath(one.filename).name, file.read(one.file_size)
    except FormatError:
        raise
    except _DAMAGE as error:
        raise FormatError(f"{name}: is a zip that is damaged: {_ANEW}") from error


_DAMAGE = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)
"""What reading a damaged zip ends in: bytes that no zip has lead to any of these."""


def _is_taken(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return path.endswith(_TAKEN) and parts[0] != "__MACOSX" and not parts[-1].startswith("._")


def _check(name: str, held: Sequence[zipfile.ZipInfo]) -> None:
    if not held:
        raise FormatError(f"{name}: holds no .json or .jsonl file")
    if len(held) > MOST_FILES:
        raise FormatError(f"{name}: must hold at most {MOST_FILES} files, got {len(held):,}")
    for one in held:
        if _leads_out(one.filename):
            must = "must hold files by names that stay in it"
            raise FormatError(f"{name}: {must}, got {shown(one.filename)}: {_ANEW}")
        if one.flag_bits & _ENCRYPTED:
            raise FormatError(f"{name}: holds {shown(one.filename)} encrypted: {_ANEW}")
        if one.compress_type not in _PLAIN:
            how = _METHODS.get(one.compress_type, "an unknown method")
            raise FormatError(f"{name}: holds {shown(one.filename)} packed by {how}: {_ANEW}")
    check_size(name, sum(one.file_size for one in held))


def _leads_out(path: str) -> bool:
    windows = PureWindowsPath(path)
    return ".." in windows.parts or bool(windows.root or windows.drive)
