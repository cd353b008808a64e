"""A bank of 20,000 entries: `python -m tests.benchmarks.large_bank`.

`open` is what the page reads to show a bank: every state of it, with text and history, counted by
group; `screen` is that with every operation, and the list and timeline made of them. `apply` turns
twenty decisions of one session into operations (T6: six additions, ten changes, four deletions), up
to the commit; `follow` is the index taking them up, which happens behind. `build` makes an index
from vectors that the ledger has, in the background, and `recall` asks meanwhile, with the embedder;
every answer is compared with the right one. `check` is a start with an index that is there: a child
process compares it with the ledger, behind the page.

The embedder is hashed words (384 dimensions) and the vectors are made before the clock starts: what
is measured is our own part. Half of the entries are the user's, half the dyad's. Milliseconds:
`wall`, with the worst, and the processor's time of all threads and of children are medians; `ratio`
is wall time against a bank of 200 entries in the same run. This machine is shared: read the ratios
and the processor's time.
"""

import argparse
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import numpy as np

from memory_banks import captures
from memory_banks.embedding import HashedWords
from memory_banks.entries import Add, Dyad, Entry, Provenance
from memory_banks.generation import Generation
from memory_banks.ledger import User, append, ensure_user, head
from memory_banks.vectors import VectorFiller, store_vectors
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox, assemble
from sandbox.folder import Layout
from sandbox.lifecycle.capture_steps import CaptureSteps
from sandbox.models import Models
from sandbox.settings import Settings
from sandbox.ui.bank_views import Asked, bank_list
from sandbox.ui.held import read_held
from sandbox.ui.timeline_views import timeline
from tests.benchmarks.turn_overhead import text_of
from tests.fakes import NOW
from tests.scripted_model import ScriptedModel

PERSONA, AT = "walid-qutami", "2026-03-26T11:05:00+00:00"
SMALL = 200
WORDS = HashedWords(384)
ADDED, CHANGED, DELETED = 6, 10, 4


@dataclass(frozen=True)
class Took:
    """One measured call, in seconds."""

    wall: float
    processor: float


class Table:
    """What was measured, by name and size of bank."""

    def __init__(self) -> None:
        self._took: dict[str, dict[int, list[Took]]] = {}

    @contextmanager
    def timed(self, name: str, size: int) -> Iterator[None]:
        started, spent = time.perf_counter(), _processor()
        yield
        took = Took(time.perf_counter() - started, _processor() - spent)
        self._took.setdefault(name, {}).setdefault(size, []).append(took)

    def seconds(self, name: str, size: int) -> float:
        """The median wall time."""
        return float(np.median([one.wall for one in self._took[name][size]]))

    def lines(self) -> Iterator[str]:
        yield f"{'':<34}{'wall':>9}{'worst':>9}{'processor':>11}{'ratio':>8}{'n':>5}"
        for name, by_size in self._took.items():
            for size in sorted(by_size):
                yield self._line(name, size, by_size)

    def _line(self, name: str, size: int, by_size: dict[int, list[Took]]) -> str:
        took = by_size[size]
        wall = self.seconds(name, size) * 1000
        worst = max(one.wall for one in took) * 1000
        spent = float(np.median([one.processor for one in took])) * 1000
        small = self.seconds(name, SMALL) * 1000 if SMALL in by_size else float("nan")
        ratio = "" if np.isnan(small) or size == SMALL else f"{wall / small:.2f}"
        label = f"{name}, {size:,} entries"
        return f"{label:<34}{wall:>9.1f}{worst:>9.1f}{spent:>11.1f}{ratio:>8}{len(took):>5}"


def _processor() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def assembled(folder: Path) -> Sandbox:
    """A sandbox on the folder."""
    return assemble(
        Settings(data_dir=folder),
        Layout(folder),
        {},
        clock=lambda: NOW,
        load_embedder=lambda: WORDS,
        models=Models(ready=[ScriptedModel(play=lambda asked: "I see.")]),
    )


def dyad_of(size: int) -> Dyad:
    return Dyad(ACCOUNT, f"user {size}", PERSONA)


def entry(dyad: Dyad, number: int, session: str = "an-earlier-one") -> Entry:
    """An entry of its own for every number: a fact of the user's, or an episode of the dyad's."""
    even = number % 2 == 0
    return Entry(
        str(number),
        dyad.scope("user" if even else "dyad"),
        "fact" if even else "episodic",
        text_of(number),
        author="capture",
        provenance=Provenance(session, (f"{session}-1",), "user"),
    )


def fill(sandbox: Sandbox, size: int) -> None:
    """Give the dyad of this size its entries, with vectors."""
    dyad = dyad_of(size)
    held = [entry(dyad, number) for number in range(size)]
    with sandbox.record.write("import") as conn:
        ensure_user(conn, User(ACCOUNT, dyad.user, dyad.user, "", 0), AT)
        append(conn, [Add(one, "benchmark") for one in held], AT)
    vectors = WORDS.embed([one.text for one in held])
    with sandbox.record.write("derived") as conn:
        found = {one.id: vector for one, vector in zip(held, vectors, strict=True)}
        store_vectors(conn, WORDS.id, found)


def measure_open(sandbox: Sandbox, table: Table, sizes: Sequence[int], runs: int) -> None:
    """Read each bank, then all that the page shows of it."""
    for _run in range(runs):
        for size in sizes:
            user = dyad_of(size).user
            with table.timed("open", size):
                view = sandbox.banks.view(ACCOUNT, user, PERSONA)
                Counter(one.group for one in view.live)
            with table.timed("screen", size):
                held = read_held(sandbox, ACCOUNT, user, PERSONA, user, None)
                bank_list(held.bank, held.user, held.persona, Asked())
                timeline(held.operations, held.states, held.persona)


