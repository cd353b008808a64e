"""A researcher's first minutes as one walk: doors, figures, an instance, its bank, a reply."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.transcripts import Session
from sandbox.ui.bank_views import Asked, bank_list
from tests.browsing import browse, chromium, served, tab
from tests.fakes import Script, fake_sandbox
from tests.test_views import Reader

QUERY = "He is loading the van now. Which address do I give him?"
CHAIN = ("lakeside barn", "municipal hall in Salt", "courtyard, 14 Mosaic Lane")


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return fake_sandbox(tmp_path / "data", Script(replies={QUERY: "14 Mosaic Lane."}).play)


@pytest.fixture
def page(sandbox: Sandbox) -> Iterator[Page]:
    with served(sandbox) as url, chromium() as context, tab(context) as opened:
        opened.goto(url)
        yield opened


@pytest.mark.parametrize(
    ("name", "by_scope", "by_type"),
    [
        (
            "demo-05",
            "user scope 7 · dyad scope 0 · 5 live, 2 superseded",
            {"user-side": "6, 4 live", "URAM": "0", "episodic": "1"},
        ),
        (
            "demo-04",
            "user scope 2 · dyad scope 6 · 8 live, 0 superseded",
            {"user-side": "1", "URAM": "6", "episodic": "1"},
        ),
    ],
)
def test_a_bank_is_counted_by_scope_in_one_line_and_by_type_in_its_groups(
    name: str, by_scope: str, by_type: dict[str, str], sandbox: Sandbox
) -> None:
    sha256 = sandbox.instances.shipped.sha256
    session = sandbox.instances.open(ACCOUNT, sha256, name)
    view = sandbox.banks.view(ACCOUNT, session.user, session.agent)
    told = Reader(bank_list(view, session.speaker, session.persona.name, Asked()).markup).words
    sandbox.close()
    assert by_scope in told
    for group, count in by_type.items():
        assert re.search(rf"{group} {count}(?=[A-Za-z])", told), told


@browse
def test_the_walk_from_the_three_doors_to_an_inspected_reply(page: Page, sandbox: Sandbox) -> None:
    _three_doors(page, sandbox)
    _figures(page)
    session = _open_the_supper(page, sandbox)
    _look_at_the_bank(page, sandbox, session)
    _send(page, sandbox, session)


def _three_doors(page: Page, sandbox: Sandbox) -> None:
    banner = page.locator("#banner")
    expect(banner).to_contain_text("no network", timeout=15_000)
    expect(banner).to_contain_text(str(sandbox.settings.data_dir))
    for door in ("Sample chat", "Character", "File"):
        expect(page.get_by_role("heading", name=door, exact=True)).to_be_visible()


def _figures(page: Page) -> None:
    page.get_by_role("tab", name="Instances").click()
    told = page.locator("#figures")
    for figure in (
        "12 read, 0 refused",
        "1 must-only, 1 nice-only, 10 must+nice",
        "7-8 entries",
        "15 must / 20 nice / 54 irr",
        "11 en, 1 zh",
    ):
        expect(told).to_contain_text(figure)


def _open_the_supper(page: Page, sandbox: Sandbox) -> Session:
    page.locator("#instance-list").get_by_text("demo-05-third-address").click()
    expect(page.locator("#instance-preview")).to_contain_text("roles are hidden")
    page.get_by_role("button", name="Open", exact=True).click()
    plates = page.locator("#plates")
    for told in ("Walid Qutami", "Dina Haddadin", "clock 2026-03-26 11:05 +03:00"):
        expect(plates).to_contain_text(told, timeout=15_000)
    expect(plates).to_contain_text("Anxious / Activities")
    expect(page.locator("#bubbles article")).to_have_count(3)
    expect(page.get_by_placeholder("Write a message")).to_have_value(QUERY)
    found = re.search(r"session=(\w+)", page.url)
    assert found
    assert sandbox.sessions.transcript(ACCOUNT, found[1]).turns == ()
    words = page.locator("#columns").inner_text().split()
    assert {"must", "nice", "irr"}.isdisjoint(words)
    return sandbox.sessions.find(ACCOUNT, found[1])


def _look_at_the_bank(page: Page, sandbox: Sandbox, session: Session) -> None:
    """Seven entries in the user's scope, none in the character's; what was replaced is a chain."""
    page.locator("#inspector").get_by_role("tab", name="Bank").click()
    counted = "user scope 7 · dyad scope 0 · 5 live, 2 superseded"
    expect(page.locator("#bank")).to_contain_text(counted)
    expect(page.locator("#bank")).to_contain_text("URAM 0")
    view = sandbox.banks.view(ACCOUNT, session.user, session.agent)
    _preview(page)
    assert [state.entry.scope.side for state in view.states] == ["user"] * 7
    assert len(view.live) == 5
    before: tuple[str, ...] = ()
    for words in CHAIN:
        [state] = [state for state in view.states if words in state.entry.text]
        assert state.replaces == before
        before = (state.entry.id,)
        assert state.live is (words == CHAIN[-1])


def _preview(page: Page) -> None:
    """What was replaced is found with its history only, and marked."""
    page.locator("#inspector").get_by_role("tab", name="Recall").click()
    page.locator("#recall-text textarea").fill("Where is the supper?")
    found = page.locator("#recall-found")
    page.get_by_role("button", name="Recall", exact=True).click()
    expect(found).to_contain_text("courtyard")
    expect(found).not_to_contain_text("lakeside barn")
    page.get_by_label("with superseded and deleted").check()
    page.get_by_role("button", name="Recall", exact=True).click()
    expect(found).to_contain_text("lakeside barn")
    expect(found).to_contain_text("superseded")


def _send(page: Page, sandbox: Sandbox, session: Session) -> None:
    """The whole pool goes into the prompt as bare sentences, shuffled by a seed of its own."""
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#bubbles article").last).to_contain_text("14 Mosaic Lane.")
    expect(page.get_by_placeholder("Write a message")).to_have_value("")
    page.locator("#inspector").get_by_role("tab", name="Reply").click()
    shown = page.locator("#reply")
    for told in ("recalled 7", "injected 7", "used not evaluated"):
        expect(shown).to_contain_text(re.compile(told.replace(" ", r"\W*")))
    [turn] = sandbox.sessions.transcript(ACCOUNT, session.id).turns
    assert turn.chosen is not None
    reply = sandbox.conversation.reply(ACCOUNT, turn.chosen)
    instance = sandbox.instances.of(session)
    assert instance is not None
    expect(shown).to_contain_text(str(reply.seed))
    sent = "\n".join(message["content"] for message in reply.messages).split("\n")
    lines = [line.removeprefix("- ") for line in sent]
    assert {entry.text for entry in instance.pool} <= set(lines)
    held = sandbox.banks.entries(ACCOUNT, reply.injected)
    texts = [held[entry].text for entry in reply.injected]
    for place, text in enumerate(texts):
        expect(shown.locator(".injected > li").nth(place)).to_contain_text(text)
    assert [line for line in lines if line in texts] == texts
    shown.get_by_text("The exact").click()
    for entry in instance.pool:
        expect(shown.locator(".message").last).to_contain_text(f"- {entry.text}")
