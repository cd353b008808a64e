"""Is an index folder what the ledger says? Asked in a child process: a damaged one can kill it."""

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event
from typing import Protocol

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError
from sqlalchemy import Connection

from memory_banks.collection import MOST_STRAYS, Covered, collection_name
from memory_banks.embedding import Vectors
from memory_banks.exact import MARGIN, Hit
from memory_banks.ledger import scopes
from memory_banks.vectors import Change, changes, last_states, load_vectors

_SAMPLE = 8
"""Vectors compared a collection."""
_POLL = 0.1


class Expected(BaseModel):
    """What the ledger says about one scope."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    changes: list[Change]
    sample: dict[str, list[float]]
    """Vectors of some live entries, by id."""


class Question(BaseModel):
    """What the child is asked: one item a collection, by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    embedder: str
    collections: dict[str, Expected]


class Answer(BaseModel):
    """What the child found."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    difference: str | None
    """The first difference, as the end of a sentence; null where there is none."""
    covered: dict[str, Covered] = {}
    """How far each collection follows the ledger, by name."""


class Rows(Protocol):
    """One collection, as the check reads it."""

    @property
    def ours(self) -> bool:
        """Whether it is set up as this program does it."""

    @property
    def covered(self) -> Covered | None:
        """What it says about itself; None where it says nothing."""

    def ids(self) -> list[str]:
        """Every id it lists."""

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        """Its vectors of these ids."""

    def nearest(self, vector: Vectors, n: int) -> list[Hit]:
        """The rows that a search finds."""


def question(conn: Connection, embedder: str) -> Question:
    """What the ledger says about every scope."""
    return Question(
        embedder=embedder,
        collections={
            collection_name(scope): _expected(changes(conn, scope), conn, embedder)
            for scope in scopes(conn)
        },
    )


def answer(asked: Question, found: Mapping[str, Rows]) -> Answer:
    """The first difference between the ledger and the collections `found`.

    A collection may be behind the ledger, or missing while others are there: it is caught up.
    """
    if extra := found.keys() - asked.collections.keys():
        sentence = f"it holds collections that the ledger does not know ({len(extra)})"
        return Answer(difference=sentence)
    if asked.collections and not found:
        return Answer(difference="it was empty")
    covered: dict[str, Covered] = {}
    for name, rows in found.items():
        if not rows.ours:
            return Answer(difference="it was not made by this program")
        if rows.covered is None:
            continue
        if difference := _difference(asked.collections[name], asked.embedder, rows, rows.covered):
            return Answer(difference=difference)
        covered[name] = rows.covered
    return Answer(difference=None, covered=covered)


def check_in_child(folder: Path, asked: Question, seconds: float, stop: Event) -> Answer:
    """What a child process answers about `folder`; its crash or its deadline is a difference.

    Once `stop` is set the child is ended and the answer is worth nothing.
    """
    with TemporaryFile() as text:
        # By file: `communicate` does not go on with its input after a timeout.
        text.write(asked.model_dump_json().encode("utf-8"))
        text.seek(0)
        child = subprocess.Popen(
            [sys.executable, "-m", "memory_banks.chroma", str(folder.absolute())],
            cwd=Path(__file__).parents[1],
            stdin=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with child:
            output = _wait(child, seconds, stop)
    if output is None:
        return Answer(difference=f"its check did not end within {seconds:g} seconds")
    if child.returncode < 0:
        return Answer(difference=f"reading it crashed (signal {-child.returncode})")
    try:
        return Answer.model_validate_json(output)
    except ValidationError:
        return Answer(difference="it could not be read")


def _wait(child: "subprocess.Popen[bytes]", seconds: float, stop: Event) -> bytes | None:
    """The child's standard output, or None where it was ended."""
    until = time.monotonic() + seconds
    while True:
        try:
            return child.communicate(timeout=_POLL)[0]
        except subprocess.TimeoutExpired:
            if stop.is_set() or time.monotonic() > until:
                child.kill()
                child.communicate()
                return None


def _expected(found: list[Change], conn: Connection, embedder: str) -> Expected:
    live = [entry for entry, added in last_states(found).items() if added]
    some = live[:: max(1, len(live) // _SAMPLE)][:_SAMPLE]
    vectors = load_vectors(conn, embedder, some)
    return Expected(
        changes=found, sample={entry: vector.tolist() for entry, vector in vectors.items()}
    )


def _difference(expected: Expected, embedder: str, rows: Rows, covered: Covered) -> str | None:
    if covered.embedder != embedder:
        return f"it was made with the embedder {covered.embedder}, and {embedder} is in use"
    known = [c for c in expected.changes if c.number <= covered.number]
    if not known or known[-1].operation != covered.operation:
        return f"it follows operation {covered.number}, which the ledger does not know"
    later = {c.entry for c in expected.changes[len(known) :]}
    live = {entry for entry, added in last_states(known).items() if added} - later
    listed = rows.ids()
    if set(listed) - later != live:
        return f"a collection listed {len(listed)} entries where the ledger has {len(live)}"
    sample = {entry: expected.sample[entry] for entry in expected.sample.keys() & live}
    known_lost = later | set(covered.strays)
    if sample and len(covered.strays) <= MOST_STRAYS:
        dimension = len(next(iter(sample.values())))
        if missed := _missed(rows, listed, dimension) - known_lost:
            return f"a search missed {len(missed)} of {len(listed)} entries"
    return _changed(rows, listed, sample)


def _missed(rows: Rows, listed: list[str], dimension: int) -> set[str]:
    """What a search that asks for everything, as it is asked at writing, does not give."""
    start = np.eye(1, dimension, dtype=np.float32)[0]
    return set(listed) - {hit.id for hit in rows.nearest(start, len(listed))}


def _changed(rows: Rows, listed: list[str], sample: Mapping[str, list[float]]) -> str | None:
    """Whether a sampled vector is another, or does not find itself."""
    held = rows.vectors(list(sample))
    for entry, wanted in sample.items():
        vector = _array(wanted)
        if entry not in held or np.abs(held[entry] - vector).max() > MARGIN:
            return "a vector differed from the ledger's"
        hits = rows.nearest(vector, min(10, len(listed)))
        if not hits or hits[0].similarity < 1 - 10 * MARGIN:
            return "a vector did not find itself"
    return None


def _array(values: list[float]) -> Vectors:
    return np.asarray(values, dtype=np.float32)
