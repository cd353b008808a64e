"""The laws of the `llm` judge, with a scripted model; and once with the embedded one."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.chat_model import Answer, ChatModel, Message, ModelError, Sampling, T
from graphs.embedded import EmbeddedServer
from graphs.json_answer import schema
from graphs.model_file import ModelFileMissing, ensure_model_file
from graphs.templates import prompt_hash
from sandbox.judges.guideline import SITUATIONS, find_situation
from sandbox.judges.llm import JudgeStopped, LlmJudge, quotes, values
from sandbox.judges.llm.forms import AspectForm, SupportForm, UsageForm, usage_form
from sandbox.judges.llm.intimacy import Candidate, compare, pick_best
from sandbox.judges.llm.judge import OWN_MODEL
from sandbox.judges.llm.questions import PROMPTS
from sandbox.judges.llm.usage import read_usage
from sandbox.judges.verdict import ASPECTS, Aspect, JudgeError, Span, Verdict
from sandbox.settings import Settings
from tests.awkward_answers import CASE, GOOD, NUTS, SOUP, changed, item, rating, usage
from tests.scripted_model import Asked, Scripted, ScriptedModel

POINTS = [{"number": n, "quote": "", "reason": "It is so.", "value": 1} for n in (1, 2, 3)]
SUPPORT = {"situation": "none", "cause_said": False, "key_points": [1]}


def play(**answers: Scripted) -> Callable[[Asked], Scripted]:
    """Plays by the form's name; what is not given is good."""
    good: dict[str, Scripted] = {
        "UsageForm": GOOD,
        "MiqForm": rating(),
        "AspectForm": {"points": POINTS},
        "SupportForm": SUPPORT | {"points": POINTS},
    }
    return lambda asked: (good | answers)[asked.form.__name__ if asked.form else ""]


def scripted(**answers: Scripted) -> ScriptedModel:
    return ScriptedModel(play=play(**answers), context_tokens=32_000)


def drawn(by_draw: Callable[[int], Scripted], form: str = "UsageForm") -> ScriptedModel:
    """A model whose answers of one form depend on the draw."""

    def script(asked: Asked) -> Scripted:
        if asked.form is not None and asked.form.__name__ == form:
            return by_draw(asked.sampling.seed or 0)
        return play()(asked)

    return ScriptedModel(play=script)


# What is asked


def test_use_is_asked_first_then_miq_and_each_aspect_once() -> None:
    model = scripted()
    verdict = LlmJudge(model, aspects=ASPECTS).judge(CASE)
    purposes = [call.purpose for call in verdict.calls]
    assert purposes == ["usage", "miq", *ASPECTS]
    assert len(model.asked) == 7
    assert model.asked[0].form is usage_form(len(CASE.pool))
    assert [call.prompt for call in verdict.calls] == [
        prompt_hash("sandbox.judges.llm", name) for name in PROMPTS
    ]


def test_aspects_are_off_by_default() -> None:
    verdict = LlmJudge(scripted()).judge(CASE)
    assert verdict.aspects == ()
    assert [call.purpose for call in verdict.calls] == ["usage", "miq"]


def test_the_second_round_runs_in_parallel() -> None:
    together = threading.Barrier(2)

    def script(asked: Asked) -> Scripted:
        if asked.form is not usage_form(len(CASE.pool)):
            together.wait(10)
        return play()(asked)

    verdict = LlmJudge(ScriptedModel(play=script), aspects=["style"]).judge(CASE)
    assert verdict.miq.score == 4.0


def test_entries_are_shown_as_numbers_and_never_by_id() -> None:
    model = scripted()
    LlmJudge(model, aspects=ASPECTS).judge(CASE)
    asked = "\n".join(one.text for one in model.asked)
    assert not [item.id for item in CASE.pool if item.id in asked]
    assert "1. Ruta loves barley soup." in model.asked[0].text
    assert "4. Nadia sings in a choir in Odense. (no longer true" in model.asked[0].text
    assert "5. Bram ends with one request. (a rule for the character)" in model.asked[0].text


