"""Sessions read again under another method: the branch holds its bank, main stays as it is."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from memory_banks.branching import differences
from memory_banks.entries import Dyad
from sandbox.account import ACCOUNT
from sandbox.folder import Layout
from sandbox.inputs import BadInput
from sandbox.lifecycle.reingesting import HalfReingested, Watching
from sandbox.lifecycle.remembering import CapturePending
from sandbox.lifecycle.side_by_side import Count, counted, paired
from sandbox.transcripts import UnknownSession
from sandbox.verify import verify
from tests.bench import SKERRY, WALID, Bench
from tests.scripted_model import Asked
from tests.test_forgetting import found_in
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


def test_where_the_model_fails_the_branch_keeps_what_was_done_and_goes_on_later(
    bench: Bench,
) -> None:
    sessions = held(bench)
    bench.script.captures = [{"entries": [RULE]}, "no JSON"]
    with pytest.raises(HalfReingested) as failed:
        bench.sandbox.reingesting.reingest(ACCOUNT, DYAD, sessions, "typed")
    (branch,) = bench.sandbox.branches.all(ACCOUNT, "noor")
    assert (failed.value.done.branch, len(failed.value.done.sessions)) == (branch, 1)
    assert str(failed.value).startswith("Session 2 of 2 could not be read")
    assert isinstance(failed.value, CapturePending)
    assert bench.texts(branch.user) == [RULE["text"]]
    copies = bench.sandbox.sessions.list(ACCOUNT, branch.user, WALID)
    last = max(copies, key=lambda one: one.session.clock or "")
    bench.end(last.session, FACT, approve="all")
    assert bench.texts(branch.user) == [RULE["text"], FACT["text"]]


def test_it_is_told_which_session_is_read_and_stops_behind_it(bench: Bench) -> None:
    stop, told = Event(), list[tuple[int, int]]()

    def begun(number: int, count: int) -> None:
        told.append((number, count))
        stop.set()

    found = bench.sandbox.reingesting.reingest(
        ACCOUNT, DYAD, held(bench), "raw_turns", watching=Watching(begun, stop)
    )
    assert (told, found.asked, found.complete) == ([(1, 2)], 2, False)
    assert len(bench.sandbox.sessions.list(ACCOUNT, found.branch.user, WALID)) == 1
    assert bench.texts(found.branch.user) == ["I moved to Tallinn, 2026-03-01.", REPLY]


def test_a_branch_is_counted_beside_main_and_what_says_the_same_is_no_difference(
    bench: Bench,
) -> None:
    sessions = held(bench)
    bench.script.captures = [{"entries": [RULE]}, {"entries": []}]
    found = bench.sandbox.reingesting.reingest(ACCOUNT, DYAD, sessions, "typed")
    banks = [bench.sandbox.banks.view(ACCOUNT, one, WALID) for one in ("noor", found.branch.user)]
    assert counted(banks[0].live, banks[1].live) == [
        Count("fact", "user", 1, 0),
        Count("agent_method", "dyad", 1, 1),
    ]
    both = paired(differences(banks[0].states, banks[1].states))
    assert (both.alike, [one.entry.text for one in both.found]) == (1, [FACT["text"]])


# Going on


def test_a_reading_that_was_stopped_goes_on_in_its_branch_when_begun_in_the_same_way(
    bench: Bench,
) -> None:
    sessions, stop = held(bench), Event()
    bench.script.captures = [{"entries": [RULE]}, {"entries": [FACT]}]
    reingest = bench.sandbox.reingesting.reingest

    def begun(_number: int, _count: int) -> None:
        stop.set()

    first = reingest(ACCOUNT, DYAD, sessions, "typed", watching=Watching(begun, stop))
    assert bench.texts(first.branch.user) == [RULE["text"]]
    second = reingest(ACCOUNT, DYAD, sessions, "typed")
    assert (second.branch, second.complete, bench.script.captures) == (first.branch, True, [])
    assert bench.texts(first.branch.user) == [RULE["text"], FACT["text"]]
    assert reingest(ACCOUNT, DYAD, sessions, "typed").branch != first.branch


def test_a_session_that_could_not_be_read_is_read_when_it_goes_on(bench: Bench) -> None:
    sessions = held(bench)
    bench.script.captures = [{"entries": [RULE]}, "no JSON"]
    reingest = bench.sandbox.reingesting.reingest
    with pytest.raises(HalfReingested, match="Reading again in the same way goes on there"):
        reingest(ACCOUNT, DYAD, sessions, "typed", name="Again")
    bench.script.captures = [{"entries": [FACT]}]
    done = reingest(ACCOUNT, DYAD, sessions[:1], "typed", name="Again")
    assert [one.name for one in bench.sandbox.branches.all(ACCOUNT, "noor")] == ["Again"]
    assert bench.texts(done.branch.user) == [RULE["text"], FACT["text"]]


@pytest.mark.parametrize("how", ["method", "revision", "name", "model", "order"])
def test_another_way_of_reading_never_goes_on_in_a_branch(bench: Bench, how: str) -> None:
    [later, earlier] = held(bench)
    reingest = bench.sandbox.reingesting.reingest
    first = reingest(ACCOUNT, DYAD, [later], "raw_turns", name="Raw")
    other = {
        "method": {"method": "typed", "name": "Raw"},
        "revision": {"method": "raw_turns", "revision": 1, "name": "Raw"},
        "name": {"method": "raw_turns"},
        "model": {"method": "raw_turns", "model": "another", "name": "Raw"},
        "order": {"method": "raw_turns", "name": "Raw"},
    }[how]
    chosen = [earlier] if how == "order" else [later]
    second = reingest(ACCOUNT, DYAD, chosen, **other)  # type: ignore[arg-type]  # as named
    assert second.branch != first.branch


def test_what_is_forgotten_goes_from_where_its_session_was_read_again(
    bench: Bench, tmp_path: Path
) -> None:
    sessions = held(bench)
    bench.script.captures = [{"entries": [RULE]}, {"entries": [FACT]}]
    for method in ("typed", "raw_turns"):
        bench.sandbox.reingesting.reingest(ACCOUNT, DYAD, sessions, method)
    live = bench.sandbox.banks.view(ACCOUNT, "noor", WALID).live
    [fact] = [one.id for one in live if one.text == FACT["text"]]
    told = bench.sandbox.forgetting.entry(ACCOUNT, DYAD, fact)
    assert told.counts["entries"] == 2
    assert found_in(tmp_path, str(FACT["text"])) == []
    said = "I moved to Tallinn, 2026-03-01."
    assert found_in(tmp_path, said) != []
    bench.sandbox.forgetting.session(ACCOUNT, sessions[1])
    assert found_in(tmp_path, said, str(RULE["text"])) == []


# In a thread of its own


def test_a_reading_goes_on_behind_and_leaves_what_came_of_it(bench: Bench) -> None:
    jobs = bench.sandbox.reingest_jobs
    begun = jobs.start(DYAD, held(bench), "raw_turns", name="Raw")
    jobs.wait(begun.branch.id, 20)
    over = jobs.of([DYAD])
    assert over is not None
    assert (over.status, over.number, over.count, over.branch.name) == ("done", 2, 2, "Raw")
    assert over.done is not None
    assert len(bench.texts(begun.branch.user)) == 4
    jobs.seen(begun.branch.id)
    assert [one.seen for one in (over, jobs.of([DYAD])) if one] == [False, True]
    jobs.put_away(begun.branch.id)
    assert jobs.of([DYAD]) is None


def test_a_reading_stops_between_sessions_and_only_one_goes_on_at_a_time(bench: Bench) -> None:
    sessions, reached, go = held(bench), Event(), Event()

    def play(asked: Asked) -> dict[str, Any]:
        reached.set()
        assert go.wait(20)
        return {"entries": []}

    bench.script.play = play  # type: ignore[method-assign]
    jobs = bench.sandbox.reingest_jobs
    begun = jobs.start(DYAD, sessions, "typed")
    assert reached.wait(20)
    with pytest.raises(BadInput, match="being read already"):
        jobs.start(DYAD, sessions, "raw_turns")
    jobs.put_away(begun.branch.id)
    jobs.stop(begun.branch.id)
    stopping = jobs.of([DYAD])
    assert stopping is not None
    assert stopping.status == "stopping"
    go.set()
    jobs.wait(begun.branch.id, 20)
    over = jobs.of([Dyad(ACCOUNT, "nobody", WALID), DYAD])
    assert over is not None
    assert (over.status, over.number, over.running) == ("stopped", 1, False)
    assert over.done is not None
    assert len(over.done.sessions) == 1


def test_a_reading_that_fails_says_why(bench: Bench) -> None:
    sessions = held(bench)
    bench.script.captures = ["no JSON"]
    jobs = bench.sandbox.reingest_jobs
    begun = jobs.start(DYAD, sessions, "typed")
    jobs.wait(begun.branch.id, 20)
    over = jobs.of([DYAD])
    assert over is not None
    assert over.status == "failed"
    assert over.trouble.startswith("Session 1 of 2 could not be read")


def test_what_cannot_be_read_is_refused_before_anything_begins(bench: Bench) -> None:
    with pytest.raises(BadInput):
        bench.sandbox.reingest_jobs.start(DYAD, held(bench), "typed", revision=99)
    assert bench.sandbox.reingest_jobs.of([DYAD]) is None
    assert bench.sandbox.branches.all(ACCOUNT, "noor") == []
