"""Verdicts that come with the data: the shipped collection's, verdict files, gold files."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sandbox.collected import Collection
from sandbox.evaluation.judged_files import JudgedFile, read_judged
from sandbox.evaluation.verdict_file import read_verdicts, write_verdicts
from sandbox.formats import FormatError, packaged_collection, read_collection
from sandbox.judges.file import FileJudge, Given, references
from sandbox.judges.instance_case import case_of
from sandbox.judges.verdict import (
    AspectVerdict,
    Call,
    EntryVerdict,
    JudgeError,
    Miq,
    Point,
    RoleProposal,
    Span,
    Verdict,
)
from tests.test_stratmem import item

THIRD = "demo-05-third-address"
Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def demo() -> Collection:
    return read_collection(packaged_collection(), "demo.json")


def of(demo: Collection, instance: str, name: str) -> Given:
    full = demo.find(instance).id
    return next(one for one in references(demo) if (one.instance, one.group) == (full, name))


def judged(demo: Collection, instance: str, name: str) -> Verdict:
    given = of(demo, instance, name)
    judge = FileJudge(references(demo), given.instance)
    return judge.judge(case_of(demo.find(given.instance), given.reply))


# Reference replies


def test_spans_are_where_the_words_stand(demo: Collection) -> None:
    for one in demo.instances:
        for reply in one.replies:
            verdict = judged(demo, one.id, reply.name)
            for use in reply.used:
                words = [reply.text[s.start : s.end] for s in verdict.of(use.entry).spans]
                assert words == [use.span], (one.id, reply.name)


def test_every_entry_of_the_pool_has_a_verdict_in_the_order_of_the_case(demo: Collection) -> None:
    one = demo.find(THIRD)
    found = judged(demo, THIRD, "good")
    assert [entry.entry for entry in found.entries] == [entry.key for entry in one.listed()]
    assert [entry.usage for entry in found.entries].count("used") == 3


def test_a_range_of_scores_counts_by_its_middle_and_says_so(demo: Collection) -> None:
    good, stale = judged(demo, THIRD, "good").miq, judged(demo, THIRD, "stale").miq
    assert (good.score, good.why[:13]) == (4.5, "Given as 4-5.")
    assert (stale.score, stale.why[:11], stale.failures) == (
        1,
        "Given as 1.",
        ("contradictory", "stale"),
    )


def test_a_reply_that_uses_nothing_is_unscored(demo: Collection) -> None:
    miq = judged(demo, THIRD, "forgetful").miq
    assert (miq.score, miq.failures) == (None, ())


def test_only_rules_are_followed_or_violated(demo: Collection) -> None:
    stale = judged(demo, THIRD, "stale").of("m2")
    assert (stale.rule, stale.usage, stale.why) == (None, "not used", "The reply goes against it.")
    told = {one.entry: one.rule for one in judged(demo, "demo-04", "over_sharing").entries}
    assert {key: rule for key, rule in told.items() if rule != "not applicable"} == {
        "m1": None,
        "m3": None,
        "m5": None,
        "m2": "violated",
        "m6": "violated",
        "m4": "followed",
        "m7": "followed",
    }


def test_aspects_that_are_given_as_a_range_are_unscored(demo: Collection) -> None:
    aspects = judged(demo, "demo-03", "good").aspects
    assert {one.aspect for one in aspects} >= {"style", "injection"}
    assert all(one.score is None for one in aspects)
    assert "of 3" in aspects[0].points[0].why


def test_a_reply_that_the_file_does_not_have_is_one_sentence(demo: Collection) -> None:
    judge = FileJudge(references(demo), THIRD)
    with pytest.raises(JudgeError, match="no verdict on this reply to demo-05-third-address"):
        judge.judge(case_of(demo.find(THIRD), "Something else."))
    other = of(demo, "demo-06", "good").reply
    with pytest.raises(JudgeError, match="no verdict"):
        judge.judge(case_of(demo.find(THIRD), other))


def test_ids_of_a_session_stand_for_the_instances_keys(demo: Collection) -> None:
    one, given = demo.find(THIRD), of(demo, THIRD, "good")
    case = case_of(one, f"  {given.reply}")
    pool = tuple(replace(item, id=f"bank-{item.id}") for item in case.pool)
    keys = {item.id: item.id.removeprefix("bank-") for item in pool}
    found = FileJudge(references(demo), one.id, keys).judge(replace(case, pool=pool))
    plain = judged(demo, THIRD, "good").of("m2").spans[0]
    assert found.of("bank-m2").spans == (Span(plain.start + 2, plain.end + 2),)


# Verdict files


def full_verdict() -> Verdict:
    return Verdict(
        judge="human",
        version="ada",
        entries=(
            EntryVerdict("m1", "not used"),
            EntryVerdict(
                "m2",
                "used",
                None,
                (Span(0, 2), Span(4, 6)),
                "d",
                "w",
                "followed",
                "passive",
                ("m1",),
                0.75,
                0.5,
            ),
            EntryVerdict("m3", "unsure", leaning=False),
        ),
        miq=Miq(2.5, "Well.", ("dumped", "mixed")),
        aspects=(
            AspectVerdict("style", (Point(1, 1, "a"), Point(2, 0.5, "b", "q"), Point(3, None, ""))),
        ),
        situation="sad",
        roles={"m1": RoleProposal("irr", {"must": 0.25, "irr": 0.75}), "m2": RoleProposal("must")},
        warnings=("Careful.",),
        seconds=1.5,
    )


def test_what_is_written_is_read_back() -> None:
    given = (
        Given("a", 'It\u2028 is at\n"yours".', full_verdict(), "good"),
        Given("b", "好", Verdict("x", "", (EntryVerdict("m1", "unscored"),), Miq(None, ""))),
        Given(
            "b", "", Verdict("x", "", (EntryVerdict("m1", "unscored"),), Miq(None, "")), failed=True
        ),
    )
    data = write_verdicts(given)
    assert len(data.splitlines()) >= 3
    assert read_verdicts(data, "v.jsonl") == given


def test_requests_to_models_are_not_written() -> None:
    called = replace(full_verdict(), calls=(Call("usage", "h", "secret answer", 0.1),))
    assert b"secret" not in write_verdicts([Given("a", "It is here.", called)])


def line(**changes: Any) -> dict[str, Any]:
    return {"instance": "demo-05", "reply": "At home.", "entries": {"m1": "used"}} | changes


def lines(*found: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(one) for one in found).encode()


def test_an_entry_can_be_its_usage_alone() -> None:
    found = read_verdicts(b"\n" + lines(line()) + b"\r\n\n", "v.jsonl")[0]
    assert found.verdict.entries == (EntryVerdict("m1", "used"),)
    assert (found.verdict.judge, found.verdict.miq.score) == ("file", None)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"entries": {"m1": "perhaps"}}, "v.jsonl, line 2, field 'entries.m1.usage': must be"),
        ({"entries": {}}, "field 'entries': must hold at least 1, got 0 fields"),
        ({"miq": {"score": 7}}, "field 'miq.score': must be at most 5.0, got 7"),
        ({"miq": {"failures": ["ugly"]}}, "field 'miq.failures.0': must be"),
        ({"mood": 1}, "field 'mood': is not a field of this format, got 1"),
        ({"instance": 5}, "field 'instance': must be text, got 5"),
        (
            {"entries": {"m1": {"usage": "used", "spans": [[4, 2]]}}},
            "field 'entries.m1.spans': must be in order, apart and inside the reply's 8 "
            "characters, got [4, 2]",
        ),
        ({"entries": {"m1": {"usage": "used", "spans": [[0, 9]]}}}, "inside the reply's 8"),
        ({"entries": {"m1": {"usage": "used", "leaning": True}}}, "must be null unless"),
        ({"entries": {"m1": {"usage": "not used", "rule": "followed"}}}, "must be 'used'"),
        ({"roles": {"m9": {"role": "must"}}}, "field 'roles.m9': must be of an entry"),
        ({"reply": "At home."}, "field 'reply': must be judged once, and line 1 does"),
    ],
)
def test_a_fault_names_file_line_field_and_value(changes: dict[str, Any], sentence: str) -> None:
    first = line(reply="At home." if "reply" in changes else "Not there.")
    with pytest.raises(FormatError) as caught:
        read_verdicts(lines(first, line(**changes)), "v.jsonl")
    assert str(caught.value).startswith("v.jsonl, line 2, field ")
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "v.jsonl: must hold at least one line"),
        (b'{"instance": ', "v.jsonl, line 1, column"),
        (b'{"reply": "\xff"}', "v.jsonl, line 1: must be UTF-8, got the byte 0xff"),
    ],
)
def test_a_file_that_is_no_verdict_file_is_refused(data: bytes, sentence: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_verdicts(data, "v.jsonl")
    assert str(caught.value).startswith(sentence)


# Gold files


POOL: Lines = [
    {"fact": "Bo sold the loom on 2023-01-29.", "used": True, "evidence": "sold it"},
    {"fact": "Bo wants a smaller loom.(no direct link to the query)", "used": None},
    {"fact": "Ann sings.", "used": False, "evidence": None},
    {"fact": "Ann keeps bees (three hives).", "used": False},
]


def gold(**changes: Any) -> JudgedFile:
    made = {
        "instance_id": "locomo_0123456789",
        "reply": "No, I sold it in January.",
        "pool": POOL,
        "miq": [4, 5],
        "tags": ["off_topic", "missed_needed"],
        "reply_policy": "paraphrase",
    }
    instances = read_collection(json.dumps([item()]).encode(), "test.json")
    return read_judged(json.dumps([made | changes]).encode(), "gold.json", instances)


def test_a_gold_file_is_read_by_the_texts_of_its_facts() -> None:
    found = gold()
    one = found.given[0]
    assert [(e.entry, e.usage, e.leaning) for e in one.verdict.entries] == [
        ("m1", "used", None),
        ("m2", "unsure", None),
        ("m3", "not used", None),
        ("m4", "not used", None),
    ]
    assert one.reply[slice(6, 13)] == "sold it"
    assert one.verdict.of("m1").spans == (Span(6, 13),)
    assert (one.verdict.miq.score, one.verdict.miq.failures) == (4.5, ("off_goal",))
    assert (one.group, found.other_tags) == ("paraphrase", {"missed_needed": 1})


def test_readers_scores_of_a_reply_that_uses_nothing_do_not_count() -> None:
    unused = [fact | {"used": False} for fact in POOL]
    assert gold(pool=unused).given[0].verdict.miq.score is None


def test_entries_that_a_gold_file_does_not_list_are_unscored() -> None:
    verdict = gold(pool=POOL[:3], tags=None).given[0].verdict
    assert [one.usage for one in verdict.entries] == ["used", "unsure", "unscored", "not used"]


def test_one_readers_missing_score_is_left_out() -> None:
    assert gold(miq=[None, 3]).given[0].verdict.miq.score == 3
    assert gold(miq=[]).given[0].verdict.miq.score is None
    assert gold(miq=2).given[0].verdict.miq.score == 2


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"instance_id": "other"}, "field 'instance_id': must be an instance of test.json"),
        ({"pool": [{"fact": "Ann flies.", "used": True}]}, "field 'pool.0.fact': must be a fact"),
        ({"pool": [*POOL, POOL[0]]}, "field 'pool.4.fact': must be a fact"),
        ({"miq": [9]}, "must be at most 5.0, got 9"),
    ],
)
def test_a_gold_file_that_does_not_fit_its_instances_is_refused(
    changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(FormatError) as caught:
        gold(**changes)
    assert str(caught.value).startswith("gold.json, reply 0, field ")
    assert sentence in str(caught.value)


# Which file it is


def test_the_three_kinds_are_told_apart(demo: Collection) -> None:
    whole = read_judged(packaged_collection(), "demo.json", None)
    assert len(whole.given) == 42
    short = read_judged(json.dumps(json.loads(packaged_collection())).encode(), "demo.json", None)
    assert short.given[0].reply == whole.given[0].reply
    told = read_judged(lines(line()), "v.jsonl", demo)
    assert told.given[0].instance == THIRD


def refusing(act: Callable[[], object]) -> str:
    with pytest.raises(FormatError) as caught:
        act()
    return str(caught.value)


def test_a_file_that_needs_instances_says_so(demo: Collection) -> None:
    told = refusing(lambda: read_judged(lines(line()), "v.jsonl", None))
    assert told == "v.jsonl: must come with the instances it answers; give --instances FILE"
    without = json.dumps([item()]).encode()
    assert "no replies to judge" in refusing(lambda: read_judged(without, "test.json", None))
    wrong = lines(line(entries={"m99": "used"}))
    assert "field 'entries.m99'" in refusing(lambda: read_judged(wrong, "v.jsonl", demo))
