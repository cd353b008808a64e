"""SIGKILL at every named point of the write path, in mid-stream and at random: nothing is lost.

A killed run is taken up again and must end exactly where an unkilled one ends. What was
acknowledged before the kill must be there once, and the record must be consistent. Steps of the
second part (branch, merge, forget) are one transaction each: after a kill and a restart they are
wholly done or wholly undone, and of what is forgotten no file holds a word.

`KILL_COUNT=200 python -m pytest tests/test_kill.py -k random` kills more often than the 20 times.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

from sandbox.assemble import Sandbox
from sandbox.folder import Layout
from sandbox.record import Phase, Record, Step, sqlite_url
from sandbox.verify import verify
from tests.kill_life import FORGOTTEN, STEPS, leave_index, life, live_on, prepare
from tests.kill_script import Ack, facts
from tests.test_forgetting import found_in

pytestmark = pytest.mark.kill

POINTS = [
    (step, phase)
    for step in ("T1", "T2", "T3", "T4 captured", "T4 proposed", "T5", "T6", "judged", "derived")
    for phase in get_args(Phase)
]
LIFE_POINTS = [
    *((within, "T6", phase, 1) for within in STEPS for phase in get_args(Phase)),
    *(
        (within, "derived", phase, nth)
        for within in FORGOTTEN
        for nth in (1, 2)
        for phase in get_args(Phase)
    ),
]
"""Step of the second part, write, phase, which time."""
RANDOM_KILLS = int(os.environ.get("KILL_COUNT", "20"))
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


@dataclass(frozen=True)
class Stages:
    """The second part, unkilled: before each of its steps, and at its end."""

    folders: dict[str, Path]
    """A copy of the folder as the step began; under the empty name the last."""
    lives: dict[str, dict[str, list[str]]]
    points: list[tuple[str, str, str, int]]
    """Every write there was within a step, as in LIFE_POINTS."""


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Stages:
    place = tmp_path_factory.mktemp("stages")
    prepare(place / "data", ack_of(place / "first"))
    made, within = Stages({}, {}, []), "start"

    def before(step: str, sandbox: Sandbox) -> None:
        nonlocal within
        within = step
        made.lives[step] = life(sandbox)
        made.folders[step] = place / f"before {step}"
        shutil.copytree(place / "data", made.folders[step])
        if step in FORGOTTEN:
            leave_index(made.folders[step], step)

    def watch(step: str, phase: str) -> None:
        if within != "start":
            nth = 1 + sum(point[:3] == (within, step, phase) for point in made.points)
            made.points.append((within, step, phase, nth))

    live_on(place / "data", ack_of(place / "second"), watch, before=before)
    assert problems(place / "data") == ()
    return made


def check_life(driver: Driver, folder: Path, stages: Stages, begin: str, **job: Any) -> bool:
    """Kill the second part, which begins with the step `begin`; look; restart; look; go on."""
    shutil.copytree(stages.folders[begin], folder)
    code = driver.run(folder, life=True, **job)
    assert code in (0, KILLED), f"the run failed by itself: {code}"
    order = [*STEPS, ""]
    done = max(order.index(begin), len(ack_of(folder).read()))
    check_forgotten(folder, order[:done])
    assert problems(folder) == ()
    tell = folder.with_suffix(".told")
    assert driver.run(folder, life=True, until=job.get("until"), tell=str(tell)) == 0
    restarted, ended = json.loads(tell.read_text("utf-8"))
    if restarted != stages.lives[order[done]]:
        assert code == KILLED
        assert restarted == stages.lives[order[done + 1]]
    last = order.index(job["until"]) + 1 if "until" in job else len(STEPS)
    assert ended == stages.lives[order[last]]
    check_forgotten(folder, order[:last])
    assert problems(folder) == ()
    return code == KILLED


def check_forgotten(folder: Path, steps: list[str]) -> None:
    """No file holds what these steps forgot."""
    words = [word for one in steps for word in FORGOTTEN.get(one, ())]
    assert not words or found_in(folder, *words) == []


def test_the_stages_are_told_apart_and_hold_what_is_going_to_be_forgotten(stages: Stages) -> None:
    lives = list(stages.lives.values())
    assert all(one not in lives[:at] for at, one in enumerate(lives))
    for step, words in FORGOTTEN.items():
        assert all(found_in(stages.folders[step], word) for word in words)


def test_every_write_of_the_second_part_is_a_named_point(stages: Stages) -> None:
    assert sorted(stages.points) == sorted(LIFE_POINTS)


@pytest.mark.parametrize("point", LIFE_POINTS, ids=lambda point: " ".join(map(str, point)))
def test_a_branch_a_merge_and_a_forgetting_are_whole_or_not_at_all(
    driver: Driver, stages: Stages, tmp_path: Path, point: tuple[str, str, str, int]
) -> None:
    within, step, phase, nth = point
    job = {"within": within, "until": within, "step": step, "phase": phase, "nth": nth}
    assert check_life(driver, tmp_path / "data", stages, within, **job)


@pytest.mark.timeout(60 + 5 * RANDOM_KILLS)
def test_random_kills_lose_and_double_nothing(
    driver: Driver, unkilled: dict[str, list[str]], stages: Stages, tmp_path: Path
) -> None:
    chance = random.Random(int(os.environ["KILL_SEED"]))
    killed = 0
    for number in range(RANDOM_KILLS):
        folder = tmp_path / f"{number}" / "data"
        folder.parent.mkdir()
        if chance.random() < 0.5:
            killed += check(driver, folder, unkilled, **random_point(chance))
        else:
            job = random_life(chance)
            killed += check_life(driver, folder, stages, next(iter(STEPS)), **job)
        shutil.rmtree(folder.parent)
    assert killed > RANDOM_KILLS // 4


def random_point(chance: random.Random) -> dict[str, Any]:
    """Where to kill the first part: at a write or a token, or at any moment."""
    if chance.random() < 0.2:
        return {"seconds": chance.uniform(0, 0.5)}
    points = [*POINTS, *[("token", None)] * 6, ("import", "written")]
    step, phase = chance.choice(points)
    return {"step": step, "phase": phase, "nth": chance.randint(1, 12 if step == "token" else 4)}


def random_life(chance: random.Random) -> dict[str, Any]:
    """Where to kill the second part: in a step or, half the time, at any moment."""
    if chance.random() < 0.5:
        return {"seconds": chance.uniform(0, 0.3)}
    within, step, phase, nth = chance.choice(LIFE_POINTS)
    return {"within": within, "step": step, "phase": phase, "nth": nth}
