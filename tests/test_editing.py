"""A human changes a bank: at once, with the reason, once a click, and back again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_banks.entries import Dyad
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.edits import Edit
from sandbox.inputs import BadInput
from tests.fakes import Script, fake_sandbox

WALID = "walid-qutami"
NOOR = Dyad(ACCOUNT, "noor", WALID)
TALLINN = Edit("fact", "Noor lives in Tallinn.", "2026-03-26")


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    made = fake_sandbox(tmp_path, Script().play)
    made.sessions.open(ACCOUNT, "Noor", WALID)
    yield made
    made.close()


def live(sandbox: Sandbox, persona: str = WALID) -> list[str]:
    return [entry.text for entry in sandbox.banks.view(ACCOUNT, "Noor", persona).live]


def test_an_added_entry_counts_at_once_and_the_next_recall_sees_it(sandbox: Sandbox) -> None:
    sandbox.editing.add(NOOR, TALLINN, draft="a", reason="She told me.")
    session = sandbox.sessions.open(ACCOUNT, "Noor", WALID)
    reply = sandbox.conversation.ask(ACCOUNT, session.id, "Where in Tallinn?")
    (state,) = sandbox.banks.view(ACCOUNT, "Noor", WALID).states
    assert (state.reason, reply.injected) == ("She told me.", (state.entry.id,))


def test_the_same_click_twice_is_one_change(sandbox: Sandbox) -> None:
    first = sandbox.editing.add(NOOR, TALLINN, draft="a")
    assert sandbox.editing.add(NOOR, TALLINN, draft="a") == first
    entry = first[0].entry_id
    riga = Edit("fact", "Noor lives in Riga.")
    changed = sandbox.editing.change(NOOR, entry, riga, draft="b")
    assert sandbox.editing.change(NOOR, entry, riga, draft="b") == changed
    assert live(sandbox) == ["Noor lives in Riga."]


def test_a_change_is_a_delete_and_an_add_that_names_it(sandbox: Sandbox) -> None:
    entry = sandbox.editing.add(NOOR, TALLINN, draft="a")[0].entry_id
    riga = Edit("fact", "Noor lives in Riga.")
    operations = sandbox.editing.change(NOOR, entry, riga, draft="b", reason="She moved.")
    assert [operation.kind for operation in operations] == ["delete", "add"]
    assert operations[1].replaces == (entry,)
    assert {operation.reason for operation in operations} == {"She moved."}


def test_a_change_of_nothing_writes_nothing(sandbox: Sandbox) -> None:
    entry = sandbox.editing.add(NOOR, TALLINN, draft="a")[0].entry_id
    assert sandbox.editing.change(NOOR, entry, TALLINN, draft="b") == []


def test_what_is_deleted_can_be_restored(sandbox: Sandbox) -> None:
    entry = sandbox.editing.add(NOOR, TALLINN, draft="a")[0].entry_id
    sandbox.editing.delete(NOOR, entry, draft="b", reason="Wrong.")
    assert live(sandbox) == []
    sandbox.editing.restore(NOOR, entry, draft="c")
    assert live(sandbox) == [TALLINN.text]


def test_an_entry_that_changed_meanwhile_is_not_changed_again(sandbox: Sandbox) -> None:
    entry = sandbox.editing.add(NOOR, TALLINN, draft="a")[0].entry_id
    sandbox.editing.change(NOOR, entry, Edit("fact", "Noor lives in Riga."), draft="b")
    with pytest.raises(BadInput, match="meanwhile"):
        sandbox.editing.change(NOOR, entry, Edit("fact", "Noor lives in Oslo."), draft="c")
    assert live(sandbox) == ["Noor lives in Riga."]


def test_a_dyad_touches_no_entry_of_another(sandbox: Sandbox) -> None:
    rule = Edit("agent_method", "Walid answers Noor in metric.")
    entry = sandbox.editing.add(NOOR, rule, draft="a")[0].entry_id
    for other in (Dyad(ACCOUNT, "noor", "skerry"), Dyad("other", "noor", WALID)):
        with pytest.raises(BadInput):
            sandbox.editing.delete(other, entry, draft="b")
    assert live(sandbox) == [rule.text]
    assert live(sandbox, "skerry") == []


def test_an_episode_goes_to_the_side_that_is_named(sandbox: Sandbox) -> None:
    told = Edit("episodic", "Walid told Noor of his band.")
    (operation,) = sandbox.editing.add(NOOR, told, draft="a", side="dyad")
    assert operation.scope == NOOR.scope("dyad")


def test_nobody_unknown_has_a_bank_to_change(sandbox: Sandbox) -> None:
    with pytest.raises(BadInput, match="start a session"):
        sandbox.editing.add(Dyad(ACCOUNT, "nobody", WALID), TALLINN, draft="a")
