"""`verify`: what cannot be is said, and what may be is not."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from sandbox.account import ACCOUNT
from sandbox.api import chat, end_session
from sandbox.assemble import Sandbox
from sandbox.commands.reading import read_record
from sandbox.folder import Layout
from sandbox.record import Record, sqlite_url
from sandbox.settings import Settings
from sandbox.verify import Report, verify
from tests.fakes import Script, fake_sandbox

WALID, DINA = "walid-qutami", "Dina Haddadin"


def say(sandbox: Sandbox, text: str, session: str | None = None) -> str:
    told = chat(sandbox, ACCOUNT, user=DINA, persona=WALID, text=text, session_id=session)
    return str(told["session_id"])


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an ended session (a proposal approved, one waiting) and an open one."""
    root = tmp_path_factory.mktemp("talked")
    found = {"utterance": 1, "type": "fact", "text": "Dina has moved to Salt."}
    other = {"utterance": 3, "type": "fact", "text": "Dina has a cat."}
    sandbox = fake_sandbox(root, Script(captures=[{"entries": [found, other]}]).play)
    with closing(sandbox):
        session = say(sandbox, "I have moved to Salt.")
        say(sandbox, "I have a cat.", session)
        ended = end_session(sandbox, ACCOUNT, session_id=session)
        sandbox.remembering.decide(ACCOUNT, ended["proposals"][0]["id"], "approved")
        continued = sandbox.sessions.continue_from(ACCOUNT, session)
        say(sandbox, "Where do I live?", continued.id)
        say(sandbox, "And the hall?", continued.id)
    return root


@pytest.fixture
def folder(talked: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(talked, tmp_path / "data"))


def checked(folder: Path) -> Report:
    record = Record(sqlite_url(Layout(folder).record))
    try:
        return verify(Layout(folder), record)
    finally:
        record.close()


@contextmanager
def opened(folder: Path) -> Iterator[sqlite3.Connection]:
    """The database without any of our rules."""
    with closing(sqlite3.connect(Layout(folder).record)) as conn:
        yield conn
        conn.commit()


def test_a_sound_folder_has_no_problem_and_its_rows_are_counted(folder: Path) -> None:
    report = checked(folder)
    assert report.problems == ()
    assert report.consistent
    assert (report.counts["sessions"], report.counts["turns"], report.counts["replies"]) == (
        2,
        4,
        4,
    )
    assert report.index == "There is no vector index yet; it is made at the next start."


FIRST = "(select id from sessions where ended_at is not null)"
SECOND = "(select id from sessions where ended_at is null)"
LAST_TURN = f"(select id from turns where session = {SECOND} and number = 2)"
LAST_REPLY = f"(select id from replies where turn = {LAST_TURN})"
CAPTURE = "(select id from captures)"
CAPTURED = "(select entry from operations where cause in (select id from proposals))"

