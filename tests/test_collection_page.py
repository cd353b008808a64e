"""The page of a collection: figures, licenses, versions, exports; labels disputed in a preview."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Download, Page, expect

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.authoring.authored import Version
from sandbox.authoring.disputes import Dispute
from sandbox.authoring.exporting import Making, exported
from sandbox.authoring.publishing import Shelved
from sandbox.authoring.rechecking import Change
from sandbox.collected import Collection
from sandbox.formats import packaged_collection, read_collection, read_files
from sandbox.instances import Instance
from sandbox.ui.collection_views import Page as Shown
from sandbox.ui.collection_views import collection_page, export_told
from sandbox.ui.dispute_views import Doubts, around
from sandbox.ui.instance_views import preview
from sandbox.ui.instances_views import instance_list
from sandbox.ui.save_views import made_list
from sandbox.ui.verdict_look import assess
from sandbox.ui.verdict_table import usage_table
from tests.browsing import browse, choose, chromium, served, tab
from tests.fakes import LastWord, Script, fake_sandbox
from tests.test_evaluating import opened
from tests.test_instances_tab import HOSTILE, words
from tests.test_stratmem import item
from tests.test_views import Reader

expect.set_options(timeout=15_000)


@pytest.fixture(scope="module")
def demo() -> Collection:
    return read_collection(packaged_collection(), "demo.json")


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with closing(fake_sandbox(tmp_path / "data", Script().play, load_judge=LastWord)) as made:
        yield made


def annotated(sandbox: Sandbox) -> Version:
    """An instance in the collection `addresses`, made of the third address."""
    authoring = sandbox.workshop.authoring
    turn = sandbox.sessions.transcript(ACCOUNT, opened(sandbox, "05").id).turns[0]
    form = replace(authoring.from_turn(ACCOUNT, turn.chosen or ""), collection="addresses")
    return authoring.start(ACCOUNT, form, "Rana", looked_at=True)


def doubt(one: Instance, role: str = "irr", **fields: str) -> Dispute:
    made = Dispute(
        "d1", "0", one.id, one.having("nice")[0].key, "nice", role, "Not asked for.", "Rana", "2026"
    )
    return replace(made, **fields)


# What is shown


def test_without_gold_no_label_is_told_and_the_mark_stays(demo: Collection) -> None:
    one = demo.find("demo-05")
    changes = [Change("m1", "role", "Omar says irr."), Change("m2", "gone", "It was deleted.")]
    doubts = Doubts([doubt(one)], changes, asked=one.pool[0].key)
    hidden = preview(one, gold=False, around=around(one, doubts, gold=False)).markup
    page = collection_page(Shown("x", "", demo, disputes=[doubt(one)]), gold=False).markup
    listed = instance_list([one], 12, "", gold=False, disputed={one.id: 1}).markup
    for text in map(words, (hidden, page, listed)):
        assert "disputed" in text
        assert "Not asked for." not in text
        assert "nice →" not in text
    assert "It was deleted." in words(hidden)
    assert "Omar says irr." not in words(hidden)
    assert "data-field" not in hidden


def test_with_gold_each_dispute_stands_under_its_entry_with_its_withdrawal(
    demo: Collection,
) -> None:
    one = demo.find("demo-05")
    key = one.having("nice")[0].key
    shown = preview(one, gold=True, around=around(one, Doubts([doubt(one)]), gold=True)).markup
    reader = Reader(shown)
    assert "nice → irrNot asked for.Rana" in words(shown)
    assert reader.ids["undo"] == ["d1"]
    assert sorted(reader.ids["edit"]) == sorted(entry.key for entry in one.pool)
    asked = around(one, Doubts(asked=key, author="Rana"), gold=True)
    form = preview(one, gold=True, around=asked).markup
    assert "The file says nice. It should be" in words(form)
    assert 'value="Rana"' in form
    assert Reader(form).ids["submit"] == [key]


def test_a_license_that_forbids_commerce_is_a_warning_on_page_and_export(demo: Collection) -> None:
    found = read_collection(json.dumps([item()]).encode(), "f.json")
    limited = "CC BY-NC 4.0 (LoCoMo) must not be used commercially."
    assert limited in words(collection_page(Shown("x", "", found), gold=False).markup)
    assert limited in words(export_told(exported(found, "messages")).markup)
    assert "Licenses: Apache-2.0." in words(
        collection_page(Shown("x", "", demo), gold=False).markup
    )


def test_an_export_tells_what_is_lost_or_why_there_is_none(demo: Collection) -> None:
    assert "the entries' type of 12 of 12 instances" in words(
        export_told(exported(demo, "stratmem")).markup
    )
    assert "The files say all of it." in words(export_told(exported(demo, "demo")).markup)
    assert "One folder for each language" in words(export_told(exported(demo, "madial")).markup)
    assert words(export_told(None, "It has no type.").markup) == "It has no type."


def test_texts_of_files_and_people_stay_texts(demo: Collection) -> None:
    one = demo.instances[0]
    said = doubt(one, reason=HOSTILE, author=HOSTILE, instance=HOSTILE)
    made = Shown(
        HOSTILE,
        HOSTILE,
        replace(demo, instances=(replace(one, licence=HOSTILE),)),
        HOSTILE,
        Making(((HOSTILE, 1),), (HOSTILE,)),
        [Shelved(HOSTILE, 1, HOSTILE, "2026", "2026")],
        changes={HOSTILE: [Change(HOSTILE, "gone", HOSTILE)]},
    )
    file = replace(made, made="", disputes=[said])
    doubts = Doubts([replace(said, entry=one.pool[0].key)], author=HOSTILE, asked=one.pool[0].key)
    views = (
        collection_page(made, gold=True).markup,
        collection_page(file, gold=True).markup,
        preview(one, gold=True, around=around(one, doubts, gold=True)).markup,
        export_told(None, HOSTILE).markup,
    )
    for view in views:
        assert HOSTILE in Reader(view).words
        assert "<img" not in view


def test_the_inspector_marks_a_disputed_entry_of_the_replys_instance(sandbox: Sandbox) -> None:
    session = opened(sandbox, "05")
    [turn] = sandbox.sessions.transcript(ACCOUNT, session.id).turns
    sandbox.evaluating.evaluate(ACCOUNT, turn.chosen or "", "local")
    shipped = sandbox.instances.shipped
    one = shipped.find("demo-05")
    key = one.having("nice")[0].key
    before = assess(sandbox, ACCOUNT, turn.chosen or "")
    assert "disputed" not in words(usage_table(before, before.judged[0]).markup)
    said = sandbox.workshop.disputes.dispute(
        ACCOUNT, shipped.sha256, one.id, key, "irr", "Not asked for.", "Rana"
    )
    look = assess(sandbox, ACCOUNT, turn.chosen or "")
    [(entry, why)] = look.disputed.items()
    assert look.labels[entry] == key
    assert why == "nice → irr: Not asked for. (Rana)"
    shown = usage_table(look, look.judged[0]).markup
    assert words(shown).count("disputed") == 1
    assert why in shown
    sandbox.workshop.disputes.withdraw(ACCOUNT, said.id)
    assert assess(sandbox, ACCOUNT, turn.chosen or "").disputed == {}


def test_the_list_of_what_is_made_marks_what_changed_since(sandbox: Sandbox) -> None:
    version = annotated(sandbox)
    authored = version.authored
    shop = sandbox.workshop
    told = words(made_list([version], [], shop.rechecking.changed(ACCOUNT)).markup)
    assert "changed since" not in told
    session = sandbox.sessions.transcript(ACCOUNT, authored.origin.session).session
    sandbox.editing.delete(session.dyad, authored.pool[0].cites or "", draft="x", reason="Gone.")
    marked = made_list([version], [], shop.rechecking.changed(ACCOUNT)).markup
    assert words(marked).count("changed since") == 1
    assert f"{authored.pool[0].held.key}: The memory was deleted in the bank since." in marked


# In the browser


def data_of(download: Download) -> bytes:
    return Path(download.path()).read_bytes()


@browse
def test_disputing_patching_publishing_and_exporting_in_the_browser(sandbox: Sandbox) -> None:
    version = annotated(sandbox)
    with served(sandbox) as url, chromium() as context, tab(context) as page:
        page.goto(url)
        page.get_by_role("tab", name="Instances").click()
        _dispute_and_withdraw(page, sandbox)
        _publish_and_export(page, version)


def _dispute_and_withdraw(page: Page, sandbox: Sandbox) -> None:
    shown, whole = page.locator("#instance-preview"), page.locator("#collection")
    expect(whole).to_contain_text("No label of it is disputed")
    row = page.locator("#instance-list button", has_text="demo-05")
    row.click()
    expect(shown).to_contain_text("roles are hidden")
    expect(shown.get_by_role("button", name="Dispute the label of")).to_have_count(0)
    page.get_by_label("show gold (roles").check()
    shown.get_by_role("button", name="Dispute the label of").first.click()
    form = shown.locator(".doubt-form")
    form.get_by_role("button", name="Dispute it").click()
    expect(page.locator(".toast-wrap")).to_contain_text("needs a reason")
    form.get_by_label("It should be").select_option(index=1)
    form.get_by_label("Why", exact=True).fill("Nobody asked for it.")
    form.get_by_label("Your name", exact=True).fill("Rana")
    form.get_by_role("button", name="Dispute it").click()
    expect(shown.locator(".doubt")).to_contain_text("Nobody asked for it.")
    expect(row).to_contain_text("disputed 1")
    page.locator("#shelf button.collection").first.click()
    expect(whole).to_contain_text("Disputed labels (1)")
    with page.expect_download() as patch:
        whole.get_by_role("button", name="Download the patch").click()
    told = json.loads(data_of(patch.value))
    assert (told["file"], told["changes"][0]["author"]) == ("demo.json", "Rana")
    whole.get_by_role("button", name="Make a corrected copy").click()
    expect(page.locator("#shelf")).to_contain_text("demo corrected.json")
    [copy] = [one for one in sandbox.instances.all(ACCOUNT) if one.added]
    change = told["changes"][0]
    found = sandbox.instances.collection(ACCOUNT, copy.sha256).find(change["instance"])
    assert found.roles[change["entry"]] == change["wanted"]
    page.locator("#shelf button.collection").first.click()
    whole.get_by_role("button", name="withdraw").click()
    expect(whole).to_contain_text("No label of it is disputed")
    expect(row).not_to_contain_text("disputed")


def _publish_and_export(page: Page, version: Version) -> None:
    page.locator("#made").get_by_role("button", name="Versions of addresses").click()
    whole = page.locator("#collection")
    expect(whole).to_contain_text("Ready to be published: 1 annotated.")
    whole.get_by_role("button", name="Publish the next version").click()
    expect(whole).to_contain_text("Versions (1)")
    expect(page.locator("#shelf")).to_contain_text("addresses v1")
    box, ready = page.get_by_label("Format"), page.locator("#export-download")
    expect(ready).to_be_disabled()
    choose(box, page.get_by_role("option", name="StratMem-Bench, capped pools"))
    expect(page.locator("#export-told")).to_contain_text("does not say")
    expect(page.locator("#export-told")).to_contain_text("capped 42.json")
    with page.expect_download() as made:
        ready.click()
    assert made.value.suggested_filename == "addresses stratmem capped 42.zip"
    [one] = read_files([("x.zip", data_of(made.value))]).instances
    assert one.query == version.authored.query
    whole.get_by_role("button", name="Look at v1").click()
    expect(whole).to_contain_text("Version 1 of addresses")
