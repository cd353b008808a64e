"""The bank of one dyad at one revision, read from the ledger."""

import time
from collections.abc import Callable

from sqlalchemy import Connection, and_, exists, or_, select

from memory_banks.bank import Recall, Recalled, RecallUnavailable
from memory_banks.embedding import Embedder, EmbedderFailed, embed_checked
from memory_banks.entries import Dyad, Entry
from memory_banks.index import Index
from memory_banks.ledger import entries_by_id, live_ids, states
from memory_banks.tables import operations
from memory_banks.vectors import Transaction


class LedgerBank:
    """A `Bank`: what a dyad sees at one revision. Every method reads in a transaction of its own.

    `embedder` gives the embedder in use, or raises RecallUnavailable. With `history` the entries
    that were superseded or deleted are listed and recalled too.
    """

    def __init__(
        self,
        dyad: Dyad,
        revision: int,
        index: Index,
        embedder: Callable[[], Embedder],
        read: Transaction,
        *,
        history: bool = False,
    ) -> None:
        self._dyad = dyad
        self._revision = revision
        self._index = index
        self._embedder = embedder
        self._read = read
        self._history = history

    @property
    def revision(self) -> int:
        """The revision it stands at."""
        return self._revision

    def count(self) -> int:
        """How many entries are listed."""
        if self._history:
            return len(self.entries())
        with self._read() as conn:
            return sum(len(live_ids(conn, s, self._revision)) for s in self._dyad.scopes)

    def entries(self) -> list[Entry]:
        """The entries listed, in order of addition."""
        with self._read() as conn:
            found = states(conn, self._dyad, self._revision)
        return [state.entry for state in found if state.live or self._history]

    def recall(self, query: str, n: int) -> Recall:
        """The `n` live entries closest to `query`; reads those entries only.

        An empty bank gives an empty recall and needs no embedder.

        Raises:
            ValueError: if `n` is below 1.
            RecallUnavailable: if there is no embedder to search with, or it fails.
        """
        if n < 1:
            raise ValueError(f"n must be at least 1, got {n}")
        with self._read() as conn:
            if not self._history and not _holds_something(conn, self._dyad, self._revision):
                return Recall(query, (), "exact")
        embedder = self._embedder()
        started = time.perf_counter()
        try:
            vector = embed_checked(embedder, [query])[0]
            seconds = time.perf_counter() - started
            with self._read() as conn:
                found = self._index.search(
                    conn, self._dyad, vector, n, self._revision, embedder, history=self._history
                )
                held = entries_by_id(conn, [hit.id for hit in found.hits])
        except EmbedderFailed as error:
            raise RecallUnavailable(str(error)) from error
        candidates = tuple(Recalled(held[hit.id], hit.similarity) for hit in found.hits)
        return Recall(query, candidates, found.searched, seconds)


def _holds_something(conn: Connection, dyad: Dyad, revision: int) -> bool:
    """Whether an entry is live; ends at the first that is."""
    add, delete = operations.alias("add"), operations.alias("delete")
    gone = exists().where(
        delete.c.entry == add.c.entry,
        delete.c.kind == "delete",
        delete.c.number > add.c.number,
        delete.c.number <= revision,
    )
    seen = or_(
        *(
            and_(add.c.account == s.account, add.c.user == s.user, add.c.agent == s.agent)
            for s in dyad.scopes
        )
    )
    query = select(add.c.id).where(seen, add.c.kind == "add", add.c.number <= revision, ~gone)
    return conn.execute(query.limit(1)).first() is not None
