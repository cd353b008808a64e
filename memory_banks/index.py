"""The vector index: derived from the ledger, never wrong, at worst slow."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event, Lock
from typing import Literal

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from memory_banks import chroma
from memory_banks.background import Background
from memory_banks.building import Builder, Closing, Deadlines, Progress, both
from memory_banks.collection import IndexOffline
from memory_banks.embedding import Embedder, EmbedderFailed, Vectors
from memory_banks.entries import Dyad, Scope
from memory_banks.exact import ExactSearch, Hit, merged
from memory_banks.generation import Generation
from memory_banks.heap import overwritten
from memory_banks.vectors import Transaction, VectorFiller

Kind = Literal["starting", "ready", "rebuilding", "off"]
_READY = "The vector index is ready."
_MEANWHILE = "Recall searches the ledger itself meanwhile."
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class IndexState:
    """What the index is doing."""

    kind: Kind
    sentence: str
    """What the page shows."""
    done: int = 0
    total: int = 0
    """Entries dealt with, of how many; 0 of 0 where nothing is counted."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The answer of one search."""

    hits: list[Hit]
    """Closest first; ties by entry id."""
    searched: Literal["index", "exact"]
    """Whether the index found them, or exact search over the ledger's vectors."""


class Index:
    """Searches the banks of every dyad; a background thread keeps the index behind it current.

    `read` and `write` open transactions; `trouble` are the errors they may raise. One process
    at a time uses a `root`.
    """

    def __init__(
        self,
        root: Path,
        read: Transaction,
        write: Transaction,
        deadlines: Deadlines | None = None,
        trouble: tuple[type[Exception], ...] = (SQLAlchemyError,),
    ) -> None:
        self._deadlines = deadlines or Deadlines()
        self._trouble: tuple[type[Exception], ...] = (EmbedderFailed, OSError, *trouble)
        self._stop = Event()
        filler = VectorFiller(read, write)
        self._exact = ExactSearch(filler)
        self._builder = Builder(root, read, write, filler, self._deadlines, self._stop)
        self._lock = Lock()
        self._embedder: Embedder | None = None
        self._generation: Generation | None = None
        self._state = IndexState("off", "The vector index has not been started.")
        self._notices: tuple[str, ...] = ()
        self._touched: set[Scope] = set()
        self._background = Background("vector-index")

    @property
    def state(self) -> IndexState:
        """What it is doing now."""
        return self._state

    @property
    def notices(self) -> tuple[str, ...]:
        """Why it was rebuilt, dropped or is behind: one sentence each, oldest first."""
        return self._notices

    def use(self, embedder: Embedder) -> None:
        """Search with `embedder`, exactly, without opening the index."""
        self._embedder = embedder

    def start(self, embedder: Embedder) -> None:
        """Check the index, then mend or rebuild it, in the background; returns at once.

        Entries that have no vector of this embedder are embedded first.
        """
        self._embedder = embedder
        self._show("starting", f"The vector index is being checked. {_MEANWHILE}")
        self._later(partial(self._open, embedder))

    def search(
        self,
        conn: Connection,
        dyad: Dyad,
        vector: Vectors,
        n: int,
        revision: int,
        embedder: Embedder | None = None,
        *,
        history: bool = False,
    ) -> Nearest:
        """The `n` entries that `dyad` sees at `revision` closest to `vector`.

        With `history`, deleted ones are found as well, by exact search.

        `conn` is in a read transaction that sees the ledger up to `revision`; `embedder` made the
        vector, by default the one the index was started with.

        Raises:
            ValueError: if `n` is below 1, the vector is not the embedder's, or there is none.
            EmbedderFailed: if an entry has no vector and gets none.
        """
        used = embedder or self._embedder
        if used is None:
            raise ValueError("the index has no embedder: start it, or pass the vector's")
        if n < 1:
            raise ValueError(f"n must be at least 1, got {n}")
        if vector.shape != (used.dimension,):
            raise ValueError(f"vector must have shape ({used.dimension},), got {vector.shape}")
        hits = None if history else self._by_index(conn, dyad, vector, n, revision, used)
        if hits is not None:
            return Nearest(hits, "index")
        exact = self._exact.nearest(conn, dyad.scopes, used, vector, n, revision, history=history)
        return Nearest(exact, "exact")

    def changed(self, scopes: Iterable[Scope]) -> None:
        """Take up new operations of `scopes` in the background, as far as it goes."""
        if self._background.started:
            with self._lock:
                self._touched.update(scopes)
            self._later(self._catch_up)

    def erase(self) -> None:
        """Let go of every vector, in memory and on disk, that the ledger has not; waits for it."""
        self._exact.clear()
        if self._background.started:
            with overwritten():
                self.rebuild()
        else:
            self._builder.discard()

    def rebuild(self, progress: Progress | None = None) -> IndexState:
        """Make a new index and wait for it; ready, or off with the reason.

        Raises:
            ValueError: if there is no embedder.
        """
        if self._embedder is None:
            raise ValueError("the index has no embedder: start it, or give it one to use")
        over = Event()
        self._later(partial(self._rebuild, self._embedder, None, progress), over)
        while not over.wait(0.1) and self._background.alive and not self._stop.is_set():
            pass
        return self._state

    def close(self) -> None:
        """Stop the background work and close the index. Searches go on, exactly."""
        self._stop.set()
        self._background.close(self._deadlines.close)
        self._put(None)
        self._show("off", "The vector index is closed.")

    def _by_index(
        self,
        conn: Connection,
        dyad: Dyad,
        vector: Vectors,
        n: int,
        revision: int,
        embedder: Embedder,
    ) -> list[Hit] | None:
        """The answer, or None where the index cannot give it for certain."""
        generation = self._generation
        if generation is None or generation.embedder.id != embedder.id:
            return None
        if not generation.in_place():
            self._lose(generation)
            return None
        try:
            found = [generation.nearest(conn, s, vector, n, revision) for s in dyad.scopes]
        except IndexOffline as error:
            self._drop(str(error), generation)
            return None
        parts = [part for part in found if part is not None]
        return merged(parts, n) if len(parts) == len(found) else None

    def _open(self, embedder: Embedder) -> None:
        self._put(None)
        self._builder.fill(embedder, self._tell("starting", "Entries are being embedded."))
        chroma.load()
        reopened = self._builder.reopen(embedder)
        if reopened.generation is None:
            self._rebuild(embedder, reopened.reason)
            return
        self._put(reopened.generation)
        self._builder.follow(reopened.generation)
        self._show("ready", _READY)

    def _rebuild(
        self, embedder: Embedder, reason: str | None, progress: Progress | None = None
    ) -> None:
        chroma.load()
        because = f"rebuilt: {reason}" if reason else "built"
        tell = self._tell("rebuilding", f"The vector index is being {because}. {_MEANWHILE}")
        tell(0, 0)
        self._put(self._builder.build(embedder, both(tell, progress)))
        if reason:
            self._notice(f"The vector index was {because}.")
        self._show("ready", f"The vector index was {because}." if reason else _READY)

    def _catch_up(self) -> None:
        with self._lock:
            touched, self._touched = sorted(self._touched, key=lambda s: s.key), set()
            generation = self._generation
        if generation is None or not touched:
            return
        try:
            self._builder.follow(generation, touched)
        except self._trouble as error:
            with self._lock:
                self._touched.update(touched)
            self._notice(f"The vector index is behind: {_end(error)}. {_MEANWHILE}")

    def _lose(self, generation: Generation) -> None:
        """Drop a generation whose folder has gone, and make another."""
        with self._lock:
            if self._generation is not generation:
                return
            self._generation = None
        self._later(generation.close)
        reason = "its folder was removed or replaced while in use"
        self._show("rebuilding", f"The vector index is being rebuilt: {reason}. {_MEANWHILE}")
        self._later(partial(self._rebuild, generation.embedder, reason))

    def _drop(self, reason: str, generation: Generation | None = None) -> None:
        """Do without the index until it is rebuilt."""
        with self._lock:
            if generation is not None and self._generation is not generation:
                return
            dropped, self._generation = self._generation, None
        if dropped is not None:
            dropped.abandon()
        sentence = f"The vector index is off: {reason}. Recall searches the ledger itself."
        self._notice(sentence)
        self._show("off", f"{sentence} A restart or a rebuild brings the index back.")

    def _put(self, generation: Generation | None) -> None:
        """Let `generation` answer, and close the one before it."""
        with self._lock:
            before, self._generation = self._generation, generation
        if before is not None:
            before.close()

    def _later(self, job: Callable[[], None], over: Event | None = None) -> None:
        """Do `job` in the background, after those that wait there; then set `over`."""
        self._background.later(partial(self._do, job, over or Event()))

    def _do(self, job: Callable[[], None], over: Event) -> None:
        try:
            if not self._stop.is_set():
                job()
        except Closing:
            pass
        except IndexOffline as error:
            self._drop(str(error))
        except self._trouble as error:
            self._drop(_end(error))
        finally:
            over.set()

    def _tell(self, kind: Kind, sentence: str) -> Progress:
        return lambda done, total: self._show(kind, sentence, done, total)

    def _show(self, kind: Kind, sentence: str, done: int = 0, total: int = 0) -> None:
        self._state = IndexState(kind, sentence, done, total)

    def _notice(self, sentence: str) -> None:
        logger.warning("%s", sentence)
        self._notices = (*self._notices, sentence)


def _end(error: Exception) -> str:
    """An error's sentence, to end one of ours."""
    return str(error).rstrip(".")
