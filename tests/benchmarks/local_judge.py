"""What a verdict of the local judge costs: `python -m tests.benchmarks.local_judge`.

A reply of four sentences, a pool of ten, twelve lines of history, persona and query. `new reply`:
pool, history and persona are known from the reply before, as in a session; `cold pool`: nothing is,
as at the first evaluation of an instance. Use and MIQ; then with roles and aspects too. Medians
after warm-up; this machine is shared, so read them as upper bounds.
"""

import argparse
import sys
import time
from dataclasses import replace

import numpy as np

from sandbox.instances import Said
from sandbox.judges.case import Case, PoolItem
from sandbox.judges.local.encoder import MiniLM
from sandbox.judges.local.judge import LocalJudge
from sandbox.judges.verdict import ASPECTS, Aspect

PLACES = ("Bergen", "Tartu", "Porto", "Graz", "Lviv", "Cork", "Basel", "Turin", "Gdansk", "Split")
THINGS = ("ferry", "loom", "violin", "bicycle", "telescope", "kiln", "canoe", "camera", "oven")


def case_of(number: int, reply: int) -> Case:
    """A case of its own for every `number`; with the same one only the reply is new."""
    pool = tuple(
        PoolItem(
            str(at),
            f"Ann took the {THINGS[(at + number) % 9]} number {number} to {place} on "
            f"2026-0{at % 9 + 1}-1{at % 9}.",
        )
        for at, place in enumerate(PLACES)
    )
    thing, place = THINGS[reply % 9], PLACES[reply % 10]
    return Case(
        character="Bo",
        human="Ann",
        persona=f"Name: Bo\nSummary: Bo weaves rugs, {number} a year. Bo is calm and plain.",
        history=tuple(
            Said(
                "user" if at % 2 else "assistant",
                "Ann" if at % 2 else "Bo",
                f"{number}. {at}: it rained on the old harbour wall again today, did it not?",
            )
            for at in range(12)
        ),
        query=f"Where was I with that {thing} in spring, do you still know?",
        reply=(
            f"You went to {place} with the {thing} number {number}, I think it was early in the "
            f"year {reply}. It was raining and you were tired, but you loved the harbour. "
            "I still have the postcard that you sent me. Shall we go together next time?"
        ),
        pool=pool,
        now="2026-05-05T10:00:00+02:00",
    )


def milliseconds(judge: LocalJudge, cases: list[Case], aspects: tuple[Aspect, ...]) -> float:
    """The median over the cases."""
    taken: list[float] = []
    for case in cases:
        start = time.perf_counter()
        judge.judge(case, aspects)
        taken.append(time.perf_counter() - start)
    return float(np.median(taken)) * 1000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30)
    runs = parser.parse_args().runs
    encoder = MiniLM()
    bare, whole = LocalJudge(encoder, roles=None, aspects=None), LocalJudge(encoder)
    start = time.perf_counter()
    bare.judge(case_of(0, 0))
    sys.stdout.write(f"first verdict, with loading: {time.perf_counter() - start:.1f} s\n")
    sys.stdout.write(f"{'':<24}{'new reply ms':>14}{'cold pool ms':>14}\n")
    for at, (name, judge, asked) in enumerate(
        [("use and MIQ", bare, ()), ("with roles and aspects", whole, ASPECTS)]
    ):
        warm = [case_of(0, 1000 * at + reply) for reply in range(1, runs + 1)]
        cold = [case_of(1000 * at + number, number) for number in range(1, runs + 1)]
        judge.judge(replace(warm[0], reply="Hm."), asked)
        new = milliseconds(judge, warm, asked)
        sys.stdout.write(f"{name:<24}{new:>14.1f}{milliseconds(judge, cold, asked):>14.1f}\n")


if __name__ == "__main__":
    main()