def test_miq_sees_the_used_entries_only() -> None:
    model = scripted(UsageForm=changed(1, item(1)))
    LlmJudge(model).judge(CASE)
    shown = model.asked[1].text
    assert "1. Nadia cannot eat hazelnuts." in shown
    assert "2. Bram ends with one request." in shown
    assert not [text for text in ("barley soup.", "Skagen", "Odense") if text in shown]


def test_where_nothing_is_used_miq_is_not_asked() -> None:
    model = scripted(UsageForm=usage(*(item(number) for number in range(1, 6))))
    verdict = LlmJudge(model).judge(CASE)
    assert (verdict.miq.score, verdict.miq.why) == (None, "Nothing of the pool is used.")
    assert len(model.asked) == 1


@pytest.mark.parametrize("case", [replace(CASE, failed=True), replace(CASE, reply=" \n")])
def test_a_failed_reply_costs_no_call(case: Any) -> None:
    model = scripted()
    verdict = LlmJudge(model, aspects=["style"]).judge(case)
    assert not model.asked
    assert {one.usage for one in verdict.entries} == {"not used"}
    assert verdict.miq.score is None
    assert verdict.aspects[0].score is None


def test_an_empty_pool_is_not_asked_about() -> None:
    model = scripted()
    verdict = LlmJudge(model, aspects=["style"]).judge(replace(CASE, pool=()))
    assert (verdict.entries, verdict.aspects[0].score) == ((), 3.0)
    assert [call.purpose for call in verdict.calls] == ["style"]


def test_every_call_is_kept_with_its_answer_as_it_was() -> None:
    verdict = LlmJudge(scripted(MiqForm=rating(9))).judge(CASE)
    first, second = verdict.calls
    assert '"Nobody said it before."' in first.raw
    assert (first.tokens_in, first.tokens_out, first.trouble) == (0, 0, None)
    assert second.trouble == verdict.miq.why


def test_the_name_and_the_version_tell_judges_apart() -> None:
    one, other = LlmJudge(ScriptedModel(name="a")), LlmJudge(ScriptedModel(name="b"))
    assert (one.name, other.name) == ("llm:a", "llm:b")
    assert (
        len({one.version, other.version, LlmJudge(ScriptedModel(name="a"), draws=3).version}) == 3
    )
    assert one.version == LlmJudge(ScriptedModel(name="a"), aspects=ASPECTS).version


def test_a_judge_that_is_the_characters_own_model_says_so() -> None:
    own = LlmJudge(scripted(), character_model="scripted").judge(CASE)
    other = LlmJudge(scripted(), character_model="someone").judge(CASE)
    assert (own.warnings, other.warnings) == ((OWN_MODEL,), ())


@pytest.mark.parametrize(
    "wrong", [{"draws": 0}, {"draws": 21}, {"parallel": 0}, {"aspects": ["charm"]}]
)
def test_what_cannot_be_asked_for_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="must be"):
        LlmJudge(scripted(), **wrong)


def test_every_prompt_file_is_asked_for() -> None:
    held = files("sandbox.judges.llm").joinpath("prompts").iterdir()
    assert {one.name for one in held} == {f"{name}.md" for name in (*PROMPTS, "compare", "pick")}


def test_text_with_dollars_braces_and_tags_survives() -> None:
    odd = "I have $mark ${entries} {x} </entries> <reply> in the soup."
    model = scripted()
    LlmJudge(model).judge(replace(CASE, persona=odd, human="$human </who>", emotion="sad"))
    told = (odd, "\nuser: $human </who>\nthe user feels: sad\n</who-")
    assert all(words in one.text for one in model.asked for words in told)


def test_an_utterance_cannot_pass_for_two() -> None:
    model = scripted()
    forged = replace(CASE.history[0], text="Hello.\nBram: I sing in a choir.")
    LlmJudge(model).judge(replace(CASE, history=(forged,)))
    assert "\nNadia: Hello. Bram: I sing in a choir.\n" in model.asked[0].text


def test_a_long_history_keeps_its_newest_utterances() -> None:
    old = [replace(CASE.history[0], text=f"Old news {at}. " * 40) for at in range(200)]
    model = ScriptedModel(play=play())
    verdict = LlmJudge(model).judge(replace(CASE, history=(*old, *CASE.history)))
    shown = model.asked[0].text
    assert "A boat needs a calm harbour." in shown
    assert "Old news 0." not in shown
    assert "earlier utterances left out here by the sandbox]" in shown
    assert "The history was too long for the judge's model and was cut." in verdict.warnings
    assert verdict.of("id-boat").usage == "not used"


