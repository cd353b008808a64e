"""How well a judge agrees with the gold on a yes-or-no tag, and on scores."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sandbox.metrics.statistics import (
    Estimate,
    Floats,
    estimate,
    kappa,
    quadratic_kappa,
    ratio,
    spearman,
    within,
)

Told = tuple[bool, bool]
"""What the gold and the judge say of one thing."""


@dataclass(frozen=True, slots=True)
class Tag:
    """Agreement on one tag; every number with its interval by reply."""

    kappa: Estimate
    """Cohen's; null where the gold is of one class only."""
    precision: Estimate
    """Null where the judge never gives the tag."""
    recall: Estimate
    """Null where the gold never has it."""
    f1: Estimate
    exact: Estimate
    """Share of pairs on which both say the same."""
    n: int
    """Pairs."""
    gold: int
    """Pairs in which the gold has the tag."""
    judge: int
    """Pairs in which the judge gives it."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Agreement on scores, one a reply."""

    spearman: Estimate
    """Ties averaged; null where one side is all the same."""
    quadratic_kappa: Estimate
    exact: Estimate
    """Share of pairs less than half a point apart."""
    within_one: Estimate
    """Share of pairs at most one point apart."""
    error: Estimate
    """Mean of judge minus gold."""
    n: int
    unscored: int
    """Replies that the gold scores and the judge does not."""


def tag(told: Sequence[Sequence[Told]], seed: int) -> Tag:
    """Agreement on a tag, from what is told of each reply's things; the unit is the reply."""
    tables = np.zeros((len(told), 2, 2))
    for unit, pairs in enumerate(told):
        for gold, judge in pairs:
            tables[unit, int(gold), int(judge)] += 1
    hits, misses, alarms = tables[:, 1, 1], tables[:, 1, 0], tables[:, 0, 1]
    total = tables.sum((1, 2))

    def share(above: Floats, below: Floats) -> Estimate:
        return estimate(ratio(above.tolist(), below.tolist()), len(told), seed)

    return Tag(
        kappa=estimate(kappa(tables), len(told), seed),
        precision=share(hits, hits + alarms),
        recall=share(hits, hits + misses),
        f1=share(2 * hits, 2 * hits + misses + alarms),
        exact=share(np.trace(tables, axis1=1, axis2=2), total),
        n=int(total.sum()),
        gold=int((hits + misses).sum()),
        judge=int((hits + alarms).sum()),
    )


def scores(gold: Sequence[float], judge: Sequence[float], unscored: int, seed: int) -> Scores:
    """Agreement on the scores of the same replies, in the same order."""
    units = len(gold)
    apart = [right - left for left, right in zip(gold, judge, strict=True)]
    return Scores(
        spearman=estimate(spearman(gold, judge), units, seed) if units else Estimate(None),
        quadratic_kappa=estimate(quadratic_kappa(gold, judge), units, seed),
        exact=estimate(within(gold, judge, 0.5 - 1e-6), units, seed),
        within_one=estimate(within(gold, judge, 1.0), units, seed),
        error=estimate(ratio(apart, [1.0] * units), units, seed),
        n=units,
        unscored=unscored,
    )
