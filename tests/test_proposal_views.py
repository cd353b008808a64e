"""Proposals without an entry, doubtful ones, and what was refused."""

from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Page, expect

from memory_banks.captures import Finding
from sandbox.account import ACCOUNT
from sandbox.ui.proposal_views import proposal_list
from tests.browsing import browse, chromium, served, tab
from tests.fakes import Script, fake_sandbox
from tests.test_tab_life import as_somebody
from tests.test_views import entry, outcome, proposal, read

DOUBT = "Look before it is deleted."


def test_a_wish_to_forget_shows_what_goes_and_the_words_that_ask() -> None:
    held = entry(text="Dina has a cat.")
    wish = replace(proposal(1, held, deletes=(held.id,)), entry=None)
    seen = read(proposal_list([outcome("proposed", wish, held={held.id: held})]))
    assert "− to be forgotten: Dina has a cat." in seen.words
    assert "We moved it." in seen.words
    assert "edit" not in seen.ids
    assert (seen.ids["apply"], seen.ids["delete"]) == (["p1"], ["p1"])


def test_a_doubtful_proposal_says_why_and_is_not_approved_with_all() -> None:
    plain = [proposal(number, entry(f"Entry {number}.")) for number in (1, 2)]
    doubtful = replace(proposal(3, entry("Entry 3.")), doubt=DOUBT)
    words = read(proposal_list([outcome("proposed", *plain, doubtful)])).words
    assert DOUBT in words
    assert "Approve 2" in words
    assert "Approve all" not in words
    assert "Approve all 2" in read(proposal_list([outcome("proposed", *plain)])).words


def test_what_was_refused_can_be_remembered_all_the_same() -> None:
    fields = {"text": "Walid answers in metric.", "type": "agent_identity"}
    kept = Finding(2, fields, "s-1", "A rule belongs to the agent's words.")
    nowhere = Finding(3, fields, None, "It names utterance 9 of 2.")
    wish = Finding(4, fields | {"forget": True}, "s-1.1", "Only the user can ask.")
    seen = read(proposal_list([outcome("done", findings=(kept, nowhere, wish))]))
    assert seen.ids["edit"] == ["refused:s:2"]


@browse
def test_a_person_rescues_a_refused_finding_and_approves_a_wish_to_forget(tmp_path: Path) -> None:
    script = Script()
    rule = {"utterance": 1, "type": "agent_identity", "text": "Walid answers in metric."}
    script.captures = [
        {"entries": [rule]},
        {"entries": [], "forget": [{"utterance": 1, "text": "Walid answers in metric."}]},
    ]
    script.updates = [{"changes": [], "forget": [{"request": 1, "held": [1]}]}]
    sandbox = fake_sandbox(tmp_path, script.play)
    with served(sandbox) as url, chromium() as browser, tab(browser) as page:
        as_somebody(page, url, "Rae")
        talk(page, "Answer in metric.")
        listed = page.locator("#proposals")
        listed.get_by_text("refused (1)").click()
        listed.get_by_role("button", name="Remember it").click()
        form = page.locator("#edit-form")
        expect(form.get_by_label("What is to be remembered")).to_have_value(rule["text"])
        page.get_by_role("button", name="Approve as edited").click()
        expect(form).to_be_hidden()
        [kept] = sandbox.banks.view(ACCOUNT, "Rae", "walid-qutami").live
        assert (kept.type, kept.author, kept.text) == ("agent_identity", "human", rule["text"])
        page.get_by_role("button", name="New session").click()
        talk(page, "Forget that about metric.")
        expect(listed).to_contain_text("to be forgotten: Walid answers in metric.")
        listed.get_by_role("button", name="Approve").click()
        expect(listed).to_contain_text("approved")
        assert sandbox.banks.view(ACCOUNT, "Rae", "walid-qutami").live == []


def talk(page: Page, text: str) -> None:
    """Say something, wait for the reply, end the session."""
    box = page.get_by_placeholder("Write a message")
    expect(box).to_be_visible()
    box.fill(text)
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#bubbles .bubble.agent").last).to_contain_text("I see.")
    expect(page.get_by_role("button", name="Stop")).to_be_disabled()
    page.get_by_role("button", name="End session").click()
    expect(page.locator("#proposals .outcome").first).to_be_visible()
