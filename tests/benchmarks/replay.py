"""What stepping through a replay costs beside the model: `python -m tests.benchmarks.replay`.

A made-up dialogue of many stops over a pool of 76 memories is stepped through under every gear,
with a model that answers at once. The reference is an ordinary turn of the same bank, as long a
talk and the same model, measured between the steps: under the gear `pipeline` with the strategy
that answers the step, under the others with `no_memory`, because a gear spares recall. `step` goes
from the click to the saved reply, `place` is what the page reads to show where it stands, and
`opening` what a replay takes before its first stop. The bound: 50 ms more than the turn.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.replay.gears import GEARS, Gear
from sandbox.replay.replayed import Replayed
from tests.fakes import Script, fake_sandbox
from tests.madial import dialogue, lines, memory

BOUND = 50.0
"""Milliseconds that a step may take beside an ordinary turn."""


def made_up(stops: int, dialogues: int) -> list[tuple[str, bytes]]:
    """Dialogues of so many stops with 76 memories, and what a run ranked for them."""
    said = ["<BOD>\n"]
    for number in range(stops):
        said.append(f'<Bart>: "Question {number}?"\n')
        said.append(f'<Assistant>: "Answer {number}."\n')
    turns = [2 * number + 2 for number in range(stops)]
    rows = [dialogue(dialogue=said, test_turn=turns) for _ in range(dialogues)]
    ranked = {
        "test-turn": turns,
        "relevant-id": [7, 2],
        "user-id": 1,
        "top-20-ids": list(range(1, 21)),
        "bottom-10-ids": list(range(60, 70)),
    }
    return [
        ("talk.json", lines(*rows)),
        ("kept.json", lines(*(memory(n) for n in range(1, 77)))),
        ("openai_top_20_bottom.json", lines(*[ranked] * dialogues)),
    ]


def timed(call: Callable[[], object]) -> float:
    """Milliseconds on the clock for one call."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


def told(name: str, times: Sequence[float]) -> str:
    """Median and 95th percentile."""
    high = statistics.quantiles(times, n=20)[-1]
    return f"{name}: median {statistics.median(times):.1f} ms, 95% {high:.1f} ms"


def measure(sandbox: Sandbox, sha256: str, gear: Gear, stops: int) -> None:
    """Go through the dialogue under one gear, an ordinary turn between any two steps."""
    replays, talk = sandbox.replays, sandbox.conversation
    opening = timed(lambda: replays.open(ACCOUNT, sha256, "0", Replayed(gear)))
    session = replays.open(ACCOUNT, sha256, "0", Replayed(gear))
    usual = "top_k" if gear == "pipeline" else "no_memory"
    plain = sandbox.instances.open(ACCOUNT, sha256, "0-2", strategy=usual)
    steps, places, turns = [], [], []
    for number in range(stops):
        turns.append(timed(lambda: talk.ask(ACCOUNT, plain.id, f"Question {number}?")))  # noqa: B023
        steps.append(timed(lambda: replays.step(ACCOUNT, session.id).wait()))
        places.append(timed(lambda: replays.place(ACCOUNT, session.id)))
    more = [step - turn for step, turn in zip(steps, turns, strict=True)]
    ratio = statistics.median(steps) / statistics.median(turns)
    print(f"{gear}: opening {opening:.1f} ms")
    for name, times in (("step", steps), (f"turn ({usual})", turns), ("place", places)):
        print(f"  {told(name, times)}")
    kept = "kept" if statistics.median(more) <= BOUND else "BROKEN"
    print(f"  {told('a step more than a turn', more)}; ratio {ratio:.2f}; bound {kept}")


def main(stops: int, dialogues: int) -> None:
    """Measure every gear in one folder."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(fake_sandbox(Path(folder) / "data", Script().play)) as sandbox,
    ):
        found = sandbox.instances.add(ACCOUNT, made_up(stops, dialogues))
        for gear in GEARS:
            measure(sandbox, found.sha256, gear, stops)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--stops", type=int, default=40)
    parser.add_argument("--dialogues", type=int, default=60)
    given = parser.parse_args()
    main(given.stops, given.dialogues)
