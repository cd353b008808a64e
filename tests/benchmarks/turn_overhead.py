"""What a turn costs beside the model and the embedder: `python -m tests.benchmarks.turn_overhead`.

A model that answers at once, an embedder of hashed words (384 dimensions) whose time is measured
and taken off, turns in sessions of twenty, bank sizes of the dyad as rows. `overhead` is the whole
of `ask` (T1, recall, prompt, reply, T2) less the embedder. `reference` is the same turn in the same
run with the strategy no_memory on an empty bank. The column `MiniLM` is one query through the
packaged embedder, by itself. Medians and ratios; this machine is shared, so read the ratios.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memory_banks.embedding import (
    Embedder,
    EmbedderMissing,
    HashedWords,
    Vectors,
    load_sentence_transformer,
)
from memory_banks.entries import Add, Dyad, Entry
from memory_banks.ledger import User, append, ensure_user
from memory_banks.vectors import store_vectors
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox, assemble
from sandbox.folder import Layout
from sandbox.models import Models
from sandbox.settings import Settings
from tests.fakes import NOW
from tests.scripted_model import ScriptedModel

PERSONA = "walid-qutami"
WORDS = ("river", "lamp", "stone", "bread", "violin", "harbour") + (
    "ticket",
    "garden",
    "winter",
    "letter",
    "bridge",
    "copper",
)


class TimedEmbedder:
    """Hashed words, with the seconds spent in them."""

    def __init__(self) -> None:
        self._words = HashedWords(384)
        self.id = self._words.id
        self.dimension = self._words.dimension
        self.seconds = 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        start = time.perf_counter()
        try:
            return self._words.embed(texts)
        finally:
            self.seconds += time.perf_counter() - start


@dataclass(frozen=True)
class Row:
    """One line of the table, times in milliseconds."""

    name: str
    overhead: list[float]
    embedder: list[float]

    def text(self, reference: float) -> str:
        p50, p95 = np.percentile(self.overhead, [50, 95])
        embedder = np.median(self.embedder)
        return f"{self.name:<24}{p50:>9.1f}{p95:>9.1f}{p50 / reference:>8.2f}{embedder:>10.2f}"


def text_of(number: int) -> str:
    """A sentence of its own for every number."""
    chosen = [WORDS[(number // 12**place) % 12] for place in range(5)]
    return f"Number {number} keeps a {' and a '.join(chosen)}."


def fill(sandbox: Sandbox, embedder: TimedEmbedder, user: str, size: int) -> None:
    """Give the dyad `size` entries with vectors."""
    dyad = Dyad(ACCOUNT, user, PERSONA)
    made = [
        Entry(str(number), dyad.scope("dyad"), "episodic", text_of(number))
        for number in range(size)
    ]
    with sandbox.record.write("import") as conn:
        ensure_user(conn, User(ACCOUNT, user, user, "", 0), "now")
        append(conn, [Add(entry, "benchmark") for entry in made], "now")
    vectors = embedder.embed([entry.text for entry in made])
    with sandbox.record.write("derived") as conn:
        by_id = {entry.id: vector for entry, vector in zip(made, vectors, strict=True)}
        store_vectors(conn, embedder.id, by_id)
    embedder.seconds = 0.0


def measure(
    sandbox: Sandbox, embedder: TimedEmbedder, name: str, user: str, strategy: str, turns: int
) -> Row:
    """The overhead of `turns` turns, in sessions of twenty."""
    overhead: list[float] = []
    spent: list[float] = []
    session = None
    for turn in range(turns + 3):
        if session is None or turn % 20 == 0:
            session = sandbox.sessions.open(ACCOUNT, user, PERSONA, strategy=strategy)
        embedder.seconds = 0.0
        start = time.perf_counter()
        sandbox.conversation.ask(ACCOUNT, session.id, text_of(turn * 37))
        whole = time.perf_counter() - start
        if turn >= 3:
            spent.append(embedder.seconds * 1000)
            overhead.append((whole - embedder.seconds) * 1000)
    return Row(name, overhead, spent)


def minilm_milliseconds(runs: int = 30) -> float | None:
    """The median time of one query through the packaged embedder; null where it is missing."""
    try:
        model: Embedder = load_sentence_transformer()
    except EmbedderMissing:
        return None
    taken: list[float] = []
    for number in range(runs):
        start = time.perf_counter()
        model.embed([text_of(number)])
        taken.append(time.perf_counter() - start)
    return float(np.median(taken)) * 1000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 20_000])
    parser.add_argument("--no-index", action="store_true", help="exact search only")
    arguments = parser.parse_args()
    embedder = TimedEmbedder()
    with tempfile.TemporaryDirectory() as folder:
        sandbox = assemble(
            Settings(data_dir=Path(folder)),
            Layout(Path(folder)),
            {},
            clock=lambda: NOW,
            load_embedder=lambda: embedder,
            models=Models(ready=[ScriptedModel(play=lambda asked: "I see.")]),
        )
        for size in arguments.sizes:
            fill(sandbox, embedder, f"user {size}", size)
        if not arguments.no_index:
            sandbox.start()
            while sandbox.index.state.kind in ("starting", "rebuilding"):
                time.sleep(0.2)
        print(f"index: {sandbox.index.state.kind}; {arguments.turns} turns a row", file=sys.stderr)
        rows = [measure(sandbox, embedder, "reference", "Empty", "no_memory", arguments.turns)]
        for size in arguments.sizes:
            name = f"top_k, {size:,} entries"
            row = measure(sandbox, embedder, name, f"user {size}", "top_k", arguments.turns)
            rows.append(row)
        sandbox.close()
    print(f"{'':<24}{'p50 ms':>9}{'p95 ms':>9}{'ratio':>8}{'embedder':>10}")
    reference = float(np.median(rows[0].overhead))
    for row in rows:
        print(row.text(reference))
    minilm = minilm_milliseconds()
    print(f"MiniLM, one query: {'missing' if minilm is None else f'{minilm:.1f} ms'}")


if __name__ == "__main__":
    main()
