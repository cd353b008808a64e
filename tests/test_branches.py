"""Branches of a running sandbox: sessions and banks fork together and stay apart."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.edits import Edit
from sandbox.folder import Layout
from sandbox.inputs import BadInput
from sandbox.lifecycle.branches import Branch
from sandbox.transcripts import Session
from sandbox.verify import verify
from tests.fakes import LastWord, Script, fake_sandbox

WALID, LANTERN, NOOR = "walid-qutami", "lantern", "Noor"


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with closing(fake_sandbox(tmp_path, Script().play, load_judge=LastWord)) as made:
        yield made
        assert verify(Layout(tmp_path), made.record).problems == ()


@pytest.fixture
def session(sandbox: Sandbox) -> Session:
    """Three turns with Walid; an entry is added by hand behind each."""
    opened = sandbox.sessions.open(ACCOUNT, NOOR, WALID)
    for number in (1, 2, 3):
        sandbox.conversation.ask(ACCOUNT, opened.id, f"Turn {number}.")
        edit = Edit("episodic", f"Noor said turn {number}.")
        sandbox.banks.remember(ACCOUNT, f"{opened.id}-{number}", edit, draft=f"d{number}")
    return opened


def texts(sandbox: Sandbox, user: str, persona: str = WALID) -> list[str]:
    return [one.text for one in sandbox.banks.view(ACCOUNT, user, persona).live]


def talk(sandbox: Sandbox, session: Session) -> list[tuple[str, str | None]]:
    turns = sandbox.sessions.transcript(ACCOUNT, session.id).turns
    return [(one.text, one.reply.text if one.reply else None) for one in turns]


def fork(sandbox: Sandbox, session: Session, turn: int | None = None) -> tuple[Branch, Session]:
    return sandbox.branches.fork(ACCOUNT, session.id, turn)


def test_a_fork_holds_the_talk_up_to_its_turn_and_the_bank_that_turn_saw(
    sandbox: Sandbox, session: Session
) -> None:
    branch, forked = fork(sandbox, session, 2)
    assert talk(sandbox, forked) == talk(sandbox, session)[:2]
    assert texts(sandbox, branch.user) == ["Noor said turn 1."]
    assert (forked.speaker, forked.agent, forked.clock) == (NOOR, WALID, session.clock)
    assert branch.name == "Noor, after turn 2"
    assert (branch.session, branch.turn, branch.origin) == (session.id, 2, "noor")


def test_a_forks_traces_name_its_own_entries(sandbox: Sandbox, session: Session) -> None:
    _branch, forked = fork(sandbox, session)
    turn = sandbox.sessions.transcript(ACCOUNT, forked.id).turns[-1]
    reply = sandbox.conversation.reply(ACCOUNT, turn.chosen or "")
    held = sandbox.banks.entries(ACCOUNT, reply.injected)
    assert sorted(one.text for one in held.values()) == ["Noor said turn 1.", "Noor said turn 2."]
    assert {one.scope.user for one in held.values()} == {forked.user}
    again = sandbox.evaluating.evaluate(ACCOUNT, reply.line.id, "local")
    assert {item.id for item in again.reply.case.pool} == set(reply.injected)


def test_main_and_branch_go_their_own_ways(sandbox: Sandbox, session: Session) -> None:
    branch, forked = fork(sandbox, session, 1)
    sandbox.conversation.ask(ACCOUNT, forked.id, "In the branch.")
    edit = Edit("fact", "Noor lives in Tartu.")
    sandbox.banks.remember(ACCOUNT, f"{forked.id}-2", edit, draft="b")
    sandbox.conversation.ask(ACCOUNT, session.id, "On main.")
    assert talk(sandbox, forked)[-1][0] == "In the branch."
    assert talk(sandbox, session)[-1][0] == "On main."
    assert "Noor lives in Tartu." not in texts(sandbox, NOOR)
    assert texts(sandbox, branch.user) == ["Noor lives in Tartu."]
    other = sandbox.sessions.open(ACCOUNT, branch.user, LANTERN, speaker=NOOR)
    reply = sandbox.conversation.ask(ACCOUNT, other.id, "Where do I live?")
    held = sandbox.banks.entries(ACCOUNT, reply.injected)
    assert [one.text for one in held.values()] == ["Noor lives in Tartu."]


def test_an_ended_session_forks_into_an_open_one(sandbox: Sandbox, session: Session) -> None:
    sandbox.remembering.end(ACCOUNT, session.id)
    _branch, forked = fork(sandbox, session, 3)
    assert forked.ended_at is None
    sandbox.conversation.ask(ACCOUNT, forked.id, "Once more.")


def test_a_branch_of_a_branch_is_listed_under_it(sandbox: Sandbox, session: Session) -> None:
    first, forked = fork(sandbox, session, 2)
    second, _forked = fork(sandbox, forked, 1)
    assert sandbox.branches.all(ACCOUNT, "noor") == [first]
    assert sandbox.branches.all(ACCOUNT, first.user) == [second]
    assert sandbox.branches.of(ACCOUNT, second.user) == second
    assert sandbox.branches.of(ACCOUNT, "noor") is None


def test_branches_are_no_people_to_speak_as(sandbox: Sandbox, session: Session) -> None:
    before = [one.id for one in sandbox.banks.users(ACCOUNT)]
    fork(sandbox, session)
    assert [one.id for one in sandbox.banks.users(ACCOUNT)] == before


def test_a_branch_is_renamed_deleted_and_brought_back(sandbox: Sandbox, session: Session) -> None:
    branch, _forked = fork(sandbox, session)
    assert sandbox.branches.rename(ACCOUNT, branch.id, "What if").name == "What if"
    sandbox.branches.delete(ACCOUNT, branch.id)
    assert sandbox.branches.all(ACCOUNT, "noor") == []
    [gone] = sandbox.branches.all(ACCOUNT, "noor", deleted=True)
    assert gone.deleted_at is not None
    sandbox.branches.restore(ACCOUNT, branch.id)
    assert [one.name for one in sandbox.branches.all(ACCOUNT, "noor")] == ["What if"]


def test_chosen_operations_are_merged_into_main_all_or_none(
    sandbox: Sandbox, session: Session
) -> None:
    branch, forked = fork(sandbox, session)
    edit = Edit("fact", "Noor lives in Tartu.")
    sandbox.banks.remember(ACCOUNT, f"{forked.id}-1", edit, draft="b")
    [entry] = [
        one for one in sandbox.banks.view(ACCOUNT, branch.user, WALID).live if one.type == "fact"
    ]
    dyad = sandbox.banks.dyad(ACCOUNT, branch.user, WALID)
    sandbox.editing.change(dyad, entry.id, Edit("fact", "Noor lives in Narva."), draft="c")
    own = sandbox.branches.operations(ACCOUNT, branch.id, WALID)
    assert [one.kind for one in own] == ["add", "delete", "add"]
    before = texts(sandbox, NOOR)
    with pytest.raises(BadInput, match="Nothing was merged"):
        sandbox.branches.merge(ACCOUNT, branch.id, [one.id for one in own[1:]])
    assert texts(sandbox, NOOR) == before
    sandbox.branches.merge(ACCOUNT, branch.id, [one.id for one in own])
    assert texts(sandbox, NOOR) == [*before, "Noor lives in Narva."]
    assert sandbox.branches.merge(ACCOUNT, branch.id, [one.id for one in own]) == []
    assert [
        (one.kind, one.entry.text) for one in sandbox.branches.compare(ACCOUNT, branch.id, WALID)
    ] == [("only before", "Noor said turn 3.")]


def test_a_branch_of_a_revision_needs_no_session(sandbox: Sandbox, session: Session) -> None:
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    branch = sandbox.branches.make(ACCOUNT, dyad, 1)
    assert texts(sandbox, branch.user) == ["Noor said turn 1."]
    assert branch.session is None


def test_what_is_not_there_makes_no_branch(sandbox: Sandbox, session: Session) -> None:
    dyad = sandbox.banks.dyad(ACCOUNT, NOOR, WALID)
    with pytest.raises(BadInput, match="no answered turn 9"):
        fork(sandbox, session, 9)
    with pytest.raises(BadInput, match="must be 0 to 3, got 4"):
        sandbox.branches.make(ACCOUNT, dyad, 4)
    with pytest.raises(BadInput, match="no branch 'none'"):
        sandbox.branches.rename(ACCOUNT, "none", "x")
    with pytest.raises(BadInput, match="needs a name"):
        sandbox.branches.rename(ACCOUNT, fork(sandbox, session)[0].id, " ")
    with pytest.raises(BadInput, match="no branch"):
        sandbox.branches.find("another account", sandbox.branches.all(ACCOUNT, "noor")[0].id)
    with pytest.raises(BadInput, match="no operation of branch"):
        sandbox.branches.merge(ACCOUNT, sandbox.branches.all(ACCOUNT, "noor")[0].id, ["x"])
