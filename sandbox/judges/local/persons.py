"""The talkers' names taken out of texts before they are encoded, every place kept.

A name that entry and persona share makes them close whatever they say. In an entry the character
becomes I and the human You, as the reply speaks of them; elsewhere the names become spaces.
"""

import re
from functools import lru_cache, partial

from sandbox.judges.case import Case


def as_reply_speaks(text: str, case: Case) -> str:
    """An entry's text with the names as the reply says them, as long as before."""
    for name, me, mine in ((case.character, "I", "my"), (case.human, "You", "your")):
        for pattern in _patterns(name, possessive=True):
            text = pattern.sub(partial(_said, me=me, mine=mine), text)
    return text


def without_names(text: str, case: Case) -> str:
    """The text with spaces for the names, as long as before."""
    for name in (case.character, case.human):
        for pattern in _patterns(name, possessive=False):
            text = pattern.sub(lambda found: " " * len(found[0]), text)
    return text


@lru_cache(maxsize=256)
def _patterns(name: str, *, possessive: bool) -> tuple[re.Pattern[str], ...]:
    """The whole name, then each part of it; of one letter none."""
    parts = [part for part in dict.fromkeys([name, *name.split()]) if len(part) > 1]
    after = r"(?:['\u2019]s\b)?" if possessive else ""
    return tuple(re.compile(rf"\b{re.escape(part)}\b{after}") for part in parts)


def _said(found: re.Match[str], me: str, mine: str) -> str:
    name = found[0]
    word = mine if "'" in name or "\u2019" in name else me
    return word.ljust(len(name)) if len(word) <= len(name) else " " * len(name)
