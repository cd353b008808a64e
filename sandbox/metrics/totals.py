"""Figures over many replies: means with their counts and 95% intervals; the unit is the instance.

Proportions of replies to different instances have Wilson's interval, everything else a percentile
bootstrap over instances. A figure that a judge leaves open counts by its leaning; beside it stands
what the mean would be if all open ones were decided one way or the other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sandbox.instances import SCENARIOS, Scenario
from sandbox.metrics.figures import Figure, ReplyFigures
from sandbox.metrics.formulas import FIGURES, FORMULAS, FigureKey
from sandbox.metrics.statistics import SEED, Estimate, estimate, ratio, wilson

UNDECIDED = "Open, without a leaning that counts."


@dataclass(frozen=True, slots=True)
class Judged:
    """One reply's figures, and the instance it answers."""

    instance: str
    figures: ReplyFigures


@dataclass(frozen=True, slots=True)
class Total:
    """One figure over many replies."""

    key: FigureKey
    mean: Estimate
    """Null where no reply counts."""
    method: Literal["Wilson", "bootstrap"]
    n: int
    """Replies that count."""
    sum: float
    """Of a proportion: how many of the `n` are 1."""
    leant: int
    """How many of the `n` count by a leaning."""
    least: float | None
    """The mean if every open figure is decided downwards."""
    most: float | None
    """The mean if every open figure is decided upwards."""
    out: Mapping[str, int]
    """Replies that do not count, by the reason."""

    def shown(self) -> str:
        """The mean for people, such as `0.58 (0.32-0.81), n 12`; of a proportion with its count."""
        mean = self.mean
        if mean.value is None:
            return f"-, n {self.n}"
        span = "" if mean.low is None or mean.high is None else f" ({mean.low:.2f}-{mean.high:.2f})"
        if FORMULAS[self.key].proportion:
            return f"{self.sum:g}/{self.n} = {mean.value:.2f}{span}"
        return f"{mean.value:.2f}{span}, n {self.n}"


@dataclass(frozen=True, slots=True)
class Totals:
    """All figures over a group of replies."""

    replies: int
    instances: int
    failed: int
    """Replies that could not be made: SMC 0, MIQ not in N."""
    with_rules: int
    """Replies whose pool holds rules, which StratMem-Bench does not know."""
    violated: int
    """Replies that violate a rule, whatever their SMC."""
    figures: Mapping[FigureKey, Total]
    by_scenario: Mapping[Scenario, Mapping[FigureKey, Total]]
    """The same for each scenario that occurs."""
    seed: int
    """Of the bootstrap."""


def totals(judged: Iterable[Judged], seed: int = SEED) -> Totals:
    """Every figure over the replies; with none, every mean is null."""
    rows = list(judged)
    scenarios = {name: [one for one in rows if one.figures.scenario == name] for name in SCENARIOS}
    return Totals(
        replies=len(rows),
        instances=len({one.instance for one in rows}),
        failed=sum(one.figures.failed for one in rows),
        with_rules=sum(one.figures.has_rules for one in rows),
        violated=sum(bool(one.figures.violated) for one in rows),
        figures=_all(rows, seed),
        by_scenario={name: _all(found, seed) for name, found in scenarios.items() if found},
        seed=seed,
    )


def _all(rows: Sequence[Judged], seed: int) -> dict[FigureKey, Total]:
    return {key: _total(key, rows, seed) for key in FIGURES}


def _total(key: FigureKey, rows: Sequence[Judged], seed: int) -> Total:
    figures = [one.figures[key] for one in rows]
    counted = [
        (one.instance, figure, figure.leaning)
        for one, figure in zip(rows, figures, strict=True)
        if figure.leaning is not None
    ]
    mean, method = _mean(key, [(instance, value) for instance, _, value in counted], seed)
    return Total(
        key=key,
        mean=mean,
        method=method,
        n=len(counted),
        sum=sum(value for _, _, value in counted),
        leant=sum(not figure.decided for _, figure, _ in counted),
        least=_extreme(figures, up=False),
        most=_extreme(figures, up=True),
        out=Counter(_why_out(figure) for figure in figures if figure.leaning is None),
    )


def _why_out(figure: Figure) -> str:
    """The reason that the reply does not count; one for all that are open."""
    return figure.reason if figure.decided else UNDECIDED


def _mean(
    key: FigureKey, counted: Sequence[tuple[str, float]], seed: int
) -> tuple[Estimate, Literal["Wilson", "bootstrap"]]:
    sums: dict[str, list[float]] = {}
    for instance, value in counted:
        sums.setdefault(instance, []).append(value)
    if FORMULAS[key].proportion and len(sums) == len(counted):
        return wilson(sum(value for _, value in counted), len(counted)), "Wilson"
    above, below = [sum(found) for found in sums.values()], [len(one) for one in sums.values()]
    return estimate(ratio(above, below), len(sums), seed), "bootstrap"


def _extreme(figures: Sequence[Figure], *, up: bool) -> float | None:
    """The mean with every open figure decided one way; leaving one out where that helps."""
    chosen: list[float] = []
    spared: list[float] = []
    for figure in figures:
        numbers = [one for one in figure.outcomes if one is not None]
        if not numbers:
            continue
        best = max(numbers) if up else min(numbers)
        # Left out, it neither raises nor lowers the mean: better than the wrong end of the scale.
        if None in figure.outcomes and best == (0.0 if up else 1.0):
            spared.append(best)
        else:
            chosen.append(best)
    kept = chosen or spared
    return sum(kept) / len(kept) if kept else None
