"""The tab with the instances: figures, a list to search in, hidden roles, a click to a session."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import BrowserContext, expect

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.collected import Collection, Quirk, Refused
from sandbox.formats import packaged_collection, read_collection, read_files
from sandbox.inputs import BadInput
from sandbox.instances import Human, Instance
from sandbox.opening import Shelved
from sandbox.ui.instance_views import GOLD, preview
from sandbox.ui.instances_views import (
    MOST,
    figures,
    fitting,
    instance_list,
    matching,
    removal,
    shelf,
)
from tests.browsing import browse, chromium, served, tab
from tests.fakes import Script, fake_sandbox
from tests.madial import lines, memory, small
from tests.test_views import Reader

HOSTILE = "<img src=x onerror=leak(1)> ${leak(2)} {{x}}"


@pytest.fixture(scope="module")
def demo() -> Collection:
    return read_collection(packaged_collection(), "demo.json")


def words(markup: str) -> str:
    return " ".join(Reader(markup).words.split())


# What is shown


def test_a_collection_is_told_in_the_figures_of_the_walk(demo: Collection) -> None:
    told = words(figures(demo).markup)
    for part in (
        "12 read, 0 refused",
        "1 must-only, 1 nice-only, 10 must+nice",
        "7-8 entries (7 of 7, 5 of 8)",
        "89: 15 must / 20 nice / 54 irr",
        "11 en, 1 zh",
    ):
        assert part in told


def test_what_was_refused_or_odd_is_told_with_its_place(demo: Collection) -> None:
    odd = replace(
        demo,
        quirks=(Quirk("demo.json", "demo-05, history", "is odd"),),
        refused=(Refused("demo-99", "Its roles contradict."),),
    )
    told = words(figures(odd).markup)
    assert "demo.json, demo-05, history is odd" in told
    assert "demo-99 Its roles contradict." in told
    assert "12 read, 1 refused" in told


def gold_of(one: Instance) -> set[str]:
    """Every text of an instance that only a judge may see."""
    replies = {reply.text for reply in one.replies}
    return {*one.reasons.values(), *replies, *one.notes, one.scenario} - {""}


def test_roles_are_hidden_until_they_are_asked_for(demo: Collection) -> None:
    for one in demo.instances:
        shown = preview(one, gold=False).markup + instance_list([one], 12, "", gold=False).markup
        text = shown + words(shown)
        assert not [secret for secret in gold_of(one) if secret in text]
        assert "role-" not in shown
        assert GOLD not in text


def test_who_asks_for_gold_sees_every_role_and_is_told_so(demo: Collection) -> None:
    for one in demo.instances:
        markup = preview(one, gold=True).markup
        for role in ("must", "nice", "irr"):
            assert markup.count(f"role-{role}") == len(one.having(role))
        assert GOLD in words(markup)
        assert one.scenario in words(instance_list([one], 12, "", gold=True).markup)


def test_the_pool_is_previewed_in_the_order_of_its_seed_alone(demo: Collection) -> None:
    for one in demo.instances:
        told = words(preview(one, gold=False).markup)
        places = [told.index(" ".join(entry.text.split())) for entry in one.listed()]
        assert places == sorted(places)


def test_a_search_finds_what_is_told_and_nothing_that_is_hidden(demo: Collection) -> None:
    assert [one.id for one in matching(demo, "WALID dina")] == ["demo-05-third-address"]
    assert [one.id for one in matching(demo, "zh")][:1] == ["demo-02-huaibiao"]
    assert len(matching(demo, " ")) == 12
    for one in demo.instances:
        for secret in (*one.reasons.values(), *(reply.text for reply in one.replies)):
            assert one not in matching(demo, secret)


def test_a_long_collection_shows_its_first_hundred_and_says_so(demo: Collection) -> None:
    many = [replace(demo.instances[0], id=f"i-{number}") for number in range(657)]
    reader = Reader(instance_list(many, 657, "", gold=False).markup)
    assert len(reader.ids["select"]) == MOST
    assert "557 more" in reader.words
    assert "657 instances" in reader.words


def test_texts_of_a_file_stay_texts(demo: Collection) -> None:
    one = replace(
        demo.instances[0],
        title=HOSTILE,
        query=HOSTILE,
        human=Human(HOSTILE, HOSTILE),
        pool=tuple(replace(entry, text=HOSTILE) for entry in demo.instances[0].pool),
        reasons=dict.fromkeys(demo.instances[0].roles, HOSTILE),
    )
    quirky = replace(demo, name=HOSTILE, quirks=(Quirk(HOSTILE, HOSTILE, HOSTILE),))
    views = (
        preview(one, gold=True),
        instance_list([one], 1, "", gold=True),
        figures(quirky),
        shelf([Shelved("0", HOSTILE, "2026-03-26T11:05:00+00:00")], "0"),
        removal(HOSTILE, 0),
    )
    for view in views:
        reader = Reader(view.markup)
        assert "img" not in reader.elements
        assert not [name for name in reader.attributes if name.startswith("on")]
        assert HOSTILE in reader.words


def test_only_imported_collections_can_be_removed() -> None:
    kept = [Shelved("a", "demo.json", None), Shelved("b", "own.json", "2026-03-26T11:05:00+00:00")]
    assert Reader(shelf(kept, "a").markup).ids == {"select": ["a", "b"], "delete": ["b"]}
    assert "own.json" in words(removal("own.json", 0).markup)
    assert "stays: 2 sessions were opened" in words(removal("own.json", 2).markup)


def madial() -> Collection:
    return read_files(small())


def test_a_collection_without_roles_is_told_in_dialogues_and_golden_entries() -> None:
    told = words(figures(madial()).markup)
    for part in (
        "2 read, 0 refused",
        "1 with 2 test turns",
        "Scenarios—",
        "8 entries (2 of 8)",
        "Golden2 entries",
    ):
        assert part in told
    assert "must" not in told
    assert "Entries 0" not in told


def test_golden_entries_and_the_reply_of_the_file_are_hidden_until_asked_for() -> None:
    one = madial().instances[0]
    hidden = words(preview(one, gold=False).markup + instance_list([one], 2, "", gold=False).markup)
    assert "golden" not in hidden.casefold()
    assert "You mended one in May." not in hidden
    shown = words(preview(one, gold=True).markup)
    assert "Golden, the most suitable first: 7, 2" in shown
    assert "You mended one in May." in shown
    listed = words(instance_list([one], 2, "", gold=True).markup)
    assert "Dialogue 0, turn 4: Bart" in listed
    assert "— · 2 golden" in listed


def test_a_pool_too_large_to_be_shown_whole_is_opened_with_top_k() -> None:
    one = madial().instances[0]
    large = replace(one, pool=one.pool * 8)
    assert (len(one.pool), len(large.pool)) == (8, 64)
    assert fitting(large, "full_pool") == "top_k"
    assert fitting(large, "no_memory") == "no_memory"
    assert fitting(one, "full_pool") == "full_pool"
    assert fitting(None, "full_pool") == "full_pool"


# What is kept


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with closing(fake_sandbox(tmp_path / "data", Script().play)) as made:
        yield made


def own_file() -> bytes:
    """A file of the demo's instances that is not the shipped one."""
    return packaged_collection() + b"\n\n"


