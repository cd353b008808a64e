"""An answer's words beside those of its reference: token F1, exact match, containment, refusal."""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
"""A word, or one character of a script that is written without blanks."""
_ARTICLES = frozenset(("a", "an", "the"))
_REFUSAL = re.compile(
    r"\b(?:(?:do|does|did) not|don't|doesn't|didn't|can't|cannot|can not) (?:really |actually )?"
    r"(?:know|recall|remember|say|tell)\b"
    r"|\bno (?:idea|record|memory|information)\b|\bnot (?:known|sure|mentioned|certain)\b"
    r"|\b(?:unknown|unsure)\b"
    r"|不知道|不清楚|不记得|不確定|不确定|没有提到|無法|无法回答"
)
_NEGATION = re.compile(r"\b(?:not|no|never|neither|nor|without|\w+n't)\b|[不没無无]")
_LONGEST_REFUSAL = 30
"""Tokens: a longer text says something, though it may doubt a part of it."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How two texts agree word for word; letters of any case, punctuation and articles aside."""

    exact: bool
    contained: bool
    """Whether the reference stands in the answer, word behind word."""
    f1: float
    """Of the tokens they share, in [0, 1]; 0 where either has none."""
    denied: bool
    """Whether the answer holds a negation and the reference none: then holding it says little."""

    @property
    def settled(self) -> bool:
        """Whether the words show by themselves that both say the same."""
        return self.exact or (self.contained and not self.denied)


def tokens(text: str) -> list[str]:
    """Its words, folded; articles left out. Chinese and Japanese go by characters."""
    return [one for one in _TOKEN.findall(_plain(text)) if one not in _ARTICLES]


def likeness(answer: str, reference: str) -> Likeness:
    """How the answer's words agree with the reference's."""
    given, wanted = tokens(answer), tokens(reference)
    shared = sum((Counter(given) & Counter(wanted)).values())
    f1 = 2 * shared / (len(given) + len(wanted)) if shared else 0.0
    places = range(len(given) - len(wanted) + 1)
    # "No" stands in many an answer that says something else.
    long_enough = bool(wanted) and wanted not in (["yes"], ["no"])
    contained = long_enough and any(given[at : at + len(wanted)] == wanted for at in places)
    denied = _denies(answer) and not _denies(reference)
    return Likeness(bool(wanted) and given == wanted, contained, f1, denied)


def refuses(answer: str) -> bool:
    """Whether a short text says that something is not known, in English or Chinese."""
    short = len(tokens(answer)) <= _LONGEST_REFUSAL
    return short and _REFUSAL.search(_plain(answer)) is not None


def _denies(text: str) -> bool:
    return _NEGATION.search(_plain(text)) is not None


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
