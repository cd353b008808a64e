import json
import unicodedata
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personas import (
    Card,
    CardError,
    Library,
    LoreItem,
    Persona,
    PersonaError,
    card_of,
    card_with,
    load_persona,
    lorebook_items,
    packaged_library,
    persona_id,
    persona_of,
    persona_yaml,
    read_card,
    read_lorebook,
    read_persona,
    with_lorebook,
    write_card_json,
    write_card_png,
)
from tests.pictures import packed, png, text

V1_FIELDS = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
OURS = "strategic-memory-sandbox"


def clean(text: str) -> str:
    """`text` without the characters that no persona may hold."""
    kept = (mark for mark in text if mark in "\n\t" or unicodedata.category(mark) != "Cc")
    return "".join(kept).strip()


# What cards are made of: Unicode of all kinds, also right-to-left, emoji, macros, YAML's traps.

SAID = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "{{char}}",
                "<START>\n",
                "مارا",
                "שלום\u200f",
                "👩‍👩‍👧",
                "no",
                "1e3",
                "a: b",
                "'\"\\",
                "\n\n",
            ]
            + ["@@depth 4\n", "\r\n", "\u2028", "\u0085", "\ufeff", "\x07", "  ", "- ", "#", "null"]
        ),
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8),
    ),
    max_size=6,
).map("".join)
CLEAN = SAID.map(clean).filter(bool)
"""What a persona may say."""
NAME = SAID.map(lambda said: f"M{said}")
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | SAID,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SAID, inner, max_size=3),
    max_leaves=6,
)
UNKNOWN = st.dictionaries(SAID.map(lambda said: f"x_{said}"), JSON, max_size=3)
ENTRY = st.fixed_dictionaries(
    {
        "keys": st.lists(SAID, max_size=3),
        "content": SAID,
        "extensions": UNKNOWN,
        "enabled": st.booleans(),
        "insertion_order": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    },
    optional={
        "case_sensitive": st.none() | st.booleans(),
        "use_regex": st.booleans(),
        "id": st.integers() | SAID,
        "name": SAID,
        "comment": SAID,
        "x_new": JSON,
    },
)
BOOK = st.fixed_dictionaries(
    {"entries": st.lists(ENTRY, max_size=4), "extensions": UNKNOWN},
    optional={"name": SAID, "scan_depth": st.integers(), "recursive_scanning": st.booleans()},
)
TEXTS = st.fixed_dictionaries({name: SAID for name in V1_FIELDS} | {"name": NAME})


@st.composite
def cards(draw: st.DrawFn) -> dict[str, Any]:
    """A card of any version as the JSON object that other tools write."""
    spec = draw(st.sampled_from(["V1", "V2", "V3"]))
    fields, unknown = draw(TEXTS), draw(UNKNOWN)
    if spec == "V1":
        return unknown | fields
    fields |= draw(UNKNOWN) | {
        "extensions": draw(UNKNOWN),
        "tags": draw(st.lists(SAID, max_size=2)),
    }
    if draw(st.booleans()):
        fields["character_book"] = draw(BOOK)
    if spec == "V2":
        version = {"spec": "chara_card_v2", "spec_version": "2.0"}
        copies = {name: fields[name] for name in V1_FIELDS if draw(st.booleans())}
        return unknown | copies | version | {"data": fields}
    fields |= {
        "group_only_greetings": draw(st.lists(SAID, max_size=2)),
        "creator_notes_multilingual": draw(st.dictionaries(st.just("de"), SAID)),
        "assets": [{"type": "icon", "uri": draw(SAID), "name": "main", "ext": "png"}],
        "nickname": draw(SAID),
    }
    version = draw(st.sampled_from(["3.0", "3.7"]))
    return unknown | {"spec": "chara_card_v3", "spec_version": version, "data": fields}


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8")


def read(value: Any, name: str = "mara.json") -> Card:
    return read_card(as_json(value), name)


def v2(**fields: Any) -> dict[str, Any]:
    return {
        "spec": "chara_card_v2",
        "spec_version": "2.0",
        "data": {"name": "Mara", "description": "Keeps the light.", **fields},
    }


