"""QA by hand: right, grounded, refused, failed; the gap; slices and other diagnostics."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.metrics.stage_diagnostics import (
    Label,
    bank_sizes,
    judge_scores,
    question_slices,
)
from sandbox.metrics.stage_episode import Answer, BankSize, Question, Support
from sandbox.metrics.stage_qa import qa_gain, qa_gap, qa_scores
from tests.stage_rows import answer, in_range, never_raised, question, values

ASKED = [question(f"q{number}", "m") for number in range(6)]
MIXED = [
    answer(ASKED[0]),
    answer(ASKED[1], supported=False),
    answer(ASKED[2], refused=True),
    answer(ASKED[3], failure="truncated"),
    answer(ASKED[4], False, False),
    answer(ASKED[5], None, None),
]
ANSWERS = st.lists(
    st.builds(
        Answer,
        st.builds(
            lambda name, keys, episode: question(name, *keys, episode=episode),
            st.sampled_from(["q1", "q2", "q3"]),
            st.lists(st.sampled_from("ab"), unique=True),
            st.sampled_from(["", "e1"]),
        ),
        st.sampled_from([True, False, None]),
        st.sampled_from([True, False, None]),
        st.booleans(),
        st.sampled_from([None, 0, 3]),
        st.sampled_from([None, None, "failed"]),
    ),
    max_size=5,
)


def test_answers_come_to_the_figures_worked_out_by_hand() -> None:
    # Judged: q0 right and supported, q1 right without support, q2 refused (0 though judged right),
    # q3 failed (0), q4 wrong; q5 could not be judged and is left out.
    # Accuracy 2/5, grounded 1/5, ungrounded-correct 1/2; answered: q0, q1, q3, q4: 2/4;
    # refused: q2 of all six.
    found = qa_scores(MIXED)
    assert values(found) == {
        "qa_accuracy": pytest.approx(2 / 5),
        "qa_grounded": pytest.approx(1 / 5),
        "qa_ungrounded_correct": pytest.approx(1 / 2),
        "qa_answered": pytest.approx(2 / 4),
        "over_abstention": pytest.approx(1 / 6),
    }
    assert (found["qa_accuracy"].n, found["qa_accuracy"].unscored) == (5, 1)
    assert (found.rows, found.failures) == (6, {"truncated": 1})


def test_a_refusal_is_0_only_where_supports_exist() -> None:
    found = [
        qa_scores([answer(asked, refused=True)])["qa_accuracy"].value
        for asked in (question("q", "m"), Question("q", ()))
    ]
    assert found == [0.0, 1.0]


def test_an_answer_from_an_empty_recall_is_a_failure() -> None:
    found = qa_scores([answer(ASKED[0], supplied=0)])
    assert (found["qa_accuracy"].value, found.failures) == (0.0, {"empty": 1})


def test_nothing_recalled_is_right_where_nothing_is_needed() -> None:
    found = qa_scores([answer(Question("q", ()), supplied=0)])
    assert (found["qa_accuracy"].value, found.failures) == (1.0, {})


def test_a_refusal_after_an_empty_recall_is_still_a_refusal() -> None:
    assert qa_scores([answer(ASKED[0], supplied=0, refused=True)])["over_abstention"].value == 1.0


def test_ungrounded_correct_is_undefined_where_nothing_is_right() -> None:
    found = qa_scores([answer(ASKED[0], False, False)])["qa_ungrounded_correct"]
    assert (found.value, found.reason) == (None, "Undefined: no answer is right.")


def test_a_right_answer_of_unknown_support_is_left_out_of_grounded_accuracy_only() -> None:
    found = qa_scores([answer(ASKED[0], supported=None), answer(ASKED[1], False, None)])
    assert (found["qa_accuracy"].value, found["qa_grounded"].value) == (0.5, 0.0)
    assert (found["qa_accuracy"].unscored, found["qa_grounded"].unscored) == (0, 1)


# Differences


def test_the_gap_is_gold_memory_less_full_pipeline_over_the_same_questions() -> None:
    # Gold-Memory: q0, q1, q2 right, q3 wrong. Full-Pipeline: q0 right, q1 wrong, q2 failed, and q3
    # could not be judged: q3 is left out on both sides. 3/3 - 1/3 = 2/3.
    gold = [answer(one) for one in ASKED[:3]] + [answer(ASKED[3], False)]
    own = [
        answer(ASKED[0]),
        answer(ASKED[1], False),
        answer(ASKED[2], failure="failed"),
        answer(ASKED[3], None),
    ]
    found = qa_gap(gold, own)
    assert (found.value, found.n, found.unscored) == (pytest.approx(2 / 3), 3, 1)


def test_the_gap_of_a_system_to_itself_is_0_in_every_resample() -> None:
    rows = [answer(one, number % 2 == 0) for number, one in enumerate(ASKED)]
    found = qa_gap(rows, rows).estimate
    assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)
    assert qa_scores(rows)["qa_accuracy"].estimate.high != 0.5


def test_variants_that_answer_other_questions_are_not_compared() -> None:
    with pytest.raises(ValueError, match="differ by q1 of q1: give failed outputs"):
        qa_gap([answer(ASKED[0])], [answer(ASKED[0]), answer(ASKED[1])])


def test_the_gain_is_over_uram_only_questions() -> None:
    rules = [question(f"r{at}", "m", entry_type="agent_method") for at in range(2)]
    mixed = Question("r9", (Support("m", "agent_method"), Support("n", "episodic")))
    first = [answer(rules[0]), answer(rules[1]), answer(mixed, False)]
    second = [answer(rules[0]), answer(rules[1], False), answer(mixed)]
    found = qa_gain(first, second)
    assert (found.value, found.n) == (0.5, 2)


# Diagnostics


def test_questions_are_sliced_by_type_domain_supports_and_whom_they_are_about() -> None:
    user = Question("q1", (Support("a", "fact"), Support("b", "episodic")), "", "work", "user")
    agent = Question("q2", (Support("c", "agent_identity"),), "", "health", "agent")
    many = Question("q3", tuple(Support(str(at), "fact") for at in range(10)))
    rows = [answer(user), answer(agent, False), answer(many)]
    found = question_slices(rows, qa_scores)
    told = {
        name: {key: scores["qa_accuracy"].value for key, scores in group.items()}
        for name, group in found.items()
    }
    assert told == {
        "type": {"fact": 1.0, "episodic": 1.0, "agent_identity": 0.0},
        "domain": {"work": 1.0, "health": 0.0},
        "supports": {"1": 0.0, "2": 1.0, "10": 1.0},
        "centre": {"user": 1.0, "agent": 0.0},
    }
    assert found["type"]["fact"]["qa_accuracy"].n == 2
    assert list(found["supports"]) == ["1", "2", "10"]


def test_the_bank_size_ratio_pools_and_a_failed_bank_is_empty() -> None:
    # (10 + 0) / (20 + 20): the second episode failed, whatever it left behind.
    found = bank_sizes([BankSize("e1", 10, 20), BankSize("e2", 30, 20, "failed")])["bank_size"]
    assert (found.value, found.n) == (0.25, 40)


def test_the_judge_is_compared_with_people_by_hand() -> None:
    # yes/yes 2, no/no 1, yes/no 1: agreement 3/4; chance (3/4 * 2/4 + 1/4 * 2/4) = 1/2;
    # kappa = (3/4 - 1/2) / (1 - 1/2) = 1/2.
    told = [(True, True), (True, True), (False, False), (True, False)]
    found = judge_scores(Label(f"a{at}", *one) for at, one in enumerate(told))
    assert values(found) == {
        "judge_agreement": pytest.approx(0.75),
        "judge_kappa": pytest.approx(0.5),
    }


def test_kappa_is_undefined_where_people_give_one_label() -> None:
    found = judge_scores([Label("a", True, True), Label("b", True, False)])
    assert (found["judge_agreement"].value, found["judge_kappa"].value) == (0.5, None)


# Laws


@settings(deadline=None)
@given(ANSWERS)
def test_every_figure_is_in_0_to_1_and_grounded_is_at_most_accuracy(rows: list[Answer]) -> None:
    found = qa_scores(rows)
    assert in_range(found)
    known = qa_scores([row for row in rows if row.supported is not None])
    assert (known["qa_grounded"].value or 0) <= (known["qa_accuracy"].value or 0)


@settings(deadline=None)
@given(ANSWERS, st.randoms(use_true_random=False))
def test_the_order_of_answers_is_nothing(rows: list[Answer], random: Random) -> None:
    shuffled = sorted(rows, key=lambda _: random.random())
    assert qa_scores(shuffled) == qa_scores(rows)


@settings(deadline=None)
@given(ANSWERS, st.booleans())
def test_a_failed_answer_never_raises_any_figure(rows: list[Answer], refused: bool) -> None:
    failed = answer(question("q9", "m", episode="e1"), refused=refused, failure="failed")
    assert never_raised(qa_scores(rows), qa_scores([*rows, failed]))


@settings(deadline=None)
@given(st.integers(1, 5))
def test_right_and_supported_answers_give_1(number: int) -> None:
    found = values(qa_scores([answer(one) for one in ASKED[:number]]))
    assert (found["qa_accuracy"], found["qa_grounded"], found["qa_answered"]) == (1.0, 1.0, 1.0)
    assert (found["qa_ungrounded_correct"], found["over_abstention"]) == (0.0, 0.0)