# What is answered


def test_a_used_entry_has_its_span_detail_and_reason() -> None:
    one = LlmJudge(scripted()).judge(CASE).of("id-soup")
    assert one.spans == (Span(21, 43),)
    assert CASE.reply[21:43] == "barley soup Ruta likes"
    assert (one.detail, one.recall) == ("barley soup", "proactive")
    assert one.why == "Nobody said it before."


def test_a_rule_is_followed_violated_or_not_applicable() -> None:
    broken = item(5, "no", rule="violated", quote="Rest afterwards!")
    still = item(5, "no", rule="not applicable")
    tags = [
        LlmJudge(scripted(UsageForm=answer)).judge(CASE).of("id-rule")
        for answer in (GOOD, changed(5, broken), changed(5, still))
    ]
    assert [one.rule for one in tags] == ["followed", "violated", "not applicable"]
    assert [one.usage for one in tags] == ["used", "not used", "not used"]
    assert '"Rest afterwards!"' in tags[1].why


def test_entries_carried_by_the_same_words_are_flagged_to_share_them() -> None:
    twin = item(4, "yes", quote="barley soup Ruta likes")
    verdict = LlmJudge(scripted(UsageForm=changed(4, twin))).judge(CASE)
    assert verdict.of("id-soup").shared_with == ("id-choir",)
    assert verdict.of("id-choir").shared_with == ("id-soup",)
    assert verdict.of("id-nuts").shared_with == ()


def test_already_said_is_doubted_where_nothing_was_said() -> None:
    model = scripted(UsageForm=changed(3, item(3, "already said")))
    one = LlmJudge(model).judge(replace(CASE, history=())).of("id-boat")
    assert (one.usage, one.leaning) == ("unsure", False)
    assert "Nothing was said before." in one.why


def test_a_later_call_that_fails_costs_its_own_part_only() -> None:
    down = ModelError("Model 'scripted' refused the connection.")
    verdict = LlmJudge(scripted(MiqForm=down, AspectForm=down), aspects=["style"]).judge(CASE)
    assert verdict.of("id-soup").usage == "used"
    assert (verdict.miq.score, verdict.miq.why) == (None, str(down))
    assert {point.why for point in verdict.aspects[0].points} == {str(down)}


def test_a_model_that_cannot_be_asked_about_use_is_an_error() -> None:
    with pytest.raises(JudgeError, match="refused the connection"):
        LlmJudge(scripted(UsageForm=ModelError("It refused the connection."))).judge(CASE)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
ITEM = st.fixed_dictionaries(
    {"number": st.integers(-1, 6) | JSON, "used": st.sampled_from(["yes", "no", "unsure"]) | JSON},
    optional={
        "quote": st.sampled_from(["Ruta likes", "no such words"]) | JSON,
        "rule": st.sampled_from(["followed", "violated"]) | JSON,
        "detail": JSON,
        "why": JSON,
        "recall": JSON,
    },
)


@settings(deadline=None, max_examples=60)
@given(st.lists(ITEM, max_size=8))
def test_any_values_give_one_verdict_an_entry_and_no_use_without_words(items: list[Any]) -> None:
    read = read_usage(CASE, UsageForm.model_validate({"entries": items}))
    assert [one.entry for one in read.entries] == [one.id for one in CASE.pool]
    for one in read.entries:
        assert (one.leaning is None) == (one.usage != "unsure")
        assert one.usage != "used" or (one.spans and CASE.reply[one.spans[0].start :])
        assert all(0 <= span.start < span.end <= len(CASE.reply) for span in one.spans)


# Quotes and values


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet="abc XYZ“”\"'’-–\u200b\n.ß", max_size=60), st.data())
def test_a_quote_is_found_where_its_words_are(text: str, data: st.DataObject) -> None:
    quote = data.draw(st.sampled_from([*text.split(), text]))
    spans = quotes.locate(text, quote.upper().replace("“", '"').replace(" ", "  "))
    assert bool(spans) == any(letter.isalnum() for letter in quote)
    for span in spans:
        found = quotes.fold(text[span.start : span.end])
        assert found
        assert found in quotes.fold(quote)