ILSE: dict[str, Any] = {
    "spec": "chara_card_v3",
    "spec_version": "3.7",
    "x_top": {"k": [1, {"z": None}]},
    "data": {
        "name": "Ilse (lab)",
        "nickname": "Ilse",
        "description": "Measures tides.\n\nWrites {{user}} notes.",
        "personality": "dry\npatient",
        "scenario": "A harbour office.",
        "first_mes": "{{User}}, I am {{char}}.",
        "mes_example": "<START>\n{{user}}: Hi\n{{char}}: Tide's out.\n<start>\n{{char}}: Wait.",
        "creator_notes": "SECRET notes",
        "system_prompt": "SECRET order",
        "post_history_instructions": "SECRET last word",
        "alternate_greetings": ["Other"],
        "tags": ["SECRET tag"],
        "creator": "SECRET creator",
        "character_version": "SECRET version",
        "extensions": {"x_lab": {"k": [1, {"z": None}]}},
        "group_only_greetings": ["All of you"],
        "creator_notes_multilingual": {"de": "Notiz"},
        "assets": [{"type": "icon", "uri": "embeded://a.png", "name": "main", "ext": "png"}],
        "character_book": {
            "x_book": 1,
            "extensions": {},
            "entries": [
                {
                    "keys": ["(a+)+$", "storm"],
                    "content": "@@depth 4\n@@@role system\n\nThe storm of 1987 took the pier.",
                    "extensions": {"probability": 50},
                    "enabled": True,
                    "insertion_order": 7,
                    "case_sensitive": None,
                    "use_regex": True,
                    "comment": "storm",
                    "id": "e1",
                },
                {"keys": [], "content": "Ilse owes Tom a lamp.", "enabled": False},
            ],
        },
    },
}


# Round trips


@given(data=cards())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_card_survives_import_export_import_with_every_field(data: dict[str, Any]) -> None:
    card = read(data)
    assert card.data == data
    assert read_card(write_card_json(card), "again.json").data == data
    again = read_card(write_card_png(card), "again.png")
    assert (again.data, again.spec) == (data, card.spec)
    assert read_card(write_card_png(again), "again.png").data == data


@given(data=cards())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_card_that_nobody_edits_stays_the_same_card(data: dict[str, Any]) -> None:
    card = read(data)
    assert card_with(card, persona_of(card)) is card
    assert with_lorebook(card, lorebook_items(card)) is card


@given(data=cards(), summary=CLEAN)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_an_edited_field_leaves_all_others_as_they_were(data: dict[str, Any], summary: str) -> None:
    card = read(data)
    persona = persona_of(card).model_copy(update={"summary": (summary,)})
    edited = read_card(write_card_json(card_with(card, persona)), "mara.json")
    assert persona_of(edited) == persona
    inner = edited.data if edited.spec == "V1" else edited.data["data"]
    before = data if card.spec == "V1" else data["data"]
    if edited.spec == card.spec:
        rest = {name: value for name, value in inner.items() if name != "extensions"}
        assert rest == {k: v for k, v in before.items() if k != "extensions"} | {
            "description": inner["description"]
        }
        foreign = {k: v for k, v in inner.get("extensions", {}).items() if k != OURS}
        assert foreign == before.get("extensions", {})


def test_a_newer_card_keeps_what_we_do_not_know_and_says_so() -> None:
    card = read(ILSE, "ilse.json")
    assert card.warnings == (
        "The card is newer (chara_card_v3, '3.7'): what we do not know is kept, not used.",
    )
    persona = persona_of(card)
    edited = card_with(card, persona.model_copy(update={"summary": ("Sleeps.",)}))
    expected = json.loads(json.dumps(ILSE))
    expected["data"]["description"] = "Sleeps."
    assert read_card(write_card_json(edited), "ilse.json").data == expected
    assert card.data == ILSE


def test_a_standard_of_the_future_is_read_as_the_newest_we_know() -> None:
    card = read(ILSE | {"spec": "chara_card_v4", "spec_version": "4.0"})
    assert card.spec == "V3"
    assert ["newer" in warning for warning in card.warnings] == [True]


def test_a_copy_of_an_edited_field_at_the_top_follows_it() -> None:
    data = v2() | {"name": "Mara", "description": "Keeps the light.", "personality": "old copy"}
    card = read(data)
    persona = persona_of(card).model_copy(update={"summary": ("Left.",), "traits": ("tired",)})
    edited = card_with(card, persona).data
    assert (edited["description"], edited["data"]["description"]) == ("Left.", "Left.")
    assert (edited["personality"], edited["data"]["personality"]) == ("old copy", "tired")


def test_the_picture_stays_with_an_edited_card() -> None:
    image = png(text(b"chara", packed(v2())))
    card = read_card(image, "mara.png")
    edited = card_with(card, persona_of(card).model_copy(update={"name": "Nora"}))
    assert edited.image == image
    assert read_card(write_card_png(edited), "x.png").name == "Nora"


# Which persona a card is


