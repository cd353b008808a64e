"""Characters as files and forms: nobody is overwritten, nothing is lost, lorebooks are entries."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personas import UnknownPersona
from personas.cards import lorebook_items, read_card
from personas.lorebook import LoreItem
from personas.persona import Persona
from personas.persona_file import PersonaError, persona_yaml
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.character_files import CharacterFiles
from sandbox.character_forms import FIELDS, edited, form_of, save_form
from sandbox.edits import Edit
from sandbox.inputs import BadInput
from sandbox.lore import People, lore_lines, with_bank
from tests.fakes import Script, fake_sandbox
from tests.pictures import packed, png, text

PEOPLE = People("Mara Vel", "Ann")
BOOK: dict[str, Any] = {
    "name": "The harbour",
    "entries": [
        {
            "keys": ["lamp"],
            "content": "{{char}} lights the lamp for {{user}}.",
            "name": "The lamp",
            "enabled": True,
            "insertion_order": 3,
            "extensions": {"other": {"a": 1}},
        },
        {"keys": [], "content": "Off.", "enabled": False, "insertion_order": 1, "extensions": {}},
        {"keys": [], "content": " ", "enabled": True, "insertion_order": 2, "extensions": {}},
    ],
}


def card(name: str = "Mara Vel", **fields: Any) -> bytes:
    data = {"name": name, "description": "Keeps the light.\n\nHas a dog.", "unknown": [1, {"x": 2}]}
    return json.dumps(
        {"spec": "chara_card_v2", "spec_version": "2.0", "data": data | fields}
    ).encode()


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with closing(fake_sandbox(tmp_path / "data", Script().play)) as made:
        yield made


@pytest.fixture
def files(sandbox: Sandbox) -> CharacterFiles:
    return CharacterFiles(sandbox.characters, sandbox.banks)


def form(**values: str) -> dict[str, str]:
    return form_of(None) | values


# Forms

line = st.text(
    st.characters(blacklist_categories=["Cc", "Cs"]) | st.just("\n"), min_size=1, max_size=20
).filter(lambda text: text.strip() != "")
lines = st.lists(line, max_size=4)


@given(st.lists(line, min_size=1, max_size=3), lines, lines, st.none() | line)
def test_a_form_that_nobody_touched_changes_nothing(
    summary: list[str], examples: list[str], rules: list[str], greeting: str | None
) -> None:
    told = {"summary": summary, "examples": examples, "rules": rules, "greeting": greeting}
    persona = Persona.model_validate({"id": "a", "name": "A"} | told)
    assert edited(persona, form_of(persona)) == persona
    touched = edited(persona, form_of(persona) | {"name": "B"})
    assert touched == persona.model_copy(update={"name": "B"})


def test_lists_are_written_one_a_line_or_a_paragraph_each() -> None:
    base = Persona(id="a", name="A", summary=("S.",))
    told = form_of(base) | {
        "summary": "One.\nStill one.\n \n\nTwo.",
        "rules": " Never lie.\n\nAsk first. ",
        "examples": "A: Hi\n\nB: Oh\n---\nA: Bye",
    }
    found = edited(base, told)
    assert found.summary == ("One.\nStill one.", "Two.")
    assert found.rules == ("Never lie.", "Ask first.")
    assert found.examples == ("A: Hi\n\nB: Oh", "A: Bye")


@pytest.mark.parametrize(
    ("field", "typed", "told"),
    [
        ("name", " ", "The character's name must not be empty"),
        ("summary", "", "The character's summary must hold at least 1"),
        ("language", "english", "The character's language must match"),
        ("openers", "a\n" * 7, "The character's openers must hold at most 6"),
    ],
)
def test_what_a_form_must_not_say_is_one_sentence(field: str, typed: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        edited(
            Persona(id="a", name="A", summary=("S.",)),
            {**form(name="A", summary="S."), field: typed},
        )


def test_an_edited_packaged_character_is_a_copy(sandbox: Sandbox) -> None:
    before = sandbox.characters.get(ACCOUNT, "walid-qutami")
    told = form_of(before) | {"rules": "Answers in metric."}
    first = save_form(sandbox.characters, ACCOUNT, before.id, told)
    second = save_form(sandbox.characters, ACCOUNT, before.id, told)
    assert sandbox.characters.get(ACCOUNT, "walid-qutami") == before
    assert [first.id, second.id] == ["walid-qutami-2", "walid-qutami-3"]
    assert first.rules == ("Answers in metric.",)
    assert first.sample_user == before.sample_user


def test_an_edited_own_character_keeps_its_id_and_its_card(
    sandbox: Sandbox, files: CharacterFiles
) -> None:
    known = files.bring(ACCOUNT, card(), "mara.json").persona
    saved = save_form(
        sandbox.characters, ACCOUNT, known.id, form_of(known) | {"name": "Mara the Elder"}
    )
    assert (saved.id, saved.name) == (known.id, "Mara the Elder")
    assert sandbox.characters.card(ACCOUNT, known.id) == card()


def test_the_character_of_an_instance_is_edited_like_any_other(sandbox: Sandbox) -> None:
    opened = sandbox.instances.open(ACCOUNT, sandbox.instances.shipped.sha256, "demo-05")
    told = form_of(opened.persona) | {"rules": "Counts chairs."}
    saved = save_form(sandbox.characters, ACCOUNT, opened.agent, told)
    assert sandbox.characters.get(ACCOUNT, opened.agent) == saved
    assert sandbox.sessions.find(ACCOUNT, opened.id).persona == opened.persona


# Files


def test_an_import_overwrites_nobody_and_twice_is_once(
    sandbox: Sandbox, files: CharacterFiles
) -> None:
    first = files.bring(ACCOUNT, card(), "mara.json")
    other = files.bring(ACCOUNT, card(description="Another Mara."), "mara.json")
    again = files.bring(ACCOUNT, card(), "renamed.json")
    assert [first.persona.id, other.persona.id, again.persona.id] == [
        "mara-vel",
        "mara-vel-2",
        "mara-vel",
    ]
    assert (first.known, other.known, again.known) == (False, False, True)
    assert len(sandbox.characters.own(ACCOUNT)) == 2
    assert sandbox.characters.own("other") == []


def test_a_yaml_file_comes_back_as_the_same_character(
    sandbox: Sandbox, files: CharacterFiles
) -> None:
    own = Persona(id="ann", name="Ann", summary=("Rows.",), greeting="Ahoy.\n  Two.")
    sandbox.characters.save(ACCOUNT, own)
    written = files.export(ACCOUNT, "ann", "yaml")
    assert (written.name, written.data.decode()) == ("ann.yaml", persona_yaml(own))
    assert files.bring(ACCOUNT, written.data, "any.yml").known
    assert files.bring("other", written.data, "any.yml").persona == own


def test_the_yaml_of_a_packaged_character_becomes_a_copy_once_it_is_changed(
    files: CharacterFiles,
) -> None:
    packaged = files.export(ACCOUNT, "skerry", "yaml").data
    assert files.bring(ACCOUNT, packaged, "skerry.yaml").known
    changed = files.bring(ACCOUNT, packaged.replace(b"name: Skerry", b"name: Sker"), "skerry.yaml")
    assert (changed.persona.id, changed.persona.name) == ("skerry-2", "Sker")


def test_a_kept_card_is_exported_as_it_was_and_as_it_is(
    sandbox: Sandbox, files: CharacterFiles
) -> None:
    known = files.bring(ACCOUNT, card(), "../../<b>mara</b>.json").persona
    save_form(sandbox.characters, ACCOUNT, known.id, form_of(known) | {"scenario": "A storm."})
    original = files.export(ACCOUNT, known.id, "original")
    assert (original.name, original.data) == ("mara-vel.original.json", card())
    now = read_card(files.export(ACCOUNT, known.id, "json").data, "now")
    assert now.fields["unknown"] == [1, {"x": 2}]
    assert (now.spec, now.text("scenario")) == ("V2", "A storm.")
    picture = read_card(files.export(ACCOUNT, known.id, "png").data, "now")
    assert picture.data == now.data


@pytest.mark.parametrize(("kind", "spec"), [("json V2", "V2"), ("json V3", "V3"), ("png", "V3")])
def test_a_character_without_a_card_gets_one(files: CharacterFiles, kind: str, spec: str) -> None:
    made = files.export(ACCOUNT, "walid-qutami", kind)
    read = read_card(made.data, made.name)
    assert (read.spec, read.name) == (spec, "Walid Qutami")
    assert made.name == f"walid-qutami.{kind[:4].strip()}"
    with pytest.raises(BadInput, match="kind of file"):
        files.export(ACCOUNT, "walid-qutami", "original")


def test_a_card_without_a_name_is_called_by_its_file(files: CharacterFiles) -> None:
    found = files.bring(ACCOUNT, card(name=""), "/tmp/The  Keeper.json")
    assert (found.persona.name, found.persona.id) == ("The Keeper", "the-keeper")
    assert any("no name" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("data", "name", "told"),
    [
        (b"{", "a.json", "a.json"),
        (b"name: [", "a.yaml", "a.yaml"),
        (b"\x89PNG\r\n\x1a\n", "a.png", "a.png"),
        (b"[1]", "a.json", "must be an object"),
    ],
)
def test_a_broken_file_keeps_nothing(
    sandbox: Sandbox, files: CharacterFiles, data: bytes, name: str, told: str
) -> None:
    with pytest.raises((BadInput, PersonaError), match=told):
        files.bring(ACCOUNT, data, name)
    assert sandbox.characters.own(ACCOUNT) == []


# Lorebooks


def test_a_lorebook_becomes_what_the_character_knows_with_its_names_put_in(
    sandbox: Sandbox, files: CharacterFiles
) -> None:
    known = files.bring(ACCOUNT, card(character_book=BOOK), "mara.json").persona
    did = files.bring_lore(ACCOUNT, "Ann", known.id)
    assert (did.imported.new, did.imported.known) == (1, 0)
    assert did.notes == (
        "1 of its entries left out: switched off.",
        "1 of its entries left out: empty.",
    )
    [entry] = sandbox.banks.view(ACCOUNT, "Ann", known.id).live
    assert entry.text == "Mara Vel lights the lamp for Ann."
    assert (entry.type, entry.scope.side, entry.author) == ("agent_knowledge", "dyad", "import")
    [operation] = did.imported.operations
    assert operation.imported is not None
    assert operation.imported.file == "mara-vel.json"
    assert files.bring_lore(ACCOUNT, "Ann", known.id).imported.new == 0


def test_an_item_says_itself_what_it_becomes() -> None:
    def become(**told: Any) -> tuple[str, str]:
        [found] = lore_lines([LoreItem("k", "Text.", **told)], PEOPLE).lines
        return found.type, found.side

    assert become() == ("agent_knowledge", "dyad")
    assert become(side="user") == ("fact", "user")
    assert become(type="user_profile") == ("user_profile", "user")
    assert become(type="episodic") == ("episodic", "dyad")
    assert become(type="episodic", side="user") == ("episodic", "user")
    assert become(type="agent_method", side="user") == ("agent_method", "dyad")
    assert become(type="rumour") == ("agent_knowledge", "dyad")


def test_what_an_item_says_and_no_bank_takes_is_left_out_and_told() -> None:
    odd = LoreItem("k", "Text.", scene="Sailing", anchor="soon", type="rumour")
    lore = lore_lines([odd, LoreItem("long", "x" * 100_001)], PEOPLE)
    assert [(found.scene, found.anchor) for found in lore.lines] == [(None, None)]
    assert len(lore.notes) == 4


def test_export_with_an_untouched_bank_gives_the_card_back(files: CharacterFiles) -> None:
    known = files.bring(ACCOUNT, card(character_book=BOOK), "mara.json").persona
    files.bring_lore(ACCOUNT, "Ann", known.id)
    assert (
        files.export(ACCOUNT, known.id, "json", "Ann").data
        == files.export(ACCOUNT, known.id, "json").data
    )


def test_a_bank_changes_adds_and_deletes_entries_of_the_exported_lorebook(
    sandbox: Sandbox, files: CharacterFiles
) -> None:
    book = BOOK | {"entries": [*BOOK["entries"], {"keys": ["net"], "content": "A net."}]}
    known = files.bring(ACCOUNT, card(character_book=book), "mara.json").persona
    files.bring_lore(ACCOUNT, "Ann", known.id)
    view = sandbox.banks.view(ACCOUNT, "Ann", known.id)
    lamp, net = view.live
    change = Edit("agent_knowledge", "The lamp is out.")
    sandbox.editing.change(view.dyad, lamp.id, change, draft="1")
    sandbox.editing.delete(view.dyad, net.id, draft="2")
    sandbox.editing.add(view.dyad, Edit("fact", "Ann rows."), draft="3")
    before = lorebook_items(read_card(card(character_book=book), "c"))
    after = lorebook_items(read_card(files.export(ACCOUNT, known.id, "json", "Ann").data, "c"))
    assert [item.text for item in after] == ["The lamp is out.", "Off.", " ", "Ann rows."]
    assert (after[0].keys, after[0].name, after[0].key) == (("lamp",), "The lamp", before[0].key)
    assert (after[3].type, after[3].side) == ("fact", "user")


def test_a_lorebook_file_goes_into_the_bank_under_its_name(
    sandbox: Sandbox, files: CharacterFiles
) -> None:
    data = json.dumps(BOOK).encode()
    did = files.bring_lorebook(ACCOUNT, "Ann", "skerry", data, "/tmp/harbour.json")
    [operation] = did.imported.operations
    assert operation.imported is not None
    assert operation.imported.file == "harbour.json"
    [entry] = sandbox.banks.view(ACCOUNT, "Ann", "skerry").live
    assert entry.text == "Skerry lights the lamp for Ann."
    with pytest.raises(BadInput, match="must be a lorebook"):
        files.bring_lorebook(ACCOUNT, "Ann", "skerry", card(), "card.json")


def test_a_picture_is_given_back_byte_for_byte(files: CharacterFiles) -> None:
    whole = json.loads(card())
    picture = png(text(b"chara", packed(whole)))
    known = files.bring(ACCOUNT, picture, "mara.png").persona
    original = files.export(ACCOUNT, known.id, "original")
    assert (original.name, original.mime) == ("mara-vel.original.png", "image/png")
    assert original.data == picture
    assert read_card(files.export(ACCOUNT, known.id, "png").data, "p").data == whole


items = st.lists(
    st.builds(
        LoreItem,
        key=st.uuids().map(str),
        text=st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=20),
        side=st.sampled_from([None, "user", "dyad"]),
        type=st.sampled_from([None, "fact", "episodic", "agent_method"]),
    ),
    max_size=5,
    unique_by=lambda item: item.key,
)


@given(items)
def test_a_bank_that_never_held_a_lorebook_leaves_it_alone(found: list[LoreItem]) -> None:
    assert with_bank(found, [], PEOPLE) == found
    off = [replace(item, enabled=False) for item in found]
    assert lore_lines(off, PEOPLE).lines == ()


def test_the_form_has_every_field_that_a_person_may_edit() -> None:
    assert set(FIELDS) == set(Persona.model_fields) - {"id", "sample_user"}


# Deleting, and other versions of a card


def test_an_imported_card_can_be_taken_away_in_the_other_version(files: CharacterFiles) -> None:
    known = files.bring(ACCOUNT, card(), "mara.json").persona
    assert files.kinds(ACCOUNT, known.id) == ["yaml", "json", "json V3", "png", "original"]
    told = read_card(files.export(ACCOUNT, known.id, "json V3").data, "v3")
    assert (told.spec, told.fields["unknown"]) == ("V3", [1, {"x": 2}])
    again = files.bring(ACCOUNT, files.export(ACCOUNT, known.id, "json V3").data, "v3").persona
    assert again.model_copy(update={"id": known.id}) == known
    assert files.kinds(ACCOUNT, again.id) == ["yaml", "json", "json V2", "png", "original"]


def test_a_deleted_character_is_in_no_list_and_its_sessions_go_on(
    files: CharacterFiles, sandbox: Sandbox
) -> None:
    known = files.bring(ACCOUNT, card(), "mara.json").persona
    session = sandbox.sessions.open(ACCOUNT, "Ann", known.id)
    assert sandbox.characters.count_sessions(ACCOUNT, known.id) == 1
    sandbox.characters.remove(ACCOUNT, known.id)
    assert known not in sandbox.characters.all(ACCOUNT)
    assert sandbox.characters.deleted(ACCOUNT) == [known]
    assert sandbox.characters.card(ACCOUNT, known.id) is None
    reply = sandbox.conversation.ask(ACCOUNT, session.id, "Is the lamp lit?")
    assert reply.line.text == "I see."
    assert sandbox.banks.view(ACCOUNT, session.user, known.id).states == ()
    brought = files.bring(ACCOUNT, card(), "mara.json")
    assert (brought.persona, brought.known) == (known, False)
    assert sandbox.characters.deleted(ACCOUNT) == []


def test_a_deleted_character_without_sessions_is_gone(
    files: CharacterFiles, sandbox: Sandbox
) -> None:
    known = files.bring(ACCOUNT, card(), "mara.json").persona
    sandbox.characters.remove(ACCOUNT, known.id)
    sandbox.characters.remove(ACCOUNT, known.id)
    assert sandbox.characters.deleted(ACCOUNT) == []
    with pytest.raises(UnknownPersona):
        sandbox.characters.get(ACCOUNT, known.id)


def test_a_deleted_character_of_another_account_is_unknown(
    files: CharacterFiles, sandbox: Sandbox
) -> None:
    known = files.bring(ACCOUNT, card(), "mara.json").persona
    sandbox.sessions.open(ACCOUNT, "Ann", known.id)
    sandbox.characters.remove("other", known.id)
    assert sandbox.characters.own(ACCOUNT) == [known]
    sandbox.characters.remove(ACCOUNT, known.id)
    with pytest.raises(UnknownPersona):
        sandbox.characters.get("other", known.id)
    assert sandbox.characters.deleted("other") == []


def test_a_packaged_character_cannot_be_deleted(sandbox: Sandbox) -> None:
    with pytest.raises(BadInput, match="'skerry' is a packaged character"):
        sandbox.characters.remove(ACCOUNT, "skerry")
