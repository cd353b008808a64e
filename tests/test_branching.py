"""Branches of a ledger: a copy that goes its own way, on both databases."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_banks.branching import copy_ledger, differences, moved, reapplied
from memory_banks.entries import Add, Dyad, State
from memory_banks.ledger import append, operations_of, states
from memory_banks.vectors import load_vectors, store_vectors
from memory_banks.verify import ledger_problems
from tests.fakes_bank import ANA, AT, Database, Ledger, ServerDatabase, entry, unit
from tests.postgres import Postgres

USER, DYAD = ANA.scopes
BRANCH = Dyad("local", "branch:1", "robo")


@pytest.fixture(params=["sqlite", "postgres"])
def ledger(request: pytest.FixtureRequest) -> Iterator[Ledger]:
    if request.param == "sqlite":
        made = Ledger(Database())
    else:
        server: Postgres = request.getfixturevalue("postgres")
        made = Ledger(ServerDatabase(server.database()))
    made.user(ANA)
    yield made
    made.database.close()


def fork(ledger: Ledger, revision: int) -> dict[str, str]:
    with ledger.database.write() as conn:
        return copy_ledger(conn, "local", "ana", revision, BRANCH.user, AT)


def bank(ledger: Ledger, dyad: Dyad, revision: int | None = None) -> list[State]:
    with ledger.database.read() as conn:
        return states(conn, dyad, revision)


def told(found: list[State]) -> list[tuple[str, bool, int]]:
    return [(one.entry.text, one.live, one.added) for one in found]


def test_a_branch_holds_what_main_held_with_its_history_and_numbers(ledger: Ledger) -> None:
    (tea,) = ledger.add(USER, "likes tea")
    ledger.add(DYAD, "be brief")
    ledger.delete(USER, tea)
    ledger.add(USER, "likes coffee")
    fork(ledger, 3)
    assert told(bank(ledger, BRANCH)) == told(bank(ledger, ANA, 3))
    assert ledger.head(BRANCH) == 3
    with ledger.database.read() as conn:
        assert ledger_problems(conn) == []


def test_main_and_branch_do_not_see_each_other(ledger: Ledger) -> None:
    ledger.add(USER, "likes tea")
    fork(ledger, 1)
    ledger.add(USER, "on main")
    ledger.add(BRANCH.scope("user"), "in the branch")
    ledger.add(BRANCH.scope("dyad"), "in the branch too")
    assert [one.entry.text for one in bank(ledger, ANA)] == ["likes tea", "on main"]
    texts = [one.entry.text for one in bank(ledger, BRANCH)]
    assert texts == ["likes tea", "in the branch", "in the branch too"]


def test_another_agent_opened_in_the_branch_sees_the_branchs_user(ledger: Ledger) -> None:
    ledger.add(USER, "likes tea")
    fork(ledger, 1)
    ledger.add(BRANCH.scope("user"), "in the branch")
    other = Dyad("local", BRANCH.user, "nova")
    assert [one.entry.text for one in bank(ledger, other)] == ["likes tea", "in the branch"]


def test_vectors_are_copied(ledger: Ledger) -> None:
    (tea,) = ledger.add(USER, "likes tea")
    with ledger.database.write() as conn:
        store_vectors(conn, "e", {tea: unit(2, 0)})
    ids = fork(ledger, 1)
    with ledger.database.read() as conn:
        assert (load_vectors(conn, "e", [ids[tea]])[ids[tea]] == unit(2, 0)).all()


@pytest.mark.parametrize("revision", [-1, 2])
def test_a_revision_that_is_not_there_makes_no_branch(ledger: Ledger, revision: int) -> None:
    ledger.add(USER, "likes tea")
    with pytest.raises(ValueError, match="no revision"):
        fork(ledger, revision)
    assert ledger.head(BRANCH) == 0


def test_a_branch_is_made_once(ledger: Ledger) -> None:
    ledger.add(USER, "likes tea")
    fork(ledger, 1)
    with pytest.raises(ValueError, match="already"):
        fork(ledger, 0)


def test_chosen_operations_are_done_again_on_main_once_with_their_lineage(ledger: Ledger) -> None:
    (tea,) = ledger.add(USER, "likes tea")
    ids = fork(ledger, 1)
    ledger.delete(BRANCH.scope("user"), ids[tea])
    new = entry(BRANCH.scope("user"), "likes coffee", "coffee")
    ledger.write(Add(new, "changed", "Said so.", (ids[tea],)))
    ledger.add(BRANCH.scope("user"), "not chosen")
    with ledger.database.read() as conn:
        chosen = operations_of(conn, BRANCH, after=1, until=3)
    for _twice in range(2):
        with ledger.database.write() as conn:
            append(conn, reapplied(conn, chosen, "ana"), AT)
    found = bank(ledger, ANA)
    assert told(found) == [("likes tea", False, 1), ("likes coffee", True, 3)]
    assert found[0].replaced_by == moved(new, "ana").id
    assert found[1].add_reason == "Merged from a branch: Said so."
    with ledger.database.read() as conn:
        assert ledger_problems(conn) == []


def test_differences_name_what_is_only_on_one_side_and_what_died(ledger: Ledger) -> None:
    tea, salt = ledger.add(USER, "likes tea", "lives in Salt")
    ids = fork(ledger, 2)
    ledger.add(USER, "on main")
    ledger.delete(BRANCH.scope("user"), ids[tea])
    ledger.delete(BRANCH.scope("user"), ids[salt])
    ledger.write(Add(entry(BRANCH.scope("user"), "lives in Madaba", "m"), "c", "", (ids[salt],)))
    found = differences(bank(ledger, ANA), bank(ledger, BRANCH))
    assert [(one.kind, one.entry.text) for one in found] == [
        ("deleted", "likes tea"),
        ("superseded", "lives in Salt"),
        ("only before", "on main"),
        ("only after", "lives in Madaba"),
    ]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), max_size=25), st.data())
def test_a_branch_of_any_prefix_is_the_bank_of_that_prefix(
    steps: list[tuple[bool, int]], data: st.DataObject
) -> None:
    ledger = Ledger(Database())
    ledger.user(ANA)
    made = {key: entry((USER, DYAD)[key % 2], f"text {key}", f"k{key}") for key in range(6)}
    live: set[int] = set()
    for adding, key in steps:
        if adding and key not in live:
            ledger.add_again(made[key])
            live.add(key)
        elif not adding and key in live:
            ledger.delete(made[key].scope, made[key].id)
            live.discard(key)
    revision = data.draw(st.integers(0, ledger.head(ANA)))
    fork(ledger, revision)
    assert told(bank(ledger, BRANCH)) == told(bank(ledger, ANA, revision))
    assert differences(bank(ledger, ANA, revision), bank(ledger, BRANCH)) == []
    with ledger.database.read() as conn:
        assert ledger_problems(conn) == []
    ledger.database.close()
