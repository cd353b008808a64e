"""Words of texts that carry something, for checks that need no model."""

import re
from functools import lru_cache

_WORD = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|[^\W_]+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NEGATED = re.compile(
    r"\b(?:not|no|never|nobody|nothing|none|without|cannot|neither|nor)\b|n['’]t\b|[不没沒未无無]",
    re.IGNORECASE,
)
_LISTED = """
a about after again all also am an and any are as at be because been before but by can could did
do does doing for from get go had has have he her here him his how i if in into is it its just let
like me more most must my no nor not now of on once one only or other our out over own s she
should so some such t than that the their them then there these they this those to too under until
up us very was we were what when where which while who whom whose why will with would you your
never nobody nothing none without cannot neither
"""
_COMMON = frozenset(_LISTED.split())
"""English words that say nothing by themselves."""


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """Words that carry something, folded and without plural and tense as far as letters tell.

    A Chinese or Japanese character counts as a word.
    """
    found = (word.casefold() for word in _WORD.findall(text))
    return frozenset(_stem(word) for word in found if word not in _COMMON)


def numbers_in(text: str) -> frozenset[str]:
    """Numbers as they are written."""
    return frozenset(_NUMBER.findall(text))


def is_negated(text: str) -> bool:
    """Whether a word denies something."""
    return bool(_NEGATED.search(text))


def shared(text: str, other: str) -> float:
    """Share of the content words of `other` that `text` has too, in [0, 1]; 0 where it has none."""
    words = content_words(other)
    return len(words & content_words(text)) / len(words) if words else 0.0


def folded(text: str) -> str:
    """The text for comparison: single spaces, lower case."""
    return " ".join(text.split()).casefold()


def _stem(word: str) -> str:
    for end in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word[: -len(end)] + ("y" if end == "ies" else "")
    return word
