"""Question answering: right, grounded, refused; and the gap to answers from gold memories (I.5)."""

from collections.abc import Iterable, Sequence

from sandbox.metrics.stage_episode import Answer, StageFailure, identity
from sandbox.metrics.stage_formula import StageKey
from sandbox.metrics.stage_measure import (
    StageFigure,
    StageScores,
    difference,
    figure,
    share,
    stage_scores,
    unlike,
)
from sandbox.metrics.statistics import SEED


def failed(answer: Answer) -> StageFailure | None:
    """Why it is a failure; an empty recall is one where the question has supports."""
    if answer.failure is None and answer.supplied == 0 and answer.question.supports:
        return "empty"
    return answer.failure


def refused(answer: Answer) -> bool:
    """Whether it is a refusal; also one from an empty recall, but no output that failed."""
    return answer.refused and answer.failure is None


def right(answer: Answer) -> float | None:
    """1 for a right answer, else 0; null where the judge could not be read."""
    if failed(answer) or (answer.refused and answer.question.supports):
        return 0.0
    return None if answer.correct is None else float(answer.correct)


def grounded(answer: Answer) -> float | None:
    """1 for a right answer that the supplied memories support; null where that is not known."""
    credit = right(answer)
    if not credit:
        return credit
    return None if answer.supported is None else float(answer.supported)


def qa_scores(rows: Iterable[Answer], seed: int = SEED) -> StageScores:
    """Accuracy, grounded accuracy, and what stands beside them to read them by."""
    found = list(rows)
    supported = [row for row in found if row.question.supports]
    refusals = [(row, (float(refused(row)), 1.0)) for row in supported]
    figures = [
        _mean("qa_accuracy", [(row, right(row)) for row in found], seed),
        _mean("qa_grounded", [(row, grounded(row)) for row in found], seed),
        _mean("qa_ungrounded_correct", [_unsupported(row) for row in found if right(row)], seed),
        _mean("qa_answered", [(row, right(row)) for row in found if not refused(row)], seed),
        figure("over_abstention", refusals, share, seed=seed),
    ]
    return stage_scores(figures, (failed(row) for row in found))


def qa_gap(
    gold_memory: Iterable[Answer], full_pipeline: Iterable[Answer], seed: int = SEED
) -> StageFigure:
    """Accuracy with the supports given, less that with own bank and recall; same questions.

    Raises:
        ValueError: where one side has questions that the other lacks.
    """
    return _apart("qa_gap", list(gold_memory), list(full_pipeline), seed)


def qa_gain(first: Iterable[Answer], second: Iterable[Answer], seed: int = SEED) -> StageFigure:
    """Accuracy of the variant `first` above that of `second`, over the same URAM-only questions.

    Questions with other supports are left out.

    Raises:
        ValueError: where one side has URAM-only questions that the other lacks.
    """
    ours, theirs = ([row for row in side if row.question.uram_only] for side in (first, second))
    return _apart("qa_gain", ours, theirs, seed)


def _apart(
    key: StageKey, first: Sequence[Answer], second: Sequence[Answer], seed: int
) -> StageFigure:
    names = [sorted(identity(row) for row in side) for side in (first, second)]
    if names[0] != names[1]:
        raise ValueError(unlike("QA accuracy", *names))
    open_ = {identity(row) for row in (*first, *second) if right(row) is None}
    sides = [
        _mean(
            "qa_accuracy",
            [(row, right(row)) for row in side if identity(row) not in open_],
            seed,
            unscored=len(open_),
        )
        for side in (first, second)
    ]
    return difference(key, *sides)


def _unsupported(row: Answer) -> tuple[Answer, float | None]:
    known = row.supported
    return row, None if known is None else float(not known)


def _mean(
    key: StageKey,
    valued: Iterable[tuple[Answer, float | None]],
    seed: int,
    unscored: int = 0,
) -> StageFigure:
    found = list(valued)
    known = [(row, (value, 1.0)) for row, value in found if value is not None]
    return figure(key, known, share, seed=seed, unscored=unscored + len(found) - len(known))
