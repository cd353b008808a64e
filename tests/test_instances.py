"""Instances as values, and how a file of them is read or refused."""

import codecs
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.collected import Collection, UnknownInstance
from sandbox.formats import FormatError, packaged_collection, read_collection
from sandbox.formats.reading import LARGEST
from sandbox.instances import Human, Instance, PoolEntry, Role, made_persona

DEMO = packaged_collection()


def instance(roles: dict[str, Role], name: str = "a") -> Instance:
    pool = tuple(PoolEntry(key, None, "user", f"Text of {key}.") for key in roles)
    return Instance(
        id=name,
        source="test",
        title="A test",
        language="en",
        persona=made_persona("Bo", summary=["Bo is a cook."]),
        human=Human("Ann"),
        history=(),
        query="Well?",
        time=None,
        emotion=None,
        scene=None,
        pool=pool,
        roles=roles,
        reasons={"m1": "Secret reason."},
    )


@pytest.mark.parametrize(
    ("roles", "scenario"),
    [
        ({"m1": "must", "m2": "irr"}, "must-only"),
        ({"m1": "nice", "m2": "irr"}, "nice-only"),
        ({"m1": "must", "m2": "nice", "m3": "irr"}, "must+nice"),
        ({"m1": "must", "m2": "nice"}, "must+nice"),
        ({"m1": "irr"}, "none"),
        ({}, "none"),
    ],
)
def test_the_scenario_follows_from_the_roles(roles: dict[str, Role], scenario: str) -> None:
    assert instance(roles).scenario == scenario


@settings(max_examples=50)
@given(st.integers(1, 20), st.text(min_size=1, max_size=8))
def test_listing_moves_entries_and_loses_none(size: int, name: str) -> None:
    one = instance({f"m{index}": "irr" for index in range(size)}, name)
    assert sorted(one.listed(), key=one.pool.index) == list(one.pool)
    assert one.listed() == one.listed()


def test_the_order_of_listing_is_blind_to_roles() -> None:
    keys = [f"m{index}" for index in range(1, 9)]
    must_first = instance({key: "must" if key == "m1" else "irr" for key in keys})
    must_last = instance({key: "must" if key == "m8" else "irr" for key in keys})
    assert must_first.listed() == must_last.listed()


def test_the_first_of_the_file_is_listed_first_no_more_often_than_by_chance() -> None:
    """A pool of 8 in 400 instances: 50 expected, 28 to 72 are 3.3 standard deviations."""
    roles: dict[str, Role] = {f"m{index}": "irr" for index in range(1, 9)}
    first = [instance(roles, f"i{number}").listed()[0].key for number in range(400)]
    assert 28 <= first.count("m1") <= 72


def test_what_only_a_judge_may_see_is_not_in_the_repr() -> None:
    shown = repr(instance({"m1": "must", "m2": "nice"}))
    assert "Secret" not in shown
    assert "'must'" not in shown


def test_an_instance_is_found_by_its_id_or_its_beginning() -> None:
    named = [instance({"m1": "irr"}, name) for name in ("demo-1", "demo-1-cold", "demo-2-warm")]
    collection = Collection("f.json", "0", tuple(named))
    assert collection.find("demo-1").id == "demo-1"
    assert collection.find("demo-2").id == "demo-2-warm"
    for asked in ("demo", "dem", "demo-3", ""):
        with pytest.raises(UnknownInstance, match="f.json has no instance"):
            collection.find(asked)


def test_a_character_is_named_by_its_name_and_what_it_says() -> None:
    one = made_persona("Bo  Å-Li", summary=["A cook."])
    assert one.id.startswith("bo-a-li-")
    assert made_persona("Bo  Å-Li", summary=["A cook."]) == one
    assert made_persona("Bo  Å-Li", summary=["A baker."]).id != one.id
    assert made_persona("邵鹤年", summary=["x"]).id.startswith("character-")


def test_the_file_may_have_a_mark_and_any_line_ends() -> None:
    plain = read_collection(DEMO, "demo.json")
    for data in (codecs.BOM_UTF8 + DEMO, DEMO.replace(b"\n", b"\r\n"), DEMO + b"\n\n"):
        assert read_collection(data, "demo.json").instances == plain.instances


