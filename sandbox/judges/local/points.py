"""How the local judge writes an aspect's points."""

from typing import Literal

from sandbox.judges.verdict import Point

Number = Literal[1, 2, 3]
UNCHECKED = "Not checkable without a model."


def unscored(number: Number, why: str = UNCHECKED) -> Point:
    """A point that is not given a value."""
    return Point(number, None, why)


def lost(number: Number, why: str, quote: str = "") -> Point:
    """A point that is not earned."""
    return Point(number, 0.0, why, quote)


def earned(number: Number, why: str, quote: str = "") -> Point:
    """A point that is earned."""
    return Point(number, 1.0, why, quote)