def test_what_of_a_card_goes_where() -> None:
    persona = persona_of(read(ILSE))
    assert persona == Persona(
        id="ilse",
        name="Ilse",
        summary=("Measures tides.", "Writes {{user}} notes."),
        traits=("dry", "patient"),
        scenario="A harbour office.",
        examples=("{{user}}: Hi\n{{char}}: Tide's out.", "{{char}}: Wait."),
        greeting="{{User}}, I am {{char}}.",
    )


def test_what_must_stay_out_of_prompts_is_in_no_field_of_the_persona() -> None:
    assert "SECRET" not in persona_of(read(ILSE)).model_dump_json()


def test_a_card_without_a_name_asks_for_one() -> None:
    card = read(v2(name=""))
    assert card.warnings == ("The card has no name: give the character one.",)
    with pytest.raises(CardError, match=r"^mara\.json, field 'data\.name': must not be empty"):
        persona_of(card)
    persona = persona_of(card, name="Nora")
    assert (persona.id, persona.name) == ("nora", "Nora")
    assert card_with(card, persona).name == "Nora"


def test_a_card_that_only_has_a_name_is_summed_up_by_it() -> None:
    assert persona_of(read(v2(description=" \n"))).summary == ("Mara",)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_control_characters_of_other_systems_do_not_matter(end: str) -> None:
    persona = persona_of(read(v2(description=f"One.{end}{end}Two\x07.", personality=f"a{end}b")))
    assert (persona.summary, persona.traits) == (("One.", "Two."), ("a", "b"))


def test_three_cards_of_one_name_are_three_personas() -> None:
    cards_of_one_name = [as_json(v2(description=said)) for said in ("One.", "Two.", "Three.")]
    taken: set[str] = set()
    for content in cards_of_one_name:
        suffix = str(len(taken) + 1) if taken else ""
        taken.add(persona_of(read_card(content, "mara.json"), suffix).id)
    assert taken == {"mara", "mara-2", "mara-3"}
    assert len({read_card(content, "x.json").sha256 for content in cards_of_one_name}) == 3


def test_identical_bytes_have_one_fingerprint_whatever_the_file_is_called() -> None:
    content = as_json(v2())
    card = read_card(content, "mara.json")
    assert card.sha256 == read_card(content, "copy (2).png").sha256
    assert len(card.sha256) == 64
    assert card_with(card, persona_of(card).model_copy(update={"name": "B"})).sha256 == ""


@pytest.mark.parametrize(
    ("name", "suffix", "expected"),
    [
        ("Mara Vel", "", "mara-vel"),
        ("  Éloïse!! ", "2", "eloise-2"),
        ("../../etc/cron.d/x", "", "etc-cron-d-x"),
        ("مارا", "", "character"),
        ("莉莉 🙂", "a1", "character-a1"),
        ("x" * 500, "77", "x" * 60 + "-77"),
        ("-", "", "character"),
    ],
)
def test_an_id_is_made_of_the_name(name: str, suffix: str, expected: str) -> None:
    assert persona_id(name, suffix) == expected


@pytest.mark.parametrize("suffix", ["../x", "A", "a b", "x" * 33])
def test_a_suffix_that_no_id_can_end_with_is_refused(suffix: str) -> None:
    with pytest.raises(ValueError, match="suffix must be made of"):
        persona_id("Mara", suffix)


def test_real_lengths_fit() -> None:
    fields = {
        "description": "word " * 6_000,
        "first_mes": "Hello. " * 1_000,
        "mes_example": "x" * 9_000,
    }
    persona = persona_of(read(v2(**fields, personality="kind, " * 1_000)))
    assert len(persona.summary[0]) == 29_999
    assert persona_of(card_of(persona)) == persona


def test_many_paragraphs_and_lines_are_kept_whole() -> None:
    description = "\r\n\r\n".join(f"Paragraph {number}." for number in range(50))
    persona = persona_of(read(v2(description=description, personality="a\n" * 60)))
    assert len(persona.summary) == len(persona.traits) == 20
    assert persona.summary[19].startswith("Paragraph 19.\n\nParagraph 20.")
    assert persona.summary[19].endswith("Paragraph 49.")


@pytest.mark.parametrize(
    ("fields", "parts"),
    [
        ({"description": "x" * 40_001}, ["'data.description'", "at most 40000 characters"]),
        ({"first_mes": "x" * 40_001}, ["'data.first_mes'", "at most 40000 characters"]),
        ({"name": "x" * 2_001}, ["'data.name'", "at most 2000 characters"]),
        (
            {"description": "é" * 39_000, "personality": "x" * 3_000},
            ["a character must hold at most 80000 bytes of text in all, it has 81004"],
        ),
    ],
)
def test_a_card_that_tells_too_much_is_kept_but_makes_no_persona(
    fields: dict[str, Any], parts: list[str]
) -> None:
    card = read(v2(**fields))
    with pytest.raises(CardError) as raised:
        persona_of(card)
    assert [part for part in parts if part not in str(raised.value)] == []
    assert read_card(write_card_json(card), "x.json").data == card.data


