"""A Postgres server of our own for the tests that hold on both databases; skipped where none is."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

_BINARIES = Path("/usr/lib/postgresql")
"""Where Debian keeps them; elsewhere they are looked for on the PATH."""
_SETTINGS = ("listen_addresses=", "fsync=off", "full_page_writes=off", "max_connections=40")
"""Reached by its socket only; durability is not what these tests are about."""


class Postgres:
    """A running server; every test gets a database of its own."""

    def __init__(self, place: Path, binaries: Path) -> None:
        self._place = place
        self._binaries = binaries
        self._numbers = count(1)

    def database(self) -> str:
        """The URL of a new, empty database."""
        name = f"test{next(self._numbers)}"
        self.run("createdb", "--host", str(self._place), name)
        return f"postgresql+psycopg://{_user()}@/{name}?host={self._place}"

    def run(self, program: str, *arguments: str) -> None:
        """Run one of the server's programs as the server's user, or fail with what it said."""
        command = [*_as_server(), str(self._binaries / program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd="/")
        assert done.returncode == 0, f"{program}: {done.stdout} {done.stderr}"


@contextmanager
def postgres_server() -> Iterator[Postgres]:
    """A server on a socket in a folder of its own, gone afterwards; the test is skipped without."""
    pytest.importorskip("psycopg", reason="the Postgres driver is not installed")
    binaries = _binaries()
    place = Path(tempfile.mkdtemp(prefix="pg-"))
    if os.geteuid() == 0:
        shutil.chown(place, _user())
    server = Postgres(place, binaries)
    data, log = str(place / "data"), str(place / "log")
    try:
        server.run("initdb", "--pgdata", data, "--auth=trust", "--no-sync", "--encoding=UTF8")
        options = " ".join(f"-c {one}" for one in (*_SETTINGS, f"unix_socket_directories={place}"))
        server.run("pg_ctl", "start", "--pgdata", data, "--log", log, "--wait", "-o", options)
        try:
            yield server
        finally:
            server.run("pg_ctl", "stop", "--pgdata", data, "--mode=immediate")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _binaries() -> Path:
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    versions = sorted(_BINARIES.glob("*/bin/initdb"))
    if not versions:
        pytest.skip("no Postgres server is installed here (Debian: postgresql)")
    return versions[-1].parent


def _user() -> str:
    """Who the server runs as: it refuses to run as root."""
    return "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


def _as_server() -> list[str]:
    return ["runuser", "-u", _user(), "--"] if os.geteuid() == 0 else []
