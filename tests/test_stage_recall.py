"""Recall against supports: by hand over three questions, and the laws of ranked lists."""

from math import log2
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.metrics.stage_episode import Question, Ranking
from sandbox.metrics.stage_recall import ranked_question, recall_scores
from tests.stage_rows import in_range, never_raised, question, values

TWO = Ranking(question("q1", "a", "b"), ("x", "a", "y", "z", "w", "v", "b"))
ONE = Ranking(question("q2", "c"), ("c",))
FAILED = Ranking(question("q3", "d"), ("d",), failure="unparseable")

IDS = st.sampled_from("abcdefgh")
QUESTIONS = st.builds(
    lambda name, keys, episode: question(name, *keys, episode=episode),
    st.sampled_from(["q1", "q2", "q3"]),
    st.lists(IDS, unique=True, max_size=4),
    st.sampled_from(["", "e1", "e2"]),
)
RANKINGS = st.lists(
    st.builds(
        Ranking,
        QUESTIONS,
        st.lists(IDS, max_size=8).map(tuple),
        st.sampled_from([None, None, "failed"]),
    ),
    max_size=5,
)


def test_recall_comes_to_the_figures_worked_out_by_hand() -> None:
    # q1, n = 2, supports at 2 and 7: @2 = 1/2, @6 = 1/2, rank one 0, RR 1/2, precision 2/7,
    #   nDCG = (1/log2 3 + 1/log2 8) / (1/log2 2 + 1/log2 3).
    # q2, n = 1, support at 1: all 1. q3 failed: all 0.
    # Means over three; @All pools: (2 + 1 + 0) / (2 + 1 + 1) = 3/4.
    ndcg = (1 / log2(3) + 1 / 3) / (1 + 1 / log2(3))
    assert ndcg == pytest.approx(0.5912, abs=1e-4)
    assert values(recall_scores([TWO, ONE, FAILED])) == {
        "recall_n": pytest.approx((1 / 2 + 1) / 3),
        "recall_n4": pytest.approx((1 / 2 + 1) / 3),
        "recall_all": pytest.approx(3 / 4),
        "rank_one": pytest.approx(1 / 3),
        "mrr": pytest.approx((1 / 2 + 1) / 3),
        "ndcg": pytest.approx((ndcg + 1) / 3),
        "recall_precision": pytest.approx((2 / 7 + 1) / 3),
    }


def test_the_first_n_and_four_more_are_counted_to_the_place() -> None:
    # n = 1: the support at rank 5 is within n + 4, at rank 6 it is not.
    ranks = [
        Ranking(question(f"q{at}", "a"), tuple("x" * (at - 1)) + ("a",)) for at in (1, 2, 5, 6)
    ]
    found = [recall_scores([one]) for one in ranks]
    assert [one["recall_n"].value for one in found] == [1, 0, 0, 0]
    assert [one["recall_n4"].value for one in found] == [1, 1, 1, 0]


def test_an_empty_ranking_earns_nothing_and_is_a_failure() -> None:
    found = recall_scores([Ranking(question("q1", "a"))])
    assert set(values(found).values()) == {0.0}
    assert found.failures == {"empty": 1}


def test_an_id_returned_twice_takes_two_places_and_counts_once() -> None:
    # a, a, b: supports at 1 and 3; @2 = 1/2, precision 2/3.
    found = ranked_question(Ranking(question("q", "a", "b"), ("a", "a", "b")))
    assert (found.ranks, found.recall(2), found.precision) == ((1, 3), 0.5, pytest.approx(2 / 3))


def test_questions_without_supports_are_left_out() -> None:
    found = recall_scores([ONE, Ranking(Question("q9", ()), ("x",))])
    assert (found["recall_n"].n, found["recall_n"].value) == (1, 1.0)


def test_all_pools_where_n_averages() -> None:
    # Four supports found, one missed: pooled 4/5, averaged (1 + 0)/2.
    rows = [Ranking(question("q1", *"abcd"), tuple("abcd")), Ranking(question("q2", "e"), ("x",))]
    found = recall_scores(rows)
    assert (found["recall_all"].value, found["recall_n"].value) == (pytest.approx(0.8), 0.5)


@settings(deadline=None)
@given(RANKINGS)
def test_every_figure_is_in_0_to_1(rows: list[Ranking]) -> None:
    assert in_range(recall_scores(rows))


@settings(deadline=None)
@given(RANKINGS)
def test_at_all_is_at_least_at_n_pooled(rows: list[Ranking]) -> None:
    placed = [ranked_question(row) for row in rows if row.question.supports]
    total = sum(one.supports for one in placed)
    pooled = sum(one.recall(one.supports) * one.supports for one in placed) / (total or 1)
    assert (recall_scores(rows)["recall_all"].value or 0.0) >= pooled - 1e-12


@settings(deadline=None)
@given(RANKINGS)
def test_four_more_places_never_find_less_and_mrr_is_at_least_rank_one(
    rows: list[Ranking],
) -> None:
    found = recall_scores(rows)
    assert (found["recall_n4"].value or 0) >= (found["recall_n"].value or 0)
    assert (found["mrr"].value or 0) >= (found["rank_one"].value or 0)


@settings(deadline=None)
@given(RANKINGS, st.randoms(use_true_random=False))
def test_the_order_of_questions_is_nothing(rows: list[Ranking], random: Random) -> None:
    shuffled = sorted(rows, key=lambda _: random.random())
    before, after = values(recall_scores(rows)), values(recall_scores(shuffled))
    assert after == pytest.approx(before)


@settings(deadline=None)
@given(RANKINGS, QUESTIONS)
def test_a_failed_recall_never_raises_any_figure(rows: list[Ranking], asked: Question) -> None:
    failed = Ranking(asked, tuple(asked.keys), failure="truncated")
    assert never_raised(recall_scores(rows), recall_scores([*rows, failed]))


@settings(deadline=None)
@given(QUESTIONS.filter(lambda one: bool(one.supports)))
def test_supports_alone_and_first_give_1(asked: Question) -> None:
    found = values(recall_scores([Ranking(asked, tuple(asked.keys))]))
    assert list(found.values()) == pytest.approx([1.0] * 7)


@settings(deadline=None)
@given(QUESTIONS.filter(lambda one: bool(one.supports)), st.lists(IDS, max_size=6))
def test_a_wrong_entry_at_the_end_never_raises_anything(asked: Question, ranked: list[str]) -> None:
    before, after = (
        recall_scores([Ranking(asked, tuple(found))]) for found in (ranked, [*ranked, "wrong"])
    )
    assert never_raised(before, after)
