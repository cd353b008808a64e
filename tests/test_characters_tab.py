"""The tab with the characters: what it shows is text, and a card goes in and out by clicks."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from personas.cards import read_card
from personas.persona import Persona, SampleUser
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.character_files import KINDS
from sandbox.ui.characters_views import (
    KINDS as CALLED,
)
from sandbox.ui.characters_views import (
    MOST,
    brought_words,
    character_list,
    form_title,
    removal,
    sheet,
)
from tests.browsing import browse, choose, chromium, served, tab
from tests.fakes import Script, fake_sandbox
from tests.test_views import Reader

HOSTILE = "<img src=x onerror=leak(1)> ${leak(2)} {{x}}"
ONE = Persona(id="ann", name="Ann", summary=("Rows.",))


def card(text: str, **fields: object) -> bytes:
    entry = {"keys": [text], "content": text, "name": text, "enabled": True, "insertion_order": 1}
    told = dict.fromkeys(("creator_notes", "system_prompt", "first_mes", "description"), text)
    data = {"name": text, **told, "tags": 7, "character_book": {"entries": [entry]}}
    whole = {"spec": "chara_card_v2", "spec_version": "2.0", "data": data | fields}
    return json.dumps(whole).encode()


def test_every_text_of_a_character_and_its_card_stays_text() -> None:
    persona = Persona(
        id="a",
        name=HOSTILE,
        sample_user=SampleUser(name=HOSTILE, profile=HOSTILE, bank="b"),
        **dict.fromkeys(("summary", "traits", "rules", "examples", "openers"), (HOSTILE,)),
        **dict.fromkeys(("scenario", "greeting"), HOSTILE),
    )
    kept = read_card(card(HOSTILE), f"{HOSTILE}.json")
    views = (
        sheet(persona, kept, packaged=False),
        character_list([persona], [persona], "a"),
        form_title(persona, packaged=False),
    )
    for view in views:
        reader = Reader(view.markup)
        assert HOSTILE in reader.words
        assert "img" not in reader.elements
        assert not [name for name in reader.attributes if name.startswith("on")]


def test_all_that_a_card_says_is_shown_with_what_is_odd_about_it() -> None:
    shown = Reader(sheet(ONE, read_card(card("Salt."), "c.json"), packaged=False).markup).words
    assert "The card's tags is not of the right kind" in shown
    assert "Lorebook (1)" in shown
    assert "never sent to a model" in shown
    assert shown.count("Salt.") == 5


def test_the_list_marks_the_chosen_one_and_ends_somewhere() -> None:
    many = [ONE.model_copy(update={"id": f"ann-{number}"}) for number in range(MOST + 7)]
    reader = Reader(character_list([ONE], many, "ann-3").markup)
    assert len(reader.ids["select"]) == MOST + 1
    assert "7 more" in reader.words
    assert "aria-current" in reader.attributes
    assert "None yet" in Reader(character_list([ONE], [], "ann").markup).words


def test_an_empty_screen_says_what_to_do() -> None:
    assert "Choose a character" in sheet(None, None, packaged=False).markup
    assert "editing makes a copy" in sheet(ONE, None, packaged=True).markup
    assert "A copy of your own" in form_title(ONE, packaged=True).markup
    assert "A new character" in form_title(None, packaged=False).markup


def test_an_import_is_told_in_words() -> None:
    assert brought_words("Ann", False, 0) == "Ann was imported."
    assert brought_words("Ann", True, 2) == "Ann is here already. 2 warnings below."


def test_a_search_finds_characters_by_all_of_their_words() -> None:
    rower = ONE.model_copy(update={"id": "bo", "name": "Bo", "summary": ("Mends NETS.",)})
    found = Reader(character_list([ONE], [rower], "", "nets  bo").markup)
    assert found.ids["select"] == ["bo"]
    assert "Found 1" in found.words
    everybody = Reader(character_list([ONE], [rower], "", "  ").markup)
    assert sorted(everybody.ids["select"]) == ["ann", "bo"]
    assert "No character holds" in Reader(character_list([ONE], [rower], "", "zz").markup).words


def test_a_delete_says_what_stays_and_what_does_not() -> None:
    one, many = (Reader(removal(ONE, count).markup).words for count in (1, 12))
    assert "1 session and what it holds for people stay: it keeps" in one
    assert "12 sessions and what it holds for people stay: they keep" in many
    assert "No session was opened with it." in Reader(removal(ONE, 0).markup).words
    assert "cannot be brought back" in many


def test_every_kind_of_file_has_a_name_for_people() -> None:
    assert set(CALLED) == set(KINDS)


# In the browser


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return fake_sandbox(tmp_path_factory.mktemp("cast"), Script().play)


@pytest.fixture(scope="module")
def url(sandbox: Sandbox) -> Iterator[str]:
    with served(sandbox) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserContext]:
    with chromium() as context:
        yield context


@browse
def test_a_card_is_imported_edited_taken_away_and_talked_to(
    url: str, sandbox: Sandbox, browser: BrowserContext, tmp_path: Path
) -> None:
    file = tmp_path / "mara.json"
    file.write_bytes(card("{{char}} waits.", name="Mara Vel", unknown={"kept": True}))
    with tab(browser) as page:
        page.goto(url)
        page.get_by_role("tab", name="Characters").click()
        shown = page.locator("#character-sheet")
        expect(shown).to_contain_text("Baek Sun-hwa")
        page.get_by_test_id("Import a character-upload-button").set_input_files(file)
        expect(shown).to_contain_text("The card's tags is not of the right kind")
        page.get_by_role("button", name="Edit", exact=True).click()
        page.get_by_label("Scenario").fill("A storm.")
        page.get_by_role("button", name="Save the character").click()
        expect(shown).to_contain_text("A storm.")
        page.locator("#character-user input").fill("Ann")
        page.locator("#character-user input").press("Enter")
        page.get_by_role("button", name="Import the lorebook").click()
        expect(page.get_by_text("1 added, 0 already known.")).to_be_visible()
        png = page.get_by_role("option", name="card as it is now (PNG)")
        choose(page.get_by_label("Take away as"), png)
        with page.expect_download() as loading:
            page.get_by_role("button", name="Download").click()
        taken = read_card(Path(loading.value.path()).read_bytes(), "taken")
        assert loading.value.suggested_filename == "mara-vel.png"
        assert taken.fields["unknown"] == {"kept": True}
        assert taken.text("scenario") == "A storm."
        page.get_by_role("button", name="Talk", exact=True).click()
        expect(page).to_have_url(re.compile(r"session=\w+$"))
        expect(page.locator("#plates")).to_contain_text("Mara Vel")
    [entry] = sandbox.banks.view(ACCOUNT, "Ann", "mara-vel").live
    assert entry.text == "Mara Vel waits."


@browse
def test_a_new_character_is_made_and_a_fault_keeps_what_was_typed(
    url: str, browser: BrowserContext
) -> None:
    with tab(browser) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        page.add_init_script(
            "window.leaked = []; window.leak = (what) => window.leaked.push(what);"
        )
        page.goto(url)
        page.get_by_role("tab", name="Characters").click()
        page.get_by_role("button", name="New character").click()
        page.get_by_label("Name", exact=True).fill(HOSTILE)
        page.get_by_role("button", name="Save the character").click()
        expect(page.get_by_text("The character's summary must hold at least 1")).to_be_visible()
        expect(page.get_by_label("Name", exact=True)).to_have_value(HOSTILE)
        page.get_by_label("Who it is").fill("Counts birds.")
        page.get_by_role("button", name="Save the character").click()
        expect(page.locator("#character-sheet")).to_contain_text(HOSTILE)
        expect(page.locator("#character-list")).to_contain_text(HOSTILE)
        assert page.evaluate("window.leaked") == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@browse
def test_an_own_character_is_found_and_deleted_and_its_sessions_stay(
    url: str, sandbox: Sandbox, browser: BrowserContext
) -> None:
    lia = ONE.model_copy(update={"id": "lia", "name": "Lia", "summary": ("Dives for pearls.",)})
    sandbox.characters.save(ACCOUNT, lia)
    session = sandbox.sessions.open(ACCOUNT, "Ann", "lia")
    with tab(browser) as page:
        page.goto(url)
        page.get_by_role("tab", name="Characters").click()
        listed = page.locator("#character-list")
        expect(listed).to_contain_text("Packaged")
        expect(page.locator("#character-sheet")).to_contain_text("Baek Sun-hwa")
        remove = page.locator("#character-detail").get_by_role("button", name="Delete", exact=True)
        expect(remove).to_be_hidden()
        page.get_by_placeholder("Search name").fill("pearls")
        expect(listed).to_contain_text("Found 1")
        listed.get_by_role("button", name="Lia").click()
        remove.click()
        expect(page.locator("#character-question")).to_contain_text("1 session and what it holds")
        page.get_by_role("button", name="Keep it").click()
        expect(page.locator("#character-question")).to_be_hidden()
        remove.click()
        page.get_by_role("button", name="Delete it").click()
        expect(page.locator("#character-sheet")).to_contain_text("Choose a character")
        expect(listed).to_contain_text("No character holds")
        page.goto(f"{url}/session/{session.id}")
        expect(page.locator("#plates")).to_contain_text("Lia")
        expect(page.get_by_label("Character").first).to_have_value("Lia · deleted")
        page.get_by_placeholder("Write a message").fill("Are you there?")
        page.get_by_placeholder("Write a message").press("Enter")
        expect(page.locator("#bubbles")).to_contain_text("I see.")
        expect(page.locator("#reply")).to_contain_text("recalled")
    assert "lia" not in {one.id for one in sandbox.characters.own(ACCOUNT)}


@browse
def test_a_card_of_eight_megabytes_is_imported(
    url: str, browser: BrowserContext, tmp_path: Path
) -> None:
    file = tmp_path / "large.json"
    file.write_bytes(card("Grows.", name="Large Lu", assets_of_mine="x" * 8_000_000))
    with tab(browser) as page:
        page.goto(url)
        page.get_by_role("tab", name="Characters").click()
        expect(page.locator("#character-sheet")).to_contain_text("Baek Sun-hwa")
        page.get_by_test_id("Import a character-upload-button").set_input_files(file)
        expect(page.locator("#character-sheet")).to_contain_text("Large Lu")
