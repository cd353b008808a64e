"""What speaks for an entry having fed the reply: a row of numbers for each entry of the pool."""

import re
from collections.abc import Mapping

from sandbox.judges.local.alignment import alignment_features
from sandbox.judges.local.closeness import closeness_features, span_cosines
from sandbox.judges.local.match import match_features
from sandbox.judges.local.reading import Reading, Text
from sandbox.judges.local.words import alike

_MINE = frozenset(["i", "my", "me", "mine", "we", "our", "us"])
_YOURS = frozenset(["you", "your", "yours"])


def use_features(reading: Reading) -> list[Mapping[str, float]]:
    """The features of each entry, by name, in the pool's order; empty for an empty pool."""
    if not reading.entries:
        return []
    blocks = (match_features(reading), closeness_features(reading), alignment_features(reading))
    persons = _persons(reading)
    return [
        {name: value for part in parts for name, value in part.items()} | {"person": person}
        for *parts, person in zip(*blocks, persons, strict=True)
    ]


def _persons(reading: Reading) -> list[float]:
    """1 where the best span says I of the character's entry or you of the human's, -1 crosswise."""
    if not reading.spans:
        return [0.0] * len(reading.entries)
    own = span_cosines(reading).argmax(axis=0)
    return [
        float(_subject(entry, reading) * _speaks(reading.spans[own[number]]))
        for number, entry in enumerate(reading.entries)
    ]


def _subject(entry: Text, reading: Reading) -> int:
    """1 where the entry begins with the character's name, -1 with the human's, else 0."""
    first = _tokens(entry.text)[:1]
    names = (reading.case.character, reading.case.human)
    character, human = (_tokens(name)[:1] for name in names)
    return (bool(first) and first == character) - (bool(first) and first == human)


def _speaks(span: Text) -> int:
    """1 where the span speaks of its speaker, -1 of the listener, 0 of both or none."""
    said = set(_tokens(span.text))
    return bool(said & _MINE) - bool(said & _YOURS)


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", alike(text).lower())
