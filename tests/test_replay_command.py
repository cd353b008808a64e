"""`replay`: what it prints, hides, refuses and leaves behind."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sandbox.commands.replay_run import ReplayRun
from sandbox.replay.replayed import Replayed
from tests.fakes import LastWord, Script, fake_sandbox
from tests.replaying import with_run
from tests.stub_script import Fault
from tests.stub_server import StubServer
from tests.test_commands import models_file, refused, run

GOLD = ["You mended one in May.", "Then you can do it again."]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    written = []
    for name, data in with_run():
        (tmp_path / name).write_bytes(data)
        written.append(tmp_path / name)
    return written


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer("I see.") as made:
        yield made


def replayed(server: StubServer, files: list[Path], *arguments: object) -> dict[str, Any]:
    models = models_file(files[0].parent, server.base_url)
    told = run("replay", *files, "--models", models, "--json", *arguments)
    assert told.exit_code == 0, told.stderr
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def test_every_stop_is_told_and_gold_hidden_until_it_is_asked_for(
    server: StubServer, files: list[Path]
) -> None:
    told = replayed(server, files, "--gear", "gold")
    assert [one["instance"] for one in told["stops"]] == ["0-4", "0-6"]
    assert [one["reply"] for one in told["stops"]] == ["I see.", "I see."]
    assert [one["shown"] for one in told["stops"]] == [["7"], ["7"]]
    assert all(one["gold"] is one["gold_reply"] is None for one in told["stops"])
    assert not any(words in json.dumps(told) for words in GOLD)
    assert (told["forcing"], told["trouble"]) == ("teacher", None)
    assert "setting 1" in told["shows"]
    assert len(server.chats) == 2


def test_revealed_it_says_where_the_first_golden_memory_is_missing(
    server: StubServer, files: list[Path]
) -> None:
    how = ["--gear", "pipeline", "--run", "openai", "--instance", "0-6", "--reveal"]
    told = replayed(server, files, *how)
    [stop] = told["stops"]
    assert (stop["gold_reply"], stop["gold"]) == (GOLD[1], ["7", "2"])
    assert (sorted(stop["shown"]), stop["first_golden_shown"]) == (list("12357"), True)
    own = replayed(server, files, "--strategy", "no_memory", "--reveal", "--instance", "0-6")
    assert own["stops"][0]["first_golden_shown"] is False
    models = models_file(files[0].parent, server.base_url)
    plain = run("replay", *files, "--models", models, "--strategy", "no_memory", "--reveal").stdout
    assert "the first golden memory is not here" in plain
    assert "golden  7, 2" in plain


def test_nothing_is_kept_without_a_data_folder_and_all_with_one(
    server: StubServer, files: list[Path], tmp_path: Path
) -> None:
    here = {path.name for path in tmp_path.iterdir()} | {"models.toml"}
    replayed(server, files, "--gear", "gold", "--forcing", "free")
    assert {path.name for path in tmp_path.iterdir()} == here
    replayed(server, files, "--gear", "gold", "--data-dir", tmp_path / "kept")
    assert (tmp_path / "kept" / "record.sqlite").is_file()


def test_what_cannot_be_replayed_is_one_sentence(
    server: StubServer, files: list[Path], tmp_path: Path
) -> None:
    models = models_file(tmp_path, server.base_url)
    how = ("--models", models)
    assert "cannot be read" in refused(run("replay", tmp_path / "none.json", *how))
    assert "has no instance 'x'" in refused(run("replay", *files, "--instance", "x", *how))
    bare = ("replay", *files[:2], "--gear", "distractors", *how)
    assert "negatives come from the top of a released ranking" in refused(run(*bare))
    assert "no model" in refused(run("replay", *files, "--model", "none", *how)).lower()
    assert server.chats == []


def test_a_replay_ends_at_a_stop_and_is_left_to_be_talked_on_in(
    server: StubServer, files: list[Path], tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    how = ["--gear", "gold", "--to", 1, "--take-over", "--after", 3, "--data-dir", kept]
    told = replayed(server, files, *how)
    assert [one["stop"] for one in told["stops"]] == [1]
    assert told["asked_with"].startswith("MADial-Bench's prompts for setting 1")
    models = models_file(tmp_path, server.base_url)
    asked = told["go_on"].split()
    server.play("Hm.")
    talked = run(*asked, "--models", models, "--data-dir", kept, "--json", data="So?\n")
    assert talked.exit_code == 0, talked.stderr
    assert json.loads(talked.stdout)["turns"][0]["reply"] == "Hm."
    assert "So?" in server.chats[-1].said


def test_prompts_can_be_chosen_and_are_told(server: StubServer, files: list[Path]) -> None:
    told = replayed(server, files, "--gear", "gold", "--prompts", "sandbox")
    assert told["asked_with"].startswith("the sandbox's own prompts")


def test_a_take_over_that_cannot_be_is_one_sentence(server: StubServer, files: list[Path]) -> None:
    models = models_file(files[0].parent, server.base_url)
    bare = ("replay", *files, "--gear", "gold", "--models", models)
    kept = ("--data-dir", files[0].parent / "kept")
    assert "needs a --data-dir" in refused(run(*bare, "--take-over"))
    assert "add --take-over" in refused(run(*bare, "--after", 2, *kept))
    assert "--to must be between 1 and 2, got 3" in refused(run(*bare, "--to", 3, *kept))


def test_a_model_that_fails_ends_it_with_what_there_is(
    server: StubServer, files: list[Path], tmp_path: Path
) -> None:
    server.play(["I see.", Fault("404")])
    models = models_file(tmp_path, server.base_url)
    told = run("replay", *files, "--models", models, "--gear", "gold", "--json")
    assert told.exit_code == 1
    assert "does not exist" in told.stderr
    assert [one["reply"] for one in json.loads(told.stdout)["stops"]] == ["I see."]


def test_the_judge_s_figures_stand_beside_each_answer(tmp_path: Path) -> None:
    play = Script({"broke": "The heddle 7."}).play
    with closing(fake_sandbox(tmp_path / "data", play, load_judge=LastWord)) as sandbox:
        going = ReplayRun(sandbox, Replayed("gold"), "local", reveal=False)
        going.open(with_run(), None, "top_k", None)
        going.go()
    told = going.result()
    assert going.trouble is None
    assert [one["figures"]["MIQ"] for one in told["stops"]] == [None, None]
    assert [one["roles_proposed_by"] for one in told["stops"]] == ["local"] * 2
    assert "  roles proposed by local: no gold" in list(going.lines())
    assert [one["evaluation"]["judge"] for one in told["stops"]] == ["local"] * 2
    assert "  MIQ: not measured" in list(going.lines())
