"""What the life machine found once, each as a law of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_banks.entries import Dyad, Operation, Scope
from memory_banks.verify import ledger_problems
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.edits import Edit
from sandbox.inputs import BadInput
from sandbox.lifecycle.branches import Branch, Branches
from tests.fakes import NOW, Script, fake_sandbox

WALID, LANTERN = "walid-qutami", "lantern"
NOOR = Dyad(ACCOUNT, "noor", WALID)
TEA, MINT = Edit("fact", "Noor drinks tea."), Edit("fact", "Noor drinks mint tea.")
FILE = b"""
{"id": "w1", "side": "user", "type": "fact", "text": "Noor drinks tea.", "deleted": {}}
{"id": "w2", "side": "dyad", "type": "agent_method", "text": "Offer mint.", "replaces": ["w1"]}
"""


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    made = fake_sandbox(tmp_path, Script().play)
    for agent in (WALID, LANTERN):
        made.sessions.open(ACCOUNT, "Noor", agent)
    yield made
    made.close()


def texts(sandbox: Sandbox, user: str = "noor", agent: str = WALID) -> list[str]:
    return [one.text for one in sandbox.banks.view(ACCOUNT, user, agent).live]


def problems(sandbox: Sandbox) -> list[str]:
    with sandbox.record.read() as conn:
        return ledger_problems(conn)


def changed_in_a_branch(sandbox: Sandbox) -> tuple[Branch, list[Operation]]:
    """Tea on main, made mint tea in a branch: the branch and its own operations."""
    sandbox.editing.add(NOOR, TEA, draft="a")
    branch = sandbox.branches.make(ACCOUNT, NOOR, 1)
    [held] = sandbox.banks.view(ACCOUNT, branch.user, WALID).live
    sandbox.editing.change(Dyad(ACCOUNT, branch.user, WALID), held.id, MINT, draft="b")
    return branch, sandbox.branches.operations(ACCOUNT, branch.id, WALID)


def test_what_was_forgotten_is_not_restored(sandbox: Sandbox) -> None:
    [added] = sandbox.editing.add(NOOR, TEA, draft="a")
    sandbox.forgetting.entry(ACCOUNT, NOOR, added.entry_id)
    with pytest.raises(BadInput, match="forgotten"):
        sandbox.editing.restore(NOOR, added.entry_id, draft="b")
    assert texts(sandbox) == []


def test_what_was_forgotten_is_not_merged(sandbox: Sandbox) -> None:
    branch = sandbox.branches.make(ACCOUNT, NOOR, 0)
    there = Dyad(ACCOUNT, branch.user, WALID)
    [added] = sandbox.editing.add(there, TEA, draft="a")
    sandbox.forgetting.entry(ACCOUNT, there, added.entry_id)
    with pytest.raises(BadInput, match=r"Nothing was merged: .* forgotten"):
        sandbox.branches.merge(ACCOUNT, branch.id, [added.id])
    assert texts(sandbox) == []


def test_a_merge_never_leaves_an_entry_beside_what_it_replaces(sandbox: Sandbox) -> None:
    branch, [deleted, added] = changed_in_a_branch(sandbox)
    with pytest.raises(BadInput, match="takes the place of 'Noor drinks tea.'"):
        sandbox.branches.merge(ACCOUNT, branch.id, [added.id])
    assert texts(sandbox) == ["Noor drinks tea."]
    sandbox.branches.merge(ACCOUNT, branch.id, [deleted.id, added.id])
    assert texts(sandbox) == ["Noor drinks mint tea."]
    assert problems(sandbox) == []


def test_a_merged_entry_replaces_nothing_that_main_never_had(sandbox: Sandbox) -> None:
    branch = sandbox.branches.make(ACCOUNT, NOOR, 0)
    there = Dyad(ACCOUNT, branch.user, WALID)
    [tea] = sandbox.editing.add(there, TEA, draft="a")
    _deleted, added = sandbox.editing.change(there, tea.entry_id, MINT, draft="b")
    [merged] = sandbox.branches.merge(ACCOUNT, branch.id, [added.id])
    assert merged.replaces == ()
    assert problems(sandbox) == []


def test_what_was_merged_before_is_no_hindrance_once_it_is_forgotten(sandbox: Sandbox) -> None:
    branch, own = changed_in_a_branch(sandbox)
    done = sandbox.branches.merge(ACCOUNT, branch.id, [one.id for one in own])
    sandbox.forgetting.entry(ACCOUNT, NOOR, done[1].entry_id)
    assert sandbox.branches.merge(ACCOUNT, branch.id, [one.id for one in own]) == []


def test_a_new_branch_is_indexed_for_every_agent(sandbox: Sandbox) -> None:
    for agent in (WALID, LANTERN):
        rule = Edit("agent_method", f"{agent} is brief.")
        sandbox.editing.add(Dyad(ACCOUNT, "noor", agent), rule, draft=agent)
    told: list[Scope] = []
    branches = Branches(sandbox.record, lambda: NOW, lambda: "b1", told.extend)
    branch = branches.make(ACCOUNT, NOOR, 2)
    assert {one.agent for one in told if one.user == branch.user} == {WALID, LANTERN}


def test_a_file_deletes_again_what_was_restored_since(sandbox: Sandbox) -> None:
    sandbox.banks.import_file(ACCOUNT, "noor", WALID, FILE, "tea.jsonl")
    [tea] = [one for one in sandbox.banks.view(ACCOUNT, "noor", WALID).states if not one.live]
    sandbox.editing.restore(NOOR, tea.entry.id, draft="a")
    sandbox.banks.import_file(ACCOUNT, "noor", LANTERN, FILE, "tea.jsonl")
    assert texts(sandbox, agent=LANTERN) == ["Offer mint."]
    assert problems(sandbox) == []


def test_a_branch_of_before_a_forgetting_does_not_bring_it_back(sandbox: Sandbox) -> None:
    [tea] = sandbox.editing.add(NOOR, TEA, draft="a")
    sandbox.forgetting.entry(ACCOUNT, NOOR, tea.entry_id)
    branch = sandbox.branches.make(ACCOUNT, NOOR, 1)
    assert texts(sandbox, branch.user) == []
    assert sandbox.branches.operations(ACCOUNT, branch.id, WALID) == []
    assert sandbox.branches.merge(ACCOUNT, branch.id, []) == []
    assert problems(sandbox) == []


def test_a_file_of_before_a_forgetting_does_not_bring_it_back(sandbox: Sandbox) -> None:
    [tea] = sandbox.editing.add(NOOR, TEA, draft="a")
    sandbox.forgetting.entry(ACCOUNT, NOOR, tea.entry_id)
    exported = sandbox.banks.export(ACCOUNT, "noor", WALID, 1)
    sandbox.banks.import_file(ACCOUNT, "Basma", WALID, exported, "noor.jsonl")
    assert texts(sandbox, "basma") == []
    assert sandbox.banks.export(ACCOUNT, "basma", WALID) == exported


def test_what_is_forgotten_is_no_change_of_a_branch_that_could_be_merged(sandbox: Sandbox) -> None:
    branch, own = changed_in_a_branch(sandbox)
    [mint] = sandbox.banks.view(ACCOUNT, branch.user, WALID).live
    there = Dyad(ACCOUNT, branch.user, WALID)
    sandbox.editing.add(there, Edit("fact", "Noor has a kiln."), draft="c")
    sandbox.forgetting.entry(ACCOUNT, there, mint.id)
    deleted, added, kiln = sandbox.branches.operations(ACCOUNT, branch.id, WALID)
    assert [deleted.id, added.id] == [one.id for one in own]
    sandbox.branches.merge(ACCOUNT, branch.id, [deleted.id, kiln.id])
    assert texts(sandbox) == ["Noor has a kiln."]