def test_a_collection_is_removed_unless_a_session_was_opened_from_it(sandbox: Sandbox) -> None:
    instances = sandbox.instances
    first = instances.add(ACCOUNT, [("own.json", own_file())])
    second = instances.add(ACCOUNT, [("other.json", own_file() + b"\n")])
    opened = instances.open(ACCOUNT, first.sha256, "demo-05")
    with pytest.raises(BadInput, match="1 of your sessions"):
        instances.remove(ACCOUNT, first.sha256)
    instances.remove(ACCOUNT, second.sha256)
    instances.remove(ACCOUNT, second.sha256)
    with pytest.raises(BadInput, match="import its file first"):
        instances.collection(ACCOUNT, second.sha256)
    assert [one.name for one in instances.all(ACCOUNT)] == ["demo.json", "own.json"]
    assert instances.of(opened) is not None


def test_the_shipped_collection_and_other_accounts_stay(sandbox: Sandbox) -> None:
    instances = sandbox.instances
    theirs = instances.add("other", [("own.json", own_file())])
    with pytest.raises(BadInput, match="belongs to the program"):
        instances.remove(ACCOUNT, instances.shipped.sha256)
    instances.remove(ACCOUNT, theirs.sha256)
    assert len(instances.all("other")) == 2
    assert instances.having(ACCOUNT, "demo-05") == instances.shipped.sha256
    assert instances.having(ACCOUNT, "demo-99") is None


# In the browser


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(fake_sandbox(tmp_path_factory.mktemp("tab"), Script().play)) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserContext]:
    with chromium() as context:
        yield context


