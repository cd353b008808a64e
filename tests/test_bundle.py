"""A session as a bundle: taken out of one data folder, put into another, the same to the byte."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import func, select
from typer.testing import CliRunner, Result

from memory_banks.entries import canonical
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.commands import app
from sandbox.edits import Edit
from sandbox.folder import Layout
from sandbox.formats import FormatError, read_collection
from sandbox.formats.bundle_export import BUNDLE_USER, exported
from sandbox.formats.bundle_import import imported
from sandbox.formats.bundle_names import marker_of, named, resolved
from sandbox.formats.bundle_schema import schema
from sandbox.tables import sessions
from sandbox.transcripts import Session, UnknownSession, find_session
from sandbox.verify import verify
from tests.fakes import LastWord, Script, fake_sandbox
from tests.mangling import changed_once
from tests.postgres import Postgres
from tests.schemas import faults, packaged_schema

WALID, NOOR = "walid-qutami", "Noor"
AT = "2026-03-01T10:00:00+00:00"


def made(folder: Path) -> Sandbox:
    return fake_sandbox(folder, Script().play, load_judge=LastWord)


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with closing(made(tmp_path / "one")) as one:
        yield one
        assert verify(Layout(tmp_path / "one"), one.record).problems == ()


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Sandbox]:
    with closing(made(tmp_path / "two")) as two:
        yield two
        assert verify(Layout(tmp_path / "two"), two.record).problems == ()


@pytest.fixture
def session(sandbox: Sandbox) -> Session:
    """Three turns, siblings, an entry by hand behind each, a verdict."""
    opened = sandbox.sessions.open(ACCOUNT, NOOR, WALID)
    for number, text in enumerate(["@0@ زيتون 🫖 “q”", "word " * 2000, "Turn 3."], 1):
        sandbox.conversation.ask(ACCOUNT, opened.id, text)
        edit = Edit("episodic", f"Noor said turn {number}.")
        sandbox.banks.remember(ACCOUNT, f"{opened.id}-{number}", edit, draft=f"d{number}")
    sandbox.conversation.write_reply(ACCOUNT, f"{opened.id}-3", "By hand.")
    reply = f"{opened.id}-3.1"
    found = sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    [kept] = [one.kept for one in found.judged]
    sandbox.evaluating.correct(
        ACCOUNT, reply, "miq", "4", verdict=kept.id, reason="Warmer than that."
    )
    return opened


def out(sandbox: Sandbox, session: str) -> bytes:
    with sandbox.record.read() as conn:
        return exported(conn, ACCOUNT, session)


def put(sandbox: Sandbox, data: bytes) -> str:
    with sandbox.record.write("import") as conn:
        return imported(conn, ACCOUNT, data, "noor.json", AT)


def count(sandbox: Sandbox) -> int:
    with sandbox.record.read() as conn:
        return int(conn.execute(select(func.count()).select_from(sessions)).scalar_one())


def changed(data: bytes, **changes: Any) -> bytes:
    return (canonical({**json.loads(data), **changes}) + "\n").encode()


def test_export_import_export_is_the_same_to_the_byte_and_twice_is_once(
    sandbox: Sandbox, other: Sandbox, session: Session
) -> None:
    data = out(sandbox, session.id)
    before = count(other)
    there = put(other, data)
    assert there != session.id
    assert out(other, there) == data
    assert (put(other, data), count(other)) == (there, before + 1)
    assert put(sandbox, data) == there
    assert out(sandbox, there) == data
    assert out(sandbox, session.id) == data


def test_talk_siblings_and_bank_are_there(
    sandbox: Sandbox, other: Sandbox, session: Session
) -> None:
    there = put(other, out(sandbox, session.id))
    ours = sandbox.sessions.transcript(ACCOUNT, session.id).turns
    theirs = other.sessions.transcript(ACCOUNT, there).turns
    assert [one.text for one in theirs] == [one.text for one in ours]
    assert [[r.text for r in one.replies] for one in theirs] == [
        [r.text for r in one.replies] for one in ours
    ]
    with other.record.read() as conn:
        user = find_session(conn, ACCOUNT, there).user
    assert user.startswith(BUNDLE_USER)
    live = [one.text for one in other.banks.view(ACCOUNT, user, WALID).live]
    assert live == [f"Noor said turn {number}." for number in (1, 2, 3)]
    named_so = [one.name for one in other.banks.users(ACCOUNT) if one.id == user]
    assert named_so == [f"Noor (imported {user.removeprefix(BUNDLE_USER)[:4]})"]


def test_an_ended_session_keeps_what_was_captured_and_decided(
    tmp_path: Path, other: Sandbox
) -> None:
    found = {"utterance": 1, "type": "fact", "text": "Noor has moved to Salt."}
    more = {"utterance": 3, "type": "fact", "text": "Noor has a cat."}
    script = Script(captures=[{"entries": [found, more]}])
    with closing(fake_sandbox(tmp_path / "one", script.play)) as sandbox:
        opened = sandbox.sessions.open(ACCOUNT, NOOR, WALID)
        for text in ("I have moved to Salt.", "I have a cat."):
            sandbox.conversation.ask(ACCOUNT, opened.id, text)
        ended = sandbox.remembering.end(ACCOUNT, opened.id)
        first, second = (proposal.id for proposal in ended.undecided)
        sandbox.remembering.decide(ACCOUNT, first, "approved")
        for decided in (1, 2):
            data = out(sandbox, opened.id)
            [held] = json.loads(data)["captures"]
            assert (len(held["proposals"]), len(held["decisions"])) == (2, decided)
            assert out(other, put(other, data)) == data
            if decided == 1:
                sandbox.remembering.decide(ACCOUNT, second, "rejected")


def test_a_branchs_session_says_where_it_branched(
    sandbox: Sandbox, other: Sandbox, session: Session
) -> None:
    _branch, forked = sandbox.branches.fork(ACCOUNT, session.id, 2)
    data = out(sandbox, forked.id)
    assert json.loads(data)["branch"] == {"revision": 1}
    assert out(other, put(other, data)) == data


def test_an_instances_session_brings_its_collection(sandbox: Sandbox, other: Sandbox) -> None:
    shipped = sandbox.instances.shipped
    opened = sandbox.instances.open(ACCOUNT, shipped.sha256, shipped.instances[0].id)
    sandbox.conversation.ask(ACCOUNT, opened.id, opened.box or "")
    data = out(sandbox, opened.id)
    there = put(other, data)
    assert out(other, there) == data
    with other.record.read() as conn:
        found = find_session(conn, ACCOUNT, there)
    instance = other.instances.of(found)
    assert instance is not None
    assert instance.id == shipped.instances[0].id


def test_a_bundle_is_read_as_an_episode(sandbox: Sandbox, session: Session) -> None:
    found = read_collection(out(sandbox, session.id), "noor.json")
    (episode,) = found.episodes
    assert (episode.persona.id, episode.human.name) == (WALID, NOOR)
    assert [turn.role for turn in episode.turns()] == ["user", "assistant"] * 3
    assert [turn.text for turn in episode.turns()][-1] == "By hand."


def test_a_file_that_was_changed_is_refused_and_nothing_is_kept(
    sandbox: Sandbox, other: Sandbox, session: Session
) -> None:
    data = out(sandbox, session.id)
    told = json.loads(data)
    before = count(other)
    broken = [
        data + b" ",
        changed(data, session={}),
        changed(data, operations=told["operations"][1:]),
        changed(data, entries=[]),
        changed(data, marker="@7@"),
        changed(data, turns=[*told["turns"], told["turns"][0]]),
        changed(data, version=2),
        changed(data, more=1),
        changed(data, collection={"name": "x", "sha256": "0", "data": "!"}),
        data[:-40],
        b"[" * 100_000,
    ]
    for one in broken:
        with pytest.raises(FormatError) as caught:
            put(other, one)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 400
    assert count(other) == before


def test_a_session_that_there_is_not_cannot_be_exported(sandbox: Sandbox) -> None:
    with pytest.raises(UnknownSession):
        out(sandbox, "nobody")


def test_names_stand_for_ids_wherever_they_are() -> None:
    text = '{"a":"@0@ abcdefabcdef-1.2","b":"0123456789abcdef"}'
    marker = marker_of(text)
    assert marker == "@1@"
    ids = {"abcdefabcdef": "s", "0123456789abcdef": "e1"}
    short = named(text, marker, ids)
    assert short == '{"a":"@0@ @1@s@-1.2","b":"@1@e1@"}'
    back = {name: one for one, name in ids.items()}
    assert resolved(short, marker, back.get) == text
    with pytest.raises(ValueError, match="too short"):
        named(text, marker, {"abc": "s"})


def test_the_commands_move_a_session_from_one_folder_to_another(
    tmp_path: Path, session: Session
) -> None:
    def run(*arguments: object) -> Result:
        return CliRunner().invoke(app, ["session", *map(str, arguments)])

    path, again = tmp_path / "noor.json", tmp_path / "again.json"
    one, three = ["--data-dir", tmp_path / "one"], ["--data-dir", tmp_path / "three"]
    assert run("export", session.id, "--out", path, *one).exit_code == 0
    told = run("import", path, *three, "--json")
    assert told.exit_code == 0, told.output
    there = json.loads(told.stdout)["session"]
    assert run("export", there, "--out", again, *three).exit_code == 0
    assert again.read_bytes() == path.read_bytes()
    path.write_bytes(b"{}")
    refused = run("import", path, *three)
    assert refused.exit_code == 1
    assert "field 'format': must be given" in refused.stderr
    assert "There is no session 'nobody'" in run("export", "nobody", "--out", again, *one).stderr
    assert CliRunner().invoke(app, ["verify", *map(str, three)]).exit_code == 0


def test_export_import_export_is_the_same_to_the_byte_on_postgres_too(
    sandbox: Sandbox, other: Sandbox, session: Session, tmp_path: Path, postgres: Postgres
) -> None:
    data = out(sandbox, session.id)
    server = fake_sandbox(tmp_path / "server", Script().play, url=postgres.database())
    with closing(server) as there:
        moved = put(there, data)
        assert out(there, moved) == data
        assert put(other, out(there, moved)) == moved
        assert verify(Layout(tmp_path / "server"), there.record).problems == ()
    assert out(other, moved) == data


@pytest.mark.parametrize(
    ("path", "odd", "sentence"),
    [
        ("turns.0.row.number", "x", "must be a whole number, got 'x'"),
        ("turns.0.row.number", True, "must be a whole number, got True"),
        ("turns.0.row.status", "x", "must be one of open, answered, withdrawn, got 'x'"),
        ("turns.0.row.at", "noon", "must be a date and time with an offset, got 'noon'"),
        ("turns.0.row.id", "<b>", "must be '@1@s@-1', got '<b>'"),
        ("turns.0.row.chosen", "x", "must be one of its replies, got 'x'"),
        ("turns.0.replies.0.row.id", "../../x", "must be '@1@s@-1.1', got '../../x'"),
        ("turns.0.replies.0.row.author", "x", "must be one of model, human, file, got 'x'"),
        ("turns.0.replies.0.row.seed", 2**40, "must be a whole number, got 1099511627776"),
        ("session.clock", "x", "must be a date and time with an offset, got 'x'"),
        ("session.created_at", None, "must be a date and time with an offset, got nothing"),
        ("entries.0.type", "wish", "must be one of user_profile, fact, agent_identity"),
        ("entries.0.turns", "[" * 5000, "must be a JSON list of texts, got '[[["),
        ("entries.0.anchor", "in May", "must be an ISO date or date-time, got 'in May'"),
        ("entries.0.agent", "../x", "must be a character's id, got '../x'"),
        ("operations.0.replaces", "[1]", "must be a JSON list of texts, got '[1]'"),
        ("session.prelude", "{}", "must be a JSON list of objects, got '{}'"),
        ("turns.0.replies.0.row.usage", "[]", "must be a JSON object, got '[]'"),
        ("entries.0.text", 3, "must be text, got 3"),
        ("operations.0.kind", "x", "must be one of add, delete, got 'x'"),
    ],
)
def test_a_row_that_no_session_has_is_refused_with_its_place(
    sandbox: Sandbox, other: Sandbox, session: Session, path: str, odd: Any, sentence: str
) -> None:
    told = json.loads(out(sandbox, session.id))
    inside = told
    *steps, last = path.split(".")
    for step in steps:
        inside = inside[int(step)] if isinstance(inside, list) else inside[step]
    inside[last] = odd
    with pytest.raises(FormatError) as caught:
        put(other, (canonical(told) + "\n").encode())
    assert str(caught.value).startswith(f"noor.json, field '{path}': {sentence}")
    assert count(other) == 0


def test_whatever_becomes_of_a_bundle_it_is_imported_whole_or_not_at_all(
    sandbox: Sandbox, other: Sandbox, session: Session
) -> None:
    """Whatever is taken comes out as it went in. The seed is fixed."""
    sound = json.loads(out(sandbox, session.id))
    draw, taken = Random(7), 0
    for _ in range(60):
        data = (canonical(changed_once(sound, draw)) + "\n").encode("utf-8", "surrogatepass")
        before = count(other)
        told = ""
        try:
            moved = put(other, data)
        except FormatError as error:
            told = str(error)
        assert len(told) < 400
        assert told.isprintable()
        if told:
            assert count(other) == before
        else:
            taken += 1
            assert out(other, moved) == data
    assert 0 < taken < 50


def test_the_packaged_schema_is_in_step_and_holds_for_what_is_exported(
    sandbox: Sandbox, session: Session
) -> None:
    assert packaged_schema("session") == schema()
    told = json.loads(out(sandbox, session.id))
    assert faults("session", told) == []
    told["turns"][0]["row"]["status"] = "x"
    told["entries"][0]["type"] = None
    del told["session"]["clock"]
    assert sorted(faults("session", told)) == ["entries.0.type", "entries.0.type", "session"] + [
        "turns.0.row.status"
    ]
