"""The command line: what it prints, what it refuses, and that reading leaves no trace."""

import ast
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner, Result

from memory_banks.files import packaged_seed
from sandbox import assemble as assembly
from sandbox.account import ACCOUNT
from sandbox.api import chat
from sandbox.arguments import Where
from sandbox.assemble import Sandbox
from sandbox.commands import app, reading
from sandbox.commands.output import shown
from sandbox.commands.talk import Talk, Terminal
from sandbox.folder import Layout, open_folder
from sandbox.port import reserve
from tests.fakes import Script, fake_sandbox
from tests.stub_server import StubServer

WALID, LANTERN, DINA = "walid-qutami", "lantern", "Dina Haddadin"
DYAD = ("--persona", WALID, "--user", DINA)
ROOT = Path(__file__).parent.parent
FACT = {"utterance": 1, "type": "fact", "text": "Dina has moved to Salt."}
RULE = {"utterance": 1, "type": "user_profile", "text": "Dina likes short answers."}


def run(*arguments: object, data: str = "") -> Result:
    return CliRunner().invoke(app, [str(part) for part in arguments], input=data)


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(result: Result) -> str:
    """The one sentence of a command that did not do what was asked."""
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    sentence = result.stderr.strip()
    assert "\n" not in sentence
    assert "Traceback" not in sentence
    return sentence


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample banks and one turn, closed."""
    root = tmp_path_factory.mktemp("sampled")
    with closing(fake_sandbox(root, Script().play)) as sandbox:
        chat(sandbox, ACCOUNT, user=DINA, persona=WALID, text="Is it the hall?")
    return root


# Reading a bank


def test_show_prints_the_live_entries_in_three_groups(sampled: Path) -> None:
    told = run("bank", "show", *DYAD, "--data-dir", sampled)
    assert told.exit_code == 0
    groups = re.findall(r"^(user-side|URAM|episodic) \((\d+)\)$", told.stdout, re.M)
    assert [name for name, _count in groups] == ["user-side", "URAM", "episodic"]
    result = json.loads(run("bank", "show", *DYAD, "--data-dir", sampled, "--json").stdout)
    assert sum(int(count) for _name, count in groups) == len(result["entries"]) > 20
    assert (result["persona"], result["user"]) == (WALID, "dina haddadin")
    assert result["revision"] == result["head"]


def test_show_at_a_revision_is_the_bank_as_it_was(sampled: Path) -> None:
    result = json.loads(
        run("bank", "show", *DYAD, "--as-of", 1, "--data-dir", sampled, "--json").stdout
    )
    assert [entry["added"] for entry in result["entries"]] == [1]
    nothing = run("bank", "show", *DYAD, "--as-of", 0, "--data-dir", sampled, "--json")
    assert json.loads(nothing.stdout)["entries"] == []


def test_show_of_nobody_is_empty_and_says_so(sampled: Path) -> None:
    told = run(
        "bank", "show", "--persona", WALID, "--user", "Nobody", "--data-dir", sampled, "--json"
    )
    assert told.exit_code == 0
    assert json.loads(told.stdout)["entries"] == []
    assert "nobody called 'Nobody' is in this folder yet" in told.stderr


def test_operations_are_numbered_and_say_where_they_come_from(sampled: Path) -> None:
    told = run("bank", "operations", *DYAD, "--data-dir", sampled, "--json")
    lines = json.loads(told.stdout)["operations"]
    assert [line["number"] for line in lines] == list(range(1, len(lines) + 1))
    assert {line["kind"] for line in lines} == {"add", "delete"}
    assert all(line["imported"]["file"].endswith(".jsonl") for line in lines)
    plain = run("bank", "operations", *DYAD, "--data-dir", sampled)
    assert len(plain.stdout.splitlines()) == len(lines)


def test_export_import_export_is_the_same_bytes(sampled: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    assert run("bank", "export", *DYAD, "--data-dir", sampled, "--out", first).exit_code == 0
    elsewhere = ("--persona", WALID, "--user", "Rana", "--data-dir", tmp_path / "data")
    told = run("bank", "import", first, *elsewhere, "--json")
    assert told.exit_code == 0, told.output
    done = json.loads(told.stdout)
    assert (done["new"], done["known"]) == (len(first.read_bytes().splitlines()), 0)
    assert run("bank", "export", *elsewhere, "--out", second).exit_code == 0
    assert first.read_bytes() == second.read_bytes()
    again = json.loads(run("bank", "import", first, *elsewhere, "--json").stdout)
    assert (again["new"], again["operations"], again["revision"]) == (0, 0, done["revision"])


def test_export_prints_the_bank_file_or_carries_it_in_the_object(
    sampled: Path, tmp_path: Path
) -> None:
    out = tmp_path / "bank.jsonl"
    out.write_text("old", "utf-8")
    told = run("bank", "export", *DYAD, "--data-dir", sampled, "--out", out, "--json")
    assert json.loads(told.stdout)["file"] == str(out)
    assert list(tmp_path.iterdir()) == [out]
    printed = run("bank", "export", *DYAD, "--data-dir", sampled)
    carried = run("bank", "export", *DYAD, "--data-dir", sampled, "--json")
    assert printed.stdout_bytes == out.read_bytes()
    assert json.loads(carried.stdout)["content"].encode("utf-8") == out.read_bytes()


def test_check_and_verify_find_a_sound_folder_sound(sampled: Path) -> None:
    check = json.loads(run("bank", "check", *DYAD, "--data-dir", sampled, "--json").stdout)
    assert check["problems"] == []
    assert list(check["vectors"].values()) == [check["entries"]]
    report = json.loads(run("verify", "--data-dir", sampled, "--json").stdout)
    assert report["consistent"]
    assert report["counts"]["turns"] == 1
    assert run("verify", "--data-dir", sampled).stdout.splitlines()[-1] == "consistent"


@pytest.mark.parametrize("command", [("verify",), ("bank", "check", *DYAD)])
def test_what_is_wrong_is_printed_and_the_exit_is_1(
    sampled: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    folder = copied(sampled, tmp_path)
    with closing(sqlite3.connect(Layout(folder).record)) as conn:
        conn.execute("update users set head = head + 1 where id = 'dina haddadin'")
        conn.commit()
    told = run(*command, "--data-dir", folder, "--json")
    assert told.exit_code == 1
    [problem] = json.loads(told.stdout)["problems"]
    assert problem.startswith("User 'dina haddadin' has the counter ")


READING = {
    "show": ("bank", "show", *DYAD),
    "operations": ("bank", "operations", *DYAD),
    "export": ("bank", "export", *DYAD),
    "check": ("bank", "check", *DYAD),
    "verify": ("verify",),
}


@pytest.mark.parametrize("command", READING.values(), ids=READING.keys())
def test_reading_needs_no_lock_and_leaves_no_trace(
    sampled: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    folder = copied(sampled, tmp_path)
    before = files(folder)
    assert run(*command, "--data-dir", folder).exit_code == 0
    assert files(folder) == before
    with open_folder(folder) as held, closing(fake_sandbox(held.root, Script().play)) as sandbox:
        chat(sandbox, ACCOUNT, user=DINA, persona=WALID, text="Hello?")
        assert run(*command, "--data-dir", folder).exit_code == 0


@pytest.mark.parametrize("command", READING.values(), ids=READING.keys())
def test_reading_makes_no_folder_and_says_that_there_is_none(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    said = refused(run(*command, "--data-dir", tmp_path / "none"))
    assert said.startswith(f"There is no record in {tmp_path / 'none'}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("version", "way_out"), [(99, "update the program"), (0, "start the")])
@pytest.mark.parametrize("command", READING.values(), ids=READING.keys())
def test_reading_another_schema_is_one_sentence(
    sampled: Path, tmp_path: Path, command: tuple[str, ...], version: int, way_out: str
) -> None:
    folder = with_schema(copied(sampled, tmp_path), version)
    before = files(folder)
    said = refused(run(*command, "--data-dir", folder))
    assert f"schema version {version}" in said
    assert way_out in said
    assert files(folder) == before


def test_showing_a_bank_loads_nothing_heavy(
    child_environment: dict[str, str], sampled: Path
) -> None:
    code = (
        "import sys; from sandbox.commands import app; "
        "app(sys.argv[1:], standalone_mode=False); "
        "print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "bank", "show", *DYAD, "--data-dir", str(sampled)],
        env=child_environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    loaded = set(ast.literal_eval(done.stdout.splitlines()[-1]))
    assert {"typer", "sqlalchemy"} <= loaded
    assert loaded & {"langgraph", "openai", "gradio", "chromadb", "torch", "pandas"} == set()


def test_the_words_of_an_entry_cannot_steer_a_terminal() -> None:
    assert (
        shown("a\x1b[31mb\x07\r\nc\td\u200cé\ud800")
        == "a\ufffd[31mb\ufffd\ufffd\nc\td\u200cé\ufffd"
    )


# What is refused


def test_the_commands_account_is_everybodys() -> None:
    assert reading.ACCOUNT == assembly.ACCOUNT


REFUSED = {
    "an unknown persona": (
        ("bank", "show", "--persona", "nobody", "--user", DINA),
        "There is no persona 'nobody'",
    ),
    "a user of blanks": (
        ("bank", "show", "--persona", WALID, "--user", "  "),
        "--user must not be empty",
    ),
    "a revision to come": (("bank", "show", *DYAD, "--as-of", "9999"), "--as-of must be 0 to "),
    "a revision before the first": (
        ("bank", "operations", *DYAD, "--as-of", "-1"),
        "--as-of must be 0 to ",
    ),
    "a place that is none": (
        ("bank", "export", *DYAD, "--out", "/nowhere/at/all"),
        "/nowhere/at/all cannot be written (no such file or directory)",
    ),
    "a file that is none": (
        ("bank", "import", "/nowhere.jsonl", *DYAD),
        "/nowhere.jsonl cannot be read (no such file or directory)",
    ),
    "a person's models file that is none": (
        ("chat", *DYAD, "--models", "/nowhere.toml"),
        "--models cannot be '/nowhere.toml': there is no such file",
    ),
    "a session that is none": (
        ("chat", *DYAD, "--session", "none"),
        "There is no session 'none'",
    ),
    "a time that is none": (("chat", *DYAD, "--now", "soon"), "now must be a date and time"),
    "a strategy that is none": (
        ("chat", *DYAD, "--strategy", "guess"),
        "strategy must be one of top_k",
    ),
    "a model that is none": (("chat", *DYAD, "--model", "none"), "There is no model 'none'"),
    "a host that others reach": (
        ("serve", "--host", "0.0.0.0", "--port", "0"),
        "The page cannot be served on '0.0.0.0'",
    ),
    "a port that is none": (("serve", "--port", "70000"), "--port cannot be 70000"),
}


@pytest.mark.parametrize(("command", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_done_is_one_sentence_and_nothing_changed(
    sampled: Path, tmp_path: Path, command: tuple[str, ...], sentence: str
) -> None:
    folder = copied(sampled, tmp_path)
    before = contents(folder)
    assert sentence in refused(run(*command, "--data-dir", folder))
    assert contents(folder) == before


BANK_FILES = {
    "no JSON": ("{", "bank.jsonl, line 1, column 2: must be one JSON object"),
    "no field": ('{"id": "1"}', "bank.jsonl, line 1, field 'side': must be given"),
    "a wrong type": (
        '{"id": "1", "side": "user", "type": "mood", "text": "x"}',
        "field 'type': must be 'user_profile'",
    ),
    "an operator": (
        '{"id": "1", "side": "user", "type": "fact", "text": {"$ne": ""}}',
        "field 'text': must be text",
    ),
}


@pytest.mark.parametrize(("line", "sentence"), BANK_FILES.values(), ids=BANK_FILES.keys())
def test_a_broken_bank_file_is_one_sentence_and_no_folder_is_made(
    tmp_path: Path, line: str, sentence: str
) -> None:
    file = tmp_path / "bank.jsonl"
    file.write_text(f"{line}\n", "utf-8")
    said = refused(run("bank", "import", file, *DYAD, "--data-dir", tmp_path / "data"))
    assert sentence in said
    assert list(tmp_path.iterdir()) == [file]


def test_a_writing_command_says_who_holds_the_folder(sampled: Path, tmp_path: Path) -> None:
    folder = copied(sampled, tmp_path)
    file = tmp_path / "bank.jsonl"
    file.write_bytes(packaged_seed(WALID))
    with open_folder(folder) as held:
        held.announce("http://127.0.0.1:1234")
        for command in (
            ("bank", "import", file, *DYAD),
            ("bank", "rebuild", *DYAD),
            ("chat", *DYAD),
        ):
            said = refused(run(*command, "--data-dir", folder))
            assert f"is in use by process {os.getpid()} (http://127.0.0.1:1234" in said


@pytest.mark.parametrize(
    "command", [("bank", "rebuild", *DYAD), ("chat", *DYAD), ("serve", "--port", "0")]
)
def test_a_folder_of_a_newer_version_is_not_written(
    sampled: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    folder = with_schema(copied(sampled, tmp_path), 99)
    before = contents(folder)
    assert "schema version 99" in refused(last_line(run(*command, "--data-dir", folder)))
    assert contents(folder) == before


@pytest.mark.parametrize("command", [("chat", *DYAD), ("serve", "--port", "0")])
def test_a_broken_models_file_is_one_sentence_and_no_folder_is_made(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    models = tmp_path / "models.toml"
    models.write_text('[[model]]\nname = "stub"\n', "utf-8")
    told = run(*command, "--models", models, "--data-dir", tmp_path / "data")
    assert f"{models}, [[model]] 1 ('stub'), base_url" in refused(last_line(told))
    assert list(tmp_path.iterdir()) == [models]


@pytest.mark.parametrize("command", [("chat", *DYAD), ("serve", "--port", "0")])
def test_offline_without_the_model_is_one_sentence_with_two_ways_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("SANDBOX_MODELS_DIR", str(tmp_path / "models"))
    monkeypatch.chdir(tmp_path)
    told = run(*command, "--offline", "--data-dir", tmp_path / "data")
    said = refused(last_line(told))
    assert "start once without --offline" in said
    assert "--gguf" in said
    assert list(tmp_path.iterdir()) == []


def test_a_port_in_use_is_one_sentence_and_no_folder_is_made(tmp_path: Path) -> None:
    with closing(reserve("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        told = run("serve", "--port", port, "--data-dir", tmp_path / "data")
    assert refused(told).lower().startswith(f"port {port} is in use by another program")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_folder_s_place_is_one_sentence(tmp_path: Path) -> None:
    place = tmp_path / "data"
    place.write_text("mine", "utf-8")
    told = run("serve", "--port", 0, "--data-dir", place)
    assert "cannot be written (a file is in its place)" in refused(last_line(told))
    assert place.read_text("utf-8") == "mine"


@pytest.mark.parametrize(
    "command", [("bank", "show"), ("bank", "show", *DYAD, "--as-of", "x"), ("nothing",)]
)
def test_a_wrong_command_line_is_exit_2(command: tuple[str, ...]) -> None:
    assert run(*command).exit_code == 2


# Talking


class Scene(Terminal):
    """A terminal with lines prepared, which keeps what it was shown."""

    def __init__(self, *lines: str, interrupt_at: str | None = None) -> None:
        self.person = True
        self.shown = ""
        self._lines = list(lines)
        self._interrupt_at = interrupt_at

    def ask(self, prompt: str) -> str | None:
        self.shown += prompt
        return self._lines.pop(0) if self._lines else None

    def write(self, text: str, style: str | None = None) -> None:
        self.shown += text
        if self._interrupt_at and self._interrupt_at in text:
            self._interrupt_at = None
            raise KeyboardInterrupt

    def line(self, text: str = "", style: str | None = None) -> None:
        self.shown += f"{text}\n"


@contextmanager
def bench(folder: Path, script: Script, **model: Any) -> Iterator[Sandbox]:
    with closing(fake_sandbox(folder, script.play, **model)) as sandbox:
        yield sandbox


def test_a_talk_ends_with_every_proposal_decided_on(tmp_path: Path) -> None:
    entries = [FACT, RULE, {**FACT, "text": "Dina has a cat."}, {**FACT, "text": "Dina sings."}]
    script = Script(replies={"moved": "To Salt, then."}, captures=[{"entries": entries}])
    with bench(tmp_path, script) as sandbox:
        scene = Scene(
            "I have moved to Salt.",
            "",
            "/end",
            "what?",
            "a",
            "e",
            "",
            "edit",
            "Dina likes very short answers.",
            "reject",
            "l",
        )
        talk = Talk(sandbox, Where(user="Rana", persona=WALID), scene)
        talk.run()
        live = {entry.text for entry in sandbox.banks.view(ACCOUNT, "Rana", WALID).live}
    told = talk.result()
    assert "To Salt, then." in scene.shown
    assert [turn["reply"] for turn in told["turns"]] == ["To Salt, then."]
    assert live == {FACT["text"], "Dina likes very short answers."}
    verdicts = [p["decision"] and p["decision"]["verdict"] for p in told["ended"]["proposals"]]
    assert verdicts == ["approved", "approved", "rejected", None]
    assert told["trouble"] is None


def test_ctrl_c_stops_the_reply_and_keeps_what_there_is(tmp_path: Path) -> None:
    pause = Event()
    with bench(tmp_path, Script(replies={"": "One two three."}), pause=pause) as sandbox:
        scene = Scene("Count.", interrupt_at="One")
        talk = Talk(sandbox, Where(user="Rana", persona=WALID), scene)
        talk.run()
        [turn] = sandbox.sessions.transcript(ACCOUNT, talk.result()["session_id"]).turns
    assert turn.reply is not None
    assert (turn.reply.text, turn.reply.finish) == ("One", "stopped")


def test_a_talk_goes_on_in_its_session_and_offers_the_open_turn(tmp_path: Path) -> None:
    from graphs.chat_model import ModelError

    answers: list[object] = [ModelError("Model 'scripted' is out; try again."), "Here I am."]
    with closing(fake_sandbox(tmp_path, lambda asked: answers.pop(0))) as sandbox:  # type: ignore[arg-type, return-value]
        talk = Talk(sandbox, Where(user="Rana", persona=WALID), Scene("Hello."))
        talk.run()
        assert talk.trouble == "Model 'scripted' is out; try again."
        session = talk.result()["session_id"]
        where = Where(user="Rana", persona=WALID, session_id=session)
        again = Talk(sandbox, where, Scene("/retry"))
        again.run()
        [turn] = sandbox.sessions.transcript(ACCOUNT, session).turns
    assert again.trouble is None
    assert turn.reply is not None
    assert turn.reply.text == "Here I am."


def command(*arguments: object) -> list[str]:
    start = "from sandbox.commands import main; main()"
    return [sys.executable, "-c", start, *map(str, arguments)]


def models_file(folder: Path, base_url: str) -> Path:
    file = folder / "models.toml"
    file.write_text(f'[[model]]\nname = "stub"\nbase_url = "{base_url}"\nmodel = "stub"\n', "utf-8")
    return file


def test_lines_from_a_pipe_are_a_talk(child_environment: dict[str, str], tmp_path: Path) -> None:
    def play(body: dict[str, Any]) -> Any:
        form = (body.get("response_format") or {}).get("json_schema", {}).get("name")
        if form == "CaptureForm":
            return {"entries": [FACT]}
        return {"changes": []} if form == "UpdateForm" else "I see."

    with StubServer(play) as server:
        models = models_file(tmp_path, server.base_url)
        talk = ("chat", *DYAD, "--models", models, "--strategy", "no_memory")
        done = subprocess.run(
            command(*talk, "--data-dir", tmp_path / "data", "--json"),
            input="I have moved to Salt.\n/end\na\n",
            env=child_environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [turn["reply"] for turn in told["turns"]] == ["I see."]
    assert [line["text"] for line in told["ended"]["operations"]] == [FACT["text"]]
    assert "approve, edit" not in done.stdout


# Serving


class Page:
    """`python app.py`, in a process of its own."""

    def __init__(self, environment: dict[str, str], folder: Path, base_url: str) -> None:
        folder.mkdir()
        self.data = folder / "data"
        models = models_file(folder, base_url)
        (folder / "no-embedder").mkdir()
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "app.py"), "--port", "0", "--models", str(models)]
            + ["--data-dir", str(self.data), "--json"],
            env=environment | {"SANDBOX_EMBEDDER": str(folder / "no-embedder")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.told = json.loads(self.process.stdout.readline())
        self.url = self.told["url"]

    def end(self) -> tuple[int, str, str]:
        """Ctrl-C; the exit status and what was printed since."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