# Personas made here


@st.composite
def personas(draw: st.DrawFn) -> Persona:
    """A persona that uses all its fields, made of the characters that one may hold."""
    lists = ("traits", "style", "domains", "values", "rules", "examples")
    told = {name: draw(st.lists(CLEAN, max_size=4).map(tuple)) for name in lists}
    return Persona(
        id="mara",
        name=" ".join(draw(CLEAN).split()),
        summary=tuple(draw(st.lists(CLEAN, min_size=1, max_size=4))),
        scenario=draw(st.none() | CLEAN),
        greeting=draw(st.none() | CLEAN),
        openers=tuple(draw(st.lists(CLEAN, max_size=3))),
        language=draw(st.sampled_from(["en", "ar", "no"])),
        **told,
    )


@given(persona=personas(), spec=st.sampled_from(["V2", "V3"]))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_persona_made_here_survives_as_a_card(persona: Persona, spec: Any) -> None:
    card = card_of(persona, spec)
    for content in (write_card_json(card), write_card_png(card)):
        again = read_card(content, "x")
        assert again.spec == spec
        assert again.warnings == ()
        told = persona_of(again)
        assert told.model_copy(update={"id": "mara"}) == persona
        assert card_with(again, told) is again


@given(persona=personas())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_persona_survives_as_a_file(persona: Persona) -> None:
    told = persona_yaml(persona)
    again = read_persona(told.encode("utf-8"), "mara.yaml")
    assert again == persona
    assert persona_yaml(again) == told


@given(persona=personas(), data=cards())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_card_can_be_made_to_tell_any_persona(persona: Persona, data: dict[str, Any]) -> None:
    edited = card_with(read(data), persona)
    again = persona_of(read_card(write_card_json(edited), "x"))
    assert again.model_copy(update={"id": "mara"}) == persona


@pytest.mark.parametrize("name", Library(packaged_library()).names())
def test_the_librarys_characters_survive_as_files_and_cards(name: str, tmp_path: Any) -> None:
    persona = Library(packaged_library()).get(name)
    path = tmp_path / f"{name}.yaml"
    path.write_text(persona_yaml(persona), "utf-8")
    assert load_persona(path) == persona
    card = card_of(persona)
    assert persona_of(card).model_copy(update={"id": name}) == persona.model_copy(
        update={"sample_user": None}
    )
    for rule in persona.rules:
        assert rule in card.text("description")


def test_a_file_says_a_persona_in_plain_yaml() -> None:
    persona = Persona(
        id="mara",
        name="no",
        summary=("Keeps: the light.", "Two\n\n  lines"),
        traits=("1e3", "yes", '"dry"'),
        greeting="~",
    )
    assert persona_yaml(persona) == (
        "id: mara\nname: 'no'\nsummary:\n  - 'Keeps: the light.'\n  - |-\n    Two\n\n      lines\n"
        "traits:\n  - 1e3\n  - 'yes'\n  - '\"dry\"'\ngreeting: '~'\nlanguage: en\n"
    )


