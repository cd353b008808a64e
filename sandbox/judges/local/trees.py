"""Gradient-boosted trees as fitted elsewhere, evaluated with numpy alone.

A tree is written in pre-order: the left child of a split is the node after it, so that only the
right one is named. A leaf has feature -1; `value` is a split's threshold or a leaf's contribution.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.judges.local.logistic import Floats, link, matrix

Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Trees:
    """All trees of one model, their nodes in one row."""

    features: tuple[str, ...]
    """Names of the columns, in order."""
    classes: tuple[str, ...]
    """Empty for a regression."""
    baseline: Floats
    """Raw score before any tree, shape (k,): 1 for two classes and for a regression."""
    roots: Ints
    """Index of each tree's first node."""
    columns: Ints
    """Which of the k raw scores each tree adds to."""
    feature: Ints
    """-1 in a leaf."""
    value: Floats
    left: Ints
    """A leaf points at itself, here and in `right`."""
    right: Ints
    missing_left: NDArray[np.bool_]
    """Where a missing value goes."""
    depth: int

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Trees":
        """The model that `fitting.export.trees_json` wrote.

        Raises:
            ValueError: if a tree is broken.
        """
        names, classes = tuple(value["features"]), tuple(value["classes"])
        baseline = np.asarray(value["baseline"], dtype=np.float64)
        trees = [_Tree.read(tree, len(names), baseline.size) for tree in value["trees"]]
        sizes = [len(tree.value) for tree in trees]
        roots = np.cumsum([0, *sizes[:-1]], dtype=np.intp)[: len(sizes)]
        return cls(
            names,
            classes,
            baseline,
            roots,
            np.array([tree.column for tree in trees], dtype=np.intp),
            _joined([tree.feature for tree in trees], np.intp),
            _joined([tree.value for tree in trees], np.float64),
            _joined([tree.left + root for tree, root in zip(trees, roots, strict=True)], np.intp),
            _joined([tree.right + root for tree, root in zip(trees, roots, strict=True)], np.intp),
            _joined([tree.missing_left for tree in trees], np.bool_),
            max((tree.depth for tree in trees), default=0),
        )

    def predict(self, rows: Sequence[Sequence[float]] | Floats) -> Floats:
        """Probabilities of the classes, shape (n, classes); of a regression its value, (n, 1).

        `rows` has shape (n, features); NaN stands for a missing value.
        """
        raw = self.raw(rows)
        return link(raw) if self.classes else raw

    def raw(self, rows: Sequence[Sequence[float]] | Floats) -> Floats:
        """Sums of the leaves reached and the baseline, shape (n, k)."""
        table = matrix(rows, len(self.features))
        index = np.arange(len(table))[:, None]
        node = np.tile(self.roots, (len(table), 1))
        for _ in range(self.depth):
            found = table[index, self.feature[node]]
            goes_left = np.where(
                np.isnan(found), self.missing_left[node], found <= self.value[node]
            )
            node = np.where(goes_left, self.left[node], self.right[node])
        leaves = self.value[node]
        total = np.tile(self.baseline, (len(table), 1))
        for column in range(self.baseline.size):
            total[:, column] += leaves[:, self.columns == column].sum(axis=1)
        return total


@dataclass(frozen=True, slots=True)
class _Tree:
    """One tree, its nodes counted from 0."""

    column: int
    feature: Ints
    value: Floats
    left: Ints
    right: Ints
    missing_left: NDArray[np.bool_]
    depth: int

    @classmethod
    def read(cls, value: Mapping[str, Any], width: int, columns: int) -> "_Tree":
        feature = np.asarray(value["feature"], dtype=np.intp)
        here = np.arange(feature.size)
        leaf = feature < 0
        right = np.asarray(value["right"], dtype=np.intp)
        tree = cls(
            int(value["column"]),
            feature,
            np.asarray(value["value"], dtype=np.float64),
            np.where(leaf, here, here + 1),
            np.where(leaf, here, right),
            np.asarray(value["missing_left"], dtype=np.bool_),
            _depth(feature, right),
        )
        if not 0 <= tree.column < columns or feature.max() >= width:
            raise ValueError(f"a tree must stay within {columns} scores and {width} features")
        return tree


def _depth(feature: Ints, right: Ints) -> int:
    """The splits on the longest way to a leaf; pre-order puts parents before their children."""
    depth = np.zeros(feature.size, dtype=np.intp)
    for node in np.flatnonzero(feature >= 0):
        if not node + 1 < right[node] < feature.size:
            raise ValueError(f"node {node} of a tree must name a later right child")
        depth[node + 1] = depth[right[node]] = depth[node] + 1
    return int(depth.max(initial=0))


def _joined(parts: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *parts]).astype(dtype)
