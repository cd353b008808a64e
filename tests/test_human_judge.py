"""The human judge: a form's plain values become a verdict, or one sentence says what is missing."""

from dataclasses import replace
from typing import Any

import pytest

from sandbox.judges.case import Case, PoolItem
from sandbox.judges.failures import MEANINGS
from sandbox.judges.human import NAME, HumanForm, human_verdict
from sandbox.judges.verdict import FAILURES, JudgeError, Span
from sandbox.ui.human_views import filled

CASE = Case(
    character="Walid",
    human="Dina",
    persona="Leads a band.",
    history=(),
    query="Where to?",
    reply="To 14 Mosaic Lane, and ring twice.",
    pool=(
        PoolItem("a", "The supper is at 14 Mosaic Lane."),
        PoolItem("b", "Dina wants no balloons."),
        PoolItem("r", "Always say how to enter.", type="agent_method", side="dyad"),
    ),
)
WHOLE = HumanForm(
    usages={"a": "used", "b": "not used"},
    words={"a": "14 Mosaic Lane"},
    rules={"r": "followed"},
    miq="4",
    failures=["dumped"],
    note="Short and right.",
)


def test_a_filled_form_is_a_verdict_with_spans_rules_and_miq() -> None:
    verdict = human_verdict(CASE, WHOLE)
    assert verdict.judge == NAME
    assert [one.usage for one in verdict.entries] == ["used", "not used", "used"]
    assert verdict.of("a").spans == (Span(3, 17),)
    assert verdict.of("r").rule == "followed"
    assert verdict.of("a").rule is None
    assert (verdict.miq.score, verdict.miq.why) == (4.0, "Short and right.")
    assert verdict.miq.failures == ("dumped",)
    assert verdict.aspects == ()


def test_entries_left_open_are_refused_unless_the_rest_is_said_to_be_not_used() -> None:
    form = replace(WHOLE, usages={"a": "used"})
    with pytest.raises(JudgeError, match="1 of 3 entries are left open"):
        human_verdict(CASE, form)
    assert human_verdict(CASE, replace(form, rest=True)).of("b").usage == "not used"


def test_a_rule_left_open_with_its_use_told_is_not_applicable() -> None:
    form = replace(WHOLE, usages={**WHOLE.usages, "r": "not used"}, rules={})
    assert human_verdict(CASE, form).of("r").rule == "not applicable"


def test_a_violated_rule_is_not_used() -> None:
    one = human_verdict(CASE, replace(WHOLE, rules={"r": "violated"})).of("r")
    assert (one.rule, one.usage) == ("violated", "not used")


def test_miq_of_a_reply_that_uses_nothing_is_unscored() -> None:
    nothing = HumanForm(rest=True)
    verdict = human_verdict(CASE, nothing)
    assert (verdict.miq.score, verdict.miq.why) == (None, "The reply uses nothing.")
    for more in ({"miq": "3"}, {"failures": ["stale"]}):
        with pytest.raises(JudgeError, match="no entry is used"):
            human_verdict(CASE, replace(nothing, **more))


def test_miq_may_be_left_open() -> None:
    miq = human_verdict(CASE, replace(WHOLE, miq="", note="", failures=())).miq
    assert (miq.score, miq.why) == (None, "Left open by the person.")


def test_an_aspect_is_judged_where_a_point_is_and_has_a_score_when_all_are() -> None:
    points = {("naturalness", 1): "1", ("naturalness", 2): "0", ("naturalness", 3): "1"}
    half = {("emotional_improvement", 1): "1", ("emotional_improvement", 3): "0.5"}
    form = replace(WHOLE, points={**points, **half}, situation="sad")
    first, second = human_verdict(CASE, form).aspects
    assert (first.aspect, first.score) == ("naturalness", 2.0)
    assert (second.aspect, second.score) == ("emotional_improvement", None)
    assert [point.value for point in second.points] == [1.0, None, 0.5]
    assert human_verdict(CASE, form).situation == "sad"


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a usage": ({"usages": {"a": "perhaps", "b": "used"}}, "must be one of used, not used"),
    "a rule": ({"rules": {"r": "bent"}}, "A rule must be one of"),
    "a score": ({"miq": "6"}, "MIQ must be one of 1, 2, 3, 4, 5; got '6'"),
    "a failure": ({"failures": ["boring"]}, "A failure must be one of"),
    "half a point": ({"points": {("style", 1): "0.5"}}, "Point 1 of style must be one of 0, 1"),
    "a situation": ({"situation": "bored"}, "The situation must be one of activity"),
    "other words": ({"words": {"a": "15 Mosaic Lane"}}, "does not hold the words '15 Mosaic"),
    "a long note": ({"note": "x" * 5000}, "5000 characters"),
}


@pytest.mark.parametrize(("change", "sentence"), BAD.values(), ids=BAD.keys())
def test_what_a_field_cannot_hold_is_refused_in_one_sentence(
    change: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(JudgeError, match=sentence):
        human_verdict(CASE, replace(WHOLE, **change))


def test_a_form_of_the_page_is_read_as_plain_values_and_nonsense_as_open() -> None:
    form = filled(
        {
            "usage|a": "used",
            "words|a": "14 Mosaic Lane",
            "rule|r": "followed",
            "usage|b": 7,
            "rest": True,
            "miq": "5",
            "failures": ["dumped", 3],
            "point|style|2": "1",
            "note": None,
        }
    )
    assert form.usages == {"a": "used"}
    assert (form.rest, form.miq, form.failures, form.note) == (True, "5", ["dumped"], "")
    assert form.points["style", 2] == "1"
    assert human_verdict(CASE, form).miq.score == 5.0
    assert filled({"rest": "yes", "failures": "dumped"}) == filled({})


def test_every_failure_has_a_meaning_of_one_sentence_and_an_owner() -> None:
    assert list(MEANINGS) == list(FAILURES)
    owners = [one.source for one in MEANINGS.values()]
    assert owners[:3] == ["StratMem-Bench"] * 3
    assert owners[-6:] == ["DyadMem"] * 6
    assert set(owners[3:-6]) == {"ours"}
    assert all(one.text.count(".") == 1 and one.text.endswith(".") for one in MEANINGS.values())
