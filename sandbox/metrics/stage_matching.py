"""Which texts say the same: bidirectional semantic coverage (DyadMem, sections G.3 and I.1).

Recall and precision have their own true positives. A prediction *covers* a gold text (recall), a
gold text *supports* a prediction (precision); any number may on either side. A pair whose cosine
reaches the high threshold counts in both directions, one below the low threshold in none; between
the two the premise must entail the other: the prediction the gold text that it covers, the gold
text the prediction that it supports. Several gold texts are covered by one prediction only if it
entails each of them.

Ours: both thresholds; equal texts match without a question; a prediction that is close to several
gold texts and entails none covers the closest; one that covers several is also supported if they
together entail it; an exact copy of a prediction counts once; a blank text matches nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, Literal, TypeVar, get_args

from sandbox.metrics.stage_episode import Compared

Agree = Literal["text", "typed", "turned"]
"""What must agree: the text; also the entry type; also the turns that it goes back to."""
AGREES: tuple[Agree, ...] = get_args(Agree)
HIGH = 0.95
"""Ours, and far from `LOW`: entailment decides where it matters. With the packaged MiniLM a
negation, or a plan for what was done, comes to 0.90, and only reworded texts to 0.95."""
LOW = 0.45
"""Ours. With the packaged MiniLM texts on other matters of one user come to 0.4 to 0.5."""

C = TypeVar("C", bound=Compared)


@dataclass(frozen=True, slots=True)
class Matching:
    """How two texts are compared."""

    cosine: Callable[[str, str], float]
    """Similarity of two texts, in [-1, 1], the same both ways."""
    entails: Callable[[str, str], bool]
    """Whether the first text entails the second; asked only where cosine does not decide."""
    high: float = HIGH
    low: float = LOW

    def __post_init__(self) -> None:
        if not -1 <= self.low <= self.high <= 1:
            raise ValueError(
                f"low and high must be ordered and in [-1, 1], got {self.low} and {self.high}"
            )

    def remembered(self) -> "Matching":
        """The same, asking each pair once."""
        return Matching(cache(self.cosine), cache(self.entails), self.high, self.low)

    def close(self, left: str, right: str) -> bool:
        """Whether the two match by themselves, in both directions."""
        return left == right or self.cosine(left, right) >= self.high

    def covers(self, premise: str, other: str) -> bool:
        """Whether `premise` says what `other` says."""
        if self.close(premise, other):
            return True
        return self.cosine(premise, other) >= self.low and self.implies(premise, other)

    def implies(self, premise: str, other: str) -> bool:
        """Whether `premise` entails `other`; a text entails itself."""
        return premise == other or self.entails(premise, other)


@dataclass(frozen=True, slots=True)
class Coverage(Generic[C]):
    """The predictions of one session against its gold texts."""

    covered: tuple[tuple[C, tuple[C, ...]], ...]
    """Each prediction with the gold texts that it covers."""
    wrong: tuple[C, ...]
    """Predictions that nothing supports."""
    missed: tuple[C, ...]
    """Gold texts that nothing covers."""
    predicted: int
    gold: int

    @property
    def counts(self) -> tuple[float, float, float, float]:
        """Supported predictions, predictions, covered gold texts, gold texts."""
        right, found = self.predicted - len(self.wrong), self.gold - len(self.missed)
        return float(right), float(self.predicted), float(found), float(self.gold)


def coverage(
    gold: Sequence[C], predictions: Iterable[C], matching: Matching, agree: Agree = "text"
) -> Coverage[C]:
    """Which gold texts the predictions cover, and which predictions the gold texts support."""
    distinct = _distinct(predictions)
    covered: list[tuple[C, tuple[C, ...]]] = []
    wrong: list[C] = []
    found: set[int] = set()
    for prediction in distinct:
        able = [place for place, one in enumerate(gold) if _comparable(prediction, one, agree)]
        places = _covered(prediction, gold, able, matching)
        found.update(places)
        covered.append((prediction, tuple(gold[place] for place in places)))
        if not _supported(prediction, [gold[place] for place in able], covered[-1][1], matching):
            wrong.append(prediction)
    missed = tuple(one for place, one in enumerate(gold) if place not in found)
    return Coverage(tuple(covered), tuple(wrong), missed, len(distinct), len(gold))


def _distinct(predictions: Iterable[C]) -> list[C]:
    return list({(one.text, one.type, one.turns): one for one in predictions}.values())


def _comparable(left: Compared, right: Compared, agree: Agree) -> bool:
    if not left.text.strip() or not right.text.strip():
        return False
    same_type = left.type is not None and left.type == right.type
    if agree == "turned":
        return same_type and set(left.turns) == set(right.turns)
    return same_type or agree == "text"


def _covered(
    prediction: C, gold: Sequence[C], able: Sequence[int], matching: Matching
) -> list[int]:
    """Places of the gold texts that the prediction covers."""
    text = prediction.text
    reached = [place for place in able if matching.covers(text, gold[place].text)]
    if len(reached) < 2:
        return reached
    entailed = [place for place in reached if matching.implies(text, gold[place].text)]
    if entailed:
        return entailed

    def rank(place: int) -> tuple[float, str, str, tuple[str, ...]]:
        one = gold[place]
        return -matching.cosine(text, one.text), one.text, one.type or "", one.turns

    return [min(reached, key=rank)]


def _supported(prediction: C, able: Sequence[C], covered: Sequence[C], matching: Matching) -> bool:
    """Whether a gold text supports the prediction, or those that it covers do so together."""
    if any(matching.covers(one.text, prediction.text) for one in able):
        return True
    together = " ".join(sorted({one.text for one in covered}))
    return len(covered) > 1 and matching.implies(together, prediction.text)
