"""Fits the role proposals on StratMem-Bench's test set and writes `roles.json`.

    python -m fitting.roles DIR --elsewhere sandbox/collections/demo.json \
        --out sandbox/judges/local/roles.json

DIR holds StratMemBench_testset.json (fitted and cross-validated on) and StratMemBench.json (its
full pools, for a second figure); the file elsewhere has no part in the fit. English instances only.
Takes some three minutes on one core, most of it embedding.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from fitting.export import fitted, logistic_json, trees_json
from memory_banks.embedding import load_sentence_transformer
from personas.library import describe
from sandbox.formats import read_collection
from sandbox.instances import Instance
from sandbox.judges.case import Case, PoolItem
from sandbox.judges.local.role_features import Embed, role_features
from sandbox.judges.local.roles import RoleModel
from sandbox.judges.local.selection import select

CAPPED, FULL = "StratMemBench_testset.json", "StratMemBench.json"
CLASSES = np.array(["irr", "must", "nice"])
ROLES = ("must", "nice", "irr")
RECIPE = (
    "mean of standardised logistic regression (C = 0.3) and histogram gradient boosting (150 "
    "rounds at 0.05, 12 leaves, 30 entries a leaf, l2 2); facts in a shuffled order; agreement "
    "cross-validated by GroupKFold(5) over the ten speaker pairs, 95% intervals from 1,000 "
    "bootstrap resamples of instances (seed 0); parameters fitted on all of it. English. Features "
    "were chosen on the same file: development figures."
)
RESAMPLES = 1000


@dataclass(frozen=True)
class Table:
    """Every (instance, entry) of a file as a row."""

    features: tuple[str, ...]
    rows: Any
    roles: Any
    instance: Any
    """Number of each row's instance."""
    pair: Any
    """Names of each row's two speakers."""


def case_of(instance: Instance) -> Case:
    """The case that a judge of roles gets: shuffled pool, no reply."""
    pool = tuple(
        PoolItem(entry.key, entry.text, entry.type, entry.side, entry.anchor)
        for entry in instance.listed()
        if entry.status == "live"
    )
    names = (instance.persona.name, instance.human.name)
    return Case(*names, describe(instance.persona), instance.history, instance.query, "", pool)


def instances(path: Path) -> list[Instance]:
    """The English ones of a file."""
    found = read_collection(path.read_bytes(), path.name).instances
    return [instance for instance in found if instance.language == "en"]


def table(path: Path, embed: Embed) -> Table:
    """The rows of the file at `path`."""
    rows, roles, numbers, pairs = [], [], [], []
    names: tuple[str, ...] = ()
    for number, instance in enumerate(instances(path)):
        case = case_of(instance)
        features = role_features(case, embed)
        names = tuple(features)
        rows.append(np.column_stack(list(features.values())))
        roles += [instance.roles[item.id] for item in case.pool]
        numbers += [number] * len(case.pool)
        pairs += ["/".join(sorted((case.character, case.human)))] * len(case.pool)
    return Table(names, np.vstack(rows), np.array(roles), np.array(numbers), np.array(pairs))


def models(rows: Any, roles: Any) -> tuple[Pipeline, HistGradientBoostingClassifier]:
    """Both models, fitted."""
    line = make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=3000))
    trees = HistGradientBoostingClassifier(
        max_iter=150,
        learning_rate=0.05,
        max_leaf_nodes=12,
        min_samples_leaf=30,
        l2_regularization=2.0,
        early_stopping=False,
        random_state=0,
    )
    return line.fit(rows, roles), trees.fit(rows, roles)


def cross_validated(train: Table, test: Table) -> Any:
    """Probabilities of the rows of `test`, by models that never met its speaker pair in `train`."""
    found = np.zeros((len(test.roles), 3))
    for known, held in GroupKFold(5).split(train.rows, train.roles, train.pair):
        line, trees = models(train.rows[known], train.roles[known])
        rows = np.isin(test.pair, np.unique(train.pair[held]))
        found[rows] = mean_of(line, trees, test.rows[rows])
    return found


def mean_of(line: Pipeline, trees: HistGradientBoostingClassifier, rows: Any) -> Any:
    """The two models' mean, columns irr, must, nice."""
    return (line.predict_proba(rows) + trees.predict_proba(rows)) / 2


def agreement(data: Table, shares: Any) -> dict[str, Any]:
    """Figures of the proposed roles and of the likeliest ones, with 95% intervals."""
    blocks = [data.instance == number for number in np.unique(data.instance)]
    chosen = [select(shares[rows, 1], shares[rows, 2], shares[rows, 0]) for rows in blocks]
    likeliest = CLASSES[shares.argmax(axis=1)]
    proposed = np.where(shares[:, 1] >= shares[:, 2], "must", "nice")
    for rows, used in zip(blocks, chosen, strict=True):
        proposed[rows] = np.where(used, proposed[rows], "irr")
    gold = [data.roles[rows] for rows in blocks]
    compliant = [float(_compliant(*both)) for both in zip(gold, chosen, strict=True)]
    figures: dict[str, Any] = {
        "n": {"instances": len(blocks), "entries": len(data.roles)},
        "selection_smc": _interval(lambda at: float(np.mean(np.array(compliant)[at])), blocks),
    }
    for name, guess in (("likeliest", likeliest), ("proposed", proposed)):
        figures[name] = _role_figures(gold, [guess[rows] for rows in blocks])
    return figures


