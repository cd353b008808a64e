"""What all tests share: no way off this machine, and a data folder to write in."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.folder import DataFolder, open_folder
from sandbox.settings import offline_environment
from tests import loopback

TESTS = Path(__file__).parent

os.environ.update(offline_environment())
loopback.install()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[DataFolder]:
    """An empty data folder, open for this test."""
    with open_folder(tmp_path / "data") as opened:
        yield opened


@pytest.fixture(scope="session")
def child_environment() -> dict[str, str]:
    """The environment for a process that a test starts: offline as this one, no settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SANDBOX_")}
    path = os.pathsep.join([str(TESTS / "offline"), str(TESTS.parent)])
    return kept | {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}
