"""A recall preview finds what a recall at that revision would, and leaves no trace."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_banks.entries import Dyad
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.edits import Edit
from sandbox.inputs import BadInput
from tests.fakes import Script, fake_sandbox

NOOR = Dyad(ACCOUNT, "noor", "walid-qutami")


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    """A bank in which Tallinn (revision 1) was replaced by Riga (revisions 2 and 3)."""
    made = fake_sandbox(tmp_path, Script().play)
    made.sessions.open(ACCOUNT, "Noor", NOOR.agent)
    tallinn = made.editing.add(NOOR, Edit("fact", "Noor lives in Tallinn."), draft="a")
    riga = Edit("fact", "Noor lives in Riga.")
    made.editing.change(NOOR, tallinn[0].entry_id, riga, draft="b")
    yield made
    made.close()


def found(sandbox: Sandbox, **options: object) -> list[tuple[str, bool]]:
    previewed = sandbox.previews.recall(ACCOUNT, NOOR, "Where is Tallinn?", **options)  # type: ignore[arg-type]
    return [(one.entry.text, one.live) for one in previewed]


def test_superseded_entries_are_left_out_unless_they_are_asked_for(sandbox: Sandbox) -> None:
    assert found(sandbox) == [("Noor lives in Riga.", True)]
    assert found(sandbox, history=True) == [
        ("Noor lives in Tallinn.", False),
        ("Noor lives in Riga.", True),
    ]


def test_an_earlier_revision_finds_what_was_live_then(sandbox: Sandbox) -> None:
    assert found(sandbox, revision=1) == [("Noor lives in Tallinn.", True)]
    assert found(sandbox, revision=0) == []
    assert found(sandbox, revision=1, history=True) == [("Noor lives in Tallinn.", True)]


def test_it_finds_what_a_reply_recalls_with_the_same_similarity(sandbox: Sandbox) -> None:
    session = sandbox.sessions.open(ACCOUNT, "Noor", NOOR.agent)
    reply = sandbox.conversation.ask(ACCOUNT, session.id, "Where is Tallinn?")
    previewed = sandbox.previews.recall(ACCOUNT, NOOR, "Where is Tallinn?")
    assert [(one.entry, one.scores["dense"]) for one in reply.recalled] == [
        (one.entry.id, one.similarity) for one in previewed
    ]


@pytest.mark.parametrize("options", [{"revision": 4}, {"revision": -1}, {"n": 0}])
def test_what_cannot_be_asked_is_one_sentence(sandbox: Sandbox, options: dict[str, int]) -> None:
    with pytest.raises(BadInput):
        found(sandbox, **options)


def test_the_number_asked_for_is_the_most_that_is_found(sandbox: Sandbox) -> None:
    assert len(found(sandbox, history=True, n=1)) == 1
