"""Labels that somebody disputes: roles, golden lists, supports; a patch, and a corrected copy."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from importlib.resources import files as packaged
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.authoring.labels import NOT_GOLDEN, Wanted, label_of, other_labels, relabelled
from sandbox.authoring.patching import FORMAT, patch_schema, patched
from sandbox.collected import Collection
from sandbox.commands import app
from sandbox.episodes import gold_bank
from sandbox.formats import packaged_collection, read_collection, read_files
from sandbox.inputs import BadInput
from sandbox.instances import Instance
from tests.fakes import Script, fake_sandbox
from tests.madial import Files, small
from tests.test_stratmem import item

SHIPPED = [("demo.json", packaged_collection())]
EPISODE = [
    ("episode.json", packaged("sandbox").joinpath("collections", "episode.json").read_bytes())
]


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with closing(fake_sandbox(tmp_path / "data", Script().play)) as made:
        made.start()
        yield made


def patch_of(held: Files, *changes: tuple[str, str, str, str]) -> bytes:
    """A patch for files: instance, entry, was, wanted."""
    names = ("instance", "entry", "was", "wanted")
    told = [dict(zip(names, one, strict=True)) for one in changes]
    found = read_files(held)
    whole = {"format": FORMAT, "version": 1, "file": found.name, "sha256": found.sha256}
    rows = [{"reason": "Read again.", "author": "Rana"} | one for one in told]
    return json.dumps(whole | {"changes": rows}).encode()


def again(held: Files, *changes: tuple[str, str, str, str]) -> Collection:
    """The corrected copy, read."""
    return read_files(sorted(patched(patch_of(held, *changes), held).files.items()))


# Labels


def golden(keys: Sequence[str]) -> Instance:
    one = read_files(small()).instances[0]
    return replace(one, golden=tuple(keys))


def test_a_label_is_a_role_or_a_place_in_a_golden_list() -> None:
    one = golden(["7", "2"])
    assert [label_of(one, key) for key in ("7", "2", "3", "55")] == [
        "golden 1",
        "golden 2",
        "not golden",
        None,
    ]
    assert other_labels(one, "7") == ("not golden", "golden 2")
    assert other_labels(one, "3") == ("golden 1", "golden 2", "golden 3")
    with_roles = read_files(SHIPPED).instances[0]
    key = with_roles.having("must")[0].key
    assert (label_of(with_roles, key), other_labels(with_roles, key)) == ("must", ("nice", "irr"))
    assert other_labels(with_roles, "m99") == ()


@given(st.data())
def test_a_golden_entry_is_put_where_it_should_stand_and_the_others_keep_their_order(
    data: st.DataObject,
) -> None:
    keys = data.draw(st.permutations([str(number) for number in range(1, 9)]))
    one = golden(keys[: data.draw(st.integers(0, 8))])
    entry = data.draw(st.sampled_from(keys))
    label = data.draw(st.sampled_from(other_labels(one, entry) or ("",)))
    if not label:
        return
    made = relabelled(one, [Wanted(entry, label)])
    assert label_of(made, entry) == label
    rest = [key for key in one.golden if key != entry]
    assert [key for key in made.golden if key != entry] == rest
    back = label_of(one, entry) or ""
    assert relabelled(made, [Wanted(entry, back)]) == one


# Patches


def test_a_golden_list_is_corrected_for_every_turn_of_its_dialogue_and_nothing_else() -> None:
    held = sorted(small())
    before = read_files(held)
    one = before.instances[0]
    assert one.golden == ("7", "2")
    after = again(
        held, (one.id, "7", "golden 1", "not golden"), (one.id, "3", "not golden", "golden 1")
    )
    assert {each.golden for each in after.instances} == {("3", "2")}
    same = [replace(each, golden=("7", "2")) for each in after.instances]
    assert same == list(before.instances)


def test_the_supports_of_an_episodes_question_are_corrected() -> None:
    before = read_files(EPISODE)
    [episode] = before.episodes
    live = {entry.key for entry in gold_bank(episode)}
    asked, decoy = next(
        (one, key) for one in episode.questions for key in one.decoys if key in live
    )
    name, supports = f"{episode.id}-{asked.id}", [*asked.supports, decoy]
    after = again(EPISODE, (name, decoy, "not golden", f"golden {len(supports)}"))
    found = next(one for one in after.episodes[0].questions if one.id == asked.id)
    assert list(found.supports) == supports
    assert found.decoys == tuple(key for key in asked.decoys if key != decoy)
    rest = [one for one in after.episodes[0].questions if one.id != asked.id]
    assert rest == [one for one in before.episodes[0].questions if one.id != asked.id]
    assert after.episodes[0].sessions == before.episodes[0].sessions


def test_a_role_of_stratmem_bench_is_corrected_in_its_own_format() -> None:
    held = [("f.json", json.dumps([item()]).encode())]
    one = read_files(held).instances[0]
    text = one.having("nice")[0].text
    after = again(held, (one.id, one.having("nice")[0].key, "nice", "must")).instances[0]
    assert [entry.text for entry in after.having("must")][-1] == text
    assert (after.query, after.history, after.persona) == (one.query, one.history, one.persona)
    assert {entry.text for entry in after.pool} == {entry.text for entry in one.pool}


WRONG: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda told: told.update(sha256="0" * 64), "is another file or another version of it"),
    (lambda told: told.update(version=2), "version"),
    (lambda told: told.update(format="x"), "format"),
    (lambda told: told["changes"][0].update(instance="demo-99"), "file has none of that name"),
    (lambda told: told["changes"][0].update(entry="m99"), "the file has no label of it"),
    (lambda told: told["changes"][0].update(was="irr"), "the file says 'nice'"),
    (lambda told: told["changes"][0].update(wanted="golden 1"), "to be 'golden 1'"),
    (lambda told: told["changes"][0].pop("reason"), "reason"),
]


@pytest.mark.parametrize(("spoil", "sentence"), WRONG)
def test_a_patch_that_does_not_fit_is_one_sentence(
    spoil: Callable[[dict[str, Any]], object], sentence: str
) -> None:
    one = read_files(SHIPPED).find("demo-05")
    told = json.loads(patch_of(SHIPPED, (one.id, one.having("nice")[0].key, "nice", "must")))
    spoil(told)
    with pytest.raises(BadInput, match=sentence):
        patched(json.dumps(told).encode(), SHIPPED)
    with pytest.raises(BadInput):
        patched(b"[", SHIPPED)


def test_the_packaged_schema_is_in_step_with_the_patch() -> None:
    path = packaged("sandbox").joinpath("collections", "label-patch.schema.json")
    assert json.loads(path.read_text("utf-8")) == patch_schema()


# Disputes


def test_a_dispute_concerns_every_turn_that_shares_the_golden_list(sandbox: Sandbox) -> None:
    found = sandbox.instances.add(ACCOUNT, small())
    told = sandbox.workshop.disputes
    first, second = found.instances
    made = told.dispute(ACCOUNT, found.sha256, second.id, "7", NOT_GOLDEN, "Beside the point.")
    assert told.by_instance(ACCOUNT, found) == {first.id: [made], second.id: [made]}
    later = told.dispute(ACCOUNT, found.sha256, first.id, "7", "golden 2", "Second at most.")
    changes = json.loads(told.patch(ACCOUNT, found.sha256))["changes"]
    assert [(one["entry"], one["wanted"]) for one in changes] == [("7", "golden 2")]
    assert changes[0]["text"] == "Bart mended heddle 7."
    copy = told.correct(ACCOUNT, found.sha256)
    assert {one.golden for one in copy.instances} == {("2", "7")}
    assert copy.sha256 in {one.sha256 for one in sandbox.instances.all(ACCOUNT)}
    assert sandbox.instances.collection(ACCOUNT, found.sha256).instances == found.instances
    told.withdraw(ACCOUNT, later.id)
    told.withdraw(ACCOUNT, made.id)
    assert told.by_instance(ACCOUNT, found) == {}


def test_the_disputes_of_one_account_are_not_anothers(sandbox: Sandbox) -> None:
    told, shipped = sandbox.workshop.disputes, sandbox.instances.shipped
    one = shipped.find("demo-05")
    made = told.dispute(
        ACCOUNT, shipped.sha256, one.id, one.having("nice")[0].key, "irr", "Not asked for."
    )
    assert told.all("another") == []
    told.withdraw("another", made.id)
    assert told.all(ACCOUNT) == [made]


def run(*arguments: object) -> dict[str, Any]:
    told = CliRunner().invoke(app, ["datasets", *map(str, arguments), "--json"])
    assert told.exit_code == 0, told.output
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def test_from_the_command_line_a_label_is_disputed_and_a_copy_corrected(tmp_path: Path) -> None:
    source, patch, out = tmp_path / "demo.json", tmp_path / "p.json", tmp_path / "out"
    source.write_bytes(packaged_collection())
    kept = ("--data-dir", tmp_path / "data")
    one = read_files(SHIPPED).find("demo-05")
    key = one.having("nice")[0].key
    asked = ("--instance", "demo-05", "--entry", key, "--label", "irr", "--reason", "Not asked.")
    made = run("dispute", source, *asked, "--author", "Rana", *kept)
    assert (made["was"], made["wanted"], made["author"]) == ("nice", "irr", "Rana")
    listed = run("disputes", source, "--out", patch, *kept)
    assert listed["disputes"] == [made]
    done = run("patch", patch, source, "--out", out)
    assert done == {"changes": 1, "files": [str(out / "demo.json")]}
    assert (
        read_collection((out / "demo.json").read_bytes(), "x").find("demo-05").roles[key] == "irr"
    )
    assert hashlib.sha256(source.read_bytes()).hexdigest() == listed["sha256"]
    assert run("disputes", source, "--withdraw", made["id"], *kept)["disputes"] == []
    other = tmp_path / "other.json"
    other.write_bytes(json.dumps([item()]).encode())
    told = CliRunner().invoke(
        app, ["datasets", "patch", str(patch), str(other), "--out", str(tmp_path / "x")]
    )
    assert told.exit_code == 1
    assert "is another file or another version of it: nothing is changed." in told.stderr
    assert not (tmp_path / "x").exists()
