"""An episode step by step: gold beside model, and the first stage that differs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memory_banks.entries import State
from sandbox.episode_produced import Names
from sandbox.episode_rows import (
    Produced,
    capture_rows,
    first_difference,
    gold_changes,
    update_rows,
)
from sandbox.episodes import Episode, EpisodeQuestion, EpisodeSession, GoldEntry, gold_bank
from sandbox.metrics.stage_cases import CASES
from sandbox.metrics.stage_episode import Captured, Changes
from sandbox.metrics.stage_matching import Matching
from sandbox.replay.grading import Graded

Stage = Literal["capture", "update", "recall", "answer"]


@dataclass(frozen=True, slots=True)
class TurnBeside:
    """A turn with what should be and what was captured from it."""

    turn: str
    speaker: str
    text: str
    gold: tuple[Captured, ...]
    model: tuple[Captured, ...]


@dataclass(frozen=True, slots=True)
class SessionStep:
    """A session of the episode, held, captured and carried into the model's own bank."""

    number: int
    """From 1."""
    id: str
    session: str
    """Its id on record."""
    turns: tuple[TurnBeside, ...]
    annotated: bool
    """Whether the file has gold for it; else nothing is compared."""
    gold: Changes
    model: Changes
    differs: Stage | None
    """Capture or update, whichever comes first; None where neither does."""
    trouble: str | None = None
    """Why it was not read, as a sentence."""


@dataclass(frozen=True, slots=True)
class SupportBeside:
    """What a question needs, and what became of it in the model's bank."""

    key: str
    text: str
    fate: Literal["shown", "not recalled", "lost", "never captured"]
    """`lost`: it was held, and an update deleted it."""


@dataclass(frozen=True, slots=True)
class QuestionStep:
    """A question, answered from the model's own bank."""

    number: int
    """From 1."""
    id: str
    session: str
    """Id of the session on record in which it was asked."""
    text: str
    supports: tuple[SupportBeside, ...]
    shown: tuple[str, ...]
    """Texts of the entries in the prompt, in order."""
    gold: str | None
    """The reference answer; null where the right act is to say that it is not known."""
    model: str | None
    """The answer; null where there is none."""
    graded: Graded | None
    """What the answer is worth; null where there is none."""
    differs: Stage | None
    """The first of the four; `answer` only where it was graded and is wrong."""
    trouble: str | None = None


EpisodeStep = SessionStep | QuestionStep
_FATES: Mapping[str, Stage] = {
    "never captured": "capture",
    "lost": "update",
    "not recalled": "recall",
}


def session_step(
    episode: Episode,
    number: int,
    session: str,
    made: Produced,
    matching: Matching,
    trouble: str | None = None,
) -> SessionStep:
    """The session `number` (from 0) beside its gold."""
    held = episode.sessions[number]
    captures = capture_rows(episode, {held.id: made})
    updates = update_rows(episode, {held.id: made})
    found = first_difference(captures, updates, (), CASES["pipeline"], matching)
    gold = captures[0].gold if captures else ()
    return SessionStep(
        number=number + 1,
        id=held.id,
        session=session,
        turns=_by_turn(held, gold, made.captured),
        annotated=held.gold is not None,
        gold=gold_changes(episode, number),
        model=made.changes,
        differs=found.stage if found else None,
        trouble=trouble,
    )


def supports_of(
    episode: Episode,
    question: EpisodeQuestion,
    states: Sequence[State],
    injected: Sequence[str],
    names: Names,
    sessions: Mapping[str, str],
    matching: Matching,
) -> tuple[SupportBeside, ...]:
    """What became of each support; `sessions` are the episode's by their ids on record."""
    golden = {entry.key: entry for entry in gold_bank(episode)}
    texts = _texts(episode, golden)

    def holds(state: State, key: str) -> bool:
        origin = state.entry.provenance
        if question.unit == "entry":
            return key in golden and matching.covers(state.entry.text, golden[key].text)
        if question.unit == "turn":
            return key in {names.turns.get(turn, turn) for turn in origin.turns}
        return sessions.get(origin.session or "") == key

    def beside(key: str) -> SupportBeside:
        holders = [state for state in states if holds(state, key)]
        if not holders:
            return SupportBeside(key, texts.get(key, ""), "never captured")
        if not any(state.live for state in holders):
            return SupportBeside(key, texts.get(key, ""), "lost")
        shown = any(state.entry.id in injected for state in holders)
        return SupportBeside(key, texts.get(key, ""), "shown" if shown else "not recalled")

    return tuple(beside(key) for key in question.supports)


def first_stage(supports: Sequence[SupportBeside], correct: bool | None) -> Stage | None:
    """The first stage at which a question goes another way than the gold; None where none does."""
    fates = {one.fate for one in supports}
    lost = next((stage for fate, stage in _FATES.items() if fate in fates), None)
    return lost or ("answer" if correct is False else None)


def _by_turn(
    session: EpisodeSession, gold: Sequence[Captured], model: Sequence[Captured]
) -> tuple[TurnBeside, ...]:
    return tuple(
        TurnBeside(
            turn.id,
            turn.speaker,
            turn.text,
            tuple(one for one in gold if one.turn == turn.id),
            tuple(one for one in model if one.turn == turn.id),
        )
        for turn in session.turns
    )


def _texts(episode: Episode, golden: Mapping[str, GoldEntry]) -> dict[str, str]:
    """Texts of what supports may name: gold entries, turns; of sessions, when they were held."""
    turns = {turn.id: turn.text for turn in episode.turns()}
    held = {one.id: one.at or "" for one in episode.sessions}
    return held | turns | {key: entry.text for key, entry in golden.items()}
