"""Finding a judge's quote in the text it was taken from."""

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache

from sandbox.judges.verdict import Span

_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′´`ʼ＇", "'"),
        **dict.fromkeys("“”„‟″«»「」『』＂", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
    }
)
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_GAP = re.compile(r"\s*(?:\[?\.\.\.\]?|\[?…\]?)\s*")
"""Words that a quote leaves out."""
_LAST_SPACED = 0x0590
"""Up to here scripts put blanks between words, and a quote must not begin or end inside one."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it is compared, and where each of its characters comes from."""

    text: str
    origins: tuple[int, ...] = field(repr=False)


def fold(text: str) -> str:
    """`text` as quotes are compared: without case, width, kind of quote mark, runs of blanks."""
    return _folded(text).text.strip()


def locate(text: str, quote: str) -> tuple[Span, ...]:
    """Where `text` holds `quote`: exactly, else whatever the blanks, case and quote marks.

    A quote with an ellipsis is found piece by piece, in order. Empty where a piece is missing,
    starts or ends inside a word, or has no letter or digit.
    """
    whole = _find(text, quote, 0)
    if whole is not None:
        return (whole,)
    spans: list[Span] = []
    for piece in _pieces(quote):
        found = _find(text, piece, spans[-1].end if spans else 0)
        if found is None:
            return ()
        spans.append(found)
    return tuple(spans)


def holds(text: str, quote: str) -> bool:
    """Whether `text` says `quote` word for word, as `locate` compares."""
    return bool(locate(text, quote))


def is_phrase(quote: str, words: int) -> bool:
    """Whether `quote` has at least so many words; in scripts without blanks twice as many letters.

    A shorter quote can stand anywhere by chance.
    """
    dense = sum(1 for letter in quote if ord(letter) >= 0x2E80 and letter.isalnum())
    return len(re.findall(r"\w+", quote)) >= words or dense >= 2 * words


def _pieces(quote: str) -> list[str]:
    stripped = (piece.strip(" \t\n\"'“”‘’«»「」.,;:") for piece in _GAP.split(quote))
    return [piece for piece in stripped if piece]


def _find(text: str, quote: str, begin: int) -> Span | None:
    if not any(letter.isalnum() for letter in quote):
        return None
    exact = _whole(text, quote, begin)
    if exact is not None:
        return Span(exact, exact + len(quote))
    folded, wanted = _folded(text), fold(quote)
    if not any(letter.isalnum() for letter in wanted):
        return None
    first = next((i for i, origin in enumerate(folded.origins) if origin >= begin), None)
    at = None if first is None else _whole(folded.text, wanted, first)
    if at is None:
        return None
    return Span(folded.origins[at], folded.origins[at + len(wanted) - 1] + 1)


def _whole(text: str, wanted: str, begin: int) -> int | None:
    """Where `wanted` first stands without cutting a word; null where nowhere."""
    at = text.find(wanted, begin)
    while at >= 0:
        end = at + len(wanted)
        if not (_cuts(text[at - 1 : at], wanted[0]) or _cuts(wanted[-1], text[end : end + 1])):
            return at
        at = text.find(wanted, at + 1)
    return None


def _cuts(left: str, right: str) -> bool:
    """Whether a word goes on from `left` to `right`."""
    both = left + right
    return len(both) == 2 and all(one.isalnum() and ord(one) < _LAST_SPACED for one in both)


@lru_cache(maxsize=64)
def _folded(text: str) -> Folded:
    letters: list[str] = []
    origins: list[int] = []
    for index, original in enumerate(text):
        if _UNSEEN.match(original):
            continue
        same = unicodedata.normalize("NFKC", original.translate(_SAME))
        for letter in same.translate(_SAME).casefold():
            blank = letter.isspace()
            if blank and letters and letters[-1] == " ":
                continue
            letters.append(" " if blank else letter)
            origins.append(index)
    return Folded("".join(letters), tuple(origins))
