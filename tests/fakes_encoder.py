"""An encoder without a model: every word its own direction, the same everywhere."""

import re
from collections.abc import Sequence

import numpy as np

from sandbox.judges.local.encoder import Encoded, unit

DIMENSION = 512


class WordEncoder:
    """Words by their hash; remembers every text it was asked for."""

    id = "words"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.calls = 0

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        self.asked += texts
        self.calls += 1
        return [_encoded(text) for text in texts]


def _encoded(text: str) -> Encoded:
    found = list(re.finditer(r"\w+", text.lower()))
    pieces = np.zeros((len(found), DIMENSION), np.float32)
    for row, match in enumerate(found):
        pieces[row, sum(ord(one) * 31**at for at, one in enumerate(match[0])) % DIMENSION] = 1
    offsets = np.array([match.span() for match in found], np.int64).reshape(-1, 2)
    whole = unit(pieces.sum(axis=0)) if found else np.eye(1, DIMENSION, dtype=np.float32)[0]
    return Encoded(whole, offsets, pieces, pieces, np.full(len(found), 0.5, np.float32))
