"""An episode beside what was made of it: which rows come out, and figures worked out by hand.

The shipped episode has 28 gold memories, and 9 added and 10 deleted ones in six of its sessions.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from graphs.forms import UpdateForm
from sandbox.episode_produced import answered_changes
from sandbox.episode_rows import (
    Differs,
    Produced,
    bank_size,
    capture_rows,
    first_difference,
    gold_changes,
    gold_produced,
    ranking_rows,
    update_rows,
)
from sandbox.episodes import Episode, EpisodeQuestion, gold_bank
from sandbox.metrics.stage_capture import capture_scores
from sandbox.metrics.stage_cases import CASES
from sandbox.metrics.stage_episode import Captured, Changes, StageFailure
from sandbox.metrics.stage_recall import recall_scores
from sandbox.metrics.stage_update import update_scores
from tests.episode_play import packaged
from tests.stage_rows import scripted, values

SEVENTH = 6
ALONE = CASES["standalone"]


@pytest.fixture(scope="module")
def shipped() -> Episode:
    return packaged()


def ranked(episode: Episode, *names: str) -> dict[str, tuple[str, ...]]:
    """For these questions the supports, in their order."""
    return {one.id: one.supports for one in episode.questions if one.id in names}


def difference(
    episode: Episode,
    made: dict[str, Produced],
    found: dict[str, Sequence[str] | None] | None = None,
) -> Differs | None:
    rows = ranking_rows(episode, found or {})
    captures, updates = capture_rows(episode, made), update_rows(episode, made)
    return first_difference(captures, updates, rows, ALONE, scripted())


def test_gold_beside_itself_is_whole(shipped: Episode) -> None:
    made = gold_produced(shipped)
    captures, updates = capture_rows(shipped, made), update_rows(shipped, made)
    assert sum(len(row.gold) for row in captures) == 28
    assert sum(len(row.gold.adds) for row in updates) == 9
    assert sum(len(row.gold.deletes) for row in updates) == 10
    assert values(capture_scores(captures, scripted()))["capture_f1_turned"] == 1
    scores = values(update_scores(updates, ALONE, scripted()))
    assert (scores["op_f1"], scores["unsafe_deletion"], scores["add_lineage"]) == (1, 0, 1)
    assert difference(shipped, made) is None


@pytest.mark.parametrize("failure", ["truncated", "unparseable", "empty", "failed"])
def test_a_session_that_failed_stays_in_every_denominator(
    shipped: Episode, failure: StageFailure
) -> None:
    made = gold_produced(shipped) | {"s7": Produced(capture_failure=failure)}
    caught = capture_scores(capture_rows(shipped, made), scripted())
    # 25 of 28 found, all 25 right: F1 = 2 * 25 / (25 + 28).
    assert caught["capture_f1"].value == pytest.approx(50 / 53)
    assert caught.failures == {failure: 1}
    changed = update_scores(update_rows(shipped, made), ALONE, scripted())
    # Five of the six sessions with operations are right, the sixth earns nothing.
    assert changed["op_f1"].value == pytest.approx(5 / 6)
    assert changed.failures == {failure: 1}


def test_an_empty_result_costs_the_same_and_is_no_failure(shipped: Episode) -> None:
    made = gold_produced(shipped) | {"s7": Produced()}
    caught = capture_scores(capture_rows(shipped, made), scripted())
    assert caught["capture_f1"].value == pytest.approx(50 / 53)
    assert caught.failures == {}


def test_an_update_that_failed_leaves_its_capture_alone(shipped: Episode) -> None:
    gold = gold_produced(shipped)
    made = gold | {"s7": replace(gold["s7"], changes=Changes(), update_failure="unparseable")}
    assert values(capture_scores(capture_rows(shipped, made), scripted()))["capture_f1"] == 1
    assert update_scores(update_rows(shipped, made), ALONE, scripted()).failures == {
        "unparseable": 1
    }


def answered(shipped: Episode, answer: dict[str, object]) -> dict[str, float | None]:
    """The standalone figures of the seventh session for this answer, entries as 1, 2, 3, ..."""
    gold = gold_produced(shipped)["s7"]
    held = [Captured(one.text, one.type, "", one.key) for one in gold_bank(shipped, SEVENTH)]
    assert len(held) == 13
    changes = answered_changes(UpdateForm.model_validate(answer), gold.captured, held)
    rows = update_rows(shipped, {"s7": replace(gold, changes=changes)})
    return values(update_scores(rows, ALONE, scripted()))


def numbers(shipped: Episode, *keys: str) -> list[int]:
    held = [one.key for one in gold_bank(shipped, SEVENTH)]
    return [held.index(key) + 1 for key in keys]


def test_the_right_answer_is_scored_as_gold(shipped: Episode) -> None:
    changes = [{"new": 1, "held": numbers(shipped, "allergy-1")}]
    forget = [{"request": 1, "held": numbers(shipped, "tobin")}]
    told = answered(shipped, {"changes": changes, "forget": forget})
    assert (told["op_f1"], told["unsafe_deletion"], told["add_lineage"]) == (1, 0, 1)


def test_an_answer_that_deletes_everything_is_mostly_unsafe(shipped: Episode) -> None:
    # 13 are deleted and two of them rightly; nothing is added that the gold adds.
    told = answered(shipped, {"changes": [{"new": 0, "held": list(range(1, 14))}]})
    assert told["unsafe_deletion"] == pytest.approx(11 / 13)
    assert told["delete_f1"] == pytest.approx(4 / 15)
    assert (told["add_f1"], told["op_f1"]) == (0, pytest.approx(2 / 15))


def test_an_invented_number_is_not_free(shipped: Episode) -> None:
    # One right deletion of two, one of an entry that there is not: precision 1/2, recall 1/2.
    held = [*numbers(shipped, "allergy-1"), 99]
    told = answered(shipped, {"changes": [{"new": 1, "held": held}]})
    assert (told["delete_precision"], told["delete_recall"]) == (0.5, 0.5)
    assert (told["add_f1"], told["op_f1"], told["unsafe_deletion"]) == (1, 0.75, 0.5)


def test_no_change_deletes_nothing_and_is_not_unsafe(shipped: Episode) -> None:
    told = answered(shipped, {"changes": []})
    assert (told["op_f1"], told["unsafe_deletion"]) == (0, None)


def test_a_replacement_is_a_deletion_and_an_addition(shipped: Episode) -> None:
    changes = gold_changes(shipped, SEVENTH)
    assert [one.key for one in changes.deletes] == ["tobin", "allergy-1"]
    assert "walnuts, kiwi" in changes.deletes[1].text
    (add,) = changes.adds
    assert (add.replaces, add.turns) == (("allergy-1",), ("s7t1",))


def test_rankings_are_scored_against_supports_by_exact_id(shipped: Episode) -> None:
    # Supports at ranks 2 and 3 of 3: one of two within the first two, both within the first six.
    rows = ranking_rows(shipped, {"q01": ("home-2", "home-3", "season")})
    told = values(recall_scores(rows))
    assert (told["recall_n"], told["recall_n4"], told["mrr"]) == (0.5, 1, 0.5)
    assert (told["rank_one"], told["recall_precision"]) == (0, pytest.approx(2 / 3))


def test_a_recall_that_failed_is_counted_and_one_not_asked_is_not(shipped: Episode) -> None:
    found = {**ranked(shipped, "q01"), "q02": None}
    scores = recall_scores(ranking_rows(shipped, found))
    assert (scores.rows, scores.failures) == (2, {"failed": 1})
    assert scores["recall_n"].value == 0.5


def test_questions_about_turns_or_sessions_have_no_gold_bank_to_be_scored_on(
    shipped: Episode,
) -> None:
    asked = EpisodeQuestion("t", "What?", "That.", "turn", ("s1t1",))
    made = replace(shipped, questions=(asked, *shipped.questions))
    assert ranking_rows(made, {"t": ("s1t1",)}) == []


def test_a_session_without_gold_or_not_played_has_no_row(shipped: Episode) -> None:
    first, *others = shipped.sessions
    made = replace(shipped, sessions=(replace(first, gold=None), *others))
    found = {"s1": Produced(), "s2": gold_produced(shipped)["s2"]}
    assert [row.name for row in capture_rows(made, found)] == ["s2"]
    assert [row.name for row in update_rows(made, found)] == ["s2"]
    assert gold_changes(made, 0) == Changes()


def test_the_first_stage_that_differs_is_named(shipped: Episode) -> None:
    gold = gold_produced(shipped)
    lost = gold | {"s7": replace(gold["s7"], captured=gold["s7"].captured[:2])}
    assert difference(shipped, lost) == Differs("capture", "s7")
    more = replace(gold["s8"], captured=(*gold["s8"].captured, Captured("A goose.", "fact")))
    assert difference(shipped, gold | {"s8": more}) == Differs("capture", "s8")
    both = lost | {"s3": replace(gold["s3"], changes=Changes())}
    assert difference(shipped, both) == Differs("update", "s3")
    cut = gold | {"s6": Produced(update_failure="truncated")}
    assert difference(shipped, cut) == Differs("update", "s6")


def test_a_recall_differs_where_a_support_is_not_among_the_first(shipped: Episode) -> None:
    gold = gold_produced(shipped)
    good = {**ranked(shipped, "q01", "q02")}
    assert difference(shipped, gold, {**good}) is None
    late = {**good, "q02": ("notice-2", *good["q02"])}
    assert difference(shipped, gold, late) == Differs("recall", "q02")
    assert difference(shipped, gold, {**good, "q02": None}) == Differs("recall", "q02")


def test_the_size_of_a_bank_stands_beside_the_gold_one(shipped: Episode) -> None:
    row = bank_size(shipped, 27)
    assert (row.name, row.own, row.gold) == ("boat-hire", 27, 18)
