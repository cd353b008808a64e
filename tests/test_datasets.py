"""`datasets`: what files hold, released ones fetched from a server on loopback, other formats."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sandbox.commands import app
from sandbox.datasets import DATASETS, Dataset, DatasetError, DatasetFile, named
from sandbox.episodes import gold_bank
from sandbox.fetching import fetch, is_there
from sandbox.formats import FORMATS, packaged_collection, read_collection, read_files
from sandbox.formats.recasting import to_episode, to_madial
from tests.file_server import FileServer, Manner
from tests.test_locomo import question, sample
from tests.test_stratmem import item

DATA = bytes(range(256)) * 400
NAME = "data/loom.json"
SHARED = Path(__file__).parents[2] / "shared" / "data"
LOCAL = {
    "en_openai_top_20_bottom.json": "openai_top_20_bottom.json",
}
"""What the release's files are called beside the repository, where that is another name."""


def dataset(**files: bytes) -> Dataset:
    held = files or {NAME: DATA}
    made = [DatasetFile(path, len(data), _sha256(data)) for path, data in held.items()]
    return Dataset("loom", "A loom", "CC0", "ann/loom", "c" * 40, tuple(made))


def served(one: Dataset, **files: bytes) -> Mapping[str, bytes]:
    held = files or {NAME: DATA}
    return {f"/{one.repository}/{one.commit}/{path}": data for path, data in held.items()}


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def held(folder: Path) -> dict[str, bytes]:
    """Every file under the folder, by its path there."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["datasets", *(str(part) for part in arguments)])


def result(*arguments: object) -> dict[str, Any]:
    told = run(*arguments, "--json")
    assert told.exit_code == 0, told.output
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def refused(*arguments: object) -> str:
    """The last sentence of a command that did not do what was asked."""
    told = run(*arguments)
    assert told.exit_code == 1, told.output
    assert told.stdout == ""
    return told.stderr.strip().splitlines()[-1]


# Fetching


def test_a_file_is_fetched_once_and_has_its_name_when_it_is_whole(tmp_path: Path) -> None:
    one, told = dataset(), []
    with FileServer(served(one)) as server:
        assert fetch(one, tmp_path, server.base, told.append) == [tmp_path / "loom" / "loom.json"]
        assert held(tmp_path) == {"loom/loom.json": DATA}
        assert not (tmp_path / "loom" / ".fetching").exists()
        fetch(one, tmp_path, server.base, told.append)
        assert len(server.asked) == 1
    assert told == [
        "loom.json (102,400 bytes) is fetched",
        f"{tmp_path / 'loom' / 'loom.json'} is there",
    ]


def test_a_fetch_that_breaks_off_keeps_no_file_and_is_continued(tmp_path: Path) -> None:
    one = dataset()
    with FileServer(served(one), "breaks off") as server:
        with pytest.raises(DatasetError, match=r"loom\.json cannot be fetched .*try again"):
            fetch(one, tmp_path, server.base)
        arrived = held(tmp_path)
        assert arrived == {"loom/.fetching/loom.json.part": DATA[: len(DATA) // 2]}
        server.manner = "whole"
        fetch(one, tmp_path, server.base)
        assert server.asked[-1][1] == f"bytes={len(DATA) // 2}-"
    assert held(tmp_path) == {"loom/loom.json": DATA}


@pytest.mark.parametrize("manner", ["no ranges", "refuses ranges"])
def test_a_server_that_continues_nothing_is_asked_from_the_start(
    tmp_path: Path, manner: Manner
) -> None:
    one = dataset()
    with FileServer(served(one), "breaks off") as server:
        with pytest.raises(DatasetError, match="try again"):
            fetch(one, tmp_path, server.base)
        server.manner = manner
        fetch(one, tmp_path, server.base)
        assert [told for _path, told in server.asked] == [None, "bytes=51200-", None]
    assert held(tmp_path) == {"loom/loom.json": DATA}


def test_a_part_that_is_spoilt_is_thrown_away_and_fetched_anew(tmp_path: Path) -> None:
    one = dataset()
    apart = tmp_path / "loom" / ".fetching"
    apart.mkdir(parents=True)
    for spoilt in (b"no" * 50, b"x" * len(DATA), b"x" * (len(DATA) + 5)):
        (apart / "loom.json.part").write_bytes(spoilt)
        with FileServer(served(one)) as server:
            fetch(one, tmp_path, server.base)
        assert held(tmp_path) == {"loom/loom.json": DATA}
        (tmp_path / "loom" / "loom.json").unlink()
        apart.mkdir()


@pytest.mark.parametrize("manner", ["another", "too much"])
def test_another_file_is_one_sentence_and_nothing_is_kept(tmp_path: Path, manner: Manner) -> None:
    one = dataset()
    with (
        FileServer(served(one), manner) as server,
        pytest.raises(DatasetError, match=r"is not the released loom\.json.*nothing was kept"),
    ):
        fetch(one, tmp_path, server.base)
    assert held(tmp_path) == {}


def test_a_file_that_the_server_has_not_is_one_sentence(tmp_path: Path) -> None:
    with (
        FileServer({}) as server,
        pytest.raises(DatasetError, match=r"cannot be fetched from .*\(the server answered 404\)"),
    ):
        fetch(dataset(), tmp_path, server.base)
    assert held(tmp_path) == {}


def test_no_server_is_one_sentence(tmp_path: Path) -> None:
    with FileServer({}) as server:
        gone = server.base
    with pytest.raises(DatasetError, match=r"\(the connection failed\): try again"):
        fetch(dataset(), tmp_path, gone)


def test_a_fetch_that_is_interrupted_keeps_no_file_and_is_continued(tmp_path: Path) -> None:
    one = dataset()
    with FileServer(served(one), "interrupts") as server:
        with pytest.raises(KeyboardInterrupt):
            fetch(one, tmp_path, server.base)
        [(name, part)] = held(tmp_path).items()
        assert name == "loom/.fetching/loom.json.part"
        assert DATA.startswith(part)
        server.manner = "whole"
        fetch(one, tmp_path, server.base)
        assert server.asked[-1][1] == f"bytes={len(part)}-"
    assert held(tmp_path) == {"loom/loom.json": DATA}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_a_full_disk_is_one_sentence_and_keeps_nothing(tmp_path: Path) -> None:
    one = dataset()
    apart = tmp_path / "loom" / ".fetching"
    apart.mkdir(parents=True)
    (apart / "loom.json.part").symlink_to("/dev/full")
    with (
        FileServer(served(one)) as server,
        pytest.raises(DatasetError, match=r"\(no space left on device\): try again"),
    ):
        fetch(one, tmp_path, server.base)
    assert held(tmp_path) == {}


def test_what_has_its_name_already_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "loom").mkdir()
    (tmp_path / "loom" / "loom.json").write_bytes(b"mine")
    one = dataset()
    with (
        FileServer(served(one)) as server,
        pytest.raises(DatasetError, match="is another file than the released one: move it away"),
    ):
        fetch(one, tmp_path, server.base)
    assert held(tmp_path) == {"loom/loom.json": b"mine"}
    assert server.asked == []


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "loom").write_bytes(b"a file")
    with pytest.raises(DatasetError, match=r"loom\.json cannot be fetched"):
        fetch(dataset(), tmp_path, "http://127.0.0.1:9")


def test_files_that_are_there_are_not_fetched_again_when_another_fails(tmp_path: Path) -> None:
    both = {"a/one.json": b"one" * 99, "b/two.json": b"two" * 99}
    one = dataset(**both)
    with FileServer(served(one, **{"a/one.json": both["a/one.json"]})) as server:
        with pytest.raises(DatasetError, match="two.json"):
            fetch(one, tmp_path, server.base)
        server.files = served(one, **both)
        fetch(one, tmp_path, server.base)
        assert [path.rsplit("/", 1)[-1] for path, _range in server.asked] == [
            "one.json",
            "two.json",
            "two.json",
        ]
    assert len(held(tmp_path)) == 2


def test_every_dataset_is_pinned_by_commit_and_sha256() -> None:
    for one in DATASETS:
        assert len(one.commit) == 40
        assert one.licence
        assert {len(file.sha256) for file in one.files} == {64}
        assert len({file.name for file in one.files}) == len(one.files)
        assert one.url(one.files[0]).startswith(
            f"https://raw.githubusercontent.com/{one.repository}/{one.commit}/data/"
        )
    assert named([]) == tuple(DATASETS)
    assert [one.name for one in named(["locomo", "stratmem", "locomo"])] == ["locomo", "stratmem"]
    with pytest.raises(DatasetError, match="no dataset 'lokomo': name one of stratmem"):
        named(["lokomo"])


def test_the_pinned_files_are_those_that_the_figures_were_computed_from(tmp_path: Path) -> None:
    for one in DATASETS:
        for file in one.files:
            name = LOCAL.get(file.name, file.name)
            found = next(SHARED.rglob(name), None) if SHARED.is_dir() else None
            if found is None:
                pytest.skip(f"needs {name} in {SHARED}")
            assert is_there(found, file), file.name


# The commands


def test_list_tells_licence_source_place_and_what_is_there(tmp_path: Path) -> None:
    found = result("list", "--to", tmp_path)["datasets"]
    assert [one["name"] for one in found] == ["stratmem", "madial-en", "madial-zh", "locomo"]
    assert {one["present"] for one in found} == {False}
    assert "CC BY-NC 4.0" in found[3]["licence"]
    assert found[3]["kept"] == str(tmp_path / "locomo")
    assert found[3]["source"].startswith("https://github.com/snap-research/locomo/tree/")
    lines = run("list", "--to", tmp_path).stdout
    assert "0 of 2 files present" in lines


def test_get_tells_licence_and_source_before_it_fetches(tmp_path: Path) -> None:
    with FileServer({}) as server:
        told = run("get", "locomo", "--to", tmp_path, "--base", server.base)
        assert len(server.asked) == 1
    assert told.exit_code == 1
    first, second, third = told.stderr.strip().splitlines()
    assert "locomo: licence CC BY-NC 4.0" in first
    assert "https://github.com/snap-research/locomo/tree/" in first
    assert "is fetched" in second
    assert "the server answered 404" in third


def test_get_fetches_the_release(tmp_path: Path) -> None:
    source = SHARED / "locomo" / "locomo10.zip"
    if not source.is_file():
        pytest.skip(f"needs {source.name} in {source.parent}")
    (one,) = named(["locomo"])
    files = {f"/{one.repository}/{one.commit}/data/locomo10.zip": source.read_bytes()}
    with FileServer(files) as server:
        found = result("get", "locomo", "--to", tmp_path, "--base", server.base)
    path = tmp_path / "locomo" / "locomo10.zip"
    assert found == {"fetched": {"locomo": [str(path)]}}
    assert result("list", "--to", tmp_path)["datasets"][3]["present"] is True
    assert result("get", "locomo", "--to", tmp_path, "--offline") == found
    counted = result("check", path)
    assert (counted["format"], counted["episodes"], counted["turns"]) == ("locomo", 10, 5882)
    assert (counted["sessions"], counted["questions"]) == (272, 1986)
    assert (counted["dialogues"], counted["test_turns"]) == (0, 0)


def test_offline_fetches_nothing(tmp_path: Path) -> None:
    with FileServer({}) as server:
        told = refused("get", "locomo", "--to", tmp_path, "--base", server.base, "--offline")
        assert server.asked == []
    assert "is not there and --offline forbids fetching it" in told


def test_get_refuses_a_name_that_there_is_not(tmp_path: Path) -> None:
    assert refused("get", "lokomo", "--to", tmp_path).startswith("There is no dataset 'lokomo'")


def test_check_counts_and_groups_oddities_by_kind(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    asked = [question(evidence=[]), question(evidence=[])]
    path.write_text(json.dumps([{"qa": asked} | sample(*asked)], indent=1))
    found = result("check", path)
    assert (found["format"], found["name"]) == ("locomo", "f.json")
    assert (found["instances"], found["episodes"], found["sessions"], found["turns"]) == (
        2,
        1,
        2,
        3,
    )
    kinds = {one["sentence"]: one["places"] for one in found["quirks"]}
    assert kinds["has no evidence"] == [
        {"file": "f.json", "line": line, "where": where, "place": f"f.json, line {line}, {where}"}
        for line, where in ((4, "conv-1, question 1"), (10, "conv-1, question 2"))
    ]
    lines = run("check", path).stdout
    assert "2 instances, 1 episodes, 2 sessions, 3 turns, 2 questions" in lines
    assert (
        "quirk, 2: has no evidence  [f.json, line 4, conv-1, question 1; f.json, line 10, " in lines
    )


def test_check_tells_what_is_refused_and_ends_with_1(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps([item(id="sound"), item(query_time="noon")]))
    told = run("check", path, "--json")
    assert told.exit_code == 1
    found = json.loads(told.stdout)
    assert found["instances"] == 1
    assert [one["where"] for one in found["refused"]] == ["locomo_0123456789"]
    assert "refused: f.json, line 1, locomo_0123456789: Its query_time" in run("check", path).stdout


def test_check_takes_files_that_belong_together(tmp_path: Path) -> None:
    from tests.madial import small

    names = []
    for name, data in small():
        (tmp_path / name).write_bytes(data)
        names.append(tmp_path / name)
    found = result("check", *names)
    assert (found["format"], found["dialogues"], found["test_turns"]) == ("madial", 1, 2)


def test_check_refuses_what_it_cannot_read_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    assert "no such file" in refused("check", path)
    path.write_bytes(b'{"format": "x"}')
    assert refused("check", path).endswith("got an object whose format is 'x'.")


WRITABLE = [one.name for one in FORMATS if one.write]


@pytest.mark.parametrize("kind", WRITABLE)
def test_the_shipped_collection_is_exported_by_our_own_writers(tmp_path: Path, kind: str) -> None:
    source = tmp_path / "demo.json"
    source.write_bytes(packaged_collection())
    out = tmp_path / "out" / "there"
    found = result("export", source, "--format", kind, "--out", out)
    paths = [Path(path) for path in found["files"]]
    english = [path for path in paths if "-zh-" not in path.name]
    again = read_files([(path.name, path.read_bytes()) for path in english])
    assert len(again.instances) == (11 if kind == "madial" else 12)
    assert again.refused == ()
    assert bool(found["lost"]) == (kind != "demo")
    assert result("check", *english)["format"] == kind
    assert "is there already" in refused("export", source, "--format", kind, "--out", out)


def test_every_format_of_ours_that_can_be_written_is_written() -> None:
    assert {"demo", "stratmem", "madial", "messages", "episode"} <= set(WRITABLE)


def test_an_instance_cast_to_an_episode_keeps_query_talk_and_what_it_rests_on() -> None:
    shipped = read_collection(packaged_collection(), "demo.json")
    (cast,) = to_episode(shipped).collections
    for one, episode in zip(shipped.instances, cast.episodes, strict=True):
        (asked,) = episode.questions
        helping = {e.key for role in ("must", "nice") for e in one.having(role)}
        dead = {entry.key for entry in one.pool if entry.status != "live"}
        assert asked.text == one.query
        assert set(asked.supports) == helping - dead
        assert {entry.key for entry in gold_bank(episode)} == {e.key for e in one.pool} - dead
        assert [turn.text for turn in episode.sessions[-1].turns] == [s.text for s in one.history]


def test_an_instance_cast_to_madial_keeps_query_talk_and_golden_texts() -> None:
    shipped = read_collection(packaged_collection(), "demo.json")
    english, chinese = to_madial(shipped).collections
    assert [one.dialogue for one in chinese.instances] == ["demo-02-huaibiao"]
    for cast in (*english.instances, *chinese.instances):
        one = shipped.find(cast.dialogue)
        texts = {entry.key: entry.text for entry in cast.pool}
        assert [said.text for said in cast.history] == [said.text for said in one.history]
        assert [texts[key] for key in cast.golden] == [
            entry.text for role in ("must", "nice") for entry in one.having(role)
        ]


def test_what_cannot_be_cast_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps([item()]))
    told = refused("export", path, "--format", "episode", "--out", tmp_path / "out")
    assert "it has no type" in told
    told = refused("export", path, "--format", "madial", "--out", tmp_path / "out")
    assert told == "nothing of f.json can be put into the format madial."
    assert not (tmp_path / "out").exists()


def test_an_export_says_what_licence_the_text_has(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps([item()]))
    found = result("export", path, "--format", "messages", "--out", tmp_path / "out")
    assert "must not be used commercially" in found["licences"]


def test_what_is_lost_is_told(tmp_path: Path) -> None:
    source = tmp_path / "demo.json"
    source.write_bytes(packaged_collection())
    told = run("export", source, "--format", "stratmem", "--out", tmp_path / "out")
    assert "lost: the entries' type of 12 of 12 instances" in told.stdout


def test_an_export_with_a_seed_caps_the_pools_and_says_so_beside_the_file(tmp_path: Path) -> None:
    source = tmp_path / "demo.json"
    source.write_bytes(packaged_collection())
    found = result(
        "export", source, "--format", "stratmem", "--seed", 42, "--out", tmp_path / "out"
    )
    assert [Path(path).name for path in found["files"]] == ["demo capped 42.json"]
    about = Path(found["about"]).read_text("utf-8")
    assert "at most 2 nice entries, drawn with seed 42." in about
    assert "Licenses: Apache-2.0." in about


def test_export_refuses_a_format_that_is_only_read(tmp_path: Path) -> None:
    source = tmp_path / "demo.json"
    source.write_bytes(packaged_collection())
    told = refused("export", source, "--format", "locomo", "--out", tmp_path / "out")
    assert told.startswith("--format must be one of madial, messages")
    assert not (tmp_path / "out").exists()


def test_an_export_never_leaves_its_folder(tmp_path: Path) -> None:
    source = tmp_path / "..demo.json"
    source.write_bytes(packaged_collection())
    result("export", source, "--format", "stratmem", "--out", tmp_path / "out")
    assert sorted(held(tmp_path / "out")) == ["..demo.about.txt", "..demo.json"]


def test_nothing_is_fetched_by_importing() -> None:
    import subprocess
    import sys

    code = "import sandbox.fetching, sandbox.commands, sys; print('pooch' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
