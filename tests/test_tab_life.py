"""A tab that stays open: across a restart, between sessions, while views are made again."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from sandbox.ui.markup import fold
from sandbox.ui.server import alive
from tests.browsing import browse, chromium, served, tab
from tests.fakes import Script, fake_sandbox

expect.set_options(timeout=15_000)


def box(page: Page) -> str:
    return page.get_by_placeholder("Write a message").input_value()


def write(page: Page, text: str) -> None:
    page.get_by_placeholder("Write a message").fill(text)


def as_somebody(page: Page, url: str, name: str) -> None:
    page.goto(url)
    page.get_by_label("Your name").fill(name)
    page.locator("#character-door").get_by_role("button", name="Walid Qutami").click()
    expect(page.get_by_placeholder("Write a message")).to_be_visible()
    expect(page).to_have_url(re.compile("session="))


def test_a_fold_without_a_name_is_not_kept() -> None:
    assert "data-fold" not in fold("more", "text").markup
    assert 'data-fold="x"' in fold("more", "text", key="x").markup


def test_the_token_of_a_program_stays_the_same_and_is_another_after_a_restart() -> None:
    first, second = alive(), alive()
    assert first().body == first().body
    assert first().body != second().body
    assert first().headers["cache-control"] == "no-store"


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserContext]:
    with chromium() as context:
        yield context


@pytest.fixture(scope="module")
def pace() -> Event:
    made = Event()
    made.set()
    return made


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, pace: Event) -> Iterator[str]:
    script = Script(replies={"long": "word " * 400, "": "I see."})
    sandbox = fake_sandbox(tmp_path_factory.mktemp("life"), script.play, pause=pace)
    with served(sandbox) as address:
        yield address


@browse
def test_an_open_tab_says_that_the_program_was_restarted_and_keeps_the_text_of_the_box(
    browser: BrowserContext, tmp_path: Path
) -> None:
    with tab(browser) as page:
        with ExitStack() as first:
            url = first.enter_context(served(fake_sandbox(tmp_path, Script().play)))
            as_somebody(page, url, "Restarted Rae")
            write(page, "half a sentence")
            _idle(page)
            expect(page.locator("#alive [data-server]")).to_have_attribute("data-server", "")
        expect(page.get_by_text("The sandbox does not answer")).to_be_visible()
        port = int(url.rsplit(":", 1)[1])
        with served(fake_sandbox(tmp_path, Script().play), port):
            expect(page.get_by_text("The sandbox was restarted.")).to_be_visible()
            expect(page.get_by_text("The sandbox does not answer")).to_be_hidden()
            address = page.url
            page.get_by_role("button", name="Reload").click()
            expect(page.locator("#plates")).to_contain_text("Restarted Rae")
            expect(page.get_by_placeholder("Write a message")).to_have_value("half a sentence")
            expect(page.get_by_text("The sandbox was restarted.")).to_be_hidden()
            assert page.url == address
            page.goto("about:blank")


def _idle(page: Page) -> None:
    """Wait until nothing is under way: a stream that breaks makes the framework reload the page."""
    expect(page.locator("#banner")).to_contain_text("index ready")
    page.wait_for_timeout(3000)


@browse
def test_every_session_has_a_draft_of_its_own(url: str, browser: BrowserContext) -> None:
    with tab(browser) as page:
        as_somebody(page, url, "Drafting Dee")
        message = page.get_by_placeholder("Write a message")
        other = page.locator("#sessions .session:not([aria-current])")
        write(page, "for the first")
        page.get_by_role("button", name="New session").click()
        expect(page.locator("#sessions .session")).to_have_count(2)
        expect(message).to_have_value("")
        write(page, "for the second")
        other.click()
        expect(message).to_have_value("for the first")
        other.click()
        expect(message).to_have_value("for the second")
        message.press("Enter")
        expect(page.get_by_role("button", name="regenerate")).to_be_visible()
        expect(message).to_have_value("")
        other.click()
        expect(message).to_have_value("for the first")
        other.click()
        expect(page.locator("#bubbles")).to_contain_text("I see.")
        expect(message).to_have_value("")


@browse
def test_a_fold_stays_open_while_replies_come_in(url: str, browser: BrowserContext) -> None:
    with tab(browser) as page:
        page.goto(url)
        page.get_by_role("button", name="Dina Haddadin → Walid Qutami").click()
        write(page, "Good morning.")
        page.get_by_placeholder("Write a message").press("Enter")
        exact = page.locator("#reply").get_by_text(re.compile("The exact .* sent"))
        exact.click()
        shown = page.locator("#reply .message").last
        expect(shown).to_contain_text("Good morning.")
        panel = page.locator("#inspector")
        page.locator("#tabs").get_by_role("tab", name="Bank").click()
        timeline = page.locator("#timeline details")
        timeline.locator("summary").click()
        write(page, "Good evening.")
        page.get_by_placeholder("Write a message").press("Enter")
        expect(page.locator("#bubbles article.agent:not(.before)")).to_have_count(2)
        expect(page.get_by_role("button", name="regenerate")).to_be_visible()
        expect(timeline).to_have_attribute("open", "")
        panel.get_by_role("tab", name="Reply").click()
        expect(page.locator("#reply .message").last).to_contain_text("Good evening.")
        expect(page.locator("#reply .message").last).to_be_visible()
        page.locator("#reply").get_by_text(re.compile("The exact .* sent")).click()
        page.get_by_role("button", name="regenerate").click()
        expect(page.get_by_text("reply 2 of 2")).to_be_visible()
        expect(page.locator("#reply .message").last).to_be_hidden()


@browse
def test_nothing_moves_while_a_reply_streams_but_the_end_of_the_talk(
    url: str, browser: BrowserContext, pace: Event
) -> None:
    with tab(browser) as page:
        as_somebody(page, url, "Steady Sam")
        for text in ("one long", "two long"):
            write(page, text)
            page.get_by_placeholder("Write a message").press("Enter")
            expect(page.locator("#bubbles article.agent:not(.before)")).to_have_count(
                1 + (text[0] == "t")
            )
            expect(page.get_by_role("button", name="regenerate")).to_be_visible()
        talk = page.locator("#talk")
        talk.evaluate("(talk) => { talk.scrollTop = 40; }")
        page.wait_for_timeout(300)
        pace.clear()
        try:
            before = _places(page)
            write(page, "three long")
            page.get_by_placeholder("Write a message").press("Enter")
            expect(page.locator("#live article")).to_be_attached()
            during = _places(page)
        finally:
            pace.set()
        expect(page.locator("#bubbles article.agent:not(.before)")).to_have_count(3)
        expect(page.get_by_role("button", name="regenerate")).to_be_attached()
        after = _places(page)
    assert during == before
    assert after == before


def _places(page: Page) -> dict[str, object]:
    """Where the box, an earlier bubble and the panels are, and how far the talk is scrolled."""
    found = {
        name: page.locator(where).first.bounding_box()
        for name, where in {
            "box": "#composer",
            "bubble": "#bubbles article",
            "talk": "#talk",
            "panel": "#inspector",
            "side": "#side",
        }.items()
    }
    return found | {"scroll": page.locator("#talk").evaluate("(talk) => talk.scrollTop")}
