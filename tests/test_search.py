"""Search: exact search and the index give one answer, and it is the ledger's."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, update

from memory_banks.bank import RecallUnavailable
from memory_banks.chroma import ChromaFolder
from memory_banks.collection import EXHAUSTIVE, MOST_STRAYS, Covered, Found, collection_name
from memory_banks.embedding import Embedder, EmbedderFailed, HashedWords, Vectors
from memory_banks.entries import Add, Dyad, Entry, Scope
from memory_banks.exact import ExactSearch, Hit, merged, ranked
from memory_banks.generation import Generation, certain
from memory_banks.index import Index
from memory_banks.ledger import entries_by_id, live_ids
from memory_banks.ledger_bank import LedgerBank
from memory_banks.tables import operations, users, vectors
from memory_banks.vectors import VectorFiller, changes, load_vectors
from tests.fakes_bank import ANA, Counted, Database, Ledger, entry, open_index

USER, DYAD = ANA.scopes
WORDS = HashedWords(32)
NEVER = Event()


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    made = Ledger(Database(tmp_path / "ledger.sqlite"))
    made.user(ANA)
    yield made
    made.database.close()


def filler(ledger: Ledger) -> VectorFiller:
    return VectorFiller(ledger.database.read, ledger.database.write)


def exact(ledger: Ledger) -> ExactSearch:
    return ExactSearch(filler(ledger))


def oracle(
    conn: Connection, dyad: Dyad, query: Vectors, n: int, revision: int, embedder: Embedder = WORDS
) -> list[Hit]:
    """The answer by definition: every live entry embedded anew and sorted."""
    ids = [i for scope in dyad.scopes for i in live_ids(conn, scope, revision)]
    held = entries_by_id(conn, ids)
    rows = embedder.embed([held[i].text for i in ids]).astype(np.float64)
    similarities = (rows * query.astype(np.float64)).sum(axis=1)
    hits = [Hit(i, min(1.0, float(s))) for i, s in zip(ids, similarities, strict=True)]
    return sorted(hits, key=lambda hit: (-hit.similarity, hit.id))[:n]


def by_generation(
    conn: Connection, generation: Generation, dyad: Dyad, query: Vectors, n: int, revision: int
) -> list[Hit] | None:
    parts = [generation.nearest(conn, scope, query, n, revision) for scope in dyad.scopes]
    known = [part for part in parts if part is not None]
    return merged(known, n) if len(known) == len(parts) else None


def same(found: Sequence[Hit] | None, wanted: Sequence[Hit]) -> None:
    assert found is not None
    assert [hit.id for hit in found] == [hit.id for hit in wanted]
    assert [hit.similarity for hit in found] == pytest.approx(
        [hit.similarity for hit in wanted], abs=1e-5
    )


def test_ranked_puts_the_closest_first_and_breaks_ties_by_id() -> None:
    rows = np.asarray([[1, 0], [0.6, 0.8], [1, 0], [0, 1]], dtype=np.float32)
    hits = ranked(["c", "b", "a", "d"], rows, np.asarray([1, 0], dtype=np.float32), 3)
    assert [hit.id for hit in hits] == ["a", "c", "b"]
    assert [hit.similarity for hit in hits] == pytest.approx([1, 1, 0.6])


def found_rows(*similarities: float, asked: int = 99, count: int | None = None) -> Found:
    """An answer of rows `a`, `b`, ...; of all rows unless said otherwise."""
    hits = [Hit("abcdefgh"[i], value) for i, value in enumerate(similarities)]
    return Found(hits, asked, len(hits) if count is None else count)


def test_rows_that_may_be_among_the_closest_are_kept() -> None:
    # With n = 2 the second is 0.8: `c` is within the margin of it, `d` is not.
    assert certain(found_rows(0.9, 0.8, 0.799999, 0.7), 2, (), ()) == ["a", "b", "c"]
    assert certain(found_rows(0.9, 0.8, 0.799999, 0.7), 2, {"a"}, ()) == ["b", "c"]
    assert certain(found_rows(0.8, 0.9), 1, (), ()) == ["b"]
    assert certain(found_rows(0.9), 5, (), ()) == ["a"]
    assert certain(found_rows(), 5, (), ()) == []


def test_rows_that_were_not_given_make_an_answer_uncertain() -> None:
    # Ten rows, three asked for: one of the others may be as close as the last given.
    assert certain(found_rows(0.9, 0.8, 0.799999, asked=3, count=10), 2, (), ()) is None
    assert certain(found_rows(0.9, 0.8, 0.7, asked=3, count=10), 2, (), ()) == ["a", "b"]
    assert certain(found_rows(0.9, 0.8, 0.7, asked=3, count=10), 2, {"a", "b"}, ()) is None
    # Fewer than there are: some cannot be reached, and nobody knows which.
    assert certain(found_rows(0.9, 0.8, 0.1, asked=4, count=10), 1, (), ()) is None
    assert certain(found_rows(0.9, 0.8, 0.1, asked=10, count=4), 1, (), ()) is None


def test_more_rows_than_a_search_compares_make_an_answer_uncertain() -> None:
    assert certain(found_rows(0.9, 0.8, asked=2, count=EXHAUSTIVE), 1, (), ()) == ["a"]
    assert certain(found_rows(0.9, 0.8, asked=2, count=EXHAUSTIVE + 1), 1, (), ()) is None


def test_rows_known_to_be_hidden_are_left_out_and_not_missed() -> None:
    assert certain(found_rows(0.9, 0.8, count=3), 5, (), {"z"}) == ["a", "b"]
    assert certain(found_rows(0.9, 0.8, count=4), 5, (), {"z"}) is None
    # One that is found after all does not stand in for another.
    assert certain(found_rows(0.9, 0.8, count=3), 5, (), {"a"}) is None
    assert certain(found_rows(0.9, 0.8, count=2), 5, (), {"a"}) == ["b"]


# The contract: random banks with adds, deletes, re-adds, an index that lags, past revisions.

TEXTS = ("tea", "tea milk", "milk tea", "rain", "rain walk dog", "dog", "", "the red bicycle")


@dataclass
class Bench:
    """One database, exact search and open generation for many small banks."""

    ledger: Ledger
    exact: ExactSearch
    generation: Generation
    used: int = 0

    def next_dyad(self) -> Dyad:
        self.used += 1
        dyad = Dyad("local", f"user {self.used}", "robo")
        self.ledger.user(dyad)
        return dyad


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("bench")
    ledger = Ledger(Database(folder / "ledger.sqlite"))
    generation = Generation(folder / "index", 30, WORDS, filler(ledger))
    yield Bench(ledger, exact(ledger), generation)
    generation.close()
    ledger.database.close()


move = st.one_of(
    st.tuples(st.just("add"), st.integers(0, 1), st.sampled_from(TEXTS)),
    st.tuples(st.just("add"), st.integers(0, 1), st.sampled_from(TEXTS)),
    st.tuples(st.just("flip"), st.integers(0, 1), st.integers(0, 99)),
    st.tuples(st.just("follow"), st.integers(0, 1), st.just(0)),
)


class Bank:
    """A bank that random moves change."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.dyad = bench.next_dyad()
        self.made: list[Entry] = []
        self.live: set[str] = set()

    def play(self, kind: str, side: int, what: str | int) -> None:
        scope = self.dyad.scopes[side]
        if kind == "follow":
            self.bench.generation.follow(self.bench.ledger.database.read, scope, NEVER)
        elif isinstance(what, str):
            one = entry(scope, what, f"k{len(self.made)}")
            self.made.append(one)
            self.add(one)
        elif self.made:
            self.flip(self.made[what % len(self.made)])

    def add(self, one: Entry) -> None:
        self.bench.ledger.add_again(one)
        self.live.add(one.id)

    def flip(self, one: Entry) -> None:
        """Delete the entry if it is live, else add it again."""
        if one.id in self.live:
            self.bench.ledger.delete(one.scope, one.id)
            self.live.discard(one.id)
        else:
            self.add(one)


