"""The shipped collection and the format it is written in."""

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest

from sandbox.collected import Collection
from sandbox.formats import FormatError, packaged_collection, read_collection
from sandbox.formats.demo_form import schema
from sandbox.instances import ROLES, Instance, Reference

Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def demo() -> Collection:
    return read_collection(packaged_collection(), "demo.json")


def changed(change: Change) -> Collection:
    """The collection's first two scenarios, the first one (with a chain) changed."""
    value = json.loads(packaged_collection())
    value["scenarios"] = [value["scenarios"][4], value["scenarios"][0]]
    change(value["scenarios"][0])
    return read_collection(json.dumps(value).encode(), "f.json")


def test_the_shipped_collection_is_read_whole(demo: Collection) -> None:
    figures = demo.figures()
    assert (figures.read, figures.refused, demo.quirks) == (12, 0, ())
    assert figures.scenarios == {"must-only": 1, "nice-only": 1, "must+nice": 10, "none": 0}
    assert set(figures.pools) == {7, 8}
    assert figures.roles == {"must": 15, "nice": 20, "irr": 54}
    assert figures.languages == {"en": 11, "zh": 1}


def test_the_scenarios_that_the_file_names_are_those_its_roles_make(demo: Collection) -> None:
    named = {one["id"]: one["scenario"] for one in json.loads(packaged_collection())["scenarios"]}
    assert {one.id: one.scenario for one in demo.instances} == named


def test_the_third_address_is_read_as_it_stands(demo: Collection) -> None:
    one = demo.find("demo-05")
    assert (one.persona.name, one.human.name) == ("Walid Qutami", "Dina Haddadin")
    assert (one.time, one.emotion, one.scene) == (
        "2026-03-26T11:05:00+03:00",
        "Anxious",
        "Activities",
    )
    assert [(said.role, said.speaker) for said in one.history] == [
        ("user", "Dina"),
        ("assistant", "Walid"),
        ("user", "Dina"),
    ]
    chain = {entry.key: entry.replaced_by for entry in one.pool if entry.status == "superseded"}
    assert chain == {"m7": "m6", "m6": "m2"}
    assert {reply.name: reply.main for reply in one.replies} == {
        "good": True,
        "over_sharing": True,
        "forgetful": True,
        "stale": False,
    }


def test_the_expected_figures_follow_from_the_tags(demo: Collection) -> None:
    """rho and CIR of every reference reply, worked out from its tags alone."""
    for one in demo.instances:
        for reply in one.replies:
            shares = {role: share(one, reply, role) for role in ROLES}
            assert {role: rho and round(rho, 3) for role, rho in shares.items()} == {
                role: rho and round(rho, 3) for role, rho in reply.expected.rho.items()
            }, (one.id, reply.name)
            assert reply.expected.cir_eligible is bool(one.having("nice"))
            if reply.expected.cir_eligible:
                assert reply.expected.cir == ((shares["irr"] or 0) > 0)


def share(one: Instance, reply: Reference, role: Any) -> float | None:
    keys = {entry.key for entry in one.having(role)}
    return len(keys & {use.entry for use in reply.used}) / len(keys) if keys else None


def test_the_packaged_schema_is_in_step_with_the_forms() -> None:
    packaged = files("sandbox").joinpath("collections", "demo.schema.json").read_text("utf-8")
    assert json.loads(packaged) == schema()


def test_a_summary_may_be_one_text(demo: Collection) -> None:
    assert demo.find("demo-04").persona.summary[0].startswith("Skerry")
    assert len(demo.find("demo-04").persona.summary) == 1


