"""The ledger's vectors: stored, loaded, and made where they are missing."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Event, Lock

import numpy as np
from sqlalchemy import Connection, and_, select

from memory_banks.dialect import insert_new_rows
from memory_banks.embedding import Embedder, EmbedderFailed, Vectors, embed_checked
from memory_banks.entries import Scope
from memory_banks.tables import entries, operations, text_start, vectors

Transaction = Callable[[], AbstractContextManager[Connection]]
"""Opens a transaction; leaving the block commits it, an exception rolls it back."""
_IN_CHUNK = 500
_BATCH = 32
"""Texts embedded at once: a query that waits for the embedder waits for one batch at most."""
_START = 64
"""Characters of a text by which others of the same text are found: see `text_start`."""
_PAUSE = 0.002
"""Seconds between two batches, so that whoever waits for the embedder gets it."""


class EntryGone(EmbedderFailed):
    """An entry has no vector because it was forgotten meanwhile."""


_GONE = "An entry was forgotten while it was looked up; try again."


@dataclass(frozen=True, slots=True)
class Change:
    """An operation, as far as a search needs to know it."""

    number: int
    operation: str
    entry: str
    added: bool
    """Whether it added the entry; otherwise it deleted it."""


def changes(
    conn: Connection, scope: Scope, *, since: int = 0, until: int | None = None
) -> list[Change]:
    """The operations of one scope with `since <= number <= until`, in order."""
    columns = operations.c.number, operations.c.id, operations.c.entry, operations.c.kind
    query = select(*columns).where(
        operations.c.account == scope.account,
        operations.c.user == scope.user,
        operations.c.agent == scope.agent,
        operations.c.number >= since,
    )
    if until is not None:
        query = query.where(operations.c.number <= until)
    rows = conn.execute(query.order_by(operations.c.number))
    return [Change(number, name, entry, kind == "add") for number, name, entry, kind in rows]


def last_states(found: Iterable[Change]) -> dict[str, bool]:
    """Whether each entry that `found` touches is live after it, by entry id."""
    return {change.entry: change.added for change in found}


def store_vectors(conn: Connection, embedder: str, found: Mapping[str, Vectors]) -> None:
    """Write one vector an entry id; a vector that is there already stays as it is."""
    rows = [
        {"entry": entry, "embedder": embedder, "vector": vector.astype("<f4").tobytes()}
        for entry, vector in found.items()
    ]
    insert_new_rows(conn, vectors, rows)


def load_vectors(conn: Connection, embedder: str, ids: Sequence[str]) -> dict[str, Vectors]:
    """The vectors of the entries with these ids; ids without one are left out."""
    found: dict[str, Vectors] = {}
    for chunk in _chunks(ids, _IN_CHUNK):
        query = select(vectors.c.entry, vectors.c.vector).where(
            vectors.c.embedder == embedder, vectors.c.entry.in_(chunk)
        )
        found.update((entry, _vector(stored)) for entry, stored in conn.execute(query))
    return found


def vectors_of_texts(conn: Connection, embedder: str, texts: Collection[str]) -> dict[str, Vectors]:
    """The vectors that entries of exactly these texts have, by text; others are left out.

    Whose entries they are does not matter: a vector says what its text says and no more. What was
    forgotten has neither its text nor a vector.
    """
    found: dict[str, Vectors] = {}
    starts = sorted({text[:_START] for text in texts})
    for chunk in _chunks(starts, _IN_CHUNK):
        query = (
            select(entries.c.text, vectors.c.vector)
            .join_from(entries, vectors)
            .where(text_start.in_(chunk), vectors.c.embedder == embedder)
        )
        found.update((text, _vector(kept)) for text, kept in conn.execute(query) if text in texts)
    return found


def missing_vectors(conn: Connection, scope: Scope, embedder: str) -> list[str]:
    """Ids of the entries ever added to `scope` that have no vector of this embedder."""
    query = (
        select(operations.c.entry)
        .distinct()
        .outerjoin(
            vectors, and_(vectors.c.entry == operations.c.entry, vectors.c.embedder == embedder)
        )
        .where(
            operations.c.account == scope.account,
            operations.c.user == scope.user,
            operations.c.agent == scope.agent,
            vectors.c.entry.is_(None),
        )
    )
    return list(conn.execute(query).scalars())


class VectorFiller:
    """Gives entries their vectors: those of the same text where there are any, else new ones.

    It reads and writes in transactions of its own, so a caller may hold a read transaction open,
    never a write transaction.
    """

    def __init__(self, read: Transaction, write: Transaction) -> None:
        self._read = read
        self._write = write
        self._lock = Lock()

    def vectors(self, embedder: Embedder, ids: Sequence[str]) -> dict[str, Vectors]:
        """One vector for each of `ids`, new ones stored before they are returned.

        Raises:
            EmbedderFailed: if the embedder gives no usable vector.
            EntryGone: if an id names no entry, or none any more.
        """
        with self._read() as conn:
            found = load_vectors(conn, embedder.id, ids)
        absent = [entry for entry in ids if entry not in found]
        for made in self.fill(embedder, absent):
            found.update(made)
        return found

    def fill(
        self, embedder: Embedder, ids: Sequence[str], stop: Event | None = None
    ) -> Iterator[dict[str, Vectors]]:
        """Embed what is missing among `ids`, batch by batch; each batch's vectors, stored.

        Two threads that fill the same entries share the work. Ends early once `stop` is set.
        """
        pause = stop or Event()
        for batch in _chunks(ids, _BATCH):
            with self._lock:
                made = self._fill_batch(embedder, batch)
            yield made
            if pause.wait(_PAUSE):
                return

    def _fill_batch(self, embedder: Embedder, ids: Sequence[str]) -> dict[str, Vectors]:
        with self._read() as conn:
            found = load_vectors(conn, embedder.id, ids)
            absent = [entry for entry in ids if entry not in found]
            texts = _texts(conn, absent)
            known = vectors_of_texts(conn, embedder.id, set(texts.values()))
        if not absent:
            return found
        if len(texts) < len(absent):
            raise EntryGone(_GONE)
        unknown = [text for text in dict.fromkeys(texts.values()) if text not in known]
        if unknown:
            known.update(zip(unknown, embed_checked(embedder, unknown), strict=True))
        with self._write() as conn:
            there = _texts(conn, absent, lock=True)
            kept = [entry for entry in absent if there.get(entry) == texts[entry]]
            fresh = {entry: known[texts[entry]] for entry in kept}
            store_vectors(conn, embedder.id, fresh)
        if len(fresh) < len(absent):
            raise EntryGone(_GONE)
        return found | fresh


def _texts(conn: Connection, ids: Sequence[str], *, lock: bool = False) -> dict[str, str]:
    """What the entries say; with `lock` they go on saying it until the transaction ends."""
    query = select(entries.c.id, entries.c.text).where(entries.c.id.in_(ids))
    return {row.id: row.text for row in conn.execute(query.with_for_update() if lock else query)}


def _vector(stored: bytes) -> Vectors:
    return np.frombuffer(stored, dtype="<f4").astype(np.float32, copy=False)


def _chunks(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (ids[start : start + size] for start in range(0, len(ids), size))
