"""Branches, time, forgetting, remarks and the lens in the browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from memory_banks.forgetting import FORGOTTEN
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.edits import Edit
from sandbox.transcripts import Session
from tests.browsing import browse, choose, chromium, served, tab
from tests.fakes import LastWord, Script, fake_sandbox
from tests.scripted_model import Asked

expect.set_options(timeout=15_000)
WALID, LANTERN, NOOR = "walid-qutami", "lantern", "Noor"
BARN, HALL = "The concert is in the barn.", "The concert is in the hall."


def character(asked: Asked) -> Any:
    return Script().play(asked) if asked.form is not None else "I see."


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return fake_sandbox(tmp_path / "data", character, load_judge=LastWord)


@pytest.fixture
def session(sandbox: Sandbox) -> Session:
    """Three turns with Walid; an entry is added by hand behind each of the first two."""
    opened = sandbox.sessions.open(ACCOUNT, NOOR, WALID, clock="2026-03-26T11:05+00:00")
    for number in (1, 2, 3):
        sandbox.conversation.ask(ACCOUNT, opened.id, f"Turn {number}.")
        if number < 3:
            edit = Edit("fact", (BARN, "Noor plays the oud.")[number - 1])
            sandbox.banks.remember(ACCOUNT, f"{opened.id}-{number}", edit, draft=f"d{number}")
    return opened


@pytest.fixture
def page(sandbox: Sandbox, session: Session) -> Iterator[Page]:
    with served(sandbox) as url, chromium() as context, tab(context) as opened:
        opened.goto(f"{url}/session/{session.id}")
        expect(opened.locator("#bubbles .bubble.user")).to_have_count(3)
        yield opened


def inspect(page: Page, name: str) -> None:
    page.locator("#tabs").get_by_role("tab", name=name).click()


def held(sandbox: Sandbox, user: str, persona: str = WALID) -> list[str]:
    return [one.text for one in sandbox.banks.view(ACCOUNT, user, persona).live]


def fork(page: Page, turn: int) -> None:
    page.locator("#bubbles").get_by_role("button", name="fork here").nth(turn - 1).click()
    expect(page.locator("#branch")).to_contain_text("in branch")
    expect(page.locator("#bubbles .bubble.user")).to_have_count(turn)


@browse
def test_a_fork_opens_at_once_says_where_it_is_and_reloads(
    page: Page, sandbox: Sandbox, session: Session
) -> None:
    buttons = page.locator("#bubbles").get_by_role("button", name="fork here")
    expect(buttons).to_have_count(3)
    fork(page, 2)
    line = page.locator("#branch")
    expect(line).to_contain_text("in branch Noor, after turn 2")
    expect(line).to_contain_text("forked from session 2026-03-26 11:05 after turn 2 of main")
    expect(page.locator("#sessions")).to_contain_text("fork after turn 2")
    address = page.url
    [branch] = sandbox.branches.all(ACCOUNT, "noor")
    assert address.endswith(branch.copy or "none")
    page.reload()
    expect(line).to_contain_text("in branch Noor, after turn 2")
    page.get_by_placeholder("Write a message").fill("Only in here.")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator("#bubbles .bubble.user")).to_have_count(3)
    page.locator("#side").get_by_role("button", name="New session").click()
    expect(page.locator("#sessions li")).to_have_count(2)
    expect(line).to_contain_text("in branch Noor, after turn 2")
    line.get_by_role("button", name="back to main").click()
    expect(line).to_contain_text("main · 1 branch")
    expect(page.locator("#bubbles")).not_to_contain_text("Only in here.")
    line.get_by_role("button", name="Noor, after turn 2").click()
    expect(page.locator("#bubbles")).to_contain_text("Only in here.")


@browse
def test_a_branch_is_renamed_deleted_restored_and_another_character_opened_in_it(
    page: Page, sandbox: Sandbox
) -> None:
    fork(page, 2)
    [branch] = sandbox.branches.all(ACCOUNT, "noor")
    inspect(page, "Branches")
    listed = page.locator("#branches")
    listed.get_by_text("rename").click()
    listed.locator("input[data-field=name]").fill("What if")
    listed.get_by_role("button", name="Save").click()
    expect(page.locator("#branch")).to_contain_text("in branch What if")
    listed.locator("select").select_option(LANTERN)
    listed.get_by_role("button", name="open with this character").click()
    expect(page.locator("#plates")).to_contain_text("Lantern")
    [opened] = sandbox.sessions.list(ACCOUNT, branch.user, LANTERN)
    assert (opened.session.speaker, opened.session.clock) == (NOOR, "2026-03-26T11:05:00+00:00")
    expect(page.locator("#branch")).to_contain_text("in branch What if")
    inspect(page, "Branches")
    listed.get_by_role("button", name="delete", exact=True).click()
    expect(page.locator("#branch")).to_contain_text("deleted")
    listed.get_by_text("Deleted: 1").click()
    listed.get_by_role("button", name="restore").click()
    expect(page.locator("#branch")).not_to_contain_text("deleted")


@browse
def test_a_branch_is_compared_and_chosen_operations_merged_all_or_none(
    page: Page, sandbox: Sandbox, session: Session
) -> None:
    fork(page, 3)
    [branch] = sandbox.branches.all(ACCOUNT, "noor")
    dyad = sandbox.banks.dyad(ACCOUNT, branch.user, WALID)
    barn = next(one for one in sandbox.banks.view(ACCOUNT, branch.user, WALID).live)
    sandbox.editing.change(dyad, barn.id, Edit("fact", HALL), draft="c")
    sandbox.banks.remember(ACCOUNT, f"{session.id}-3", Edit("fact", "Main only."), draft="m")
    inspect(page, "Branches")
    page.locator("#branches").get_by_role("button", name="compare, merge").click()
    shown = page.locator("#compared")
    for title, text in (
        ("only in main", "Main only."),
        ("only in the branch", HALL),
        ("live in main, superseded in the branch", BARN),
    ):
        section = shown.locator("section").filter(has_text=title)
        expect(section).to_contain_text(text)
    superseded = shown.locator("section.superseded")
    superseded.get_by_text("states on both sides: 1 and 2").click()
    expect(superseded).to_contain_text("r4 · live")
    boxes = shown.locator("input[type=checkbox]")
    expect(boxes).to_have_count(2)
    before = held(sandbox, NOOR)
    for at in (0, 1):
        boxes.nth(at).uncheck()
    shown.get_by_role("button", name="Merge what is ticked").click()
    expect(page.locator(".toast-wrap")).to_contain_text("Nothing is ticked")
    assert held(sandbox, NOOR) == before
    for at in (0, 1):
        boxes.nth(at).check()
    shown.get_by_role("button", name="Merge what is ticked").click()
    expect(shown).to_contain_text("Everything is merged already.")
    assert sorted(held(sandbox, NOOR)) == sorted([HALL, "Noor plays the oud.", "Main only."])


def bank_row(page: Page, words: str) -> Locator:
    return page.locator("#bank li").filter(has_text=words)


@browse
def test_an_entry_is_forgotten_once_it_was_said_what_goes_and_what_stays(
    page: Page, sandbox: Sandbox, session: Session
) -> None:
    inspect(page, "Bank")
    bank_row(page, BARN).get_by_role("button", name="forget").click()
    form = page.locator("#forget-form")
    expect(form).to_contain_text(BARN)
    expect(form).to_contain_text("1 memory")
    expect(form).to_contain_text("2 replies")
    expect(form).to_contain_text("Backups, exported files")
    expect(form.get_by_role("button", name="Keep it")).to_be_focused()
    form.get_by_role("button", name="Keep it").click()
    expect(form).to_be_hidden()
    assert BARN in held(sandbox, NOOR)
    assert sandbox.forgetting.audited(ACCOUNT) == []
    bank_row(page, BARN).get_by_role("button", name="forget").click()
    form.get_by_label("with what was said").check()
    expect(form).to_contain_text("1 utterance it comes from")
    form.get_by_role("button", name="Forget for good").click()
    expect(form).to_contain_text("The entry is forgotten.")
    form.get_by_role("button", name="Close").click()
    assert BARN not in held(sandbox, NOOR)
    state = page.locator("#bank-filter").get_by_label("State")
    choose(state, page.get_by_role("option", name="all", exact=True))
    row = page.locator("#bank li.forgotten")
    expect(row).to_contain_text("forgotten for good")
    expect(row.get_by_role("button")).to_have_count(0)
    expect(page.locator("#bubbles")).to_contain_text(FORGOTTEN)
    inspect(page, "Reply")
    expect(page.locator("#reply")).to_contain_text("No longer reproducible")


@browse
def test_a_session_then_the_person_are_forgotten(
    page: Page, sandbox: Sandbox, session: Session
) -> None:
    sandbox.sessions.open(ACCOUNT, NOOR, WALID)
    page.reload()
    expect(page.locator("#sessions li")).to_have_count(2)
    page.locator("#sessions li", has=page.locator(".here")).get_by_label("forget").click()
    form = page.locator("#forget-form")
    expect(form).to_contain_text("Noor with Walid Qutami, 2026-03-26 11:05")
    expect(form).to_contain_text("3 turns")
    form.get_by_role("button", name="Forget for good").click()
    expect(form).to_contain_text("The session is forgotten.")
    form.get_by_role("button", name="Close").click()
    expect(page.locator("#sessions li")).to_have_count(1)
    expect(page.locator("#bubbles .bubble")).to_have_count(0)
    assert held(sandbox, NOOR) == []
    page.locator("#profile").get_by_role("button", name="forget this person").click()
    expect(form).to_contain_text("Forget this person for good?")
    expect(form).to_contain_text("1 session")
    form.get_by_role("button", name="Forget for good").click()
    expect(form).to_contain_text("The person is forgotten.")
    form.get_by_role("button", name="Close").click()
    assert sandbox.banks.user(ACCOUNT, NOOR) is None
    expect(page.get_by_label("I speak as")).not_to_have_value(NOOR)


@browse
def test_the_slider_moves_the_talk_with_the_bank(page: Page) -> None:
    expect(page.locator("#bubbles .later")).to_have_count(0)
    inspect(page, "Bank")
    page.locator("#revision input[type=number]").fill("1")
    page.keyboard.press("Enter")
    expect(page.locator("#bank")).to_contain_text("As it was at revision 1 of 2")
    expect(page.locator("#bubbles .later")).to_have_count(1)
    expect(page.locator("#bubbles .later")).to_contain_text("Turn 3.")
    expect(page.locator("#bubbles .later-line")).to_contain_text("Not said yet at revision 1")
    page.locator("#bank").get_by_role("button", name="back to now").click()
    expect(page.locator("#bubbles .later")).to_have_count(0)


@browse
def test_a_branch_of_a_revision_has_a_session_of_its_own(page: Page, sandbox: Sandbox) -> None:
    inspect(page, "Bank")
    page.locator("#revision input[type=number]").fill("1")
    page.keyboard.press("Enter")
    page.locator("#bank").get_by_role("button", name="branch off here").click()
    expect(page.locator("#branch")).to_contain_text("made of main at revision 1")
    [branch] = sandbox.branches.all(ACCOUNT, "noor")
    assert held(sandbox, branch.user) == [BARN]
    expect(page.locator("#bubbles .bubble.user")).to_have_count(0)


@browse
def test_two_revisions_are_compared_and_remarks_lead_to_their_entries(
    page: Page, sandbox: Sandbox, session: Session
) -> None:
    twin = "Noor plays  the oud."
    sandbox.banks.remember(ACCOUNT, f"{session.id}-3", Edit("fact", twin), draft="t")
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    barn = sandbox.banks.view(ACCOUNT, NOOR, WALID).live[0]
    sandbox.editing.change(dyad, barn.id, Edit("fact", HALL), draft="c")
    inspect(page, "Bank")
    page.locator("#bank-look").get_by_role("button", name="Check, compare revisions").click()
    page.get_by_label("From", exact=True).fill("1")
    page.get_by_role("button", name="Compare", exact=True).click()
    shown = page.locator("#bank-diff")
    expect(shown.locator("section.superseded")).to_contain_text(BARN)
    expect(shown.locator("section.only-after li[data-id]")).to_have_count(3)
    page.get_by_role("button", name="Look for duplicates").click()
    remarks = page.locator("#remarks")
    expect(remarks).to_contain_text("duplicate")
    expect(remarks).to_contain_text("letter by letter")
    page.locator("#bank-filter").get_by_label("Search the bank").fill("concert")
    expect(page.locator("#bank li")).to_have_count(1)
    remarks.get_by_role("button", name="show in the bank").last.click()
    expect(page.locator("#bank li.tied")).to_be_in_viewport()


@browse
def test_the_lens_shows_every_character_and_its_probes_do_not_leak(
    page: Page, sandbox: Sandbox, session: Session
) -> None:
    rule = "Walid answers in metric."
    sandbox.banks.remember(ACCOUNT, f"{session.id}-3.1", Edit("agent_identity", rule), draft="r")
    other = sandbox.sessions.open(ACCOUNT, NOOR, LANTERN)
    page.get_by_role("tab", name="Lens").click()
    shown = page.locator("#lens-shown")
    expect(shown.locator(".lens-shared")).to_contain_text(BARN)
    expect(shown.locator(".lens-column")).to_have_count(2)
    expect(shown.locator(".lens-column").filter(has_text="Only Walid")).to_contain_text(rule)
    expect(page.locator("#lens-columns textarea").first).to_have_value(rule)
    page.get_by_role("button", name="Same user, other character").click()
    probe = page.locator("#probe")
    expect(probe).to_contain_text("No leak · same user, other agent")
    expect(probe).to_contain_text("Noor and Lantern, 2 found")
    page.get_by_role("button", name="Same character, other user").click()
    expect(probe).to_contain_text("No leak · same agent, other user")
    shown.locator(".lens-column").filter(has_text="Only Lantern").get_by_role(
        "button", name="latest session"
    ).click()
    expect(page.locator("#plates")).to_contain_text("Lantern")
    assert other.id in page.url
