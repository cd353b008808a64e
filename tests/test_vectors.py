"""Vectors of texts that are known already: never embedded twice, never kept past forgetting."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from sqlalchemy import event

from memory_banks.embedding import HashedWords, Vectors
from memory_banks.entries import Dyad
from memory_banks.forgetting import blank_entries, remove_users
from memory_banks.vectors import VectorFiller, vectors_of_texts
from tests.fakes_bank import ANA, Database, Ledger, ServerDatabase
from tests.postgres import Postgres

BEN = Dyad("local", "ben", "robo")
HERS, HIS = ANA.scopes[0], BEN.scopes[0]


class Counting(HashedWords):
    """Keeps what it was asked to embed."""

    def __init__(self, dimension: int = 64) -> None:
        super().__init__(dimension)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return super().embed(texts)


@pytest.fixture(params=["sqlite", "postgres"])
def ledger(request: pytest.FixtureRequest) -> Iterator[Ledger]:
    server: Postgres | None = None
    if request.param == "postgres":
        server = request.getfixturevalue("postgres")
    made = Ledger(ServerDatabase(server.database()) if server else Database())
    made.user(ANA)
    made.user(BEN)
    yield made
    made.database.close()


def filler(ledger: Ledger) -> VectorFiller:
    return VectorFiller(ledger.database.read, ledger.database.write)


def test_a_text_that_another_entry_has_is_not_embedded_again(ledger: Ledger) -> None:
    embedder = Counting()
    (tea,) = ledger.add(HERS, "likes tea")
    first = filler(ledger).vectors(embedder, [tea])
    same, kiln = ledger.add(HIS, "likes tea", "has a kiln")
    found = filler(ledger).vectors(embedder, [same, kiln])
    assert embedder.asked == ["likes tea", "has a kiln"]
    assert np.array_equal(found[same], first[tea])


def test_texts_of_one_batch_that_are_alike_are_embedded_once(ledger: Ledger) -> None:
    embedder = Counting()
    ids = [*ledger.add(HERS, "likes tea"), *ledger.add(HIS, "likes tea")]
    found = filler(ledger).vectors(embedder, ids)
    assert embedder.asked == ["likes tea"]
    assert np.array_equal(found[ids[0]], found[ids[1]])


def test_texts_that_begin_alike_have_vectors_of_their_own(ledger: Ledger) -> None:
    embedder, start = Counting(), "word " * 20
    (one,) = ledger.add(HERS, f"{start}tea")
    filler(ledger).vectors(embedder, [one])
    (other,) = ledger.add(HIS, f"{start}coffee")
    found = filler(ledger).vectors(embedder, [other])
    assert embedder.asked == [f"{start}tea", f"{start}coffee"]
    assert np.array_equal(found[other], HashedWords(64).embed([f"{start}coffee"])[0])


def test_another_embedder_takes_no_vector_from_the_first(ledger: Ledger) -> None:
    small, large = Counting(64), Counting(128)
    ids = ledger.add(HERS, "likes tea")
    filler(ledger).vectors(small, ids)
    assert filler(ledger).vectors(large, ids)[ids[0]].shape == (128,)
    assert large.asked == ["likes tea"]


@pytest.mark.parametrize("whole", [False, True], ids=["an entry", "a person"])
def test_a_forgotten_text_has_no_vector_to_take(ledger: Ledger, whole: bool) -> None:
    embedder = Counting()
    ids = ledger.add(HERS, "likes tea")
    filler(ledger).vectors(embedder, ids)
    with ledger.database.write() as conn:
        if whole:
            remove_users(conn, ANA.account, [ANA.user])
        else:
            blank_entries(conn, ids)
    with ledger.database.read() as conn:
        assert vectors_of_texts(conn, embedder.id, ["likes tea"]) == {}
    again = ledger.add(HIS, "likes tea")
    filler(ledger).vectors(embedder, again)
    assert embedder.asked == ["likes tea", "likes tea"]


@pytest.mark.parametrize("ledger", ["sqlite"], indirect=True)  # in SQLite's words
def test_texts_are_found_by_an_index_however_large_the_ledger_is(ledger: Ledger) -> None:
    seen: list[tuple[str, Any]] = []
    with ledger.database.read() as conn:

        @event.listens_for(conn, "before_cursor_execute")
        def note(_conn: Any, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
            seen.append((statement, values))

        vectors_of_texts(conn, "some embedder", ["likes tea"])
        statement, values = seen[0]
        plan = conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values).all()
    steps = [row[-1] for row in plan]
    assert any("entries_by_text" in step for step in steps), steps
    assert not any(step.startswith("SCAN") for step in steps), steps
