"""An episode beside what a model made of it: the rows that the stage metrics compare.

What was produced is told by session and by question. A session or question that was not played has
no row; one that failed has, and earns nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sandbox.episodes import (
    Episode,
    EpisodeQuestion,
    EpisodeSession,
    GoldEntry,
    GoldSession,
    gold_bank,
)
from sandbox.metrics.stage_capture import capture_coverage
from sandbox.metrics.stage_cases import UpdateCase
from sandbox.metrics.stage_episode import (
    Added,
    BankSize,
    Captured,
    Changes,
    Deleted,
    Question,
    Ranking,
    SessionCapture,
    SessionUpdate,
    StageFailure,
    Support,
)
from sandbox.metrics.stage_matching import Matching
from sandbox.metrics.stage_recall import ranked_question
from sandbox.metrics.stage_update import compared_update

Stage = Literal["capture", "update", "recall"]


@dataclass(frozen=True, slots=True)
class Produced:
    """What came of one session."""

    captured: tuple[Captured, ...] = ()
    changes: Changes = Changes()
    capture_failure: StageFailure | None = None
    update_failure: StageFailure | None = None


@dataclass(frozen=True, slots=True)
class Differs:
    """Where a model first does otherwise than the gold."""

    stage: Stage
    where: str
    """Id of the session, or of the question."""


def capture_rows(episode: Episode, produced: Mapping[str, Produced]) -> list[SessionCapture]:
    """One row a session with gold that was played, by its id, in their order."""
    return [
        SessionCapture(
            name=session.id,
            gold=tuple(_captured(entry) for entry in gold.captures),
            output=produced[session.id].captured,
            episode=episode.id,
            failure=produced[session.id].capture_failure,
        )
        for _number, session, gold in _annotated(episode)
        if session.id in produced
    ]


def update_rows(episode: Episode, produced: Mapping[str, Produced]) -> list[SessionUpdate]:
    """The same of the operations; where the capture failed, so did the update."""
    return [
        SessionUpdate(
            name=session.id,
            gold=gold_changes(episode, number),
            output=produced[session.id].changes,
            episode=episode.id,
            failure=produced[session.id].capture_failure or produced[session.id].update_failure,
        )
        for number, session, _gold in _annotated(episode)
        if session.id in produced
    ]


def ranking_rows(episode: Episode, ranked: Mapping[str, Sequence[str] | None]) -> list[Ranking]:
    """One row a question about entries that was asked, by its id; null is a recall that failed.

    `ranked` are gold keys, best first. Questions about turns or sessions are not scored here.
    """
    types = {entry.key: entry for entry in gold_bank(episode)}
    return [
        Ranking(
            question=_question(one, episode, types),
            ranked=tuple(ranked[one.id] or ()),
            failure="failed" if ranked[one.id] is None else None,
        )
        for one in episode.questions
        if one.unit == "entry" and one.id in ranked
    ]


def bank_size(episode: Episode, own: int) -> BankSize:
    """How many entries the model's bank ends with, beside the gold one."""
    return BankSize(episode.id, own, len(gold_bank(episode)))


def gold_changes(episode: Episode, number: int) -> Changes:
    """The gold operations of the session `number` (from 0); a replacement is a delete and an add.

    Empty for a session without gold, or one that changes nothing.
    """
    gold = episode.sessions[number].gold
    if gold is None:
        return Changes()
    pool = {entry.key: entry for entry in (*gold_bank(episode, number), *gold.captures)}
    deletes = [(one.key, one.turns) for one in gold.deletes]
    deletes += [(key, add.entry.turns) for add in gold.adds for key in add.replaces]
    return Changes(
        adds=tuple(
            Added(one.entry.text, one.entry.type, one.replaces, one.entry.turns[:1])
            for one in gold.adds
        ),
        deletes=tuple(Deleted(key, pool[key].text, pool[key].type, t) for key, t in deletes),
    )


def gold_produced(episode: Episode) -> dict[str, Produced]:
    """What a model that does everything as the gold has it produces, by session."""
    return {
        session.id: Produced(
            tuple(_captured(entry) for entry in gold.captures), gold_changes(episode, number)
        )
        for number, session, gold in _annotated(episode)
    }


def first_difference(
    captures: Sequence[SessionCapture],
    updates: Sequence[SessionUpdate],
    rankings: Sequence[Ranking],
    case: UpdateCase,
    matching: Matching,
) -> Differs | None:
    """The first stage, session by session and then question by question, that is not as the gold.

    A recall differs where a support is not among the first n, n being how many there are. None
    where nothing differs.
    """
    changed = {row.name: row for row in updates}
    for row in captures:
        found = capture_coverage(row, matching)
        if row.failure or found.wrong or found.missed:
            return Differs("capture", row.name)
        update = changed.get(row.name)
        if update is not None and _differs(update, case, matching):
            return Differs("update", row.name)
    missed = (row for row in rankings if row.failure or not _recalled(row))
    return next((Differs("recall", row.name) for row in missed), None)


def _annotated(episode: Episode) -> Iterator[tuple[int, EpisodeSession, GoldSession]]:
    for number, session in enumerate(episode.sessions):
        if session.gold is not None:
            yield number, session, session.gold


def _captured(entry: GoldEntry) -> Captured:
    return Captured(entry.text, entry.type, entry.turns[0] if entry.turns else "", entry.key)


def _question(one: EpisodeQuestion, episode: Episode, types: Mapping[str, GoldEntry]) -> Question:
    supports = tuple(Support(key, types[key].type) for key in one.supports)
    return Question(one.id, supports, episode.id, centre=one.centre)


def _differs(row: SessionUpdate, case: UpdateCase, matching: Matching) -> bool:
    scored = compared_update(row, case, matching)
    right, predicted, found, wanted = scored.deletes
    wrong = scored.adds.wrong or scored.adds.missed
    return bool(row.failure or wrong or right < predicted or found < wanted)


def _recalled(row: Ranking) -> bool:
    placed = ranked_question(row)
    return not placed.supports or placed.recall(placed.supports) == 1
