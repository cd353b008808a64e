import pytest
from hypothesis import given
from hypothesis import strategies as st

from personas import Persona, describe, expand, expanded

NAMES = st.text(max_size=12)
"""Also names that look like macros or like a pattern's replacement."""


@pytest.mark.parametrize(
    "written",
    ["{{char}}", "{{Char}}", "{{CHAR}}", "{{ char }}", "{{\tchar\n}}", "<BOT>", "<bot>", "<Char>"],
)
def test_the_character_is_named_in_any_case(written: str) -> None:
    assert expand(f"I am {written}.", "Mara", "Ana") == "I am Mara."


@pytest.mark.parametrize("written", ["{{user}}", "{{User}}", "{{ USER }}", "<USER>", "<user>"])
def test_the_speaker_is_named_in_any_case(written: str) -> None:
    assert expand(f"{written}, hello", "Mara", "Ana") == "Ana, hello"


def test_known_macros_are_replaced_once_and_unknown_ones_left() -> None:
    text = "{{User}}, I am {{char}}. <BOT> greets <USER>. {{unknown}} {{ char }}"
    told = expand(text, "$1 \\1", "{{char}}")
    assert told == "{{char}}, I am $1 \\1. $1 \\1 greets {{char}}. {{unknown}} $1 \\1"


@given(char=NAMES, user=NAMES)
def test_names_are_put_in_as_they_are(char: str, user: str) -> None:
    assert expand("{{char}}|<USER>|{{Char}}", char, user) == f"{char}|{user}|{char}"


@given(text=st.text(st.characters(exclude_characters="{<")), seed=st.none() | st.text())
def test_a_text_without_macros_stays_as_it_is(text: str, seed: str | None) -> None:
    assert expand(text, "Mara", "Ana", seed) == text


@pytest.mark.parametrize(
    "written",
    [
        "{{// a note}}",
        "{{//}}",
        "{{comment: x}}",
        "{{ Comment : x\ny }}",
        "{{hidden_key:storm}}",
        "{{// for {{char}} only }}",
    ],
)
def test_comments_vanish(written: str) -> None:
    assert expand(f"a{written}b", "Mara", "Ana") == "ab"


@pytest.mark.parametrize(
    "written",
    ["{{random:a,b}}", "{{pick:a,b}}", "{{roll:6}}", "{{}}", "{{users}}", "{char}", "{{uſer}}"],
)
def test_what_is_unknown_or_needs_a_seed_stays_as_written(written: str) -> None:
    assert expand(written, "Mara", "Ana") == written


def test_reverse_turns_its_text_round() -> None:
    assert expand("{{reverse: storm}}", "Mara", "Ana") == "mrots"


def test_choices_come_from_the_seed() -> None:
    text = "{{random: fog , rain\\, wind,sun}}" * 30
    told = expand(text, "Mara", "Ana", "session 1")
    assert told == expand(text, "Mara", "Ana", "session 1")
    assert told != expand(text, "Mara", "Ana", "session 2")
    for choice in ("fog", "rain, wind", "sun"):
        assert choice in told
        told = told.replace(choice, "")
    assert told == ""


def test_choices_may_be_parted_by_double_colons() -> None:
    assert expand("{{pick::a,b::a,b}}", "Mara", "Ana", "s") == "a,b"


@given(sides=st.integers(1, 999_999_999), seed=st.text())
def test_a_die_shows_one_of_its_sides(sides: int, seed: str) -> None:
    assert 1 <= int(expand(f"{{{{roll: d{sides}}}}}", "Mara", "Ana", seed)) <= sides


@pytest.mark.parametrize("written", ["{{roll:0}}", "{{roll:-1}}", "{{roll:2d6}}", "{{roll:}}"])
def test_a_die_that_cannot_be_rolled_stays_as_written(written: str) -> None:
    assert expand(written, "Mara", "Ana", "s") == written


@pytest.mark.parametrize(
    "hostile", ["{{//" * 50_000, "{{// {{a}}" * 20_000, "{{random:" * 20_000, "{{ " * 60_000]
)
@pytest.mark.timeout(20)
def test_unclosed_macros_cost_no_time(hostile: str) -> None:
    assert expand(hostile, "Mara", "Ana", "s") == hostile


def test_a_persona_is_expanded_in_every_field_and_keeps_its_own_text() -> None:
    persona = Persona(
        id="mara",
        name="Mara",
        summary=("{{char}} keeps the light for {{user}}.",),
        traits=("calls everyone <USER>", "{{// nothing}}"),
        rules=("{{char}} never lies to {{user}}.",),
        scenario="{{char}} and {{user}} at the pier",
        examples=("{{user}}: Hi\n{{char}}: Hello",),
        greeting="Good day, {{user}}!",
        openers=("Who is {{char}}?",),
    )
    told = expanded(persona, "Ana")
    assert describe(told) == (
        "Name: Mara\nSummary: Mara keeps the light for Ana.\nTraits: calls everyone Ana\n"
        "Scenario: Mara and Ana at the pier\nRules:\n- Mara never lies to Ana.\n"
        "Examples of talk:\n- Ana: Hi Mara: Hello"
    )
    assert told.greeting == "Good day, Ana!"
    assert told.openers == ("Who is Mara?",)
    assert persona.greeting == "Good day, {{user}}!"


def test_a_persona_of_comments_only_still_says_its_name() -> None:
    persona = Persona(id="mara", name="Mara", summary=("{{// x}}",), greeting="{{// y}}")
    told = expanded(persona, "Ana")
    assert (told.summary, told.greeting) == (("Mara",), None)


def test_a_persona_without_macros_is_unchanged() -> None:
    persona = Persona(id="mara", name="Mara", summary=("One.",), values=("thrift",))
    assert expanded(persona, "Ana") == persona
