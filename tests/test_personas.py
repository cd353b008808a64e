import sys
import unicodedata
from pathlib import Path

import pytest

from memory_banks.files import packaged_seeds
from personas import (
    Library,
    PersonaError,
    UnknownPersona,
    describe,
    load_persona,
    packaged_library,
)
from personas.persona import forbidden_character

CHARACTERS = ["baek-sun-hwa", "lantern", "skerry", "walid-qutami"]
SMALL = "id: a\nname: A\nsummary: [One.]\n"


def written(folder: Path, content: str | bytes, name: str = "a.yaml") -> Path:
    path = folder / name
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def test_every_library_file_loads() -> None:
    library = Library(packaged_library())
    assert library.names() == CHARACTERS
    assert library.broken() == []


@pytest.mark.parametrize("name", CHARACTERS)
def test_every_character_has_what_the_page_offers(name: str) -> None:
    persona = Library(packaged_library()).get(name)
    assert persona.traits
    assert persona.style
    assert persona.domains
    assert persona.values
    assert persona.rules
    assert persona.greeting
    assert 3 <= len(persona.openers) <= 4
    assert persona.sample_user is not None
    assert persona.sample_user.bank in packaged_seeds()
    assert persona.sample_user.clock is not None


def test_plain_words_dates_and_numbers_stay_text(tmp_path: Path) -> None:
    path = written(tmp_path, "id: a\nname: no\nsummary: [yes, 2026-01-01, 1.0, 0x10, 12:30]\n")
    persona = load_persona(path)
    assert persona.name == "no"
    assert persona.summary == ("yes", "2026-01-01", "1.0", "0x10", "12:30")


@pytest.mark.parametrize("null", ["null", "~", ""])
def test_null_stays_null(tmp_path: Path, null: str) -> None:
    assert load_persona(written(tmp_path, SMALL + f"greeting: {null}\n")).greeting is None


def test_a_quoted_null_is_text(tmp_path: Path) -> None:
    assert load_persona(written(tmp_path, SMALL + 'greeting: "null"\n')).greeting == "null"


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(SMALL.encode(), id="plain"),
        pytest.param(b"\xef\xbb\xbf" + SMALL.encode(), id="byte-order mark"),
        pytest.param(SMALL.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(SMALL.rstrip("\n").encode(), id="no last line end"),
        pytest.param(b"---\n# a comment\n" + SMALL.encode() + b"...\n", id="document marks"),
    ],
)
def test_encodings_and_line_ends_do_not_matter(tmp_path: Path, content: bytes) -> None:
    assert load_persona(written(tmp_path, content)).summary == ("One.",)


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"

