"""The fitted part of use detection: how likely each entry of a pool was used.

First two small models (logistic regression and gradient-boosted trees, their mean) look at each
entry by itself; then a third weighs it against its rivals: a span that another entry explains
better, or a near-duplicate that is the likelier source, is no evidence (PROTOCOLS 1, rule 3).
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from sandbox.judges.case import Case
from sandbox.judges.local.closeness import entry_cosines, span_cosines
from sandbox.judges.local.features import use_features
from sandbox.judges.local.logistic import Floats, Logistic
from sandbox.judges.local.match import held, novel, share
from sandbox.judges.local.reading import Reading
from sandbox.judges.local.trees import Trees

RIVALRY = ("logit", "rival", "duplicate")
_TIE = 0.05
"""A rival may be this much less close to a span and still explain it."""
_EDGE = 1e-3
"""Probabilities are kept this far from 0 and 1 before they become logits."""


@dataclass(frozen=True, slots=True)
class UseModel:
    """The parameters, and where they come from."""

    logistic: Logistic
    trees: Trees
    rivalry: Logistic
    used_from: float
    """An entry at least this likely is used."""
    unused_to: float
    """One at most this likely is not; between the two it is unsure."""
    fitted: Mapping[str, Any]
    """Script, recipe, the data's hashes, versions, and `agreement`: figures with n and interval."""
    out_of_fold: Mapping[str, Mapping[str, float]]
    """For each reply it was fitted on, by `reply_key`, what models that never met it say of its
    entries, by `entry_key`."""
    version: str = ""
    """Hash of the parameters."""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "UseModel":
        """The model that `fitting.use` wrote.

        Raises:
            ValueError: if its parts do not fit together.
        """
        parts = (Logistic.from_json(value["logistic"]), Trees.from_json(value["trees"]))
        rivalry = Logistic.from_json(value["rivalry"])
        if parts[0].features != parts[1].features or rivalry.features != RIVALRY:
            raise ValueError("logistic and trees must have the same features, rivalry its own")
        low, high = float(value["unused_to"]), float(value["used_from"])
        if not 0 <= low < high <= 1:
            raise ValueError(f"0 <= unused_to < used_from <= 1 must hold, got {low} and {high}")
        kept = value["out_of_fold"]
        return cls(*parts, rivalry, high, low, value["fitted"], kept, _version(value))

    def probabilities(self, reading: Reading) -> Floats:
        """How likely each entry was used, 0..1, in the pool's order, shape (entries,)."""
        table = rows(reading, self.logistic.features)
        alone = (self.logistic.predict(table)[:, 1] + self.trees.predict(table)[:, 1]) / 2
        return np.asarray(self.rivalry.predict(rivalry_rows(reading, alone))[:, 1])

    def held_out(self, case: Case) -> Floats:
        """What models that never met this reply say of its entries, shape (entries,).

        Raises:
            KeyError: if it was not fitted on this reply with these entries.
        """
        known = self.out_of_fold[reply_key(case.query, case.reply)]
        return np.array([known[entry_key(item.text)] for item in case.pool], dtype=np.float64)


def reply_key(query: str, reply: str) -> str:
    """Names a reply without its text: the first 16 hexadecimal digits of a sha256."""
    return hashlib.sha256(f"{query}\n{reply}".encode()).hexdigest()[:16]


def entry_key(text: str) -> str:
    """Names an entry among those of one pool: the first 8 hexadecimal digits of its sha256."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@cache
def packaged_use() -> UseModel:
    """The parameters that come with the project."""
    text = files(__package__).joinpath("use.json").read_text("utf-8")
    return UseModel.from_json(json.loads(text))


def foreign(reading: Reading) -> Floats:
    """The chance in a language the models do not know: by the share of an entry's new words alone.

    A quarter of them gives 0.63. Measured nowhere.
    """
    shares = []
    for entry in reading.entries:
        letters = np.array([not word.text[0].isdigit() for word in entry.words], dtype=np.float64)
        shares.append(share(held(entry, reading.reply_stems), letters * novel(entry, reading)))
    return np.asarray(1 - np.exp(-4 * np.array(shares, dtype=np.float64)))


def rows(reading: Reading, names: tuple[str, ...]) -> Floats:
    """The named features of every entry, shape (entries, features)."""
    found = [[features[name] for name in names] for features in use_features(reading)]
    return np.array(found, dtype=np.float64).reshape(len(found), len(names))


def rivalry_rows(reading: Reading, alone: Floats) -> Floats:
    """What the third model sees of each entry, columns `RIVALRY`, shape (entries, 3)."""
    if not len(alone):
        return np.empty((0, len(RIVALRY)))
    others = ~np.eye(len(alone), dtype=bool)
    rival = np.zeros(len(alone))
    if reading.spans:
        close = span_cosines(reading)
        own = close.argmax(axis=0)
        explains = close[own] > close.max(axis=0)[:, None] - _TIE
        rival = (explains * others * alone[None, :]).max(axis=1)
    duplicate = (entry_cosines(reading) * others * alone[None, :]).max(axis=1)
    kept = np.clip(alone, _EDGE, 1 - _EDGE)
    return np.column_stack([np.log(kept / (1 - kept)), rival, duplicate])


def _version(value: Mapping[str, Any]) -> str:
    """The first 12 hexadecimal digits of the sha256 of what decides."""
    names = ("logistic", "trees", "rivalry", "used_from", "unused_to")
    text = json.dumps({name: value[name] for name in names}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
