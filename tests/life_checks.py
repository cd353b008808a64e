"""Asks the product what it holds and holds it to the model: ledger, bank, index, exact recall."""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from sqlalchemy import Connection, Text, select

from memory_banks import folders
from memory_banks.collection import collection_name
from memory_banks.embedding import HashedWords
from memory_banks.entries import Dyad, Scope
from memory_banks.exact import ExactSearch, Hit
from memory_banks.ledger_bank import LedgerBank
from memory_banks.tables import metadata, users, vectors
from memory_banks.vectors import VectorFiller
from memory_banks.verify import ledger_problems
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from tests.fakes_bank import wait_until
from tests.life_model import Held, Name, Story, World

WORDS = HashedWords()
EVERYTHING = 1000
_SHORT = 12
"""Shorter texts are taken out only where they are a whole line."""
_ROUNDING = 1e-6
_ROWS = """
    SELECT c.name, e.embedding_id FROM collections c
    JOIN segments s ON s.collection = c.id JOIN embeddings e ON e.segment_id = s.id
"""
_COVERED = """
    SELECT c.name, m.int_value FROM collections c
    JOIN collection_metadata m ON m.collection_id = c.id WHERE m.key = 'number'
"""
_VECTORS = "SELECT id FROM embeddings_queue WHERE vector IS NOT NULL"


