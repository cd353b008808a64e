"""Scripted cosines and entailments, and short ways to write the rows of stage metrics."""

from collections.abc import Iterable, Mapping
from random import Random

from memory_banks.entries import EntryType
from sandbox.metrics.stage_episode import Answer, Captured, Question, StageFailure, Support
from sandbox.metrics.stage_matching import Matching
from sandbox.metrics.stage_measure import StageScores


def scripted(
    cosines: Mapping[tuple[str, str], float] | None = None,
    entailed: Iterable[tuple[str, str]] = (),
) -> Matching:
    """Cosines of the given pairs (either way, else 0); entailment of the given pairs alone."""
    known, implied = dict(cosines or {}), set(entailed)

    def cosine(left: str, right: str) -> float:
        return known.get((left, right), known.get((right, left), 0.0))

    return Matching(cosine, lambda premise, other: (premise, other) in implied, 0.9, 0.5)


def arbitrary(seed: int) -> Matching:
    """Any cosine and any entailment, the same for the same seed and texts."""

    def cosine(left: str, right: str) -> float:
        return Random(f"{seed} {sorted((left, right))}").choice([0.1, 0.6, 0.7, 0.95, 0.96])

    def entails(premise: str, other: str) -> bool:
        return Random(f"{seed} {premise}>{other}").random() < 0.5

    return Matching(cosine, entails, 0.9, 0.5)


def said(text: str, entry_type: EntryType | None = "fact", turn: str = "t1") -> Captured:
    return Captured(text, entry_type, turn)


def question(
    name: str, *supports: str, episode: str = "", entry_type: EntryType = "fact"
) -> Question:
    return Question(name, tuple(Support(one, entry_type) for one in supports), episode)


def answer(
    asked: Question,
    correct: bool | None = True,
    supported: bool | None = True,
    *,
    refused: bool = False,
    supplied: int | None = None,
    failure: StageFailure | None = None,
) -> Answer:
    return Answer(asked, correct, supported, refused, supplied, failure)


def values(scores: StageScores) -> dict[str, float | None]:
    return {key: one.value for key, one in scores.figures.items()}


def never_raised(before: StageScores, after: StageScores) -> bool:
    """Whether no figure is higher than before; one that was undefined may become 0."""
    return all(
        now is None or now <= (values(before)[key] or 0.0) + 1e-12
        for key, now in values(after).items()
    )


def in_range(scores: StageScores) -> bool:
    """Whether every value and both ends of its interval are in [0, 1]."""
    ends = [
        end
        for one in scores.figures.values()
        for end in (one.estimate.low, one.value, one.estimate.high)
    ]
    return all(end is None or -1e-12 <= end <= 1 + 1e-12 for end in ends)
