"""What a graph sees of a bank: entries at one revision, and recall over them."""

from dataclasses import dataclass
from typing import Literal, Protocol

from memory_banks.entries import Entry


@dataclass(frozen=True, slots=True)
class Recalled:
    """An entry as one query found it."""

    entry: Entry
    similarity: float | None
    """Cosine similarity to the query, in [-1, 1]; null where the bank was listed, not searched."""


@dataclass(frozen=True, slots=True)
class Recall:
    """The candidates of one query, closest first; ties by entry id."""

    query: str
    """The text that was embedded; empty where the bank was listed, not searched."""
    candidates: tuple[Recalled, ...]
    searched: Literal["index", "exact", "listed"]
    """By Chroma, by exact search over the ledger's vectors, or not searched at all."""
    seconds_embedding: float = 0.0
    """Time spent in the embedder, to be told apart from our own."""


class Bank(Protocol):
    """The bank of one dyad at one revision: live entries of the user's scope and the dyad's."""

    @property
    def revision(self) -> int:
        """The revision it stands at."""

    def count(self) -> int:
        """How many entries are live."""

    def entries(self) -> list[Entry]:
        """The live entries, in order of addition."""

    def recall(self, query: str, n: int) -> Recall:
        """The `n` live entries closest to `query` (fewer if the bank holds fewer).

        Raises:
            ValueError: if `n` is below 1.
            RecallUnavailable: if there is no embedder to search with.
        """


class RecallUnavailable(Exception):
    """Recall by meaning cannot run; the message says why and what to do."""
