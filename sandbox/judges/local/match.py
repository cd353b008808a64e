"""What reply and entry share by words and typed details that the context does not give."""

from collections.abc import Mapping
from datetime import date

import numpy as np

from sandbox.judges.local.details import Detail, Stretch, carried, full_date, relative_dates
from sandbox.judges.local.logistic import Floats
from sandbox.judges.local.reading import Reading, Text

COMMON = 0.05
"""What even the commonest content word weighs beside its rarity."""


def weights(text: Text) -> Floats:
    """How much each content word of the text counts, shape (words,)."""
    return np.asarray(text.rarity + COMMON, dtype=np.float64)


def novel(text: Text, reading: Reading) -> Floats:
    """1 for each content word that query, history and persona lack, else 0, shape (words,)."""
    known = reading.context.stems
    return np.array([word.stem not in known for word in text.words], dtype=np.float64)


def held(text: Text, stems: frozenset[str]) -> Floats:
    """1 for each content word whose stem is in `stems`, else 0, shape (words,)."""
    return np.array([word.stem in stems for word in text.words], dtype=np.float64)


def share(values: Floats, weight: Floats) -> float:
    """The weighted mean of `values`; 0 where nothing weighs."""
    total = float(weight.sum())
    return float((weight * values).sum()) / total if total > 0 else 0.0


def new_details(text: Text, reading: Reading) -> tuple[Detail, ...]:
    """The typed details of an entry that the context does not give."""
    return tuple(one for one in text.details if carried(one, reading.context.details) is None)


def shared_details(text: Text, reading: Reading) -> tuple[Detail, ...]:
    """Those of `new_details` that the reply carries; a name also in small letters."""
    told = [one for span in reading.wholes for one in span.details]
    stems = reading.reply_stems
    return tuple(
        one
        for one in new_details(text, reading)
        if carried(one, told) or (one.kind == "name" and one.value in stems)
    )


def match_features(reading: Reading) -> list[Mapping[str, float]]:
    """For each entry, by name: shares in 0..1, counts, and 0 or 1 for a kind of detail."""
    stretches = relative_dates(reading.case.reply, _anchors(reading))
    return [_features(number, reading, stretches) for number in range(len(reading.entries))]


def _features(number: int, reading: Reading, stretches: tuple[Stretch, ...]) -> Mapping[str, float]:
    entry = reading.entries[number]
    weight, new = weights(entry), novel(entry, reading)
    hit = held(entry, reading.reply_stems)
    others = [one.stems for place, one in enumerate(reading.entries) if place != number]
    own = 1 - held(entry, frozenset[str]().union(*others))
    kinds = {one.kind for one in shared_details(entry, reading)}
    fresh = {word.stem for word, is_new in zip(entry.words, new, strict=True) if is_new}
    return {
        "new_words": share(hit, weight * new),
        "rarest_new_word": float((weight * new * hit).max(initial=0.0)),
        "all_words": share(hit, np.ones_like(weight)),
        "new_words_of_its_own": float((weight * new * hit * own).sum()),
        "new_words_in_one_span": float(
            max((len(fresh & span.stems) for span in reading.spans), default=0)
        ),
        "share_new": share(new, np.ones_like(weight)),
        "words": float(len(entry.words)),
        "date": float("date" in kinds),
        "relative_date": float(_dated(entry, reading, stretches)),
        "number": float(bool(kinds & {"number", "time"})),
        "name": float("name" in kinds),
    }


def _anchors(reading: Reading) -> list[date]:
    """Days from which the reply may count: today and those of the pool."""
    told = (
        full_date(one.value)
        for entry in reading.entries
        for one in entry.details
        if one.kind == "date"
    )
    return [one for one in (reading.today, *told) if one is not None]


def _dated(entry: Text, reading: Reading, stretches: tuple[Stretch, ...]) -> bool:
    """Whether a relative date of the reply may mean a new date of the entry."""
    told = [full_date(one.value) for one in new_details(entry, reading) if one.kind == "date"]
    return any(
        day is not None and stretch.first <= day <= stretch.last
        for day in told
        for stretch in stretches
    )