def _role_figures(gold: Sequence[Any], guess: Sequence[Any]) -> dict[str, Any]:
    counts = np.array([_counts(*both) for both in zip(gold, guess, strict=True)])
    having = [index for index, roles in enumerate(gold) if "must" in roles]
    exact = np.array([bool(((gold[i] == "must") == (guess[i] == "must")).all()) for i in having])
    return {
        "macro_f1": _interval(lambda at: float(_f1(counts[at]).mean()), gold),
        "f1": dict(zip(ROLES, _f1(counts).round(4).tolist(), strict=True)),
        "exact_must": _interval(lambda at: float(exact[at].mean()), having),
    }


def _counts(gold: Any, guess: Any) -> list[list[int]]:
    """For each role: hits, and rows that are it or are taken for it, summed."""
    hits = [int(((gold == role) & (guess == role)).sum()) for role in ROLES]
    both = [int((gold == role).sum() + (guess == role).sum()) for role in ROLES]
    return [hits, both]


def _f1(counts: Any) -> Any:
    hits, both = counts.reshape(-1, 2, 3).sum(axis=0)
    return 2 * hits / np.maximum(both, 1)


def _compliant(gold: Any, used: Any) -> bool:
    nice = gold == "nice"
    enough = not nice.any() or bool(used[nice].any())
    return bool(used[gold == "must"].all() and not used[gold == "irr"].any() and enough)


def _interval(figure: Callable[[Any], float], units: Sequence[Any]) -> dict[str, float]:
    """The figure over all units, and the middle 95% of it over resampled units."""
    rng = np.random.default_rng(0)
    size = len(units)
    drawn = [figure(rng.integers(0, size, size)) for _ in range(RESAMPLES)]
    low, high = np.percentile(drawn, [2.5, 97.5])
    value = figure(np.arange(size))
    return {"value": round(value, 4), "low": round(low, 4), "high": round(high, 4), "n": size}


def fit(data: Table) -> tuple[dict[str, Any], float]:
    """Both models as JSON, and how far the exported ones are from scikit-learn's at most."""
    line, trees = models(data.rows, data.roles)
    value = {
        "logistic": logistic_json(line, data.features),
        "trees": trees_json(trees, data.features),
    }
    found = exported_shares(value, data)
    return value, float(np.abs(found - mean_of(line, trees, data.rows)).max())


def exported_shares(value: dict[str, Any], data: Table) -> Any:
    """Probabilities of the rows as the judge will give them."""
    model = RoleModel.from_json({**json.loads(json.dumps(value)), "fitted": {}})
    return model.probabilities(dict(zip(data.features, data.rows.T, strict=True)))


def main() -> None:
    """Fit, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--elsewhere", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    embedder = load_sentence_transformer()
    embed = remembering(embedder.embed)
    embed(texts_of(asked.folder / FULL))
    capped, full = (table(asked.folder / name, embed) for name in (CAPPED, FULL))
    value, off = fit(capped)
    if off > 1e-6:
        raise SystemExit(f"the exported model is off by {off}")
    other = table(asked.elsewhere, embed)
    told = fitted(
        "fitting/roles.py",
        RECIPE,
        [asked.folder / CAPPED],
        language="en",
        embedder=embedder.id,
        off_scikit_learn_at_most=off,
        agreement=agreement(capped, cross_validated(capped, capped)),
        agreement_full_pools=agreement(full, cross_validated(capped, full)),
        agreement_elsewhere={
            "file": asked.elsewhere.name,
            "what": "English scenarios written for this project, roles by one author",
            **agreement(other, exported_shares(value, other)),
        },
        agreement_full_pools_refitted=agreement(full, cross_validated(full, full)),
    )
    text = json.dumps({"fitted": told, **value}, ensure_ascii=False, separators=(",", ":"))
    asked.out.write_text(text + "\n", encoding="utf-8")


def remembering(embed: Embed) -> Embed:
    """`embed`, asked once for each text."""
    known: dict[str, Any] = {}

    def remembered(texts: Sequence[str]) -> Any:
        new = sorted({*texts} - known.keys(), key=lambda text: (len(text), text))
        for start in range(0, len(new), 256):
            batch = new[start : start + 256]
            known.update(zip(batch, embed(batch), strict=True))
        return np.stack([known[text] for text in texts])

    return remembered


def texts_of(path: Path) -> list[str]:
    """Every text of the file that is embedded."""
    cases = map(case_of, instances(path))
    return [
        text
        for case in cases
        for text in (case.query, case.persona, *(item.text for item in case.pool))
    ]


if __name__ == "__main__":
    main()
