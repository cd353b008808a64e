"""Agreement between a judge and a gold standard, against scikit-learn and by hand."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support

from sandbox.judges.verdict import (
    AspectVerdict,
    EntryVerdict,
    Failure,
    Miq,
    Point,
    RoleProposal,
    RuleState,
    Verdict,
)
from sandbox.metrics.agreement import Agreement, agreement
from sandbox.metrics.measures import scores, tag
from sandbox.metrics.pairs import Pair
from sandbox.metrics.statistics import (
    RESAMPLES,
    Estimate,
    Statistic,
    estimate,
    kappa,
    quadratic_kappa,
    spearman,
)
from tests.verdicts import entry, verdict

SEED = 7
Bits = list[tuple[bool, bool]]


def plain(statistic: Statistic, units: int) -> float:
    """The statistic without resampling."""
    return float(statistic(np.ones((1, units)))[0])


def drawn(statistic: Statistic, units: int, order: Sequence[int]) -> float:
    """The statistic over these units, some of them more than once."""
    return float(statistic(np.bincount(order, minlength=units)[None, :].astype(float))[0])


def table(pairs: Sequence[tuple[int, int]], classes: int) -> np.ndarray:
    made = np.zeros((len(pairs), classes, classes))
    for unit, (gold, judge) in enumerate(pairs):
        made[unit, gold, judge] = 1
    return made


def pair(
    gold: str,
    judge: str,
    *,
    gold_miq: Miq | None = None,
    judge_miq: Miq | None = None,
    language: str = "en",
    group: str | None = None,
) -> Pair:
    """One reply: a sign for each entry by gold and judge, as in `tests.verdicts`."""
    keys = [f"m{number}" for number in range(1, len(gold) + 1)]
    left = verdict(*(entry(key, sign) for key, sign in zip(keys, gold, strict=True)))
    right = verdict(*(entry(key, sign) for key, sign in zip(keys, judge, strict=True)))
    return Pair(
        instance="i",
        reply="A reply.",
        language=language,
        gold=replace(left, miq=gold_miq or Miq(4, "")),
        judge=replace(right, miq=judge_miq or Miq(4, "")),
        roles={},
        texts={key: f"Text of {key}." for key in keys},
        group=group,
    )


# Statistics


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_kappa_is_scikit_learns_also_over_resamples(classes: int) -> None:
    random = np.random.default_rng(classes)
    pairs = [tuple(row) for row in random.integers(0, classes, (60, 2))]
    order = random.integers(0, 60, 60)
    found = kappa(table(pairs, classes))
    gold, judge = np.array(pairs).T
    assert plain(found, 60) == pytest.approx(cohen_kappa_score(gold, judge))
    assert drawn(found, 60, order) == pytest.approx(cohen_kappa_score(gold[order], judge[order]))


def test_quadratic_kappa_is_scikit_learns_also_over_resamples() -> None:
    random = np.random.default_rng(1)
    gold, judge = random.integers(1, 6, (2, 50))
    order = random.integers(0, 50, 50)
    found = quadratic_kappa(gold.tolist(), judge.tolist())

    def reference(left: np.ndarray, right: np.ndarray) -> float:
        return float(cohen_kappa_score(left, right, weights="quadratic"))

    assert plain(found, 50) == pytest.approx(reference(gold, judge))
    assert drawn(found, 50, order) == pytest.approx(reference(gold[order], judge[order]))


def test_spearman_is_scipys_with_ties_also_over_resamples() -> None:
    random = np.random.default_rng(2)
    gold, judge = random.integers(1, 6, 40) / 2, random.normal(size=40).round(1)
    order = random.integers(0, 40, 40)
    found = spearman(gold.tolist(), judge.tolist())
    assert plain(found, 40) == pytest.approx(spearmanr(gold, judge).statistic)
    expected = spearmanr(gold[order], judge[order]).statistic
    assert drawn(found, 40, order) == pytest.approx(expected)


def test_precision_recall_and_f1_are_scikit_learns() -> None:
    told = np.random.default_rng(3).integers(0, 2, (30, 4, 2)).astype(bool)
    found = tag([[(bool(g), bool(j)) for g, j in unit] for unit in told], SEED)
    gold, judge = told[..., 0].ravel(), told[..., 1].ravel()
    expected = precision_recall_fscore_support(gold, judge, average="binary")[:3]
    values = (found.precision.value, found.recall.value, found.f1.value)
    assert values == pytest.approx(expected)
    assert found.exact.value == pytest.approx((gold == judge).mean())
    assert (found.n, found.gold, found.judge) == (120, gold.sum(), judge.sum())


def test_kappa_by_hand() -> None:
    # 20 both yes, 15 both no, 5 and 10 apart: observed 0.7, by chance 0.5.
    told = [[(True, True)]] * 20 + [[(False, False)]] * 15
    told += [[(True, False)]] * 5 + [[(False, True)]] * 10
    assert tag(told, SEED).kappa.value == pytest.approx(0.4)


def test_a_gold_of_one_class_has_no_kappa() -> None:
    assert tag([[(True, True)], [(True, False)]], SEED).kappa == Estimate(None)
    assert tag([], SEED).kappa == Estimate(None)
    assert tag([[(True, False)], [(False, False)]], SEED).kappa.value == 0


def test_scores_by_hand() -> None:
    found = scores([1, 2, 3, 4.5], [1.4, 2, 4, 2], 2, SEED)
    assert (found.exact.value, found.within_one.value) == (0.5, 0.75)
    assert found.error.value == pytest.approx((0.4 + 0 + 1 - 2.5) / 4)
    assert found.spearman.value == pytest.approx(0.6325, abs=1e-4)
    assert (found.n, found.unscored) == (4, 2)


def test_scores_that_are_all_the_same_have_no_correlation() -> None:
    found = scores([3, 3, 3], [1, 2, 3], 0, SEED)
    assert found.spearman == Estimate(None)
    assert scores([4, 4], [4, 4], 0, SEED).quadratic_kappa == Estimate(None)
    assert scores([], [], 3, SEED).spearman == Estimate(None)


def test_the_interval_is_that_of_a_resampling_one_by_one() -> None:
    random = np.random.default_rng(4)
    gold, judge = random.normal(size=(2, 25))
    judge += gold
    found = estimate(spearman(gold.tolist(), judge.tolist()), 25, SEED)
    counts = np.random.default_rng(SEED).multinomial(25, [1 / 25] * 25, RESAMPLES)
    orders = [np.repeat(np.arange(25), row) for row in counts]
    slow = [spearmanr(gold[order], judge[order]).statistic for order in orders]
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(slow, [2.5, 97.5])))


bits = st.lists(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=4), max_size=6)


@settings(deadline=None, max_examples=40)
@given(bits)
def test_a_judge_that_is_the_gold_agrees_wholly(told: list[Bits]) -> None:
    found = tag([[(gold, gold) for gold, _ in unit] for unit in told], SEED)
    assert found.kappa.value in (None, 1)
    assert found.f1.value in (None, 1)
    assert found.exact.value in (None, 1)


@settings(deadline=None, max_examples=40)
@given(bits, st.randoms(use_true_random=False))
def test_the_order_of_replies_is_nothing(told: list[Bits], random: Random) -> None:
    mixed = random.sample(told, len(told))
    left, right = tag(told, SEED), tag(mixed, SEED)
    assert (left.n, left.gold, left.judge) == (right.n, right.gold, right.judge)
    if left.kappa.value is None:
        assert right.kappa.value is None
    else:
        assert right.kappa.value == pytest.approx(left.kappa.value)


# What counts


def used(*pairs: Pair) -> Agreement:
    return agreement(pairs, seed=SEED)


def test_what_the_gold_leaves_open_is_skipped_and_counted() -> None:
    found = used(pair("+?-s", "++--")).used
    assert (found.tag.n, found.skipped, found.replies) == (2, 2, 1)
    assert found.tag.exact.value == 1


def test_an_unsure_judge_counts_by_its_leaning_and_has_a_second_figure_without() -> None:
    found = used(pair("++--", "ynyn"), pair("+-", "+-")).used
    assert (found.tag.n, found.unsure) == (6, 4)
    assert found.tag.exact.value == pytest.approx(4 / 6)
    assert (found.decided.n, found.decided.exact.value) == (2, 1)
    assert found.coverage == pytest.approx(2 / 6)


def test_unscored_and_already_said_count_as_not_used() -> None:
    found = used(pair("++--", "xsxs")).used
    assert (found.unscored, found.tag.judge, found.tag.recall.value) == (2, 0, 0)
    assert found.tag.exact.value == 0.5
    assert found.decided.n == 2


def test_a_rule_that_is_followed_counts_as_used_on_either_side() -> None:
    one = pair("-", "-")
    followed = verdict(EntryVerdict("m1", "used", rule="followed"))
    assert used(replace(one, gold=followed, judge=followed)).used.tag.gold == 1


def test_miq_is_compared_where_the_gold_uses_something_and_unscored_is_counted() -> None:
    found = used(
        pair("+-", "+-", gold_miq=Miq(4, ""), judge_miq=Miq(3, "")),
        pair("-+", "-+", gold_miq=Miq(2, ""), judge_miq=Miq(None, "unreadable")),
        pair("--", "+-", gold_miq=Miq(5, ""), judge_miq=Miq(1, "")),
        pair("+", "+", gold_miq=Miq(None, ""), judge_miq=Miq(1, "")),
    ).miq
    assert (found.n, found.unscored, found.error.value) == (1, 1, -1)


def failing(*failures: Failure) -> Miq:
    return Miq(3, "", failures)


def test_each_failure_that_is_named_has_its_own_agreement() -> None:
    found = used(
        pair("+", "+", gold_miq=failing("dumped"), judge_miq=failing("dumped", "awkward")),
        pair("+", "+", gold_miq=failing("dumped"), judge_miq=failing()),
        pair("+", "+", gold_miq=failing(), judge_miq=failing()),
    ).failures
    assert set(found) == {"dumped", "awkward"}
    assert (found["dumped"].precision.value, found["dumped"].recall.value) == (1, 0.5)
    assert (found["awkward"].precision.value, found["awkward"].kappa.value) == (0, None)


def ruled(*states: RuleState | None) -> Verdict:
    return verdict(
        *(
            EntryVerdict(f"m{i}", "used" if s == "followed" else "not used", rule=s)
            for i, s in enumerate(states)
        )
    )


def test_rules_are_compared_where_the_gold_has_them() -> None:
    one = replace(
        pair("+", "+"),
        gold=ruled("followed", "violated", "not applicable", None),
        judge=ruled("followed", "not applicable", "violated", None),
    )
    found = used(one).rules
    assert (found["followed"].n, found["followed"].f1.value) == (3, 1)
    assert (found["violated"].precision.value, found["violated"].recall.value) == (0, 0)
    assert used(pair("+", "+")).rules == {}


def test_kinds_of_recall_are_compared_where_both_call_an_entry_used() -> None:
    gold = [EntryVerdict(f"m{i}", "used", recall="proactive") for i in range(3)]
    judge = [
        EntryVerdict("m0", "used", recall="proactive"),
        EntryVerdict("m1", "used", recall="passive"),
        EntryVerdict("m2", "not used"),
    ]
    found = used(replace(pair("+", "+"), gold=verdict(*gold), judge=verdict(*judge))).recall
    assert (found["proactive"].n, found["proactive"].recall.value) == (2, 0.5)
    assert used(pair("+", "+")).recall == {}


def test_proposed_roles_are_compared_with_the_golds() -> None:
    one = pair("+--", "+--")
    proposed = {"m1": RoleProposal("must"), "m2": RoleProposal("nice"), "m3": RoleProposal("nice")}
    told = replace(
        one,
        roles={"m1": "must", "m2": "nice", "m3": "irr"},
        judge=replace(one.judge, roles=proposed),
    )
    found = used(told).roles
    assert found is not None
    assert (found.exact_must, found.tags["nice"].precision.value) == (1, 0.5)
    assert found.macro_f1 == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert used(one).roles is None


def styled(score: float | None) -> tuple[AspectVerdict, ...]:
    points = (Point(1, 1, ""), Point(2, score, ""), Point(3, 0, ""))
    return (AspectVerdict("style", points),)


def test_aspects_are_compared_where_the_gold_scores_them() -> None:
    one = pair("+", "+")
    rows = [
        replace(
            one,
            gold=replace(one.gold, aspects=styled(gold)),
            judge=replace(one.judge, aspects=styled(judge)),
        )
        for gold, judge in ((1, 1), (0, 1), (1, None), (None, 1))
    ]
    found = used(*rows, one).aspects
    assert set(found) == {"style"}
    assert (found["style"].n, found["style"].unscored, found["style"].exact.value) == (2, 1, 0.5)


def test_languages_and_kinds_of_reply_have_their_own_figures() -> None:
    found = used(
        pair("+-", "+-", group="paraphrase"), pair("+-", "-+", language="zh"), pair("+", "+")
    )
    assert {name: one.used.tag.exact.value for name, one in found.by_language.items()} == {
        "en": 1,
        "zh": 0,
    }
    assert {name: one.used.tag.n for name, one in found.by_group.items()} == {"paraphrase": 2}


def test_the_worst_disagreements_come_with_their_texts_the_surest_first() -> None:
    one = pair("+-+", "nn+", gold_miq=Miq(5, ""), judge_miq=Miq(2, "Stiff."))
    sure = pair("-", "+")
    uses = [row for row in used(one, sure).worst if row.about == "used"]
    assert [(row.entry, row.gold, row.judge, row.text) for row in uses] == [
        ("m1", "not used", "used", "Text of m1."),
        ("m1", "used", "unsure", "Text of m1."),
    ]
    off = [row for row in used(one, sure).worst if row.about == "miq"]
    assert [(row.gold, row.judge, row.why, row.weight) for row in off] == [("5", "2", "Stiff.", 3)]
    assert len(agreement([one] * 5, worst=2).worst) == 4


def test_no_reply_gives_no_figure() -> None:
    found = used()
    assert found.used.tag.kappa == found.miq.spearman == Estimate(None)
    assert (found.used.coverage, found.replies) == (None, 0)
