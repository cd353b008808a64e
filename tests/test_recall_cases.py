"""Recall keeps scopes apart, knows what is superseded, and takes no strange request."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_banks.entries import Dyad
from sandbox import api
from sandbox.account import ACCOUNT
from sandbox.edits import Edit
from sandbox.inputs import BadInput
from tests.bench import SKERRY, WALID, Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.sandbox.close()


def add(bench: Bench, text: str, user: str = "ana", entry_type: str = "fact") -> str:
    """Add an entry by hand to what the user shares with Walid; its id."""
    if bench.sandbox.banks.user(ACCOUNT, user) is None:
        bench.sandbox.banks.describe(ACCOUNT, user, "")
    dyad = Dyad(ACCOUNT, user, WALID)
    [written] = bench.sandbox.editing.add(dyad, Edit(entry_type, text), draft=text)
    return written.entry_id


def recalled(bench: Bench, query: str, user: str = "ana", agent: str = WALID, **how: Any) -> set:
    dyad = Dyad(ACCOUNT, user, agent)
    return {one.entry.text for one in bench.sandbox.previews.recall(ACCOUNT, dyad, query, **how)}


def test_nobody_recalls_what_another_user_told(bench: Bench) -> None:
    add(bench, "Ana lives in Tromsø.")
    add(bench, "Bob lives in Évora.", "bob")
    assert recalled(bench, "Where do I live?", "bob") == {"Bob lives in Évora."}


@pytest.mark.parametrize("user", [None, "", "  ", {"$ne": "bob"}, ["ana", "bob"], 7, "ana\u200b"])
def test_a_user_that_is_no_name_is_refused(bench: Bench, user: object) -> None:
    add(bench, "Ana lives in Tromsø.")
    with pytest.raises(BadInput):
        api.bank(bench.sandbox, ACCOUNT, user=user, persona=WALID)


def test_spellings_of_one_name_are_one_user_and_other_names_are_others(bench: Bench) -> None:
    add(bench, "Zoë lives in Tromsø.", "zoë")
    for user, entries in (("Zoe\u0308", 1), (" ZOË ", 1), ("Zoe", 0)):
        assert len(api.bank(bench.sandbox, ACCOUNT, user=user, persona=WALID)) == entries


def test_what_is_superseded_is_recalled_only_with_the_history_and_marked(bench: Bench) -> None:
    old = add(bench, "Works at the tram depot.")
    add(bench, "Finn is a depot colleague from work.")
    dyad = Dyad(ACCOUNT, "ana", WALID)
    bench.sandbox.editing.change(dyad, old, Edit("fact", "Works at the harbour."), draft="moved")
    now = {"Works at the harbour.", "Finn is a depot colleague from work."}
    assert recalled(bench, "work") == now
    assert recalled(bench, "work", history=True) == now | {"Works at the tram depot."}
    marked = bench.sandbox.previews.recall(ACCOUNT, dyad, "work", history=True)
    assert {one.entry.id for one in marked if not one.live} == {old}


@pytest.mark.parametrize(("held", "asked"), [(0, 1), (1, 10), (3, 1), (3, 3), (3, 10_000)])
def test_recall_gives_as_many_as_there_are_and_no_more(bench: Bench, held: int, asked: int) -> None:
    bench.sandbox.banks.describe(ACCOUNT, "ana", "")
    for number in range(held):
        add(bench, f"Ana has boat {number}.")
    assert len(recalled(bench, "boat", n=asked)) == min(held, asked)


@pytest.mark.parametrize("asked", [0, -1])
def test_a_number_that_counts_nothing_is_refused(bench: Bench, asked: int) -> None:
    bench.sandbox.banks.describe(ACCOUNT, "ana", "")
    with pytest.raises(BadInput):
        recalled(bench, "boat", n=asked)


def test_what_the_agent_promised_is_recalled_and_outlives_the_users_side(bench: Bench) -> None:
    fact = add(bench, "Ana lives in Tromsø.")
    add(bench, "Walid gives the verdict first.", entry_type="agent_identity")
    both = {"Ana lives in Tromsø.", "Walid gives the verdict first."}
    assert recalled(bench, "What did you agree to do first?") == both
    assert recalled(bench, "What did you agree to do first?", agent=SKERRY) == {
        "Ana lives in Tromsø."
    }
    bench.sandbox.editing.delete(Dyad(ACCOUNT, "ana", WALID), fact, draft="d")
    assert recalled(bench, "Where?") == {"Walid gives the verdict first."}
