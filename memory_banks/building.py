"""Making and mending the index: everything slow, done by one background thread."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from sqlalchemy import func, select

from memory_banks import folders
from memory_banks.checking import check_in_child, question
from memory_banks.embedding import Embedder
from memory_banks.entries import Scope
from memory_banks.generation import Generation
from memory_banks.ledger import scopes
from memory_banks.tables import operations
from memory_banks.vectors import Transaction, VectorFiller, missing_vectors

Progress = Callable[[int, int], None]
"""Told how many entries are done, and of how many."""


class Closing(Exception):
    """The work was given up because the index is being closed."""


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds after which the index is given up."""

    call: float = 10.0
    """For one call of Chroma."""
    check: float = 120.0
    """For the check at start."""
    close: float = 10.0
    """For the background thread to end."""


@dataclass(frozen=True, slots=True)
class Reopened:
    """The live generation, or why it cannot be used."""

    generation: Generation | None
    reason: str | None = None
    """The end of a sentence; null also where there has never been a generation."""


class Builder:
    """Opens, builds and catches up generations under `root`. Raises Closing once `stop` is set."""

    def __init__(
        self,
        root: Path,
        read: Transaction,
        write: Transaction,
        filler: VectorFiller,
        deadlines: Deadlines,
        stop: Event,
    ) -> None:
        self._root = root
        self._read = read
        self._write = write
        self._filler = filler
        self._deadlines = deadlines
        self._stop = stop

    def fill(self, embedder: Embedder, progress: Progress) -> None:
        """Give every entry of the ledger its vector.

        Raises:
            EmbedderFailed: if the embedder gives no usable vector.
        """
        with self._read() as conn:
            absent = {i: None for s in scopes(conn) for i in missing_vectors(conn, s, embedder.id)}
        done = 0
        for made in self._filler.fill(embedder, list(absent), self._stop):
            done += len(made)
            progress(done, len(absent))
        self._go_on()

    def reopen(self, embedder: Embedder) -> Reopened:
        """The live generation, checked against the ledger in a child process.

        Raises:
            IndexOffline: if Chroma fails.
        """
        with self._read() as conn:
            path = folders.live_folder(conn, self._root)
            asked = question(conn, embedder.id)
        if path is None:
            return Reopened(None)
        if folders.mark(path) is None:
            return Reopened(None, "its folder was missing")
        answer = check_in_child(path, asked, self._deadlines.check, self._stop)
        self._go_on()
        if answer.difference:
            return Reopened(None, answer.difference)
        seconds = self._deadlines.call
        folders.remove_others(self._root, path)
        return Reopened(Generation(path, seconds, embedder, self._filler, answer.covered))

    def build(self, embedder: Embedder, progress: Progress) -> Generation:
        """A new generation that holds what the ledger says; it is live, and the only one left.

        Raises:
            IndexOffline: if Chroma fails.
            EmbedderFailed: if an entry has no vector and gets none.
            OSError: if its folder cannot be made.
        """
        path = folders.new_folder(self._root)
        generation: Generation | None = None
        finished = False
        try:
            generation = Generation(path, self._deadlines.call, embedder, self._filler)
            self._follow_all(generation, progress)
            with self._write() as conn:
                folders.make_live(conn, path)
            finished = True
        finally:
            if not finished:
                if generation:
                    generation.close()
                folders.remove(path)
        folders.remove_others(self._root, path)
        return generation

    def discard(self) -> None:
        """Remove every generation; the next start makes one."""
        with self._write() as conn:
            folders.make_none_live(conn)
        folders.remove_others(self._root, None)

    def follow(self, generation: Generation, some: Sequence[Scope] | None = None) -> None:
        """Bring the collections of `some` scopes (all if None) to the ledger's head.

        Raises:
            IndexOffline: if Chroma fails.
            EmbedderFailed: if an entry has no vector and gets none.
        """
        if some is None:
            with self._read() as conn:
                some = scopes(conn)
        for scope in some:
            generation.follow(self._read, scope, self._stop)
            self._go_on()

    def _follow_all(self, generation: Generation, progress: Progress) -> None:
        with self._read() as conn:
            every = scopes(conn)
            counted = select(func.count(operations.c.entry.distinct()))
            total = conn.execute(counted).scalar_one()
        done = 0

        def advance(written: int) -> None:
            nonlocal done
            done += written
            progress(min(done, total), total)

        for scope in every:
            generation.follow(self._read, scope, self._stop, advance)
            self._go_on()

    def _go_on(self) -> None:
        if self._stop.is_set():
            raise Closing


def both(first: Progress, second: Progress | None) -> Progress:
    """Tell two how far it is; one where there is no second."""

    def tell(done: int, total: int) -> None:
        first(done, total)
        if second is not None:
            second(done, total)

    return tell
