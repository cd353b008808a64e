"""Fits use detection on the labelled replies and writes `use.json`.

    python -m fitting.use DIR --out sandbox/judges/local/use.json

DIR is laid out as `fitting.gold` says. Takes some six minutes on one core, half of it encoding.
No text of the data enters the file: parameters, hashes, figures, and probabilities by reply.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from fitting.agreement import area, interval, kappa
from fitting.export import fitted, logistic_json, trees_json
from fitting.gold import Labelled, load, paths
from sandbox.judges.local.encoder import MiniLM
from sandbox.judges.local.features import use_features
from sandbox.judges.local.logistic import Floats
from sandbox.judges.local.reading import Reading, read
from sandbox.judges.local.use_model import RIVALRY, entry_key, reply_key, rivalry_rows

RECIPE = (
    "mean of standardised logistic regression (C = 0.1) and histogram gradient boosting (100 "
    "rounds at 0.05, 8 leaves, 30 entries a leaf, l2 2, half of the features a split), then "
    "logistic regression (C = 1) on its logit, the rival at the same span and the near-duplicate, "
    "fitted on out-of-fold values of the first two; borderline labels weigh 0.3; open labels are "
    "left out. Agreement: 8 folds over replies, each reply judged by models that never met it, "
    "mean of 3 shufflings (seeds 0, 1, 2); 95% intervals from 1,000 bootstrap resamples of "
    "replies. English. Features were chosen on the same replies: development figures."
)
FOLDS, SEEDS = 8, (0, 1, 2)
UNSURE_WEIGHT = 0.3
USED_FROM, UNUSED_TO, LEANING = 0.65, 0.3, 0.5


@dataclass(frozen=True)
class Table:
    """Every labelled (reply, entry) as a row, and the replies they are of."""

    replies: Sequence[Labelled]
    readings: Sequence[Reading]
    features: tuple[str, ...]
    rows: Floats
    used: NDArray[np.bool_]
    open: NDArray[np.bool_]
    """Rows without a label: predicted, never fitted on."""
    weight: Floats
    reply: NDArray[np.intp]
    """Number of each row's reply."""


@dataclass(frozen=True)
class Models:
    """What is fitted."""

    line: Pipeline
    trees: HistGradientBoostingClassifier
    rivalry: Pipeline


def table(replies: Sequence[Labelled]) -> Table:
    """All rows; encodes every text once."""
    encoder = MiniLM(cached=100_000)
    readings = [read(one.case, encoder) for one in replies]
    named = [features for reading in readings for features in use_features(reading)]
    flat = [
        (used, unsure, number)
        for number, one in enumerate(replies)
        for used, unsure in zip(one.used, one.unsure, strict=True)
    ]
    used, unsure, number = zip(*flat, strict=True)
    return Table(
        replies,
        readings,
        tuple(named[0]),
        np.array([list(features.values()) for features in named]),
        np.array([bool(one) for one in used]),
        np.array([one is None for one in used]),
        np.where(unsure, UNSURE_WEIGHT, 1.0),
        np.array(number),
    )


def first_stage(
    data: Table, known: NDArray[np.bool_]
) -> tuple[Pipeline, HistGradientBoostingClassifier]:
    """Both models of an entry by itself, fitted on the rows `known` that have a label."""
    at = known & ~data.open
    rows, used, weight = data.rows[at], data.used[at], data.weight[at]
    line = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=3000))
    trees = HistGradientBoostingClassifier(
        max_iter=100,
        learning_rate=0.05,
        max_leaf_nodes=8,
        min_samples_leaf=30,
        l2_regularization=2.0,
        max_features=0.5,
        early_stopping=False,
        random_state=0,
    )
    line.fit(rows, used, logisticregression__sample_weight=weight)
    return line, trees.fit(rows, used, sample_weight=weight)


def alone(line: Pipeline, trees: HistGradientBoostingClassifier, rows: Floats) -> Floats:
    """The mean of the first two models, shape (n,)."""
    found: Floats = (line.predict_proba(rows)[:, 1] + trees.predict_proba(rows)[:, 1]) / 2
    return found


def folds(replies: NDArray[np.intp], count: int, seed: int) -> list[NDArray[np.intp]]:
    """The distinct replies, shuffled, in `count` parts."""
    return np.array_split(np.random.default_rng(seed).permutation(np.unique(replies)), count)


