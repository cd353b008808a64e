"""Memory that native code writes to disk without having set it: keep other people's words out."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_PERTURB = -6
"""glibc's M_PERTURB: fill memory as it is given out and as it is given back."""
_FILL = 0xA5
_lock = Lock()
_inside = 0


@contextmanager
def overwritten() -> Iterator[None]:
    """Inside the block freed and newly given memory is overwritten, in every thread.

    Chroma's index file holds rows that were never set, with whatever the process had there before:
    seen with names and sentences in it. Does nothing where the C library is not glibc.
    """
    global _inside
    with _lock:
        _inside += 1
        _set(_FILL)
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _set(0)


def _set(fill: int) -> None:
    try:
        ctypes.CDLL(None).mallopt(_PERTURB, fill)
    except (OSError, AttributeError):
        return
