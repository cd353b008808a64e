"""Texts as the gates compare them: which words carry one, in whose name, which way round.

Words are compared, not meanings: cheap, the same on every day, and strict enough that what is
taken for an echo is one. A paraphrase passes, and the update and the human see it.
"""

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise

from graphs.small_words import DATES, EMPTY, TURNING, WAYS

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_UNSPACED = re.compile("[\u0e00-\u0edf\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Scripts that put no blanks between words: they are compared by pairs of characters."""
_SPELLED = (
    (re.compile(r"[’ʼ]"), "'"),
    (re.compile(r"\bcan(?:no|')t\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"'s\b|(?<=s)'(?!\w)"), ""),
)
_FIRST_PERSON = re.compile(
    r"(?<![\w-])(?:I(?:'(?:m|ve|d|ll))?|[Mm]y|myself|[Ii]ch|[Mm]eine?[mnrs]?|[Ii]k|[Mm]ijn|[Jj]e|"
    r"[Jj]'\w+|[Yy]o|[Яя]|[Мм]о[йяеи]|[Мм]не|[Мм]еня|أنا|אני|मैं|मेरा|मेरी|나는|저는|제가)(?![\w-])|[我私僕俺]"
)
_FEW = 3
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|「[^」]*」")


class People:
    """The two who speak, so that a text can be told to be about one of them."""

    def __init__(self, user: str, agent: str) -> None:
        names = dict.fromkeys(["assistant", "agent", *words(agent)], "agent")
        names |= dict.fromkeys(["user", *words(user)], "user")
        self._names = {word: who for word, who in names.items() if word not in _SAYS_NOTHING}

    def of(self, word: str) -> str | None:
        """`user` or `agent` where the word (as `words` gives it) names one of them, else None."""
        return self._names.get(word)


@dataclass(frozen=True, slots=True)
class Gist:
    """What of a text tells it from others."""

    words: frozenset[str]
    """The words that carry it, without the speakers' names."""
    turning: frozenset[str]
    speakers: tuple[str, ...]
    """`user` and `agent`, in the order of their names in the text."""
    names: tuple[str, ...]
    """Other names and numbers, in order."""
    ways: frozenset[tuple[str, str]]
    """Words with the direction told before them."""
    order: tuple[str, ...]
    """Every word once, as it comes, the speakers as `user` and `agent`."""
    bare: frozenset[str]
    """Words behind no small word such as `in`, `of` or `by`."""


def words(text: str) -> list[str]:
    """The words of `text`, in order: casefolded, without a plural or genitive s."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    for pattern, spelling in _SPELLED:
        plain = pattern.sub(spelling, plain)
    return [piece for word in _WORD.findall(plain) for piece in _pieces(word)]


def gist(text: str, people: People) -> Gist:
    """What `text` says, for `echoes`."""
    said = words(text)
    who = [people.of(word) for word in said]
    content = [word for word, one in zip(said, who, strict=True) if one is None]
    turning = {word for word in content if word in _TURNS}
    turning |= {sign for sign in _TURNS if _UNSPACED.match(sign) and sign in text}
    return Gist(
        words=frozenset(word for word in content if word not in _SAYS_NOTHING),
        turning=frozenset(turning),
        speakers=tuple(dict.fromkeys(one for one in who if one)),
        names=tuple(name for name in names(text) if people.of(name) is None),
        ways=frozenset((way, word) for way, word in pairwise(said) if way in _DIRECTIONS),
        bare=frozenset(
            word for before, word in pairwise(["", *said]) if before not in _SAYS_NOTHING
        ),
        order=tuple(dict.fromkeys(one or word for word, one in zip(said, who, strict=True))),
    )


def echoes(said: Gist, known: Gist) -> bool:
    """Whether `said` holds nothing that `known` does not: every word, the same way round.

    One or two words are contained in too much by chance: they must be (half of) what is known.
    """
    few = len(said.words) < 3 and len(said.words) * 2 < max(3, len(known.words))
    if not said.words or (few and said.words != known.words):
        return False
    return (
        said.words <= known.words
        and said.turning == known.turning
        and _in_order(said.speakers, known.speakers)
        and _in_order(said.names, known.names)
        and not _other_way(said, known)
        and _in_order(*_parties(said, known))
    )


def same(one: Gist, other: Gist) -> bool:
    """Whether the two say the same."""
    return echoes(one, other) and echoes(other, one)


def first_person(text: str) -> bool:
    """Whether `text` says I or my outside quotation marks: nobody can tell whose it is then."""
    return bool(_FIRST_PERSON.search(_QUOTED.sub(" ", text).replace("’", "'")))


def names(text: str) -> list[str]:
    """Capitalised words that begin no sentence, and numbers, in order, as `words` gives them."""
    found: list[str] = []
    for match in _WORD.finditer(text):
        word, before = match.group(), text[: match.start()].rstrip(" \t\"'“”„«»(")
        begins = not before or before[-1] in ".!?:;\n"
        if any(letter.isdigit() for letter in word) or (word[0].isupper() and not begins):
            found += words(word)
    return found


def dated(word: str) -> bool:
    """Whether the word may be part of a date that was worked out: a month, a day, a number."""
    return word in _DATES or any(letter.isdigit() for letter in word)


def scripts(text: str) -> list[str]:
    """The script of each letter of `text`, by its Unicode name: LATIN, CYRILLIC, CJK, ..."""
    return [unicodedata.name(one, "").partition(" ")[0] for one in text if one.isalpha()]


def main_script(text: str) -> str | None:
    """The script of more than half of the letters; None where there is none, or few letters."""
    found = scripts(text)
    most = max(set(found), key=found.count, default="")
    return most if len(found) > _FEW and found.count(most) * 2 > len(found) else None


def loose(word: str) -> str:
    """The word without an ending, to find another form of it."""
    for ending in ("ing", "ed", "en", "er", "es", "e"):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            return word.removesuffix(ending)[:6]
    return word[:6]


def _pieces(word: str) -> list[str]:
    if _UNSPACED.search(word):
        return [word[at : at + 2] for at in range(max(1, len(word) - 1))]
    long = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return [word[:-1] if long else word]


def _in_order(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether what both hold stands in the same order; for speakers, one must hold the other's."""
    both = [name for name in one if name in other]
    if bool(one) and bool(other) and not both:
        return False
    return both == [name for name in other if name in one]


def _parties(one: Gist, other: Gist) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Who does or suffers something in each text, in order: speakers, and names that stand bare.

    A name may begin a sentence in one of the two, where it is not seen to be one.
    """
    bare = one.bare & other.bare
    named = {name for name in {*one.names, *other.names} & bare if not dated(name)}
    who = named | {"user", "agent"}
    first, second = (tuple(word for word in gist.order if word in who) for gist in (one, other))
    return first, second


def _other_way(one: Gist, other: Gist) -> bool:
    """Whether a word that both give a direction has another one in each."""
    shared = {word for _way, word in one.ways} & {word for _way, word in other.ways}
    return any(
        {way for way, w in one.ways if w == word}.isdisjoint(
            {way for way, w in other.ways if w == word}
        )
        for word in shared
    )


def _listed(told: str) -> frozenset[str]:
    return frozenset(piece for word in told.split() for piece in _pieces(word))


_SAYS_NOTHING = _listed(f"{EMPTY} {WAYS}")
_TURNS = _listed(TURNING)
_DIRECTIONS = _listed(WAYS)
_DATES = _listed(DATES)
