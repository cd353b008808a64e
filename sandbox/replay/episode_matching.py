"""Which texts say the same, for the eye of whoever steps through an episode."""

from functools import cache

import numpy as np

from memory_banks.embedding import Embedder, embed_checked
from sandbox.metrics.stage_matching import Matching


def own_matching(embedder: Embedder) -> Matching:
    """By cosine alone: texts that only entailment could tell apart count as different (ours).

    A run measures with entailment; this marks where to look.
    """

    @cache
    def vector(text: str) -> np.ndarray:
        return np.asarray(embed_checked(embedder, [text])[0])

    def cosine(left: str, right: str) -> float:
        return float(vector(left) @ vector(right))

    return Matching(cosine, lambda left, right: left == right)
