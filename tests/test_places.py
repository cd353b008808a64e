"""Lines of values in JSON texts: what is at fault or odd is told with its line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.formats import FormatError, read_collection, read_files
from sandbox.formats.places import Places, line_of_repeated
from tests.mangling import SOUND, zipped
from tests.test_locomo import question, sample
from tests.test_longmemeval import item as asked
from tests.test_stratmem import item, shared_data

TEXT = """[
  {"a": [1,
         "x, ]}\\"{\\n", {}],
   "b": {
     "c": -1e5 }
  },
  []
]
"""
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        ((0,), 2),
        ((0, "a", 0), 2),
        ((0, "a", 1), 3),
        ((0, "b", "c"), 5),
        ((1,), 7),
        ((0, "none"), 2),
        ((0, "b", "c", "none"), 5),
        ((9,), 1),
    ],
)
def test_a_path_leads_to_its_line(path: Any, line: int) -> None:
    assert Places(TEXT).line(path) == line


def _walk(
    value: Any, above: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    yield above, value
    if isinstance(value, dict | list):
        for step in value if isinstance(value, dict) else range(len(value)):
            yield from _walk(value[step], (*above, step))


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_every_value_is_found_where_its_line_begins(value: Any) -> None:
    """Written with an indent, each value has a line of its own."""
    text = json.dumps(value, indent=1)
    places, lines = Places(text), text.split("\n")
    for path, inner in _walk(value):
        if path and not isinstance(inner, dict | list):
            assert json.dumps(inner) in lines[places.line(path) - 1]


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_a_text_without_a_repeated_field_has_no_line_of_one(value: Any) -> None:
    assert line_of_repeated(json.dumps(value, indent=1)) is None


def test_the_second_of_two_fields_is_the_repeated_one() -> None:
    assert line_of_repeated('{"a": {"b": 1},\n"b": "a:",\n"\\u0061": 2}') == 3


def failed(value: Any) -> str:
    """The line and what is told behind it."""
    with pytest.raises(FormatError) as caught:
        read_collection(json.dumps(value, indent=1).encode(), "f.json")
    return str(caught.value).removeprefix("f.json, ")


def line(value: Any, words: str, nth: int = 0) -> str:
    """The line of the nth (from 0) that holds the words."""
    lines = json.dumps(value, indent=1).split("\n")
    return f"line {[number for number, told in enumerate(lines, 1) if words in told][nth]}"


def before(value: Any, words: str, nth: int = 0) -> str:
    """The line before that one: where its object begins."""
    return f"line {int(line(value, words, nth).split()[1]) - 1}"


def test_a_fault_is_told_with_file_line_field_and_value_in_every_format() -> None:
    wrong = [item(), item(id="b", query=7)]
    assert failed(wrong) == f"{line(wrong, ': 7')}, instance b, field 'query': must be text, got 7"
    wrong = [item(), item(id="b", history='["Cy: Hi"]')]
    assert failed(wrong).startswith(f"{line(wrong, 'Cy')}, instance b, field 'history.0'")
    wrong = [item(), item()]
    place = line(wrong, '"id"', 1)
    assert failed(wrong).startswith(f"{place}, instance locomo_0123456789, field 'id'")
    wrong = [sample(question(), question(category="x"))]
    place = line(wrong, '"category"', 1)
    assert failed(wrong).startswith(f"{place}, conversation conv-1, question 2, field 'category'")
    wrong = [asked(), asked(question_id="b", haystack_dates=["a", 3])]
    assert failed(wrong).startswith(f"{line(wrong, ' 3')}, question b, field 'haystack_dates.1'")
    for kind, field in (("demo", "scenarios"), ("episode", "episodes")):
        [(_name, sound)] = SOUND[kind]
        wrong = sound | {field: [*sound[field], {"id": 77}]}
        assert failed(wrong).split(", ")[0] in (line(wrong, ": 77"), before(wrong, ": 77"))


def test_what_is_odd_or_left_out_is_told_with_its_line() -> None:
    value = [item(id="a", query_time="noon"), item(id="b", memory=item()["memory"] | {"irr": []})]
    found = read_collection(json.dumps(value, indent=1).encode(), "f.json")
    assert [one.place for one in found.refused] == ["f.json, line 2, a"]
    places = {one.where: f"line {one.line}" for one in found.quirks}
    assert places["b, memory.irr"] == line(value, '"irr"', 1)
    assert places["b, memory, m2"] == before(value, "no direct link", 1)


def test_a_file_of_a_zip_keeps_its_lines() -> None:
    [(name, value)] = SOUND["locomo"]
    odd = [{**value[0], "qa": [question(evidence=[])]}]
    data = json.dumps(odd, indent=1).encode()
    found = read_files([("f.zip", zipped([(f"data/{name}", data)]))])
    [place] = [one.place for one in found.quirks if "no evidence" in one.sentence]
    assert place == f"f.json, {before(odd, 'What broke?')}, conv-1, question 1"


def test_the_released_file_without_irr_is_told_with_its_line() -> None:
    path: Path = shared_data("StratMemBench_testset.json")
    data = path.read_bytes()
    found = read_collection(data, path.name)
    quirk = next(one for one in found.quirks if "memory.irr" in one.where)
    lines = data.decode().split("\n")
    assert quirk.line is not None
    assert lines[quirk.line - 1].strip() == '"irr": []'
    assert "locomo_bb8d0ec4f1" in quirk.where
    notes = [one.line for one in found.quirks if "annotators" in one.sentence]
    assert len(notes) == 3
    assert all(number and "{" in lines[number - 1] for number in notes)