def test_reading_tells_the_files_name_and_fingerprint() -> None:
    read = read_collection(DEMO, "my\n file.json")
    assert (read.name, len(read.sha256)) == ("my file.json", 64)


FAULTS: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", r"f\.json, line 1, column 1: .*breaks off there"),
    "truncated": (lambda: DEMO[:5000], r"f\.json, line \d+, column \d+: .*breaks off there"),
    "no JSON": (lambda: b'{"a": 1,\n b}', r"f\.json, line 2, column 2: must be JSON \(Expecting"),
    "two values": (lambda: b"{}\n[]", r"f\.json, line 2, column 1: must be JSON \(Extra data"),
    "UTF-16": (lambda: DEMO.decode().encode("utf-16"), r"line 1: must be UTF-8.*like UTF-16"),
    "Latin-1": (lambda: '["a",\n "é"]'.encode("latin-1"), r"line 2: must be UTF-8, got .*0xe9"),
    "NaN": (lambda: b'{"format": [1, NaN]}', r"field 'format\.1': .*ordinary size, got NaN"),
    "Infinity": (lambda: b"[-Infinity]", r"field '0': .*ordinary size, got -Infinity"),
    "long number": (lambda: b"[" + b"9" * 5000 + b"]", r"field '0': .*ordinary size, got 999"),
    "NUL": (lambda: b'{"format": "a\\u0000"}', r"field 'format': .*neither NUL nor"),
    "surrogate": (lambda: b'["\\ud800"]', r"field '0': .*nor a lone surrogate"),
    "odd name": (lambda: b'{"\\ud800": 1}', r"field '\(name\)': .*nor a lone surrogate"),
    "twice": (lambda: b'{"format": 1, "format": 2}', r"field 'format': must be given once"),
    "deep": (lambda: b"[" * 100_000, r"must be at most 40 levels deep"),
    "deep and odd": (lambda: b"[" * 60 + b"NaN" + b"]" * 60, r"at most 40 levels deep"),
    "too large": (lambda: b" " * (LARGEST + 1), r"must have at most 67,108,864 bytes, got 67,108"),
    "no object": (lambda: b"3", r"must be of a kind .*StratMem-Bench.*, got 3"),
    "no instance": (lambda: b"[]", r"must be of a kind .*, got a list of 0"),
    "another object": (
        lambda: b'{"format": "x"}',
        r"must be of a kind .*, got an object whose format is 'x'",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_file_that_cannot_be_read_is_one_sentence(name: str) -> None:
    make, sentence = FAULTS[name]
    with pytest.raises(FormatError, match=sentence) as caught:
        read_collection(make(), "f.json")
    told = str(caught.value)
    assert told.startswith("f.json")
    assert "\n" not in told
    assert len(told) < 280


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_damage_breaks_the_reader(data: st.DataObject) -> None:
    """Whatever becomes of a file, it is read or refused in one sentence."""
    start = data.draw(st.integers(0, len(DEMO)))
    end = data.draw(st.integers(start, min(len(DEMO), start + 40)))
    put = data.draw(st.binary(max_size=6))
    assert "\n" not in outcome(DEMO[:start] + put + DEMO[end:])


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_wrong_value_breaks_the_reader(data: st.DataObject) -> None:
    value = json.loads(DEMO)
    value["scenarios"] = value["scenarios"][:1]
    odd: Any = data.draw(st.sampled_from([None, True, 3, -1, 2.5, "", "x", [], [1], {}, {"a": 1}]))
    _place(data, value, odd)
    assert "\n" not in outcome(json.dumps(value).encode())


def outcome(data: bytes) -> str:
    """Why the file is refused, or of what its instances are."""
    try:
        return str(read_collection(data, "f.json").instances[0].source)
    except FormatError as error:
        return str(error)


def _place(data: st.DataObject, value: Any, odd: Any) -> None:
    """Put `odd` somewhere into `value`."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = data.draw(st.sampled_from(keys))
        inside = value[key]
        if not isinstance(inside, dict | list) or not inside or data.draw(st.booleans()):
            value[key] = odd
            return
        value = inside
