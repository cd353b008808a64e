"""Semantic coverage: thresholds, entailment between them, one prediction for several texts."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_banks.entries import ENTRY_TYPES
from sandbox.metrics.stage_episode import Captured
from sandbox.metrics.stage_matching import AGREES, Agree, Matching, coverage
from tests.stage_rows import arbitrary, said, scripted

CAPTURES = st.lists(
    st.builds(
        said,
        st.sampled_from(["", "a", "b", "c", "d", "e"]),
        st.sampled_from([*ENTRY_TYPES[:2], None]),
        st.sampled_from(["t1", "t2"]),
    ),
    max_size=5,
)
SEEDS = st.integers(0, 1000)


def counts(
    gold: list[Captured], predicted: list[Captured], matching: Matching, agree: Agree = "text"
) -> tuple[float, float, float, float]:
    return coverage(gold, predicted, matching, agree).counts


@pytest.mark.parametrize(("cosine", "matched"), [(0.9, 1), (0.89, 0), (0.5, 0), (0.49, 0)])
def test_without_entailment_only_the_high_threshold_matches(cosine: float, matched: int) -> None:
    found = counts([said("g")], [said("p")], scripted({("p", "g"): cosine}))
    assert found == (matched, 1, matched, 1)


@pytest.mark.parametrize(("cosine", "matched"), [(0.89, 1), (0.5, 1), (0.49, 0)])
def test_between_the_thresholds_entailment_decides(cosine: float, matched: int) -> None:
    both = scripted({("p", "g"): cosine}, [("p", "g"), ("g", "p")])
    assert counts([said("g")], [said("p")], both) == (matched, 1, matched, 1)


def test_entailment_is_asked_only_between_the_thresholds() -> None:
    asked: list[tuple[str, str]] = []

    def entails(premise: str, other: str) -> bool:
        asked.append((premise, other))
        return False

    cosines = {"far": 0.1, "grey": 0.7, "near": 0.95, "same": 1.0}
    matching = Matching(lambda left, right: cosines[right if left == "g" else left], entails)
    for name in ("far", "near", "grey"):
        coverage([said("g")], [said(name)], matching)
    assert set(asked) == {("grey", "g"), ("g", "grey")}


def test_a_prediction_that_says_more_is_wrong_and_yet_covers() -> None:
    # p entails g, not the other way: g is covered (recall), p is not supported (precision).
    found = counts([said("g")], [said("p")], scripted({("p", "g"): 0.7}, [("p", "g")]))
    assert found == (0, 1, 1, 1)


def test_a_prediction_that_says_less_is_right_and_covers_nothing() -> None:
    found = counts([said("g")], [said("p")], scripted({("p", "g"): 0.7}, [("g", "p")]))
    assert found == (1, 1, 0, 1)


def test_several_predictions_may_cover_one_gold_text() -> None:
    near = scripted({("p", "g"): 0.95, ("q", "g"): 0.95})
    assert counts([said("g")], [said("p"), said("q")], near) == (2, 2, 1, 1)


def test_one_prediction_covers_several_gold_texts_only_if_it_entails_each() -> None:
    cosines = {("p", "g"): 0.95, ("p", "h"): 0.96, ("p", "i"): 0.97}
    gold = [said("g"), said("h"), said("i")]
    assert counts(gold, [said("p")], scripted(cosines, [("p", "g"), ("p", "h")]))[2:] == (2, 3)
    assert counts(gold, [said("p")], scripted(cosines, [("p", name) for name in "ghi"]))[2:] == (
        3,
        3,
    )


def test_close_to_several_and_entailing_none_it_covers_the_closest() -> None:
    found = coverage(
        [said("g"), said("h")], [said("p")], scripted({("p", "g"): 0.95, ("p", "h"): 0.97})
    )
    assert [one.text for one in found.missed] == ["g"]
    assert found.wrong == ()


def test_a_prediction_that_fuses_gold_texts_is_right_if_they_entail_it_together() -> None:
    cosines = {("p", "g"): 0.7, ("p", "h"): 0.7}
    covers = [("p", "g"), ("p", "h")]
    gold = [said("h"), said("g")]
    assert counts(gold, [said("p")], scripted(cosines, covers)) == (0, 1, 2, 2)
    assert counts(gold, [said("p")], scripted(cosines, [*covers, ("g h", "p")])) == (1, 1, 2, 2)


def test_an_exact_copy_of_a_prediction_counts_once() -> None:
    assert counts([said("g")], [said("g"), said("g")], scripted()) == (1, 1, 1, 1)


def test_a_blank_text_matches_nothing_and_stays_in_the_denominators() -> None:
    found = counts([said(" ")], [said(" ")], Matching(lambda *_: 1.0, lambda *_: True))
    assert found == (0, 1, 0, 1)


def test_types_and_turns_must_agree_where_asked() -> None:
    gold = [said("g", "fact", "t1")]
    other_type, other_turn = said("g", "episodic", "t1"), said("g", "fact", "t2")
    found = {
        agree: [counts(gold, [one], scripted(), agree)[0] for one in (other_type, other_turn)]
        for agree in AGREES
    }
    assert found == {"text": [1, 1], "typed": [0, 1], "turned": [0, 0]}


def test_an_entry_without_a_type_agrees_with_none() -> None:
    assert counts([said("g", None)], [said("g", None)], scripted(), "typed") == (0, 1, 0, 1)


@pytest.mark.parametrize(("high", "low"), [(0.5, 0.6), (1.1, 0.5), (0.9, -1.1)])
def test_thresholds_out_of_order_or_range_are_refused(high: float, low: float) -> None:
    with pytest.raises(ValueError, match="ordered and in"):
        Matching(lambda *_: 0.0, lambda *_: False, high, low)


@settings(deadline=None)
@given(CAPTURES, CAPTURES, SEEDS, st.sampled_from(AGREES), st.randoms(use_true_random=False))
def test_order_is_nothing(
    gold: list[Captured], predicted: list[Captured], seed: int, agree: Agree, random: Random
) -> None:
    shuffled = [sorted(one, key=lambda _: random.random()) for one in (gold, predicted)]
    matching = arbitrary(seed)
    assert counts(*shuffled, matching, agree) == counts(gold, predicted, matching, agree)


@settings(deadline=None)
@given(CAPTURES, SEEDS, st.sampled_from(AGREES))
def test_a_perfect_prediction_covers_all_whatever_the_models_say(
    gold: list[Captured], seed: int, agree: Agree
) -> None:
    gold = [one for one in gold if one.text and one.type]
    found = coverage(gold, gold, arbitrary(seed), agree)
    assert (found.wrong, found.missed) == ((), ())


@settings(deadline=None)
@given(CAPTURES, CAPTURES, SEEDS, st.sampled_from(AGREES))
def test_more_predictions_never_cover_less(
    gold: list[Captured], predicted: list[Captured], seed: int, agree: Agree
) -> None:
    matching = arbitrary(seed)
    covered = [counts(gold, predicted[:size], matching, agree)[2] for size in range(6)]
    assert covered == sorted(covered)


@settings(deadline=None)
@given(CAPTURES, CAPTURES, SEEDS)
def test_stricter_agreement_never_covers_more_in_recall_without_the_guard(
    gold: list[Captured], predicted: list[Captured], seed: int
) -> None:
    # With entailment of everything the guard has no say, and fewer pairs can only cover less.
    cosine = arbitrary(seed).cosine
    matching = Matching(cosine, lambda *_: True, 0.9, 0.5)
    found = [counts(gold, predicted, matching, agree) for agree in AGREES]
    assert found[0][0] >= found[1][0] >= found[2][0]
    assert found[0][2] >= found[1][2] >= found[2][2]
