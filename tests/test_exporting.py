"""Collections in every format of ours: what is written is read back, and what is lost is told."""

import json
from dataclasses import replace
from importlib.resources import files as packaged

import pytest

from sandbox.authoring.exporting import WRITERS, exported, licences_of, zipped
from sandbox.authoring.sizes import sizes, word_count
from sandbox.collected import Collection
from sandbox.formats import packaged_collection, read_collection, read_files
from sandbox.formats.reading import LARGEST
from sandbox.formats.stratmem_write import capped
from sandbox.inputs import BadInput
from sandbox.instances import Instance, Role
from tests.test_stratmem import item
from tests.test_stratmem_write import FULL, shared_data

KINDS = sorted(WRITERS)


@pytest.fixture(scope="module")
def shipped() -> Collection:
    return read_collection(packaged_collection(), "demo.json")


@pytest.fixture(scope="module")
def episode() -> Collection:
    path = packaged("sandbox").joinpath("collections", "episode.json")
    return read_collection(path.read_bytes(), path.name)


@pytest.mark.parametrize("seed", [None, 42])
@pytest.mark.parametrize("kind", KINDS)
def test_the_shipped_collection_is_written_in_every_format_and_read_back(
    shipped: Collection, kind: str, seed: int | None
) -> None:
    made = exported(shipped, kind, seed=seed)
    back = [read_files(sorted(files.items())) for files in made.parts.values()]
    found = [one for each in back for one in each.instances]
    assert [one for each in back for one in each.refused] == []
    assert len(found) == len(shipped.instances)
    wanted = capped(shipped, seed) if seed is not None else shipped
    assert {one.query for one in found} == {one.query for one in wanted.instances}
    if kind == "demo":
        assert found == list(wanted.instances)
    if kind == "stratmem":
        texts = [{role: _texts(one, role) for role in ("must", "nice", "irr")} for one in found]
        assert texts == [
            {role: _texts(one, role) for role in ("must", "nice", "irr")}
            for one in wanted.instances
        ]
    assert bool(made.lost) == (kind != "demo")
    assert made.licences in made.about
    assert "Licenses: " in made.licences


def _texts(one: Instance, role: Role) -> list[str]:
    return [entry.text for entry in one.having(role)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_zip_of_one_part_is_read_as_it_stands(shipped: Collection, kind: str) -> None:
    made = exported(shipped, kind)
    data = zipped(made)
    assert data == zipped(made)
    if len(made.parts) == 1:
        assert len(read_files([("x.zip", data)]).instances) == len(shipped.instances)
    else:
        assert list(made.parts) == ["en", "zh"]


def test_a_capped_export_has_two_nice_entries_at_most_and_says_what_the_seed_cut(
    shipped: Collection,
) -> None:
    wide = replace(
        shipped.instances[0],
        roles={entry.key: "nice" for entry in shipped.instances[0].pool},
        replies=(),
    )
    made = exported(replace(shipped, instances=(wide,)), "stratmem", seed=7)
    assert list(made.files) == ["demo capped 7.json"]
    [one] = read_files(list(made.files.items())).instances
    assert len(one.having("nice")) == 2
    assert f"{len(wide.pool) - 2} nice entries that the seed 7 cut" in made.lost
    assert "at most 2 nice entries, drawn with seed 7" in made.about


def test_an_episode_is_written_in_its_format_and_its_questions_in_the_projects(
    episode: Collection,
) -> None:
    made = exported(episode, "episode")
    assert made.lost == ()
    assert read_files(list(made.files.items())).episodes == episode.episodes
    other = exported(episode, "demo")
    assert other.lost[0] == "the sessions of 1 episodes, only their questions"
    found = read_files(list(other.files.items()))
    assert [one.golden for one in found.instances] == [one.golden for one in episode.instances]
    with pytest.raises(BadInput, match="can be put into the format stratmem"):
        exported(episode, "stratmem")


def test_instances_that_a_format_has_no_place_for_are_left_out_and_told(
    shipped: Collection, episode: Collection
) -> None:
    mixed = replace(shipped, instances=(*shipped.instances, *episode.instances))
    made = exported(mixed, "stratmem")
    assert f"{len(episode.instances)} instances without a time or roles" in made.lost
    assert len(read_files(list(made.files.items())).instances) == len(shipped.instances)


def test_what_would_be_too_large_to_be_read_again_is_refused_before_it_is_written(
    shipped: Collection,
) -> None:
    long = replace(shipped.instances[0].pool[0], text="x" * (LARGEST // 2 + 1))
    many = tuple(replace(one, pool=(long,), roles={}) for one in shipped.instances[:2])
    for kind in ("demo", "stratmem", "madial", "episode"):
        with pytest.raises(BadInput, match="it would have 67 MB, and files of at most 67 MB"):
            exported(replace(shipped, instances=many), kind)


def test_an_export_keeps_the_license_of_locomos_text_and_says_so() -> None:
    found = read_collection(json.dumps([item()]).encode(), "f.json")
    for kind in ("stratmem", "demo", "messages"):
        made = exported(found, kind)
        assert "CC BY-NC 4.0 (LoCoMo) must not be used commercially." in made.about
    assert licences_of(replace(found, instances=())) == ""
    unknown = replace(found.instances[0], source="elsewhere")
    assert licences_of(replace(found, instances=(unknown,))) == "Licenses: unspecified."


def test_figures_are_told_by_scenario_and_for_all(shipped: Collection) -> None:
    told = {one.scenario: one for one in sizes(shipped.instances)}
    assert {name: one.instances for name, one in told.items()} == {
        "must-only": 1,
        "nice-only": 1,
        "must+nice": 10,
        None: 12,
    }
    whole = told[None]
    assert (whole.least, whole.most, whole.pool) == (7, 8, pytest.approx(89 / 12))
    assert dict(whole.roles) == pytest.approx({"must": 15 / 12, "nice": 20 / 12, "irr": 54 / 12})
    assert dict(told["must-only"].roles)["nice"] == 0
    assert sizes(())[0].pool is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("One, two - three", 4),
        ("我喜欢茶", 4),
        ("我喜欢 Earl Grey 茶。", 7),
        ("2023-01-29.", 1),
    ],
)
def test_words_stand_between_blanks_and_a_chinese_sign_is_one(text: str, count: int) -> None:
    assert word_count(text) == count


def test_the_releases_figures_are_the_benchmarks() -> None:
    full = read_collection(shared_data(FULL).read_bytes(), FULL)
    for found, pool, words in ((full, 8.795, 9.810), (capped(full), 7.499, 9.813)):
        told = {one.scenario: one for one in sizes(found.instances)}
        assert told[None].pool == pytest.approx(pool, abs=0.001)
        assert told[None].words == pytest.approx(words, abs=0.001)
        assert [told[name].instances for name in ("must-only", "nice-only", "must+nice")] == [
            50,
            132,
            475,
        ]
