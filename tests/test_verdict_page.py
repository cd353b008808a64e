"""Judging in the browser: the walk's rows 6 to 10, by the collection's tags and a second judge."""

import re
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from memory_banks.embedding import EmbedderMissing, packaged_minilm
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.evaluation.experiments import Causal, Samples
from sandbox.transcripts import Session
from tests.browsing import browse, choose, chromium, served, tab
from tests.fakes import LastWord, Script, fake_sandbox
from tests.scripted_model import Asked
from tests.test_evaluating import opened, pasted

expect.set_options(timeout=15_000)
BREATHS = "breathe deeply"
THINKING = Event()
"""Set to let the judge's model answer."""


def character(asked: Asked) -> Any:
    """Breathes deeply unless its notes forbid it; as a judge it thinks for ever."""
    if asked.form is not None and asked.form.__name__ == "UsageForm":
        THINKING.wait(20)
    if asked.form is not None:
        return Script().play(asked)
    return "One step at a time." if BREATHS in asked.text else "Take a deep breath, then start."


def probable(prompt: str, text: str) -> tuple[float, ...]:
    each = -1.0 if BREATHS in prompt else -3.0
    return tuple(each for _word in text.split())


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return fake_sandbox(tmp_path / "data", character, load_judge=LastWord, score=probable)


@pytest.fixture
def page(sandbox: Sandbox) -> Iterator[Page]:
    with served(sandbox) as url, chromium() as context, tab(context) as opened_:
        opened_.goto(url)
        yield opened_


def show(page: Page, session: Session) -> None:
    page.goto(f"{page.url.split('?')[0]}?session={session.id}")
    expect(page.locator("#plates")).to_contain_text(session.speaker)


def evaluate(page: Page, judge: str) -> None:
    """Have a judge of the list judge the inspected reply."""
    expect(page.locator("#evaluate")).to_be_enabled()
    choose(page.locator("#judge input"), page.get_by_role("option").filter(has_text=judge).first)
    page.locator("#evaluate").click()
    expect(page.locator("#card .judge.front")).to_have_text(judge)


def values(page: Page) -> list[str]:
    """The figures of the first two lines, as they stand."""
    return page.locator("#card .figure-value").all_inner_texts()[:8]


def entry_row(page: Page, words: str) -> Locator:
    return page.locator("#card tbody tr").filter(has_text=words)


ROW_6 = {
    "good": "1/1 2/2 0/4 1 1 1 0",
    "over_sharing": "1/1 0/2 4/4 0 0 0 1",
    "forgetful": "0/1 0/2 0/4 0 - - 0",
    "stale": "0/1 0/2 1/4 0 - - 1",
}


@browse
def test_the_four_replies_of_row_6_are_judged_and_one_is_corrected(
    page: Page, sandbox: Sandbox
) -> None:
    session = opened(sandbox, "05")
    for name, expected in ROW_6.items():
        pasted(sandbox, session, name)
        show(page, session)
        expect(page.locator("#card")).to_contain_text("Not judged yet")
        page.locator("#bubbles").get_by_role("button", name="evaluate", exact=True).click()
        expect(page.locator("#card .judge.front")).to_have_text("file")
        assert values(page)[:7] == expected.split(), name
        assert (values(page)[7] == "-") == (name == "forgetful")
    _underlined(page)
    _explained(page)
    _second_judge(page)
    _corrected(page)


def _underlined(page: Page) -> None:
    """The stale reply's span is tied to its entry, from both sides and by keyboard."""
    span = page.locator("#bubbles mark.span")
    expect(span).to_have_count(1)
    expect(span).to_have_attribute("data-letters", "I")
    row = page.locator(f'#card tr[data-entries="{span.get_attribute("data-entries")}"]')
    expect(row).not_to_have_class(re.compile("tied"))
    span.hover()
    expect(row).to_have_class(re.compile("tied"))
    page.mouse.move(2, 2)
    expect(row).not_to_have_class(re.compile("tied"))
    row.locator("th").hover()
    expect(span).to_have_class(re.compile("tied"))
    page.mouse.move(2, 2)
    span.focus()
    expect(row).to_have_class(re.compile("tied"))
    span.blur()
    span.click()
    page.mouse.move(2, 2)
    expect(row).to_have_class(re.compile("tied"))
    page.keyboard.press("Escape")
    expect(row).not_to_have_class(re.compile("tied"))


