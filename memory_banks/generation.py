"""One open generation of the index: collections that follow the ledger and are searched."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from threading import Event, Lock

import numpy as np
from sqlalchemy import Connection

from memory_banks.chroma import ChromaFolder
from memory_banks.collection import (
    EXHAUSTIVE,
    MOST_STRAYS,
    Covered,
    Found,
    IndexOffline,
    collection_name,
)
from memory_banks.embedding import Embedder, Vectors
from memory_banks.entries import Scope
from memory_banks.exact import MARGIN, Hit, ranked
from memory_banks.folders import mark
from memory_banks.vectors import Change, Transaction, VectorFiller, changes, last_states

_ASKED = 200
"""Rows asked of a collection, however few are wanted, so that equal ones come together."""
_TAIL = 500
"""Operations that a collection may be behind and still be used."""
_STEP = 500


class Generation:
    """Never wrong: where a collection cannot give the exact answer it says so.

    `follow` belongs to one thread; `nearest` to any.
    """

    def __init__(
        self,
        path: Path,
        seconds: float,
        embedder: Embedder,
        filler: VectorFiller,
        covered: dict[str, Covered] | None = None,
    ) -> None:
        """Open the generation in `path`, where `covered` says how far its collections are.

        Raises:
            IndexOffline: if Chroma fails.
        """
        self.path = path
        self.embedder = embedder
        self._filler = filler
        self._folder = ChromaFolder(path, seconds)
        self._mark = mark(path)
        self._lock = Lock()
        self._covered = dict(covered or {})
        self._writing: dict[str, int] = {}
        """The latest operation that may have reached a collection already, by its name."""

    def in_place(self) -> bool:
        """Whether its database is the file that was opened."""
        return self._mark is not None and mark(self.path) == self._mark

    def close(self) -> None:
        """Close the folder; a call that hangs is left behind."""
        self._folder.close()

    def abandon(self) -> None:
        """Let go of every caller and close nothing."""
        self._folder.abandon()

    def follow(
        self,
        read: Transaction,
        scope: Scope,
        stop: Event,
        progress: Callable[[int], None] = lambda done: None,
    ) -> None:
        """Bring the scope's collection to the ledger's head; doing it again changes nothing.

        The collection says it covers an operation only once it holds what the operation did, so
        a crash in between is made good by doing it again. `progress` is told of entries written.

        Raises:
            IndexOffline: if Chroma fails.
            EmbedderFailed: if an entry has no vector and gets none.
        """
        name = collection_name(scope)
        covered = self._covered.get(name)
        later = _later(covered, _since(read, scope, covered))
        if later is None:
            covered, later = None, _since(read, scope, None)
        if not later:
            return
        self._announce(name, covered, later[-1])
        if covered is None:
            self._folder.create(name)
        self._write(name, last_states(later), stop, progress)
        if not stop.is_set():
            self._cover(name, later[-1])

    def nearest(
        self, conn: Connection, scope: Scope, query: Vectors, n: int, revision: int
    ) -> list[Hit] | None:
        """The `n` entries of `scope` live at `revision` closest to `query`, as exact search has it.

        None where the collection cannot tell: it is ahead of the revision or far behind, or it
        may have missed something.

        Raises:
            IndexOffline: if Chroma fails or knows what the ledger does not.
        """
        name = collection_name(scope)
        if self._ahead(name, revision):
            return None
        covered = self._covered.get(name)
        since = covered.number if covered else 0
        later = _later(covered, changes(conn, scope, since=since, until=revision))
        if later is None or len(later) > _TAIL:
            return None
        states = last_states(later)
        by_hand = [entry for entry, live in states.items() if live]
        if covered:
            strays = [entry for entry in covered.strays if entry not in states]
            close = self._close(name, query, n, states, strays)
            if close is None or self._ahead(name, revision) or name not in self._covered:
                return None
            by_hand += close + strays
        return self._ranked(by_hand, query, n)

    def _close(
        self, name: str, query: Vectors, n: int, aside: Collection[str], strays: list[str]
    ) -> list[str] | None:
        """Ids of the collection's rows, `aside` and `strays` left out, that may be the closest."""
        if len(strays) > MOST_STRAYS:
            return None
        asked = max(_ASKED, 2 * n) + len(aside) + len(strays)
        return certain(self._folder.nearest(name, query, asked), n, aside, strays)

    def _ranked(self, ids: Sequence[str], query: Vectors, n: int) -> list[Hit]:
        if not ids:
            return []
        try:
            vectors = self._filler.vectors(self.embedder, ids)
        except KeyError as error:
            raise IndexOffline("it held an entry that the ledger does not know") from error
        return ranked(ids, np.stack([vectors[entry] for entry in ids]), query, n)

    def _ahead(self, name: str, revision: int) -> bool:
        """Whether the collection may hold what an operation after `revision` did."""
        with self._lock:
            covered = self._covered.get(name)
            reached = covered.number if covered else 0
            return max(reached, self._writing.get(name, 0)) > revision

    def _announce(self, name: str, covered: Covered | None, last: Change) -> None:
        with self._lock:
            self._writing[name] = last.number
            if covered is None:
                self._covered.pop(name, None)

    def _write(
        self, name: str, states: dict[str, bool], stop: Event, progress: Callable[[int], None]
    ) -> None:
        self._folder.delete(name, [entry for entry, live in states.items() if not live])
        live = [entry for entry, live in states.items() if live]
        progress(len(states) - len(live))
        for start in range(0, len(live), _STEP):
            if stop.is_set():
                return
            ids = live[start : start + _STEP]
            vectors = self._filler.vectors(self.embedder, ids)
            self._folder.upsert(name, ids, np.stack([vectors[entry] for entry in ids]))
            progress(len(ids))

    def _cover(self, name: str, last: Change) -> None:
        start = np.eye(1, self.embedder.dimension, dtype=np.float32)[0]
        strays = tuple(self._folder.unreached(name, start)[: MOST_STRAYS + 1])
        covered = Covered(last.number, last.operation, self.embedder.id, strays)
        self._folder.cover(name, covered)
        with self._lock:
            self._covered[name] = covered


def certain(
    found: Found, n: int, aside: Collection[str], strays: Collection[str]
) -> list[str] | None:
    """Ids of the rows, `aside` and `strays` left out, that may be among the `n` closest.

    None if another row that was not given may be, too: there are more rows than a search
    compares, or rows besides `strays` are hidden, or the last given is as close as the `n`th.
    """
    reachable = found.count - len(strays)
    if reachable > EXHAUSTIVE or len(found.hits) < min(found.asked, reachable):
        return None
    hits = [hit for hit in found.hits if hit.id not in strays]
    hits.sort(key=lambda hit: -hit.similarity)
    complete, last = len(hits) >= reachable, hits[-1].similarity if hits else -1.0
    hits = [hit for hit in hits if hit.id not in aside]
    least = hits[n - 1].similarity - MARGIN if len(hits) >= n else -2.0
    if not complete and last >= least:
        return None
    return [hit.id for hit in hits if hit.similarity >= least]


def _since(read: Transaction, scope: Scope, covered: Covered | None) -> list[Change]:
    with read() as conn:
        return changes(conn, scope, since=covered.number if covered else 0)


def _later(covered: Covered | None, found: list[Change]) -> list[Change] | None:
    """Those of `found` that are not covered; None if the ledger does not know what is."""
    if covered is None:
        return found
    return found[1:] if found and found[0].operation == covered.operation else None
