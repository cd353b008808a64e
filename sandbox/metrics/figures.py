"""The figures of one reply, from a verdict and the roles of the pool (StratMem-Bench, section 4).

What a judge is unsure of, or left unscored, is never guessed: a figure has a value where every way
of deciding those entries gives the same one, and else bounds and a leaning.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sandbox.instances import ROLES, Role, Scenario
from sandbox.judges.verdict import Verdict
from sandbox.metrics.formulas import FORMULAS, FigureKey, Formula
from sandbox.metrics.parts import NEEDED, Part, irr_part, must_part, nice_part
from sandbox.metrics.tally import Shares, Tally, is_open, is_used, tally_of

_Outcome = Callable[[Shares], float | None]
"""A figure for one way of deciding the open entries; null where it does not count then."""
FAILED = "Unscored: the reply failed."
NOTHING_USED = "Unscored: the reply uses nothing."
_NO_CLAIM = "The pool has neither a must nor a nice entry."


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of one reply, and why it is what it is."""

    key: FigureKey
    outcomes: tuple[float | None, ...]
    """What it can be, over every way of deciding the open entries, ascending; null (not counted)
    stands first."""
    leaning: float | None = None
    """What it is if unsure entries are decided as the judge leans; its value where it has one."""
    reason: str = ""
    """Why it has no value, or is not counted, in a sentence; empty where it has one."""
    parts: tuple[Part, ...] = ()
    """The conditions that it is made of; those that failed say so."""

    @property
    def value(self) -> float | None:
        """The number; null where it is not counted or not decided."""
        return self.outcomes[0] if len(self.outcomes) == 1 else None

    @property
    def decided(self) -> bool:
        """Whether every way of deciding the open entries comes to the same."""
        return len(self.outcomes) == 1

    @property
    def eligible(self) -> bool | None:
        """Whether the reply counts for this figure; null where that is open."""
        if None not in self.outcomes:
            return True
        return False if self.decided else None

    @property
    def low(self) -> float | None:
        """The least that it can be; null where it is never counted."""
        return min((one for one in self.outcomes if one is not None), default=None)

    @property
    def high(self) -> float | None:
        """The most that it can be; null where it is never counted."""
        return max((one for one in self.outcomes if one is not None), default=None)

    @property
    def formula(self) -> Formula:
        """What it is and where it is defined."""
        return FORMULAS[self.key]

    @property
    def failed(self) -> tuple[Part, ...]:
        """The conditions that do not hold."""
        return tuple(part for part in self.parts if part.holds is False)

    @property
    def failing(self) -> str:
        """The conditions that do not hold, in words; empty for none."""
        return "; ".join(part.told for part in self.failed)

    def explain(self) -> str:
        """The figure in full, over several lines: value, formula, source, what failed."""
        formula = self.formula
        lines = [
            f"{formula.title} = {self.shown()}",
            f"{formula.name}: {formula.text}.",
            f"{formula.source}." + (f" Ours: {formula.ours}." if formula.ours else ""),
        ]
        if self.reason:
            lines.append(self.reason)
        if self.failing:
            lines.append(f"Failed: {self.failing}.")
        return "\n".join(lines)

    def shown(self) -> str:
        """The value for people: a number, `0 to 1` where open, `-` where it does not count."""
        if self.value is not None:
            return _number(self.value)
        if self.decided or self.low is None or self.high is None:
            return "-"
        ends = dict.fromkeys([_number(self.low), _number(self.high)])
        return " to ".join(ends) + (" or not counted" if None in self.outcomes else "")


@dataclass(frozen=True, slots=True)
class ReplyFigures:
    """Every figure of one reply."""

    scenario: Scenario
    """By the roles of the judged pool, entries already said left out."""
    figures: Mapping[FigureKey, Figure]
    followed: tuple[str, ...]
    """Rules of the pool that the reply obeys, by entry id, in the verdict's order."""
    violated: tuple[str, ...]
    """Rules that it breaks: shown also where SMC is 1."""
    has_rules: bool
    """Whether the pool holds rules: figures over such pools are labelled so."""
    already_said: tuple[str, ...]
    """Entries that left the pool."""
    open: tuple[str, ...]
    """Entries that are unsure or unscored."""
    failed: bool

    def __getitem__(self, key: FigureKey) -> Figure:
        return self.figures[key]


def reply_figures(
    verdict: Verdict, roles: Mapping[str, Role], *, failed: bool = False
) -> ReplyFigures:
    """Every figure of the reply that `verdict` is about.

    Args:
        verdict: what a judge says.
        roles: by entry; only entries of the verdict that have one are counted.
        failed: whether there was no usable reply: it uses nothing, SMC is 0, MIQ unscored.
    """
    tally = tally_of(verdict, roles, failed=failed)
    figures = [
        *(_rho(role, tally) for role in ROLES),
        _smc(tally, failed),
        _miq(verdict, failed),
        _pes("pes_literal", tally),
        _pes("pes_nice", tally),
        _cir(tally),
    ]
    rules = [] if failed else [(one.entry, one.rule) for one in verdict.entries]
    return ReplyFigures(
        scenario=tally.scenario,
        figures={figure.key: figure for figure in figures},
        followed=tuple(entry for entry, rule in rules if rule == "followed"),
        violated=tuple(entry for entry, rule in rules if rule == "violated"),
        has_rules=any(one.rule is not None for one in verdict.entries),
        already_said=tally.already_said,
        open=tally.open,
        failed=failed,
    )