@settings(max_examples=60, deadline=None)
@given(
    moves=st.lists(move, min_size=1, max_size=25),
    query=st.sampled_from(TEXTS),
    n=st.integers(1, 12),
    back=st.integers(0, 25),
)
def test_exact_search_and_the_index_give_the_same_answer(
    bench: Bench, moves: list[tuple[str, int, str | int]], query: str, n: int, back: int
) -> None:
    bank = Bank(bench)
    vector = WORDS.embed([query])[0]
    for kind, side, what in moves:
        bank.play(kind, side, what)
    head = bench.ledger.head(bank.dyad)
    with bench.ledger.database.read() as conn:
        for revision in {head, max(0, head - back)}:
            wanted = oracle(conn, bank.dyad, vector, n, revision)
            scopes = bank.dyad.scopes
            same(bench.exact.nearest(conn, scopes, WORDS, vector, n, revision), wanted)
            found = by_generation(conn, bench.generation, bank.dyad, vector, n, revision)
            if found is not None or revision == head:
                same(found, wanted)


def test_the_index_does_not_answer_for_a_revision_before_what_it_covers(bench: Bench) -> None:
    bank = Bank(bench)
    bank.play("add", 0, "tea")
    bank.play("add", 0, "rain")
    bank.play("follow", 0, 0)
    with bench.ledger.database.read() as conn:
        vector = WORDS.embed(["rain"])[0]
        assert by_generation(conn, bench.generation, bank.dyad, vector, 5, 1) is None
        same(
            by_generation(conn, bench.generation, bank.dyad, vector, 5, 2),
            oracle(conn, bank.dyad, vector, 5, 2),
        )


