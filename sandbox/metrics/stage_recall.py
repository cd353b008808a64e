"""Recall: rankings of the gold bank's entries against the supports of questions (DyadMem, I.4)."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import log2

from sandbox.metrics.stage_episode import Ranking
from sandbox.metrics.stage_formula import StageKey
from sandbox.metrics.stage_measure import StageScores, figure, share, stage_scores
from sandbox.metrics.statistics import SEED

EXTRA = 4
"""How many places Recall@(n+4) has more than there are supports."""


@dataclass(frozen=True, slots=True)
class RankedQuestion:
    """Where one ranking has the supports of its question."""

    ranks: tuple[int, ...]
    """Ranks of the supports that were returned, from 1, ascending."""
    returned: int
    supports: int

    def recall(self, places: int) -> float:
        """Share of the supports within the first `places`."""
        return sum(rank <= places for rank in self.ranks) / self.supports

    @property
    def reciprocal(self) -> float:
        """1 / rank of the first support; 0 for none."""
        return 1 / self.ranks[0] if self.ranks else 0.0

    @property
    def ndcg(self) -> float:
        """Gain of the supports returned, over that of all supports first."""
        ideal = range(1, self.supports + 1)
        return _gain(self.ranks) / _gain(ideal)

    @property
    def precision(self) -> float:
        """Share of the returned entries that are supports; 0 for none returned."""
        return len(self.ranks) / self.returned if self.returned else 0.0


def ranked_question(row: Ranking) -> RankedQuestion:
    """Where the ranking has the supports; a failed one returned nothing.

    An id that is returned again takes a place of its own and counts once.
    """
    ranked = () if row.failure else row.ranked
    wanted = row.question.keys
    first = {key: rank for rank, key in reversed(list(enumerate(ranked, 1)))}
    ranks = sorted(rank for key, rank in first.items() if key in wanted)
    return RankedQuestion(tuple(ranks), len(ranked), len(wanted))


def recall_scores(rows: Iterable[Ranking], seed: int = SEED) -> StageScores:
    """Every figure of recall, over the questions that have supports."""
    found = [row for row in rows if row.question.supports]
    placed = [(row, ranked_question(row)) for row in found]
    means: dict[StageKey, list[float]] = {
        "recall_n": [one.recall(one.supports) for _, one in placed],
        "recall_n4": [one.recall(one.supports + EXTRA) for _, one in placed],
        "rank_one": [float(one.ranks[:1] == (1,)) for _, one in placed],
        "mrr": [one.reciprocal for _, one in placed],
        "ndcg": [one.ndcg for _, one in placed],
        "recall_precision": [one.precision for _, one in placed],
    }
    pooled = [(row, (float(len(one.ranks)), float(one.supports))) for row, one in placed]
    figures = [
        figure(
            key,
            [(row, (value, 1.0)) for row, value in zip(found, values, strict=True)],
            share,
            seed=seed,
        )
        for key, values in means.items()
    ]
    return stage_scores(
        [*figures, figure("recall_all", pooled, share, seed=seed)],
        (row.failure or (None if row.ranked else "empty") for row in found),
    )


def _gain(ranks: Iterable[int]) -> float:
    return sum(1 / log2(rank + 1) for rank in ranks)