_RHO: Mapping[Role, FigureKey] = {"must": "rho_must", "nice": "rho_nice", "irr": "rho_irr"}


def _rho(role: Role, tally: Tally) -> Figure:
    absent = f"The pool has no {role} entry."
    over = role == "irr" and tally.scenario == "none"
    part = {"must": must_part, "nice": nice_part, "irr": irr_part}[role](tally)
    figure = _figure(_RHO[role], tally, lambda shares: shares[role], absent, (part,))
    if over and figure.decided and figure.value is not None:
        return _with_reason(figure, "Nothing was needed or nice: this is over-sharing alone.")
    return figure


def _smc(tally: Tally, failed: bool) -> Figure:
    parts = tuple(NEEDED[name](tally) for name in _needed(tally.scenario))
    figure = _figure("smc", tally, lambda shares: _complies(tally.scenario, shares), "", parts)
    if failed and figure.value is not None:
        return _with_reason(figure, "The reply failed.")
    return figure


def _needed(scenario: Scenario) -> tuple[Role, ...]:
    """The roles that SMC has a condition for."""
    wanted: Mapping[Scenario, tuple[Role, ...]] = {
        "must-only": ("must", "irr"),
        "nice-only": ("nice", "irr"),
        "must+nice": ("must", "nice", "irr"),
        "none": (),
    }
    return wanted[scenario]


def _complies(scenario: Scenario, shares: Shares) -> float | None:
    if scenario == "none":
        return None
    must, nice, irr = shares["must"], shares["nice"], shares["irr"]
    return float(must in (None, 1) and (nice is None or nice > 0) and not irr)


def _pes(key: FigureKey, tally: Tally) -> Figure:
    def outcome(shares: Shares) -> float | None:
        if tally.scenario == "none" or shares["must"] not in (None, 1):
            return None
        if key == "pes_nice" and shares["nice"] is None:
            return None
        return float((shares["nice"] or 0) > 0)

    must, nice = must_part(tally), nice_part(tally)
    absent = "Not eligible: not every must entry is used."
    if key == "pes_nice" and not nice.total:
        absent = "Not eligible: the pool has no nice entry."
    figure = _figure(key, tally, outcome, absent, (must, nice))
    if figure.value is not None and not nice.total:
        return _with_reason(figure, "The pool has no nice entry, which counts as 0 here.")
    return figure


def _cir(tally: Tally) -> Figure:
    def outcome(shares: Shares) -> float | None:
        if shares["nice"] is None:
            return None
        return float((shares["irr"] or 0) > 0)

    absent = "Not eligible: the pool has no nice entry."
    return _figure("cir", tally, outcome, absent, (irr_part(tally),))


def _miq(verdict: Verdict, failed: bool) -> Figure:
    score, why = verdict.miq.score, verdict.miq.why
    if failed:
        return Figure("miq", (None,), reason=FAILED)
    if not any(is_used(one) or is_open(one) for one in verdict.entries):
        return Figure("miq", (None,), reason=NOTHING_USED)
    if score is None:
        return Figure("miq", (None,), reason=f"Unscored: {why or 'the judge gives no score.'}")
    return Figure("miq", (score,), score)


def _figure(
    key: FigureKey,
    tally: Tally,
    outcome: _Outcome,
    absent: str,
    parts: tuple[Part, ...],
) -> Figure:
    """The figure over every way of deciding the open entries; `absent`: why it does not count."""
    found = {outcome(shares) for shares in tally.resolutions()}
    numbers = sorted(one for one in found if one is not None)
    outcomes = (*((None,) if None in found else ()), *numbers)
    leant = {outcome(shares) for shares in tally.leanings()}
    leaning = leant.pop() if len(leant) == 1 else None
    if outcomes == (None,):
        no_claim = tally.scenario == "none" and key not in _RHO.values()
        return Figure(key, outcomes, reason=_NO_CLAIM if no_claim else absent, parts=parts)
    reason = "" if len(outcomes) == 1 else f"Open: {_open(tally, parts)}."
    return Figure(key, outcomes, leaning, reason, parts)


def _open(tally: Tally, parts: Iterable[Part]) -> str:
    """The open entries that the figure hangs on, in words."""
    names = list(dict.fromkeys(name for part in parts for name in part.open))
    unsure = [name for name in names if name in tally.unsure]
    unscored = [name for name in names if name not in tally.unsure]
    told = [f"unsure of {', '.join(unsure)}"] if unsure else []
    return "; ".join([*told, *([f"unscored {', '.join(unscored)}"] if unscored else [])])


def _with_reason(figure: Figure, reason: str) -> Figure:
    return Figure(figure.key, figure.outcomes, figure.leaning, reason, figure.parts)


def _number(value: float) -> str:
    return f"{value:g}" if value == int(value) else f"{value:.2f}"