class Checks:
    """One program's answers against one world."""

    def __init__(self, world: World, index: Path) -> None:
        self._world = world
        self._index = index
        self._known: dict[str, tuple[str, Name]] = {}
        """Whose entry an id of the product's is: learnt from the ledger, then held to."""
        self._steps = 0

    def ids(self, user: str) -> dict[Name, str]:
        """The product's ids of a user's entries."""
        return {name: key for key, (whose, name) in self._known.items() if whose == user}

    def gone(self, users: Sequence[str]) -> None:
        """These users are forgotten: their ids may come back as somebody's who begins anew."""
        self._known = {key: own for key, own in self._known.items() if own[0] not in users}

    def agree(self, sandbox: Sandbox, agents: Sequence[str]) -> None:
        """Whatever there is, it is what the world says."""
        self._steps += 1
        for user, story in self._world.stories.items():
            self._ledger(sandbox, user, agents, story)
            for agent in agents:
                self.bank(sandbox, user, agent, story.head)
            past = self._steps * 7 % (story.head + 1)
            self.bank(sandbox, user, agents[self._steps % len(agents)], past)
        with sandbox.record.read() as conn:
            assert ledger_problems(conn) == []

    def bank(self, sandbox: Sandbox, user: str, agent: str, revision: int) -> None:
        """A bank at a revision is what the world says it was."""
        view = sandbox.banks.view(ACCOUNT, user, agent, revision)
        story = self._world.stories[user]
        expected = story.bank(agent, revision)
        assert (view.revision, view.head) == (revision, story.head)
        assert [
            (
                self._known[one.entry.id],
                (one.entry.type, one.entry.text),
                (one.added, one.deleted),
                [self._known[old][1] for old in one.replaces],
                one.replaced_by and self._known[one.replaced_by][1],
            )
            for one in view.states
        ] == [
            (
                (user, one.name),
                (one.note.type, one.note.text),
                (one.added, one.deleted),
                list(one.replaces),
                one.replaced_by if one.deleted else None,
            )
            for one in expected
        ]

    def _ledger(self, sandbox: Sandbox, user: str, agents: Sequence[str], story: Story) -> None:
        """Every agent sees its operations, all of them together one counter without a gap."""
        pairs = []
        for agent in agents:
            found = sandbox.banks.operations(ACCOUNT, user, agent)
            expected = story.seen(agent, story.head)
            assert [(one.number, one.kind) for one in found] == [(n, op.kind) for n, op in expected]
            pairs += [(one, op) for one, (_, op) in zip(found, expected, strict=True)]
        assert {one.number for one, _ in pairs} == set(range(1, story.head + 1))
        for one, op in pairs:
            assert self._known.setdefault(one.entry_id, (user, op.name)) == (user, op.name)
            assert one.scope == Scope(ACCOUNT, user, op.name[0])
        for one, op in pairs:
            assert [self._known[old] for old in one.replaces] == [(user, o) for o in op.replaces]
        ids = self.ids(user)
        assert len(set(ids.values())) == len(ids)

    def recall(self, sandbox: Sandbox, user: str, agent: str, query: str, revision: int) -> None:
        """The index, exact search and a plain sum find the same entries in the same order."""
        story, dyad = self._world.stories[user], Dyad(ACCOUNT, user, agent)
        bank = LedgerBank(dyad, revision, sandbox.index, lambda: WORDS, sandbox.record.read)
        held = [one for one in story.bank(agent, revision) if one.deleted is None]
        whole = _ranked(held, self.ids(user), query)
        for n in (EVERYTHING, 2):
            found = bank.recall(query, n)
            hits = [Hit(one.entry.id, one.similarity or 0.0) for one in found.candidates]
            assert hits == _exactly(sandbox, dyad, query, n, revision)
            assert _same(hits, whole, n)
        if sandbox.index.state.kind == "ready" and revision == story.head and held:
            assert found.searched == "index"

    def index(self, sandbox: Sandbox) -> None:
        """Once it has caught up, Chroma holds exactly what is live, and no forgotten vector."""
        if sandbox.index.state.kind != "ready":
            return
        with sandbox.record.read() as conn:
            path = folders.live_folder(conn, self._index)
        assert path is not None
        behind = dict(self._scopes())
        with closing(sqlite3.connect(f"file:{path / folders.DATABASE}?mode=ro", uri=True)) as db:
            wait_until(
                lambda: behind.items() <= _covered(db).items(),
                20,
                lambda: f"the index follows up to {_covered(db)}, not {behind}",
            )
            rows, kept = list(db.execute(_ROWS)), {one for (one,) in db.execute(_VECTORS)}
        live = {name: {key for other, key in rows if other == name} for name in behind}
        assert live == self._live(behind)
        stories = self._world.stories
        blanked = {key for key, own in self._known.items() if own[1] in stories[own[0]].blanked}
        assert not kept & blanked

    def _scopes(self) -> Iterator[tuple[str, int]]:
        """Every collection there must be, and its latest operation."""
        for user, story in self._world.stories.items():
            for number, op in enumerate(story.ops, 1):
                yield collection_name(Scope(ACCOUNT, user, op.name[0])), number

    def _live(self, names: Iterable[str]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {name: set() for name in names}
        for user, story in self._world.stories.items():
            ids = self.ids(user)
            for name in story.live():
                found[collection_name(Scope(ACCOUNT, user, name[0]))].add(ids[name])
        return found

    def nothing_is_left(self, sandbox: Sandbox) -> None:
        """A forgotten text is in no table, and no vector is made of anything but its entry."""
        said = sorted({form for one in self._world.said() for form in _forms(one)}, key=len)
        lost = {form for one in self._world.lost() for form in _forms(one)}
        with sandbox.record.read() as conn:
            for where, cell in _cells(conn) if lost else ():
                left = _left(cell, reversed(said), lost)
                assert not left, f"{left} is left in {where}: {cell}"
            kept = conn.execute(select(vectors.c.entry, vectors.c.vector)).all()
            people = set(conn.execute(select(users.c.id)).scalars())
        assert self._world.stories.keys() == people & (
            self._world.gone | self._world.stories.keys()
        )
        for key, vector in kept:
            if key in self._known:
                user, name = self._known[key]
                told = WORDS.embed([self._world.stories[user].notes[name].text])[0]
                assert np.frombuffer(vector, np.float32).tolist() == told.tolist()


def _cells(conn: Connection) -> set[tuple[str, str]]:
    """Every text in the database, and in which column."""
    columns = [one for table in metadata.sorted_tables for one in table.columns]
    return {
        (str(one), cell)
        for one in columns
        if isinstance(one.type, Text)
        for cell in conn.execute(select(one).where(one.is_not(None)).distinct()).scalars()
    }


def _forms(text: str) -> set[str]:
    """A text as it stands, and as it stands in JSON."""
    return {text, json.dumps(text, ensure_ascii=False)[1:-1]}


def _left(cell: str, said: Iterable[str], lost: Iterable[str]) -> list[str]:
    """What of `lost` a cell holds; a short text only where it is all that a string says."""
    whole = {cell, *re.findall(r'"((?:[^"\\]|\\.)*)"', cell)}
    for one in said:
        cell = cell.replace(one, "")
    return [one for one in lost if (one in cell if len(one) >= _SHORT else one in whole)]


def _covered(db: sqlite3.Connection) -> dict[str, int]:
    """How far each collection is; nothing in the moment of a write that nobody can read past."""
    try:
        return dict(db.execute(_COVERED))
    except sqlite3.OperationalError:
        return {}


def _ranked(held: Sequence[Held], ids: dict[Name, str], query: str) -> list[Hit]:
    """Every entry by the cosine, worked out one by one."""
    asked = WORDS.embed([query])[0].astype(np.float64)
    made = [(ids[one.name], WORDS.embed([one.note.text])[0].astype(np.float64)) for one in held]
    found = [Hit(key, float((vector * asked).sum())) for key, vector in made]
    return sorted(found, key=lambda hit: -hit.similarity)


def _same(hits: Sequence[Hit], whole: Sequence[Hit], n: int) -> bool:
    """Whether `hits` are the first `n` of all; equally close ones may change places."""
    by_id = {hit.id: hit.similarity for hit in whole}
    got = [(hit.similarity, by_id.get(hit.id, -2.0)) for hit in hits]
    pairs = zip(got, whole[:n], strict=True)
    return len({hit.id for hit in hits}) == len(hits) and all(
        abs(said - one.similarity) < _ROUNDING and abs(own - said) < _ROUNDING
        for (said, own), one in pairs
    )


def _exactly(sandbox: Sandbox, dyad: Dyad, query: str, n: int, revision: int) -> list[Hit]:
    """Exact search without anything kept from an earlier one."""
    filler = VectorFiller(sandbox.record.read, lambda: sandbox.record.write("derived"))
    with sandbox.record.read() as conn:
        vector = WORDS.embed([query])[0]
        return ExactSearch(filler).nearest(conn, dyad.scopes, WORDS, vector, n, revision)
