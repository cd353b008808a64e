"""A figure of a stage: its value, its interval over episodes, what it is; and a paired difference.

Every figure here is a function of sums over rows, kept by unit, so that a resample is a matter of
weights. The unit is the episode where rows share one, else the row's own instance. The interval is
a percentile bootstrap of 200 resamples, as DyadMem has it (sections 3.3 and I.7).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import numpy as np

from sandbox.metrics.stage_episode import Row, StageFailure, identity
from sandbox.metrics.stage_formula import StageFormula, StageKey
from sandbox.metrics.stage_formulas import STAGE_FORMULAS
from sandbox.metrics.statistics import SEED, Estimate, Floats

Combine = Callable[[Floats], Floats]
"""Sums (resamples, columns) to values (resamples,), NaN where undefined."""
STAGE_RESAMPLES = 200


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """What a figure is made of: sums by unit, and how they come to a value."""

    units: tuple[str, ...]
    columns: Floats
    """(units, columns)"""
    combine: Combine
    rows: tuple[tuple[str, str], ...]
    """Unit and name of every row, sorted: what a paired variant must have, too."""

    def values(self, weights: Floats) -> Floats:
        """The figure for weights (resamples, units)."""
        return self.combine(weights @ self.columns)


@dataclass(frozen=True, slots=True)
class StageFigure:
    """One number of a stage, with its 95% interval and what it is."""

    key: StageKey
    estimate: Estimate
    n: float
    """What it is over, counted as its formula says."""
    unit: Literal["episode", "instance"]
    units: int
    unscored: int
    """Rows left out because the judge could not be read."""
    seed: int
    sums: Sums = field(repr=False, compare=False)

    @property
    def value(self) -> float | None:
        """The number; null where it is undefined."""
        return self.estimate.value

    @property
    def formula(self) -> StageFormula:
        """What it is and where it is defined."""
        return STAGE_FORMULAS[self.key]

    @property
    def reason(self) -> str:
        """Why it has no value, in a sentence; empty where it has one."""
        return "" if self.value is not None else f"Undefined: {self.formula.undefined}."

    def shown(self) -> str:
        """For people, such as `0.58 (0.32-0.81), n 12 questions`; `-` where it is undefined."""
        low, high = self.estimate.low, self.estimate.high
        value = "-" if self.value is None else f"{self.value:.2f}"
        span = "" if low is None or high is None else f" ({low:.2f}-{high:.2f})"
        return f"{value}{span}, n {self.n:g} {self.formula.over}"

    def explain(self) -> str:
        """The figure in full, over several lines: value, formula, source, interval."""
        formula = self.formula
        lines = [
            f"{formula.title} = {self.shown()}",
            f"{formula.name}: {formula.text}.",
            f"{formula.source}." + (f" Ours: {formula.ours}." if formula.ours else ""),
        ]
        if self.reason:
            lines.append(self.reason)
        if self.estimate.low is not None:
            lines.append(
                f"95% interval: bootstrap, {STAGE_RESAMPLES} resamples, "
                f"unit {self.unit} ({self.units}), seed {self.seed}."
            )
        elif self.value is not None:
            lines.append(f"No interval: too few of its kind, unit {self.unit} ({self.units}).")
        if self.unscored:
            lines.append(f"{self.unscored} left out: the judge could not be read.")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class StageScores:
    """Every figure of one stage over a group of rows."""

    figures: Mapping[StageKey, StageFigure]
    rows: int
    failures: Mapping[StageFailure, int]
    """Rows that could not be used, by why; they are counted in every denominator."""

    def __getitem__(self, key: StageKey) -> StageFigure:
        return self.figures[key]


def stage_scores(
    figures: Iterable[StageFigure], failures: Iterable[StageFailure | None]
) -> StageScores:
    """The figures by key, with why each row failed; null for a row that did not."""
    found = list(failures)
    counted = Counter(one for one in found if one is not None)
    return StageScores({one.key: one for one in figures}, len(found), counted)


def figure(
    key: StageKey,
    counted: Iterable[tuple[Row, Sequence[float]]],
    combine: Combine,
    *,
    seed: int = SEED,
    unscored: int = 0,
) -> StageFigure:
    """The figure over rows, each with its counts; the last count is what `n` adds up."""
    found = list(counted)
    sums = _summed(found, combine)
    shared = len(sums.units) < len(found)
    return StageFigure(
        key=key,
        estimate=bootstrap(sums.values, len(sums.units), seed),
        n=float(sums.columns[:, -1].sum()),
        unit="episode" if shared else "instance",
        units=len(sums.units),
        unscored=unscored,
        seed=seed,
        sums=sums,
    )


def difference(key: StageKey, left: StageFigure, right: StageFigure) -> StageFigure:
    """`left` - `right`, of two variants over the same rows; both see the same resamples.

    Raises:
        ValueError: where one has rows that the other lacks: a failed output is a row as well.
    """
    if left.sums.rows != right.sums.rows:
        raise ValueError(unlike(left.formula.title, left.sums.rows, right.sums.rows))

    def apart_by(weights: Floats) -> Floats:
        return left.sums.values(weights) - right.sums.values(weights)

    return StageFigure(
        key=key,
        estimate=bootstrap(apart_by, left.units, left.seed),
        n=left.n,
        unit=left.unit,
        units=left.units,
        unscored=max(left.unscored, right.unscored),
        seed=left.seed,
        sums=left.sums,
    )


def unlike(title: str, left: Iterable[tuple[str, str]], right: Iterable[tuple[str, str]]) -> str:
    """Why two variants whose rows are not the same cannot be compared, in a sentence."""
    apart = sorted(set(left) ^ set(right))
    named = " of ".join(reversed(apart[0])) if apart else "a row that one has more often"
    return (
        f"{title} can only be compared over the same rows, but the variants differ by {named}: "
        "give failed outputs as rows too"
    )


def bootstrap(statistic: Combine, units: int, seed: int = SEED) -> Estimate:
    """The statistic of weights (resamples, units), with a percentile interval of 200 resamples.

    Resamples in which it is undefined are left out; where those are more than half, or there is
    one unit only, there is no interval.
    """
    if not units:
        return Estimate(None)
    value = float(statistic(np.ones((1, units)))[0])
    if not np.isfinite(value):
        return Estimate(None)
    found = statistic(_drawn(units, seed))
    found = found[np.isfinite(found)]
    if units == 1 or len(found) <= STAGE_RESAMPLES / 2:
        return Estimate(value)
    low, high = np.percentile(found, [2.5, 97.5])
    return Estimate(value, float(low), float(high))


@lru_cache(maxsize=4)
def _drawn(units: int, seed: int) -> Floats:
    """How often each unit is drawn in each resample (resamples, units); not to be changed."""
    drawn = np.random.default_rng(seed).multinomial(units, [1 / units] * units, STAGE_RESAMPLES)
    weights: Floats = drawn.astype(np.float64)
    weights.setflags(write=False)
    return weights


def share(sums: Floats) -> Floats:
    """The first column over the second."""
    return _over(sums[:, 0], sums[:, 1])


def f1(sums: Floats) -> Floats:
    """Harmonic mean of precision and recall, from right, predicted, found, gold.

    0 where nothing is right, NaN where there is neither a prediction nor a gold one.
    """
    right, predicted, found, gold = sums[:, :4].T
    precision = np.nan_to_num(_over(right, predicted))
    recall = np.nan_to_num(_over(found, gold))
    both = np.nan_to_num(_over(2 * precision * recall, precision + recall))
    return np.where(predicted + gold > 0, both, np.nan)


def mean_f1(sums: Floats) -> Floats:
    """Mean of the F1 of columns 1 to 4 and of 5 to 8; the one that is defined, where one is not."""
    left, right = f1(sums[:, :4]), f1(sums[:, 4:8])
    mean = (left + right) / 2
    return np.where(np.isnan(left), right, np.where(np.isnan(right), left, mean))


def _over(above: Floats, below: Floats) -> Floats:
    divided: Floats = np.divide(above, below, out=np.full(above.shape, np.nan), where=below != 0)
    return divided


def _summed(counted: Sequence[tuple[Row, Sequence[float]]], combine: Combine) -> Sums:
    # Sorted, so that the order of the rows changes no resample.
    units = sorted({row.unit for row, _ in counted})
    places = {unit: place for place, unit in enumerate(units)}
    columns = np.zeros((len(units), len(counted[0][1]) if counted else 8))
    for row, counts in counted:
        columns[places[row.unit]] += np.asarray(counts, float)
    return Sums(tuple(units), columns, combine, tuple(sorted(identity(row) for row, _ in counted)))
