"""Figures, totals and agreement as plain values: what the API and the commands give away."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sandbox.metrics.agreement import Agreement, Slice, Used
from sandbox.metrics.figures import Figure, ReplyFigures
from sandbox.metrics.formulas import FIGURES, FORMULAS
from sandbox.metrics.measures import Scores, Tag
from sandbox.metrics.pairs import Disagreement
from sandbox.metrics.statistics import RESAMPLES, Estimate
from sandbox.metrics.totals import Total, Totals

Plain = dict[str, Any]
_DIGITS = 4
_SHARES = ("precision", "recall", "f1", "exact")


def formulas() -> Plain:
    """What each figure is, by its key."""
    return {
        key: {
            "title": FORMULAS[key].title,
            "name": FORMULAS[key].name,
            "formula": FORMULAS[key].text,
            "source": FORMULAS[key].source,
            "ours": FORMULAS[key].ours or None,
        }
        for key in FIGURES
    }


def figures(found: ReplyFigures) -> Plain:
    """The figures of one reply."""
    return {
        "scenario": found.scenario,
        **{key: figure(found[key]) for key in FIGURES},
        "followed": list(found.followed),
        "violated": list(found.violated),
        "already_said": list(found.already_said),
        "open": list(found.open),
        "with_rules": found.has_rules,
        "failed": found.failed,
    }


def figure(found: Figure) -> Plain:
    """One figure of one reply, with what made it so."""
    return {
        "value": _rounded(found.value),
        "low": _rounded(found.low),
        "high": _rounded(found.high),
        "leaning": _rounded(found.leaning),
        "eligible": found.eligible,
        "reason": found.reason or None,
        "failed": [{"told": part.told, "entries": list(part.entries)} for part in found.failed],
    }


def totals(found: Totals) -> Plain:
    """Figures over many replies."""
    return {
        "replies": found.replies,
        "instances": found.instances,
        "failed": found.failed,
        "with_rules": found.with_rules,
        "violated": found.violated,
        **{key: total(found.figures[key]) for key in FIGURES},
        "by_scenario": {
            name: {key: total(rows[key]) for key in FIGURES}
            for name, rows in found.by_scenario.items()
        },
        "seed": found.seed,
        "resamples": RESAMPLES,
    }


def total(found: Total) -> Plain:
    """One figure over many replies."""
    counted = {"successes": found.sum} if FORMULAS[found.key].proportion else {}
    return {
        **estimated(found.mean),
        "n": found.n,
        **counted,
        "interval": found.method,
        "leaning": found.leant,
        "least": _rounded(found.least),
        "most": _rounded(found.most),
        "not_counted": dict(found.out),
    }


def agreed(found: Agreement) -> Plain:
    """A judge against a gold standard."""
    return {
        "used": used(found.used),
        "miq": scored(found.miq),
        "aspects": {name: scored(one) for name, one in found.aspects.items()},
        "failures": {name: tagged(one) for name, one in found.failures.items()},
        "rules": {name: tagged(one) for name, one in found.rules.items()},
        "recall": {name: tagged(one) for name, one in found.recall.items()},
        "roles": _roles(found),
        "by_language": _slices(found.by_language),
        "by_group": _slices(found.by_group),
        "worst": [_disagreement(one) for one in found.worst],
        "replies": found.replies,
        "seed": found.seed,
        "resamples": RESAMPLES,
    }


def used(found: Used) -> Plain:
    """Agreement on use."""
    return {
        **tagged(found.tag),
        "replies": found.replies,
        "skipped": found.skipped,
        "unsure": found.unsure,
        "unscored": found.unscored,
        "decided": tagged(found.decided) | {"coverage": _rounded(found.coverage)},
    }


def tagged(found: Tag) -> Plain:
    """Agreement on a tag: kappa with its interval; shares, with theirs apart."""
    shares: Mapping[str, Estimate] = {name: getattr(found, name) for name in _SHARES}
    return {
        "kappa": estimated(found.kappa),
        **{name: _rounded(one.value) for name, one in shares.items()},
        "n": found.n,
        "gold": found.gold,
        "judge": found.judge,
        "intervals": {
            name: {"low": _rounded(one.low), "high": _rounded(one.high)}
            for name, one in shares.items()
        },
    }


def scored(found: Scores) -> Plain:
    """Agreement on scores; each measure with its interval."""
    return {
        name: estimated(value) if isinstance(value, Estimate) else value
        for name, value in ((name, getattr(found, name)) for name in Scores.__slots__)
    }


def estimated(found: Estimate) -> Plain:
    """A number with its 95% interval."""
    return {
        "value": _rounded(found.value),
        "low": _rounded(found.low),
        "high": _rounded(found.high),
    }


def _roles(found: Agreement) -> Plain | None:
    roles = found.roles
    if roles is None:
        return None
    return {
        **{name: tagged(one) for name, one in roles.tags.items()},
        "macro_f1": _rounded(roles.macro_f1),
        "exact_must": _rounded(roles.exact_must),
        "replies": roles.replies,
    }


def _slices(found: Mapping[str, Slice]) -> Plain:
    return {name: {"used": used(one.used), "miq": scored(one.miq)} for name, one in found.items()}


def _disagreement(found: Disagreement) -> Plain:
    return asdict(found) | {"weight": _rounded(found.weight)}


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, _DIGITS)
