"""Memory Integration Quality without a language model: a small ridge regression over visible signs.

It sees the used entries, query, history and reply; no roles, and of unused entries nothing counts.
A broken rule and a superseded entry lower the score by fixed amounts (ours: the data it was fitted
on has neither).
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from sandbox.judges.local.integration import SIGNS, Integration, integration
from sandbox.judges.local.logistic import Floats
from sandbox.judges.local.reading import Reading
from sandbox.judges.verdict import EntryVerdict, Failure, Miq

NOTHING = "Nothing of the pool is used."
_LOST = 1.0
"""What a stale entry or a broken rule costs."""
_DUMPED_USED, _DUMPED_A_SENTENCE = 4, 1.0
"""From how many used entries, and how many a sentence, a reply is a dump."""


@dataclass(frozen=True, slots=True)
class MiqModel:
    """The fitted parameters, and where they come from."""

    mean: Floats
    scale: Floats
    coef: Floats
    """Of the standardised signs, in the order of `SIGNS`."""
    intercept: float
    fitted: Mapping[str, Any]
    """Script, recipe, the data's hashes, versions, and `agreement`: figures with n and interval."""
    out_of_fold: Mapping[str, float]
    """For each reply it was fitted on, by `reply_key`, the score of models that never met it."""
    version: str = ""
    """Hash of the parameters."""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "MiqModel":
        """The model that `fitting.miq` wrote.

        Raises:
            ValueError: if its parts do not fit together.
        """
        if tuple(value["signs"]) != SIGNS:
            raise ValueError(f"signs must be {SIGNS}, got {tuple(value['signs'])}")
        parts = {name: np.asarray(value[name], np.float64) for name in ("mean", "scale", "coef")}
        if any(part.shape != (len(SIGNS),) for part in parts.values()):
            raise ValueError(f"mean, scale and coef must have {len(SIGNS)} values each")
        decides = {name: value[name] for name in ("mean", "scale", "coef", "intercept")}
        version = hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:12]
        return cls(
            parts["mean"],
            parts["scale"],
            parts["coef"],
            float(value["intercept"]),
            value["fitted"],
            value["out_of_fold"],
            version,
        )

    def parts(self, signs: Mapping[str, float]) -> Floats:
        """What each sign adds to the mean score, in the order of `SIGNS`."""
        row = np.array([signs[name] for name in SIGNS])
        return np.asarray((row - self.mean) / self.scale * self.coef)

    def score(self, signs: Mapping[str, float]) -> float:
        """The raw score; it may lie outside 1..5."""
        return float(self.intercept + self.parts(signs).sum())


@cache
def packaged_miq() -> MiqModel:
    """The parameters that come with the project."""
    text = files(__package__).joinpath("miq.json").read_text("utf-8")
    return MiqModel.from_json(json.loads(text))


def judge_miq(
    reading: Reading,
    verdicts: Sequence[EntryVerdict],
    model: MiqModel | None = None,
    raw: float | None = None,
) -> Miq:
    """The score, 1..5 to one decimal, its reasons and failures; unscored where nothing is used.

    `raw` takes the place of the model's own score, for one from out of fold.
    """
    if not reading.spans or not any(one.guess for one in verdicts):
        return Miq(None, NOTHING, tuple(_broken(verdicts)))
    seen, known = integration(reading, verdicts), model or packaged_miq()
    failures = _failures(reading, verdicts, seen)
    lost = _LOST * sum(name in failures for name in ("stale", "rule_broken"))
    score = (known.score(seen.signs) if raw is None else raw) - lost
    why = _why(seen, known, failures, raw is not None)
    return Miq(round(min(max(score, 1.0), 5.0), 1), why, failures)


def _failures(
    reading: Reading, verdicts: Sequence[EntryVerdict], seen: Integration
) -> tuple[Failure, ...]:
    used = {one.entry for one in verdicts if one.guess}
    signs = seen.signs
    found: list[Failure] = []
    dense = signs["used_a_sentence"] >= _DUMPED_A_SENTENCE
    if signs["used"] >= _DUMPED_USED and dense:
        found.append("dumped")
    if seen.distorted:
        found.append("distorted")
    if seen.off:
        found.append("off_goal")
    if any(not item.live and item.id in used for item in reading.case.pool):
        found.append("stale")
    return (*found, *_broken(verdicts))


def _broken(verdicts: Sequence[EntryVerdict]) -> list[Failure]:
    return ["rule_broken"] if any(one.rule == "violated" for one in verdicts) else []


def _why(seen: Integration, model: MiqModel, failures: Sequence[Failure], borrowed: bool) -> str:
    """The figures first, then what lowers the score most, then what the failures rest on."""
    signs = seen.signs
    told = [
        f"{signs['used']:.0f} used, {signs['used_a_sentence']:.1f} a sentence; "
        f"{signs['carrying']:.0%} of the reply carries them."
    ]
    if not borrowed:
        told += _lowering(model.parts(signs))
    if seen.distorted:
        told.append(f"Another detail than the entry's ({'; '.join(seen.distorted[:2])}).")
    if seen.off:
        told.append(f"Far from what was asked: {', '.join(seen.off)}.")
    if "stale" in failures:
        told.append("It uses an entry that another replaced.")
    if "rule_broken" in failures:
        told.append("It breaks a rule.")
    return " ".join(told)


def _lowering(parts: Floats) -> list[str]:
    """The two signs that cost most, where they cost something that shows."""
    worst = [at for at in np.argsort(parts)[:2] if parts[at] <= -0.1]
    named = [f"{_NAMES[SIGNS[at]]} ({parts[at]:+.1f})" for at in worst]
    return [f"Lowered by {' and '.join(named)}."] if named else []


_NAMES: Mapping[str, str] = {
    "used": "how many entries it uses",
    "used_a_sentence": "how densely they come",
    "carrying": "how much of it they fill",
    "far": "entries far from what was asked",
    "furthest_from_query": "the entry furthest from the query",
    "relatedness": "entries that have little to do with each other",
    "commas": "enumeration",
    "asides": "asides",
    "distorted": "details that differ from the entries'",
    "negated": "a denial that the entry has not",
    "words": "its length",
}