def test_an_index_that_is_far_behind_leaves_the_answer_to_exact_search(bench: Bench) -> None:
    bank = Bank(bench)
    bench.ledger.add(bank.dyad.scope("user"), *(f"fact {i}" for i in range(501)))
    with bench.ledger.database.read() as conn:
        vector = WORDS.embed(["fact 7"])[0]
        assert by_generation(conn, bench.generation, bank.dyad, vector, 5, 501) is None


def test_work_cut_off_before_it_is_covered_changes_no_answer(bench: Bench) -> None:
    bank, cut = Bank(bench), Event()
    bank.play("add", 0, "tea")
    bank.play("add", 0, "rain")
    bank.play("follow", 0, 0)
    bank.play("add", 0, "milk tea")
    bank.flip(bank.made[0])
    scope, read = bank.dyad.scope("user"), bench.ledger.database.read
    # Rows are written, then the thread is told to stop: the collection still covers revision 2.
    bench.generation.follow(read, scope, cut, lambda written: cut.set())
    vector = WORDS.embed(["tea"])[0]
    with read() as conn:
        assert by_generation(conn, bench.generation, bank.dyad, vector, 9, 2) is None
        for _ in range(2):
            found = by_generation(conn, bench.generation, bank.dyad, vector, 9, 4)
            same(found, oracle(conn, bank.dyad, vector, 9, 4))
            bench.generation.follow(read, scope, NEVER)


