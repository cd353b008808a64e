"""What can be seen of how well a reply weaves its used entries in: figures and failures by rules.

MIQ scores integration in support of the talk's objective (StratMem-Bench, arXiv:2604.26243). Ours:
interpretable signs of it, each with a reason, for a small fitted model and for the explanation.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sandbox.judges.local.closeness import cosines, entry_cosines, span_cosines
from sandbox.judges.local.details import Detail, carried
from sandbox.judges.local.logistic import Floats
from sandbox.judges.local.match import new_details, shared_details
from sandbox.judges.local.reading import Reading, Text
from sandbox.judges.verdict import EntryVerdict

_ASIDE = re.compile(
    r"\b(?:oh,? and|by the way|speaking of|also|plus|and hey|anyway|on top of that|not to mention|"
    r"p\.s\.|reminds me)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|hardly|without|cannot)\b|n't\b", re.IGNORECASE
)
FAR = 0.2
"""Cosine with the query under which a used entry has little to do with it."""


SIGNS = (
    "used",
    "used_a_sentence",
    "carrying",
    "far",
    "furthest_from_query",
    "relatedness",
    "commas",
    "asides",
    "distorted",
    "negated",
    "words",
)
"""Counts (`used`, `far`; `commas` and `words` as logarithms; `asides`, `distorted`, `negated`),
shares (`used_a_sentence`, `carrying`) and cosines (`furthest_from_query`, `relatedness`)."""


@dataclass(frozen=True, slots=True)
class Integration:
    """The signs of one reply, and the places that the explanation names."""

    signs: Mapping[str, float]
    """By the names in `SIGNS`."""
    distorted: tuple[str, ...]
    """Details of used entries that the reply has otherwise, as `this: that`."""
    negated: tuple[str, ...]
    """Ids of used entries that the reply denies, or affirms where they deny."""
    off: tuple[str, ...]
    """Ids of used entries far from what was asked."""


def integration(reading: Reading, verdicts: Sequence[EntryVerdict]) -> Integration:
    """The signs of a reply that uses something; `verdicts` are in the pool's order.

    Raises:
        ValueError: if nothing is used.
    """
    used = [number for number, one in enumerate(verdicts) if one.guess]
    if not used or not reading.spans:
        raise ValueError("verdicts must hold a used entry")
    near = _with_query(reading)[used]
    distorted = [pair for number in used for pair in _distortions(reading, number)]
    negated = [number for number in used if _negated(reading, number)]
    sentences = len(reading.wholes)
    signs = {
        "used": float(len(used)),
        "used_a_sentence": len(used) / sentences,
        "carrying": _carrying(reading, [verdicts[number] for number in used]),
        "far": float((near < FAR).sum()),
        "furthest_from_query": float(near.min()),
        "relatedness": _relatedness(reading, used),
        "commas": float(np.log1p(reading.case.reply.count(","))),
        "asides": float(len(_ASIDE.findall(reading.case.reply))),
        "distorted": float(min(len(distorted), 2)),
        "negated": float(bool(negated)),
        "words": float(np.log1p(len(reading.case.reply.split()))),
    }
    ids = [item.id for item in reading.case.pool]
    off = [number for number, value in zip(used, near, strict=True) if value < FAR]
    return Integration(
        signs, tuple(distorted), tuple(ids[at] for at in negated), tuple(ids[at] for at in off)
    )


def _with_query(reading: Reading) -> Floats:
    """Cosine of every entry with the query, shape (entries,)."""
    stacked = np.stack([entry.sentence for entry in reading.entries])
    return np.asarray(cosines(stacked, reading.context.query.sentence[None])[:, 0])


def _carrying(reading: Reading, used: Sequence[EntryVerdict]) -> float:
    """The share of the reply's characters that lie in spans of used entries."""
    places = {at for one in used for span in one.spans for at in range(span.start, span.end)}
    return len(places) / max(len(reading.case.reply), 1)


def _relatedness(reading: Reading, used: Sequence[int]) -> float:
    """The mean cosine of the used entries among themselves; 1 for a single one."""
    if len(used) < 2:
        return 1.0
    alike = entry_cosines(reading)[np.ix_(used, used)]
    return float((alike.sum() - np.trace(alike)) / (len(used) * (len(used) - 1)))


def _distortions(reading: Reading, number: int) -> list[str]:
    """Figures and names of an entry where its own sentence has others that nothing gives."""
    entry, sentence = reading.entries[number], _sentence(reading, number)
    kept = shared_details(entry, reading)
    missed = [one for one in new_details(entry, reading) if one not in kept]
    strange = [one for one in sentence.details if not _given(one, reading)]
    found = []
    for one in missed:
        for other in strange:
            if one.kind == other.kind:
                mine = entry.text[one.start : one.end]
                found.append(f"{mine}: {sentence.text[other.start : other.end]}")
                break
    return found


def _sentence(reading: Reading, number: int) -> Text:
    """The sentence of the reply that is closest to the entry."""
    close = span_cosines(reading)[:, number]
    whole = [place for place, piece in enumerate(reading.pieces) if piece.whole]
    return reading.spans[max(whole, key=lambda place: close[place])]


def _given(detail: Detail, reading: Reading) -> bool:
    """Whether context or pool has the detail."""
    pool = [one for entry in reading.entries for one in entry.details]
    if carried(detail, reading.context.details) or carried(detail, pool):
        return True
    stems = reading.context.stems.union(*(entry.stems for entry in reading.entries))
    return detail.kind == "name" and detail.value in stems


def _negated(reading: Reading, number: int) -> bool:
    """Whether either of the entry and the clause closest to it denies, and not the other."""
    close = span_cosines(reading)[:, number]
    clause = reading.spans[int(close.argmax())].text
    denied = (bool(_NEGATION.search(text)) for text in (reading.entries[number].text, clause))
    return len(set(denied)) > 1