@pytest.mark.parametrize("worst", ["a\n", "\ufffe", "\U0010ffff", "\t", "\\", "'"])
def test_the_largest_persona_fits_its_file(worst: str) -> None:
    piece = "x" + worst * (39_900 // len(worst.encode("utf-8"))) + "x"
    persona = Persona(id="a", name="A", summary=(piece, piece))
    assert read_persona(persona_yaml(persona).encode("utf-8"), "a.yaml") == persona
    with pytest.raises(ValueError, match="at most 80000 bytes of text in all"):
        Persona(id="a", name="A", summary=(piece, piece, piece))


def test_a_file_with_too_much_text_is_said() -> None:
    content = (
        f"id: a\nname: A\nsummary: [{'x' * 39_000}, {'x' * 39_000}]\nrules: [{'x ' * 999 + 'x'}"
    )
    content += f", {'x' * 1000}]\n"
    with pytest.raises(
        PersonaError, match=r"^a\.yaml: must hold at most 80000 bytes of text in all"
    ):
        read_persona(content.encode("utf-8"), "a.yaml")


@pytest.mark.parametrize("bad", ["a\x00b", "a\x1bb", "a\x85b", "a\ud83d"])
def test_a_persona_never_holds_what_its_file_cannot(bad: str) -> None:
    with pytest.raises(ValueError, match="summary"):
        Persona(id="a", name="A", summary=(bad,))


def test_our_fields_count_only_while_the_text_they_belong_to_is_unchanged() -> None:
    persona = Persona(
        id="mara",
        name="Mara",
        summary=("Keeps the light.",),
        rules=("Never lies.",),
        openers=("Hi",),
    )
    card = card_of(persona)
    edited = json.loads(json.dumps(card.data))
    edited["data"]["description"] = "Left the light."
    again = persona_of(read(edited))
    assert (again.summary, again.rules, again.openers) == (("Left the light.",), (), ("Hi",))


@pytest.mark.parametrize(
    "broken",
    [7, [], {"persona": 3}, {"persona": {"rules": 7}}, {"persona": {"summary": ["a\x07"], "x": 1}}],
)
def test_a_broken_extension_of_ours_is_as_good_as_none(broken: Any) -> None:
    card = read(v2(extensions={OURS: broken}))
    assert persona_of(card).summary == ("Keeps the light.",)
    assert read_card(write_card_json(card), "x").data == card.data


def test_a_v1_card_becomes_v2_only_for_what_v1_cannot_hold() -> None:
    card = read({"name": "Mara", "description": "Keeps.", "x_app": {"a": 1}, "tags": ["kept"]})
    assert card.spec == "V1"
    persona = persona_of(card)
    assert card_with(card, persona.model_copy(update={"greeting": "Hi"})).spec == "V1"
    changed = card_with(card, persona.model_copy(update={"rules": ("Never lies.",)}))
    assert (changed.spec, changed.data["x_app"], changed.data["data"]["tags"]) == (
        "V2",
        {"a": 1},
        ["kept"],
    )
    assert "name" not in changed.data


# Lorebooks


def test_a_lorebook_is_read_as_items() -> None:
    storm, lamp = lorebook_items(read(ILSE))
    assert storm.text == "The storm of 1987 took the pier."
    assert (storm.keys, storm.name, storm.enabled, storm.order) == (
        ("(a+)+$", "storm"),
        "storm",
        True,
        7,
    )
    assert (lamp.text, lamp.enabled, lamp.order, lamp.type) == (
        "Ilse owes Tom a lamp.",
        False,
        0,
        None,
    )
    assert storm.key.startswith("lore-")
    assert storm.key != lamp.key


def test_an_edited_item_leaves_the_entrys_other_fields_and_decorators() -> None:
    card = read(ILSE)
    storm, lamp = lorebook_items(card)
    told = replace(storm, text="No storm.", type="fact", side="dyad", anchor="1987-01-02")
    new = LoreItem("lore-new", "@@depth is a word here.", keys=("x",), name="New", order=1.5)
    edited = read_card(write_card_json(with_lorebook(card, [new, told])), "x.json")
    assert lorebook_items(edited) == [new, told]
    first, second = edited.data["data"]["character_book"]["entries"]
    old = ILSE["data"]["character_book"]["entries"][0]
    ours = second["extensions"].pop(OURS)
    assert ours == {"type": "fact", "side": "dyad", "anchor": "1987-01-02", "key": storm.key}
    assert second == old | {"content": "@@depth 4\n@@@role system\n\nNo storm."}
    assert set(first) == {
        "keys", "content", "extensions", "enabled", "insertion_order", "use_regex", "name"
    }  # fmt: skip
    assert edited.data["data"]["character_book"]["x_book"] == 1
    assert lamp.key not in json.dumps(edited.data)


@pytest.mark.parametrize("said", ["@@more\nx", "  indented", "\n\nlow", "", "plain", "@@", " @@x"])
@pytest.mark.parametrize(
    "content", ["@@depth 4\nOld.", "@@depth 4", "@@depth 4\r\n\r\nOld.", "Old."]
)
def test_a_text_that_looks_like_decorators_stays_text(said: str, content: str) -> None:
    card = read(v2(character_book={"entries": [{"content": content}]}))
    (old,) = lorebook_items(card)
    assert old.text in ("Old.", "")
    edited = with_lorebook(card, [replace(old, text=said)])
    assert lorebook_items(edited) == [replace(old, text=said)]
    head = content.removesuffix("Old.")
    assert edited.fields["character_book"]["entries"][0]["content"].startswith(head)


def test_what_stands_beside_our_fields_stays() -> None:
    entry = {"content": "One.", "extensions": {OURS: {"key": "a", "x_later": 1}}}
    ours = {OURS: {"x_later": 2, "persona": {"openers": ["Hi"]}}}
    card = read(v2(character_book={"entries": [entry]}, extensions=ours))
    (item,) = lorebook_items(card)
    edited = with_lorebook(card, [replace(item, type="fact")])
    edited = card_with(edited, persona_of(edited).model_copy(update={"openers": ()}))
    written = edited.fields["character_book"]["entries"][0]["extensions"][OURS]
    assert written == {"key": "a", "x_later": 1, "type": "fact"}
    assert edited.fields["extensions"] == {OURS: {"x_later": 2}}


def test_entries_in_sillytavern_form_are_edited_in_it() -> None:
    card = read(v2(character_book=WORLD))
    storm, off = lorebook_items(card)
    changed = [replace(storm, enabled=False), replace(off, enabled=True, keys=("off",), order=6)]
    edited = with_lorebook(card, changed)
    assert lorebook_items(edited) == changed
    first = edited.fields["character_book"]["entries"][0]
    assert (first["disable"], first["uid"], "enabled" in first) == (True, 0, False)


ITEM = st.builds(
    LoreItem,
    key=st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=4),
    text=SAID,
    keys=st.lists(SAID, max_size=3).map(tuple),
    name=SAID,
    enabled=st.booleans(),
    order=st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    type=st.none() | st.just("fact"),
    side=st.none() | st.just("user"),
    anchor=st.none() | SAID,
    emotion=st.none() | SAID,
    scene=st.none() | SAID,
)