def test_quotes_are_found_whatever_their_marks_case_and_blanks() -> None:
    text = "He said: “I don’t eat\nOYSTERS” – ever. 我喜欢喝绿茶。"
    for quote in (
        '"i don\'t eat oysters"',
        "OYSTERS” - ever",
        "喝绿茶",
        "don't ... ever",
        "…oysters",
    ):
        assert quotes.locate(text, quote), quote
    for quote in ("oyster", "...", "", "“”", "ever ... oysters", "we don't"):
        assert not quotes.locate(text, quote), quote


@pytest.mark.parametrize(
    ("value", "score"),
    [(1, 1), (5, 5), (3.0, 3), ("2", 2), (" 4/5 ", 4), ("4 of 5.", 4), ("MIQ: 3", 3)]
    + [
        (value, None) for value in (0, 6, 2.5, "2.5", "5/10", "4/5/6", "", None, True, [4], {}, "x")
    ],
)
def test_a_score_is_a_whole_number_of_1_to_5_or_nothing(value: object, score: int | None) -> None:
    assert values.read_score(value) == score


@pytest.mark.parametrize(
    ("value", "half", "point"),
    [(0, False, 0), (1.0, False, 1), ("1", False, 1), (True, False, 1), (0.5, True, 0.5)]
    + [(value, False, None) for value in (0.5, 2, -1, "", None, "half", [1], float("nan"))],
)
def test_a_point_is_0_or_1_and_a_half_only_where_allowed(
    value: object, half: bool, point: float | None
) -> None:
    assert values.read_point(value, half) == point


# Draws


def test_most_draws_decide_and_flips_say_how_many_differ() -> None:
    model = drawn(lambda draw: changed(1, item(1)) if draw == 1 else GOOD)
    one = LlmJudge(model, draws=3).judge(CASE).of("id-soup")
    assert (one.usage, one.flips) == ("used", pytest.approx(1 / 3))
    assert LlmJudge(scripted()).judge(CASE).of("id-soup").flips is None


def test_a_tie_of_draws_is_unsure() -> None:
    model = drawn(lambda draw: changed(1, item(1)) if draw == 1 else GOOD)
    one = LlmJudge(model, draws=2).judge(CASE).of("id-soup")
    assert (one.usage, one.leaning, one.flips) == ("unsure", False, 1.0)
    assert "1 used, 1 not used" in one.why


def test_a_draw_that_cannot_be_read_has_no_vote() -> None:
    model = drawn(lambda draw: GOOD if draw == 2 else "no JSON")
    verdict = LlmJudge(model, draws=3).judge(CASE)
    assert (verdict.of("id-soup").usage, verdict.of("id-soup").flips) == ("used", 0.0)
    assert sum(call.trouble is not None for call in verdict.calls) == 2


def test_miq_is_the_median_of_its_draws_with_their_range() -> None:
    failing = [["awkward"], ["awkward", "stale"], []]
    model = drawn(lambda draw: rating([2, 5, 3][draw], failures=failing[draw]), "MiqForm")
    miq = LlmJudge(model, draws=3).judge(CASE).miq
    assert (miq.score, miq.failures) == (3.0, ("awkward",))
    assert miq.why.startswith("Median of 3 of 3 draws, 2 to 5.")


def test_draws_have_seeds_of_their_own_and_at_most_seven_calls_each() -> None:
    model = scripted()
    verdict = LlmJudge(model, draws=3, aspects=ASPECTS).judge(CASE)
    assert len(model.asked) == len(verdict.calls) == 21
    assert {one.sampling.seed for one in model.asked[:3]} == {0, 1, 2}
    assert {call.purpose for call in verdict.calls} >= {"usage, draw 1", "miq, draw 3"}


# Stopping


@pytest.mark.timeout(20)
def test_a_stop_ends_the_wait_for_a_call() -> None:
    stop, asked, release = threading.Event(), threading.Event(), threading.Event()
    answered = threading.Event()

    def script(_: Asked) -> Scripted:
        asked.set()
        release.wait(15)
        answered.set()
        return GOOD

    threading.Thread(target=lambda: asked.wait(10) and stop.set(), daemon=True).start()
    with pytest.raises(JudgeStopped, match="stopped"):
        LlmJudge(ScriptedModel(play=script)).judge(CASE, stop)
    assert not answered.is_set()
    release.set()


