"""How well an entry's words find a like word in the reply, and how much better than in context.

The idea is BERTScore's (arXiv:1904.09675): each word goes to its closest one. Ours: what counts is
the gain over what query, history and persona offered already.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from sandbox.judges.local.closeness import span_cosines
from sandbox.judges.local.encoder import Array
from sandbox.judges.local.logistic import Floats
from sandbox.judges.local.match import held, share, weights
from sandbox.judges.local.reading import Reading, Text

_NONE = -0.3
"""The gain of an entry without a content word."""
Layer = Literal["early", "late"]


def alignment_features(reading: Reading) -> list[Mapping[str, float]]:
    """For each entry, by name: mean or best cosines of its words, and gains, in -2..2."""
    known = _Known.of(reading)
    own = span_cosines(reading).argmax(axis=0) if reading.spans else None
    return [
        _features(entry, reading, known, reading.spans[own[number]] if own is not None else None)
        for number, entry in enumerate(reading.entries)
    ]


class _Known:
    """All words of the reply, the query and the whole context, as rows by layer."""

    __slots__ = ("context", "query", "reply")

    def __init__(self, reading: Reading) -> None:
        layers: tuple[Layer, ...] = ("early", "late")
        self.reply = {layer: rows(reading.wholes, layer) for layer in layers}
        self.context = {layer: rows(reading.context.texts, layer) for layer in layers}
        self.query = {layer: rows([reading.context.query], layer) for layer in layers}

    @classmethod
    def of(cls, reading: Reading) -> "_Known":
        return cls(reading)


def rows(texts: Sequence[Text], layer: Layer) -> Array:
    """The vectors of all their words, shape (words, dimension)."""
    found = [getattr(text, layer) for text in texts if text.words]
    return np.concatenate(found) if found else np.zeros((0, 1), np.float32)


def nearest(words: Array, others: Array) -> Floats:
    """For each word the cosine of its closest other one, 0 where there is none, shape (words,)."""
    if not len(words) or not len(others):
        return np.zeros(len(words))
    return np.asarray((words @ others.T).max(axis=1), dtype=np.float64)


def gains(entry: Text, reading: Reading, layer: Layer = "late") -> Floats:
    """By how much the reply comes closer to each of its words than the context, shape (words,)."""
    words: Array = getattr(entry, layer)
    context = nearest(words, rows(reading.context.texts, layer))
    return nearest(words, rows(reading.wholes, layer)) - context


def _features(
    entry: Text, reading: Reading, known: _Known, span: Text | None
) -> Mapping[str, float]:
    weight = weights(entry)
    reply = {"early": nearest(entry.early, known.reply["early"])}
    reply["late"] = nearest(entry.late, known.reply["late"])
    query = {"early": nearest(entry.early, known.query["early"])}
    query["late"] = nearest(entry.late, known.query["late"])
    gain_early = reply["early"] - nearest(entry.early, known.context["early"])
    gain_late = reply["late"] - nearest(entry.late, known.context["late"])
    return {
        "aligned": share(reply["early"], weight),
        "best_gain_early": float(gain_early.max(initial=-1.0)) if entry.words else _NONE,
        "best_gain_late": float(gain_late.max(initial=-1.0)) if entry.words else _NONE,
        "over_query_early": share(np.maximum(reply["early"] - query["early"], 0), weight),
        "over_query_late": share(np.maximum(reply["late"] - query["late"], 0), weight),
        "in_query": share(query["late"], weight),
        "in_persona": max(
            (share(held(entry, line.stems), weight) for line in reading.context.persona),
            default=0.0,
        ),
        "span_gain": _span_gain(entry, span, known),
    }


def _span_gain(entry: Text, span: Text | None, known: _Known) -> float:
    """How much closer the entry comes to the words of its best span than the context does."""
    if span is None or not span.words or not entry.words:
        return _NONE
    weight = np.asarray(span.rarity, dtype=np.float64)
    context = nearest(span.early, known.context["early"])
    return share(nearest(span.early, entry.early) - context, weight)