@given(data=cards(), new=st.lists(ITEM, max_size=3), draw=st.data())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_items_survive_in_a_card_with_what_other_tools_wrote(
    data: dict[str, Any], new: list[LoreItem], draw: st.DataObject
) -> None:
    card = read(data)
    known = lorebook_items(card)
    kept = draw.draw(st.lists(st.sampled_from(known), unique_by=id)) if known else []
    edits = [replace(item, text=draw.draw(st.just(item.text) | SAID)) for item in kept]
    items = list({item.key: item for item in [*edits, *new]}.values())
    edited = read_card(write_card_json(with_lorebook(card, items)), "x")
    assert lorebook_items(edited) == items
    written = edited.fields.get("character_book", {}).get("entries", [])
    before = data.get("data", {}).get("character_book", {}).get("entries", [])
    entries = {item.key: entry for item, entry in zip(known, before, strict=True)}
    for item, entry in zip(items, written, strict=True):
        if item in edits:
            old = entries[item.key]
            assert entry.keys() == old.keys()
            foreign = {k: v for k, v in entry["extensions"].items() if k != OURS}
            assert foreign == old["extensions"]
            assert {k: v for k, v in entry.items() if k not in ("content", "extensions")} == {
                k: v for k, v in old.items() if k not in ("content", "extensions")
            }


def test_equal_entries_have_keys_of_their_own() -> None:
    entry = {"keys": ["a"], "content": "Same."}
    card = read(v2(character_book={"entries": [entry] * 3}))
    items = lorebook_items(card)
    assert len({item.key for item in items}) == 3
    assert lorebook_items(with_lorebook(card, items[::-1])) == items[::-1]
    assert lorebook_items(with_lorebook(card, items[1:])) == items[1:]


def test_a_key_that_a_copied_entry_repeats_is_renamed_to_a_free_one() -> None:
    entries = [{"content": "x", "extensions": {OURS: {"key": key}}} for key in ("a", "a", "a-2")]
    items = lorebook_items(read(v2(character_book={"entries": entries})))
    assert [item.key for item in items] == ["a", "a-3", "a-2"]


def test_two_items_of_one_key_are_refused() -> None:
    with pytest.raises(ValueError, match="keys must be unique, got 'a' twice"):
        with_lorebook(read(v2()), [LoreItem("a", "One."), LoreItem("a", "Two.")])


@pytest.mark.parametrize("key", ["", "a b", "user:a", "a\n", "x" * 201])
def test_a_key_that_no_bank_file_can_hold_is_refused_or_replaced(key: str) -> None:
    with pytest.raises(ValueError, match="an item's key must be printable"):
        with_lorebook(read(v2()), [LoreItem(key, "One.")])
    entry = {"keys": [], "content": "x", "extensions": {OURS: {"key": key, "type": 7}}}
    (item,) = lorebook_items(read(v2(character_book={"entries": [entry]})))
    assert item.key.startswith("lore-")
    assert item.type is None


def test_a_v1_card_becomes_v2_for_its_first_lorebook() -> None:
    card = read({"name": "Mara", "description": "Keeps."})
    assert with_lorebook(card, []) is card
    edited = with_lorebook(card, [LoreItem("a", "One.")])
    assert (edited.spec, edited.text("description")) == ("V2", "Keeps.")
    assert lorebook_items(edited) == [LoreItem("a", "One.")]


