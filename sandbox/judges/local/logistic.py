"""Logistic regression as fitted elsewhere, evaluated with numpy alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Logistic:
    """A standardised logistic regression over two or more classes."""

    features: tuple[str, ...]
    """Names of the columns, in order."""
    classes: tuple[str, ...]
    mean: Floats
    """Shape (features,): what a missing value counts as."""
    scale: Floats
    """Shape (features,)."""
    coef: Floats
    """Shape (1, features) for two classes, else (classes, features)."""
    intercept: Floats

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Logistic":
        """The model that `fitting.export.logistic_json` wrote.

        Raises:
            ValueError: if the parts do not fit together.
        """
        names, classes = tuple(value["features"]), tuple(value["classes"])
        rows = 1 if len(classes) == 2 else len(classes)
        model = cls(
            names,
            classes,
            _array(value, "mean", (len(names),)),
            _array(value, "scale", (len(names),)),
            _array(value, "coef", (rows, len(names))),
            _array(value, "intercept", (rows,)),
        )
        if not np.all(model.scale > 0):
            raise ValueError(f"scale must be above 0 everywhere, got {model.scale.min()}")
        return model

    def predict(self, rows: Sequence[Sequence[float]] | Floats) -> Floats:
        """Probabilities of the classes, shape (n, classes); each row sums to 1.

        `rows` has shape (n, features); NaN stands for a missing value. No rows give (0, classes).
        """
        table = matrix(rows, len(self.features))
        standard = np.nan_to_num((table - self.mean) / self.scale, nan=0.0)
        return link(standard @ self.coef.T + self.intercept)


def matrix(rows: Sequence[Sequence[float]] | Floats, width: int) -> Floats:
    """The rows as a float64 array of shape (n, width).

    Raises:
        ValueError: if a row has another length.
    """
    table = np.asarray(rows, dtype=np.float64)
    if table.size == 0:
        return np.empty((0, width))
    if table.ndim != 2 or table.shape[1] != width:
        raise ValueError(f"rows must have {width} features, got an array of shape {table.shape}")
    return table


def link(raw: Floats) -> Floats:
    """Raw scores (n, k) as probabilities: softmax, or with one column the two classes' sigmoid."""
    if raw.shape[1] == 1:
        positive = 0.5 * (1 + np.tanh(raw / 2))
        return np.hstack([1 - positive, positive])
    powers = np.exp(raw - raw.max(axis=1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares


def _array(value: Mapping[str, Any], name: str, shape: tuple[int, ...]) -> Floats:
    found = np.asarray(value[name], dtype=np.float64)
    if found.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {found.shape}")
    return found