def test_a_stop_between_the_rounds_asks_nothing_more() -> None:
    stop = threading.Event()
    asked: list[Asked] = []

    def script(one: Asked) -> Scripted:
        asked.append(one)
        stop.set()
        return GOOD

    with pytest.raises(JudgeStopped):
        LlmJudge(ScriptedModel(play=script)).judge(CASE, stop)
    assert len(asked) == 1


# Aspects


def of(aspect: Aspect, answer: Scripted, **case: Any) -> Verdict:
    form = "SupportForm" if aspect == "es_proficiency" else "AspectForm"
    return LlmJudge(scripted(**{form: answer}), aspects=[aspect]).judge(replace(CASE, **case))


def point(number: object, value: object, **said: object) -> dict[str, object]:
    return {"number": number, "reason": "It is so.", "value": value} | said


def test_an_aspect_is_the_sum_of_its_points() -> None:
    points = [point(1, 1, quote="Rest"), point("2", 0), point(3, 0.5)]
    verdict = of("emotional_improvement", {"points": points}).aspects[0]
    assert (verdict.score, verdict.points[0].quote) == (1.5, "Rest")
    assert of("style", {"points": points}).aspects[0].score is None


@pytest.mark.parametrize(
    ("points", "why"),
    [
        ([point(1, 1), point(3, 1)], "left this point out"),
        ([point(1, 1), point(2, 1), point(2, 0), point(3, 1)], "contradicted itself"),
        ([point(1, 1), point(2, "very"), point(3, 1)], "is not allowed here"),
        ([point(1, 1), point(2, 1, quote="so warm"), point(3, 1)], "which is not in the reply"),
        ([point(1, 1), point(2, 1, reason=""), point(3, 1)], "gives no reason"),
        ([point(1, 1), point(2, 1, reason="Rest afterwards!"), point(3, 1)], "repeats the reply"),
    ],
)
def test_a_point_that_cannot_be_read_is_unscored(points: list[Any], why: str) -> None:
    verdict = of("style", {"points": points}).aspects[0]
    assert [one.value for one in verdict.points] == [1.0, None, 1.0]
    assert verdict.score is None
    assert why in verdict.points[1].why


def test_a_point_off_the_list_is_left_out_with_a_note() -> None:
    verdict = of("style", {"points": [*POINTS, point(4, 0)]})
    assert verdict.aspects[0].score == 3.0
    assert "The judge spoke of point 4 of style, which there is not." in verdict.warnings


def test_earlier_replies_count_and_can_be_quoted() -> None:
    earlier = "Yesterday was hard, I know."
    points = [point(1, 1, quote="hard, I know"), *POINTS[1:]]
    model = scripted(AspectForm={"points": points})
    verdict = LlmJudge(model, aspects=["style"]).judge(replace(CASE, replies=(earlier,)))
    assert verdict.aspects[0].score == 3.0
    assert [earlier in one.text for one in model.asked].count(True) == 1


def test_the_draws_of_a_point_agree_or_it_is_unscored() -> None:
    def half(draw: int) -> Scripted:
        return {"points": [point(1, draw), point(2, 1), point(3, 1)]}

    two = LlmJudge(drawn(half, "AspectForm"), draws=2, aspects=["style"]).judge(CASE)
    assert two.aspects[0].points[0].why == "The draws disagree: 0, 1."
    assert two.aspects[0].points[1].value == 1.0


# The guideline


def test_the_guideline_knows_which_key_points_are_all_of_them() -> None:
    sad, anxious, happy = (find_situation(name) for name in ("sad", "anxious", "happy"))
    assert sad is not None
    assert anxious is not None
    assert happy is not None
    assert [sad.complete(one) for one in ({1, 2}, {1, 3}, {2, 3}, {1})] == [
        True,
        True,
        False,
        False,
    ]
    assert anxious.complete({1, 2, 3})
    assert not anxious.complete({2, 3})
    assert anxious.complete({2, 3}, cause_said=True)
    assert not happy.complete({1}, cause_said=True)


