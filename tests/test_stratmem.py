"""StratMem-Bench's files: what is read, what is reported, what is refused.

The released files are not part of the project: tests that need them look beside the repository.
"""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sandbox.collected import Collection
from sandbox.formats import FormatError, read_collection
from sandbox.instances import Said
from tests.benchmarks.instances import made_up

FULL, CAPPED = "StratMemBench.json", "StratMemBench_testset.json"


def shared_data(name: str) -> Path:
    """A released file of the benchmark, or a skipped test."""
    path = Path(__file__).parents[2] / "shared" / "data" / "stratmem" / name
    if not path.is_file():
        pytest.skip(f"needs {name} of StratMem-Bench in {path.parent}")
    return path


@pytest.fixture(scope="module")
def full() -> Collection:
    return read_collection(shared_data(FULL).read_bytes(), FULL)


@pytest.fixture(scope="module")
def capped() -> Collection:
    return read_collection(shared_data(CAPPED).read_bytes(), CAPPED)


def item(**changes: Any) -> dict[str, Any]:
    """An instance in the release's shape, written for this test."""
    made: dict[str, Any] = {
        "id": "locomo_0123456789",
        "given_type": "A",
        "inferred_type": "C",
        "query": "Is the loom still in the shed?",
        "query_time": "12:05 am on 8 May, 2023",
        "history": json.dumps(["Ann: Hi: it rains.", "Bo: Here too."]),
        "roles": {"human": "Ann", "virtual_person": "Bo"},
        "memory": {
            "must": [{"fact": "Bo sold the loom on 2023-01-29."}],
            "nice": [{"fact": "Bo wants a smaller loom.(no direct link to the query)"}],
            "irr": [{"fact": "Ann keeps bees (three hives)."}, {"fact": "Ann sings."}],
        },
        "virtual_person_persona": {
            "virtual_person_name": "Bo",
            "summary": "Bo weaves.",
            "traits": ["calm"],
            "style": ["plain"],
            "domains": ["weaving"],
            "values": ["thrift"],
        },
    }
    return made | changes


def read(*items: Any) -> Collection:
    return read_collection(json.dumps(items).encode(), "f.json")


def test_an_instance_has_its_people_its_history_and_its_time() -> None:
    one = read(item()).instances[0]
    assert (one.persona.name, one.human.name, one.language) == ("Bo", "Ann", "en")
    assert one.persona.summary == ("Bo weaves.",)
    assert one.history == (
        Said("user", "Ann", "Hi: it rains."),
        Said("assistant", "Bo", "Here too."),
    )
    assert one.time == "2023-05-08T00:05:00+00:00"
    assert "without a zone" in one.notes[0]
    assert "given_type A, inferred_type C" in one.notes[1]
    assert (one.emotion, one.scene, one.replies) == (None, None, ())


def test_the_pool_has_keys_in_the_files_order_and_roles_apart() -> None:
    one = read(item()).instances[0]
    assert [entry.key for entry in one.pool] == ["m1", "m2", "m3", "m4"]
    assert one.roles == {"m1": "must", "m2": "nice", "m3": "irr", "m4": "irr"}
    assert {(entry.type, entry.side, entry.status) for entry in one.pool} == {
        (None, "user", "live")
    }


def test_a_note_of_the_annotators_is_cut_off_and_reported() -> None:
    found = read(item())
    shown = [(entry.text, entry.original) for entry in found.instances[0].pool]
    assert shown[1] == (
        "Bo wants a smaller loom.",
        "Bo wants a smaller loom.(no direct link to the query)",
    )
    assert shown[2] == ("Ann keeps bees (three hives).", None)
    assert [quirk.where for quirk in found.quirks if "annotators" in quirk.sentence] == [
        "locomo_0123456789, memory, m2"
    ]


@pytest.mark.parametrize(
    ("fact", "anchor"),
    [
        ("It was on 2023-01-29.", "2023-01-29"),
        ("From 2023-01-29 to 2023-02-01.", None),
        ("On 2023-01-29, 2023-01-29 that is.", "2023-01-29"),
        ("On 2023-13-45.", None),
        ("Part 12023-01-29.", None),
        ("In 2023.", None),
    ],
)
def test_one_iso_date_is_the_anchor(fact: str, anchor: str | None) -> None:
    memory = {"must": [{"fact": fact}], "nice": [], "irr": []}
    assert read(item(memory=memory)).instances[0].pool[0].anchor == anchor


def test_a_pool_without_irr_stays_in_its_scenario_and_is_reported() -> None:
    memory = {"must": [{"fact": "A."}], "nice": [{"fact": "B."}], "irr": []}
    found = read(item(memory=memory))
    assert found.instances[0].scenario == "must+nice"
    assert "locomo_0123456789, memory.irr" in [quirk.where for quirk in found.quirks]


