"""Where the reply carries an entry, and by which detail."""

from dataclasses import dataclass

import numpy as np

from sandbox.judges.local.alignment import gains, nearest
from sandbox.judges.local.closeness import rivals, span_cosines
from sandbox.judges.local.logistic import Floats
from sandbox.judges.local.match import held, novel, share, shared_details, weights
from sandbox.judges.local.reading import Reading
from sandbox.judges.verdict import Span

_WORDS = 1.0
"""How much a span's share of the entry's new words counts beside its cosine."""
_ALIGNED = 0.5
_NEAR = 0.75
"""A further span must score this share of the best one, or bring new words of the entry."""
_MOST = 3
_SHOWN = 3
"""Words shown as the detail, where it is no name, number or date."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an entry's use rests on."""

    spans: tuple[Span, ...]
    """In order, without overlap."""
    detail: str
    """Words of the entry; empty where it has no content word."""
    literal: bool
    """Whether the reply has the detail's words, not only their meaning."""


def evidence(reading: Reading, number: int) -> Evidence:
    """The spans and the detail of entry `number`; no spans where the reply holds no word."""
    detail, literal = _detail(reading, number)
    return Evidence(_spans(reading, number), detail, literal)


def _spans(reading: Reading, number: int) -> tuple[Span, ...]:
    """The clause that carries the entry best, and others that add to it; neighbours are joined."""
    leaves = _leaves(reading)
    if not leaves:
        return ()
    scores = carrying(reading, number)
    chosen = [max(leaves, key=lambda place: scores[place])]
    seen = reading.spans[chosen[0]].stems
    fresh = _fresh(reading, number)
    for place in sorted(leaves, key=lambda place: -scores[place])[1:]:
        adds = (reading.spans[place].stems & fresh) - seen
        if len(chosen) < _MOST and adds and scores[place] >= _NEAR * scores[chosen[0]] - 0.2:
            chosen.append(place)
            seen |= reading.spans[place].stems
    return _joined(reading, sorted(chosen, key=lambda place: reading.pieces[place].start))


def carrying(reading: Reading, number: int) -> Floats:
    """How well each piece carries the entry and no other one, shape (pieces,).

    Its cosine less that of the best other entry, the share of the entry's new words it has, and
    how close its own words come to the entry's.
    """
    entry = reading.entries[number]
    weight = weights(entry) * novel(entry, reading)
    close = span_cosines(reading)
    words = [share(held(entry, span.stems), weight) for span in reading.spans]
    aligned = [share(nearest(span.early, entry.early), weights(span)) for span in reading.spans]
    contrast = (close - rivals(close))[:, number]
    return np.asarray(contrast + _WORDS * np.array(words) + _ALIGNED * np.array(aligned))


def _leaves(reading: Reading) -> list[int]:
    """Places of the clauses, and of the sentences that have none."""
    inner = [piece for piece in reading.pieces if not piece.whole]
    return [
        place
        for place, piece in enumerate(reading.pieces)
        if not piece.whole
        or not any(piece.start <= one.start and one.end <= piece.end for one in inner)
    ]


def _fresh(reading: Reading, number: int) -> frozenset[str]:
    entry = reading.entries[number]
    new = novel(entry, reading)
    return frozenset(word.stem for word, fresh in zip(entry.words, new, strict=True) if fresh)


def _joined(reading: Reading, places: list[int]) -> tuple[Span, ...]:
    """The pieces as spans; those with nothing but separators between them become one."""
    found: list[Span] = []
    for piece in (reading.pieces[place] for place in places):
        between = reading.case.reply[found[-1].end : piece.start] if found else "."
        if found and len(between) <= 2 and not any(mark in between for mark in ".!?\n"):
            found[-1] = Span(found[-1].start, piece.end)
        else:
            found.append(Span(piece.start, piece.end))
    return tuple(found)


def _detail(reading: Reading, number: int) -> tuple[str, bool]:
    """Typed details, else new words the reply has, else those it comes closest to in meaning."""
    entry = reading.entries[number]
    typed = shared_details(entry, reading)
    words = [
        word
        for word, new in zip(entry.words, novel(entry, reading), strict=True)
        if new and word.stem in reading.reply_stems
    ]
    if typed or words:
        places = {(one.start, one.end) for one in typed}
        places |= {(word.start, word.end) for word in words}
        return _quoted(entry.text, places), True
    ranked = sorted(zip(gains(entry, reading), entry.words, strict=True), key=lambda pair: -pair[0])
    return _quoted(entry.text, {(word.start, word.end) for _, word in ranked[:_SHOWN]}), False


def _quoted(text: str, places: set[tuple[int, int]]) -> str:
    """The places of the text in order; overlapping ones once."""
    shown: list[str] = []
    last = -1
    for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
        if start < last:
            continue
        near = shown and start - last == 1
        shown[-1:] = [f"{shown[-1]} {text[start:end]}"] if near else [*shown[-1:], text[start:end]]
        last = end
    return ", ".join(shown)
