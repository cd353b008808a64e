"""SIGKILL at every named point of the write path, in mid-stream and at random: nothing is lost.

A killed run is taken up again and must end exactly where an unkilled one ends. What was
acknowledged before the kill must be there once, and the record must be consistent.
"""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from sandbox.folder import Layout
from sandbox.record import Phase, Record, Step, sqlite_url
from sandbox.verify import verify
from tests.kill_script import Ack, facts

pytestmark = pytest.mark.kill

POINTS = [
    (step, phase)
    for step in ("T1", "T2", "T3", "T4 captured", "T4 proposed", "T5", "T6", "judged", "derived")
    for phase in get_args(Phase)
]
RANDOM_KILLS = 20
KILLED = -9


class Driver:
    """The process that forks a child for each run."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.kill_driver"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def run(self, folder: Path, **point: Any) -> int:
        """The exit code of one run of the script, killed at `point` where one is given."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        job = {"folder": str(folder), "ack": str(ack_of(folder).path), **point}
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate(timeout=20)


def ack_of(folder: Path) -> Ack:
    return Ack(folder.with_suffix(".ack"))


@pytest.fixture(scope="module")
def driver(child_environment: dict[str, str]) -> Iterator[Driver]:
    made = Driver(child_environment)
    yield made
    made.close()


@pytest.fixture(scope="module")
def unkilled(driver: Driver, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What the folder holds after a run that nobody killed."""
    folder = tmp_path_factory.mktemp("unkilled") / "data"
    assert driver.run(folder) == 0
    assert problems(folder) == ()
    return facts(folder)


def problems(folder: Path) -> tuple[str, ...]:
    """What `verify` finds wrong with the folder."""
    layout = Layout(folder)
    record = Record(sqlite_url(layout.record))
    try:
        return verify(layout, record).problems
    finally:
        record.close()


def check_acknowledged(acknowledged: list[list[str]], now: dict[str, list[str]]) -> None:
    """Every reply that was acknowledged is there, once, with its text."""
    for kind, *what in acknowledged:
        if kind == "reply":
            assert sum(line.endswith(f"-> {what[1]}") for line in now["talk"]) == 1
        if kind == "by hand":
            assert sum(what[0] in line for line in now["bank"]) == 1


def check(driver: Driver, folder: Path, unkilled: dict[str, list[str]], **point: Any) -> bool:
    """Kill a run at `point`, take it up again, compare; whether it was killed."""
    code = driver.run(folder, **point)
    assert code in (0, KILLED), f"the run failed by itself: {code}"
    acknowledged = ack_of(folder).read()
    if folder.exists() and (folder / "record.sqlite").exists():
        assert problems(folder) == ()
    assert driver.run(folder) == 0
    now = facts(folder)
    check_acknowledged(acknowledged, now)
    assert now == unkilled
    assert problems(folder) == ()
    return code == KILLED


@pytest.mark.parametrize(("step", "phase"), POINTS)
def test_a_kill_at_a_named_point_loses_and_doubles_nothing(
    driver: Driver, unkilled: dict[str, list[str]], tmp_path: Path, step: Step, phase: Phase
) -> None:
    assert check(driver, tmp_path / "data", unkilled, step=step, phase=phase, nth=1)


def test_a_kill_in_mid_stream_offers_the_turn_again(
    driver: Driver, unkilled: dict[str, list[str]], tmp_path: Path
) -> None:
    assert check(driver, tmp_path / "data", unkilled, step="token", phase=None, nth=3)


@pytest.mark.parametrize(
    ("step", "phase", "nth"), [("T1", "committed", 1), ("token", None, 2), ("T2", "written", 1)]
)
def test_an_interrupted_turn_waits_with_its_text(
    driver: Driver, tmp_path: Path, step: str, phase: str | None, nth: int
) -> None:
    folder = tmp_path / "data"
    assert driver.run(folder, step=step, phase=phase, nth=nth) == KILLED
    assert facts(folder)["talk"] == ["I moved to Tallinn. -> None"]


def test_random_kills_lose_and_double_nothing(
    driver: Driver, unkilled: dict[str, list[str]], tmp_path: Path
) -> None:
    chance = random.Random(int(os.environ["KILL_SEED"]))
    points = [*POINTS, *[("token", None)] * 6, ("import", "written")]
    killed = 0
    for number in range(RANDOM_KILLS):
        step, phase = chance.choice(points)
        nth = chance.randint(1, 12 if step == "token" else 4)
        folder = tmp_path / f"{number}" / "data"
        folder.parent.mkdir()
        killed += check(driver, folder, unkilled, step=step, phase=phase, nth=nth)
    assert killed > RANDOM_KILLS // 4
