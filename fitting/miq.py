"""Fits MIQ on the labelled replies that use something and writes `miq.json`.

    python -m fitting.miq DIR --use USE --out sandbox/judges/local/miq.json

DIR is laid out as `fitting.gold` says; USE is the `use.json` of `fitting.use`, run before. What is
used is taken from its out-of-fold probabilities, so that the signs are as faulty as in use.
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
from scipy.stats import spearmanr
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from fitting.agreement import interval
from fitting.export import fitted
from fitting.gold import Labelled, load, paths
from sandbox.judges.local.encoder import MiniLM
from sandbox.judges.local.integration import SIGNS, integration
from sandbox.judges.local.logistic import Floats
from sandbox.judges.local.reading import read
from sandbox.judges.local.use import judged_entries
from sandbox.judges.local.use_model import UseModel, reply_key

RECIPE = (
    "ridge regression (alpha = 30) on standardised signs, target the readers' mean; replies that "
    "use something by the labels and by the out-of-fold probabilities of use detection. Agreement: "
    "8 folds over replies, mean of 4 shufflings (seeds 0 to 3); 95% intervals from 1,000 bootstrap "
    "resamples of replies; `missed` counts replies in which use detection found nothing. English. "
    "Signs were chosen on the same replies: development figures."
)
FOLDS, SEEDS, ALPHA = 8, (0, 1, 2, 3), 30.0


@dataclass(frozen=True)
class Table:
    """One row for each reply that uses something and is seen to."""

    replies: Sequence[Labelled]
    rows: Floats
    miq: Floats
    missed: Sequence[Labelled]


def table(replies: Sequence[Labelled], use: UseModel) -> Table:
    """The signs of every reply with a score."""
    encoder = MiniLM(cached=100_000)
    kept, rows, missed = [], [], []
    for one in (one for one in replies if one.miq is not None):
        reading = read(one.case, encoder)
        verdicts = judged_entries(reading, use, use.held_out(one.case))
        if not any(verdict.guess for verdict in verdicts):
            missed.append(one)
            continue
        signs = integration(reading, verdicts).signs
        kept.append(one)
        rows.append([signs[name] for name in SIGNS])
    return Table(kept, np.array(rows), np.array([one.miq for one in kept], float), missed)


def model() -> Pipeline:
    """Not yet fitted."""
    return make_pipeline(StandardScaler(), Ridge(ALPHA))


def cross_validated(data: Table, seed: int) -> Floats:
    """Scores of all rows, each by a model that never met it."""
    order = np.random.default_rng(seed).permutation(len(data.miq))
    found = np.zeros(len(data.miq))
    for held in np.array_split(order, FOLDS):
        known = np.setdiff1d(order, held)
        found[held] = model().fit(data.rows[known], data.miq[known]).predict(data.rows[held])
    return found


def agreement(data: Table, found: Floats, *, dev: bool) -> dict[str, Any]:
    """Figures of one of the two files."""
    rows = [np.array([at]) for at, one in enumerate(data.replies) if one.dev == dev]
    scores = np.clip(found, 1, 5)
    error = np.abs(scores - data.miq)

    def spearman(at: NDArray[Any]) -> float:
        return float(spearmanr(data.miq[at], scores[at]).statistic)

    return {
        "n": len(rows),
        "missed": sum(one.dev == dev for one in data.missed),
        "spearman": interval(spearman, rows),
        "mean_error": interval(lambda at: float(error[at].mean()), rows),
    }


def written(data: Table, folder: Path) -> dict[str, Any]:
    """What `miq.json` holds."""
    found = np.mean([cross_validated(data, seed) for seed in SEEDS], axis=0)
    figures = {
        "folds": FOLDS,
        "seeds": list(SEEDS),
        "usage_gold_dev": agreement(data, found, dev=True),
        "usage_train": agreement(data, found, dev=False),
    }
    line = model().fit(data.rows, data.miq)
    return {
        "fitted": fitted("fitting/miq.py", RECIPE, paths(folder), agreement=figures),
        "signs": list(SIGNS),
        "mean": line[0].mean_.tolist(),
        "scale": line[0].scale_.tolist(),
        "coef": line[1].coef_.tolist(),
        "intercept": float(line[1].intercept_),
        "out_of_fold": {
            reply_key(one.case.query, one.case.reply): round(float(score), 4)
            for one, score in zip(data.replies, found, strict=True)
        },
    }


def main() -> None:
    """Fit, print the figures, write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--use", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    use = UseModel.from_json(json.loads(arguments.use.read_text("utf-8")))
    value = written(table(load(arguments.folder), use), arguments.folder)
    arguments.out.write_text(json.dumps(value, separators=(",", ":")) + "\n", "utf-8")
    sys.stdout.write(json.dumps(value["fitted"]["agreement"], indent=1) + "\n")


if __name__ == "__main__":
    main()
