"""Agreement and intervals over many replies, resampled by reply; numpy only.

Every statistic here takes weights, one row a resample and one column a unit (how often the unit is
drawn), and gives one number a row; undefined is NaN. With a single row of ones it is the plain one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Floats]
"""Weights (resamples, units) to values (resamples,)."""
RESAMPLES = 1000
SEED = 20260401
Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95% interval; null where it is not defined."""

    value: float | None
    low: float | None = None
    high: float | None = None


def estimate(statistic: Statistic, units: int, seed: int = SEED) -> Estimate:
    """The statistic over `units` units, with a percentile bootstrap interval over them.

    Resamples in which it is undefined are left out; where those are more than half, or there is
    one unit only, there is no interval.
    """
    if not units:
        return Estimate(None)
    value = _number(statistic(np.ones((1, units)))[0])
    if value is None or units == 1:
        return Estimate(value)
    found = statistic(_drawn(units, seed))
    found = found[np.isfinite(found)]
    if len(found) <= RESAMPLES / 2:
        return Estimate(value)
    low, high = np.percentile(found, [2.5, 97.5])
    return Estimate(value, float(low), float(high))


@lru_cache(maxsize=4)
def _drawn(units: int, seed: int) -> Floats:
    """How often each unit is drawn in each resample (RESAMPLES, units); not to be changed."""
    drawn = np.random.default_rng(seed).multinomial(units, [1 / units] * units, RESAMPLES)
    weights: Floats = drawn.astype(np.float64)
    weights.setflags(write=False)
    return weights


def wilson(successes: float, n: int) -> Estimate:
    """The share `successes` / `n` with its Wilson score interval; null for none at all."""
    if not n:
        return Estimate(None)
    share = successes / n
    middle = share + Z95**2 / (2 * n)
    spread = Z95 * sqrt(share * (1 - share) / n + Z95**2 / (4 * n * n))
    scale = 1 + Z95**2 / n
    low, high = (middle - spread) / scale, (middle + spread) / scale
    return Estimate(share, max(0.0, min(low, share)), min(1.0, max(high, share)))


def ratio(numerators: Sequence[float], denominators: Sequence[float]) -> Statistic:
    """Sum of the units' numerators over the sum of their denominators."""
    above, below = np.asarray(numerators, float), np.asarray(denominators, float)
    return lambda weights: _divided(weights @ above, weights @ below)


def kappa(tables: Floats) -> Statistic:
    """Cohen's kappa of counts (units, classes, classes): rows the gold, columns the judge.

    NaN where the gold is of one class only: there is nothing to tell apart.
    """
    units, classes, _ = tables.shape
    flat = tables.reshape(units, classes * classes)

    def statistic(weights: Floats) -> Floats:
        table = (weights @ flat).reshape(-1, classes, classes)
        total = table.sum((1, 2))
        same = _divided(np.trace(table, axis1=1, axis2=2), total)
        chance = _divided((table.sum(1) * table.sum(2)).sum(1), total**2)
        lone = table.sum(2).max(1) == total
        return np.where(lone, np.nan, _divided(same - chance, 1 - chance))

    return statistic


def quadratic_kappa(gold: Sequence[float], judge: Sequence[float]) -> Statistic:
    """Cohen's kappa with quadratic weights, of scores that need not be whole numbers.

    1 - (mean squared difference of the pairs) / (of all combinations); NaN where all are the same.
    """
    left, right = np.asarray(gold, float), np.asarray(judge, float)
    apart = (left - right) ** 2

    def statistic(weights: Floats) -> Floats:
        total = weights.sum(1)
        means = [_divided(weights @ part, total) for part in (left, right)]
        squares = [_divided(weights @ part**2, total) for part in (left, right)]
        chance = squares[0] + squares[1] - 2 * means[0] * means[1]
        chance[chance < 1e-12] = 0.0
        return 1 - _divided(_divided(weights @ apart, total), chance)

    return statistic


def spearman(gold: Sequence[float], judge: Sequence[float]) -> Statistic:
    """Spearman's rank correlation, ties averaged; NaN where one side is all the same."""
    sides = [_Ranked(gold), _Ranked(judge)]

    def statistic(weights: Floats) -> Floats:
        total = weights.sum(1, keepdims=True)
        middle = (total + 1) / 2
        left, right = (side.ranks(weights) - middle for side in sides)
        spreads = [(weights * part**2).sum(1) for part in (left, right)]
        return _divided((weights * left * right).sum(1), np.sqrt(spreads[0] * spreads[1]))

    return statistic


class _Ranked:
    """Values of one side, ready to be ranked under weights."""

    def __init__(self, values: Sequence[float]) -> None:
        distinct, self._place = np.unique(np.asarray(values, float), return_inverse=True)
        self._held = np.eye(len(distinct))[self._place]

    def ranks(self, weights: Floats) -> Floats:
        """Average rank of each unit (resamples, units), 1 for the smallest."""
        sizes = weights @ self._held
        average = np.cumsum(sizes, axis=1) - sizes + (sizes + 1) / 2
        ranks: Floats = average[:, self._place]
        return ranks


def within(gold: Sequence[float], judge: Sequence[float], distance: float) -> Statistic:
    """Share of the pairs that differ by at most `distance`."""
    near = np.abs(np.asarray(gold, float) - np.asarray(judge, float)) <= distance + 1e-9
    return ratio(list(near.astype(float)), [1.0] * len(near))


def plain(found: Estimate, digits: int = 4) -> dict[str, float | None]:
    """The estimate as a plain value."""
    names = ("value", "low", "high")
    return {name: _rounded(getattr(found, name), digits) for name in names}


def _rounded(number: float | None, digits: int) -> float | None:
    return None if number is None else round(number, digits)


def _divided(above: Floats, below: Floats) -> Floats:
    empty = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    divided: Floats = np.divide(above, below, out=empty, where=below != 0)
    return divided


def _number(value: float) -> float | None:
    return float(value) if isfinite(value) else None