def put(path: str, value: Any) -> Change:
    """A change: `value` at the dotted path."""

    def change(scenario: dict[str, Any]) -> None:
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        place: Any = scenario
        for step in way:
            place = place[step]
        place[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (put("query", 3), r"instance demo-05-third-address, field 'query': .*got 3"),
        (put("id", "a b"), r"f\.json, line \d+, instance a b, field 'id': must match"),
        (put("id", None), r"f\.json, line \d+, instance 0, field 'id': must be text, got noth"),
        (put("entries.0.type", "memo"), r"entries\.0\.type': must be 'user_profile', .*got 'memo'"),
        (put("entries.0.date", "2026-02-30"), r"entries\.0\.date': must be an ISO date"),
        (put("entries.0.color", 1), r"entries\.0\.color': is not a field of this format, got 1"),
        (put("entries", []), r"entries': must hold at least 1, got a list of 0"),
        (put("entries.1.id", "m1"), r"field 'entries\.1\.id': must be used once, got 'm1'"),
        (put("session_time", "2026-03-26T11:05"), r"session_time': .*with an offset"),
        (put("session_time", "noon"), r"session_time': .*with an offset.*got 'noon'"),
        (put("language", "English"), r"language': must match the pattern"),
        (put("roles.0.role", "maybe"), r"roles\.0\.role': must be 'must', 'nice' or 'irr'"),
        (put("user_state.scene", "Beach"), r"user_state\.scene': must be 'Disease'"),
        (put("replies.good.expected.MIQ", [4, 6]), r"MIQ\.1': must be at most 5, got 6"),
        (put("replies.good.expected.MIQ", [4]), r"MIQ': must hold at least 2, got a list of 1"),
        (put("replies.good.expected.rho.must", "1"), r"rho\.must': must be a number, got '1'"),
        (put("tester_speaks_as", None), r"tester_speaks_as': must be an object, got nothing"),
        (put("id", "demo-01-nine-degrees"), r"field 'id': must be used once, got 'demo-01"),
    ],
)
def test_a_file_of_the_wrong_shape_is_refused_whole(change: Change, sentence: str) -> None:
    with pytest.raises(FormatError, match=sentence):
        changed(change)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda one: one["roles"].pop(), "The entry 'm7' has no role."),
        (put("roles.0.entry", "m2"), "An entry is given two roles."),
        (put("roles.0.entry", "m9"), "A role is given to the entry 'm9', which there is not."),
        (put("history.0.speaker", "Salma"), "In its history speaks 'Salma'"),
        (put("entries.0.scope.user", "Noor"), "The scope of the entry 'm1' names somebody else."),
        (
            put("entries.0.type", "agent_identity"),
            "is in the scope of the user, where no agent_identity is.",
        ),
        (put("entries.0.status", "superseded"), "'m1' must be superseded and name replaced_by"),
        (put("entries.5.replaced_by", "m1"), "'m2' replaces 'm6', which says otherwise."),
        (put("entries.6.replaced_by", "m9"), "'m6' replaces 'm7', which says otherwise."),
        (put("replies.good.used.0.role", "irr"), "uses 'm2' as irr, and its role is must."),
        (put("replies.good.used.0.entry", "m9"), "uses 'm9' as must, and its role is not told."),
        (put("replies.good.violates", ["m9"]), "violates 'm9', which there is not."),
    ],
)
def test_a_scenario_that_contradicts_itself_is_refused_alone(change: Change, sentence: str) -> None:
    found = changed(change)
    assert [one.id for one in found.instances] == ["demo-01-nine-degrees"]
    assert [one.where for one in found.refused] == ["demo-05-third-address"]
    assert sentence in found.refused[0].sentence


def circle(one: dict[str, Any]) -> None:
    for entry in one["entries"]:
        entry.pop("replaces", None)
    one["entries"][1] |= {"status": "superseded", "replaced_by": "m7"}


def unknown(one: dict[str, Any]) -> None:
    for entry in one["entries"]:
        entry.pop("replaces", None)
    one["entries"][6]["replaced_by"] = "m9"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (circle, "is replaced by itself in the end."),
        (unknown, "The entry 'm7' is replaced by 'm9', which there is not."),
    ],
)
def test_a_chain_leads_from_entry_to_entry_to_a_live_one(change: Change, sentence: str) -> None:
    assert sentence in changed(change).refused[0].sentence


def test_a_tag_whose_words_are_not_in_its_reply_is_reported() -> None:
    found = changed(put("replies.good.used.0.span", "no such words"))
    assert [(quirk.where, "'no such words'" in quirk.sentence) for quirk in found.quirks] == [
        ("demo-05-third-address", True)
    ]


def test_another_version_is_refused() -> None:
    data = packaged_collection().replace(b'"version": 1', b'"version": 2')
    with pytest.raises(FormatError, match=r"f\.json, line 3, field 'version': must be 1, got 2"):
        read_collection(data, "f.json")