def decided(sandbox: Sandbox, size: int, run: int) -> str:
    """A session ended, proposed and decided, but not carried out; its capture's id."""
    dyad = dyad_of(size)
    session = sandbox.sessions.open(ACCOUNT, dyad.user, PERSONA)
    sandbox.remembering.close(ACCOUNT, session.id)
    capture = captures.capture_id(session.id)
    first, oldest = size + run * (ADDED + CHANGED), run * (CHANGED + DELETED)
    with sandbox.record.write("T4 proposed") as conn:
        for ordinal in range(ADDED + CHANGED + DELETED):
            new = entry(dyad, first + ordinal, session.id) if ordinal < ADDED + CHANGED else None
            gone = [entry(dyad, oldest + ordinal - ADDED).id] if ordinal >= ADDED else []
            reason, said = "It says more.", f"{session.id}-1"
            captures.store_proposal(conn, capture, ordinal, new, gone, reason, evidence=said)
        for one in captures.proposals_of(conn, capture):
            captures.store_decision(conn, one.id, "approved", edited=None, author="human", at=AT)
        captures.set_status(conn, capture, "proposed", notes=[])
    return capture


def measure_apply(
    sandbox: Sandbox, table: Table, sizes: Sequence[int], runs: int, place: Path
) -> None:
    """Carry out one session after another in each bank, and let an index take it up."""
    record = sandbox.record
    steps = CaptureSteps(record, lambda: NOW, lambda scopes: None, lambda dyad, text, n: [])
    filler = VectorFiller(record.read, lambda: record.write("derived"))
    place.mkdir()
    with closing(Generation(place, 60.0, WORDS, filler)) as index:
        for run in range(runs + 1):
            for size in sizes:
                capture, scopes = decided(sandbox, size, run), dyad_of(size).scopes
                with table.timed("apply" if run else "apply, the first", size):
                    steps.apply(capture)
                with table.timed("follow" if run else "follow, from nothing", size):
                    for scope in scopes:
                        index.follow(record.read, scope, Event())


class Oracle:
    """Every entry's vector, to know the right answer by."""

    def __init__(self, sandbox: Sandbox, dyad: Dyad) -> None:
        self._sandbox = sandbox
        self._dyad = dyad
        live = sandbox.banks.view(ACCOUNT, dyad.user, PERSONA).live
        self._vectors = WORDS.embed([one.text for one in live]).astype(np.float64)
        self._asked = 0

    def ask(self, table: Table, name: str, size: int) -> str:
        """Recall for a text of its own, which must be right; by what it was answered."""
        self._asked += 31
        text, sandbox = text_of(self._asked), self._sandbox
        with table.timed(name, size):
            vector = WORDS.embed([text])[0]
            with sandbox.record.read() as conn:
                revision = head(conn, ACCOUNT, self._dyad.user)
                found = sandbox.index.search(conn, self._dyad, vector, 10, revision)
        similarities = self._vectors @ vector.astype(np.float64)
        wanted = sorted(similarities, reverse=True)[:10]
        assert np.allclose([hit.similarity for hit in found.hits], wanted, atol=1e-5), text
        return found.searched


def measure_build(folder: Path, table: Table, size: int, runs: int) -> Counter[str]:
    """Build an index from nothing while somebody asks; by what how many answers were found."""
    answered: Counter[str] = Counter()
    for _run in range(runs):
        sandbox = assembled(folder)
        sandbox.index.erase()
        sandbox.index.use(WORDS)
        oracle = Oracle(sandbox, dyad_of(size))
        oracle.ask(table, "recall, the first", size)
        thread = Thread(target=sandbox.index.rebuild)
        with table.timed("build", size):
            thread.start()
            while thread.is_alive():
                answered[oracle.ask(table, "recall while it is built", size)] += 1
                thread.join(0.05)
        assert sandbox.index.state.kind == "ready", sandbox.index.state.sentence
        for _ask in range(20):
            oracle.ask(table, "recall by it", size)
        sandbox.close()
    return answered


def measure_check(folder: Path, table: Table, size: int, runs: int) -> None:
    """Start again on an index that is there."""
    for _run in range(runs):
        sandbox = assembled(folder)
        with table.timed("check", size):
            sandbox.start()
            while sandbox.index.state.kind in ("off", "starting"):
                time.sleep(0.01)
        assert sandbox.index.state.kind == "ready", sandbox.index.state.sentence
        sandbox.close()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--builds", type=int, default=3)
    arguments = parser.parse_args()
    size, table = arguments.size, Table()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "data"
        folder.mkdir()
        sandbox = assembled(folder)
        for one in (SMALL, size):
            fill(sandbox, one)
        measure_open(sandbox, table, (SMALL, size), arguments.runs)
        measure_apply(sandbox, table, (SMALL, size), arguments.runs, Path(place) / "index")
        sandbox.close()
        answered = measure_build(folder, table, size, arguments.builds)
        measure_check(folder, table, size, arguments.builds)
    for line in table.lines():
        print(line)
    rate = (size + SMALL) / table.seconds("build", size)
    print(f"build: {rate:,.0f} entries a second; meanwhile {dict(answered)} answers, all right")


if __name__ == "__main__":
    main()
