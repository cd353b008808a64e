"""Models fitted by scikit-learn and exported as JSON say what scikit-learn says."""

import json
from typing import Any

import numpy as np
import pytest

from sandbox.judges.local.logistic import Logistic
from sandbox.judges.local.trees import Trees

STUMP: dict[str, Any] = {
    "features": ["a", "b"],
    "classes": ["no", "yes"],
    "baseline": [0.0],
    "trees": [
        {
            "column": 0,
            "feature": [1, -1, -1],
            "value": [0.5, -2.0, 3.0],
            "right": [2, -1, -1],
            "missing_left": [1, 0, 0],
        }
    ],
}
LINE: dict[str, Any] = {
    "features": ["a"],
    "classes": ["no", "yes"],
    "mean": [1.0],
    "scale": [2.0],
    "coef": [[4.0]],
    "intercept": [1.0],
}


def table(seed: int, rows: int, missing: float) -> Any:
    """Numbers of several sizes, some equal, some missing."""
    rng = np.random.default_rng(seed)
    made = rng.normal(size=(rows, 6)) * [1, 10, 0.01, 1, 1e4, 1]
    made[:, 3] = np.round(made[:, 3])
    made[rng.random(made.shape) < missing] = np.nan
    return made


def sigmoid(value: float) -> float:
    return float(1 / (1 + np.exp(-value)))


def test_a_stump_goes_left_up_to_its_threshold_and_where_the_value_is_missing() -> None:
    rows = [[9.0, 0.5], [9.0, 0.6], [9.0, float("nan")]]
    found = Trees.from_json(STUMP)
    assert found.raw(rows).ravel().tolist() == [-2.0, 3.0, -2.0]
    assert found.predict(rows)[:, 1] == pytest.approx([sigmoid(-2), sigmoid(3), sigmoid(-2)])


def test_a_regression_gives_its_raw_value() -> None:
    found = Trees.from_json(STUMP | {"classes": [], "baseline": [0.25]})
    assert found.predict([[0.0, 1.0]]).tolist() == [[3.25]]


def test_a_missing_value_counts_as_the_mean() -> None:
    found = Logistic.from_json(LINE).predict([[1.0], [float("nan")], [3.0]])
    assert found[:, 1] == pytest.approx([sigmoid(1), sigmoid(1), sigmoid(5)])


@pytest.mark.parametrize("model", [Trees.from_json(STUMP), Logistic.from_json(LINE)])
def test_no_rows_give_no_probabilities(model: Trees | Logistic) -> None:
    assert model.predict([]).shape == (0, 2)


@pytest.mark.parametrize("model", [Trees.from_json(STUMP), Logistic.from_json(LINE)])
def test_a_row_of_another_length_is_refused(model: Trees | Logistic) -> None:
    with pytest.raises(ValueError, match=r"rows must have \d features, got an array of shape"):
        model.predict([[1.0, 2.0, 3.0]])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"right": [0, -1, -1]}, "node 0 of a tree must name a later right child"),
        ({"right": [3, -1, -1]}, "node 0 of a tree must name a later right child"),
        ({"feature": [2, -1, -1]}, "must stay within 1 scores and 2 features"),
        ({"column": 1}, "must stay within 1 scores and 2 features"),
    ],
)
def test_a_broken_tree_is_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Trees.from_json(STUMP | {"trees": [STUMP["trees"][0] | change]})


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"coef": [4.0]}, r"coef must have shape \(1, 1\), got \(1,\)"),
        ({"scale": [0.0]}, "scale must be above 0 everywhere, got 0.0"),
    ],
)
def test_a_broken_regression_is_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Logistic.from_json(LINE | change)


@pytest.mark.parametrize("classes", [2, 3])
def test_exported_trees_equal_scikit_learns(classes: int) -> None:
    pytest.importorskip("sklearn", reason="needs scikit-learn, which only fitting uses")
    from sklearn.ensemble import HistGradientBoostingClassifier

    from fitting.export import trees_json

    rows = table(1, 400, 0.1)
    labels = (np.nan_to_num(rows[:, 0]) + np.nan_to_num(rows[:, 3]) > 0).astype(int)
    labels += (classes - 2) * (np.nan_to_num(rows[:, 1]) > 3)
    model = HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=12, random_state=0)
    model.fit(rows, labels)
    found = Trees.from_json(json.loads(json.dumps(trees_json(model, list("abcdef")))))
    for missing in (0.0, 0.1, 0.6, 1.0):
        new = np.vstack([rows, table(2, 500, missing)])
        assert np.abs(found.predict(new) - model.predict_proba(new)).max() < 1e-7


def test_exported_regression_trees_equal_scikit_learns() -> None:
    pytest.importorskip("sklearn", reason="needs scikit-learn, which only fitting uses")
    from sklearn.ensemble import HistGradientBoostingRegressor

    from fitting.export import trees_json

    rows = table(3, 300, 0.1)
    model = HistGradientBoostingRegressor(max_iter=30, random_state=0)
    model.fit(rows, np.nan_to_num(rows[:, 0]) ** 2)
    found = Trees.from_json(json.loads(json.dumps(trees_json(model, list("abcdef")))))
    new = table(4, 300, 0.3)
    assert np.abs(found.predict(new)[:, 0] - model.predict(new)).max() < 1e-7


@pytest.mark.parametrize("classes", [2, 3])
def test_an_exported_logistic_regression_equals_scikit_learns(classes: int) -> None:
    pytest.importorskip("sklearn", reason="needs scikit-learn, which only fitting uses")
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from fitting.export import logistic_json

    rows = table(5, 300, 0.1)
    labels = np.arange(300) % classes
    model = make_pipeline(
        StandardScaler(),
        SimpleImputer(strategy="constant", fill_value=0.0),
        LogisticRegression(C=0.3, max_iter=2000),
    )
    model.fit(rows, labels)
    found = Logistic.from_json(json.loads(json.dumps(logistic_json(model, list("abcdef")))))
    new = table(6, 300, 0.4)
    assert np.abs(found.predict(new) - model.predict_proba(new)).max() < 1e-9


def test_a_pipeline_of_other_parts_is_refused() -> None:
    pytest.importorskip("sklearn", reason="needs scikit-learn, which only fitting uses")
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline

    from fitting.export import logistic_json

    with pytest.raises(ValueError, match="must be a StandardScaler and a LogisticRegression"):
        logistic_json(make_pipeline(LinearRegression()), ["a"])
