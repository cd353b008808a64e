"""Which language a text is in, as far as its script says."""

import re
from collections.abc import Mapping

UNKNOWN = "und"
"""The tag for a script that several languages share, and for a text without letters."""
_SCRIPTS: Mapping[str, re.Pattern[str]] = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7af]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
    "en": re.compile("[A-Za-z]"),
}
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
_COMMON = frozenset(
    {
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "can",
        "do",
        "for",
        "from",
        "have",
        "i",
        "if",
        "in",
        "is",
        "it",
        "me",
        "my",
        "no",
        "not",
        "of",
        "on",
        "or",
        "so",
        "that",
        "the",
        "then",
        "they",
        "this",
        "to",
        "was",
        "we",
        "were",
        "what",
        "when",
        "will",
        "with",
        "you",
        "your",
    }
)
"""English words that a sentence can hardly do without."""
_FEW = 4
"""Words below which nothing can be told."""


def language_of(text: str, latin: str = UNKNOWN) -> str:
    """BCP 47 primary tag of `text` by its script: `zh`, `ja`, `ko`, `en`, else `und`.

    `latin` is what a text in Latin letters is taken for that does not read like English.

    Latin letters count as English where one word in ten is a common English one, or there are too
    few words to tell. A text is Chinese where a third of its letters are Han characters, as English
    names are common in it; kana or hangul decide before them.
    """
    letters = len(_LETTER.findall(text))
    if not letters:
        return UNKNOWN
    shares = {tag: len(found.findall(text)) / letters for tag, found in _SCRIPTS.items()}
    for tag in ("ja", "ko"):
        if shares[tag] > 0.1:
            return tag
    if shares["zh"] > 1 / 3:
        return "zh"
    if shares["en"] <= 1 / 2:
        return UNKNOWN
    return "en" if _english(text) else latin


def _english(text: str) -> bool:
    words = _WORD.findall(text.casefold())
    return len(words) < _FEW or sum(word in _COMMON for word in words) >= len(words) / 10