def test_fields_that_nobody_knows_are_left_alone_and_reported() -> None:
    found = read(item(score=3))
    assert ("1 of 1 instances", "has fields that are not read") in [
        (quirk.where, quirk.sentence) for quirk in found.quirks
    ]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"query": 3}, r"instance locomo_0123456789, field 'query': must be text, got 3"),
        ({"query": " "}, r"field 'query': must not be empty, got ' '"),
        ({"id": 7}, r"f\.json, line 1, instance 0, field 'id': must be text, got 7"),
        ({"id": "a b"}, r"field 'id': must match the pattern"),
        ({"memory": {"must": [], "irr": []}}, r"field 'memory\.nice': must be given, got nothing"),
        (
            {"memory": {"must": [{"fact": 1}], "nice": [], "irr": []}},
            r"field 'memory\.must\.0\.fact': must be text, got 1",
        ),
        ({"memory": []}, r"field 'memory': must be an object, got a list of 0"),
        ({"history": ["Ann: Hi"]}, r"field 'history': must be text, got a list of 1"),
        ({"history": '["Ann: Hi"'}, r"field 'history', line 1, column \d+: .*breaks off"),
        ({"history": '{"a": 1}'}, r"field 'history': must be empty or a JSON list inside a string"),
        ({"history": '["Cy: Hi"]'}, r"field 'history\.0': must be text such as 'Ann: \.\.\.'"),
        ({"history": "[3]"}, r"field 'history\.0': must be text such as .*, got 3"),
        ({"history": '["Ann: \\ud800"]'}, r"field 'history', field '0': .*lone surrogate"),
    ],
)
def test_a_file_of_the_wrong_shape_is_refused_whole(changes: Any, sentence: str) -> None:
    with pytest.raises(FormatError, match=sentence):
        read(item(id="other"), item(**changes)) if "id" not in changes else read(item(**changes))


def test_an_id_that_comes_twice_refuses_the_file() -> None:
    with pytest.raises(FormatError, match=r"field 'id': must be used once, got 'locomo_"):
        read(item(), item())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"query_time": "25:00 pm on 8 May, 2023"}, "query_time must be such as"),
        ({"query_time": "1:00 pm on 31 June, 2023"}, "query_time must be such as"),
        ({"query_time": "2023-05-08"}, "query_time must be such as"),
        ({"roles": {"human": "Bo", "virtual_person": "Bo"}, "history": ""}, "called 'Bo'"),
        ({"roles": {"human": "Ann", "virtual_person": "Cy"}, "history": ""}, "persona is 'Bo'"),
        ({"memory": {"must": [], "nice": [], "irr": []}}, "holds no fact"),
        ({"memory": {"must": [{"fact": "A."}], "nice": [], "irr": [{"fact": "A."}]}}, "twice"),
    ],
)
def test_an_instance_that_contradicts_itself_is_refused_alone(changes: Any, sentence: str) -> None:
    found = read(item(id="other"), item(**changes))
    assert [one.id for one in found.instances] == ["other"]
    assert [(one.where, sentence in one.sentence) for one in found.refused] == [
        ("locomo_0123456789", True)
    ]
    assert found.figures().refused == 1


def test_a_file_without_a_sound_instance_is_refused() -> None:
    with pytest.raises(FormatError, match=r"none of its 1 instances can be used; locomo_.*June"):
        read(item(query_time="1:00 pm on 31 June, 2023"))


def test_both_released_files_are_read_whole(full: Collection, capped: Collection) -> None:
    for found in (full, capped):
        figures = found.figures()
        assert (figures.read, figures.refused) == (657, 0)
        assert figures.scenarios == {"must-only": 50, "nice-only": 132, "must+nice": 475, "none": 0}
        assert figures.languages == {"en": 657}
    assert full.figures().roles == {"must": 620, "nice": 1958, "irr": 3200}
    assert capped.figures().roles == {"must": 620, "nice": 1107, "irr": 3200}
    assert (min(full.figures().pools), max(full.figures().pools)) == (5, 20)
    assert (min(capped.figures().pools), max(capped.figures().pools)) == (3, 20)


def test_the_capped_file_is_the_full_one_with_two_nice_drawn(
    full: Collection, capped: Collection
) -> None:
    rng = Random(42)
    for whole, cut in zip(full.instances, capped.instances, strict=True):
        nice = [entry.text for entry in whole.having("nice")]
        drawn = rng.sample(nice, 2) if len(nice) > 2 else nice
        assert (cut.id, drawn) == (whole.id, [entry.text for entry in cut.having("nice")])
        for role in ("must", "irr"):
            texts = [[entry.text for entry in one.having(role)] for one in (whole, cut)]
            assert texts[0] == texts[1]


def test_the_quirks_of_the_release_are_reported(capped: Collection) -> None:
    told = {quirk.sentence: quirk.where for quirk in capped.quirks if " of 657" in quirk.where}
    assert told["history is a JSON list inside a string"] == "279 of 657 instances"
    assert told["persona's summary is one text, not a list"] == "244 of 657 instances"
    differs = "is not the scenario that the roles make, which is taken"
    assert told[f"given_type {differs}"] == "427 of 657 instances"
    assert f"inferred_type {differs}" not in told
    one_by_one = [quirk.where for quirk in capped.quirks if " of 657" not in quirk.where]
    assert sorted(one_by_one) == [
        "locomo_7174e4188d, memory, m3",
        "locomo_8ae1827a68, memory, m3",
        "locomo_bb8d0ec4f1, memory.irr",
        "locomo_d28f79276d, memory, m3",
    ]
    assert capped.find("locomo_bb8d0ec4f1").scenario == "must+nice"


def test_no_fact_that_is_shown_holds_a_note_of_the_annotators(full: Collection) -> None:
    texts = [entry.text for one in full.instances for entry in one.pool]
    assert {text[-1] for text in texts} <= set(".!?")
    assert sum(entry.anchor is not None for one in full.instances for entry in one.pool) == 826


def test_every_history_alternates_between_the_two_people(full: Collection) -> None:
    with_history = [one for one in full.instances if one.history]
    assert len(with_history) == 279
    assert [one.history[-1].role for one in with_history].count("user") == 145
    for one in with_history:
        named = {said.role: said.speaker for said in one.history}
        assert named == {"user": one.human.name, "assistant": one.persona.name}


def test_the_file_that_the_benchmark_makes_up_is_one_that_is_read_whole() -> None:
    found = read_collection(made_up(3), "made-up.json")
    assert len(found.instances) == 3
    assert found.refused == ()