class Close(Counted):
    """An embedder whose vectors differ by less than single precision can order."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = [np.random.default_rng(len(text) * 1000 + sum(text.encode())) for text in texts]
        size = self.dimension
        noise = np.asarray([row.normal(size=size) for row in rows]).reshape(-1, size)
        return np.asarray((1 + 1e-7 * noise) / size**0.5, dtype=np.float32)


def test_entries_that_single_precision_cannot_order_come_in_one_order(
    ledger: Ledger, tmp_path: Path
) -> None:
    ledger.add(USER, *(f"text {i}" for i in range(120)))
    close, search = Close(HashedWords(384)), exact(ledger)
    generation = Generation(tmp_path / "close", 30, close, filler(ledger))
    generation.follow(ledger.database.read, USER, NEVER)
    with ledger.database.read() as conn:
        query = close.embed(["a question"])[0]
        for n in range(1, 30):
            wanted = oracle(conn, ANA, query, n, 120, close)
            assert search.nearest(conn, ANA.scopes, close, query, n, 120) == wanted
            assert by_generation(conn, generation, ANA, query, n, 120) == wanted
    generation.close()


class Crowded(Counted):
    """An embedder that puts every text with `near` in it into one tight corner."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        size = self.dimension
        rows = []
        for text in texts:
            own = np.random.default_rng(list(text.encode())).normal(size=size)
            rows.append(np.ones(size) + 0.005 * own if "near" in text else own)
        made = np.asarray(rows).reshape(-1, size)
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


def test_a_crowd_of_like_entries_hides_no_other(ledger: Ledger, tmp_path: Path) -> None:
    ledger.add(USER, *(f"near {i}" for i in range(500)), *(f"far {i}" for i in range(900)))
    crowded, search = Crowded(HashedWords(384)), exact(ledger)
    generation = Generation(tmp_path / "crowd", 30, crowded, filler(ledger))
    generation.follow(ledger.database.read, USER, NEVER)
    with ledger.database.read() as conn:
        for question in ("far", "far 7", *(f"question {i}" for i in range(12))):
            query = crowded.embed([question])[0]
            wanted = search.nearest(conn, ANA.scopes, crowded, query, 50, 1400)
            assert by_generation(conn, generation, ANA, query, 50, 1400) == wanted
    generation.close()


@pytest.mark.parametrize("hidden", [0, 1, 3, MOST_STRAYS + 1])
def test_rows_that_the_index_hides_are_compared_one_by_one(
    ledger: Ledger, tmp_path: Path, hidden: int
) -> None:
    ids = ledger.add(USER, *(f"tea of kind {i}" for i in range(MOST_STRAYS + 5)))
    head = len(ids)
    with ledger.database.read() as conn:
        last = changes(conn, USER)[-1]
    covered = Covered(head, last.operation, WORDS.id, tuple(ids[:hidden]))
    place = tmp_path / "hiding"
    first = Generation(place, 30, WORDS, filler(ledger))
    first.follow(ledger.database.read, USER, NEVER)
    first.close()
    folder = ChromaFolder(place, 30)
    folder.delete(collection_name(USER), ids[:hidden])
    folder.close()
    again = Generation(place, 30, WORDS, filler(ledger), {collection_name(USER): covered})
    query = WORDS.embed(["tea of kind 1"])[0]
    with ledger.database.read() as conn:
        found = by_generation(conn, again, ANA, query, 5, head)
        if hidden > MOST_STRAYS:
            assert found is None
        else:
            same(found, oracle(conn, ANA, query, 5, head))
    again.close()


@pytest.mark.parametrize("first", ["the same", "the others"])
def test_hundreds_of_equal_entries_hide_no_other(bench: Bench, first: str) -> None:
    same_texts, others = ["ok"] * 300, [f"{i} apples and {i % 7} pears" for i in range(300)]
    bank = Bank(bench)
    scope, read = bank.dyad.scope("dyad"), bench.ledger.database.read
    ordered = same_texts + others if first == "the same" else others + same_texts
    bench.ledger.add(scope, *ordered)
    bench.generation.follow(read, scope, NEVER)
    with read() as conn:
        for query in ("ok", "17 apples", "pears", "nothing of it"):
            vector = WORDS.embed([query])[0]
            wanted = oracle(conn, bank.dyad, vector, 50, 600)
            found = by_generation(conn, bench.generation, bank.dyad, vector, 50, 600)
            if found is not None:
                same(found, wanted)
            same(bench.exact.nearest(conn, bank.dyad.scopes, WORDS, vector, 50, 600), wanted)