WORLD = {
    "entries": {
        "0": {
            "uid": 0, "key": ["storm"], "keysecondary": [], "comment": "The storm",
            "content": "It took the pier.", "order": 100, "position": 0, "disable": False,
        },
        "7": {"uid": 7, "key": [], "comment": "", "content": "Off.", "order": 5, "disable": True},
    }
}  # fmt: skip


def test_a_sillytavern_world_is_read() -> None:
    book = read_lorebook(as_json(WORLD), "world.json")
    told = [(i.text, i.keys, i.name, i.enabled, i.order) for i in book.items]
    assert told == [
        ("It took the pier.", ("storm",), "The storm", True, 100),
        ("Off.", (), "", False, 5),
    ]


def test_a_lorebook_file_of_v3_is_read() -> None:
    data = {"spec": "lorebook_v3", "data": ILSE["data"]["character_book"] | {"name": "Tides"}}
    book = read_lorebook(as_json(data), "tides.json")
    assert book.name == "Tides"
    assert list(book.items) == lorebook_items(read(ILSE))


def test_a_lorebook_and_a_card_are_told_apart() -> None:
    with pytest.raises(CardError, match=r"'spec'.*import a lorebook into a bank"):
        read({"spec": "lorebook_v3", "data": {"entries": []}})
    with pytest.raises(CardError, match=r"^card\.json: must be a lorebook"):
        read_lorebook(as_json(v2()), "card.json")


def test_twenty_thousand_entries_are_read_and_more_are_refused() -> None:
    entry = {"keys": ["b"], "content": "a", "enabled": True, "insertion_order": 1}
    book = {"entries": [entry] * 20_000}
    assert len({item.key for item in lorebook_items(read(v2(character_book=book)))}) == 20_000
    with pytest.raises(CardError, match=r"at most 20000 entries, got 20001$"):
        read(v2(character_book={"entries": [entry] * 20_001}))


# Files that cannot be used

