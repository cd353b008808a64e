"""What every figure is: its name, its formula, where it comes from. The one place that says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

FigureKey = Literal[
    "rho_must", "rho_nice", "rho_irr", "smc", "miq", "pes_literal", "pes_nice", "cir"
]
FIGURES: tuple[FigureKey, ...] = get_args(FigureKey)


@dataclass(frozen=True, slots=True)
class Formula:
    """One figure, defined."""

    key: FigureKey
    title: str
    """As tables show it; PES never stands alone."""
    name: str
    """In full, where the source says what its letters stand for."""
    text: str
    """The formula in words and symbols."""
    source: str
    """Where it is defined."""
    ours: str = ""
    """What the source leaves open and the sandbox decides; empty for nothing."""
    proportion: bool = False
    """Whether it is 0 or 1 for one reply."""
    low: float = 0.0
    high: float = 1.0


_PAPER = "StratMem-Bench"
_RHO_SOURCE = f"{_PAPER}, Eq. 3"
_USED = (
    "used: the reply explicitly brings in a concrete detail of the entry that history, query and "
    "persona alone do not give"
)
_UNCLAIMED = "a pool with neither must nor nice has none"

FORMULAS: Mapping[FigureKey, Formula] = {
    one.key: one
    for one in (
        Formula(
            "rho_must",
            "rho must",
            "must memories used",
            f"used must entries / must entries of the pool; {_USED}",
            _RHO_SOURCE,
            "null where the pool has no must entry; an entry already said leaves the pool; a rule "
            "that is followed counts as used",
        ),
        Formula(
            "rho_nice",
            "rho nice",
            "nice memories used",
            f"used nice entries / nice entries of the pool; {_USED}",
            _RHO_SOURCE,
            "null where the pool has no nice entry; an entry already said leaves the pool; a rule "
            "that is followed counts as used",
        ),
        Formula(
            "rho_irr",
            "rho irr",
            "irrelevant memories used",
            f"used irr entries / irr entries of the pool; {_USED}",
            _RHO_SOURCE,
            "null where the pool has no irr entry, which SMC and CIR read as 0; in a pool with "
            "neither must nor nice it is shown alone, as over-sharing",
        ),
        Formula(
            "smc",
            "SMC",
            "Strict Memory Compliance",
            "1 if, must-only: rho must = 1 and rho irr = 0; nice-only: rho nice > 0 and "
            "rho irr = 0; must+nice: rho must = 1, rho nice > 0 and rho irr = 0; else 0. "
            "Over replies: their mean",
            f"{_PAPER}, section 4.1, Eq. 4",
            f"a failed reply is 0; {_UNCLAIMED}",
            proportion=True,
        ),
        Formula(
            "miq",
            "MIQ",
            "Memory Integration Quality",
            "1 to 5, a judge's score of how well the used memories are woven in, given persona, "
            "history, query and reply, without roles and unused entries. Over replies: their mean",
            f"{_PAPER}, Eq. 5",
            "a reply that uses nothing, or failed, is unscored and counted beside it",
            low=1.0,
            high=5.0,
        ),
        Formula(
            "pes_literal",
            "PES (Eq. 6, literal)",
            "Proactive Enrichment Score, read literally",
            "mean of [rho nice > 0] over nice-only instances and those with rho must = 1",
            f"{_PAPER}, Eq. 6",
            "must-only instances stay in, though they have nothing nice to use; "
            f"{_UNCLAIMED}; for comparison with the paper",
            proportion=True,
        ),
        Formula(
            "pes_nice",
            "PES (nice available)",
            "Proactive Enrichment Score, where a nice memory is available",
            "mean of [rho nice > 0] over instances whose pool has a nice memory, and whose must "
            "memories, if any, are all used",
            f"{_PAPER}, Eq. 6, restricted to pools with a nice memory",
            f"the restriction; {_UNCLAIMED}",
            proportion=True,
        ),
        Formula(
            "cir",
            "CIR",
            "Conditional Irrelevance Rate",
            "mean of [rho irr > 0] over instances whose pool has a nice memory",
            f"{_PAPER}, Eq. 7",
            "an absent irr counts as rho irr = 0",
            proportion=True,
        ),
    )
}