def test_scopes_never_leak_into_each_other(bench: Bench) -> None:
    """The same texts for another user, another agent and another account: all have own answers."""
    ledger, base = bench.ledger, bench.next_dyad()
    dyads = [
        base,
        Dyad("local", base.user, "nova"),
        Dyad("local", "somebody", "robo"),
        Dyad("other", base.user, "robo"),
    ]
    for dyad in dyads:
        ledger.user(dyad)
        for scope in dyad.scopes:
            if dyad != dyads[1] or scope.side == "dyad":
                ledger.add(scope, "likes tea", "hates rain")
            bench.generation.follow(ledger.database.read, scope, NEVER)
    vector = WORDS.embed(["tea"])[0]
    with ledger.database.read() as conn:
        for dyad in dyads:
            head = ledger.head(dyad)
            seen = {i for scope in dyad.scopes for i in live_ids(conn, scope)}
            found = by_generation(conn, bench.generation, dyad, vector, 99, head)
            assert found is not None
            assert {hit.id for hit in found} == seen
            hits = bench.exact.nearest(conn, dyad.scopes, WORDS, vector, 99, head)
            assert {hit.id for hit in hits} == seen
    assert ledger.head(dyads[1]) == 6


# Exact search.


def test_exact_search_embeds_each_entry_once(ledger: Ledger) -> None:
    ledger.add(USER, "likes tea", "hates rain")
    counted, search = Counted(), exact(ledger)
    query = WORDS.embed(["tea"])[0]
    with ledger.database.read() as conn:
        search.nearest(conn, ANA.scopes, counted, query, 5, 2)
        search.nearest(conn, ANA.scopes, counted, query, 5, 2)
    ledger.add(DYAD, "be brief")
    with ledger.database.read() as conn:
        search.nearest(conn, ANA.scopes, counted, query, 5, 3)
        exact(ledger).nearest(conn, ANA.scopes, counted, query, 5, 3)
    assert counted.texts == ["likes tea", "hates rain", "be brief"]


def test_a_snapshot_finds_entries_whose_vectors_were_made_after_it(ledger: Ledger) -> None:
    ledger.add(USER, "likes tea")
    query = WORDS.embed(["tea"])[0]
    with ledger.database.read() as conn:
        live_ids(conn, USER)
        (hit,) = exact(ledger).nearest(conn, ANA.scopes, WORDS, query, 5, 1)
        assert load_vectors(conn, WORDS.id, [hit.id]) == {}
        (again,) = exact(ledger).nearest(conn, ANA.scopes, WORDS, query, 5, 1)
    assert hit == again
    with ledger.database.read() as conn:
        assert set(load_vectors(conn, WORDS.id, [hit.id])) == {hit.id}


def test_two_embedders_do_not_share_vectors(ledger: Ledger) -> None:
    ledger.add(USER, "likes tea", "hates rain")
    search = exact(ledger)
    with ledger.database.read() as conn:
        for embedder in (WORDS, HashedWords(8)):
            query = embedder.embed(["tea"])[0]
            found = search.nearest(conn, ANA.scopes, embedder, query, 5, 2)
            same(found, oracle(conn, ANA, query, 5, 2, embedder))
    with ledger.database.read() as conn:
        assert len(conn.execute(vectors.select()).all()) == 4


def test_a_user_who_begins_anew_is_not_answered_from_the_old_life(ledger: Ledger) -> None:
    search, query = exact(ledger), WORDS.embed(["tea"])[0]
    ledger.add(USER, "likes tea", "hates rain")
    with ledger.database.read() as conn:
        search.nearest(conn, ANA.scopes, WORDS, query, 5, 2)
    with ledger.database.write() as conn:
        conn.execute(delete(operations))
        conn.execute(update(users).values(head=0))
    for texts in (("drinks tea",), ("loves tea", "owns a dog")):
        ledger.add(USER, *texts)
        with ledger.database.read() as conn:
            head = ledger.head(ANA)
            found = search.nearest(conn, ANA.scopes, WORDS, query, 5, head)
            same(found, oracle(conn, ANA, query, 5, head))