def _explained(page: Page) -> None:
    """SMC says its formula, its section and what failed: hovered, and focused."""
    smc = page.locator("#card .figure").filter(has_text="SMC").filter(has_text="Strict").first
    tip = smc.locator(".tip")
    expect(tip).to_be_hidden()
    smc.hover()
    expect(tip).to_be_visible()
    for told in ("Strict Memory Compliance", "section 4.1, Eq. 4", "Failed: must used: 0 of 1"):
        expect(tip).to_contain_text(told)
    page.mouse.move(2, 2)
    expect(tip).to_be_hidden()
    smc.focus()
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def _second_judge(page: Page) -> None:
    """The local judge beside the file's tags, each with its agreement; differences marked."""
    evaluate(page, "local")
    heads = page.locator("#card thead th")
    expect(heads).to_have_count(3)
    expect(heads.nth(1)).to_contain_text("given with the data")
    expect(page.locator("#card")).to_contain_text(re.compile(r"judges (differ on|agree on all)"))
    differing = page.locator("#card tr.differs").count()
    expect(page.locator("#card tbody .differing")).to_have_count(differing)


def _corrected(page: Page) -> None:
    """A use is corrected with its reason, the numbers follow, the history keeps both."""
    page.locator("#card thead").get_by_role("button", name="file").click()
    expect(page.locator("#card .judge.front")).to_have_text("file")
    assert values(page)[0] == "0/1"
    row = entry_row(page, "courtyard, 14 Mosaic Lane")
    row.locator("td").first.get_by_role("button").first.click()
    form = page.locator("#correction")
    expect(form).to_contain_text("Use of m2 by file")
    form.get_by_label("used", exact=True).check()
    form.get_by_role("button", name="Save").click()
    expect(page.locator(".toast-wrap")).to_contain_text("needs a reason")
    form.locator("textarea").fill("It names the lane in other words.")
    form.get_by_role("button", name="Save").click()
    expect(form).to_be_hidden()
    expect(page.locator("#card .figure-value").first).to_contain_text("1/1")
    history = page.locator("#card details").filter(has_text="History")
    history.locator("summary").first.click()
    expect(history).to_contain_text("It names the lane in other words.")
    history.get_by_role("button", name="take back").click()
    expect(page.locator("#card .figure-value").first).to_contain_text("0/1")
    expect(page.locator("#card")).to_contain_text("History: 2 corrections")


@browse
def test_rows_8_and_9_part_the_numbers_and_follow_the_rules(page: Page, sandbox: Sandbox) -> None:
    for number, name, smc, miq in (
        ("06", "silent_care", "0", ("4", "4.50", "5")),
        ("11", "distorted", "0", ("1",)),
    ):
        session = opened(sandbox, number)
        pasted(sandbox, session, name)
        show(page, session)
        evaluate(page, "file")
        assert values(page)[3] == smc
        assert values(page)[7] in miq
    failure = page.locator("#card .failure").filter(has_text="distorted").first
    failure.focus()
    expect(failure.locator(".tip")).to_contain_text("otherwise than it is")
    session = opened(sandbox, "04")
    pasted(sandbox, session, "good")
    show(page, session)
    evaluate(page, "file")
    assert values(page)[3] == "1"
    expect(page.locator("#card .rule-followed")).to_have_count(2)
    pasted(sandbox, session, "forgetful")
    show(page, session)
    evaluate(page, "file")
    expect(page.locator("#card .rule-violated")).to_have_count(2)
    expect(page.locator("#card mark.span")).to_have_count(0)


@browse
def test_row_10_switches_a_rule_off_and_shows_what_changes(page: Page, sandbox: Sandbox) -> None:
    session = opened(sandbox, "12")
    show(page, session)
    page.locator("#inspector").get_by_role("tab", name="What if").click()
    fields = page.locator("#switches fieldset")
    expect(fields.first).to_be_visible()
    texts = [one.input_value() for one in fields.locator("textarea").all()]
    [place] = [n for n, text in enumerate(texts) if BREATHS in text]
    fields.nth(place).get_by_role("checkbox").uncheck()
    page.locator("#switches").get_by_role("button", name="Run").click()
    found = page.locator("#experiments")
    for told in ("Same seed and order", "The text changed in 3 of 3 samples", "SMC"):
        expect(found).to_contain_text(told)
    expect(found.locator(".sample")).to_have_count(3)
    expect(found.locator(".sample ins").first).to_be_visible()
    page.locator("#switches").get_by_role("button", name="Log-probability table").click()
    expect(found.locator("table.causal")).to_be_visible()
    expect(found).to_contain_text("Noise floor 0.00 nats")
    above = found.locator("table.causal tr").filter(has_text="above the noise")
    expect(above).to_have_count(1)
    expect(above).to_contain_text(BREATHS)
    expect(found).to_contain_text("Earlier experiments on this reply: 1")
    [turn] = sandbox.sessions.transcript(ACCOUNT, session.id).turns
    assert turn.chosen is not None
    kinds = [type(one.found) for one in sandbox.switchboard.of(ACCOUNT, turn.chosen)]
    assert kinds == [Samples, Causal]
    expect(fields.nth(place).get_by_role("checkbox")).not_to_be_checked()


