"""Figures of agreement with 95% intervals: bootstrap over replies, so that a reply stays whole."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score, roc_auc_score

RESAMPLES = 1000


def kappa(gold: NDArray[Any], guess: NDArray[Any]) -> float:
    """Cohen's kappa; NaN where both say one and the same thing throughout."""
    return float(cohen_kappa_score(gold, guess)) if len({*gold, *guess}) > 1 else float("nan")


def area(gold: NDArray[Any], score: NDArray[Any]) -> float:
    """The area under the ROC curve; NaN where the gold has one value."""
    return float(roc_auc_score(gold, score)) if len({*gold}) > 1 else float("nan")


def interval(
    measure: Callable[[NDArray[Any]], float], blocks: Sequence[NDArray[Any]], seed: int = 0
) -> dict[str, float]:
    """`measure` of all rows, and the 2.5th and 97.5th percentile over resampled blocks of rows."""
    draw = np.random.default_rng(seed)
    found = [
        measure(np.concatenate([blocks[at] for at in draw.integers(0, len(blocks), len(blocks))]))
        for _ in range(RESAMPLES)
    ]
    low, high = np.nanpercentile(found, [2.5, 97.5])
    value = measure(np.concatenate(list(blocks)))
    return {"value": round(value, 4), "low": round(float(low), 4), "high": round(float(high), 4)}
