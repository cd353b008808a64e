"""A reply in pieces that can carry a memory: its sentences, and the clauses within them."""

import re
from dataclasses import dataclass

from sandbox.judges.local.words import alike, words_of

_END = re.compile(
    r"(?<!\b[DM]r)(?<!\bMrs)(?<!\bMs)(?<!\bSt)(?:[.!?\u2026]+[\"')\]]*\s+|[\u3002\uff01\uff1f]+\s*|\n+)"
)
_BREAK = re.compile(
    r"(?<!\d)[,:]\s*|,\s+|[;\uff0c\uff1b\uff1a\u3001]\s*|\s+[-\u2013]+\s+|\u2014|\s+(?=\()|\)\s*"
    r"|\s+(?=(?:and|but|because|so|which|while|though|since|when|plus)\s)"
)
_SHORTEST = 3
"""Words of a clause that stands by itself; a shorter one stays with its neighbour."""
MOST = 40
"""Pieces of one text; a longer one is judged by its first ones, clauses last."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters `start` up to `end` of a text: never empty, no space around."""

    text: str
    start: int
    end: int
    whole: bool
    """Whether it is a whole sentence, not a clause of one."""


def sentences(text: str) -> tuple[Piece, ...]:
    """The sentences and lines of `text` in order; those without a letter or digit are left out."""
    return _cut(text, 0, len(text), [match.end() for match in _END.finditer(text)])


def clauses(text: str) -> tuple[Piece, ...]:
    """The clauses of all sentences that have more than one, in order."""
    found: list[Piece] = []
    for sentence in sentences(text):
        inner = _clauses(text, sentence)
        found += inner if len(inner) > 1 else []
    return tuple(found)


def pieces(text: str) -> tuple[Piece, ...]:
    """Sentences, then clauses; at most `MOST`."""
    return (*sentences(text), *clauses(text))[:MOST]


def _clauses(text: str, sentence: Piece) -> list[Piece]:
    """The sentence cut at commas and the like, short parts joined to the one before."""
    plain = alike(text[sentence.start : sentence.end])
    cuts: list[int] = []
    last = 0
    for match in _BREAK.finditer(plain):
        rest = len(words_of(plain[match.end() :]))
        if len(words_of(plain[last : match.start()])) >= _SHORTEST <= rest:
            cuts.append(match.end())
            last = match.end()
    places = [sentence.start + cut for cut in cuts]
    return [
        Piece(one.text, one.start, one.end, whole=False)
        for one in _cut(text, sentence.start, sentence.end, places)
    ]


def _cut(text: str, start: int, end: int, cuts: list[int]) -> tuple[Piece, ...]:
    bounds = [start, *cuts, end]
    found = (_trimmed(text, begin, stop) for begin, stop in zip(bounds, bounds[1:], strict=False))
    return tuple(piece for piece in found if piece is not None)


def _trimmed(text: str, start: int, end: int) -> Piece | None:
    """The piece without space and separators around it; null where no word is left."""
    part = text[start:end]
    start += len(part) - len(part.lstrip(" \t\r\n,;:-\u2013\u2014"))
    end = start + len(text[start:end].rstrip(" \t\r\n,;:-\u2013\u2014("))
    held = text[start:end]
    return Piece(held, start, end, whole=True) if re.search(r"\w", held) else None