@browse
def test_a_person_judges_blind_and_is_shown_beside_the_others_when_done(
    page: Page, sandbox: Sandbox
) -> None:
    session = opened(sandbox, "05")
    reply = pasted(sandbox, session, "good")
    sandbox.evaluating.evaluate(ACCOUNT, reply, "file")
    show(page, session)
    expect(page.locator("#card .verdict")).to_be_visible()
    page.locator("#judge-myself").click()
    form = page.locator("#human [data-form]")
    expect(form).to_contain_text("Blind")
    expect(page.locator("#card .verdict")).to_be_hidden()
    assert (
        page.locator("#bubbles mark.span").first.evaluate(
            "(e) => getComputedStyle(e, '::after').content"
        )
        == "none"
    )
    save = form.get_by_role("button", name="Save my verdict")
    save.click()
    expect(page.locator(".toast-wrap")).to_contain_text("7 of 7 entries are left open")
    lane = form.locator("fieldset").filter(has_text="14 Mosaic Lane")
    lane.get_by_label("Use of this entry").select_option("used")
    lane.locator("input").fill("14 Mosaic Lane")
    form.get_by_text("every entry that I leave open is not used").click()
    form.get_by_label("MIQ, 1 to 5").select_option("4")
    save.click()
    expect(page.locator("#human [data-form]")).to_have_count(0)
    expect(page.locator("#card .judge.front")).to_have_text("human")
    expect(page.locator("#card thead th")).to_have_count(3)
    [mine] = [
        one.verdict
        for one in sandbox.evaluating.evaluation(ACCOUNT, reply).judged
        if one.kept.verdict.judge == "human"
    ]
    assert [one.usage for one in mine.entries].count("used") == 1
    assert mine.miq.score == 4.0


@browse
def test_an_entry_that_should_have_come_is_added_and_taken_back(
    page: Page, sandbox: Sandbox
) -> None:
    session = sandbox.sessions.open(ACCOUNT, "Dina Haddadin", "walid-qutami", strategy="no_memory")
    reply = sandbox.conversation.ask(ACCOUNT, session.id, "Which address?").line.id
    show(page, session)
    evaluate(page, "local")
    page.get_by_role("button", name="This should have come").click()
    choose(page.locator("#wanted input"), page.get_by_role("option").first)
    page.locator("#wanting textarea").fill("It answers the question.")
    page.locator("#wanting").get_by_role("button", name="Add it to the pool").click()
    row = page.locator("#card tbody tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("not judged yet")
    expect(row).to_contain_text("should have come")
    assert len(sandbox.evaluating.evaluation(ACCOUNT, reply).wanted) == 1
    row.get_by_role("button", name="take back").click()
    expect(page.locator("#card tbody tr")).to_have_count(0)
    assert sandbox.evaluating.evaluation(ACCOUNT, reply).wanted == ()


@browse
def test_a_judge_that_takes_long_says_so_and_can_be_stopped(page: Page, sandbox: Sandbox) -> None:
    THINKING.clear()
    session = opened(sandbox, "05")
    show(page, session)
    expect(page.locator("#evaluate")).to_be_enabled()
    scripted = page.get_by_role("option").filter(has_text="llm:scripted")
    choose(page.locator("#judge input"), scripted)
    page.locator("#evaluate").click()
    expect(page.locator("#judge-busy")).to_contain_text(
        re.compile(r"llm:scripted is judging · \d+ s")
    )
    expect(page.locator("#evaluate")).to_be_disabled()
    page.locator("#judge-stop").click()
    expect(page.locator(".toast-wrap")).to_contain_text("The judge was stopped before it was done")
    THINKING.set()
    expect(page.locator("#evaluate")).to_be_enabled()
    expect(page.locator("#judge-busy")).to_be_empty()
    expect(page.locator("#card")).to_contain_text("Not judged yet")


@pytest.mark.embedder
@browse
def test_the_local_judge_stands_beside_the_files_tags_with_what_it_was_measured_at(
    tmp_path: Path,
) -> None:
    try:
        packaged_minilm()
    except EmbedderMissing as error:
        pytest.skip(str(error))
    real = fake_sandbox(tmp_path / "data", character)
    session = opened(real, "05")
    pasted(real, session, "over_sharing")
    with served(real) as url, chromium() as context, tab(context) as page:
        page.goto(url)
        show(page, session)
        evaluate(page, "file")
        local = page.get_by_role("option").filter(has_text="local")
        choose(page.locator("#judge input"), local)
        page.locator("#evaluate").click()
        expect(page.locator("#card .judge.front")).to_have_text("local", timeout=60_000)
        head = page.locator("#card thead th").filter(has_text="local")
        expect(head).to_contain_text(re.compile(r"kappa 0\.\d\d .*n = \d+ replies, English"))
        expect(entry_row(page, "14 Mosaic Lane").locator("td")).to_have_count(2)
        expect(page.locator("#bubbles mark.span").first).to_be_visible()
