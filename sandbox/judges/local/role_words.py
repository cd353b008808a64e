"""English words as the role proposals compare them: content stems, names and numbers."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_TYPOGRAPHY = str.maketrans("\u2018\u2019\u201c\u201d\u2010\u2011\u2012\u2013\u2014", "''\"\"-----")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:[-:.,/]\d+)*", re.IGNORECASE)
_STOP = frozenset(
    """a about above after again all also am an and any anything are as at be because been before
    being below between both but by can could did do does doing done down during each even ever few
    for from further get gets getting go goes going got had has have having he her here hers him his
    how i if in into is it its just kind know let like lot make makes making many may me might mine
    more most much my need no nor not now of off oh on once one only or other our ours out over own
    really same see she should so some something still such take than that the their theirs them
    then there these they thing things think this those through to too under until up us very want
    wants was way we well were what when where which while who whom why will with would yes yet you
    your yours yourself""".split()  # noqa: SIM905 - eighty quoted words are no list to read
)
_ENDINGS = (("iest", "y"), ("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""))


@dataclass(frozen=True, slots=True)
class Words:
    """What a text says, by its words."""

    all: tuple[str, ...]
    """Every word, lower-cased, in order."""
    stems: frozenset[str]
    """Of the content words."""
    names: frozenset[str]
    """Capitalised words that are neither common words nor a sentence's first, lower-cased."""
    numbers: frozenset[str]
    """Numbers and dates as written."""


def words_of(text: str, without: Iterable[str] = ()) -> Words:
    """The words of `text`; those in `without` (lower case) are left out of stems and names."""
    plain = text.translate(_TYPOGRAPHY)
    left_out = frozenset(without)
    found = [(hit.group(), hit.start()) for hit in _WORD.finditer(plain)]
    lower = tuple(re.sub(r"'s$", "", word.lower()) for word, _start in found)
    content = [word for word in lower if word not in left_out and word.split("'")[0] not in _STOP]
    names = {
        word
        for word, (written, start) in zip(lower, found, strict=True)
        if written[0].isupper() and not _opens(plain, start) and word in content
    }
    return Words(
        lower,
        frozenset(stem(word) for word in content),
        frozenset(names),
        frozenset(word for word in lower if word[0].isdigit()),
    )


def stem(word: str) -> str:
    """`word` without a common English ending; a number stays as it is.

    Crude on purpose: both sides of a comparison are cut alike.
    """
    for ending, instead in _ENDINGS:
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) >= 3:
            return _single(base + instead)
    return _single(word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] != "s" else word)


def _single(word: str) -> str:
    """`word` with a doubled last consonant single, and without a last e."""
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word


def _opens(text: str, start: int) -> bool:
    """Whether the word at `start` opens a sentence, where a capital says nothing."""
    before = text[:start].rstrip(" \"'(\n")
    return not before or before[-1] in ".!?:"
