import json
import random
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from graphs.json_answer import (
    NoJson,
    NotValid,
    instruction,
    read_answer,
    repair_request,
    response_format,
    schema,
)


class Item(BaseModel):
    model_config = ConfigDict(extra="forbid")

    op: Literal["add", "delete"]
    id: str | None = None


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid")

    ops: Annotated[tuple[Item, ...], Field(max_length=3)]
    weight: float = 1.0
    miq: int | None = None


EMPTY = Form(ops=())
DELETE = '{"ops":[{"op":"delete","id":"m1"}]}'


@pytest.mark.parametrize(
    "raw",
    [
        '{"ops":[]}',
        ' \n{"ops": []}\n ',
        '\ufeff{"ops":[]}',
        '```json\n{"ops":[]}\n```',
        '```\n{"ops":[]}\n```\n',
        'Here you are:\n```json\n{"ops":[]}\n```',
        'Sure, the answer is: {"ops":[]}',
        f'<think>maybe {DELETE} no</think>{{"ops":[]}}',
        'think>x</think>{"ops":[]}',
        f'I could say {DELETE}, no.</think>\n\n{{"ops":[]}}',
        '<think>a</think>\n<think>b</think>\nSo: {"ops":[]}',
    ],
)
def test_fences_leading_words_and_reasoning_are_read_around(raw: str) -> None:
    assert read_answer(raw, Form) == EMPTY


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "  \n",
        "<think>I was going to",
        f"<think>{DELETE}",
        f'{DELETE} {{"ops":[]}}',
        f'{DELETE}</think>{{"ops":[]}}',
        '{"ops":[]}{"ops":[]}',
        '{"ops":[]} That is all.',
        '[{"ops":[]}]',
        "[]",
        "null",
        '"ops"',
        "{'ops': []}",
        '{"ops":[],}',
        '{"ops":[{"op":"delete","id":"m1"}',
        '{"ops":[{"op":"delete"},{"op":"de',
        '{"ops":{}}',
        '{"ops":[{"op":"merge"}]}',
        '{"ops":[],"ops":[]}',
        '{"ops":[],"more":1}',
        '{"ops":[{"op":"add"},{"op":"add"},{"op":"add"},{"op":"add"}]}',
        '{"ops":[],"weight":NaN}',
        '{"ops":[],"weight":-Infinity}',
        '{"ops":[],"weight":1e400}',
        '{"ops":[],"weight":"1.0"}',
        '{"ops":[],"miq":"4"}',
        '{"ops":[],"miq":4.5}',
        '{"ops":[],"miq":true}',
        '{"ops":[],"MIQ":4}',
        '{"ops":[{"op":"add","id":7}]}',
        '{"ops":[{"op":"add","id":"\\ud83d"}]}',
        '{"ops":' + "[" * 100_000,
        '{"ops":' * 50_000,
        '{"ops":[],"miq":' + "9" * 5000 + "}",
        '{"ops":[]}' + " " * 5 + "x" * 2_000_000,
    ],
)
def test_anything_else_is_not_valid(raw: str) -> None:
    with pytest.raises(NotValid) as caught:
        read_answer(raw, Form)
    assert 0 < len(str(caught.value)) < 600


def test_words_without_json_are_told_from_broken_json() -> None:
    with pytest.raises(NoJson):
        read_answer("I would rather not.", Form)
    with pytest.raises(NotValid) as caught:
        read_answer('{"ops":[}', Form)
    assert not isinstance(caught.value, NoJson)


def test_the_reason_names_the_field_and_no_value() -> None:
    with pytest.raises(NotValid, match=r"ops\.0\.op: .*'add' or 'delete'") as caught:
        read_answer('{"ops":[{"op":"secretly"}]}', Form)
    assert "secretly" not in str(caught.value)


@given(st.text(max_size=200))
def test_no_text_gives_anything_but_an_object_or_not_valid(raw: str) -> None:
    try:
        found = read_answer(raw, Form)
    except NotValid:
        return
    assert isinstance(found, Form)
    assert "{" in raw


@given(st.integers(0, 2**32), st.integers(1, 4))
def test_no_damage_gives_an_operation_that_was_not_written(seed: int, damages: int) -> None:
    dice = random.Random(seed)
    text = list('{"ops":[{"op":"add","id":"m1"},{"op":"delete","id":null}],"miq":4}')
    for _ in range(damages):
        place = dice.randrange(len(text))
        text[place : place + dice.randrange(3)] = dice.choice(['"', "{", "}", "[", "", "\x00", ","])
    try:
        found = read_answer("".join(text), Form)
    except NotValid:
        return
    assert {item.op for item in found.ops} <= {"add", "delete"}
    assert len(found.ops) <= 2


@given(
    ops=st.lists(st.sampled_from(["add", "delete"]), max_size=3),
    weight=st.floats(allow_nan=False, allow_infinity=False),
    prose=st.text(alphabet="abc .:,\n", max_size=20),
)
def test_a_written_object_is_read_back_as_it_is(ops: list[str], weight: float, prose: str) -> None:
    written = {"ops": [{"op": op, "id": "x</think>{}`"} for op in ops], "weight": weight}
    for raw in (json.dumps(written), f"```json\n{json.dumps(written)}\n```"):
        found = read_answer(raw, Form)
        assert [item.op for item in found.ops] == ops
        assert found.weight == weight
    assert read_answer(prose + '{"ops":[]}', Form) == EMPTY


def test_the_schema_lists_every_property_and_allows_no_other() -> None:
    asked = schema(Form)
    assert asked["required"] == ["ops", "weight", "miq"]
    assert asked["additionalProperties"] is False
    assert asked["$defs"]["Item"]["required"] == ["op", "id"]
    assert asked["$defs"]["Item"]["additionalProperties"] is False
    assert "default" not in json.dumps(asked)


def test_a_field_may_be_called_default() -> None:
    class Odd(BaseModel):
        default: int
        properties: str = "x"

    assert schema(Odd)["required"] == ["default", "properties"]
    assert set(schema(Odd)["properties"]) == {"default", "properties"}


def test_each_rung_asks_in_its_own_way() -> None:
    by_schema = response_format(Form, "json_schema")
    assert by_schema is not None
    assert by_schema["json_schema"]["name"] == "Form"
    assert by_schema["json_schema"]["strict"] is True
    assert response_format(Form, "json_object") == {"type": "json_object"}
    assert response_format(Form, "prompt") is None
    assert instruction(Form, "json_schema") == ""
    assert "JSON" in instruction(Form, "json_object")
    assert '"ops"' in instruction(Form, "prompt")
    assert "it is empty" in repair_request(Form, "it is empty")
