"""Checks that need a model in the browser: run, watched over a reload, stopped, on the badges."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Page, expect

from memory_banks.embedding import HashedWords
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox, assemble
from sandbox.authoring.badge import OURS, Badge
from sandbox.authoring.model_checks.checks import Ran
from sandbox.authoring.model_checks.jobs import Progress
from sandbox.authoring.model_checks.planning import Wanted
from sandbox.folder import Layout
from sandbox.inputs import BadInput
from sandbox.models import Models
from sandbox.settings import Settings
from sandbox.ui.check_acts import wanted_of
from sandbox.ui.check_views import ALONE, check_view
from sandbox.ui.save_views import badge_list
from tests.browsing import browse, chromium, served, tab
from tests.checking import parrot
from tests.fakes import NOW, LastWord
from tests.scripted_model import ScriptedModel
from tests.test_evaluating import opened, pasted

expect.set_options(timeout=15_000)
FORM = {"model": "one", "second": "two", "samples": "3", "seed": "7", "kinds": ["persona"]}


def test_the_form_is_read_as_it_was_filled() -> None:
    assert wanted_of(FORM) == Wanted("one", "two", 3, 7, ("persona",))
    assert wanted_of(FORM | {"kinds": None, "second": None}).kinds == ()


@pytest.mark.parametrize("value", ["", "three", "-1", "1.5", "²", "9" * 12, None])
def test_a_number_that_is_none_is_told(value: object) -> None:
    with pytest.raises(BadInput, match="must be a whole number"):
        wanted_of(FORM | {"samples": value})


def test_with_one_model_there_is_no_second_judge_to_choose() -> None:
    alone, two = (check_view("a1", names, None).markup for names in (["one"], ["one", "two"]))
    assert ALONE in alone
    assert "Second judge" not in alone
    assert "Second judge" in two
    assert two.index('value="two"') < two.rindex('value="one"')


def test_what_came_of_it_is_told_in_sentences_and_escaped() -> None:
    ran = Ran((), ("closed book: Model <b>x</b> refused.",))
    over = Progress("a1", 3, ("Evidence removal needs two.",), status="done", ran=ran)
    told = check_view("a1", ["one"], over).markup
    assert "Model &lt;b&gt;x&lt;/b&gt; refused." in told
    assert "Evidence removal needs two." in told
    failed = Progress("a1", 3, (), status="failed", trouble="There is no model 'x'.")
    assert 'role="alert"' in check_view("a1", ["one"], failed).markup


def test_a_badge_shows_its_numbers_and_what_they_are_made_of() -> None:
    badge = Badge("n", "not scored", "S.", OURS, (("mean", "0.50"),), "Mean of.", ("<i>line</i>",))
    told = badge_list([badge]).markup
    for part in ("badge-not-scored", "– not scored", "0.50", "Mean of.", "&lt;i&gt;line&lt;/i&gt;"):
        assert part in told


@pytest.fixture
def pause() -> Event:
    return Event()


@pytest.fixture
def sandbox(tmp_path: Path, pause: Event) -> Sandbox:
    models = [ScriptedModel(play=parrot, name=name, pause=pause) for name in ("one", "two")]
    folder = tmp_path / "data"
    folder.mkdir()
    return assemble(
        Settings(data_dir=folder),
        Layout(folder),
        {},
        clock=lambda: NOW,
        load_embedder=HashedWords,
        load_judge=LastWord,
        models=Models(ready=models),
    )


@pytest.fixture
def page(sandbox: Sandbox, pause: Event) -> Iterator[Page]:
    with served(sandbox) as url, chromium() as context, tab(context) as opened_:
        pause.set()
        reply = pasted(sandbox, opened(sandbox, "05"), "good")
        form = sandbox.workshop.authoring.from_turn(ACCOUNT, reply)
        sandbox.workshop.authoring.start(ACCOUNT, form, "Rana", looked_at=True)
        pause.clear()
        opened_.goto(url)
        yield opened_


@browse
def test_checks_are_run_watched_over_a_reload_stopped_run_again_and_on_the_badges(
    page: Page, pause: Event
) -> None:
    checks, badges = page.locator("#save-checks"), page.locator("#save-badges")
    page.get_by_role("tab", name="Instances").click()
    expect(checks).to_be_empty()
    page.locator("#made .instance").first.click()
    expect(badges).to_contain_text("No model has tried to answer it without memory.")
    run = checks.get_by_role("button", name="Run the checks that need a model")
    run.click()
    expect(checks).to_contain_text("Call 1 of 16: closed book: answer 1 of 3.")
    page.reload()
    page.get_by_role("tab", name="Instances").click()
    page.locator("#made .instance").first.click()
    checks.get_by_role("button", name="Stop", exact=True).click()
    expect(checks).to_contain_text("Stopped: nothing on the badges now.")
    pause.set()
    run.click()
    expect(checks).to_contain_text("Done: closed book, evidence removal, persona")
    expect(badges).to_contain_text("paths that hold 3 of 3")
    expect(badges).to_contain_text("judged by one and two")
    checks.get_by_role("button", name="put away").click()
    expect(checks).not_to_contain_text("Done:")
    page.locator("#save-form").get_by_label("Query", exact=True).fill("Which lane is it?")
    page.locator("#save-form").get_by_label("Title", exact=True).click()
    expect(badges).to_contain_text("Of version 1, and what it looks at was changed since")
