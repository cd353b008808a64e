"""Update: the operations on a bank after sessions, against the gold ones (DyadMem, I.3 and H.4).

Captures enter the pool by themselves; what is scored is the evolution: adds by what they say,
deletes by id where the bank is the gold one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sandbox.metrics.stage_cases import UpdateCase, counted_changes
from sandbox.metrics.stage_episode import (
    Added,
    Changes,
    SessionUpdate,
    StageFailure,
    identity,
)
from sandbox.metrics.stage_matching import Coverage, Matching, coverage
from sandbox.metrics.stage_measure import (
    StageFigure,
    StageScores,
    f1,
    figure,
    mean_f1,
    share,
    stage_scores,
    unlike,
)
from sandbox.metrics.statistics import SEED

Counts = tuple[float, float, float, float]
"""Right, predicted, found, gold."""


@dataclass(frozen=True, slots=True)
class ScoredUpdate:
    """One session's operations, compared."""

    row: SessionUpdate
    """With the operations alone that the case counts; a failed one has predicted none."""
    adds: Coverage[Added]
    adds_typed: Counts
    deletes: Counts

    @property
    def counts(self) -> tuple[float, ...]:
        """Of the adds, then of the deletes."""
        return (*self.adds.counts, *self.deletes)

    @property
    def op_f1(self) -> float:
        """Mean of Add F1 and Delete F1; of one of them where the session has no other."""
        return float(mean_f1(np.array([self.counts]))[0])

    @property
    def scored(self) -> bool:
        """Whether op-F1 counts it: it has a gold operation."""
        return bool(self.row.gold.adds or self.row.gold.deletes)

    @property
    def lineage(self) -> tuple[float, float]:
        """Adds that name the turns of a gold add they cover, and adds that cover one with turns."""
        told = [
            (one, [gold for gold in covered if gold.turns]) for one, covered in self.adds.covered
        ]
        right = [any(set(one.turns) == set(gold.turns) for gold in found) for one, found in told]
        return float(sum(right)), float(sum(bool(found) for _, found in told))


def compared_update(row: SessionUpdate, case: UpdateCase, matching: Matching) -> ScoredUpdate:
    """One session's operations, as the case counts them.

    Raises:
        ValueError: where deletes are compared by text and a gold one has none.
    """
    gold = counted_changes(row.gold, case)
    output = Changes() if row.failure else counted_changes(row.output, case)
    return ScoredUpdate(
        row=replace(row, gold=gold, output=output),
        adds=coverage(gold.adds, output.adds, matching),
        adds_typed=coverage(gold.adds, output.adds, matching, "typed").counts,
        deletes=_deletes(gold, output, case, matching),
    )


def update_scores(
    rows: Iterable[SessionUpdate], case: UpdateCase, matching: Matching, seed: int = SEED
) -> StageScores:
    """Adds, deletes, op-F1 over sessions with a gold operation; unsafe deletion over all."""
    found = list(rows)
    asked = matching.remembered()
    compared = [compared_update(row, case, asked) for row in found]
    scored = [one for one in compared if one.scored]
    figures = [
        *_kinds(scored, seed),
        figure("op_f1", [(one.row, (one.op_f1, 1.0)) for one in scored], share, seed=seed),
        figure("op_f1_pooled", _operations(scored), mean_f1, seed=seed),
        figure("unsafe_deletion", [(one.row, _wrong(one)) for one in compared], share, seed=seed),
    ]
    return stage_scores(figures, (row.failure for row in found))


def op_f1_gain(
    left: Iterable[SessionUpdate],
    right: Iterable[SessionUpdate],
    case: UpdateCase,
    matching: Matching,
    seed: int = SEED,
) -> StageFigure:
    """By how much the op-F1 of `left` is above that of `right`, averaged per episode.

    Raises:
        ValueError: where one variant has sessions that the other lacks.
    """
    asked = matching.remembered()
    sides = [[compared_update(row, case, asked) for row in side] for side in (left, right)]
    first, second = (sorted(identity(one.row) for one in side) for side in sides)
    if first != second:
        raise ValueError(unlike("op-F1", first, second))
    above, below = (_by_episode(side) for side in sides)
    apart = [(_Episode(name), (above[name] - below[name], 1.0)) for name in sorted(above)]
    return figure("op_f1_gain", apart, share, seed=seed)


@dataclass(frozen=True, slots=True)
class _Episode:
    """An episode as a row of its own."""

    name: str
    failure: StageFailure | None = None

    @property
    def unit(self) -> str:
        return self.name


def _by_episode(compared: Iterable[ScoredUpdate]) -> dict[str, float]:
    """Mean op-F1 of each episode that has a scored session."""
    found: dict[str, list[float]] = {}
    for one in compared:
        if one.scored:
            found.setdefault(one.row.unit, []).append(one.op_f1)
    return {name: sum(values) / len(values) for name, values in found.items()}


def _kinds(scored: Sequence[ScoredUpdate], seed: int) -> list[StageFigure]:
    adds = [(one.row, one.adds.counts) for one in scored]
    deletes = [(one.row, one.deletes) for one in scored]
    typed = [(one.row, one.adds_typed) for one in scored]
    return [
        figure("add_precision", [(row, counts[:2]) for row, counts in adds], share, seed=seed),
        figure("add_recall", [(row, counts[2:]) for row, counts in adds], share, seed=seed),
        figure("add_f1", adds, f1, seed=seed),
        figure("add_f1_typed", typed, f1, seed=seed),
        figure("add_lineage", [(one.row, one.lineage) for one in scored], share, seed=seed),
        figure(
            "delete_precision", [(row, counts[:2]) for row, counts in deletes], share, seed=seed
        ),
        figure("delete_recall", [(row, counts[2:]) for row, counts in deletes], share, seed=seed),
        figure("delete_f1", deletes, f1, seed=seed),
    ]


def _operations(
    scored: Iterable[ScoredUpdate],
) -> list[tuple[SessionUpdate, tuple[float, ...]]]:
    """Counts of both kinds, and the number of gold operations."""
    return [(one.row, (*one.counts, one.adds.counts[3] + one.deletes[3])) for one in scored]


def _wrong(one: ScoredUpdate) -> tuple[float, float]:
    right, predicted, *_ = one.deletes
    return predicted - right, predicted


def _deletes(gold: Changes, output: Changes, case: UpdateCase, matching: Matching) -> Counts:
    if case.deletes_by == "text":
        _check_texts(gold, case)
        return coverage(gold.deletes, output.deletes, matching).counts
    wanted = {one.key for one in gold.deletes}
    named = {one.key for one in output.deletes}
    right = float(len(wanted & named))
    return right, float(len(named)), right, float(len(wanted))


def _check_texts(gold: Changes, case: UpdateCase) -> None:
    for one in gold.deletes:
        if not one.text.strip():
            raise ValueError(
                f"a gold delete needs the deleted text in the {case.key} case, "
                f"{one.key!r} has none: take it from the gold bank"
            )
