"""What the index keeps for one scope, told without Chroma."""

from dataclasses import dataclass

from memory_banks.entries import Scope
from memory_banks.exact import Hit

EXHAUSTIVE = 25_000
"""Up to so many rows a search compares every row that it can reach: Chroma's `ef_search`.

With its default of 100 a search can miss all of the closest rows where many others are alike.
"""
MOST_STRAYS = 200
"""A collection with more rows that no search reaches is not searched at all."""


class IndexOffline(Exception):
    """The index cannot be used; the message says why, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Covered:
    """How far a collection follows the ledger."""

    number: int
    """The number of the latest operation it holds."""
    operation: str
    """That operation's id."""
    embedder: str
    strays: tuple[str, ...] = ()
    """Ids of rows that no search reaches, at most one more than MOST_STRAYS of them.

    Rare, but of many equal vectors some can hide others. They are compared one by one instead.
    """


@dataclass(frozen=True, slots=True)
class Found:
    """What a collection answered."""

    hits: list[Hit]
    """Closest first; of equally close rows any."""
    asked: int
    """How many rows it was asked for."""
    count: int
    """How many rows it says it has."""


def collection_name(scope: Scope) -> str:
    """The name of the scope's collection: `u-` or `d-` and the scope's key."""
    return f"{scope.side[0]}-{scope.key}"
