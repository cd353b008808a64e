"""A card in another version of the standard tells the same character and loses nothing."""

from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personas import card_of, lorebook_items, persona_of, read_card, write_card_json
from personas.card_spec import as_spec
from personas.persona import Persona
from tests.test_cards import ILSE, cards, read, v2

Spec = Literal["V2", "V3"]


@given(data=cards(), spec=st.sampled_from(["V2", "V3"]))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_field_of_a_card_is_in_its_other_version(data: dict[str, Any], spec: Spec) -> None:
    card = read(data)
    other = read_card(write_card_json(as_spec(card, spec)), "other.json")
    assert other.spec == spec
    assert persona_of(other) == persona_of(card)
    assert [item.text for item in lorebook_items(other)] == [
        item.text for item in lorebook_items(card)
    ]
    kept = {name: value for name, value in card.fields.items() if name != "character_book"}
    there = other.data | other.fields
    assert {name: there[name] for name in kept} == kept


@given(data=cards(), spec=st.sampled_from(["V2", "V3"]))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_same_version_is_the_same_card(data: dict[str, Any], spec: Spec) -> None:
    card = as_spec(read(data), spec)
    assert as_spec(card, spec) is card


def test_a_v3_card_comes_back_from_v2_with_all_that_v2_does_not_know() -> None:
    card = read(ILSE)
    back = as_spec(as_spec(card, "V2"), "V3")
    assert back.fields == card.fields | {"character_book": back.fields["character_book"]}
    book = {"x_book": 1, "extensions": {}}
    assert {name: back.fields["character_book"][name] for name in book} == book
    assert (
        back.fields["character_book"]["entries"][0] == (card.fields["character_book"]["entries"][0])
    )


def test_a_v3_card_has_what_v3_requires() -> None:
    entry = {"keys": ["a"], "content": "Salt."}
    told = as_spec(read(v2(character_book={"entries": [entry]})), "V3")
    assert told.data["spec"] == "chara_card_v3"
    assert told.data["spec_version"] == "3.0"
    assert told.fields["group_only_greetings"] == []
    assert told.fields["character_book"]["entries"] == [{"use_regex": False, **entry}]


@pytest.mark.parametrize("spec", ["V2", "V3"])
def test_a_character_made_here_is_in_both_versions(spec: Spec) -> None:
    persona = Persona(id="ann", name="Ann", summary=("Rows.",), traits=("calm",))
    assert persona_of(as_spec(card_of(persona, "V2"), spec)) == persona
