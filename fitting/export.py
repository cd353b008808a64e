"""Writes fitted scikit-learn models as plain JSON values, for `Logistic` and `Trees` to read.

Thresholds and coefficients are written whole; leaves are rounded to ten decimals, so that a sum
over some hundred trees is off by less than 1e-7. `fitted` tells where a model comes from.
"""

import hashlib
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler


def logistic_json(model: Pipeline, features: Sequence[str]) -> dict[str, Any]:
    """A pipeline of StandardScaler, at will a constant-0 SimpleImputer, and LogisticRegression.

    Raises:
        ValueError: if the pipeline holds something else.
    """
    scaler, regression = model[0], model[-1]
    if not isinstance(scaler, StandardScaler) or not isinstance(regression, LogisticRegression):
        raise ValueError(f"must be a StandardScaler and a LogisticRegression, got {model}")
    return {
        "kind": "logistic",
        "features": list(features),
        "classes": [str(name) for name in regression.classes_],
        "mean": scaler.mean_.tolist(),
        "scale": scaler.scale_.tolist(),
        "coef": regression.coef_.tolist(),
        "intercept": regression.intercept_.tolist(),
    }


def trees_json(
    model: HistGradientBoostingClassifier | HistGradientBoostingRegressor,
    features: Sequence[str],
) -> dict[str, Any]:
    """A fitted histogram gradient boosting over numbers.

    Raises:
        ValueError: if it holds categorical splits.
    """
    classes = getattr(model, "classes_", ())
    return {
        "kind": "trees",
        "features": list(features),
        "classes": [str(name) for name in classes],
        "baseline": np.ravel(model._baseline_prediction).tolist(),
        "trees": [
            {"column": column, **_preorder(tree.nodes)}
            for iteration in model._predictors
            for column, tree in enumerate(iteration)
        ],
    }


def fitted(script: str, recipe: str, data: Sequence[Path], **figures: Any) -> dict[str, Any]:
    """What to write beside a model: script, recipe, the data's hashes, versions, figures."""
    return {
        "script": script,
        "recipe": recipe,
        "data": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in data},
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
        **figures,
    }


def _preorder(nodes: Any) -> Mapping[str, list[Any]]:
    if nodes["is_categorical"].any():
        raise ValueError("trees with categorical splits cannot be exported: code them as numbers")
    written: dict[str, list[Any]] = {"feature": [], "value": [], "right": [], "missing_left": []}
    _visit(nodes, 0, written)
    return written


def _visit(nodes: Any, at: int, written: dict[str, list[Any]]) -> None:
    node, place = nodes[at], len(written["feature"])
    leaf = bool(node["is_leaf"])
    written["feature"].append(-1 if leaf else int(node["feature_idx"]))
    written["value"].append(
        round(float(node["value"]), 10) if leaf else float(node["num_threshold"])
    )
    written["right"].append(-1)
    written["missing_left"].append(0 if leaf else int(node["missing_go_to_left"]))
    if not leaf:
        _visit(nodes, int(node["left"]), written)
        written["right"][place] = len(written["feature"])
        _visit(nodes, int(node["right"]), written)