def held_out(data: Table, known: NDArray[np.bool_], count: int, seed: int) -> Floats:
    """First-stage values of the rows `known`, each by models that never met its reply."""
    found = np.zeros(len(data.rows))
    for part in folds(data.reply[known], count, seed):
        held = np.isin(data.reply, part)
        line, trees = first_stage(data, known & ~held)
        found[held] = alone(line, trees, data.rows[held])
    return found


def rivalry_table(data: Table, values: Floats) -> Floats:
    """What the third model sees of every row."""
    parts = [
        rivalry_rows(reading, values[data.reply == number])
        for number, reading in enumerate(data.readings)
    ]
    return np.vstack(parts)


def models(data: Table, known: NDArray[np.bool_], seed: int) -> Models:
    """All three, fitted on the rows `known`; the third on held-out values of the others."""
    inner = rivalry_table(data, held_out(data, known, 5, seed + 100))
    at = known & ~data.open
    rivalry = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=3000))
    rivalry.fit(inner[at], data.used[at], logisticregression__sample_weight=data.weight[at])
    return Models(*first_stage(data, known), rivalry)


def cross_validated(data: Table, seed: int) -> Floats:
    """Probabilities of all rows, each by models that never met its reply."""
    found = np.zeros(len(data.rows))
    for part in folds(data.reply, FOLDS, seed):
        held = np.isin(data.reply, part)
        fit = models(data, ~held, seed)
        values = np.where(held, alone(fit.line, fit.trees, data.rows), 0.0)
        found[held] = fit.rivalry.predict_proba(rivalry_table(data, values)[held])[:, 1]
    return found


def agreement(data: Table, found: Floats, *, dev: bool) -> dict[str, Any]:
    """Figures of one of the two files."""
    chosen = [number for number, one in enumerate(data.replies) if one.dev == dev]
    labelled = np.flatnonzero(~data.open)
    blocks = [labelled[data.reply[labelled] == number] for number in chosen]
    policy = np.array([data.replies[number].policy for number in data.reply])
    rows = np.concatenate(blocks)
    told = rows[policy[rows] == "paraphrase"]
    close = rows[policy[rows] == "near_miss"]
    sure = rows[(found[rows] >= USED_FROM) | (found[rows] <= UNUSED_TO)]
    guess = found >= LEANING
    return {
        "n": {"replies": len(chosen), "entries": len(rows), "used": int(data.used[rows].sum())},
        "kappa": interval(lambda at: kappa(data.used[at], guess[at]), blocks),
        "auc": interval(lambda at: area(data.used[at], found[at]), blocks),
        "recall_paraphrase": _mean(guess[told[data.used[told]]]),
        "used_near_miss": _mean(guess[close]),
        "precision": _mean(data.used[rows][guess[rows]]),
        "recall": _mean(guess[rows][data.used[rows]]),
        "unsure": round(1 - len(sure) / len(rows), 4),
        "kappa_of_sure": round(kappa(data.used[sure], guess[sure]), 4),
    }


def written(data: Table, folder: Path) -> dict[str, Any]:
    """What `use.json` holds."""
    runs = [cross_validated(data, seed) for seed in SEEDS]
    found = np.mean(runs, axis=0)
    fit = models(data, np.ones(len(data.rows), dtype=bool), 0)
    figures = {
        "folds": FOLDS,
        "seeds": list(SEEDS),
        "usage_gold_dev": agreement(data, found, dev=True),
        "usage_train": agreement(data, found, dev=False),
    }
    return {
        "fitted": fitted("fitting/use.py", RECIPE, paths(folder), agreement=figures),
        "used_from": USED_FROM,
        "unused_to": UNUSED_TO,
        "logistic": logistic_json(fit.line, data.features),
        "trees": trees_json(fit.trees, data.features),
        "rivalry": logistic_json(fit.rivalry, RIVALRY),
        "out_of_fold": {
            reply_key(one.case.query, one.case.reply): {
                entry_key(item.text): round(float(value), 4)
                for item, value in zip(one.case.pool, found[data.reply == number], strict=True)
            }
            for number, one in enumerate(data.replies)
        },
    }


def main() -> None:
    """Fit, print the figures, write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    value = written(table(load(arguments.folder)), arguments.folder)
    arguments.out.write_text(json.dumps(value, separators=(",", ":")) + "\n", "utf-8")
    sys.stdout.write(json.dumps(value["fitted"]["agreement"], indent=1) + "\n")


def _mean(values: NDArray[Any]) -> float:
    return round(float(values.mean()), 4) if len(values) else float("nan")


if __name__ == "__main__":
    main()
