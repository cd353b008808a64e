"""What helps to read the stages: slices, bank size, and how far a QA judge agrees with people."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar, get_args

import numpy as np

from memory_banks.entries import ENTRY_TYPES
from sandbox.metrics.stage_episode import BankSize, Question, StageFailure
from sandbox.metrics.stage_measure import StageFigure, StageScores, figure, share, stage_scores
from sandbox.metrics.statistics import SEED, Floats, kappa

SliceName = Literal["type", "domain", "supports", "centre"]
SLICES: tuple[SliceName, ...] = get_args(SliceName)


class Asked(Protocol):
    """A row that belongs to a question."""

    @property
    def question(self) -> Question:
        """The question."""


class Placed(Protocol):
    """A row that belongs to a domain."""

    @property
    def domain(self) -> str:
        """The life domain; empty for none."""


A = TypeVar("A", bound=Asked)
P = TypeVar("P", bound=Placed)
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Label:
    """One answer, judged by people and by a judge: is it consistent with the reference?"""

    name: str
    human: bool
    judge: bool
    episode: str = ""
    failure: StageFailure | None = None

    @property
    def unit(self) -> str:
        """The episode, or else the answer."""
        return self.episode or self.name


def question_slices(
    rows: Iterable[A], score: Callable[[list[A]], StageScores]
) -> dict[SliceName, dict[str, StageScores]]:
    """The scores by type of support, domain, number of supports, and whom the question is about.

    A question with supports of several types stands under each; one that says nothing of a slice
    stands under no name of it.
    """
    found = list(rows)

    def names(name: SliceName) -> Callable[[A], list[str]]:
        return lambda row: _places(row.question)[name]

    return {name: _sliced(found, names(name), score) for name in SLICES}


def domain_slices(
    rows: Iterable[P], score: Callable[[list[P]], StageScores]
) -> dict[str, StageScores]:
    """The scores of captures or updates by domain; rows without one are left out."""
    return _sliced(list(rows), lambda row: [row.domain] if row.domain else [], score)


def bank_sizes(rows: Iterable[BankSize], seed: int = SEED) -> StageScores:
    """Own bank to gold bank, pooled over episodes."""
    found = list(rows)
    sizes = [(row, (0.0 if row.failure else float(row.own), float(row.gold))) for row in found]
    return stage_scores(
        [figure("bank_size", sizes, share, seed=seed)], (row.failure for row in found)
    )


def judge_scores(labels: Iterable[Label], seed: int = SEED) -> StageScores:
    """Agreement and Cohen's kappa of the QA judge with people; of semantic consistency only."""
    found = list(labels)
    same = [(one, (float(one.human == one.judge), 1.0)) for one in found]
    tables = [(one, _table(one)) for one in found]
    figures: list[StageFigure] = [
        figure("judge_agreement", same, share, seed=seed),
        figure("judge_kappa", tables, _kappa, seed=seed),
    ]
    return stage_scores(figures, (one.failure for one in found))


def _places(question: Question) -> Mapping[SliceName, list[str]]:
    types = {one.type for one in question.supports}
    return {
        "type": [name for name in ENTRY_TYPES if name in types],
        "domain": [question.domain] if question.domain else [],
        "supports": [str(len(question.keys))],
        "centre": [question.centre] if question.centre else [],
    }


def _sliced(
    rows: list[R], names: Callable[[R], list[str]], score: Callable[[list[R]], StageScores]
) -> dict[str, StageScores]:
    groups: dict[str, list[R]] = {}
    for row in rows:
        for name in names(row):
            groups.setdefault(name, []).append(row)
    # By length first, so that 10 supports come after 2.
    ordered = sorted(groups, key=lambda name: (len(name) if name.isdigit() else 0, name))
    return {name: score(groups[name]) for name in ordered}


def _table(label: Label) -> tuple[float, ...]:
    """Its place among no/no, no/yes, yes/no, yes/yes of people and judge; and one answer."""
    place = 2 * label.human + label.judge
    return (*(float(place == one) for one in range(4)), 1.0)


def _kappa(sums: Floats) -> Floats:
    tables = sums[:, :4].reshape(-1, 2, 2)
    return kappa(tables)(np.eye(len(tables)))
