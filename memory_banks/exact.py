"""Exact search over the ledger's vectors: the reference that the index is held to."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from memory_banks.embedding import Embedder, Vectors
from memory_banks.entries import Scope
from memory_banks.vectors import Change, VectorFiller, changes

MARGIN = 1e-5
"""Similarities closer than this are compared again in double precision before they are ordered."""
_MAX_ROWS = 200_000


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that a search found."""

    id: str
    similarity: float
    """Cosine similarity to the query, in [-1, 1]."""


def ranked(ids: Sequence[str], vectors: Vectors, query: Vectors, n: int) -> list[Hit]:
    """The `n` of `ids` closest to `query`, ties by id; `vectors` has one row for each of `ids`.

    In double precision and row by row, so that an entry's similarity does not depend on what it
    is compared with.
    """
    if not ids:
        return []
    products = vectors.astype(np.float64) * query.astype(np.float64)
    similarities = np.clip(products.sum(axis=1), -1.0, 1.0)
    hits = [Hit(entry, float(value)) for entry, value in zip(ids, similarities, strict=True)]
    return merged([hits], n)


def merged(parts: Iterable[Iterable[Hit]], n: int) -> list[Hit]:
    """The `n` closest of all hits, ties by id."""
    hits = [hit for part in parts for hit in part]
    return sorted(hits, key=lambda hit: (-hit.similarity, hit.id))[:n]


class ExactSearch:
    """Exact search with the vectors of recently searched scopes kept in memory.

    At most `max_rows` vectors are kept, and always those of the scope searched last.
    """

    def __init__(self, filler: VectorFiller, max_rows: int = _MAX_ROWS) -> None:
        self._filler = filler
        self._max_rows = max_rows
        self._lock = Lock()
        self._kept: OrderedDict[tuple[Scope, str], _Kept] = OrderedDict()

    def nearest(
        self,
        conn: Connection,
        scopes: Sequence[Scope],
        embedder: Embedder,
        query: Vectors,
        n: int,
        revision: int,
        *,
        history: bool = False,
    ) -> list[Hit]:
        """The `n` entries of `scopes` live at `revision` closest to `query`, ties by id.

        With `history`, those that were deleted by then are found as well. `conn` is in a read
        transaction that sees the ledger up to `revision`. Entries that have no vector yet are
        embedded and stored.

        Raises:
            ValueError: if `n` is below 1 or `query` is not of the embedder's dimension.
            EmbedderFailed: if the embedder gives no usable vector.
        """
        if n < 1:
            raise ValueError(f"n must be at least 1, got {n}")
        if query.shape != (embedder.dimension,):
            raise ValueError(f"query must have shape ({embedder.dimension},), got {query.shape}")
        parts: list[list[Hit]] = []
        for scope in scopes:
            kept = self._of(scope, embedder)
            with kept.lock:
                self._bring_up_to_date(conn, kept, scope, embedder, revision)
                parts.append(kept.nearest(query, n, revision, history))
        self._forget_some()
        return merged(parts, n)

    def clear(self) -> None:
        """Keep no vector in memory any more."""
        with self._lock:
            self._kept.clear()

    def _of(self, scope: Scope, embedder: Embedder) -> "_Kept":
        key = scope, embedder.id
        with self._lock:
            kept = self._kept.setdefault(key, _Kept(embedder.dimension))
            self._kept.move_to_end(key)
            return kept

    def _bring_up_to_date(
        self, conn: Connection, kept: "_Kept", scope: Scope, embedder: Embedder, revision: int
    ) -> None:
        """Add what the ledger says up to `revision`; start anew where it says something else."""
        last = kept.last(revision)
        found = changes(conn, scope, since=last.number if last else 0, until=revision)
        if last and not kept.is_followed_by(last, found):
            kept.clear()
            found = changes(conn, scope, until=revision)
        elif last:
            found = found[1:]
        if not found:
            return
        ids = list(dict.fromkeys(c.entry for c in found if c.added and not kept.holds(c.entry)))
        kept.extend(found, self._filler.vectors(embedder, ids))

    def _forget_some(self) -> None:
        with self._lock:
            rows = sum(len(kept) for kept in self._kept.values())
            while rows > self._max_rows and len(self._kept) > 1:
                rows -= len(self._kept.popitem(last=False)[1])


class _Kept:
    """One scope: its operations so far, and a row for every entry ever added to it."""

    def __init__(self, dimension: int) -> None:
        self.lock = Lock()
        self._dimension = dimension
        self.clear()

    def __len__(self) -> int:
        return len(self._ids)

    def clear(self) -> None:
        self._changes: list[Change] = []
        self._numbers: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._rows: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._adds: npt.NDArray[np.bool_] = np.empty(0, np.bool_)
        self._ids: list[str] = []
        self._row_of: dict[str, int] = {}
        self._buffer: Vectors = np.empty((0, self._dimension), np.float32)

    def holds(self, entry: str) -> bool:
        return entry in self._row_of

    def last(self, revision: int) -> Change | None:
        """The latest known change at `revision`."""
        count = self._count(revision)
        return self._changes[count - 1] if count else None

    def is_followed_by(self, last: Change, found: Sequence[Change]) -> bool:
        """Whether `found`, the ledger from `last` on, goes on from what is known.

        It does not where a user was forgotten and began anew.
        """
        return found[:1] == [last] and (len(found) == 1 or last == self._changes[-1])

    def extend(self, found: Sequence[Change], vectors: dict[str, Vectors]) -> None:
        """Add changes that follow the known ones; `vectors` has those of the new entries."""
        self._reserve(len(self._ids) + len(vectors))
        for entry, vector in vectors.items():
            self._row_of[entry] = len(self._ids)
            self._buffer[len(self._ids)] = vector
            self._ids.append(entry)
        self._changes += found
        rows = [self._row_of[change.entry] for change in found]
        self._numbers = np.append(self._numbers, [change.number for change in found])
        self._rows = np.append(self._rows, rows)
        self._adds = np.append(self._adds, [change.added for change in found])

    def nearest(self, query: Vectors, n: int, revision: int, history: bool) -> list[Hit]:
        live = self._added(revision) if history else self._live(revision)
        count = int(live.sum())
        if not count:
            return []
        similarities = self._buffer[: len(self._ids)] @ query
        similarities[~live] = -np.inf
        if n < count:
            least = np.partition(similarities, -n)[-n] - MARGIN
            rows = np.flatnonzero(similarities >= least)
        else:
            rows = np.flatnonzero(live)
        return ranked([self._ids[row] for row in rows], self._buffer[rows], query, n)

    def _live(self, revision: int) -> npt.NDArray[np.bool_]:
        """Which rows are live at `revision`: of an entry's operations the last one counts."""
        count = self._count(revision)
        live = np.zeros(len(self._ids), np.bool_)
        live[self._rows[:count]] = self._adds[:count]
        return live

    def _added(self, revision: int) -> npt.NDArray[np.bool_]:
        """Which rows have been added by `revision`."""
        added = np.zeros(len(self._ids), np.bool_)
        added[self._rows[: self._count(revision)]] = True
        return added

    def _count(self, revision: int) -> int:
        return int(np.searchsorted(self._numbers, revision, side="right"))

    def _reserve(self, rows: int) -> None:
        if rows > len(self._buffer):
            grown = np.empty((max(rows, 2 * len(self._buffer)), self._dimension), np.float32)
            grown[: len(self._ids)] = self._buffer[: len(self._ids)]
            self._buffer = grown
