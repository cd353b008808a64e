"""The page in a browser: what people do, what they see, and what never runs."""

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import (
    BrowserContext,
    Dialog,
    Locator,
    Page,
    Request,
    expect,
    sync_playwright,
)

from graphs.chat_model import ModelError
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.edits import Edit
from sandbox.port import reserve, url_of
from sandbox.transcripts import Turn
from sandbox.ui.page import build_page, page_look
from sandbox.ui.server import create_app
from tests.browsing import BROWSER, CHROMIUM, SWITCHES, choose
from tests.fakes import Script, fake_sandbox
from tests.scripted_model import Asked

expect.set_options(timeout=15_000)
WALID = "walid-qutami"

pytestmark = list(BROWSER)


@dataclass
class Bench:
    """A served page whose model plays a script at a pace that a test sets."""

    sandbox: Sandbox
    script: Script
    pace: Event
    """Cleared: every reply stops behind its first word."""
    url: str = ""
    trouble: list[ModelError] = field(default_factory=list)
    """What the next replies fail with."""

    def turns(self, page: Page) -> list[Turn]:
        session = re.search(r"session=([\w-]+)", page.url)
        assert session, page.url
        return list(self.sandbox.sessions.transcript(ACCOUNT, session[1]).turns)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    script, pace, trouble = Script(), Event(), list[ModelError]()
    pace.set()

    def play(asked: Asked) -> Any:
        if asked.form is None and trouble:
            return trouble.pop()
        return script.play(asked)

    sandbox = fake_sandbox(tmp_path_factory.mktemp("page"), play, pause=pace)
    made = Bench(sandbox, script, pace, trouble=trouble)
    with reserve("127.0.0.1", 0) as listener:
        app = create_app(build_page(sandbox), page_look(), "127.0.0.1")
        config = uvicorn.Config(app, log_config=None, ws="none", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        sandbox.start()
        made.url = url_of(listener)
        yield made
        pace.set()
        server.should_exit = True
        thread.join(10)
    sandbox.close()


@pytest.fixture(autouse=True)
def fresh(bench: Bench) -> Iterator[None]:
    """Every test begins at full pace with an empty script, and leaves nothing running."""
    bench.script.replies = {}
    bench.script.captures = []
    bench.script.updates = []
    bench.trouble.clear()
    bench.pace.set()
    yield
    bench.pace.set()


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserContext]:
    """One browser, so that only the first page has to fetch Gradio's files."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=str(CHROMIUM), args=SWITCHES)
        context = launched.new_context(viewport={"width": 1440, "height": 900})
        context.set_default_timeout(15_000)
        yield context
        launched.close()


@pytest.fixture
def page(browser: BrowserContext) -> Iterator[Page]:
    """A tab that must see no script error, no dialog and no request to anywhere else."""
    opened = browser.new_page()
    failures: list[str] = []

    def look_at(request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            failures.append(f"request {request.url}")

    def close(dialog: Dialog) -> None:
        failures.append(f"dialog {dialog.message}")
        dialog.dismiss()

    opened.on("pageerror", lambda error: failures.append(f"error {error}"))
    opened.on("request", look_at)
    opened.on("dialog", close)
    yield opened
    opened.close()
    assert failures == []


def box(page: Page) -> Locator:
    return page.get_by_placeholder("Write a message")


def click(page: Page, name: str, exact: bool = True) -> None:
    page.get_by_role("button", name=name, exact=exact).first.click()


def open_as(bench: Bench, page: Page, name: str, character: str = "Walid Qutami") -> None:
    """Behind the second door: a session of `name`, whose memory is blank."""
    page.goto(bench.url)
    page.get_by_label("Your name").fill(name)
    page.locator("#character-door").get_by_role("button", name=character).click()
    expect(box(page)).to_be_visible()
    expect(page).to_have_url(re.compile("session="))


def say(page: Page, text: str) -> None:
    box(page).fill(text)
    box(page).press("Enter")


def settled(page: Page) -> None:
    """Wait until the latest reply is saved."""
    expect(page.get_by_role("button", name="regenerate")).to_be_visible()


# The first view


def test_the_first_view_names_the_machinery_and_offers_three_doors(
    bench: Bench, page: Page
) -> None:
    page.goto(bench.url)
    banner = page.locator("#banner")
    expect(banner).to_contain_text("model scripted ready")
    expect(banner).to_contain_text("index ready")
    expect(banner).to_contain_text(str(bench.sandbox.settings.data_dir))
    expect(banner).to_contain_text("no network")
    expect(banner).to_contain_text("memory scoping, not access control")
    for door in ("Sample chat", "Character", "File"):
        expect(page.get_by_role("heading", name=door)).to_be_visible()


def test_a_sample_chat_opens_with_its_bank_its_clock_and_openers(bench: Bench, page: Page) -> None:
    page.goto(bench.url)
    click(page, "Dina Haddadin → Walid Qutami")
    plates = page.locator("#plates")
    expect(plates).to_contain_text("Dina Haddadin")
    expect(plates).to_contain_text("clock 2026-03-26 11:05 +03:00")
    opener = page.locator("#bubbles .opener").first
    text = opener.inner_text()
    opener.click()
    expect(box(page)).to_have_value(text)
    assert bench.turns(page) == []


def test_choosing_a_character_preselects_its_sample_user(bench: Bench, page: Page) -> None:
    page.goto(bench.url)
    expect(page.get_by_role("heading", name="Sample chat")).to_be_visible()
    choose(page.get_by_label("Character").first, page.get_by_role("option", name="Lantern"))
    expect(page.get_by_label("I speak as")).to_have_value("Adjoa")
    expect(page.locator("#profile")).to_contain_text("Nine years old")


def test_whoever_speaks_as_themselves_stays_when_the_character_changes(
    bench: Bench, page: Page
) -> None:
    open_as(bench, page, "Steady Sal")
    choose(page.get_by_label("Character").first, page.get_by_role("option", name="Lantern"))
    expect(page.get_by_role("heading", name="Sample chat")).to_be_visible()
    expect(page.get_by_label("I speak as")).to_have_value("Steady Sal")


def test_a_bank_file_is_imported_once_and_counted(bench: Bench, page: Page, tmp_path: Path) -> None:
    line = '{"id": "n-1", "side": "user", "type": "fact", "text": "Adjoa has a red kite."}\n'
    file = tmp_path / "kite.jsonl"
    file.write_text(line, encoding="utf-8")
    page.goto(bench.url)
    page.get_by_test_id("Choose a bank file-upload-button").set_input_files(file)
    expect(page.get_by_text("1 added, 0 already known.")).to_be_visible()
    expect(page.locator("#bank")).to_contain_text("Adjoa has a red kite.")


def test_a_blank_user_gets_the_sample_bank_with_one_click(bench: Bench, page: Page) -> None:
    open_as(bench, page, "Blank Bo")
    page.get_by_role("tab", name="Bank").click()
    expect(page.locator("#bank")).to_contain_text("This bank is empty")
    click(page, "Copy the sample bank")
    expect(page.locator("#bank")).to_contain_text("30 live")


def test_a_link_to_no_session_says_so_and_shows_the_doors(bench: Bench, page: Page) -> None:
    page.goto(f"{bench.url}/session/nothing")
    expect(page.get_by_text("There is no session 'nothing'")).to_be_visible()
    expect(page.get_by_role("heading", name="Sample chat")).to_be_visible()


def test_somebody_new_speaks_with_a_blank_memory(bench: Bench, page: Page) -> None:
    page.goto(bench.url)
    expect(page.locator("#profile")).to_contain_text("café")
    page.get_by_label("I speak as").fill("New Nia")
    page.get_by_label("I speak as").press("Enter")
    expect(page.locator("#profile")).to_contain_text("Nothing is known about this person yet")
    click(page, "New session")
    expect(page.locator("#plates")).to_contain_text("New Nia")
    expect(page.locator("#sessions .session")).to_have_count(1)


# Turns


def test_a_message_is_answered_saved_and_inspected(bench: Bench, page: Page) -> None:
    bench.script.replies = {"": "To the courtyard."}
    page.goto(bench.url)
    click(page, "Dina Haddadin → Walid Qutami")
    box(page).fill("Be quick.")
    box(page).press("Shift+Enter")
    box(page).press_sequentially("Which address?")
    box(page).press("Enter")
    settled(page)
    expect(box(page)).to_have_value("")
    assert [turn.text for turn in bench.turns(page)] == ["Be quick.\nWhich address?"]
    expect(page.locator("#bubbles .bubble.agent").last).to_contain_text("To the courtyard.")
    inspector = page.locator("#reply")
    expect(inspector).to_contain_text("8 of 30 recalled")
    expect(inspector.locator(".injected > li")).to_have_count(8)
    expect(inspector.locator(".injected .score").first).to_contain_text(re.compile(r"dense \d\.\d"))
    expect(inspector.locator(".fallen .why").first).to_contain_text("Below the 8 closest.")
    inspector.get_by_text("The exact").click()
    expect(inspector.locator(".message").last).to_contain_text("Which address?")


def test_a_reply_grows_on_the_screen_and_stop_saves_what_there_is(bench: Bench, page: Page) -> None:
    bench.script.replies = {"": "Half of a reply."}
    open_as(bench, page, "Stopping Sam")
    bench.pace.clear()
    say(page, "Tell me.")
    live = page.locator("#live")
    expect(live).to_contain_text("Half")
    expect(live).to_contain_text("not saved yet")
    click(page, "Stop")
    settled(page)
    expect(page.locator("#bubbles .bubble.agent").last).to_contain_text("stopped by you")
    [turn] = bench.turns(page)
    assert turn.reply is not None
    assert (turn.reply.text.strip(), turn.reply.finish) == ("Half", "stopped")


def test_a_reload_in_mid_stream_follows_the_same_reply(bench: Bench, page: Page) -> None:
    bench.script.replies = {"": "One two three."}
    open_as(bench, page, "Reloading Rae")
    bench.pace.clear()
    say(page, "Count.")
    expect(page.locator("#live")).to_contain_text("One")
    page.reload()
    expect(page.locator("#live")).to_contain_text("One")
    bench.pace.set()
    settled(page)
    expect(page.locator("#bubbles")).to_contain_text("One two three.")
    assert len(bench.turns(page)) == 1


def test_closing_the_tab_stops_nothing(bench: Bench, browser: BrowserContext) -> None:
    bench.script.replies = {"": "All the same."}
    closed = browser.new_page()
    open_as(bench, closed, "Leaving Lea")
    bench.pace.clear()
    say(closed, "Go on.")
    expect(closed.locator("#live")).to_contain_text("All")
    address = closed.url
    closed.close()
    bench.pace.set()
    again = browser.new_page()
    again.goto(address)
    settled(again)
    expect(again.locator("#bubbles")).to_contain_text("All the same.")
    again.close()


def test_enter_twice_and_a_click_are_one_turn(bench: Bench, page: Page) -> None:
    open_as(bench, page, "Double Dot")
    box(page).fill("Once.")
    page.evaluate(
        """() => {
          const field = document.querySelector('#message textarea');
          const enter = () => field.dispatchEvent(
            new KeyboardEvent('keypress', {key: 'Enter', bubbles: true, cancelable: true}));
          enter(); enter();
          [...document.querySelectorAll('button')].find((b) => b.innerText === 'Send').click();
        }"""
    )
    settled(page)
    expect(box(page)).to_have_value("")
    assert [turn.text for turn in bench.turns(page)] == ["Once."]
    assert len(bench.turns(page)[0].replies) == 1


def test_a_second_tab_is_told_that_the_session_is_busy_and_keeps_its_text(
    bench: Bench, page: Page, browser: BrowserContext
) -> None:
    bench.script.replies = {"": "Busy now."}
    open_as(bench, page, "Two-tab Tia")
    second = browser.new_page()
    second.goto(page.url)
    expect(box(second)).to_be_visible()
    bench.pace.clear()
    say(page, "First.")
    expect(page.locator("#live")).to_contain_text("Busy")
    say(second, "Second.")
    expect(second.get_by_text("A reply is being written in this session")).to_be_visible()
    expect(second.locator("#live")).to_contain_text("Busy")
    expect(box(second)).to_have_value("Second.")
    bench.pace.set()
    settled(second)
    box(second).press("Enter")
    expect(second.locator("#bubbles")).to_contain_text("Second.")
    settled(second)
    assert [turn.text for turn in bench.turns(page)] == ["First.", "Second."]
    second.close()


def test_another_session_is_never_mixed_with_a_reply_on_its_way(bench: Bench, page: Page) -> None:
    bench.script.replies = {"": "Slow words."}
    open_as(bench, page, "Switching Sia")
    bench.pace.clear()
    say(page, "Begin.")
    expect(page.locator("#live")).to_contain_text("Slow")
    click(page, "New session")
    expect(page.locator("#bubbles")).not_to_contain_text("Begin.")
    bench.pace.set()
    say(page, "Here?")
    settled(page)
    expect(page.locator("#bubbles .bubble.user")).to_have_count(1)
    page.locator("#sessions .session").last.click()
    expect(page.locator("#bubbles")).to_contain_text("Slow words.")


def test_a_turn_without_reply_says_why_and_offers_its_text_again(bench: Bench, page: Page) -> None:
    open_as(bench, page, "Unlucky Uma")
    bench.trouble.append(ModelError("The model <b>cannot</b> be reached: start it."))
    say(page, "Anybody there?")
    trouble = page.locator("#bubbles .trouble")
    expect(trouble).to_contain_text("The model <b>cannot</b> be reached: start it.")
    expect(box(page)).to_have_value("Anybody there?")
    page.reload()
    expect(box(page)).to_have_value("Anybody there?")
    trouble.get_by_role("button", name="Try again").click()
    settled(page)
    assert [turn.text for turn in bench.turns(page)] == ["Anybody there?"]


def test_a_turn_that_another_text_replaces_is_not_lost_in_silence(bench: Bench, page: Page) -> None:
    open_as(bench, page, "Hasty Hana")
    bench.trouble.append(ModelError("The model is out."))
    say(page, "My flight is on Friday.")
    expect(page.locator("#bubbles .trouble")).to_be_visible()
    say(page, "Never mind.")
    expect(page.get_by_text("The message without a reply was withdrawn")).to_be_visible()
    settled(page)
    assert [turn.text for turn in bench.turns(page)] == ["Never mind."]


def test_what_cannot_be_sent_is_told_and_stays_in_the_box(bench: Bench, page: Page) -> None:
    open_as(bench, page, "Wrong-clock Wes")
    page.get_by_label("Session clock").fill("<i>yesterday</i>")
    say(page, "Now?")
    told = page.get_by_text("clock must be a date and time with an offset").first
    expect(told).to_contain_text("got '<i>yesterday</i>'")
    expect(box(page)).to_have_value("Now?")
    assert bench.turns(page) == []


def test_an_older_reply_is_inspected_from_the_keyboard(bench: Bench, page: Page) -> None:
    open_as(bench, page, "Keyboard Kai")
    for text in ("First question.", "Second question."):
        say(page, text)
        settled(page)
        expect(page.locator("#reply")).to_contain_text(text)
    page.get_by_role("button", name="inspect", exact=True).press("Enter")
    expect(page.locator("#reply")).to_contain_text("First question.")
    expect(page.locator("#reply")).not_to_contain_text("Second question.")
    expect(page.locator("#bubbles .bubble.selected")).to_have_count(1)


def test_siblings_are_made_chosen_and_written_by_hand(bench: Bench, page: Page) -> None:
    bench.script.replies = {"": "The model's words."}
    open_as(bench, page, "Sibling Sol")
    say(page, "Again?")
    settled(page)
    click(page, "regenerate")
    expect(page.get_by_text("reply 2 of 2")).to_be_visible()
    click(page, "reply before")
    expect(page.get_by_text("reply 1 of 2")).to_be_visible()
    click(page, "write the reply myself")
    page.get_by_label("The reply, written by you").fill("My own words.")
    click(page, "Save this reply")
    expect(page.get_by_text("reply 3 of 3")).to_be_visible()
    expect(page.locator("#bubbles .bubble.agent").last).to_contain_text("written by hand")
    expect(page.locator("#reply")).to_contain_text("Written by hand: nothing was recalled")
    [turn] = bench.turns(page)
    assert turn.reply is not None
    assert turn.reply.text == "My own words."


# Who speaks


def test_a_profile_is_edited_and_reaches_the_prompt_only_when_switched_on(
    bench: Bench, page: Page
) -> None:
    open_as(bench, page, "Profiled Pia")
    page.get_by_label("the character knows my profile").click()  # it is unticked again at once
    expect(page.get_by_text("There is no profile to know")).to_be_visible()
    expect(page.get_by_label("the character knows my profile")).not_to_be_checked()
    click(page, "edit who I am")
    page.get_by_label("Who I am", exact=True).fill("Allergic to sesame <b>.")
    page.locator("#about").get_by_role("button", name="Save").click()
    expect(page.locator("#profile")).to_contain_text("Allergic to sesame <b>.")
    prompts = []
    for knows in (False, True):
        page.get_by_label("the character knows my profile").set_checked(knows)
        expect(page.locator("#plates .facts")).to_contain_text("knows who" if knows else "clock")
        say(page, f"Dessert, {knows}?")
        expect(page.locator("#reply")).to_contain_text(f"Dessert, {knows}?")
        settled(page)
        [*_, turn] = bench.turns(page)
        assert turn.chosen is not None
        prompts.append(str(bench.sandbox.conversation.reply(ACCOUNT, turn.chosen).messages))
    assert ["Allergic to sesame <b>." in prompt for prompt in prompts] == [False, True]
    page.reload()
    expect(page.get_by_label("the character knows my profile")).to_be_checked()


def test_swapped_the_box_writes_the_characters_reply_as_a_sibling(bench: Bench, page: Page) -> None:
    open_as(bench, page, "Swapping Sun")
    page.get_by_label("speak as Walid Qutami").check()
    page.get_by_placeholder("Write what Walid Qutami says").fill("Me first.")
    click(page, "Reply")
    expect(page.get_by_text("Nothing was said yet that the character could answer")).to_be_visible()
    page.get_by_label("speak as Walid Qutami").uncheck()
    expect(box(page)).to_have_value("Me first.")
    box(page).press("Enter")
    settled(page)
    page.get_by_label("speak as Walid Qutami").check()
    page.get_by_placeholder("Write what Walid Qutami says").fill("My words as him.")
    click(page, "Reply")
    expect(page.get_by_text("reply 2 of 2")).to_be_visible()
    expect(page.locator("#bubbles .bubble.agent").last).to_contain_text("My words as him.")
    [turn] = bench.turns(page)
    assert [line.author for line in turn.replies] == ["model", "human"]
    assert turn.chosen == turn.replies[1].id


# Memory

CAPTURED = {
    "entries": [
        {"utterance": 1, "type": "fact", "text": "Emil moved to Tallinn."},
        {"utterance": 2, "type": "agent_identity", "text": "Walid answers in metric from now on."},
        {"utterance": 1, "type": "user_profile", "text": "Emil is fond of metric units."},
        {"utterance": 1, "type": "rumour", "text": "Not a type."},
    ]
}


def test_the_end_proposes_and_every_decision_shows_at_once(bench: Bench, page: Page) -> None:
    bench.script.captures = [CAPTURED]
    open_as(bench, page, "Emil")
    say(page, "I moved to Tallinn; answer in metric from now on.")
    settled(page)
    click(page, "End session")
    listed, bank = page.locator("#proposals"), page.locator("#bank")
    expect(listed.locator(".proposal")).to_have_count(3)
    expect(listed).to_contain_text("Emil said: “I moved to Tallinn")
    expect(listed.locator(".proposal").nth(1)).to_contain_text("only Walid Qutami")
    expect(listed).to_contain_text("refused (1)")
    listed.locator(".proposal").nth(0).get_by_role("button", name="Edit").click()
    page.locator("#edit-form").get_by_label("What is to be remembered").fill("Emil lives there.")
    click(page, "Approve as edited")
    expect(listed).to_contain_text("approved as edited")
    expect(listed).to_contain_text("bank now at revision 1")
    listed.locator(".proposal").nth(1).get_by_role("button", name="Approve").click()
    expect(listed).to_contain_text("bank now at revision 2")
    listed.locator(".proposal").nth(2).get_by_role("button", name="Reject").click()
    expect(listed).to_contain_text("0 to decide, 3 decided")
    page.get_by_role("tab", name="Bank").click()
    expect(bank).to_contain_text(re.compile(r"revision 2 · .* · 2 live"))
    expect(bank).to_contain_text("Emil lives there.")
    page.reload()
    expect(page.locator("#plates")).to_contain_text("read-only")
    page.get_by_role("tab", name="Proposals").click()
    expect(page.locator("#proposals")).to_contain_text("0 to decide, 3 decided")
    expect(box(page)).to_be_hidden()
    click(page, "Continue")
    expect(box(page)).to_be_visible()
    expect(page.locator("#plates")).to_contain_text("continues")


def test_nothing_found_and_not_readable_look_different(bench: Bench, page: Page) -> None:
    bench.script.captures = [{"entries": []}, "I <b>decline</b>.", {"entries": []}]
    listed = page.locator("#proposals")
    open_as(bench, page, "Empty Eve")
    say(page, "Hello.")
    settled(page)
    click(page, "End session")
    expect(listed).to_contain_text("No entries")
    click(page, "New session")
    say(page, "Hello again.")
    settled(page)
    click(page, "End session")
    expect(listed).to_contain_text("Unreadable")
    listed.get_by_text("Notes (").click()
    expect(listed).to_contain_text("I <b>decline</b>.")
    click(page, "Read it again")
    expect(listed).to_contain_text("No entries")
    expect(listed).not_to_contain_text("Unreadable:")


def test_an_entry_captured_by_hand_counts_at_once(bench: Bench, page: Page) -> None:
    open_as(bench, page, "Handy Hal")
    say(page, "I am left-handed.")
    settled(page)
    click(page, "Capture by hand from this turn")
    form = page.locator("#capture-form")
    form.get_by_label("What is to be remembered").fill("Hal is left-handed.")
    expect(form.get_by_label("Date")).to_have_value(bench.turns(page)[0].at[:10])
    click(page, "Remember this")
    expect(form).to_be_hidden()
    page.get_by_role("tab", name="Bank").click()
    expect(page.locator("#bank")).to_contain_text("Hal is left-handed.")
    expect(page.locator("#bank")).to_contain_text(re.compile(r"revision 1 · .* · 1 live"))


def test_the_inspector_follows_an_entry_from_recall_to_its_chain_and_the_prompt(
    bench: Bench, page: Page
) -> None:
    page.goto(bench.url)
    click(page, "Dina Haddadin → Walid Qutami")
    for text in ("Which hall is it?", "And how wide is the gate?"):
        say(page, text)
        settled(page)
        expect(page.locator("#reply")).to_contain_text(text)
    inspector = page.locator("#reply")
    expect(inspector.locator(".funnel")).to_contain_text(re.compile("recalled 30.*injected 8.*not"))
    expect(inspector.locator(".squares .square.in")).to_have_count(8)
    chained = inspector.locator("li", has_text="chain of 3 states").first
    chained.locator("summary").click()
    expect(chained.locator(".chain > li")).to_have_count(3)
    legend = inspector.locator(".legend")
    expect(legend).to_contain_text(re.compile("persona ≈ [1-9].*talk.*notes ≈ [1-9]"))
    inspector.get_by_text("What changed since").click()
    expect(inspector.locator(".diff ins").first).to_be_visible()


def test_a_recall_is_looked_at_with_and_without_what_is_gone(bench: Bench, page: Page) -> None:
    page.goto(bench.url)
    click(page, "Dina Haddadin → Walid Qutami")
    expect(page.locator("#plates")).to_contain_text("Dina")
    page.get_by_role("tab", name="Recall").click()
    page.get_by_label("Text", exact=True).fill("barn near Wadi Ziglab")
    click(page, "Recall")
    found = page.locator("#recall-found")
    expect(found.locator(".previewed > li")).to_have_count(20)
    expect(found).not_to_contain_text("lakeside barn")
    page.get_by_label("with superseded and deleted").check()
    click(page, "Recall")
    expect(found.locator("li.gone", has_text="lakeside barn")).to_contain_text("superseded by that")
    page.get_by_label("At revision").fill("3")
    click(page, "Recall")
    expect(found.locator(".previewed > li")).to_have_count(3)
    page.get_by_label("At revision").fill("99999")
    click(page, "Recall")
    expect(page.get_by_text("The revision must be 0 to")).to_be_visible()


def test_entries_are_added_changed_deleted_and_restored_by_hand(bench: Bench, page: Page) -> None:
    open_as(bench, page, "Bank-keeping Bea")
    page.get_by_role("tab", name="Bank").click()
    bank, form = page.locator("#bank"), page.locator("#bank-form")
    click(page, "Add an entry")
    form.get_by_label("What is to be remembered").fill("Bea lives in Riga.")
    form.get_by_label("Why").fill("She said so.")
    click(page, "Save")
    expect(bank).to_contain_text(re.compile(r"revision 1 · .* · 1 live"))
    click(page, "edit")
    form.get_by_label("What is to be remembered").fill("Bea lives in Tartu.")
    click(page, "Save")
    expect(bank).to_contain_text("1 live, 1 superseded")
    click(page, "delete")
    expect(page.locator("#delete-form")).to_contain_text("Bea lives in Tartu.")
    page.locator("#delete-form").get_by_label("Why").fill("Asked to forget.")
    click(page, "Delete it")
    expect(bank).to_contain_text(re.compile(r"revision 4 · .* · 0 live"))
    click(page, "Undo")
    expect(bank).to_contain_text(re.compile(r"revision 5 · .* · 1 live"))
    page.get_by_text("Timeline: 5 operations").click()
    told = page.locator("#timeline .timeline > li")
    expect(told.nth(1)).to_contain_text("Asked to forget.")
    told.nth(4).get_by_role("button", name="r1").click()
    expect(bank).to_contain_text("As it was at revision 1 of 5: read-only")
    expect(bank).to_contain_text("Bea lives in Riga.")
    expect(bank.get_by_role("button", name="edit")).to_have_count(0)
    page.locator("#revision input[type=number]").fill("3")
    expect(bank).to_contain_text("As it was at revision 3 of 5")
    click(page, "back to now")
    expect(bank).to_contain_text(re.compile(r"revision 5 · .* · 1 live"))


def test_a_change_that_lost_a_race_is_told_and_its_text_is_kept(bench: Bench, page: Page) -> None:
    open_as(bench, page, "Racing Ray")
    dyad = bench.sandbox.banks.dyad(ACCOUNT, "Racing Ray", WALID)
    edit = Edit("fact", "Ray runs.")
    [added] = bench.sandbox.editing.add(dyad, edit, draft="a")
    page.reload()
    expect(page.locator("#plates")).to_contain_text("Racing Ray")
    page.get_by_role("tab", name="Bank").click()
    click(page, "edit")
    form = page.locator("#bank-form")
    form.get_by_label("What is to be remembered").fill("Ray swims.")
    bench.sandbox.editing.delete(dyad, added.entry_id, draft="b")
    click(page, "Save")
    expect(page.get_by_text("was changed or deleted meanwhile")).to_be_visible()
    expect(form.get_by_label("What is to be remembered")).to_have_value("Ray swims.")
    expect(page.locator("#bank")).to_contain_text(re.compile(r"revision 2 · .* · 0 live"))


def test_a_bank_of_thousands_is_searched_and_shown_in_parts(bench: Bench, page: Page) -> None:
    lines = "".join(
        f'{{"id": "m-{n}", "side": "user", "type": "fact", "text": "Fact number {n}."}}\n'
        for n in range(5000)
    )
    bench.sandbox.banks.import_file(ACCOUNT, "Many Mo", WALID, lines.encode(), "many.jsonl")
    open_as(bench, page, "Many Mo")
    page.get_by_role("tab", name="Bank").click()
    bank = page.locator("#bank")
    expect(bank.locator(".entries > li")).to_have_count(100)
    click(page, "Show 100 more of 4900 older ones")
    expect(bank.locator(".entries > li")).to_have_count(200)
    page.get_by_placeholder("Search the bank").fill("number 4321")
    expect(bank.locator(".entries > li")).to_have_count(1)
    expect(bank).to_contain_text("1 found, 5000 live")


# Instances


def test_an_instance_has_its_history_clock_state_query_and_a_bank_of_its_own(
    bench: Bench, page: Page
) -> None:
    shipped = bench.sandbox.instances.shipped
    opened = bench.sandbox.instances.open(ACCOUNT, shipped.sha256, "demo-05")
    page.goto(f"{bench.url}/session/{opened.id}")
    expect(page.locator("#bubbles .bubble.before")).to_have_count(3)
    plates = page.locator("#plates")
    expect(plates).to_contain_text("clock 2026-03-26 11:05 +03:00")
    expect(plates).to_contain_text("Anxious / Activities")
    expect(page.locator("#profile")).to_contain_text("instance demo-05")
    expect(page.locator("#profile")).to_contain_text("Its bank is its own")
    expect(box(page)).to_have_value(re.compile("Which address"))
    page.get_by_role("tab", name="Bank").click()
    expect(page.locator("#bank")).to_contain_text("5 live, 2 superseded")
    expect(page.locator("#columns")).not_to_contain_text(re.compile(r"\b(irr|nice)\b"))
    click(page, "Send")
    settled(page)
    expect(page.locator("#sessions .session")).to_have_count(1)
    page.get_by_role("tab", name="Reply").click()
    expect(page.locator("#reply .funnel")).to_contain_text(re.compile("recalled 7.*injected 7"))
    click(page, "New session")
    expect(page.locator("#sessions .session")).to_have_count(2)
    expect(page.locator("#profile")).to_contain_text("instance demo-05")


# Text is text

PAYLOADS = (
    "<img src=x onerror=leak('img')>",
    "</script><script>leak('script')</script>",
    "![m](http://127.0.0.1:9/markdown.png)",
    "${leak('template')}",
    "{{leak}}{{#each this}}x{{/each}}",
    "{{constructor.constructor('leak(1)')()}}",
    "`${leak('tick')}`",
    "<svg onload=leak('svg')></svg>",
    "<a href=\"javascript:leak('link')\">link</a>",
    "<iframe srcdoc=\"<script>parent.leak('frame')</script>\"></iframe>",
    '" onmouseover="leak(\'attribute\')" x="',
    "<style>*{background:url(http://127.0.0.1:9/css)}</style>",
    "<form action=http://127.0.0.1:9/form><button>go</button></form>",
    "<video src=http://127.0.0.1:9/v.mp4></video>",
    "&lt;b&gt; stays; back\\slash \\u0041 \\n stays",
    "\u202eright to left\u202c <b>bold</b> # head - [ ] a $5 and $6",
)


def test_no_text_runs_or_loads_anything_and_all_of_it_is_seen(
    bench: Bench, page: Page, tmp_path: Path
) -> None:
    hostile = "\n".join(PAYLOADS)
    loads: list[str] = []
    page.on("request", lambda request: loads.append(request.url) if ":9/" in request.url else None)
    page.add_init_script("window.leaked = []; window.leak = (what) => window.leaked.push(what);")
    bench.script.replies = {"": hostile}
    entries = [{"utterance": 1, "type": "fact", "text": payload} for payload in PAYLOADS]
    refused = {"utterance": 1, "type": PAYLOADS[0], "text": hostile}
    bench.script.captures = [{"entries": [refused, *entries]}]
    name = "<img src=x onerror=leak(1)> ${leak(2)} {{x}}"
    open_as(bench, page, name)
    say(page, hostile)
    settled(page)
    seen = page.locator("#bubbles .bubble.user .said").inner_text()
    assert seen.split("\n") == hostile.split("\n")
    assert page.locator("#bubbles .bubble.agent .said").last.inner_text() == seen
    expect(page.locator("#plates")).to_contain_text(name)
    page.get_by_label("I speak as").click()
    expect(page.get_by_role("option", name=name)).to_be_visible()
    page.keyboard.press("Escape")
    click(page, "Capture by hand from this turn")
    page.locator("#capture-form").get_by_label("What is to be remembered").fill(" ".join(PAYLOADS))
    click(page, "Remember this")
    bench.trouble.append(ModelError(hostile))
    say(page, "And now?")
    expect(page.locator("#bubbles .trouble")).to_contain_text("leak('img')")
    click(page, "End session")
    expect(page.locator("#proposals .proposal").first).to_be_visible()
    page.locator("#proposals").get_by_text("Notes (").click()
    page.get_by_role("tab", name="Bank").click()
    expect(page.locator("#bank")).to_contain_text("${leak('template')}")
    page.get_by_role("tab", name="Reply").click()
    page.locator("#reply").get_by_text("The exact").click()
    file = tmp_path / "<img src=x onerror=leak(3)>.jsonl"
    file.write_text("<img src=x onerror=leak(4)>", encoding="utf-8")
    page.get_by_role("tab", name="Bank").click()
    page.get_by_test_id("Import a file-upload-button").set_input_files(file)
    expect(page.get_by_test_id("toast-body").first).to_be_visible()
    page.mouse.move(700, 400)
    assert page.evaluate("window.leaked") == []
    assert page.locator("#columns :is(img, iframe, svg[onload], video, form, style)").count() == 0
    assert loads == []


# Small screens


def test_nothing_is_wider_than_a_telephone(bench: Bench, browser: BrowserContext) -> None:
    small = browser.new_page()
    small.set_viewport_size({"width": 390, "height": 844})
    bench.script.replies = {"": "w" * 2000}
    open_as(bench, small, "Small Su")
    say(small, "x" * 2000)
    settled(small)
    assert small.evaluate("document.documentElement.scrollWidth") <= 390
    expect(box(small)).to_be_in_viewport()
    small.close()


def test_old_turns_are_shown_on_request(bench: Bench, page: Page) -> None:
    session = bench.sandbox.sessions.open(ACCOUNT, "Long Lou", WALID)
    for number in range(33):
        bench.sandbox.conversation.ask(ACCOUNT, session.id, f"Turn {number}.")
    page.goto(f"{bench.url}/session/{session.id}")
    expect(page.locator("#bubbles .bubble.user")).to_have_count(30)
    click(page, "Show earlier (3 more turns)")
    expect(page.locator("#bubbles .bubble.user")).to_have_count(33)
