"""`bank forget` from the command line: nothing without --yes, one thing at a time."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sandbox.account import ACCOUNT
from sandbox.commands import app
from tests.fakes import Script, fake_sandbox

DYAD = ("--persona", "walid-qutami", "--user", "Dina Haddadin")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with closing(fake_sandbox(tmp_path / "data", Script().play)):
        pass
    return tmp_path / "data"


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["bank", *arguments, *DYAD, "--data-dir", str(folder)])
    return done.exit_code, done.stdout + done.stderr


def shown(folder: Path) -> list[dict[str, str]]:
    done = CliRunner().invoke(app, ["bank", "show", "--json", *DYAD, "--data-dir", str(folder)])
    entries: list[dict[str, str]] = json.loads(done.stdout)["entries"]
    return entries


def test_an_entry_is_forgotten_only_when_it_is_meant(folder: Path) -> None:
    entry = shown(folder)[0]
    code, said = run(folder, "forget", entry["id"])
    assert code == 1
    assert "add --yes" in said
    assert len(shown(folder)) == 30
    code, said = run(folder, "forget", entry["id"], "--yes", "--json")
    assert code == 0
    assert json.loads(said)["counts"]["entries"] == 1
    assert entry["id"] not in [one["id"] for one in shown(folder)]
    assert entry["text"].encode() not in (folder / "record.sqlite").read_bytes()


def test_a_person_is_forgotten(folder: Path) -> None:
    code, said = run(folder, "forget", "--everything", "--yes")
    assert (code, shown(folder)) == (0, [])
    assert "Backups" in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "name one thing"),
        (("x", "--everything"), "name one thing"),
        (("--session", "s", "--turns"), "--turns belongs to an ENTRY"),
        (("none", "--yes"), "no such entry"),
        (("--session", "none", "--yes"), "There is no session"),
    ],
)
def test_what_cannot_be_forgotten_is_one_sentence(
    folder: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    code, said = run(folder, "forget", *arguments)
    assert code == 1
    assert sentence in said
    assert len(shown(folder)) == 30


def test_the_sample_bank_of_a_forgotten_person_comes_back_with_a_new_start(folder: Path) -> None:
    run(folder, "forget", "--everything", "--yes")
    with closing(fake_sandbox(folder, Script().play)) as again:
        assert len(again.banks.view(ACCOUNT, "Dina Haddadin", "walid-qutami").live) == 30