@browse
def test_import_search_removal_and_a_bad_file(
    url: str, browser: BrowserContext, tmp_path: Path
) -> None:
    good, bad = tmp_path / "own.json", tmp_path / "<img src=x>.json"
    good.write_bytes(own_file())
    bad.write_bytes(packaged_collection()[:5000])
    with tab(browser) as page:
        page.goto(url)
        page.get_by_role("tab", name="Instances").click()
        shelved, upload = page.locator("#shelf li"), "Import a collection-upload-button"
        expect(page.locator("#figures")).to_contain_text("12 read, 0 refused")
        page.get_by_test_id(upload).set_input_files(bad)
        expect(page.get_by_text("must be whole JSON, and breaks off there")).to_be_visible()
        expect(shelved).to_have_count(1)
        page.get_by_test_id(upload).set_input_files(good)
        expect(shelved).to_have_count(2)
        page.locator("#instance-search textarea, #instance-search input").fill("zh 怀表")
        expect(page.locator("#instance-list")).to_contain_text("1 of 12 instances")
        page.get_by_role("button", name="Remove own.json").click()
        expect(page.locator("#collection-question")).to_contain_text("Remove own.json?")
        page.get_by_role("button", name="Remove it").click()
        expect(shelved).to_have_count(1)


@browse
def test_files_that_belong_together_are_chosen_at_once_and_opened(
    url: str, browser: BrowserContext, tmp_path: Path
) -> None:
    run = {"top-20-ids": [3, 7, 1]}
    paths = []
    told = [memory(key) for key in range(1, 65)]
    for name, data in small(memories=told, openai_top_20=lines(run)):
        paths.append(tmp_path / name)
        paths[-1].write_bytes(data)
    packed = tmp_path / "set.zip"
    with ZipFile(packed, "w") as archive:
        for path in paths:
            archive.write(path, path.name)
    with tab(browser) as page:
        page.goto(url)
        page.get_by_role("tab", name="Instances").click()
        upload = page.get_by_test_id("Import a collection-upload-button")
        upload.set_input_files(paths[0])
        expect(page.get_by_text("together with the memory file")).to_be_visible()
        upload.set_input_files(paths)
        expect(page.locator("#figures")).to_contain_text("1 with 2 test turns")
        expect(page.locator("#shelf")).to_contain_text("kept.json and 2 more")
        upload.set_input_files(packed)
        expect(page.locator("#shelf")).to_contain_text("set.zip")
        page.locator("#instance-list").get_by_text("Dialogue 0, turn 6").click()
        expect(page.locator("#instance-preview")).to_contain_text("True!")
        expect(page.locator("#open-with input")).to_have_value("top_k")
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page).to_have_url(re.compile(r"session=\w+$"))
        expect(page.get_by_placeholder("Write a message")).to_have_value("True!")


@browse
def test_the_address_of_an_instance_shows_it_and_open_leads_to_its_session(
    url: str, browser: BrowserContext
) -> None:
    with tab(browser) as page:
        page.goto(f"{url}/instance/demo-05")
        preview_ = page.locator("#instance-preview")
        expect(preview_).to_contain_text("Where the supper is now")
        page.locator("#instance-list").get_by_text("First rain").click()
        expect(page).to_have_url(re.compile("instance=demo-07-first-rain&collection="))
        page.reload()
        expect(preview_).to_contain_text("First rain")
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page).to_have_url(re.compile(r"session=\w+$"))
        expect(page.get_by_placeholder("Write a message")).not_to_have_value("")


@browse
def test_the_tab_fits_a_telephone_and_runs_no_text(
    url: str, browser: BrowserContext, tmp_path: Path
) -> None:
    whole = json.loads(packaged_collection())
    for field in ("title", "query"):
        whole["scenarios"][0][field] = HOSTILE + "w" * 400
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps(whole), encoding="utf-8")
    with tab(browser) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        page.add_init_script(
            "window.leaked = []; window.leak = (what) => window.leaked.push(what);"
        )
        page.goto(f"{url}/instance/demo-04")
        expect(page.locator("#instance-preview")).to_contain_text("The night watch handover")
        page.get_by_test_id("Import a collection-upload-button").set_input_files(file)
        page.locator("#instance-list").get_by_text(HOSTILE).first.click()
        expect(page.locator("#instance-preview h2")).to_contain_text(HOSTILE)
        assert page.evaluate("window.leaked") == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@browse
def test_the_address_of_no_instance_says_so(url: str, browser: BrowserContext) -> None:
    with tab(browser) as page:
        page.goto(f"{url}/instance/nowhere-1")
        expect(page.get_by_text("There is no instance 'nowhere-1'")).to_be_visible()
        expect(page.locator("#instance-list")).to_contain_text("12 instances")
