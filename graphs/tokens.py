"""How many tokens a text has, guessed from its letters."""

from math import ceil

_FIRST_DENSE = 0x2E80
"""From here on (CJK, Hangul, wide forms, emoji) a character is about a token."""
_FIRST_MIDDLING = 0x0370
"""From here on (Greek, Cyrillic, Arabic, Indic scripts) two characters are about a token."""


def estimated_tokens(text: str) -> int:
    """About how many tokens `text` has: ceil(characters / 3.5) for Latin script, more for others.

    Empty text has none.
    """
    dense = sum(1 for letter in text if ord(letter) >= _FIRST_DENSE)
    middling = sum(1 for letter in text if _FIRST_MIDDLING <= ord(letter) < _FIRST_DENSE)
    latin = len(text) - dense - middling
    return ceil(dense + middling / 2 + latin / 3.5)
