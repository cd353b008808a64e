"""How close the reply's spans come to an entry as wholes, against context and rivals."""

from collections.abc import Mapping, Sequence

import numpy as np

from sandbox.judges.local.encoder import Array
from sandbox.judges.local.logistic import Floats
from sandbox.judges.local.reading import Reading, Text

_ALONE = 0.3
"""The margin of an entry that has no rival."""
_SPREAD = 0.05
"""Added to the pool's standard deviation, so that a pool of equals has no outliers."""


def span_cosines(reading: Reading) -> Floats:
    """Cosine of every span with every entry, shape (spans, entries)."""
    return cosines(_stack(reading.spans), _stack(reading.entries))


def closeness_features(reading: Reading) -> list[Mapping[str, float]]:
    """For each entry, by name: cosines and their differences, in -2..2; `cosine_z` is open."""
    close = span_cosines(reading)
    if not len(close):
        close = np.zeros((1, len(reading.entries)))
    best = close.max(axis=0)
    query = cosines(_stack(reading.entries), _stack([reading.context.query]))[:, 0]
    named = {
        "cosine": best,
        "cosine_z": (best - best.mean()) / (best.std() + _SPREAD),
        "margin": _margins(close),
        "cosine_over_query": best - query,
        "span_over_context": (close - _context_of_spans(reading, len(close))[:, None]).max(axis=0),
        "history": _highest(reading.entries, reading.context.history),
        "persona": _highest(reading.entries, reading.context.persona),
    }
    return [
        {name: float(values[number]) for name, values in named.items()}
        for number in range(len(reading.entries))
    ]


def cosines(rows: Array, columns: Array) -> Floats:
    """Dot products of unit vectors, shape (rows, columns)."""
    return np.asarray(rows @ columns.T, dtype=np.float64)


def _margins(close: Floats) -> Floats:
    """By how much each entry beats all others, at the span where it does so most."""
    entries = close.shape[1]
    if entries < 2:
        return np.full(entries, _ALONE)
    return np.asarray((close - rivals(close)).max(axis=0))


def rivals(close: Floats) -> Floats:
    """For each span and entry the best cosine of another entry, shape (spans, entries).

    0 where there is no other one, or none that is closer than that.
    """
    first = close.argmax(axis=1)
    rows = np.arange(len(close))
    rest = close.copy()
    rest[rows, first] = -np.inf
    best = np.repeat(close[rows, first][:, None], close.shape[1], axis=1)
    best[rows, first] = rest.max(axis=1, initial=-np.inf)
    return np.asarray(np.maximum(best, 0.0))


def _context_of_spans(reading: Reading, spans: int) -> Floats:
    """How close the context comes to each span at best."""
    if not reading.spans:
        return np.zeros(spans)
    return np.asarray(cosines(_stack(reading.spans), _stack(reading.context.texts)).max(axis=1))


def _highest(entries: Sequence[Text], texts: Sequence[Text]) -> Floats:
    """The best cosine of each entry with any of the texts; 0 where there are none."""
    if not texts:
        return np.zeros(len(entries))
    return np.asarray(cosines(_stack(entries), _stack(texts)).max(axis=1))


def _stack(texts: Sequence[Text]) -> Array:
    rows = [text.sentence for text in texts]
    return np.stack(rows) if rows else np.zeros((0, 1), np.float32)


def entry_cosines(reading: Reading) -> Floats:
    """Cosine of every entry with every entry, shape (entries, entries)."""
    stacked = _stack(reading.entries)
    return cosines(stacked, stacked)
