"""Words of a text with their places: content words, their stems, and how texts are made alike."""

import re
from dataclasses import dataclass
from functools import lru_cache

_ALIKE = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u2011": "-", "\u2010": "-"}
)
"""One character for one character, so that places stay what they were."""
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+(?:[.,:]\d+)*(?:st|nd|rd|th)?\b|\d+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_STOP = frozenset(
    """a about above actually after again ago ah all almost along already also although always am an
    and another any anyone anything anyway are aren around as at aw away awesome back be because
    been before being below best better between bit both but by came can can't cannot come coming
    could couldn course day days definitely did didn do does doesn doing don done down during each
    either else enough especially even ever every everyone everything far feel feeling feels felt
    few first for from full fun further gave get gets getting give gives go goes going gonna good
    got gotta great guess had hadn haha happen happy hard has hasn have haven having he hear heard
    hello help her here hers hey hi him his honestly hope how i if in into is isn it its itself
    just keep kind kinda know last later least less let life like likes little ll lol long look lot
    lots love loves made make makes making man many may maybe me mean means might mine more most
    much must my myself need never new next nice no nope not nothing now of off oh ok okay on once
    one only onto or other our out over own people perhaps place plus pretty probably put quite
    rather re really recent recently right said same saw say says see seem seems she should
    shouldn since so some someone something sometimes soon sort still stuff such sure take talk
    tell than thank thanks that the their them themselves then there these they thing things think
    this those though through time times to today together too took toward towards tried try
    trying turn two under until up upon us use used using usually ve very wait wanna want wants
    was wasn way we week well were weren what when where whether which while who whole whom whose
    why will wish with within without won would wouldn wow yeah yep yes yet you your yours
    yourself""".split()  # noqa: SIM905 - two hundred quoted words are no list to read
)
"""Function words and the small change of talk: they are no detail of a memory."""
REMEMBERED = 4096
"""Texts whose words are kept: history and pool come back with every reply."""
_FUNCTION = frozenset(
    "的了是我你他她它们在有和不也就都要会这那个上下到说去来着过吗呢吧啊把被给对从很还再又"
)
"""Chinese characters that are hardly ever part of a detail."""
_ENDINGS = (
    ("iest", "y"),
    ("ies", "y"),
    ("ied", "y"),
    ("ings", ""),
    ("ing", ""),
    ("edly", ""),
    ("ed", ""),
    ("ers", "er"),
    ("es", ""),
    ("ly", ""),
    ("s", ""),
    ("e", ""),
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text."""

    text: str
    """As it is written, with plain apostrophes and hyphens."""
    start: int
    end: int
    stem: str

    @property
    def content(self) -> bool:
        """Whether it can carry a detail."""
        return self.text.lower().partition("'")[0] not in _STOP and (
            len(self.text) > 1 or self.text.isdigit() or bool(_CJK.match(self.text))
        )

    @property
    def capital(self) -> bool:
        """Whether it is written as names are."""
        return self.text[:1].isupper()


def alike(text: str) -> str:
    """`text` with plain quotes and hyphens, as long as before."""
    return text.translate(_ALIKE)


@lru_cache(maxsize=REMEMBERED)
def words_of(text: str) -> tuple[Word, ...]:
    """All words and numbers in order; of Chinese all pairs of characters."""
    found: list[Word] = []
    for match in _WORD.finditer(alike(text)):
        if _CJK.search(match[0]):
            found += _pairs(match[0], match.start())
        else:
            found.append(Word(match[0], match.start(), match.end(), stem(match[0])))
    return tuple(found)


def content_stems(text: str) -> frozenset[str]:
    """The stems of the content words."""
    return frozenset(word.stem for word in words_of(text) if word.content)


def stem(word: str) -> str:
    """The word in lower case without a possessive and without its commonest ending."""
    plain = word.lower().partition("'")[0]
    for ending, instead in _ENDINGS:
        if plain.endswith(ending) and len(plain) - len(ending) >= 3 and not plain.endswith("ss"):
            return _single(plain[: len(plain) - len(ending)] + instead)
    return _single(plain) if len(plain) > 2 else plain


def _single(stemmed: str) -> str:
    """`runn` as `run`, `happy` as `happi`."""
    if stemmed[-1] == stemmed[-2] and stemmed[-1] not in "lsz":
        stemmed = stemmed[:-1]
    return stemmed[:-1] + "i" if stemmed[-1] == "y" else stemmed


def _pairs(text: str, start: int) -> list[Word]:
    """All pairs of neighbouring characters without a function word in them; a single one alone."""
    cuts = [(place, place + 2) for place in range(len(text) - 1)] or [(0, 1)]
    return [
        Word(text[begin:end], start + begin, start + end, text[begin:end])
        for begin, end in cuts
        if not set(text[begin:end]) & _FUNCTION
    ]