def test_app_py_serves_the_page_and_keeps_the_folder(
    child_environment: dict[str, str], tmp_path: Path
) -> None:
    with StubServer("I see.") as server:
        page = Page(child_environment, tmp_path / "run", server.base_url)
        try:
            assert httpx.get(f"{page.url}/health").json()["status"] == "ok"
            assert httpx.get(page.url).status_code == 200
            assert page.told["pid"] == page.process.pid
            second = run("serve", "--port", 0, "--data-dir", page.data)
            said = refused(last_line(second))
            assert f"is in use by process {page.process.pid} ({page.url}" in said
            port = page.url.rpartition(":")[2]
            busy = refused(run("serve", "--port", port, "--data-dir", tmp_path / "other"))
            assert "in use by another sandbox" in busy
            assert run("bank", "show", *DYAD, "--data-dir", page.data).exit_code == 0
            assert run("verify", "--data-dir", page.data).exit_code == 0
        finally:
            status, out, err = page.end()
    assert status == 0
    assert out == ""
    assert "Serving on" in err
    assert "Traceback" not in err
    assert not (tmp_path / "other").exists()
    with open_folder(page.data):
        pass


def test_app_py_has_the_options_of_serve(child_environment: dict[str, str], tmp_path: Path) -> None:
    wanted = [sys.executable, str(ROOT / "app.py"), "--help"]
    environment = child_environment | {"COLUMNS": "200", "NO_COLOR": "1"}
    told = subprocess.run(
        wanted, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    offered = set(re.findall(r"--[a-z-]+", told.stdout))
    assert {"--host", "--port", "--data-dir", "--models", "--gguf", "--offline"} <= offered
    served = run("serve", "--help")
    assert offered == set(re.findall(r"--[a-z-]+", served.stdout))
    assert list(tmp_path.iterdir()) == []


def copied(folder: Path, place: Path) -> Path:
    """A copy of a folder that nobody has open."""
    target = place / "data"
    target.mkdir()
    for path in folder.iterdir():
        if path.is_file():
            (target / path.name).write_bytes(path.read_bytes())
    return target


def with_schema(folder: Path, version: int) -> Path:
    with closing(sqlite3.connect(Layout(folder).record)) as conn:
        conn.execute("update schema set version = ?", (version,))
        conn.commit()
    return folder


def contents(folder: Path) -> str:
    """Everything that the record holds."""
    with closing(sqlite3.connect(Layout(folder).record)) as conn:
        return "\n".join(conn.iterdump())


def last_line(result: Result) -> Result:
    """A result without the lines that told of the loading."""
    result.stderr_bytes = (result.stderr_bytes or b"").strip().splitlines()[-1]
    return result
