"""MIQ of the local judge: what is scored, what is not, and what the score says of itself."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from sandbox.judges.case import Case, PoolItem
from sandbox.judges.local.integration import SIGNS, integration
from sandbox.judges.local.miq import NOTHING, MiqModel, judge_miq, packaged_miq
from sandbox.judges.local.reading import Reading, read
from sandbox.judges.verdict import EntryVerdict, Span
from tests.fakes_encoder import WordEncoder

POOL = (
    PoolItem("ferry", "Ann's ferry ticket to Bergen cost 340 kroner."),
    PoolItem("bees", "Ann keeps three hives of carniolan bees."),
    PoolItem("loom", "Bo sold the oak loom to a weaver in Tartu."),
    PoolItem("choir", "Ann sings in a choir on Mondays."),
)
CASE = Case(
    character="Bo",
    human="Ann",
    persona="Name: Bo\nSummary: Bo weaves rugs.",
    history=(),
    query="What did the ferry ticket to Bergen cost me?",
    reply="Your ferry ticket to Bergen cost 340 kroner.",
    pool=POOL,
)


def reading(**changes: object) -> Reading:
    return read(replace(CASE, **changes), WordEncoder())  # type: ignore[arg-type]


def using(*keys: str, reply: str = CASE.reply) -> list[EntryVerdict]:
    return [
        EntryVerdict(item.id, "used", spans=(Span(0, len(reply)),))
        if item.id in keys
        else EntryVerdict(item.id, "not used")
        for item in POOL
    ]


def test_a_reply_that_uses_nothing_is_unscored_with_the_reason() -> None:
    found = judge_miq(reading(), using())
    assert (found.score, found.why, found.failures) == (None, NOTHING, ())


@pytest.mark.parametrize("usage", ["already said", "unscored"])
def test_what_leaves_the_pool_is_nothing_used(usage: str) -> None:
    told = [EntryVerdict(item.id, usage) for item in POOL]  # type: ignore[arg-type]
    assert judge_miq(reading(), told).score is None


def test_an_unsure_entry_counts_by_its_leaning() -> None:
    leaning = [EntryVerdict(item.id, "unsure", leaning=item.id == "ferry") for item in POOL]
    assert judge_miq(reading(), leaning).score is not None


def test_one_entry_that_answers_scores_above_four_that_do_not() -> None:
    reply = "Bees, 340 kroner, a choir, a loom in Tartu, hives, Bergen, Mondays, oak."
    good = judge_miq(reading(), using("ferry"))
    dump = judge_miq(reading(reply=reply), using(*(item.id for item in POOL), reply=reply))
    assert good.score is not None
    assert dump.score is not None
    assert good.score > dump.score
    assert "dumped" in dump.failures
    assert good.failures == ()


def test_another_number_than_the_entrys_is_distorted_and_named() -> None:
    found = judge_miq(reading(reply="Your ferry ticket to Bergen cost 290 kroner."), using("ferry"))
    assert "distorted" in found.failures
    assert "340: 290" in found.why


def test_an_entry_far_from_the_query_is_off_goal_and_named() -> None:
    found = judge_miq(reading(), using("ferry", "choir"))
    assert "off_goal" in found.failures
    assert "choir" in found.why


def test_a_replaced_entry_and_a_broken_rule_each_cost_a_point() -> None:
    plain = judge_miq(reading(), using("ferry"), raw=4.5)
    old = tuple(replace(item, live=item.id != "ferry") for item in POOL)
    stale = judge_miq(reading(pool=old), using("ferry"), raw=4.5)
    told = [*using("ferry")[:3], EntryVerdict("choir", "not used", rule="violated")]
    broken = judge_miq(reading(), told, raw=4.5)
    assert (plain.score, stale.score, broken.score) == (4.5, 3.5, 3.5)
    assert stale.failures == ("stale",)
    assert broken.failures == ("rule_broken",)


def test_a_broken_rule_is_named_even_where_nothing_is_used() -> None:
    told = [EntryVerdict(item.id, "not used", rule="violated") for item in POOL]
    found = judge_miq(reading(), told)
    assert (found.score, found.failures) == (None, ("rule_broken",))


@settings(max_examples=50, deadline=None)
@drawn(st.sets(st.sampled_from([item.id for item in POOL]), min_size=1), st.floats(-9, 9))
def test_a_score_is_a_number_from_1_to_5_with_one_decimal(keys: set[str], raw: float) -> None:
    for score in (
        judge_miq(reading(), using(*keys)).score,
        judge_miq(reading(), using(*keys), raw=raw).score,
    ):
        assert score is not None
        assert 1 <= score <= 5
        assert score == round(score, 1)


def test_the_parts_of_a_score_add_up_to_it() -> None:
    signs = integration(reading(), using("ferry")).signs
    model = packaged_miq()
    assert model.score(signs) == pytest.approx(model.intercept + model.parts(signs).sum())
    assert set(signs) == set(SIGNS)


def test_signs_of_a_reply_that_uses_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="a used entry"):
        integration(reading(), using())


def parameters() -> dict[str, object]:
    file = Path(__file__).parents[1] / "sandbox" / "judges" / "local" / "miq.json"
    value: dict[str, object] = json.loads(file.read_text("utf-8"))
    return value


@pytest.mark.parametrize("change", [{"signs": ["used"]}, {"coef": [1.0]}])
def test_broken_parameters_are_refused(change: dict[str, Sequence[object]]) -> None:
    with pytest.raises(ValueError, match="must"):
        MiqModel.from_json(parameters() | change)


def test_the_cross_validated_spearman_is_at_least_half_and_has_its_interval() -> None:
    figures = packaged_miq().fitted["agreement"]["usage_gold_dev"]
    assert figures["spearman"]["value"] >= 0.5
    assert figures["spearman"]["low"] <= figures["spearman"]["value"] <= figures["spearman"]["high"]
    assert figures["n"] + figures["missed"] == 43