def test_the_guideline_has_the_eight_situations_of_the_paper() -> None:
    counted = [(one.name, len(one.points)) for one in SITUATIONS]
    assert counted == [
        ("activity", 2),
        ("object", 2),
        ("person, positive", 3),
        ("person, negative", 3),
        ("happy", 2),
        ("sad", 3),
        ("disappointed", 3),
        ("anxious", 3),
    ]
    assert find_situation("Person_Negative ") == SITUATIONS[3]
    assert find_situation("bored") is None


def test_support_is_judged_under_the_situation_of_the_case() -> None:
    answer = {"situation": "happy", "key_points": [1, 3], "points": POINTS}
    verdict = of("es_proficiency", answer, situation="Sad")
    assert (verdict.situation, verdict.aspects[0].score) == ("sad", 3.0)


def test_without_a_situation_the_judge_names_one_or_none() -> None:
    named = of("es_proficiency", {"situation": "happy", "key_points": [1, 2], "points": POINTS})
    assert (named.situation, named.aspects[0].score) == ("happy", 3.0)
    none = of("es_proficiency", {"situation": "none", "key_points": [], "points": POINTS})
    assert (none.situation, none.aspects[0].score) == (None, None)
    assert "finds no situation" in none.aspects[0].points[0].why


def test_a_point_that_contradicts_the_key_points_is_unscored() -> None:
    answer = {"key_points": [2, 3], "cause_said": False, "points": POINTS}
    points = of("es_proficiency", answer, situation="anxious").aspects[0].points
    assert [one.value for one in points] == [1.0, None, 1.0]
    assert "key points 2, 3 are followed" in points[1].why
    told = of("es_proficiency", answer | {"cause_said": True}, situation="anxious")
    assert told.aspects[0].score == 3.0


def test_the_form_asks_for_as_many_entries_as_there_are() -> None:
    asked = schema(usage_form(7))["properties"]["entries"]
    assert (asked["minItems"], asked["maxItems"]) == (7, 7)
    assert len(usage_form(7).model_validate({"entries": [SOUP] * 9}).entries) == 9


def test_the_forms_ask_for_the_evidence_before_the_verdict() -> None:
    for form in (UsageForm, AspectForm):
        [item_schema] = form.model_json_schema()["$defs"].values()
        names = list(item_schema["properties"])
        assert names.index("quote") < max(names.index(one) for one in names if one in VERDICTS)
    assert list(SupportForm.model_json_schema()["properties"])[-1] == "points"


VERDICTS = ("used", "value")


# Intimacy


def comparing(with_memory_first: object, last: object) -> Any:
    """Answers A/B/tie for the two orders."""

    def script(asked: Asked) -> Scripted:
        straight = asked.text.index("WARM") < asked.text.index("COLD")
        return {"reason": "So.", "choice": with_memory_first if straight else last}

    return compare(CASE, "WARM words", "COLD words", ScriptedModel(play=script))


@pytest.mark.parametrize(
    ("straight", "swapped", "outcome"),
    [("A", "B", "win"), ("B", "A", "lose"), ("tie", "tie", "tie"), ("A", "A", "tie")]
    + [("b", "reply B", "tie"), ("A", "tie", "tie"), ("A", "both", None), (None, "B", None)],
)
def test_a_comparison_counts_only_where_both_orders_agree(
    straight: object, swapped: object, outcome: str | None
) -> None:
    compared = comparing(straight, swapped)
    assert compared.outcome == outcome
    assert len(compared.calls) == 2
    assert compared.why


def test_a_comparison_shows_neither_pool_nor_which_is_which() -> None:
    model = ScriptedModel(play=lambda _: {"reason": "So.", "choice": "tie"})
    compare(CASE, "WARM words", "COLD words", model)
    for asked in model.asked:
        assert "memory" not in asked.text
        assert not [one.text for one in CASE.pool if one.text in asked.text]


CANDIDATES = (
    Candidate("reference", "Words of REF.", True),
    Candidate("first", "Words of ONE.", True),
    Candidate("second", "Words of TWO.", False),
)