DAMAGE = {
    "a gap in the turns": (
        f"update turns set number = 3 where id = {LAST_TURN}",
        "are numbered 1, 3 and not 1 to 2",
    ),
    "a gap in the replies": (
        f"update replies set ordinal = 2 where id = {LAST_REPLY}",
        "are numbered 2 and not 1 to 1",
    ),
    "an answered turn without its reply": (
        f"update turns set chosen = null where id = {LAST_TURN}",
        "is answered, and its chosen reply None is none of its own",
    ),
    "another turn's reply chosen": (
        "update turns set chosen = (select min(id) from replies where turn != turns.id) "
        f"where id = {LAST_TURN}",
        "is none of its own",
    ),
    "an open turn with a reply": (
        f"update turns set status = 'open', chosen = null where id = {LAST_TURN}",
        "is open and yet has a reply",
    ),
    "an open turn in the middle": (
        f"update turns set status = 'open' where session = {SECOND} and number = 1",
        "is open, and a later turn follows it",
    ),
    "two open turns": (
        f"update turns set status = 'open' where session = {SECOND}",
        "has 2 open turns, and one at most is possible",
    ),
    "an unknown status": (
        f"update turns set status = 'lost' where id = {LAST_TURN}",
        "has the status 'lost', which there is not",
    ),
    "a persona that cannot be read": (
        f"update sessions set persona = '{{}}' where id = {SECOND}",
        "holds a persona that cannot be read",
    ),
    "a session that continues an open one": (
        f"update sessions set continues = id where id = {SECOND}",
        "which is no ended session",
    ),
    "a session of nobody": (
        f"update sessions set user = 'nobody' where id = {SECOND}",
        "belongs to the user 'nobody', who is not there",
    ),
    "an ended session without capture": (
        f"update captures set session = 'elsewhere' where id = {CAPTURE}",
        "is ended and has no capture",
    ),
    "a capture of an open session": (
        f"update captures set session = {SECOND} where id = {CAPTURE}",
        "which is still open",
    ),
    "a capture of another dyad": (
        f"update captures set agent = 'lantern' where id = {CAPTURE}",
        "belongs to another dyad than its session",
    ),
    "an injected entry that was not recalled": (
        f"update replies set injected = '[\"made-up\"]' where id = {LAST_REPLY}",
        "was given entry made-up, which was not recalled for it",
    ),
    "an entry recalled before it was there": (
        f"update replies set revision = 1 where id = {LAST_REPLY}",
        "which was not in its bank at revision 1",
    ),
    "another dyad's entry recalled": (
        "update operations set agent = 'lantern' where agent != '' and user = 'dina haddadin'",
        "which was not in its bank at revision",
    ),
    "a revision that is to come": (
        f"update replies set revision = 9999 where id = {LAST_REPLY}",
        "was written at revision 9999",
    ),
    "a trace that cannot be read": (
        f"update replies set recalled = '[]' where id = {LAST_REPLY}",
        "cannot be read",
    ),
    "a captured entry without its utterance": (
        f"update entries set turns = '[\"made-up\"]' where id in {CAPTURED}",
        "where nothing was said under that id",
    ),
    "a capture done too early": (
        f"update captures set status = 'done' where id = {CAPTURE}",
        "is done, and 1 of its proposals are not decided",
    ),
    "a decision that was forgotten": (
        "insert into decisions select id, 'rejected', null, 'human', '', 0 from proposals "
        "where id not in (select proposal from decisions);"
        f"update captures set status = 'done' where id = {CAPTURE}",
        "is done, and 1 of its decisions are not carried out",
    ),
    "a pending capture with findings": (
        f"update captures set status = 'pending' where id = {CAPTURE}",
        "is pending and yet has 2 findings",
    ),
    "proposals before their time": (
        f"update captures set status = 'captured' where id = {CAPTURE}",
        "is captured and yet has 2 proposals",
    ),
    "an unknown capture status": (
        f"update captures set status = 'lost' where id = {CAPTURE}",
        "is lost, which there is not",
    ),
    "a gap in the ledger": (
        "update operations set number = 9999 where number = "
        "(select max(number) from operations where user = 'dina haddadin')",
        "has the counter",
    ),
    "a verdict that is none": (
        f"insert into verdicts select 'v', 1, id, 'local', '1', '{{}}', '' from replies "
        f"where id = {LAST_REPLY}",
        "a verdict on reply",
    ),
    "verdicts with a gap": (
        f"insert into verdicts select 'v', 7, id, 'local', '1', '{{}}', '' from replies "
        f"where id = {LAST_REPLY}",
        "not numbered from 1",
    ),
    "an experiment that is none": (
        f"insert into experiments select 'x', 1, id, 'causal', '{{}}', '' from replies "
        f"where id = {LAST_REPLY}",
        "an experiment on reply",
    ),
    "a correction of another reply's verdict": (
        f"insert into verdicts select 'v', 1, id, 'local', '1', '{{}}', '' from replies "
        f"where id = {LAST_REPLY}; insert into corrections select 'c', 1, id, 'v', 'miq', null, "
        f"'1', 'local', 'So.', '' from replies where id != {LAST_REPLY} limit 1",
        "changes a verdict on another reply",
    ),
    "a row that names no row": (
        "insert into replies select 'x', 'no-turn', 1, author, text, finish, strategy, model, "
        f"sampling, seed, revision, recalled, injected, messages, prompts, usage, '' from replies "
        f"where id = {LAST_REPLY}",
        "of replies names a row of turns that is not there",
    ),
    "another schema": ("update schema set version = 99", "has schema version 99"),
}


@pytest.mark.parametrize(("damage", "sentence"), DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_is_said_in_one_sentence(folder: Path, damage: str, sentence: str) -> None:
    with opened(folder) as conn:
        conn.executescript(damage)
    problems = checked(folder).problems
    assert any(sentence in problem for problem in problems), problems
    assert all("\n" not in problem for problem in problems)


def test_an_imported_entry_may_come_from_a_session_of_elsewhere(folder: Path) -> None:
    with opened(folder) as conn:
        count = "select count(*) from entries where session = 's1' and author = 'capture'"
        assert conn.execute(count).fetchone()[0] > 0
    assert checked(folder).problems == ()


def test_a_decision_that_a_crash_kept_from_being_applied_is_no_problem(folder: Path) -> None:
    with opened(folder) as conn:
        conn.execute(
            "insert into decisions select id, 'approved', null, 'human', '', 0 from proposals "
            "where id not in (select proposal from decisions)"
        )
    assert checked(folder).problems == ()


def test_a_record_that_a_cut_off_first_start_left_empty_is_no_problem(tmp_path: Path) -> None:
    with opened(tmp_path):
        pass
    report = checked(tmp_path)
    assert report.consistent
    assert report.counts == {}
    assert report.index == "Nothing was written in the record yet."


def test_a_damaged_database_is_said(folder: Path) -> None:
    path = Layout(folder).record
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :] = b"\xa5" * (len(data) - len(data) // 2)
    path.write_bytes(data)
    problems = checked(folder).problems
    assert problems
    assert all("record is damaged" in problem for problem in problems)


def test_verifying_changes_nothing(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    settings = Settings(data_dir=folder)
    assert read_record(settings, lambda record: verify(Layout(folder), record)).consistent
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_live_index_is_compared_with_the_ledger(folder: Path) -> None:
    sandbox = fake_sandbox(folder, Script().play)
    with closing(sandbox):
        sandbox.index.use(sandbox.embedder.get())
        assert sandbox.index.rebuild().kind == "ready"
        assert checked(folder).index == "The vector index agrees with the ledger."
    [generation] = Layout(folder).index.iterdir()
    before = {path: path.read_bytes() for path in generation.rglob("*") if path.is_file()}
    assert checked(folder).consistent
    assert {path: path.read_bytes() for path in generation.rglob("*") if path.is_file()} == before
    with closing(sqlite3.connect(generation / "chroma.sqlite3")) as conn:
        conn.execute("delete from embeddings where id = (select min(id) from embeddings)")
        conn.commit()
    [problem] = checked(folder).problems
    assert problem.startswith("The vector index differs from the ledger (")
    shutil.rmtree(generation)
    [problem] = checked(folder).problems
    assert problem.startswith("The vector index is missing")
