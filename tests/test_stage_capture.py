"""Capture: pooled precision, recall and F1, worked out by hand; failed sessions; slices."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.metrics.stage_capture import capture_by_type, capture_scores
from sandbox.metrics.stage_diagnostics import domain_slices
from sandbox.metrics.stage_episode import Captured, SessionCapture
from sandbox.metrics.stage_matching import Matching
from tests.stage_rows import arbitrary, in_range, never_raised, said, scripted, values
from tests.test_stage_matching import CAPTURES, SEEDS

HOME = said("Dina lives in Tallinn.", "fact")
JOB = said("Dina is a nurse.", "user_profile")
RULE = said("Walid answers in metric units.", "agent_identity", "t2")
TRIP = said("Dina went to Riga.", "episodic")
HOME_AGAIN = said("Tallinn is where Dina lives.", "fact", "t3")
MORE = said("Dina is a nurse on nights.", "fact")
INVENTED = said("Walid cooks.", "agent_method", "t2")
NLI = scripted(
    {(HOME_AGAIN.text, HOME.text): 0.97, (MORE.text, JOB.text): 0.7},
    [(MORE.text, JOB.text)],
)
READ = SessionCapture(
    "s1", (HOME, JOB, RULE), (HOME_AGAIN, MORE, INVENTED), episode="e1", domain="work"
)
FAILED = SessionCapture("s2", (TRIP,), (TRIP,), episode="e1", domain="rest", failure="truncated")
ROWS = st.lists(
    st.builds(
        SessionCapture,
        st.sampled_from(["s1", "s2", "s3"]),
        CAPTURES.map(tuple),
        CAPTURES.map(tuple),
        st.sampled_from(["", "e1", "e2"]),
        failure=st.sampled_from([None, None, "failed"]),
    ),
    max_size=4,
)


def test_capture_comes_to_the_figures_worked_out_by_hand() -> None:
    # s1: HOME_AGAIN is supported by HOME and covers it. MORE entails JOB, JOB does not entail MORE:
    # JOB is covered, MORE wrong. INVENTED is wrong, RULE missed. s2 failed: TRIP missed.
    # P = 1/3; R = (2 + 0)/(3 + 1) = 1/2; F1 = 2 * 1/3 * 1/2 / (1/3 + 1/2) = 1/3 / (5/6) = 2/5.
    found = capture_scores([READ, FAILED], NLI)
    assert found["capture_precision"].value == pytest.approx(1 / 3)
    assert found["capture_recall"].value == pytest.approx(1 / 2)
    assert found["capture_f1"].value == pytest.approx(2 / 5)
    assert (found["capture_precision"].n, found["capture_f1"].n) == (3, 4)


def test_with_types_and_turns_fewer_agree() -> None:
    # Typed: MORE is a fact, JOB a profile: P = 1/3, R = 1/4, F1 = (2/12)/(7/12) = 2/7.
    # Turned: HOME_AGAIN has another turn as well: nothing is left, 0.
    found = capture_scores([READ, FAILED], NLI)
    assert found["capture_f1_typed"].value == pytest.approx(2 / 7)
    assert found["capture_f1_turned"].value == 0.0


def test_a_failed_session_is_counted_by_its_kind() -> None:
    found = capture_scores([READ, FAILED], NLI)
    assert (found.rows, found.failures) == (2, {"truncated": 1})


def test_an_empty_capture_of_an_empty_session_is_valid_and_changes_nothing() -> None:
    empty = SessionCapture("s3", (), (), episode="e1")
    before, after = capture_scores([READ], NLI), capture_scores([READ, empty], NLI)
    assert values(before) == values(after)
    assert after.failures == {}


def test_nothing_captured_has_no_precision_and_f1_0() -> None:
    found = capture_scores([SessionCapture("s1", (HOME,))], NLI)
    assert [found[key].value for key in ("capture_precision", "capture_recall", "capture_f1")] == [
        None,
        0.0,
        0.0,
    ]
    assert found["capture_precision"].reason == "Undefined: nothing was predicted."


def test_no_session_has_no_figure() -> None:
    assert set(values(capture_scores([], NLI)).values()) == {None}


def test_by_type_looks_at_the_entries_of_the_type_on_both_sides() -> None:
    found = capture_by_type([READ, FAILED], NLI)
    # fact: gold HOME; HOME_AGAIN is right, MORE (a fact by its label) is wrong: P 1/2, R 1, F1 2/3.
    assert {name: scores["capture_f1"].value for name, scores in found.items()} == {
        "fact": pytest.approx(2 / 3),
        "user_profile": 0.0,
        "agent_identity": 0.0,
        "agent_method": 0.0,
        "episodic": 0.0,
    }


def test_by_domain_each_session_counts_in_its_own() -> None:
    found = domain_slices([READ, FAILED], lambda rows: capture_scores(rows, NLI))
    assert {name: scores["capture_recall"].value for name, scores in found.items()} == {
        "rest": 0.0,
        "work": pytest.approx(2 / 3),
    }


@settings(deadline=None)
@given(CAPTURES, SEEDS)
def test_a_perfect_capture_gives_1(gold: list[Captured], seed: int) -> None:
    kept = tuple(one for one in gold if one.text and one.type)
    found = values(capture_scores([SessionCapture("s", kept, kept)], arbitrary(seed)))
    assert set(found.values()) == ({1.0} if kept else {None})


@settings(deadline=None)
@given(ROWS, SEEDS)
def test_every_figure_is_in_0_to_1(rows: list[SessionCapture], seed: int) -> None:
    assert in_range(capture_scores(rows, arbitrary(seed)))


@settings(deadline=None)
@given(ROWS, SEEDS, st.randoms(use_true_random=False))
def test_the_order_of_sessions_is_nothing(
    rows: list[SessionCapture], seed: int, random: Random
) -> None:
    shuffled = sorted(rows, key=lambda _: random.random())
    matching = arbitrary(seed)
    assert capture_scores(shuffled, matching) == capture_scores(rows, matching)


@settings(deadline=None)
@given(ROWS, SEEDS, CAPTURES)
def test_a_failed_session_never_raises_any_figure(
    rows: list[SessionCapture], seed: int, gold: list[Captured]
) -> None:
    failed = SessionCapture("s9", tuple(gold), tuple(gold), "e1", failure="unparseable")
    matching = arbitrary(seed)
    assert never_raised(capture_scores(rows, matching), capture_scores([*rows, failed], matching))


@settings(deadline=None)
@given(CAPTURES, CAPTURES, SEEDS)
def test_a_wrong_prediction_never_raises_precision(
    gold: list[Captured], predicted: list[Captured], seed: int
) -> None:
    known = arbitrary(seed)

    def cosine(left: str, right: str) -> float:
        return 0.0 if "wrong" in (left, right) else known.cosine(left, right)

    matching = Matching(cosine, known.entails, 0.9, 0.5)
    before, after = (
        values(capture_scores([SessionCapture("s", tuple(gold), tuple(output))], matching))
        for output in (predicted, [*predicted, said("wrong")])
    )
    keys = ("capture_precision", "capture_precision_typed", "capture_precision_turned")
    assert all((after[key] or 0) <= (before[key] or 0) for key in keys)
    assert after["capture_recall"] == before["capture_recall"]
