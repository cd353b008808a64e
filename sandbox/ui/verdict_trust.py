"""How far each judge was measured against people, in words beside its name."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from sandbox.evaluation.judges import FILE, HUMAN, LOCAL

NOT_MEASURED = "not measured"
_FIXED = {FILE: "given with the data", HUMAN: "a person's own judgement"}
_FITTED, _MIQ = "use.json", "miq.json"
_LABELS = "usage_gold_dev"
"""The labelled replies that the local judge's agreement is told for."""


def measured(judge: str, language: str = "en") -> str:
    """The judge's measured agreement with n and language; `not measured` where there is none.

    `language` is the reply's (BCP 47 primary tag): what was measured in another one says nothing.
    """
    if judge in _FIXED:
        return _FIXED[judge]
    if judge != LOCAL:
        return NOT_MEASURED
    return _local() if language == "en" else f"{NOT_MEASURED} for {language}"


def agreement_words(fitted: Any) -> str:
    """What a fit says of its agreement on use, in words; it is measured in English only."""
    try:
        found: Mapping[str, Any] = fitted["agreement"][_LABELS]
        kappa, replies = found["kappa"], found["n"]["replies"]
        value, low, high = (float(kappa[name]) for name in ("value", "low", "high"))
    except (KeyError, TypeError, ValueError):
        return NOT_MEASURED
    return (
        f"use: kappa {value:.2f} ({low:.2f} to {high:.2f}), n = {replies} replies, English, "
        "cross-validated"
    )


@cache
def _local() -> str:
    """What the local judge's parameters say of their fit."""
    use, miq = (_fitted(name) for name in (_FITTED, _MIQ))
    if use is None:
        return NOT_MEASURED
    told = [agreement_words(use), miq_words(miq)]
    return "; ".join(words for words in told if words)


def miq_words(fitted: Any) -> str:
    """What a fit says of its agreement on MIQ, in words; empty where it says nothing."""
    try:
        found: Mapping[str, Any] = fitted["agreement"][_LABELS]
        value, low, high = (float(found["spearman"][name]) for name in ("value", "low", "high"))
        return f"MIQ: Spearman {value:.2f} ({low:.2f} to {high:.2f}), n = {found['n']}"
    except (KeyError, TypeError, ValueError):
        return ""


def _fitted(name: str) -> Any:
    """What a file of parameters says of its fit; null where there is none."""
    place = files("sandbox.judges.local").joinpath(name)
    return json.loads(place.read_text("utf-8")).get("fitted") if place.is_file() else None
