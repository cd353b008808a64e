"""The index is derived: damaged, behind or gone, it is mended and says so; answers stay right."""

import logging
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from memory_banks import checking, folders
from memory_banks.building import Deadlines
from memory_banks.checking import Answer, Expected, Question, answer
from memory_banks.chroma import ChromaFolder
from memory_banks.collection import Covered, IndexOffline, collection_name
from memory_banks.deadline import Abandoned, PastDeadline, Worker
from memory_banks.embedding import Embedder, HashedWords, Vectors
from memory_banks.entries import Dyad
from memory_banks.exact import ExactSearch, Hit
from memory_banks.index import Index, Nearest
from memory_banks.vectors import Change, VectorFiller
from tests.fakes_bank import (
    ANA,
    Counted,
    Database,
    Ledger,
    open_index,
    unit,
    wait_for,
    wait_until,
)

USER, DYAD = ANA.scopes
WORDS = HashedWords(32)
MANY = 1100
"""More entries than Chroma keeps in its log: so many make it write its index files."""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    made = Ledger(Database(tmp_path / "ledger.sqlite"))
    made.user(ANA)
    yield made
    made.database.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "index"


def live(ledger: Ledger, root: Path) -> Path:
    """The folder of the live generation."""
    with ledger.database.read() as conn:
        found = folders.live_folder(conn, root)
    assert found is not None
    return found


def started(ledger: Ledger, root: Path, embedder: Embedder = WORDS) -> Index:
    index = open_index(root, ledger.database)
    index.start(embedder)
    wait_for(index, "ready")
    return index


def closed(ledger: Ledger, root: Path, embedder: Embedder = WORDS) -> Path:
    """Start the index, close it again; the folder it is in."""
    started(ledger, root, embedder).close()
    return live(ledger, root)


def search(
    index: Index, ledger: Ledger, query: str, n: int = 10, dyad: Dyad = ANA, words: Embedder = WORDS
) -> Nearest:
    with ledger.database.read() as conn:
        vector = words.embed([query])[0]
        return index.search(conn, dyad, vector, n, ledger.head(dyad), words)


def exactly(
    ledger: Ledger, query: str, n: int = 10, dyad: Dyad = ANA, words: Embedder = WORDS
) -> list[Hit]:
    filler = VectorFiller(ledger.database.read, ledger.database.write)
    with ledger.database.read() as conn:
        vector, head = words.embed([query])[0], ledger.head(dyad)
        return ExactSearch(filler).nearest(conn, dyad.scopes, words, vector, n, head)


def answers(index: Index, ledger: Ledger, by: str, words: Embedder = WORDS) -> None:
    """The index answers as exact search does, in the way named."""
    for query in ("apple 3", "bicycle", "nothing like it"):
        found = search(index, ledger, query, words=words)
        assert (found.searched, found.hits) == (by, exactly(ledger, query, words=words))


