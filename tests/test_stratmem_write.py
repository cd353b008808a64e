"""What is written as StratMem-Bench's array is read back as the same instances."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.collected import Collection
from sandbox.formats import FORMATS, FormatError, packaged_collection, read_collection
from sandbox.formats.stratmem_write import capped, lost, write
from tests.test_stratmem import CAPPED, FULL, item, shared_data

WILD = ["زيتون", "“quoted” 'as' \\n {x} $y", "🫖 tea\nand\ttabs", "怀表: 表", "<b>&amp;", "a. (b)"]
texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)
words = st.one_of(st.sampled_from(WILD), texts).map(str.strip).filter(bool)
long = st.one_of(words, st.just("word " * 2000 + "end"))
names = st.sampled_from([("Ann", "Bo"), ("أمل", "邵鹤年"), ("Zoë B.", "O’Hara")])
codes = st.sampled_from(["A", "B", "C", None])
MEANT = {(True, False): "A", (False, True): "B", (True, True): "C", (False, False): None}


@st.composite
def items(draw: st.DrawFn, number: int) -> dict[str, Any]:
    human, agent = draw(names)
    facts = draw(st.lists(long, min_size=1, max_size=6, unique=True))
    one, two = sorted(draw(st.lists(st.integers(0, len(facts)), min_size=2, max_size=2)))
    parts = {"must": facts[:one], "nice": facts[one:two], "irr": facts[two:]}
    inferred = MEANT[bool(parts["must"]), bool(parts["nice"])]
    history = draw(st.lists(st.tuples(st.sampled_from([human, agent]), long), max_size=3))
    hour, minute = draw(st.integers(1, 12)), draw(st.integers(0, 59))
    half = draw(st.sampled_from(["am", "pm"]))
    lines = [f"{name}: {text}" for name, text in history]
    made = item(
        id=f"made_{number}",
        given_type=draw(codes),
        inferred_type=inferred,
        query=draw(long),
        query_time=f"{hour}:{minute:02d} {half} on 29 February, 2024",
        history=json.dumps(lines, ensure_ascii=False, indent=2) if lines else "",
        roles={"human": human, "virtual_person": agent},
        memory={role: [{"fact": fact} for fact in held] for role, held in parts.items()},
        virtual_person_persona={
            "virtual_person_name": agent,
            "summary": draw(st.one_of(words, st.lists(words, min_size=2, max_size=3))),
            **{name: draw(st.lists(words, max_size=2)) for name in ("traits", "style")},
            "domains": ["d"],
            "values": [],
        },
    )
    return {name: value for name, value in made.items() if value is not None}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_write_then_read_is_the_identity(data: st.DataObject) -> None:
    rows = [data.draw(items(number)) for number in range(data.draw(st.integers(1, 3)))]
    found = read_collection(json.dumps(rows).encode(), "f.json")
    files = write(found)
    again = read_collection(files["f.json"], "f.json")
    assert again.instances == found.instances
    assert write(again) == files
    assert json.loads(files["f.json"]) == rows
    assert lost(found) == ()


def released(name: str) -> bytes:
    """The file without the spaces at the ends of texts, which are reported and cut off."""
    data = shared_data(name).read_bytes()
    cut, count = re.subn(rb'\n( +)" +', rb'\n\1"', data)
    assert count == 7
    return cut


@pytest.mark.parametrize("name", [FULL, CAPPED])
def test_the_released_files_are_written_byte_by_byte_but_for_seven_spaces(name: str) -> None:
    found = read_collection(shared_data(name).read_bytes(), name)
    assert write(found) == {name: released(name)}
    told = {quirk.sentence: quirk.where for quirk in found.quirks}
    assert told["has texts with spaces at their ends, which are cut off"] == "1 of 657 instances"


def test_the_capped_full_file_is_the_test_set_byte_by_byte() -> None:
    full = read_collection(shared_data(FULL).read_bytes(), FULL)
    cut = capped(full)
    test_set = read_collection(shared_data(CAPPED).read_bytes(), CAPPED)
    assert write(cut) == {FULL: released(CAPPED)}
    again = read_collection(write(cut)[FULL], CAPPED)
    same = zip(again.instances, test_set.instances, strict=True)
    assert sum(one == other for one, other in same) == 657
    figures = cut.figures()
    assert figures.roles == {"must": 620, "nice": 1107, "irr": 3200}
    assert sum(size * count for size, count in figures.pools.items()) == 4927


def test_another_seed_draws_other_entries_and_the_same_seed_the_same() -> None:
    nice = [{"fact": f"Fact {number}."} for number in range(30)]
    row = item(memory={"must": [{"fact": "A."}], "nice": nice, "irr": [{"fact": "Z."}]})
    found = read_collection(json.dumps([row]).encode(), "f.json")
    assert capped(found, 1) == capped(found, 1)
    assert len({capped(found, seed).instances[0].pool for seed in range(5)}) > 1
    one = capped(found).instances[0]
    assert [one.roles[entry.key] for entry in one.pool] == ["must", "nice", "nice", "irr"]
    assert set(one.roles) == {entry.key for entry in one.pool}


def test_a_pool_of_two_nice_entries_is_left_as_it_is() -> None:
    found = read_collection(json.dumps([item()]).encode(), "f.json")
    assert capped(found) == found


def test_what_took_the_place_of_an_entry_and_is_cut_leaves_it_live() -> None:
    nice = [{"fact": f"Fact {number}."} for number in range(3)]
    row = item(memory={"must": [{"fact": "A."}], "nice": nice, "irr": []})
    one = read_collection(json.dumps([row]).encode(), "f.json").instances[0]
    for key in ("m2", "m3", "m4"):
        old = replace(one.pool[0], status="superseded", replaced_by=key)
        told = Collection("f", "", (replace(one, pool=(old, *one.pool[1:])),))
        first = capped(told).instances[0].pool
        kept = {entry.key for entry in first}
        assert (first[0].status == "superseded") == (key in kept)


def test_the_shipped_collection_is_written_and_what_is_dropped_is_told() -> None:
    shipped = read_collection(packaged_collection(), "demo.json")
    again = read_collection(write(shipped)["demo.json"], "demo.json")
    assert [one.id for one in again.instances] == [one.id for one in shipped.instances]
    assert again.figures().roles == shipped.figures().roles
    assert again.figures().scenarios == shipped.figures().scenarios
    told = lost(shipped)
    assert "the entries' type of 12 of 12 instances" in told
    assert "replies of 12 of 12 instances" in told
    assert any(line.startswith("the entries' status of") for line in told)
    assert not any(line.startswith(("query ", "roles ", "the entries' text")) for line in told)


def test_type_codes_follow_from_the_roles() -> None:
    found = read_collection(json.dumps([item()]).encode(), "f.json")
    one = found.instances[0]
    changed = replace(one, roles=dict(one.roles) | {"m1": "irr"})
    row = json.loads(write(replace(found, instances=(changed,)))["f.json"])[0]
    assert (row["given_type"], row["inferred_type"]) == ("A", "B")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"time": None}, r"cannot say an instance without a time"),
        ({"roles": {}}, r"cannot say entries without a role"),
        ({"id": "a b"}, r"field 'id': must match the pattern"),
    ],
)
def test_what_the_array_cannot_hold_is_refused(changes: Any, sentence: str) -> None:
    found = read_collection(json.dumps([item()]).encode(), "f.json")
    broken = replace(found, instances=(replace(found.instances[0], **changes),))
    with pytest.raises(FormatError, match=sentence):
        write(broken)
    with pytest.raises(FormatError, match=sentence):
        lost(broken)


def test_nothing_cannot_be_written() -> None:
    with pytest.raises(FormatError, match="has no instance"):
        write(Collection("f.json", "", ()))


def test_the_format_is_told_to_be_lossy() -> None:
    kind = next(one for one in FORMATS if one.name == "stratmem")
    assert (kind.write, kind.lost) == (write, lost)


def test_the_file_keeps_its_name(tmp_path: Path) -> None:
    found = read_collection(json.dumps([item()]).encode(), "mine")
    assert list(write(found)) == ["mine.json"]
