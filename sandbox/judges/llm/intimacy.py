"""Intimacy (MADial-Bench): never a score, always replies beside one another, judged blind."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from threading import Event
from typing import Any, Literal

from graphs.chat_model import ChatModel, Sampling
from sandbox.judges.case import Case
from sandbox.judges.llm import values
from sandbox.judges.llm.asking import Asked, Question, ask, at_once
from sandbox.judges.llm.blocks import Blocks, make_blocks
from sandbox.judges.llm.forms import CompareForm, PickForm
from sandbox.judges.llm.questions import context, room
from sandbox.judges.verdict import Call

Outcome = Literal["win", "tie", "lose"]
"""Of the reply with memory, against the one without."""
Choice = Literal["A", "B", "tie"]
_ANSWER_TOKENS = 300


@dataclass(frozen=True, slots=True)
class Comparison:
    """A reply with memory beside one without it, asked twice in swapped order."""

    outcome: Outcome | None
    """Tie where the two orders disagree; null where one of them was not answered readably."""
    why: str
    choices: tuple[Choice | None, Choice | None]
    """As answered: first with memory as A, then as B."""
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of several replies to the same query."""

    id: str
    text: str
    has_memory: bool
    """Whether it uses any entry; the voters do not see it."""


@dataclass(frozen=True, slots=True)
class Vote:
    """What one voter chose."""

    voter: str
    """The model's name."""
    order: tuple[str, ...]
    """The ids in the order in which this voter saw them."""
    choice: str | None
    """The id it chose; null where it could not be read."""
    why: str
    call: Call


@dataclass(frozen=True, slots=True)
class Picked:
    """The best of several replies by several voters."""

    winners: tuple[str, ...]
    """Ids with the most votes, in the candidates' order; several in a tie, none without a vote."""
    counts: Mapping[str, int]
    """Votes by id, for every candidate."""
    share_with_memory: float | None
    """Share of the winners that use a memory, 0..1; null without a winner."""
    votes: tuple[Vote, ...]
    seed: int


def compare(
    case: Case, with_memory: str, without: str, model: ChatModel, stop: Event | None = None
) -> Comparison:
    """Which of two replies feels closer; the model sees neither the pool nor which is which.

    Raises:
        JudgeStopped: if `stop` is set before it is done.
    """
    blocks = make_blocks(case, room(model, _ANSWER_TOKENS), (with_memory, without))
    questions = [_comparing(blocks, first) for first in (0, 1)]
    asked = at_once([partial(ask, model, one) for one in questions], 2, stop)
    straight, swapped = (_choice(one) for one in asked)
    calls = tuple(one.call for one in asked)
    if straight is None or swapped is None:
        why = next(_trouble(one) for one in asked if _choice(one) is None)
        return Comparison(None, why, (straight, swapped), calls)
    first, second = _outcome(straight, "A"), _outcome(swapped, "B")
    reasons = " / ".join(values.words(one.value.reason) for one in asked if one.value)
    if first != second:
        why = f"The two orders disagree ({first}, {second}), which counts as a tie. {reasons}"
        return Comparison("tie", why, (straight, swapped), calls)
    return Comparison(first, reasons, (straight, swapped), calls)


def pick_best(
    case: Case,
    candidates: Sequence[Candidate],
    voters: Sequence[ChatModel],
    seed: int,
    stop: Event | None = None,
) -> Picked:
    """The reply that most voters find closest; each voter sees an order of its own by `seed`.

    Raises:
        ValueError: if there are fewer than two candidates, no voter, or an id occurs twice.
        JudgeStopped: if `stop` is set before it is done.
    """
    if len(candidates) < 2 or not voters:
        counted = f"{len(candidates)} and {len(voters)}"
        raise ValueError(f"it takes two candidates and one voter at least, got {counted}")
    if len({one.id for one in candidates}) < len(candidates):
        raise ValueError("the candidates' ids must be unique")
    jobs = [partial(_vote, case, candidates, voter, seed, at) for at, voter in enumerate(voters)]
    votes = at_once(jobs, len(jobs), stop)
    cast = Counter(vote.choice for vote in votes if vote.choice is not None)
    counts = {one.id: cast[one.id] for one in candidates}
    most = max(counts.values())
    best = [one for one in candidates if most and counts[one.id] == most]
    share = sum(one.has_memory for one in best) / len(best) if best else None
    return Picked(tuple(one.id for one in best), counts, share, tuple(votes), seed)


def _comparing(blocks: Blocks, first: int) -> Question[CompareForm]:
    shown = {
        "first": blocks.fenced(first, "reply-a"),
        "second": blocks.fenced(1 - first, "reply-b"),
    }
    purpose = "compare" if first == 0 else "compare, swapped"
    sampling = Sampling(temperature=0.0, max_tokens=_ANSWER_TOKENS, seed=0)
    return Question(purpose, "compare", CompareForm, sampling, context(blocks) | shown)


def _choice(asked: Asked[CompareForm]) -> Choice | None:
    said = values.plain(asked.value.choice) if asked.value is not None else ""
    choices: dict[str, Choice] = {"a": "A", "reply a": "A", "b": "B", "reply b": "B", "tie": "tie"}
    return choices.get(said.strip(" .\"'"))


def _outcome(choice: Choice, with_memory: Choice) -> Outcome:
    if choice == "tie":
        return "tie"
    return "win" if choice == with_memory else "lose"


def _trouble(asked: Asked[Any]) -> str:
    """Why an answer has no choice."""
    if asked.value is None:
        return asked.call.trouble or ""
    return f"The judge's choice {values.shown(asked.value.choice)} is not one of the list."


def _vote(
    case: Case, candidates: Sequence[Candidate], voter: ChatModel, seed: int, at: int
) -> Vote:
    order = list(candidates)
    Random(f"{seed}:{at}").shuffle(order)
    blocks = make_blocks(case, room(voter, _ANSWER_TOKENS), [one.text for one in order])
    replies = "\n\n".join(
        f"Reply {place + 1}:\n{blocks.fenced(place, f'reply-{place + 1}')}"
        for place in range(len(order))
    )
    filled = context(blocks) | {"replies": replies, "count": str(len(order))}
    sampling = Sampling(temperature=0.0, max_tokens=_ANSWER_TOKENS, seed=0)
    asked = ask(voter, Question(f"pick, voter {at + 1}", "pick", PickForm, sampling, filled))
    number = values.read_number(asked.value.choice) if asked.value is not None else None
    chosen = order[number - 1].id if number and 1 <= number <= len(order) else None
    why = _trouble(asked) if chosen is None or asked.value is None else asked.value.reason
    return Vote(voter.name, tuple(one.id for one in order), chosen, values.words(why), asked.call)
