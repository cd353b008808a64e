"""The one door to Chroma: a folder with one collection of vectors a scope.

Run as a module, it answers a question about a folder: see `checking`.
"""

import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from memory_banks.checking import Question, answer
from memory_banks.collection import EXHAUSTIVE, Covered, Found, IndexOffline
from memory_banks.deadline import Abandoned, PastDeadline, Worker
from memory_banks.embedding import Vectors
from memory_banks.exact import Hit

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

T = TypeVar("T")
_BATCH = 100
"""Rows a call: Chroma holds the interpreter's lock while it writes."""
_FREE = 64 << 20
"""Bytes that must be free before a write: on a full disk Chroma may hang for good."""


def load() -> None:
    """Import Chroma, which takes most of a second.

    Raises:
        IndexOffline: if it is not installed or cannot be loaded.
    """
    try:
        import chromadb  # noqa: F401
    except (ImportError, RuntimeError) as error:
        raise IndexOffline(f"Chroma cannot be loaded ({error})") from error


class ChromaFolder:
    """A folder of collections, open in this process.

    Every call runs in one thread of its own. A call that fails or passes its deadline raises
    IndexOffline, and then so does every later one.
    """

    def __init__(self, folder: Path, seconds: float) -> None:
        self._folder = folder
        self._seconds = seconds
        self._offline: str | None = None
        self._collections: dict[str, Collection] = {}
        self._worker = Worker("chroma")
        self._client = self._call(lambda: _client(folder))

    def create(self, name: str) -> None:
        """Make an empty collection; an old one of that name goes."""

        def make() -> None:
            from chromadb.errors import NotFoundError

            with suppress(NotFoundError):
                self._client.delete_collection(name)
            self._collections[name] = self._client.create_collection(
                name,
                embedding_function=None,
                configuration={
                    "hnsw": {
                        "space": "cosine",
                        "ef_construction": 120,
                        "max_neighbors": 32,
                        "ef_search": EXHAUSTIVE,
                    }
                },
            )

        self._call(make)

    def upsert(self, name: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Put one row an id, `vectors` having shape (n, dimension)."""
        for start in range(0, len(ids), _BATCH):
            some, rows = list(ids[start : start + _BATCH]), vectors[start : start + _BATCH]
            self._check_disk()
            self._call(partial(self._upsert, name, some, rows))

    def delete(self, name: str, ids: Sequence[str]) -> None:
        """Take rows away; ids without one are passed over."""
        for start in range(0, len(ids), _BATCH):
            self._check_disk()
            self._call(partial(self._delete, name, list(ids[start : start + _BATCH])))

    def unreached(self, name: str, vector: Vectors) -> list[str]:
        """Ids of the rows that a search from `vector` for everything misses, in order."""

        def ask() -> list[str]:
            collection = self._of(name)
            reached = _nearest(collection, vector, collection.count())
            return _missed(collection.get(include=[])["ids"], reached)

        return self._call(ask)

    def cover(self, name: str, covered: Covered) -> None:
        """Store how far the collection follows the ledger."""
        metadata = asdict(covered) | {"strays": " ".join(covered.strays)}
        self._call(lambda: self._of(name).modify(metadata=metadata))

    def nearest(self, name: str, vector: Vectors, n: int) -> Found:
        """The `n` rows closest to `vector` (all where there are fewer)."""

        def ask() -> Found:
            collection = self._of(name)
            count = collection.count()
            return Found(_nearest(collection, vector, min(n, count)), n, count)

        return self._call(ask)

    def close(self) -> None:
        """Close the client and its thread; one that hangs is left behind."""
        if self._offline is None:
            try:
                self._call(self._client.close)
            except IndexOffline:
                return
            self._offline = "it is closed"
            self._worker.close(self._seconds)

    def abandon(self) -> None:
        """Let go of every caller; what hangs is left behind."""
        self._offline = self._offline or "it is closed"
        self._worker.abandon()

    def _upsert(self, name: str, ids: list[str], vectors: Vectors) -> None:
        self._of(name).upsert(ids=ids, embeddings=vectors)

    def _delete(self, name: str, ids: list[str]) -> None:
        self._of(name).delete(ids=ids)

    def _of(self, name: str) -> "Collection":
        """The collection, which must be there. In the worker's thread only."""
        if name not in self._collections:
            found = self._client.get_collection(name, embedding_function=None)
            self._collections[name] = found
        return self._collections[name]

    def _check_disk(self) -> None:
        try:
            free = shutil.disk_usage(self._folder).free
        except OSError as error:
            raise self._went(f"its folder cannot be read ({error})") from error
        if free < _FREE:
            raise self._went(f"its disk has only {free >> 20} MB left")

    def _call(self, function: Callable[[], T]) -> T:
        if self._offline is not None:
            raise IndexOffline(self._offline)
        try:
            return self._worker.call(function, self._seconds)
        except PastDeadline:
            raise self._went(f"a call took more than {self._seconds:g} seconds") from None
        except Abandoned:
            raise self._went("it is closed") from None
        except BaseException as error:
            # Only Chroma ran in there; its native part can panic with what is no Exception.
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            raise self._went(f"Chroma failed ({type(error).__name__}: {error})") from error

    def _went(self, reason: str) -> IndexOffline:
        self._offline = reason
        self._worker.abandon()
        return IndexOffline(reason)


class _Rows:
    """A collection as the check reads it. Never its `configuration`: that can load a model."""

    def __init__(self, collection: "Collection") -> None:
        self._collection = collection

    @property
    def ours(self) -> bool:
        model = self._collection.get_model()
        set_up = model.configuration_json
        hnsw = set_up.get("hnsw") or {}
        searched = hnsw.get("space"), hnsw.get("ef_search")
        wanted = "cosine", EXHAUSTIVE
        return searched == wanted and not _embeds(set_up) and not _embeds(model.serialized_schema)

    @property
    def covered(self) -> Covered | None:
        held: dict[str, Any] = dict(self._collection.metadata or {})
        try:
            return Covered(**held | {"strays": tuple(held.pop("strays", "").split())})
        except TypeError:
            return None

    def ids(self) -> list[str]:
        return self._collection.get(include=[])["ids"]

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        if not ids:
            return {}
        found = self._collection.get(ids=list(ids), include=["embeddings"])
        held: Any = found["embeddings"]
        return dict(zip(found["ids"], held, strict=True))

    def nearest(self, vector: Vectors, n: int) -> list[Hit]:
        return _nearest(self._collection, vector, n)


def _embeds(value: Any) -> bool:
    """Whether a stored set-up names an embedding function, which ours never does."""
    if isinstance(value, list):
        return any(_embeds(item) for item in value)
    if not isinstance(value, dict):
        return False
    function = value.get("embedding_function") or {}
    return function.get("type") == "known" or any(_embeds(item) for item in value.values())


def _nearest(collection: "Collection", vector: Vectors, n: int) -> list[Hit]:
    if n < 1:
        return []
    queries: Any = [vector]
    found = collection.query(query_embeddings=queries, n_results=n, include=["distances"])
    assert found["distances"] is not None
    pairs = zip(found["ids"][0], found["distances"][0], strict=True)
    return [Hit(entry, 1.0 - distance) for entry, distance in pairs]


def _missed(ids: Iterable[str], reached: Iterable[Hit]) -> list[str]:
    return sorted(set(ids) - {hit.id for hit in reached})


def _client(folder: Path) -> "Client":
    import chromadb
    from chromadb.config import Settings

    settings = Settings(anonymized_telemetry=False)
    return cast("Client", chromadb.PersistentClient(path=str(folder), settings=settings))


def main() -> None:
    """Answer the question on standard input about the folder named as argument."""
    asked = Question.model_validate_json(sys.stdin.buffer.read())
    client = _client(Path(sys.argv[1]))
    names = [collection.name for collection in client.list_collections()]
    found = {name: _Rows(client.get_collection(name, embedding_function=None)) for name in names}
    sys.stdout.write(answer(asked, found).model_dump_json())


if __name__ == "__main__":
    main()
