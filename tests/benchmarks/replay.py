"""What stepping through a replay costs beside the model: `python -m tests.benchmarks.replay`.

A made-up dialogue of many stops over a pool of 76 memories is stepped through with a model that
answers at once; `step` is one stop from the click to the saved reply, and `place` what the page
reads to show where it stands; an ordinary turn of the same bank is the reference. The bound is
50 ms a step beside the model.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from sandbox.account import ACCOUNT
from sandbox.replay.replayed import Replayed
from tests.fakes import Script, fake_sandbox
from tests.madial import dialogue, lines, memory


def made_up(stops: int, dialogues: int) -> list[tuple[str, bytes]]:
    """A dialogue of so many stops, among others, with 76 memories."""
    said = ["<BOD>\n"]
    for number in range(stops):
        said.append(f'<Bart>: "Question {number}?"\n')
        said.append(f'<Assistant>: "Answer {number}."\n')
    turns = [2 * number + 2 for number in range(stops)]
    rows = [dialogue(dialogue=said, test_turn=turns) for _ in range(dialogues)]
    return [("talk.json", lines(*rows)), ("kept.json", lines(*(memory(n) for n in range(1, 77))))]


def timed(call: Callable[[], object]) -> float:
    """Milliseconds on the clock for one call."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


def main(stops: int, dialogues: int) -> None:
    """Print medians and 95th percentiles."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(fake_sandbox(Path(folder) / "data", Script().play)) as sandbox,
    ):
        found = sandbox.instances.add(ACCOUNT, made_up(stops, dialogues))
        session = sandbox.replays.open(ACCOUNT, found.sha256, "0", Replayed("gold"))
        plain = sandbox.instances.open(ACCOUNT, found.sha256, "0-2", strategy="no_memory")
        steps, places, turns = [], [], []
        for _ in range(stops):
            steps.append(timed(lambda: sandbox.replays.step(ACCOUNT, session.id).wait()))
            turns.append(timed(lambda: sandbox.conversation.ask(ACCOUNT, plain.id, "So?")))
            places.append(timed(lambda: sandbox.replays.place(ACCOUNT, session.id)))
    for name, times in (("step", steps), ("place", places), ("ordinary turn", turns)):
        high = statistics.quantiles(times, n=20)[-1]
        print(f"{name}: median {statistics.median(times):.1f} ms, 95% {high:.1f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--stops", type=int, default=40)
    parser.add_argument("--dialogues", type=int, default=60)
    told = parser.parse_args()
    main(told.stops, told.dialogues)
