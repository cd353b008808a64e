"""Where two annotators of an episode differ, and how far they agree: captures, types, supports."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sandbox.authoring.authored import Annotation
from sandbox.authoring.episode_typed import numbers_of
from sandbox.authoring.wording import folded
from sandbox.episodes import Episode, EpisodeQuestion, GoldEntry, told_entries
from sandbox.metrics.statistics import Estimate, Floats, estimate, kappa

TURN, QUESTION = "turn ", "question "
"""How the key of a difference begins; the id follows."""
What = Literal["capture", "type", "evidence", "wording", "supports"]


@dataclass(frozen=True, slots=True)
class GoldDifference:
    """One turn or question of an episode that two annotators see differently."""

    key: str
    """TURN or QUESTION with the id."""
    what: What
    """The gravest difference: whether there is a memory, its type, its evidence, its words."""
    text: str
    """What was said, with the number of the turn; or the question."""
    first: tuple[str, ...]
    """What the first says, one line a memory."""
    second: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoldAgreed:
    """How far two annotators of episodes agree; intervals by episode."""

    episodes: int
    turns: int
    capture: Estimate
    """Cohen's kappa of whether a turn gives a memory; null where one side says always the same."""
    same: float | None
    """Share of turns on which both say that there is one, or that there is none."""
    typed: int
    """Turns of which both say that they give a memory."""
    types: Estimate
    """Cohen's kappa of the set of types that such a turn gives."""
    questions: int
    supports: float | None
    """Mean Jaccard index, in [0, 1], of the turns that a question's supports rest on (the own turn
    of each); 1 where neither side names any; null for no question."""


def gold_differences(first: Episode, second: Annotation) -> tuple[GoldDifference, ...]:
    """Where the two differ: turns in order, then questions."""
    numbers = numbers_of(first)
    mine, theirs = by_turn(_captures(first)), by_turn(second.memories)
    found = []
    for turn in first.turns():
        here, there = mine.get(turn.id, []), theirs.get(turn.id, [])
        if what := _differ(here, there):
            text = f"{numbers[turn.id]} {turn.speaker}: {turn.text}"
            lines = (_lines(here, numbers), _lines(there, numbers))
            found.append(GoldDifference(TURN + turn.id, what, text, *lines))
    for one in first.questions:
        ours, others = _support_turns(first, one), _told_turns(one, second)
        if ours != others:
            lines = (_named(ours, numbers, first), _named(others, numbers, first))
            found.append(GoldDifference(QUESTION + one.id, "supports", one.text, *lines))
    return tuple(found)


def gold_agreed(pairs: Sequence[tuple[Episode, Annotation]]) -> GoldAgreed:
    """Agreement of first annotators with second ones who did not see what they had said."""
    told = [_turn_pairs(first, second) for first, second in pairs]
    flags = [[(bool(one), bool(other)) for one, other in found] for found in told]
    both = [[(_types(one), _types(other)) for one, other in f if one and other] for f in told]
    every = [one == other for found in flags for one, other in found]
    overlaps = [
        _jaccard(_support_turns(first, one), _told_turns(one, second))
        for first, second in pairs
        for one in first.questions
    ]
    return GoldAgreed(
        episodes=len(pairs),
        turns=len(every),
        capture=_kappa(flags),
        same=sum(every) / len(every) if every else None,
        typed=sum(map(len, both)),
        types=_kappa(both),
        questions=len(overlaps),
        supports=sum(overlaps) / len(overlaps) if overlaps else None,
    )


def by_turn(entries: Iterable[GoldEntry]) -> dict[str, list[GoldEntry]]:
    """Entries by their own turn."""
    found: dict[str, list[GoldEntry]] = {}
    for one in entries:
        if one.turns:
            found.setdefault(one.turns[0], []).append(one)
    return found


def _captures(talk: Episode) -> Iterable[GoldEntry]:
    return (one for session in talk.sessions if session.gold for one in session.gold.captures)


def _differ(one: Sequence[GoldEntry], other: Sequence[GoldEntry]) -> What | None:
    if bool(one) != bool(other):
        return "capture"
    if _types(one) != _types(other):
        return "type"
    if {entry.turns for entry in one} != {entry.turns for entry in other}:
        return "evidence"
    words = [sorted(folded(entry.text) for entry in side) for side in (one, other)]
    return "wording" if words[0] != words[1] else None


def _types(entries: Sequence[GoldEntry]) -> str:
    return " + ".join(sorted(one.type for one in entries))


def _lines(entries: Sequence[GoldEntry], numbers: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        f"{one.type}: {one.text} ({', '.join(numbers.get(turn, turn) for turn in one.turns)})"
        for one in entries
    )


def _support_turns(talk: Episode, one: EpisodeQuestion) -> frozenset[str]:
    """What the first annotator's supports rest on: the own turn of each."""
    if one.unit != "entry":
        return frozenset(one.supports)
    told = {entry.key: entry for session in talk.sessions for entry in told_entries(session)}
    return frozenset(told[key].turns[0] for key in one.supports if key in told and told[key].turns)


def _told_turns(one: EpisodeQuestion, second: Annotation) -> frozenset[str]:
    keys = second.supports.get(one.id, ())
    if one.unit != "entry":
        return frozenset(keys)
    told = {entry.key: entry for entry in second.memories}
    return frozenset(told[key].turns[0] for key in keys if key in told)


def _named(ids: frozenset[str], numbers: Mapping[str, str], talk: Episode) -> tuple[str, ...]:
    names = dict(numbers) | {
        one.id: f"session {place}" for place, one in enumerate(talk.sessions, start=1)
    }
    return tuple(sorted(names.get(one, one) for one in ids))


def _turn_pairs(
    first: Episode, second: Annotation
) -> list[tuple[list[GoldEntry], list[GoldEntry]]]:
    mine, theirs = by_turn(_captures(first)), by_turn(second.memories)
    return [(mine.get(turn.id, []), theirs.get(turn.id, [])) for turn in first.turns()]


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


def _kappa(told: Sequence[Sequence[tuple[object, object]]]) -> Estimate:
    """Cohen's kappa over all pairs, the unit being the episode."""
    classes = sorted({repr(side) for found in told for pair in found for side in pair})
    if not classes:
        return Estimate(None)
    place = {name: number for number, name in enumerate(classes)}
    tables: Floats = np.zeros((len(told), len(classes), len(classes)))
    for unit, found in enumerate(told):
        for one, other in found:
            tables[unit, place[repr(one)], place[repr(other)]] += 1
    return estimate(kappa(tables), len(told))
