"""Sessions read again under another method: the branch holds its bank, main stays as it is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_banks.entries import Dyad
from sandbox.account import ACCOUNT
from sandbox.folder import Layout
from sandbox.inputs import BadInput
from sandbox.lifecycle.remembering import CapturePending
from sandbox.transcripts import UnknownSession
from sandbox.verify import verify
from tests.bench import SKERRY, WALID, Bench
from tests.test_methods import FACT, RULE

DYAD = Dyad(ACCOUNT, "noor", WALID)
REPLY = "I ask for the unit before I count."


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    made.script.replies = {"Tallinn": REPLY}
    yield made
    assert verify(Layout(tmp_path), made.sandbox.record).problems == ()
    made.sandbox.close()


def held(bench: Bench) -> list[str]:
    """Two ended sessions, the later one by its clock first."""
    days = ("2026-03-02", "2026-03-01")
    ended = []
    for day, item in zip(days, (FACT, RULE), strict=True):
        session = bench.talk(f"I moved to Tallinn, {day}.", clock=f"{day}T10:00:00+00:00")
        bench.end(session, item, approve="all")
        ended.append(session.id)
    return ended


def test_the_branch_holds_what_the_other_method_keeps_and_main_its_own(bench: Bench) -> None:
    sessions = held(bench)
    before = bench.bank()
    found = bench.sandbox.reingesting.reingest(ACCOUNT, DYAD, sessions, "raw_turns")
    said = ["I moved to Tallinn, 2026-03-01.", REPLY, "I moved to Tallinn, 2026-03-02.", REPLY]
    assert bench.texts(found.branch.user) == said
    assert bench.bank() == before
    assert (found.waiting, found.branch.name) == (0, "raw_turns, from revision 0")
    assert all(one.capture.status == "done" for one in found.sessions)


def test_the_two_banks_are_compared_side_by_side(bench: Bench) -> None:
    found = bench.sandbox.reingesting.reingest(ACCOUNT, DYAD, held(bench), "raw_turns")
    differing = bench.sandbox.branches.compare(ACCOUNT, found.branch.id, WALID)
    assert sorted(one.kind for one in differing) == ["only after"] * 4 + ["only before"] * 2


def test_every_entry_of_the_branch_names_a_turn_of_the_copied_session(bench: Bench) -> None:
    sessions = held(bench)
    found = bench.sandbox.reingesting.reingest(ACCOUNT, DYAD, sessions, "raw_turns")
    live = bench.sandbox.banks.view(ACCOUNT, found.branch.user, WALID).live
    for entry in live:
        session = bench.sandbox.sessions.find(ACCOUNT, entry.provenance.session or "")
        assert (session.user, session.method) == (found.branch.user, "raw_turns")
        assert session.id not in sessions


def test_a_branch_may_begin_at_a_revision(bench: Bench) -> None:
    sessions = held(bench)
    bench.script.captures = [{"entries": [RULE]}]
    reingest = bench.sandbox.reingesting.reingest
    found = reingest(ACCOUNT, DYAD, sessions[1:], "agent_only", revision=1, name="Agent only")
    assert bench.texts(found.branch.user) == [FACT["text"], RULE["text"]]
    assert found.branch.name == "Agent only"


@pytest.mark.parametrize("method", ["best", "", "Typed"])
def test_an_unknown_method_makes_no_branch(bench: Bench, method: str) -> None:
    sessions = held(bench)
    with pytest.raises(BadInput):
        bench.sandbox.reingesting.reingest(ACCOUNT, DYAD, sessions, method)
    assert bench.sandbox.branches.all(ACCOUNT, "noor") == []


def test_sessions_that_are_open_strange_or_told_twice_are_refused(bench: Bench) -> None:
    [first, _second] = held(bench)
    reingest = bench.sandbox.reingesting.reingest
    other = bench.talk("Tallinn.", persona=SKERRY)
    bench.end(other)
    for chosen in ([], [first, first], [bench.talk("Tallinn.").id], [other.id]):
        with pytest.raises(BadInput):
            reingest(ACCOUNT, DYAD, chosen, "raw_turns")
    with pytest.raises(UnknownSession):
        reingest("other", DYAD, [first], "raw_turns")
    assert bench.sandbox.branches.all(ACCOUNT, "noor") == []


def test_where_the_model_fails_the_branch_goes_on_later(bench: Bench) -> None:
    sessions = held(bench)
    bench.script.captures = ["no JSON"]
    with pytest.raises(CapturePending):
        bench.sandbox.reingesting.reingest(ACCOUNT, DYAD, sessions, "typed")
    (branch,) = bench.sandbox.branches.all(ACCOUNT, "noor")
    copies = bench.sandbox.sessions.list(ACCOUNT, branch.user, WALID)
    for copy in sorted(copies, key=lambda one: one.session.clock or ""):
        bench.end(copy.session, FACT, approve="all")
    assert bench.texts(branch.user) == [FACT["text"]]