def test_a_new_life_that_begins_like_the_old_one_is_told_apart(ledger: Ledger) -> None:
    search, query = exact(ledger), WORDS.embed(["tea"])[0]
    first = Add(entry(USER, "likes tea", "k"), "import")
    ledger.write(first)
    ledger.add(DYAD, "be brief", "be kind", "be quick")
    ledger.add(USER, "hates rain")
    with ledger.database.read() as conn:
        search.nearest(conn, ANA.scopes, WORDS, query, 5, 5)
    with ledger.database.write() as conn:
        conn.execute(delete(operations))
        conn.execute(update(users).values(head=0))
    ledger.write(first)
    ledger.add(DYAD, "be slow")
    ledger.add(USER, "owns a dog")
    ledger.add(USER, "drinks tea")
    with ledger.database.read() as conn:
        for revision in (3, 4, 3):
            found = search.nearest(conn, ANA.scopes, WORDS, query, 5, revision)
            same(found, oracle(conn, ANA, query, 5, revision))


def test_what_was_rolled_back_is_not_remembered(ledger: Ledger) -> None:
    search, query = exact(ledger), WORDS.embed(["tea"])[0]
    ledger.add(USER, "likes tea")
    with ledger.database.read() as conn:
        search.nearest(conn, ANA.scopes, WORDS, query, 5, 1)
    ledger.add(USER, "hates tea")
    with ledger.database.read() as conn:
        search.nearest(conn, ANA.scopes, WORDS, query, 5, 2)
    with ledger.database.write() as conn:
        conn.execute(delete(operations).where(operations.c.number == 2))
        conn.execute(update(users).values(head=1))
    ledger.add(USER, "owns a dog")
    with ledger.database.read() as conn:
        found = search.nearest(conn, ANA.scopes, WORDS, query, 5, 2)
        same(found, oracle(conn, ANA, query, 5, 2))


def test_forgetting_a_scope_changes_no_answer(ledger: Ledger) -> None:
    search, query = ExactSearch(filler(ledger), max_rows=1), WORDS.embed(["tea"])[0]
    ledger.add(USER, "likes tea", "hates rain")
    ledger.add(DYAD, "offer tea", "be brief")
    with ledger.database.read() as conn:
        for _ in range(3):
            found = search.nearest(conn, ANA.scopes, WORDS, query, 3, 4)
            same(found, oracle(conn, ANA, query, 3, 4))