def voter(name: str, wanted: str) -> ScriptedModel:
    """Votes for the reply that says so, wherever it stands."""

    def script(asked: Asked) -> Scripted:
        before = asked.text[: asked.text.find(f"Words of {wanted}")]
        return {"reason": "So.", "choice": before.count("\nReply ") if wanted else 9}

    return ScriptedModel(play=script, name=name)


def test_the_best_is_what_most_voters_choose_whatever_the_order() -> None:
    voters = [voter("a", "TWO"), voter("b", "ONE"), voter("c", "TWO"), voter("d", "")]
    picked = pick_best(CASE, CANDIDATES, voters, seed=7)
    assert picked.winners == ("second",)
    assert picked.counts == {"reference": 0, "first": 1, "second": 2}
    assert picked.share_with_memory == 0.0
    assert [vote.choice for vote in picked.votes] == ["second", "first", "second", None]
    assert "9 is not one of the list" in picked.votes[3].why


def test_a_tie_has_several_winners_and_no_vote_has_none() -> None:
    tied = pick_best(CASE, CANDIDATES, [voter("a", "TWO"), voter("b", "REF")], seed=1)
    assert (tied.winners, tied.share_with_memory) == (("reference", "second"), 0.5)
    nobody = pick_best(CASE, CANDIDATES, [voter("a", "")], seed=1)
    assert (nobody.winners, nobody.share_with_memory) == ((), None)


def test_a_seed_repeats_the_orders_and_voters_see_different_ones() -> None:
    voters = [voter(str(number), "ONE") for number in range(6)]
    first, again = (pick_best(CASE, CANDIDATES, voters, seed=3) for _ in "ab")
    assert [vote.order for vote in first.votes] == [vote.order for vote in again.votes]
    assert len({vote.order for vote in first.votes}) > 1


@pytest.mark.parametrize(("candidates", "voters"), [(1, 1), (2, 0)])
def test_a_choice_takes_two_candidates_and_a_voter(candidates: int, voters: int) -> None:
    with pytest.raises(ValueError, match="at least"):
        pick_best(CASE, CANDIDATES[:candidates], [voter("a", "ONE")] * voters, seed=0)


# The embedded model


@pytest.fixture(scope="module")
def embedded() -> Iterator[EmbeddedServer]:
    try:
        path = ensure_model_file(Settings().models_dir, True, print)
    except ModelFileMissing as error:
        pytest.skip(str(error))
    running = EmbeddedServer(path, threads=1)
    yield running
    running.close()


class Brief:
    """A model that may not go on and on: a small one on a busy machine takes minutes."""

    def __init__(self, model: ChatModel) -> None:
        self.name, self.context_tokens = model.name, model.context_tokens
        self.stream, self.count_tokens = model.stream, model.count_tokens
        self._model = model

    def answer(self, messages: Sequence[Message], form: type[T], sampling: Sampling) -> Answer[T]:
        return self._model.answer(messages, form, replace(sampling, max_tokens=160))


@pytest.mark.model
@pytest.mark.timeout(1200)
def test_the_embedded_model_gives_a_verdict_or_reasons(embedded: EmbeddedServer) -> None:
    verdict = LlmJudge(Brief(embedded.chat(600)), parallel=1).judge(
        replace(CASE, pool=CASE.pool[:1])
    )
    assert [one.entry for one in verdict.entries] == ["id-soup"]
    assert all(one.why for one in verdict.entries if one.usage == "unscored")
    assert verdict.miq.score in (None, 1.0, 2.0, 3.0, 4.0, 5.0)
    assert verdict.miq.why
    assert [call.purpose for call in verdict.calls][0] == "usage"
    assert all(call.raw or call.trouble for call in verdict.calls)


def test_numbers_are_places_in_the_pools_order() -> None:
    swapped = replace(CASE, pool=(CASE.pool[1], CASE.pool[0]))
    answer = usage(NUTS | {"number": 1}, SOUP | {"number": 2})
    verdict = LlmJudge(scripted(UsageForm=answer)).judge(swapped)
    assert [one.entry for one in verdict.entries] == ["id-nuts", "id-soup"]
    assert verdict.of("id-nuts").spans == (Span(49, 72),)
    assert CASE.reply[49:72] == "leave out the hazelnuts"
