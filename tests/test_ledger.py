"""The ledger: append-only, one counter a user, and every bank a prefix of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from memory_banks import captures
from memory_banks.embedding import EmbedderFailed, HashedWords, Vectors
from memory_banks.entries import Add, Delete, Dyad, Entry, Scope, digest
from memory_banks.forgetting import FORGOTTEN, blank_entries
from memory_banks.ledger import (
    LedgerConflict,
    entries_by_id,
    live_ids,
    operations_of,
    scope_operations,
    scopes,
    states,
)
from memory_banks.vectors import EntryGone, VectorFiller, load_vectors, store_vectors
from memory_banks.verify import ledger_problems
from tests.fakes_bank import ANA, AT, Database, Ledger, ServerDatabase, entry, unit
from tests.postgres import Postgres

BEN = Dyad("local", "ben", "robo")
USER, DYAD = ANA.scopes


@pytest.fixture(params=["sqlite", "postgres"])
def ledger(request: pytest.FixtureRequest) -> Iterator[Ledger]:
    made = Ledger(_database(request))
    made.user(ANA)
    made.user(BEN)
    yield made
    made.database.close()


def _database(request: pytest.FixtureRequest) -> Database:
    if request.param == "sqlite":
        return Database()
    server: Postgres = request.getfixturevalue("postgres")
    return ServerDatabase(server.database())


def problems(ledger: Ledger) -> list[str]:
    with ledger.database.read() as conn:
        return ledger_problems(conn)


def live_texts(ledger: Ledger, dyad: Dyad, revision: int | None = None) -> list[str]:
    with ledger.database.read() as conn:
        return [s.entry.text for s in states(conn, dyad, revision) if s.live]


def test_appending_twice_is_appending_once(ledger: Ledger) -> None:
    draft = Add(entry(USER, "likes tea", "k"), cause="c")
    ledger.write(draft)
    ledger.write(draft, draft)
    assert ledger.head(ANA) == 1
    assert live_texts(ledger, ANA) == ["likes tea"]


def test_one_counter_runs_over_all_scopes_of_a_user_and_no_other(ledger: Ledger) -> None:
    other = Scope("local", "ana", "nova")
    ledger.add(USER, "a")
    ledger.add(DYAD, "b", "c")
    ledger.add(other, "d")
    ledger.add(BEN.scope("dyad"), "e")
    with ledger.database.read() as conn:
        numbers = {s: [o.number for o in scope_operations(conn, s)] for s in scopes(conn)}
    assert numbers == {USER: [1], DYAD: [2, 3], other: [4], BEN.scope("dyad"): [1]}
    assert (ledger.head(ANA), ledger.head(BEN)) == (4, 1)


def test_a_dyad_sees_the_users_entries_and_its_own_only(ledger: Ledger) -> None:
    ledger.add(USER, "the user's")
    ledger.add(DYAD, "the dyad's")
    ledger.add(Scope("local", "ana", "nova"), "another agent's")
    ledger.add(BEN.scope("user"), "another user's")
    ledger.add_user_like(ANA, account="other", text="another account's")
    assert live_texts(ledger, ANA) == ["the user's", "the dyad's"]


def test_deleting_what_is_not_there_is_refused_and_nothing_is_written(ledger: Ledger) -> None:
    (held,) = ledger.add(USER, "likes tea")
    with pytest.raises(LedgerConflict, match="is not in the bank any more"):
        ledger.write(Delete(held, USER, "c1"), Delete("0" * 32, USER, "c2"))
    assert ledger.head(ANA) == 1
    assert live_texts(ledger, ANA) == ["likes tea"]


def test_deleting_twice_by_two_causes_is_refused(ledger: Ledger) -> None:
    (held,) = ledger.add(USER, "likes tea")
    ledger.delete(USER, held)
    with pytest.raises(LedgerConflict, match="is not in the bank any more"):
        ledger.delete(USER, held)


def test_adding_what_is_live_is_refused(ledger: Ledger) -> None:
    one = entry(USER, "likes tea", "k")
    ledger.write(Add(one, "c1"))
    with pytest.raises(LedgerConflict, match="'likes tea' is in the bank already"):
        ledger.write(Add(one, "c2"))


def test_an_entry_is_immutable_also_after_its_deletion(ledger: Ledger) -> None:
    one = entry(USER, "likes tea", "k")
    ledger.write(Add(one, "c1"))
    ledger.delete(USER, one.id)
    with pytest.raises(LedgerConflict, match="the key 'k' names another entry already"):
        ledger.write(Add(replace(one, text="hates tea"), "c2"))
    ledger.write(Add(one, "c3"))
    assert live_texts(ledger, ANA) == ["likes tea"]


def test_one_batch_cannot_give_a_key_two_texts(ledger: Ledger) -> None:
    one = entry(USER, "likes tea", "k")
    with pytest.raises(LedgerConflict, match="the key 'k' names another entry already"):
        ledger.write(Add(one, "c1"), Delete(one.id, USER, "c2"), Add(replace(one, text="no"), "c3"))
    assert ledger.head(ANA) == 0


def test_an_entry_is_deleted_from_its_own_scope_only(ledger: Ledger) -> None:
    (held,) = ledger.add(DYAD, "be brief")
    with pytest.raises(LedgerConflict, match="is not in this scope of the bank"):
        ledger.write(Delete(held, USER, "c"))
    assert live_texts(ledger, ANA) == ["be brief"]


def test_operations_of_two_users_or_of_nobody_are_refused(ledger: Ledger) -> None:
    both = [Add(entry(USER, "a", "k"), "c"), Add(entry(BEN.scope("user"), "b", "k"), "c")]
    with pytest.raises(ValueError, match="must belong to one user, got 2"):
        ledger.write(*both)
    with pytest.raises(ValueError, match="there is no user 'eve'"):
        ledger.write(Add(entry(Scope("local", "eve"), "a", "k"), "c"))


def test_states_tell_the_chain_of_an_entry(ledger: Ledger) -> None:
    (tea,) = ledger.add(USER, "likes tea")
    coffee = entry(USER, "likes coffee", "coffee")
    ledger.write(Delete(tea, USER, "p", "changed"), Add(coffee, "p", "changed", replaces=(tea,)))
    with ledger.database.read() as conn:
        old, new = states(conn, ANA)
        (before,) = states(conn, ANA, 1)
    assert (old.added, old.deleted, old.replaced_by, old.live) == (1, 2, coffee.id, False)
    assert (new.added, new.deleted, new.replaces, new.live) == (3, None, (tea,), True)
    assert (before.entry.id, before.deleted, before.replaced_by) == (tea, None, None)


def test_entries_by_id_leaves_out_what_is_not_there(ledger: Ledger) -> None:
    many = ledger.add(USER, *(f"fact {i}" for i in range(600)))
    with ledger.database.read() as conn:
        found = entries_by_id(conn, [*many, "0" * 32])
    assert set(found) == set(many)


def test_a_vector_stays_with_its_embedder_and_is_written_once(ledger: Ledger) -> None:
    (held,) = ledger.add(USER, "likes tea")
    with ledger.database.write() as conn:
        store_vectors(conn, "a", {held: unit(2, 0)})
        store_vectors(conn, "b", {held: unit(3, 1)})
        store_vectors(conn, "a", {held: unit(2, 1)})
    with ledger.database.read() as conn:
        assert load_vectors(conn, "a", [held, "0" * 32])[held].tolist() == [1, 0]
        assert load_vectors(conn, "b", [held])[held].tolist() == [0, 1, 0]


Step = tuple[int, bool]
"""Which of ten entries, and whether it is added."""
steps = st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=25)


def possible(wanted: Sequence[Step]) -> list[tuple[Entry, bool]]:
    """The steps that fit: no add of what is live, no delete of what is not."""
    live: set[int] = set()
    kept = []
    for number, adds in wanted:
        if (number in live) != adds:
            live ^= {number}
            scope = DYAD if number % 3 else USER
            kept.append((entry(scope, f"entry {number}", str(number)), adds))
    return kept


def play(moves: Sequence[tuple[Entry, bool]]) -> Ledger:
    ledger = Ledger(Database())
    ledger.user(ANA)
    for at, (one, adds) in enumerate(moves):
        draft = Add(one, f"c{at}") if adds else Delete(one.id, one.scope, f"c{at}")
        ledger.write(draft)
    return ledger


@settings(max_examples=40, deadline=None)
@given(steps, st.integers(0, 25))
def test_a_bank_at_a_revision_is_the_bank_of_that_prefix(wanted: list[Step], at: int) -> None:
    moves = possible(wanted)
    whole, prefix = play(moves), play(moves[:at])
    assert live_texts(whole, ANA, at) == live_texts(prefix, ANA)
    with whole.database.read() as conn, prefix.database.read() as shorter:
        assert operations_of(conn, ANA, until=at) == operations_of(shorter, ANA)
        for scope in ANA.scopes:
            assert live_ids(conn, scope, at) == live_ids(shorter, scope)
        assert ledger_problems(conn) == []
    whole.database.close()
    prefix.database.close()


@settings(max_examples=40, deadline=None)
@given(steps, st.integers(0, 25))
def test_two_halves_of_the_operations_are_the_whole(wanted: list[Step], at: int) -> None:
    ledger = play(possible(wanted))
    with ledger.database.read() as conn:
        halves = operations_of(conn, ANA, until=at) + operations_of(conn, ANA, after=at)
        assert halves == operations_of(conn, ANA)
        assert [operation.number for operation in halves] == list(range(1, len(halves) + 1))
    ledger.database.close()


@pytest.fixture
def full(ledger: Ledger) -> Ledger:
    """A consistent ledger with a bit of everything in it."""
    tea, rain = ledger.add(USER, "likes tea", "hates rain")
    ledger.add(DYAD, "be brief")
    ledger.delete(USER, rain)
    with ledger.database.write() as conn:
        store_vectors(conn, "toy", {tea: unit(4, 0), rain: unit(4, 1)})
        captures.open_capture(conn, ANA, "s1", AT)
        capture = captures.capture_id("s1")
        found = [entry(USER, f"found {i}", f"f{i}") for i in range(4)]
        for ordinal, one in enumerate(found):
            captures.store_proposal(conn, capture, ordinal, one, [], "new")
        verdicts: tuple[captures.Verdict, ...] = ("approved", "rejected", "approved")
        for ordinal, verdict in enumerate(verdicts):
            captures.store_decision(conn, proposal(ordinal), verdict, author="human", at=AT)
        for ordinal in (0, 1):
            captures.mark_applied(conn, proposal(ordinal))
    ledger.write(Add(found[0], proposal(0)))
    return ledger


def proposal(ordinal: int) -> str:
    return digest("proposal", captures.capture_id("s1"), str(ordinal))


def test_a_consistent_ledger_has_no_problems(full: Ledger) -> None:
    assert problems(full) == []


def test_an_approval_of_what_was_there_already_is_no_problem(full: Ledger) -> None:
    full.write(Add(entry(USER, "found 2", "f2"), "by hand"))
    with full.database.write() as conn:
        captures.mark_applied(conn, proposal(2))
    assert problems(full) == []


P0, P2, P3 = proposal(0), proposal(2), proposal(3)
PLANTED = {
    "a gap": (
        "UPDATE operations SET number = 9 WHERE number = 5 AND user = 'ana'",
        "User 'ana' has the counter 5 and 5 operations numbered up to 9, not 1 to 5.",
    ),
    "a counter that ran ahead": ("UPDATE users SET head = 6 WHERE id = 'ana'", "not 1 to 6"),
    "a counter of nothing": ("UPDATE users SET head = 1 WHERE id = 'ben'", "numbered up to 0"),
    "a user without a row": ("DELETE FROM users WHERE id = 'ana'", "no row of their own"),
    "an operation's cause": (
        "UPDATE operations SET cause = 'other' WHERE number = 1",
        "has not the id that its fields give",
    ),
    "an entry's key": ("UPDATE entries SET key = 'x' WHERE text = 'likes tea'", "scope and key"),
    "an entry nobody added": (
        "INSERT INTO entries SELECT 'x', 'x', account, user, agent, type, text, anchor, emotion,"
        " scene, author, session, turns, role FROM entries LIMIT 1",
        "Entry x was never added.",
    ),
    "an operation on nothing": (
        "DELETE FROM entries WHERE text = 'be brief'",
        "which does not exist",
    ),
    "an operation in another scope": (
        "UPDATE operations SET agent = 'nova' WHERE number = 3",
        "is not in the scope of its entry",
    ),
    "a second add": (
        "UPDATE operations SET kind = 'add' WHERE number = 4",
        "which was live already",
    ),
    "a delete of nothing": (
        "UPDATE operations SET kind = 'delete' WHERE number = 1",
        "which was not live",
    ),
    "a replaced entry that lives": (
        "UPDATE operations SET replaces = (SELECT json_array(entry) FROM operations"
        " WHERE number = 1 AND user = 'ana') WHERE number = 5",
        "which was not deleted before",
    ),
    "a replaced entry from nowhere": (
        "UPDATE operations SET replaces = '[\"nowhere\"]' WHERE number = 5",
        "replaces entry nowhere, which was not deleted before",
    ),
    "bytes that are no numbers": ("UPDATE vectors SET vector = x'000000'", "has 3 bytes"),
    "no bytes": ("UPDATE vectors SET vector = x''", "has 0 bytes"),
    "a shorter vector": (
        "UPDATE vectors SET vector = x'0000803f' WHERE entry = (SELECT max(entry) FROM vectors)",
        "has 1 numbers where others have 4",
    ),
    "a vector with NaN": (
        "UPDATE vectors SET vector = x'0000c07f000000000000000000000000'",
        "no number",
    ),
    "a long vector": (
        "UPDATE vectors SET vector = x'00000040000000000000000000000000'",
        "has the length 2.000, not 1",
    ),
    "a vector of nothing": (
        "UPDATE vectors SET entry = 'x' WHERE entry = (SELECT max(entry) FROM vectors)",
        "A row of vectors names the entry x, which is missing.",
    ),
    "a finding of nothing": (
        "INSERT INTO captured VALUES ('x', 0, '{}', '', NULL)",
        "A row of captured names the capture x, which is missing.",
    ),
    "proposals of nothing": ("DELETE FROM captures", "A row of proposals names the capture"),
    "a decision on nothing": (
        "INSERT INTO decisions VALUES ('x', 'approved', NULL, 'human', '', 0)",
        "A row of decisions names the proposal x, which is missing.",
    ),
    "an approval that did nothing": (
        f"UPDATE decisions SET applied = 1 WHERE proposal = '{P2}'",
        f"Proposal {P2} is marked as applied and has no operation.",
    ),
    "an operation before its decision": (
        f"UPDATE decisions SET applied = 0 WHERE proposal = '{P0}'",
        f"Proposal {P0} has operations without an applied approval.",
    ),
    "an operation of what was rejected": (
        f"UPDATE decisions SET verdict = 'rejected' WHERE proposal = '{P0}'",
        f"Proposal {P0} has operations without an applied approval.",
    ),
    "an operation without a decision": (
        f"DELETE FROM decisions WHERE proposal = '{P0}'",
        f"Proposal {P0} has operations without an applied approval.",
    ),
}


@pytest.mark.parametrize("ledger", ["sqlite"], indirect=True)  # planted in SQLite's words
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_inconsistency_is_found(full: Ledger, name: str) -> None:
    statement, sentence = PLANTED[name]
    with full.database.unchecked() as conn:
        assert conn.execute(text(statement)).rowcount > 0
    assert any(sentence in problem for problem in problems(full)), problems(full)


def test_an_entry_that_is_gone_gets_no_vector_and_an_error_that_the_index_survives(
    ledger: Ledger,
) -> None:
    (held,) = ledger.add(USER, "likes tea")
    filler = VectorFiller(ledger.database.read, ledger.database.write)
    with pytest.raises(EntryGone, match="forgotten while"):
        filler.vectors(HashedWords(), [held, "gone"])
    assert issubclass(EntryGone, EmbedderFailed)
    assert set(filler.vectors(HashedWords(), [held])) == {held}


class Interrupted(HashedWords):
    """Something happens to the record while it embeds, once."""

    def __init__(self, happens: Callable[[], None]) -> None:
        super().__init__()
        self._happens: list[Callable[[], None]] = [happens]

    def embed(self, texts: Sequence[str]) -> Vectors:
        made = super().embed(texts)
        for happens in self._happens:
            self._happens = []
            happens()
        return made


def test_what_is_forgotten_while_it_is_embedded_leaves_no_vector_of_its_words(
    ledger: Ledger,
) -> None:
    tea, kiln = ledger.add(USER, "likes tea", "has a kiln")

    def forget() -> None:
        with ledger.database.write() as conn:
            blank_entries(conn, [tea])

    filler, embedder = VectorFiller(ledger.database.read, ledger.database.write), HashedWords()
    with pytest.raises(EntryGone, match="forgotten while"):
        filler.vectors(Interrupted(forget), [tea, kiln])
    with ledger.database.read() as conn:
        assert set(load_vectors(conn, embedder.id, [tea, kiln])) == {kiln}
    found = filler.vectors(embedder, [tea, kiln])
    assert np.allclose(found[tea], embedder.embed([FORGOTTEN])[0])
