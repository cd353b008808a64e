"""An episode in the browser: made of sessions, edited, asked about, annotated twice, published."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.authoring.making import episode_of
from sandbox.episodes import gold_bank
from tests.browsing import browse, chromium, served, tab
from tests.fakes import LastWord, Script, fake_sandbox
from tests.test_authoring import KEY, NOOR, RULE, WALID

expect.set_options(timeout=20_000)
NOTHING_STICKS_OUT = """() =>
  [...document.querySelectorAll('#save-form *, #save-gold *')].every(
    (one) => one.getBoundingClientRect().right <= 390)
"""
LINA = "Lina <i>holds</i> Noor's spare key now."


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    captured = [
        {"utterance": 1, "type": "fact", "text": KEY},
        {"utterance": 2, "type": "agent_identity", "text": RULE},
    ]
    script = Script(captures=[{"entries": captured}])
    return fake_sandbox(tmp_path / "data", script.play, load_judge=LastWord)


@pytest.fixture
def page(sandbox: Sandbox) -> Iterator[Page]:
    with served(sandbox) as url, chromium() as context, tab(context) as opened:
        opened.goto(f"{url}/?session={talked(sandbox)}")
        expect(opened.locator("#card")).not_to_be_empty()
        yield opened


def talked(sandbox: Sandbox) -> str:
    """Two sessions, the first of which was remembered."""
    first = sandbox.sessions.open(ACCOUNT, NOOR, WALID, clock="2026-03-20T09:00+03:00")
    sandbox.conversation.ask(ACCOUNT, first.id, "My key is under the blue pot.")
    sandbox.remembering.end(ACCOUNT, first.id, "all")
    second = sandbox.sessions.open(ACCOUNT, NOOR, WALID, clock="2026-03-26T11:05+03:00")
    sandbox.conversation.ask(ACCOUNT, second.id, "Lina has my key now.")
    return second.id


def pressed(place: Locator, name: str) -> None:
    place.get_by_role("button", name=name, exact=True).click()


@browse
def test_an_episode_goes_the_whole_way_from_the_chat_to_the_shelf(
    page: Page, sandbox: Sandbox
) -> None:
    pressed(page.locator("body"), "Sessions as episode")
    form, made = page.locator("#save-form [data-form]"), page.locator("#made")
    expect(form.locator(".is-proposed")).to_have_count(2)
    form.get_by_label("Title", exact=True).fill("Noor's key")
    form.get_by_label("Collection", exact=True).fill("keys")

    # a turn, and an operation
    pressed(form, "Add at 2.1")
    row = form.locator("article", has_text="2.1 user").locator(".gold-memory")
    expect(row.get_by_label("Evidence turns")).to_have_value("2.1")
    expect(form.get_by_label("Title", exact=True)).to_have_value("Noor's key")
    offered = row.get_by_label("Type").locator("option").all_inner_texts()
    assert offered == ["type: choose", "episodic", "user_profile", "fact"]
    row.get_by_label("Type").select_option("fact")
    row.get_by_label("Memory", exact=True).fill(LINA)
    row.get_by_label("Evidence turns").fill("2.1, 2.2")
    pressed(form, "Save draft")
    expect(page.locator(".toast-wrap")).to_contain_text("cannot rest on 2.2, which comes later")
    expect(row.get_by_label("Memory", exact=True)).to_have_value(LINA)
    row.get_by_label("Evidence turns").fill("2.1, 1.1")
    pressed(form, "Replace in session 2")
    change = form.locator(".gold-change")
    change.get_by_label("What goes").select_option(label=KEY)
    change.get_by_label("What comes").select_option(label=LINA)

    # a question
    pressed(form, "+ question about memories")
    form.get_by_label("Question 1", exact=True).fill("Who holds Noor's spare key after it moved?")
    form.get_by_label("Answer 1", exact=True).fill("Lina.")
    asked = form.locator(".gold-question")
    for technique in ("temporal state", "cross-session"):
        asked.get_by_label(technique).check()
    asked.get_by_text("Supports (0)").click()
    assert asked.get_by_label(KEY).locator("option").all_inner_texts() == ["–", "decoy"]
    asked.get_by_label(LINA).select_option("support")
    checks = page.locator("#save-gold")
    expect(checks).to_contain_text("✓ live supports 1 of 1 live")
    expect(checks).to_contain_text("✓ two sessions 2 sessions")
    expect(checks).to_contain_text("after each session: 2 → 2")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(NOTHING_STICKS_OUT)
    page.set_viewport_size({"width": 1440, "height": 900})
    pressed(form, "Save, I looked at every memory")
    expect(made).to_contain_text("episode · annotated · v1")
    expect(form.locator(".is-proposed")).to_have_count(0)

    # somebody else, blind
    pressed(made, "annotate")
    expect(form).to_contain_text("Blind")
    expect(page.locator("#save-badges")).to_be_empty()
    expect(checks).to_be_empty()
    for text in (KEY, RULE, LINA, "Lina."):
        expect(form).not_to_contain_text(text)
    rows = form.locator(".gold-memory")
    for number, turn in enumerate(("1.1", "2.1"), start=1):
        pressed(form, f"Add at {turn}")
        expect(rows).to_have_count(number)
    for place, words in enumerate(("The key is under the pot.", "Lina has the key.")):
        rows.nth(place).get_by_label("Type").select_option("fact")
        rows.nth(place).get_by_label("Memory", exact=True).fill(words)
    pressed(form, "Offer what I have written as supports")
    form.get_by_label("Lina has the key.").select_option("support")
    form.get_by_label("Your name", exact=True).fill("Omar")
    pressed(form, "Save my annotation")
    expect(made).to_contain_text("episode · second · v2")

    # both together
    pressed(made, "differences")
    expect(form).to_contain_text("(n = 4 turns)")
    expect(form.locator(".gold-difference")).to_have_count(3)
    expect(form).to_contain_text("one of you finds no memory here")
    for one in form.get_by_label("It is").all():
        one.select_option("first")
    form.get_by_label("Your name", exact=True).fill("Lina")
    form.get_by_label("Why", exact=True).fill("The street rule was said.")
    pressed(form, "Decide")
    expect(made).to_contain_text("episode · adjudicated · v3")
    [version] = sandbox.workshop.authoring.all(ACCOUNT)
    assert [one.text for one in gold_bank(episode_of(version.authored))] == [RULE, LINA]

    # a sample of it again
    pressed(made, "Second pass over keys")
    expect(form).to_contain_text("1 adjudicated")
    form.get_by_label("Share", exact=True).fill("50%")
    pressed(form, "Draw")
    expect(form).to_contain_text("Drawn: 1")
    pressed(form, "Annotate Noor's key")
    expect(form.get_by_label("Your name", exact=True)).to_have_value("")

    # an earlier version
    made.get_by_text("Noor's key").click()
    form.get_by_text("History (3)").click()
    pressed(form, "Look at version 1")
    expect(form).to_contain_text("version 1 as it was")
    expect(form.get_by_label("Title", exact=True)).to_be_disabled()
    pressed(form, "Back to the latest")

    # on the shelf, and open
    pressed(made, "Publish keys")
    expect(page.locator("#shelf")).to_contain_text("keys v1")
    page.locator("#instance-list").get_by_text("Who holds Noor's spare key").first.click()
    pressed(page.locator("#open-row"), "Open")
    expect(page).to_have_url(re.compile(r"session=\w+$"))
    expect(page.get_by_placeholder("Write a message")).to_have_value(
        "Who holds Noor's spare key after it moved?"
    )
