"""Making instances in the browser: the filled form, checks beside it, save, reload, run; blind."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.authoring.making import instances_of
from sandbox.ui.save_views import save_form
from tests.browsing import browse, chromium, served, tab
from tests.fakes import LastWord, Script, fake_sandbox
from tests.test_badges import ASKED, episode
from tests.test_evaluating import opened

expect.set_options(timeout=15_000)
WALID, DINA = "walid-qutami", "Dina Haddadin"


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    script = Script(replies={"address": "14 Mosaic Lane, and mind the bell."})
    return fake_sandbox(tmp_path / "data", script.play, load_judge=LastWord)


@pytest.fixture
def page(sandbox: Sandbox) -> Iterator[Page]:
    with served(sandbox) as url, chromium() as context, tab(context) as opened_:
        opened_.goto(url)
        yield opened_


@browse
def test_a_reply_is_saved_with_a_changed_role_reopened_and_run(
    page: Page, sandbox: Sandbox
) -> None:
    session = sandbox.sessions.open(ACCOUNT, DINA, WALID)
    reply = sandbox.conversation.ask(ACCOUNT, session.id, "Which address is it now?").line.id
    sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    page.goto(f"{page.url.split('?')[0]}?session={session.id}")
    expect(page.locator("#card")).not_to_be_empty()
    page.get_by_role("button", name="Save as instance").click()
    form, checks = page.locator("#save-form [data-form]"), page.locator("#save-badges")
    expect(form.get_by_label("Query", exact=True)).to_have_value("Which address is it now?")
    expect(checks).to_contain_text("Second annotator: waiting")
    expect(checks).to_contain_text("roles are proposals")
    expect(checks).to_contain_text("must 0")
    first = form.get_by_label("Role of this entry").first
    first.select_option("must")
    expect(checks).to_contain_text("must 1")
    form.get_by_label("Collection", exact=True).fill("addresses")
    form.get_by_role("button", name="Save, I looked at every role").click()
    made = page.locator("#made")
    expect(made).to_contain_text("reply · annotated · v1")
    expect(checks).to_contain_text("A person stands behind every role.")
    page.reload()
    page.get_by_role("tab", name="Instances").click()
    made.get_by_text("Which address is it now?").click()
    expect(form.get_by_label("Role of this entry").first).to_have_value("must")
    made.get_by_role("button", name="Publish addresses").click()
    expect(page.locator("#shelf")).to_contain_text("addresses v1")
    page.locator("#instance-list").get_by_text("Which address is it now?").first.click()
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page).to_have_url(re.compile(r"session=\w+$"))
    expect(page.get_by_placeholder("Write a message")).to_have_value("Which address is it now?")
    [version] = sandbox.workshop.authoring.all(ACCOUNT)
    [run] = [one.session for one in sandbox.sessions.list(ACCOUNT) if one.session.instance]
    again = sandbox.instances.of(run)
    [ours] = instances_of(version.authored)
    assert again is not None
    assert (again.seed, again.listed()) == (ours.seed, ours.listed())
    assert again.roles == ours.roles


@browse
def test_a_second_annotator_is_blind_and_differences_are_decided(
    page: Page, sandbox: Sandbox
) -> None:
    authoring = sandbox.workshop.authoring
    turn = sandbox.sessions.transcript(ACCOUNT, opened(sandbox, "05").id).turns[0]
    form = authoring.from_turn(ACCOUNT, turn.chosen or "")
    authoring.start(ACCOUNT, form, "Rana", looked_at=True)
    page.reload()
    page.get_by_role("tab", name="Instances").click()
    page.locator("#made").get_by_role("button", name="annotate", exact=True).click()
    shown = page.locator("#save-form [data-form]")
    expect(shown).to_contain_text("Blind")
    expect(page.locator("#save-badges")).to_be_empty()
    expect(shown.locator(".role")).to_have_count(0)
    expect(shown).not_to_contain_text("Rana")
    lists = shown.get_by_label("Role of this entry")
    save = shown.get_by_role("button", name="Save my annotation")
    shown.get_by_label("Your name", exact=True).fill("Omar")
    save.click()
    expect(page.locator(".toast-wrap")).to_contain_text("7 of 7 entries have no role")
    for one in lists.all():
        one.select_option("irr")
    save.click()
    expect(page.locator("#made")).to_contain_text("second")
    page.locator("#made").get_by_role("button", name="differences", exact=True).click()
    expect(shown.locator("tbody tr")).to_have_count(3)
    expect(shown).to_contain_text("kappa must")
    for one in shown.locator("tbody select").all():
        one.select_option("nice")
    shown.get_by_label("Your name", exact=True).fill("Lina")
    shown.get_by_label("Why", exact=True).fill("Read together.")
    shown.get_by_role("button", name="Decide").click()
    expect(page.locator("#made")).to_contain_text("adjudicated · v3")
    expect(shown).to_contain_text("Read together.")
    assert authoring.get(ACCOUNT, form.id).stage == "adjudicated"


@browse
def test_a_form_that_does_not_fit_says_so_and_a_deleted_one_is_restored(
    page: Page, sandbox: Sandbox
) -> None:
    page.get_by_role("tab", name="Instances").click()
    expect(page.locator("#made")).to_contain_text("Nothing is made here yet")
    session = opened(sandbox, "05")
    page.goto(f"{page.url.split('?')[0]}?session={session.id}")
    expect(page.locator("#card")).not_to_be_empty()
    page.get_by_role("button", name="Save as instance").click()
    form = page.locator("#save-form [data-form]")
    form.get_by_label("Query", exact=True).fill("  ")
    form.get_by_role("button", name="Save draft").click()
    expect(page.locator(".toast-wrap")).to_contain_text("has no query")
    assert sandbox.workshop.authoring.all(ACCOUNT) == []
    form.get_by_label("Query", exact=True).fill("Which lane?")
    form.get_by_role("button", name="Save draft").click()
    made = page.locator("#made")
    expect(made).to_contain_text("reply · draft · v1")
    made.get_by_role("button", name=re.compile("^Delete ")).click()
    made.get_by_text("Deleted (1)").click()
    made.get_by_role("button", name="Restore").click()
    expect(made).to_contain_text("reply · draft · v1")


def test_an_episodes_memories_are_shown_to_whoever_says_to_have_looked_at_them() -> None:
    authored = episode(ASKED)
    assert authored.talk is not None
    told = save_form(authored, [], []).markup
    for session in authored.talk.sessions:
        assert session.gold is not None
        for add in session.gold.adds:
            assert add.entry.text.replace("'", "&#x27;") in told
    assert "I looked at every memory" in told