BROKEN = {
    "unknown field": (SMALL + "mood: gay\n", ["'mood'", "'gay'", "is not a field"]),
    "missing field": ("id: a\nsummary: [One.]\n", ["'name'", "must be given", "nothing"]),
    "null where text must be": ("id: a\nname:\nsummary: [One.]\n", ["'name'", "must be text"]),
    "empty text": ("id: a\nname: ''\nsummary: [One.]\n", ["'name'", "must not be empty"]),
    "list where text must be": ("id: a\nname: [A]\nsummary: [One.]\n", ["'name'", "a list of 1"]),
    "text where a list must be": ("id: a\nname: A\nsummary: One.\n", ["'summary'", "'One.'"]),
    "empty list": ("id: a\nname: A\nsummary: []\n", ["'summary'", "at least 1"]),
    "list too long": (SMALL + f"openers: [{'x, ' * 7}]\n", ["'openers'", "at most 6"]),
    "text too long": (SMALL + f"rules: [{'x' * 2001}]\n", ["'rules.0'", "2000 characters"]),
    "item of a list": (SMALL + "traits: [kind, {a: b}]\n", ["'traits.1'", "must be text"]),
    "id with spaces": ("id: a b\nname: A\nsummary: [One.]\n", ["'id'", "'a b'"]),
    "language": (SMALL + "language: English\n", ["'language'", "'English'"]),
    "nested field": (
        SMALL + "sample_user: {name: B, profile: C, bank: Not A Bank}\n",
        ["'sample_user.bank'", "'Not A Bank'"],
    ),
    "clock without offset": (
        SMALL + "sample_user: {name: B, profile: C, bank: b, clock: '2026-03-05T19:40'}\n",
        ["'sample_user.clock'", "an offset", "'2026-03-05T19:40'"],
    ),
    "field given twice": (SMALL + "name: B\n", ["'name'", "must be given once, got 'B'"]),
    "nested field given twice": (
        SMALL + "sample_user: {name: B, name: C}\n",
        ["'sample_user.name'", "must be given once"],
    ),
    "list as a field's name": (
        SMALL + "? [a]\n: b\n",
        ["line 4", "must name its fields with plain text"],
    ),
    "alias bomb": (BOMB, ["line 1", "anchors and aliases are not allowed"]),
    "alias without anchor": (SMALL + "greeting: *x\n", ["line 4", "anchors and aliases"]),
    "tag": (SMALL + "greeting: !!int 3\n", ["line 4", "tags are not allowed", "!!int 3"]),
    "python tag": (SMALL + "traits: !!python/object:os.system [ls]\n", ["line 4", "tags are not"]),
    "deep nesting": (SMALL + "traits: " + "[" * 100_000, ["line 4", "10 levels"]),
    "not YAML": (SMALL + "greeting: 'open\n", ["line 5", "plain YAML"]),
    "tab as indentation": (SMALL + "traits:\n\t- kind\n", ["line 5", "plain YAML"]),
    "two documents": (SMALL + "---\n" + SMALL, ["line 4", "single document"]),
    "escape beyond Unicode": (SMALL + 'greeting: "\\UFFFFFFFF"\n', ["plain YAML"]),
    "NUL": (SMALL + "greeting: a\0b\n", ["line 4", "U+0000"]),
    "escaped NUL": (SMALL + 'greeting: "a\\0b"\n', ["'greeting'", "U+0000"]),
    "lone surrogate": (SMALL + 'greeting: "\\ud83d"\n', ["'greeting'", "U+D83D"]),
    "not UTF-8": (SMALL.encode() + b"greeting: caf\xe9\n", ["line 4", "UTF-8", "0xe9"]),
    "not UTF-8 after a byte-order mark": (b"\xef\xbb\xbfid: \xe9\n", ["line 1", "0xe9"]),
    "UTF-16": (SMALL.encode("utf-16"), ["line 1", "UTF-8", "0xff"]),
    "a list": ("- a\n- b\n", ["must hold fields", "a list of 2"]),
    "a word": ("hello\n", ["must hold fields", "'hello'"]),
    "empty file": ("", ["must hold fields", "nothing"]),
    "too large": ("#" * (256 * 1024 + 1), ["at most 262144 bytes"]),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_one_sentence_with_file_place_and_rule(tmp_path: Path, case: str) -> None:
    content, parts = BROKEN[case]
    path = written(tmp_path, content)
    with pytest.raises(PersonaError) as raised:
        load_persona(path)
    sentence = str(raised.value)
    assert sentence.startswith("a.yaml")
    assert "\n" not in sentence
    assert len(sentence) < 400
    assert [part for part in parts if part not in sentence] == []


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(PersonaError, match=r"^gone\.yaml: must be a file that can be read"):
        load_persona(tmp_path / "gone.yaml")


def test_a_folder_in_place_of_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").mkdir()
    with pytest.raises(PersonaError, match=r"^a\.yaml: must be a file"):
        load_persona(tmp_path / "a.yaml")


def test_one_broken_file_takes_no_other_down(tmp_path: Path) -> None:
    written(tmp_path, SMALL)
    written(tmp_path, "id: b\n", "b.yaml")
    written(tmp_path, SMALL, "c.yaml")
    library = Library(tmp_path)
    assert library.names() == ["a"]
    assert [str(error).split(":")[0] for error in library.broken()] == [
        "b.yaml, field 'name'",
        "c.yaml, field 'id'",
    ]


def test_an_unknown_persona_lists_those_that_can_be_had(tmp_path: Path) -> None:
    written(tmp_path, SMALL)
    with pytest.raises(UnknownPersona, match=r"^there is no persona 'b'; the library has a$"):
        Library(tmp_path).get("b")


def test_a_broken_persona_is_refused_with_what_is_wrong(tmp_path: Path) -> None:
    written(tmp_path, SMALL)
    written(tmp_path, "id: b\nsummary: [One.]\n", "b.yaml")
    with pytest.raises(UnknownPersona, match=r"b\.yaml, field 'name'.*the library has a$"):
        Library(tmp_path).get("b")


@pytest.mark.parametrize("name", ["../a", "a.yaml", "", "A", "a\x00"])
def test_only_a_listed_id_is_found(tmp_path: Path, name: str) -> None:
    written(tmp_path, SMALL)
    with pytest.raises(UnknownPersona):
        Library(tmp_path / "..").get(name)
    with pytest.raises(UnknownPersona):
        Library(tmp_path).get(name)


def test_a_missing_folder_is_empty_and_said(tmp_path: Path) -> None:
    library = Library(tmp_path / "none")
    assert library.names() == []
    assert ["must be a folder" in str(error) for error in library.broken()] == [True]


def test_an_edited_file_is_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, SMALL)
    library = Library(tmp_path)
    assert library.get("a").name == "A"
    path.write_text(SMALL.replace("name: A", "name: Another"), "utf-8")
    assert library.get("a").name == "Another"


def test_describe_tells_every_field_in_a_fixed_order(tmp_path: Path) -> None:
    text = (
        SMALL + "traits: [kind, slow]\nstyle: [plain]\ndomains: [boats]\nvalues: [thrift]\n"
        "rules:\n  - Asks first.\n  - >-\n    Says no\n\n    when it must.\n"
        "greeting: Hello\nopeners: [Hi]\n"
    )
    assert describe(load_persona(written(tmp_path, text))) == (
        "Name: A\nSummary: One.\nTraits: kind; slow\nStyle: plain\nDomains: boats\n"
        "Values: thrift\nRules:\n- Asks first.\n- Says no when it must."
    )


def test_describe_leaves_out_what_is_not_told(tmp_path: Path) -> None:
    assert describe(load_persona(written(tmp_path, SMALL))) == "Name: A\nSummary: One."


def test_control_characters_and_lone_surrogates_are_forbidden_and_nothing_else() -> None:
    for code in range(sys.maxunicode + 1):
        mark = chr(code)
        category = unicodedata.category(mark)
        expected = mark if category in ("Cc", "Cs") and mark not in "\n\t" else None
        assert forbidden_character(f"a{mark}b") == expected, hex(code)


def test_the_first_forbidden_character_is_told() -> None:
    assert forbidden_character("a\x07b\x00") == "\x07"
    assert forbidden_character("") is None
