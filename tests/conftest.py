"""What all tests share: no way off this machine, and a data folder to write in."""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from sandbox.folder import DataFolder, open_folder
from sandbox.record import sqlite_url
from sandbox.settings import offline_environment
from tests import loopback
from tests.postgres import Postgres, postgres_server

TESTS = Path(__file__).parent
KILL_SEED = "KILL_SEED"

os.environ.update(offline_environment())
loopback.install()
settings.register_profile("nightly", max_examples=3000)  # by --hypothesis-profile=nightly


def pytest_configure() -> None:
    """Draw the seed of the random kills, unless one is given; workers get the same one."""
    os.environ.setdefault(KILL_SEED, str(secrets.randbelow(2**32)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how to repeat the random kills."""
    seed = os.environ[KILL_SEED]
    terminalreporter.write_line(f"seed of the random kills: {seed}; repeat with {KILL_SEED}={seed}")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[DataFolder]:
    """An empty data folder, open for this test."""
    with open_folder(tmp_path / "data") as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A Postgres server; the test is skipped where none is installed."""
    with postgres_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of either kind, for what must hold on both."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "record.sqlite")
    server: Postgres = request.getfixturevalue("postgres")
    return server.database()


@pytest.fixture(scope="session")
def child_environment() -> dict[str, str]:
    """The environment for a process that a test starts: offline as this one, no settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SANDBOX_")}
    path = os.pathsep.join([str(TESTS / "offline"), str(TESTS.parent)])
    return kept | {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}