def test_many_threads_get_the_answer_of_their_revision(ledger: Ledger) -> None:
    search, query = exact(ledger), WORDS.embed(["tea milk"])[0]

    def write() -> None:
        for i in range(30):
            (held,) = ledger.add(DYAD, f"{TEXTS[i % 5]} {i}")
            if i % 3 == 0:
                ledger.delete(DYAD, held)

    def ask(_: int) -> None:
        with ledger.database.read() as conn:
            head = ledger.head(ANA)
            for revision in (head, head // 2):
                found = search.nearest(conn, ANA.scopes, WORDS, query, 5, revision)
                same(found, oracle(conn, ANA, query, 5, revision))

    with ThreadPoolExecutor(4) as pool:
        writing = pool.submit(write)
        asked = list(pool.map(ask, range(40)))
        writing.result()
    assert len(asked) == 40


class Broken(Counted):
    """An embedder that gives no numbers."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        return super().embed(texts) * np.float32("nan")


def test_vectors_that_are_no_numbers_are_refused_and_not_stored(ledger: Ledger) -> None:
    ledger.add(USER, "likes tea")
    with ledger.database.read() as conn, pytest.raises(EmbedderFailed, match="not made of numbers"):
        exact(ledger).nearest(conn, ANA.scopes, Broken(), WORDS.embed(["tea"])[0], 5, 1)
    with ledger.database.read() as conn:
        assert conn.execute(vectors.select()).all() == []


def test_a_query_of_another_length_or_for_nothing_is_refused(ledger: Ledger) -> None:
    with ledger.database.read() as conn:
        with pytest.raises(ValueError, match=r"query must have shape \(32,\), got \(8,\)"):
            exact(ledger).nearest(conn, ANA.scopes, WORDS, HashedWords(8).embed(["a"])[0], 5, 0)
        with pytest.raises(ValueError, match="n must be at least 1, got 0"):
            exact(ledger).nearest(conn, ANA.scopes, WORDS, WORDS.embed(["a"])[0], 0, 0)


# The bank.


class Lazy(LedgerBank):
    """A bank that must not be listed."""

    def count(self) -> int:
        raise AssertionError("counted")

    def entries(self) -> list[Entry]:
        raise AssertionError("listed")


@pytest.fixture
def searcher(ledger: Ledger, tmp_path: Path) -> Iterator[Index]:
    index = open_index(tmp_path / "index", ledger.database)
    yield index
    index.close()


@pytest.fixture
def bank_at(ledger: Ledger, searcher: Index) -> Callable[..., LedgerBank]:
    def make(revision: int, embedder: Embedder | None = WORDS) -> LedgerBank:
        def get() -> Embedder:
            if embedder is None:
                raise RecallUnavailable("The embedder is still loading.")
            return embedder

        return Lazy(ANA, revision, searcher, get, ledger.database.read)

    return make


def test_recall_gives_the_closest_entries_of_its_revision(
    ledger: Ledger, bank_at: Callable[..., LedgerBank]
) -> None:
    (tea,) = ledger.add(USER, "likes tea")
    ledger.add(DYAD, "offer tea at night", "be brief")
    ledger.delete(USER, tea)
    now, before = bank_at(4).recall("tea", 2), bank_at(3).recall("tea", 2)
    assert [found.entry.text for found in now.candidates] == ["offer tea at night", "be brief"]
    assert [found.entry.text for found in before.candidates] == ["likes tea", "offer tea at night"]
    # One of two words is the query: 1 / sqrt(2); one of four: 1 / 2.
    assert [c.similarity for c in before.candidates] == pytest.approx([0.5**0.5, 0.5], abs=1e-6)
    assert (now.query, now.searched) == ("tea", "exact")
    assert now.seconds_embedding > 0


def test_an_empty_bank_recalls_nothing_and_needs_no_embedder(
    ledger: Ledger, bank_at: Callable[..., LedgerBank]
) -> None:
    assert bank_at(0, None).recall("tea", 5).candidates == ()
    (held,) = ledger.add(USER, "likes tea")
    ledger.delete(USER, held)
    assert bank_at(2, None).recall("tea", 5).candidates == ()
    with pytest.raises(RecallUnavailable, match="still loading"):
        bank_at(1, None).recall("tea", 5)


def test_an_embedder_that_fails_makes_recall_unavailable(
    ledger: Ledger, bank_at: Callable[..., LedgerBank]
) -> None:
    ledger.add(USER, "likes tea")
    with pytest.raises(RecallUnavailable, match="not made of numbers"):
        bank_at(1, Broken()).recall("tea", 5)


def test_recall_of_nothing_is_refused(bank_at: Callable[..., LedgerBank]) -> None:
    with pytest.raises(ValueError, match="n must be at least 1, got 0"):
        bank_at(0).recall("tea", 0)


def test_a_bank_lists_and_counts_what_lives(ledger: Ledger, searcher: Index) -> None:
    (tea,) = ledger.add(USER, "likes tea")
    ledger.add(DYAD, "be brief")
    ledger.add(Scope("local", "ana", "nova"), "not here")
    ledger.delete(USER, tea)

    def bank(revision: int) -> LedgerBank:
        return LedgerBank(ANA, revision, searcher, lambda: WORDS, ledger.database.read)

    assert [one.text for one in bank(2).entries()] == ["likes tea", "be brief"]
    assert [one.text for one in bank(4).entries()] == ["be brief"]
    assert (bank(2).count(), bank(4).count(), bank(0).count()) == (2, 1, 0)
    assert bank(4).revision == 4