BROKEN = {
    "a number for a text": (v2(description=7), ["'data.description'", "must be text", "got 7"]),
    "a list for a text": (v2(first_mes=["a"]), ["'data.first_mes'", "must be text", "a list of 1"]),
    "a number for the name": (v2(name=7), ["'data.name'", "must be text"]),
    "extensions as a list": (v2(extensions=[1]), ["'data.extensions'", "must be an object"]),
    "book as text": (v2(character_book="x"), ["'data.character_book'", "must be an object"]),
    "entries as text": (
        v2(character_book={"entries": "x"}),
        ["'data.character_book.entries'", "must be a list"],
    ),
    "entry as text": (
        v2(character_book={"entries": [{}, "x"]}),
        ["'data.character_book.entries.1'", "must be an object"],
    ),
    "content as number": (
        v2(character_book={"entries": [{"content": 7}]}),
        ["'data.character_book.entries.0.content'", "must be text, got 7"],
    ),
    "keys as text": (
        v2(character_book={"entries": [{"keys": "a,b"}]}),
        ["'data.character_book.entries.0.keys'", "list of texts", "'a,b'"],
    ),
    "enabled as text": (
        v2(character_book={"entries": [{"enabled": "yes"}]}),
        ["'data.character_book.entries.0.enabled'", "true or false"],
    ),
    "order as text": (
        v2(character_book={"entries": [{"insertion_order": "1"}]}),
        ["'data.character_book.entries.0.insertion_order'", "must be a number"],
    ),
    "data as a list": (v2() | {"data": []}, ["'data'", "must be an object", "a list of 0"]),
    "no data": ({"spec": "chara_card_v2"}, ["'data'", "must be an object", "nothing"]),
    "unknown spec": (v2() | {"spec": "recipe"}, ["'spec'", "chara_card_v2", "'recipe'"]),
    "spec as a number": (v2() | {"spec": 2}, ["'spec'", "got 2"]),
    "some other JSON": ({"name": "left-pad", "version": "1.0"}, ["must be a character card"]),
    "a list": ([v2()], ["must be an object", "a list of 1"]),
    "null": (None, ["must be an object", "nothing"]),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_card_is_one_sentence_with_file_field_and_value(case: str) -> None:
    value, parts = BROKEN[case]
    with pytest.raises(CardError) as raised:
        read(value)
    sentence = str(raised.value)
    assert sentence.startswith("mara.json")
    assert "\n" not in sentence
    assert len(sentence) < 300
    assert [part for part in parts if part not in sentence] == []


HOSTILE = {
    "deep list": (b"[" * 200_000, ["at most 100 levels"]),
    "deep objects": (b'{"a":' * 100_000, ["line 1", "at most 100 levels"]),
    "two million values": (b"[" + b"0," * 2_000_000 + b"0]", ["at most 1000000 values"]),
    "11 MB": (b'{"name": "' + b"x" * 11_000_000 + b'"}', ["at most 10485760 bytes"]),
    "NaN": (as_json(v2(x=[1, float("nan")])), ["'data.x.1'", "finite number", "'NaN'"]),
    "infinity": (as_json(v2(x=float("inf"))), ["'data.x'", "finite number", "'Infinity'"]),
    "beyond floats": (b'{"name": "a", "scenario": "", "x": -1e999}', ["'x'", "finite number"]),
    "5,000 digits": (
        b'{"name": "a", "scenario": "", "x": {"y": ' + b"9" * 5_000 + b"}}",
        ["'x.y'", "at most 4300 digits"],
    ),
    "lone surrogate": (as_json(v2(tags=["\ud83d"])), ["'data.tags.0'", "surrogates", "U+D83D"]),
    "lone surrogate in a name": (as_json(v2(x={"\ud83d": 1})), ["'data.x.(name)'", "surrogates"]),
    "NUL": (as_json(v2(creator="a\0b")), ["'data.creator'", "NUL", "U+0000"]),
    "not UTF-8": (b'{"name": "a",\n"scenario": "\xe9"}', ["line 2", "must be UTF-8", "0xe9"]),
    "cut short": (as_json(v2())[:40], ["line 1, column", "must be JSON"]),
    "two objects": (as_json(v2()) * 2, ["must be JSON (Extra data)"]),
    "unclosed quotes": (b'{"a":"' + b'\\"' * 2_000_000, ["must be JSON (Unterminated string"]),
}


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.timeout(30)
def test_a_hostile_file_is_refused_in_one_sentence(case: str) -> None:
    content, parts = HOSTILE[case]
    with pytest.raises(CardError) as raised:
        read_card(content, "mara.json")
    sentence = str(raised.value)
    assert sentence.startswith("mara.json")
    assert "\n" not in sentence
    assert len(sentence) < 300
    assert [part for part in parts if part not in sentence] == []


def test_large_integers_are_kept() -> None:
    data = v2(x=10**4_299, y=-(10**100))
    assert read_card(write_card_json(read(data)), "x").data == data


def test_a_key_given_twice_is_said_and_the_last_value_counts() -> None:
    card = read_card(b'{"name": "A", "name": "B", "scenario": ""}', "x.json")
    assert card.name == "B"
    assert card.warnings == ("The key 'name' is given twice in one object; the last value counts.",)


@pytest.mark.parametrize(
    ("data", "warning"),
    [
        (v2(creator=7), "The card's creator is not of the right kind: kept, not shown."),
        (v2(tags="a, b"), "The card's tags is not of the right kind: kept, not shown."),
        (
            v2() | {"spec_version": "two"},
            "The card's spec_version should be a number such as 2.0, got 'two'.",
        ),
        (
            {"spec": "chara_card_v2", "data": {"name": "Mara"}},
            "The card's spec_version should be a number such as 2.0, got none.",
        ),
        (
            {"data": {"name": "Mara"}},
            "The card does not say which standard it follows; it is read as V2.",
        ),
    ],
)
def test_what_is_odd_but_harmless_is_a_warning(data: dict[str, Any], warning: str) -> None:
    card = read(data)
    assert card.warnings == (warning,)
    assert read_card(write_card_json(card), "x").data == data


def test_nulls_are_as_good_as_nothing_and_are_kept() -> None:
    data = v2(personality=None, tags=None, extensions=None, character_book=None, nickname=None)
    card = read(data)
    assert card.warnings == ()
    persona = persona_of(card)
    assert persona.traits == ()
    assert card_with(card, persona) is card
    edited = card_with(card, persona.model_copy(update={"openers": ("Hi",)}))
    assert edited.data["data"]["extensions"] == {OURS: {"persona": {"openers": ["Hi"]}}}
    assert read_card(write_card_json(card), "x").data == data


def test_a_card_that_could_not_be_read_again_is_not_written() -> None:
    card = read(v2())
    for broken, part in (
        (["\ud83d"], "surrogates"),
        (float("nan"), "finite"),
        ("x" * 11_000_000, "bytes"),
    ):
        with pytest.raises(CardError, match=part):
            write_card_json(replace(card, data=card.data | {"x": broken}))