def fill(ledger: Ledger, count: int = 20) -> None:
    ledger.add(USER, *(f"apple {i} pear {i % 5}" for i in range(count // 2)))
    ledger.add(DYAD, *(f"bicycle {i}" for i in range(count - count // 2)))


def test_the_first_start_builds_the_index_without_a_word(ledger: Ledger, root: Path) -> None:
    fill(ledger)
    index = started(ledger, root)
    assert index.state.sentence == "The vector index is ready."
    assert index.notices == ()
    answers(index, ledger, "index")
    index.close()
    assert index.state.kind == "off"
    answers(index, ledger, "exact")


def test_an_empty_ledger_has_a_ready_index(ledger: Ledger, root: Path) -> None:
    index = started(ledger, root)
    assert search(index, ledger, "tea") == Nearest([], "index")
    fill(ledger)
    index.changed(ANA.scopes)
    wait_until(lambda: search(index, ledger, "apple 3", n=1).searched == "index")
    answers(index, ledger, "index")
    index.close()


def test_a_sound_index_is_opened_as_it_is(ledger: Ledger, root: Path) -> None:
    fill(ledger)
    before = closed(ledger, root)
    index = started(ledger, root)
    assert (live(ledger, root), index.notices) == (before, ())
    answers(index, ledger, "index")
    index.close()


def test_an_index_that_fell_behind_is_caught_up_and_not_rebuilt(ledger: Ledger, root: Path) -> None:
    first = ledger.add(USER, *(f"apple {i}" for i in range(5)))
    before = closed(ledger, root)
    ledger.delete(USER, first[0])
    ledger.add(USER, "apple pie", "apple 0")
    ledger.add(DYAD, "the first of its scope")
    index = started(ledger, root)
    assert (live(ledger, root), index.notices) == (before, ())
    answers(index, ledger, "index")
    index.close()
    # What was caught up is written down: the next start finds nothing to do.
    assert closed(ledger, root) == before


def test_a_start_returns_at_once_and_embeds_what_is_missing(ledger: Ledger, root: Path) -> None:
    fill(ledger, 40)
    counted = Counted(WORDS)
    index = started(ledger, root, counted)
    assert sorted(counted.texts) == sorted(set(counted.texts))
    assert len(counted.texts) == 40
    index.close()


def test_another_embedder_means_another_index(ledger: Ledger, root: Path) -> None:
    fill(ledger)
    before, smaller = closed(ledger, root), HashedWords(8)
    index = started(ledger, root, smaller)
    assert index.notices == (
        "The vector index was rebuilt: it was made with the embedder hashed-words-32, and "
        "hashed-words-8 is in use.",
    )
    answers(index, ledger, "exact", WORDS)
    answers(index, ledger, "index", smaller)
    assert live(ledger, root) != before
    index.close()


# Damage.


def cut(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def garble(path: Path) -> None:
    path.write_bytes(b"\xff" * path.stat().st_size)


def file_named(folder: Path, name: str) -> Path:
    (found,) = [path for path in folder.rglob(name) if path.stat().st_size > 100_000]
    return found


def drop_hnsw(folder: Path) -> None:
    shutil.rmtree(file_named(folder, "data_level0.bin").parent)


def add_collection(folder: Path) -> None:
    opened = ChromaFolder(folder, 30)
    opened.create("u-" + "0" * 32)
    opened.close()


def name_a_model(folder: Path) -> None:
    """Chroma's default set-up: opening it as Chroma proposes would load a model it names."""
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
    client.delete_collection(collection_name(USER))
    client.create_collection(collection_name(USER))
    client.close()  # type: ignore[attr-defined] # the returned class has it


def delete_rows(folder: Path, name: str, ids: Sequence[str]) -> None:
    opened = ChromaFolder(folder, 30)
    opened.delete(name, ids)
    opened.close()


DAMAGE: Mapping[str, Callable[[Path], object]] = {
    "folder deleted": shutil.rmtree,
    "folder replaced by a link": lambda folder: link_away(folder),
    "database deleted": lambda folder: (folder / folders.DATABASE).unlink(),
    "database emptied": lambda folder: (folder / folders.DATABASE).write_bytes(b""),
    "database zeroed": lambda folder: (folder / folders.DATABASE).write_bytes(bytes(200_000)),
    "database cut": lambda folder: cut(folder / folders.DATABASE),
    "index file cut": lambda folder: cut(file_named(folder, "data_level0.bin")),
    "index file emptied": lambda folder: file_named(folder, "data_level0.bin").write_bytes(b""),
    "index file garbled": lambda folder: garble(file_named(folder, "data_level0.bin")),
    "index files deleted": drop_hnsw,
    "a collection too many": add_collection,
    "a collection that names a model": name_a_model,
}


def link_away(folder: Path) -> None:
    folder.rename(folder.parent / "elsewhere")
    folder.symlink_to(folder.parent / "elsewhere")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a ledger of many entries and its index."""
    place = tmp_path_factory.mktemp("sound")
    ledger = Ledger(Database(place / "ledger.sqlite"))
    ledger.user(ANA)
    fill(ledger, 10)
    ledger.add(DYAD, *(f"bicycle {i} of {i % 9} wheels" for i in range(MANY)))
    closed(ledger, place / "index")
    ledger.database.close()
    return place


@pytest.fixture
def copied(sound: Path, tmp_path: Path) -> Iterator[Ledger]:
    """The sound ledger, copied for one test together with its index."""
    shutil.copytree(sound, tmp_path, dirs_exist_ok=True)
    made = Ledger(Database(tmp_path / "ledger.sqlite"), count=10_000)
    yield made
    made.database.close()


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_index_is_rebuilt_and_said_so(copied: Ledger, root: Path, name: str) -> None:
    folder = live(copied, root)
    DAMAGE[name](folder)
    index = started(copied, root)
    (notice,) = index.notices
    assert notice.startswith("The vector index was rebuilt: ")
    assert index.state.sentence == notice
    answers(index, copied, "index")
    index.close()
    rebuilt = live(copied, root)
    assert rebuilt != folder
    assert not folder.exists()
    assert not folder.is_symlink()
    # And the new one is sound.
    again = started(copied, root)
    assert (again.notices, live(copied, root)) == ((), rebuilt)
    again.close()


def test_another_banks_index_is_not_taken_for_ours(
    copied: Ledger, root: Path, tmp_path: Path
) -> None:
    other = Ledger(Database(tmp_path / "other.sqlite"))
    other.user(Dyad("local", "ben", "robo"))
    other.add(Dyad("local", "ben", "robo").scope("user"), "likes tea")
    theirs, ours = closed(other, tmp_path / "other"), live(copied, root)
    other.database.close()
    shutil.rmtree(ours)
    shutil.copytree(theirs, ours)
    index = started(copied, root)
    assert index.notices == (
        "The vector index was rebuilt: it holds collections that the ledger does not know (1).",
    )
    answers(index, copied, "index")
    index.close()


def test_an_older_copy_of_the_index_is_caught_up(ledger: Ledger, root: Path) -> None:
    fill(ledger)
    folder = closed(ledger, root)
    shutil.copytree(folder, root.parent / "backup")
    ledger.add(USER, "apple 99")
    closed(ledger, root)
    shutil.rmtree(folder)
    shutil.copytree(root.parent / "backup", folder)
    index = started(ledger, root)
    answers(index, ledger, "index")
    assert index.notices == ()
    index.close()


def test_a_lost_row_is_noticed_at_start(ledger: Ledger, root: Path) -> None:
    lost, *_ = ledger.add(USER, *(f"apple {i}" for i in range(5)))
    folder = closed(ledger, root)
    delete_rows(folder, collection_name(USER), [lost])
    index = started(ledger, root)
    assert index.notices == (
        "The vector index was rebuilt: a collection listed 4 entries where the ledger has 5.",
    )
    answers(index, ledger, "index")
    index.close()


@pytest.mark.parametrize("name", ["folder deleted", "database replaced"])
def test_an_index_that_goes_away_while_running_is_rebuilt(
    ledger: Ledger, root: Path, name: str
) -> None:
    fill(ledger)
    index = started(ledger, root)
    folder = live(ledger, root)
    if name == "folder deleted":
        shutil.rmtree(folder)
    else:
        database = folder / folders.DATABASE
        shutil.copy(database, folder / "copy")
        (folder / "copy").replace(database)
    assert search(index, ledger, "apple 3") == Nearest(exactly(ledger, "apple 3"), "exact")
    wait_for(index, "ready")
    sentence = "its folder was removed or replaced while in use"
    assert index.notices == (f"The vector index was rebuilt: {sentence}.",)
    answers(index, ledger, "index")
    assert live(ledger, root) != folder
    index.close()


def test_a_call_past_its_deadline_turns_the_index_off_until_it_is_rebuilt(
    ledger: Ledger, root: Path
) -> None:
    fill(ledger)
    index = open_index(root, ledger.database, Deadlines(call=1e-6))
    index.start(WORDS)
    wait_for(index, "off")
    sentence = "The vector index is off: a call took more than 1e-06 seconds. Recall searches"
    assert index.state.sentence.startswith(sentence)
    assert len(index.notices) == 1
    answers(index, ledger, "exact")
    index.close()
    # What the call left behind goes with the next start.
    started(ledger, root).close()
    assert list(root.iterdir()) == [live(ledger, root)]


def test_a_place_that_is_no_folder_turns_the_index_off(ledger: Ledger, root: Path) -> None:
    fill(ledger)
    root.write_text("not a folder")
    index = open_index(root, ledger.database)
    index.start(WORDS)
    wait_for(index, "off")
    assert index.state.sentence.startswith("The vector index is off: ")
    answers(index, ledger, "exact")
    index.close()


def test_only_generations_that_are_not_live_are_removed(ledger: Ledger, root: Path) -> None:
    fill(ledger)
    folder = closed(ledger, root)
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (root / ("g-" + "0" * 16)).mkdir()
    (root / ("g-" + "1" * 16)).symlink_to(outside)
    for name in ("g-short", "mine", "g-" + "z" * 16):
        (root / name).mkdir()
    started(ledger, root).close()
    left = {path.name for path in root.iterdir()}
    assert left == {folder.name, "g-short", "mine", "g-" + "z" * 16}
    assert (outside / "kept").exists()


def test_a_name_in_the_database_cannot_lead_out_of_the_root(ledger: Ledger, root: Path) -> None:
    with ledger.database.write() as conn:
        folders.make_live(conn, root / ".." / "..")
    with ledger.database.read() as conn:
        assert folders.live_folder(conn, root) is None


# While it runs.


def test_changes_reach_the_index_in_the_background(ledger: Ledger, root: Path) -> None:
    fill(ledger)
    counted = Counted(WORDS)
    index = started(ledger, root, counted)
    counted.texts.clear()
    (pie,) = ledger.add(USER, "apple pie")
    index.changed([USER])
    wait_until(lambda: counted.texts == ["apple pie"])
    ledger.delete(USER, pie)
    index.changed([USER])
    answers(index, ledger, "index")
    index.close()
    assert counted.texts == ["apple pie"]


def test_searches_stay_right_while_the_index_follows(ledger: Ledger, root: Path) -> None:
    fill(ledger)
    index = started(ledger, root)
    for i in range(25):
        (held,) = ledger.add(DYAD, f"bicycle {i} new")
        if i % 3 == 0:
            ledger.delete(DYAD, held)
        index.changed([DYAD])
        assert search(index, ledger, f"bicycle {i}").hits == exactly(ledger, f"bicycle {i}")
    assert index.notices == ()
    index.close()


def test_a_rebuild_on_demand_tells_how_far_it_is(ledger: Ledger, root: Path) -> None:
    fill(ledger, 30)
    told: list[tuple[int, int]] = []
    index = open_index(root, ledger.database)
    with pytest.raises(ValueError, match="has no embedder"):
        index.rebuild()
    index.use(WORDS)
    answers(index, ledger, "exact")
    assert index.rebuild(lambda done, total: told.append((done, total))).kind == "ready"
    before = live(ledger, root)
    assert told[-1] == (30, 30)
    assert told == sorted(told)
    assert index.rebuild().kind == "ready"
    assert [path.name for path in root.iterdir()] == [live(ledger, root).name]
    assert live(ledger, root) != before
    answers(index, ledger, "index")
    index.close()


def test_closing_stops_the_work_and_leaves_no_thread(ledger: Ledger, root: Path) -> None:
    class Slow(Counted):
        def embed(self, texts: Sequence[str]) -> Vectors:
            reached.set()
            Event().wait(0.2)
            return super().embed(texts)

    reached = Event()
    fill(ledger, 400)
    index = open_index(root, ledger.database)
    index.start(Slow(WORDS))
    assert reached.wait(30)
    index.close()
    names = {thread.name for thread in threading.enumerate()}
    assert not names & {"vector-index", "chroma"}
    answers(index, ledger, "exact")


def test_an_index_without_an_embedder_or_for_nothing_refuses(ledger: Ledger, root: Path) -> None:
    index = open_index(root, ledger.database)
    with ledger.database.read() as conn:
        with pytest.raises(ValueError, match="has no embedder"):
            index.search(conn, ANA, unit(32, 0), 5, 0)
        index.use(WORDS)
        with pytest.raises(ValueError, match="n must be at least 1, got 0"):
            index.search(conn, ANA, unit(32, 0), 0, 0)
        with pytest.raises(ValueError, match=r"vector must have shape \(32,\), got \(8,\)"):
            index.search(conn, ANA, unit(8, 0), 5, 0)
    index.close()


def test_an_embedder_that_fails_turns_the_index_off_with_its_sentence(
    ledger: Ledger, root: Path
) -> None:
    class Short(Counted):
        def embed(self, texts: Sequence[str]) -> Vectors:
            return super().embed(texts)[:, :5]

    fill(ledger)
    index = open_index(root, ledger.database)
    index.start(Short(WORDS))
    wait_for(index, "off")
    assert "gave vectors of shape" in index.state.sentence
    index.close()


def test_the_log_never_holds_an_entrys_text(
    copied: Ledger, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.rmtree(live(copied, root))
    with caplog.at_level(logging.DEBUG, "memory_banks"):
        started(copied, root).close()
    assert "rebuilt" in caplog.text
    assert "bicycle" not in caplog.text


# The worker.


def test_a_call_past_its_deadline_lets_its_caller_go() -> None:
    worker, free = Worker("test"), Event()
    with pytest.raises(PastDeadline):
        worker.call(free.wait, 0.01)
    with pytest.raises(PastDeadline):
        worker.call(lambda: 1, 0.01)
    free.set()
    assert worker.call(lambda: 2, 10) == 2
    assert worker.close(10)


def test_an_abandoned_worker_lets_every_caller_go() -> None:
    worker, free, errors = Worker("test"), Event(), []

    def ask(call: Callable[[], object]) -> None:
        try:
            worker.call(call, 30)
        except Abandoned as error:
            errors.append(error)

    callers = [threading.Thread(target=ask, args=(call,)) for call in (free.wait, lambda: 1)]
    for caller in callers:
        caller.start()
        Event().wait(0.05)
    worker.abandon()
    for caller in callers:
        caller.join(10)
    free.set()
    assert len(errors) == 2
    with pytest.raises(Abandoned):
        worker.call(lambda: 1, 1)


def test_what_a_call_raises_reaches_its_caller() -> None:
    worker = Worker("test")
    with pytest.raises(TimeoutError, match="of its own"):
        worker.call(lambda: raise_it(TimeoutError("of its own")), 10)
    with pytest.raises(KeyError):
        worker.call(lambda: raise_it(KeyError("x")), 10)
    assert worker.close(10)


def raise_it(error: Exception) -> None:
    raise error


def test_a_folder_that_failed_once_stays_offline(tmp_path: Path) -> None:
    folder = ChromaFolder(tmp_path / "chroma", 30)
    folder.create("u-1234")
    folder.upsert("u-1234", ["a"], unit(3, 0)[np.newaxis])
    with pytest.raises(IndexOffline, match="Chroma failed"):
        folder.nearest("u-1234", unit(5, 0), 1)
    with pytest.raises(IndexOffline, match="Chroma failed"):
        folder.nearest("u-1234", unit(3, 0), 1)
    folder.close()


# The check.


class Listed:
    """A collection of two rows, as a check reads it, with one thing wrong if asked for."""

    def __init__(self, **wrong: object) -> None:
        self._wrong = wrong
        self._rows = {"a": unit(3, 0), "b": unit(3, 1)}

    @property
    def ours(self) -> bool:
        return bool(self._wrong.get("ours", True))

    @property
    def covered(self) -> Covered | None:
        covered = self._wrong.get("covered", Covered(2, "op2", "toy"))
        assert covered is None or isinstance(covered, Covered)
        return covered

    def ids(self) -> list[str]:
        listed = self._wrong.get("ids", ["a", "b"])
        assert isinstance(listed, list)
        return listed

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        shift = np.float32(self._wrong.get("shift", 0.0))  # type: ignore[arg-type] # a number
        return {one: self._rows[one] + shift for one in ids}

    def nearest(self, vector: Vectors, n: int) -> list[Hit]:
        if self._wrong.get("lost"):
            return [Hit("a", 1.0)]
        factor = 0.5 if self._wrong.get("blind") else 1.0
        hits = [Hit(one, factor * float(row @ vector)) for one, row in self._rows.items()]
        return sorted(hits, key=lambda hit: -hit.similarity)[:n]


ASKED = Question(
    embedder="toy",
    collections={
        "u-1": Expected(
            changes=[Change(1, "op1", "a", True), Change(2, "op2", "b", True)],
            sample={"a": [1, 0, 0], "b": [0, 1, 0]},
        )
    },
)


def test_a_sound_collection_shows_no_difference() -> None:
    found = answer(ASKED, {"u-1": Listed()})
    assert found == Answer(difference=None, covered={"u-1": Covered(2, "op2", "toy")})
    assert answer(Question(embedder="toy", collections={}), {}).difference is None


def test_a_collection_behind_the_ledger_may_hold_more_than_it_says() -> None:
    covered = Covered(1, "op1", "toy")
    assert answer(ASKED, {"u-1": Listed(covered=covered)}).difference is None
    assert answer(ASKED, {"u-1": Listed(covered=None)}) == Answer(difference=None)


def test_rows_known_to_be_hidden_are_no_difference() -> None:
    covered = Covered(2, "op2", "toy", strays=("b",))
    assert answer(ASKED, {"u-1": Listed(lost=True, covered=covered)}).difference is None


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"ours": False}, "it was not made by this program"),
        (
            {"covered": Covered(2, "op2", "other")},
            "it was made with the embedder other, and toy is in use",
        ),
        (
            {"covered": Covered(2, "op9", "toy")},
            "it follows operation 2, which the ledger does not know",
        ),
        ({"ids": ["a"]}, "a collection listed 1 entries where the ledger has 2"),
        ({"ids": ["a", "b", "c"]}, "a collection listed 3 entries where the ledger has 2"),
        ({"lost": True}, "a search missed 1 of 2 entries"),
        ({"shift": 1e-4}, "a vector differed from the ledger's"),
        ({"blind": True}, "a vector did not find itself"),
    ],
)
def test_a_difference_is_found(wrong: dict[str, object], sentence: str) -> None:
    assert answer(ASKED, {"u-1": Listed(**wrong)}).difference == sentence


def test_too_many_collections_or_none_are_a_difference() -> None:
    found = answer(ASKED, {"u-1": Listed(), "u-2": Listed()})
    assert found.difference == "it holds collections that the ledger does not know (1)"
    assert answer(ASKED, {}).difference == "it was empty"


def test_a_check_that_is_stopped_or_too_slow_ends_its_child(ledger: Ledger, root: Path) -> None:
    fill(ledger)
    folder, stop = closed(ledger, root), Event()
    found = checking.check_in_child(folder, ASKED, 0.0, stop)
    assert found.difference == "its check did not end within 0 seconds"
    stop.set()
    assert checking.check_in_child(folder, ASKED, 60, stop).difference is not None
