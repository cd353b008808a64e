"""How much of what is needed an answer holds: by use of entries, or by the reference's words."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from sandbox.authoring.model_checks.asking import Asking
from sandbox.judges.case import Case
from sandbox.judges.instance_case import case_of
from sandbox.judges.verdict import EntryVerdict, JudgeError, Verdict

JudgeIt = Callable[[Case], Verdict]
BY_WORDS = "the words of the reference answer"
_WORD = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|[^\W_]+")
_LITTLE = frozenset({"a", "an", "the"})


@dataclass(frozen=True, slots=True)
class Score:
    """How much of what is needed is there."""

    value: float | None
    """0..1; null where it could not be told."""
    trouble: str = ""
    """Why it could not."""


def by_words(gold: str, answer: str) -> float:
    """1 where the answer holds the reference word for word, else the F1 of their words, in [0, 1].

    Words are compared without case, width, punctuation and the English articles; a Chinese or
    Japanese character is one. 0 where either has no word.
    """
    wanted, said = _words(gold), _words(answer)
    if not wanted or not said:
        return 0.0
    if _stands_in(wanted, said):
        return 1.0
    common = (Counter(wanted) & Counter(said)).total()
    return 2 * common / (len(wanted) + len(said))


def by_use(asking: Asking, answer: str, judge: JudgeIt, *, closed_book: bool = False) -> Score:
    """The share of the needed entries that the answer brings in; where any is enough, 1 or 0.

    With `closed_book` the judge is not told of the character, so that a detail counts also where
    the card gives it; and what was said in the talk counts as there. Otherwise an entry that was
    said in the talk is left out, as always (PROTOCOLS 1).
    """
    case = case_of(asking.instance, answer)
    if closed_book:
        case = replace(case, persona="")
    try:
        verdict = judge(case)
    except JudgeError as error:
        return Score(None, str(error))
    told = [_given(verdict.of(key), closed_book) for key in asking.needed]
    known = [one for one in told if one is not None]
    if not known:
        return Score(None, "The judge could not tell of any entry that is needed.")
    if asking.any_of:
        return Score(float(any(known)))
    return Score(sum(known) / len(known))


def scored(
    asking: Asking, answer: str, judge: JudgeIt | None, *, closed_book: bool = False
) -> Score:
    """By the reference answer where there is one, else by use; no score where neither is."""
    if asking.gold is not None:
        return Score(by_words(asking.gold, answer))
    if judge is None or not asking.scorable:
        return Score(None, "There is nothing to hold the answer against.")
    return by_use(asking, answer, judge, closed_book=closed_book)


def _given(one: EntryVerdict, closed_book: bool) -> bool | None:
    if one.usage == "already said":
        return True if closed_book else None
    return one.guess


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return [word for word in _WORD.findall(folded) if word not in _LITTLE]


def _stands_in(wanted: list[str], said: list[str]) -> bool:
    size = len(wanted)
    return any(said[at : at + size] == wanted for at in range(len(said) - size + 1))
