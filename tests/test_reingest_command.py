"""`bank reingest` and `bank diff --branch`: methods compared from a shell."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sandbox.account import ACCOUNT
from sandbox.arguments import Where
from sandbox.assemble import Sandbox
from sandbox.commands.talk import Talk
from tests.fakes import Script, fake_sandbox
from tests.stub_server import StubServer
from tests.test_commands import Scene, models_file, refused, run

WALID = "walid-qutami"
DYAD = ("--persona", WALID, "--user", "Noor")
FACT = {"utterance": 1, "type": "fact", "text": "Noor moved to Tallinn."}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two ended sessions and an open one; the first one left a fact."""
    root = tmp_path_factory.mktemp("told")
    script = Script(captures=[{"entries": [FACT]}])
    with closing(fake_sandbox(root, script.play)) as sandbox:
        for text in ("I moved to Tallinn.", "It is cold here.", "Still open."):
            session = sandbox.sessions.open(ACCOUNT, "Noor", WALID)
            sandbox.conversation.ask(ACCOUNT, session.id, text)
            if text != "Still open.":
                sandbox.remembering.end(ACCOUNT, session.id, "all")
    return root


def told(*arguments: object, folder: Path, code: int = 0) -> dict[str, Any]:
    result = run("bank", *arguments, *DYAD, "--data-dir", folder, "--json")
    assert result.exit_code == code, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_every_ended_session_is_read_again_and_the_banks_are_counted(folder: Path) -> None:
    result = run(
        *("bank", "reingest", *DYAD, "--method", "raw_turns", "--name", "Raw"),
        *("--data-dir", folder, "--json"),
    )
    assert result.exit_code == 0, result.stderr
    assert [line for line in result.stderr.splitlines() if line.startswith("session")] == [
        "session 1 of 2",
        "session 2 of 2",
    ]
    done = json.loads(result.stdout)
    assert (done["name"], done["waiting"], done["trouble"]) == ("Raw", 0, None)
    assert [(one["status"], one["captured"]) for one in done["sessions"]] == [("done", 2)] * 2
    assert done["counts"] == [
        {"type": "fact", "scope": "user", "main": 1, "branch": 0},
        {"type": "episodic", "scope": "user", "main": 0, "branch": 2},
        {"type": "episodic", "scope": "dyad", "main": 0, "branch": 2},
    ]
    for named in (done["branch"], "Raw"):
        diff = told("diff", "--branch", named, folder=folder)
        assert (diff["branch"], diff["counts"]) == (done["branch"], done["counts"])
        kinds = [one["kind"] for one in diff["differences"]]
        assert kinds == ["only before", *["only after"] * 4]
    plain = run("bank", "diff", *DYAD, "--branch", "Raw", "--data-dir", folder).stdout
    assert "main beside branch Raw" in plain
    assert "- only before  Noor moved to Tallinn.  [fact, user]" in plain


def test_one_session_is_read_on_top_of_a_revision(folder: Path) -> None:
    with closing(fake_sandbox(folder, Script().play)) as sandbox:
        sessions = ended(sandbox)
    arguments = ("--method", "raw_turns", "--from-revision", 1, "--session", sessions[-1])
    done = told("reingest", *arguments, folder=folder)
    assert (done["revision"], [one["copy_of"] for one in done["sessions"]]) == (1, [sessions[-1]])
    plain = run("bank", "reingest", *DYAD, *arguments, "--data-dir", folder).stdout
    assert "1 sessions read by raw_turns into branch" in plain
    diff = told("diff", "--branch", done["branch"], folder=folder)
    assert [one["text"] for one in diff["differences"]] == ["It is cold here.", "I see."]


def ended(sandbox: Sandbox) -> list[str]:
    """Ids of the ended sessions, oldest first."""
    listed = sandbox.sessions.list(ACCOUNT, "Noor", WALID)
    return sorted(
        (one.session.id for one in listed if one.session.ended_at),
        key=lambda id: (
            sandbox.sessions.transcript(ACCOUNT, id).turns[0].text != "I moved to Tallinn."
        ),
    )


REFUSED = {
    "an unknown method": (
        ("reingest", "--method", "best"),
        "method must be one of typed, agent_only, raw_turns, got 'best'",
    ),
    "an unknown session": (
        ("reingest", "--method", "raw_turns", "--session", "none"),
        "There is no session 'none'",
    ),
    "a revision to come": (
        ("reingest", "--method", "raw_turns", "--from-revision", "99"),
        "The revision must be 0 to",
    ),
    "a model that is none": (
        ("reingest", "--method", "raw_turns", "--model", "none"),
        "There is no model 'none'",
    ),
    "a branch that is none": (("diff", "--branch", "none"), "--branch 'none' is no branch"),
    "a branch and a revision": (("diff", "--branch", "x", "--from", "1"), "leave --from and --to"),
}


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_read_again_is_one_sentence(
    folder: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    assert sentence in refused(run("bank", *arguments, *DYAD, "--data-dir", folder))


def test_a_talk_is_remembered_by_the_method_it_was_begun_with(folder: Path) -> None:
    how = ("--persona", WALID, "--user", "Rana", "--data-dir", folder)
    said = refused(run("chat", *how, "--method", "guess"))
    assert "method must be one of typed, agent_only, raw_turns, got 'guess'" in said
    with closing(fake_sandbox(folder, Script().play)) as sandbox:
        where = Where(user="Rana", persona=WALID, method="raw_turns")
        talk = Talk(sandbox, where, Scene("Hello.", "/end", "a", "a"))
        talk.run()
        session = sandbox.sessions.find(ACCOUNT, talk.result()["session_id"])
        held = [one.text for one in sandbox.banks.view(ACCOUNT, "Rana", WALID).live]
    assert (session.method, held) == ("raw_turns", ["Hello.", "I see."])


def test_somebody_without_ended_sessions_is_told_so(folder: Path) -> None:
    arguments = ("--persona", WALID, "--user", "Nobody", "--data-dir", folder)
    said = refused(run("bank", "reingest", "--method", "raw_turns", *arguments))
    assert "'Nobody' has no ended session" in said


def test_a_model_that_fails_half_way_leaves_its_branch_and_exits_1(folder: Path) -> None:
    answers: list[Any] = [{"entries": [FACT], "forget": []}]

    def play(body: dict[str, Any]) -> Any:
        return answers.pop(0) if answers else "no JSON"

    with StubServer(play) as server:
        models = models_file(folder, server.base_url)
        how = ("--method", "typed", "--model", "stub", "--models", models)
        done = told("reingest", *how, folder=folder, code=1)
    assert done["trouble"].startswith("Session 2 of 2 could not be read")
    assert len(done["sessions"]) == 1
    diff = told("diff", "--branch", done["branch"], folder=folder)
    assert (diff["alike"], diff["differences"]) == (1, [])
