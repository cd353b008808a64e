"""One user's characters side by side: shared once, each one's own, and nothing comes through."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memory_banks.entries import Dyad, Entry, Scope
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.edits import Edit
from sandbox.inputs import BadInput
from sandbox.lifecycle.lens import ASKED, leaks
from tests.fakes import Script, fake_sandbox

WALID, LANTERN, NOOR, BASMA = "walid-qutami", "lantern", "Noor", "Basma"
FACT, RULE, OTHER = "Noor lives in Tartu.", "Walid answers in metric.", "Lantern keeps a list."
HERE, THERE = Dyad(ACCOUNT, "noor", WALID), Dyad(ACCOUNT, "noor", LANTERN)


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    """Noor talks with two characters; both hold a rule of their own, and she one fact."""
    with closing(fake_sandbox(tmp_path / "data", Script().play)) as made:
        made.start()
        for agent, text in ((WALID, RULE), (LANTERN, OTHER)):
            session = made.sessions.open(ACCOUNT, NOOR, agent)
            reply = made.conversation.ask(ACCOUNT, session.id, "Hello.").line.id
            made.banks.remember(ACCOUNT, reply, Edit("agent_identity", text), draft=agent)
        made.banks.remember(ACCOUNT, f"{session.id}-1", Edit("fact", FACT), draft="f")
        made.sessions.open(ACCOUNT, BASMA, WALID)
        yield made


def entry(sandbox: Sandbox, agent: str, text: str) -> Entry:
    return next(one for one in sandbox.banks.view(ACCOUNT, NOOR, agent).live if one.text == text)


def test_the_users_entries_are_shown_once_and_each_characters_own_in_its_column(
    sandbox: Sandbox,
) -> None:
    lens = sandbox.lenses.look(ACCOUNT, NOOR)
    assert [one.text for one in lens.shared] == [FACT]
    assert {one.agent: [own.text for own in one.own] for one in lens.columns} == {
        LANTERN: [OTHER],
        WALID: [RULE],
    }
    assert (lens.user, lens.revision) == (NOOR, 3)
    assert all(one.session for one in lens.columns)


def test_a_deleted_entry_is_in_no_column(sandbox: Sandbox) -> None:
    sandbox.editing.delete(HERE, entry(sandbox, WALID, RULE).id, draft="d")
    lens = sandbox.lenses.look(ACCOUNT, NOOR)
    assert [one.own for one in lens.columns if one.agent == WALID] == [()]


def test_an_unknown_user_has_an_empty_lens(sandbox: Sandbox) -> None:
    lens = sandbox.lenses.look(ACCOUNT, "Nobody")
    assert (lens.shared, lens.columns, lens.revision) == ((), (), 0)


def test_another_character_sees_the_fact_and_not_the_rule(sandbox: Sandbox) -> None:
    probe = sandbox.lenses.other_agent(ACCOUNT, NOOR, WALID, LANTERN, RULE)
    assert probe.leaks == ()
    assert RULE in [one.entry.text for one in probe.found_here]
    assert sorted(one.entry.text for one in probe.found_there) == sorted([FACT, OTHER])
    assert probe.held == 2


def test_another_user_sees_neither(sandbox: Sandbox) -> None:
    probe = sandbox.lenses.other_user(ACCOUNT, NOOR, BASMA, WALID, FACT)
    assert (probe.leaks, probe.found_there, probe.held) == ((), (), 0)
    assert FACT in [one.entry.text for one in probe.found_here]


def test_a_planted_entry_of_another_scope_is_a_leak(sandbox: Sandbox) -> None:
    rule = entry(sandbox, WALID, RULE)
    [leak] = leaks(THERE, [entry(sandbox, LANTERN, FACT), rule])
    assert leak.entry == rule
    assert leak.why == "It belongs to noor and walid-qutami."
    assert leaks(HERE, [rule]) == []
    stranger = replace(rule, scope=Scope(ACCOUNT, "basma"))
    assert [one.entry for one in leaks(HERE, [rule, stranger])] == [stranger]


def test_words_that_got_into_the_wrong_bank_are_a_leak(sandbox: Sandbox) -> None:
    other = sandbox.sessions.list(ACCOUNT, NOOR, LANTERN)[0].session
    planted = Edit("agent_identity", "walid  answers in metric.")
    reply = sandbox.sessions.transcript(ACCOUNT, other.id).turns[0].chosen or ""
    sandbox.banks.remember(ACCOUNT, reply, planted, draft="planted")
    probe = sandbox.lenses.other_agent(ACCOUNT, NOOR, WALID, LANTERN, RULE)
    assert [one.why for one in probe.leaks] == [f"It says word for word what only {WALID} holds."]


def test_the_same_sample_of_two_people_is_no_leak(sandbox: Sandbox) -> None:
    for user in (NOOR, BASMA):
        sandbox.banks.copy_sample(ACCOUNT, user, WALID)
    probe = sandbox.lenses.other_user(ACCOUNT, NOOR, BASMA, WALID, "rehearsal")
    assert probe.leaks == ()
    assert 0 < len(probe.found_there) <= ASKED


def test_a_probe_needs_two(sandbox: Sandbox) -> None:
    with pytest.raises(BadInput, match="characters are one"):
        sandbox.lenses.other_agent(ACCOUNT, NOOR, WALID, WALID, "x")
    with pytest.raises(BadInput, match="people are one"):
        sandbox.lenses.other_user(ACCOUNT, NOOR, " noor ", WALID, "x")
