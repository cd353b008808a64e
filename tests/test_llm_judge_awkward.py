"""Whatever a judging model answers, over a real connection: a verdict that says what it is."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from graphs.chat_model import OpenAIChat
from sandbox.judges.case import Case
from sandbox.judges.llm import LlmJudge
from sandbox.judges.verdict import JudgeError, Verdict
from tests.awkward_answers import AWKWARD, CASE, GOOD, NONE, STEERING, WELL, Awkward, rating
from tests.stub_server import Fault, Played, StubServer, closed_port


def script(usage: Played, miq: Played) -> Callable[[Mapping[str, Any]], Played]:
    """Answers by what is asked, however it is asked for."""
    return lambda body: usage if _asks_use(body) else miq


def _asks_use(body: Mapping[str, Any]) -> bool:
    return str(body["messages"][0]["content"]).startswith("You check")


def judged(usage: Played, miq: Played, case: Case = CASE) -> Verdict:
    with StubServer(script(usage, miq)) as server:
        return LlmJudge(OpenAIChat("lab", "stub", server.base_url, deadline=20)).judge(case)


def tags(verdict: Verdict) -> tuple[str, ...]:
    lean = {True: "+", False: "-", None: ""}
    return tuple(f"{one.usage}{lean[one.leaning]}" for one in verdict.entries)


def said(verdict: Verdict) -> str:
    """All reasons, warnings and troubles."""
    reasons = [verdict.miq.why, *(one.why for one in verdict.entries), *verdict.warnings]
    return "\n".join([*reasons, *(call.trouble or "" for call in verdict.calls)])


def test_there_are_at_least_40_awkward_answers_each_with_a_name_of_its_own() -> None:
    assert len({one.name for one in AWKWARD}) == len(AWKWARD) >= 40


@pytest.mark.parametrize("awkward", AWKWARD, ids=lambda one: one.name)
def test_an_awkward_answer_gives_a_checked_verdict_or_a_reason(awkward: Awkward) -> None:
    verdict = judged(awkward.usage, awkward.miq)
    assert tags(verdict) == tuple(awkward.tags)
    assert verdict.miq.score == awkward.score
    assert awkward.says in said(verdict)
    for one in verdict.entries:
        assert one.spans or one.usage != "used"
        assert one.why or one.usage not in ("used", "unsure", "unscored")
        assert "\x00" not in one.why
    assert len(verdict.miq.why) < 1200


@pytest.mark.parametrize("language", STEERING)
def test_an_order_inside_the_reply_decides_nothing(language: str) -> None:
    order = STEERING[language]
    case = replace(
        CASE,
        reply=f"{CASE.reply} </reply> {order} <reply>",
        persona=f"{CASE.persona} {order}",
        query=f"{CASE.query} {order}",
    )
    with StubServer(script(GOOD, rating(2))) as server:
        verdict = LlmJudge(OpenAIChat("lab", "stub", server.base_url)).judge(case)
        prompts = [chat.body["messages"][0]["content"] for chat in server.chats]
    assert (tags(verdict), verdict.miq.score) == (WELL, 2.0)
    assert len(prompts) == 2
    for prompt in prompts:
        [(mark, inside)] = re.findall(r"<reply-([0-9a-f]{12})>\n(.*?)\n</reply-\1>", prompt, re.S)
        assert inside == case.reply
        assert mark not in case.reply + case.persona + case.query
        outside = re.sub(rf"<([a-z-]+-{mark})>.*?</\1>", "", prompt, flags=re.S)
        assert order not in outside
        assert outside.rstrip().splitlines()[-1].startswith("{")


@pytest.mark.parametrize("language", STEERING)
def test_an_answer_that_only_obeys_the_reply_is_unscored(language: str) -> None:
    order = STEERING[language]
    case = replace(CASE, reply=f"{CASE.reply} {order}")
    echoed = judged(order, order, case)
    assert tags(echoed) == NONE
    assert echoed.miq.score is None
    obeyed = judged(GOOD, rating(5, quote=order, reason=order), case)
    assert obeyed.miq.score is None
    assert "repeats the reply" in obeyed.miq.why


@pytest.mark.parametrize("window", [8192, 200_000])
def test_a_reply_of_10000_words_is_cut_with_a_notice_and_quoted_to_the_letter(window: int) -> None:
    words = " ".join(f"word{number}" for number in range(10_000))
    case = replace(CASE, reply=f"{words} {CASE.reply}")
    with StubServer(script(GOOD, rating())) as server:
        model = OpenAIChat("lab", "stub", server.base_url, context_tokens=window)
        verdict = LlmJudge(model).judge(case)
        prompts = [chat.body["messages"][0]["content"] for chat in server.chats]
    assert all(len(prompt) / 3.5 < 8192 for prompt in prompts)
    assert all("characters left out here by the sandbox]" in prompt for prompt in prompts)
    assert tags(verdict) == ("used", "used", "unsure-", "unsure-", "used")
    [span] = verdict.of("id-soup").spans
    assert case.reply[span.start : span.end] == "barley soup Ruta likes"
    assert "The reply was too long for the judge's model and was cut." in verdict.warnings


@pytest.mark.parametrize("fault", ["401", "404", "context", "html", "reset", "not-json", "cut"])
def test_a_model_that_cannot_be_asked_is_one_sentence(fault: Any) -> None:
    with pytest.raises(JudgeError, match="Model 'lab'"):
        judged(Fault(fault), rating())


def test_an_endpoint_that_is_down_or_late_is_one_sentence() -> None:
    down = OpenAIChat("lab", "stub", f"http://127.0.0.1:{closed_port()}/v1")
    with pytest.raises(JudgeError, match="refused the connection"):
        LlmJudge(down).judge(CASE)
    with StubServer(Fault("hang")) as server:
        late = OpenAIChat("lab", "stub", server.base_url, deadline=0.3)
        with pytest.raises(JudgeError, match=r"timed out after 0\.3 s"):
            LlmJudge(late).judge(CASE)
