"""Capture: what was captured from sessions, against what should have been (DyadMem, I.2)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memory_banks.entries import ENTRY_TYPES, EntryType
from sandbox.metrics.stage_episode import Captured, SessionCapture
from sandbox.metrics.stage_formula import StageKey
from sandbox.metrics.stage_matching import AGREES, Agree, Coverage, Matching, coverage
from sandbox.metrics.stage_measure import StageFigure, StageScores, f1, figure, share, stage_scores
from sandbox.metrics.statistics import SEED

_KEYS: Mapping[Agree, tuple[StageKey, StageKey, StageKey]] = {
    "text": ("capture_precision", "capture_recall", "capture_f1"),
    "typed": ("capture_precision_typed", "capture_recall_typed", "capture_f1_typed"),
    "turned": ("capture_precision_turned", "capture_recall_turned", "capture_f1_turned"),
}


def capture_coverage(
    row: SessionCapture, matching: Matching, agree: Agree = "text"
) -> Coverage[Captured]:
    """One session: what covers what, what is wrong and what is missed; a failed one has nothing."""
    return coverage(row.gold, () if row.failure else row.output, matching, agree)


def capture_scores(
    rows: Iterable[SessionCapture], matching: Matching, seed: int = SEED
) -> StageScores:
    """Precision, recall and F1 over pooled counts; also where types, or types and turns, agree."""
    found = list(rows)
    asked = matching.remembered()
    return stage_scores(
        (one for agree in AGREES for one in _figures(found, asked, agree, seed)),
        (row.failure for row in found),
    )


def capture_by_type(
    rows: Iterable[SessionCapture], matching: Matching, seed: int = SEED
) -> dict[EntryType, StageScores]:
    """The same for each entry type that occurs, over its entries on both sides alone."""
    found, asked = list(rows), matching.remembered()
    parts = {name: [_of_type(row, name) for row in found] for name in ENTRY_TYPES}
    return {
        name: capture_scores(part, asked, seed)
        for name, part in parts.items()
        if any(row.gold or row.output for row in part)
    }


def _figures(
    rows: Sequence[SessionCapture], matching: Matching, agree: Agree, seed: int
) -> list[StageFigure]:
    counted = [(row, capture_coverage(row, matching, agree).counts) for row in rows]
    precision, recall, both = _KEYS[agree]
    return [
        figure(precision, [(row, counts[:2]) for row, counts in counted], share, seed=seed),
        figure(recall, [(row, counts[2:]) for row, counts in counted], share, seed=seed),
        figure(both, counted, f1, seed=seed),
    ]


def _of_type(row: SessionCapture, name: EntryType) -> SessionCapture:
    return replace(
        row,
        gold=tuple(one for one in row.gold if one.type == name),
        output=tuple(one for one in row.output if one.type == name),
    )
