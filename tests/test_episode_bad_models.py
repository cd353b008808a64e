"""Seven kinds of bad model read the shipped episode's seventh session: nothing valid is lost.

Six sessions are remembered as the gold has them. The seventh corrects an allergy, asks to forget
somebody, and brings three memories; every failure must be counted and told.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_banks.entries import URAM_TYPES
from sandbox.episode_produced import produced
from sandbox.episode_rows import capture_rows, update_rows
from sandbox.episodes import Episode, EpisodeSession, gold_bank
from sandbox.lifecycle.remembering import Remembered
from sandbox.metrics.stage_capture import capture_scores
from sandbox.metrics.stage_cases import CASES
from sandbox.metrics.stage_update import update_scores
from tests.episode_play import (
    Made,
    Player,
    Shown,
    entry_texts,
    gold_capture,
    gold_item,
    gold_of,
    gold_update,
    packaged,
)
from tests.stage_rows import scripted, values

BEFORE, SEVENTH = 6, "s7"
HELD = 13
Capture = Callable[[Episode, EpisodeSession], Made]
Update = Callable[[Episode, EpisodeSession, Shown], Made]


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder in which six sessions are remembered."""
    player = Player(tmp_path_factory.mktemp("six") / "data")
    for number in range(BEFORE):
        player.session(number)
    player.sandbox.close()
    return player.folder


@pytest.fixture
def reader(six: Path, tmp_path: Path) -> Iterator[Player]:
    shutil.copytree(six, tmp_path / "data")
    player = Player(tmp_path / "data")
    assert (player.texts, len(player.live)) == (before(), HELD)
    yield player
    player.sandbox.close()


def before() -> set[str]:
    return {entry.text for entry in gold_bank(packaged(), BEFORE)}


def after() -> set[str]:
    return {entry.text for entry in gold_bank(packaged(), BEFORE + 1)}


def new() -> set[str]:
    return {entry.text for entry in gold_of(packaged().sessions[BEFORE]).captures}


def cut(made: Made) -> str:
    """An answer that broke off at two thirds of its length."""
    text = json.dumps(made)
    return text[: len(text) * 2 // 3]


def every(lists: Shown) -> list[int]:
    return sorted(lists.held.values())


def off_schema_capture(episode: Episode, session: EpisodeSession) -> Made:
    return {"memories": [gold_item(one, session) for one in gold_of(session).captures]}


def off_schema_update(episode: Episode, session: EpisodeSession, lists: Shown) -> Made:
    return {"operations": [{"op": "delete", "id": number} for number in every(lists)]}


def cut_capture(episode: Episode, session: EpisodeSession) -> Made:
    return cut(gold_capture(episode, session))


def cut_update(episode: Episode, session: EpisodeSession, lists: Shown) -> Made:
    return cut(gold_update(episode, session, lists))


def invented_capture(episode: Episode, session: EpisodeSession) -> Made:
    """The third memory names an utterance that there is not, and so does a second wish."""
    made: Any = gold_capture(episode, session)
    made["entries"][2]["utterance"] = 99
    made["forget"].append({"utterance": 42, "text": "The lock at Varn"})
    return made


def invented_update(episode: Episode, session: EpisodeSession, lists: Shown) -> Made:
    return {
        "changes": [{"new": 1, "held": [99]}, {"new": 42, "held": [1]}, {"new": 2, "held": [-1]}],
        "forget": [{"request": 7, "held": [1]}, {"request": 1, "held": [77]}],
    }


def delete_everything(episode: Episode, session: EpisodeSession, lists: Shown) -> Made:
    return {
        "changes": [{"new": 0, "held": every(lists)}, {"new": 1, "held": every(lists)}],
        "forget": [{"request": 1, "held": every(lists)}],
    }


def echo(episode: Episode, session: EpisodeSession) -> Made:
    """What the agent was shown, told once more by who may tell it."""
    held = gold_bank(episode, BEFORE)
    said = [(one, 2 if one.type in (*URAM_TYPES, "episodic") else 1) for one in held]
    return {"entries": [{"utterance": n, "type": one.type, "text": one.text} for one, n in said]}


def wrong_owner(episode: Episode, session: EpisodeSession) -> Made:
    """Agent types from the user's words, a user's type from the agent's, a trait of the agent's."""
    allergy, skiff, drying = (gold_item(one, session) for one in gold_of(session).captures)
    return {
        "entries": [
            allergy | {"type": "agent_identity"},
            skiff | {"type": "agent_method", "event": False},
            drying | {"type": "user_profile"},
            allergy | {"text": "Pell is still allergic to walnuts."},
        ]
    }


def nothing(episode: Episode, session: EpisodeSession) -> Made:
    return {"entries": [], "forget": []}


def garbage(episode: Episode, session: EpisodeSession) -> Made:
    return "I would rather remember: walnuts, sesame, a skiff!"


def no_update(episode: Episode, session: EpisodeSession, lists: Shown) -> Made:
    return {"changes": []}


UNREADABLE: dict[str, Capture] = {
    "off-schema": off_schema_capture,
    "truncated": cut_capture,
    "garbage": garbage,
}
BAD: dict[str, tuple[Capture, Update]] = {
    **{f"{name} capture": (capture, gold_update) for name, capture in UNREADABLE.items()},
    "off-schema update": (gold_capture, off_schema_update),
    "truncated update": (gold_capture, cut_update),
    "invented ids": (invented_capture, invented_update),
    "deletes everything": (gold_capture, delete_everything),
    "echoes what was injected": (echo, no_update),
    "wrong owner and type": (wrong_owner, no_update),
    "empty where something was": (nothing, no_update),
}


def read(player: Player, capture: Capture, update: Update = gold_update) -> Remembered:
    player.capture, player.update = capture, update
    return player.session(BEFORE)


def figures(player: Player, ended: Remembered, *, done: bool = False) -> dict[str, float | None]:
    """The capture's and the standalone update's figures of the seventh session alone."""
    made = {SEVENTH: produced(ended, player.names, done=done)}
    caught = capture_scores(capture_rows(player.episode, made), scripted())
    changed = update_scores(update_rows(player.episode, made), CASES["standalone"], scripted())
    return values(caught) | values(changed)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_model_loses_nothing_that_was_held(reader: Player, name: str) -> None:
    ended = read(reader, *BAD[name])
    assert before() <= reader.texts
    assert reader.texts <= before() | new()
    counted = [one.refused for one in ended.findings if one.refused] + list(ended.capture.notes)
    assert bool(counted) is (name != "empty where something was")


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_capture_is_told_and_a_retry_ends_at_gold(reader: Player, name: str) -> None:
    ended = read(reader, UNREADABLE[name])
    assert (ended.capture.status, ended.findings, reader.texts) == ("unreadable", (), before())
    assert any("did not answer in the form" in note for note in ended.capture.notes)
    assert figures(reader, ended)["capture_f1"] == figures(reader, ended)["op_f1"] == 0
    reader.capture = gold_capture
    assert reader.end(ended.capture.session).capture.status == "done"
    assert reader.texts == after()


@pytest.mark.parametrize("update", [off_schema_update, cut_update])
def test_an_unreadable_update_costs_no_memory_and_deletes_none(
    reader: Player, update: Update
) -> None:
    ended = read(reader, gold_capture, update)
    assert (reader.texts, ended.capture.status) == (before() | new(), "done")
    assert any("nothing is proposed for deletion" in note for note in ended.capture.notes)
    assert produced(ended, reader.names).update_failure == "unparseable"
    assert figures(reader, ended)["capture_f1"] == 1
    assert figures(reader, ended)["op_f1"] == 0


def test_invented_ids_are_refused_one_by_one(reader: Player) -> None:
    ended = read(reader, *BAD["invented ids"])
    lost = entry_texts(reader.episode)["drying"]
    assert reader.texts == (before() | new()) - {lost}
    refused = [one.refused for one in ended.findings if one.refused]
    assert refused == ["It names utterance 99 of 6.", "It names utterance 42 of 6."]
    assert ended.capture.notes == (
        "2 of 5 findings were refused.",
        "A change that deletes held entry 99 of 13 was refused.",
        "A change for new entry 42 of 2 was refused.",
        "A change that deletes held entry -1 of 13 was refused.",
        "A deletion without a new entry was refused, since nobody asked for it: it names request "
        "7 of 1.",
        "A change that forgets held entry 77 of 13 was refused.",
        "What the user asked to forget (request 1) is in no held entry that was found.",
    )
    # Two of the three gold memories: precision 2/2, recall 2/3, F1 2*2/(2+3).
    told = figures(reader, ended)
    assert (told["capture_precision"], told["capture_f1"]) == (1, pytest.approx(0.8))
    assert (told["op_f1"], told["unsafe_deletion"]) == (0, None)


def test_deleting_everything_waits_for_a_human_and_is_counted_as_unsafe(reader: Player) -> None:
    ended = read(reader, *BAD["deletes everything"])
    assert reader.texts == before() | new()
    (held,) = ended.undecided
    assert (held.entry, len(held.deletes)) == (None, HELD)
    assert "would delete 13 of 13 entries" in str(held.doubt)
    notes = "\n".join(ended.capture.notes)
    assert "nobody asked for it" in notes
    assert "A change that deletes 13 entries for one new entry was refused" in notes
    # Of 13 proposed deletions the gold has two, the old allergy and the man who is to be forgotten.
    told = figures(reader, ended)
    assert told["unsafe_deletion"] == pytest.approx(11 / 13)
    assert (told["delete_recall"], told["delete_f1"]) == (1, pytest.approx(2 * 2 / (13 + 2)))
    assert (told["add_f1"], told["op_f1"]) == (0, pytest.approx(2 / 15))
    assert figures(reader, ended, done=True)["unsafe_deletion"] is None


def test_a_human_rejects_the_deletion_of_everything_and_all_stays(reader: Player) -> None:
    (held,) = read(reader, *BAD["deletes everything"]).undecided
    done = reader.sandbox.remembering.decide("local", held.id, "rejected")
    assert (done.capture.status, reader.texts) == ("done", before() | new())
    assert figures(reader, done, done=True)["unsafe_deletion"] is None


def test_echoes_of_what_was_injected_do_not_breed(reader: Player) -> None:
    ended = read(reader, echo, no_update)
    assert (ended.captured, len(reader.live)) == (0, HELD)
    assert ended.capture.notes == ("13 of 13 findings were refused.",)
    assert all(str(one.refused).startswith("Already known") for one in ended.findings)
    assert figures(reader, ended)["capture_f1"] == 0


def test_a_wrong_owner_or_type_never_enters(reader: Player) -> None:
    ended = read(reader, wrong_owner, no_update)
    assert (ended.captured, reader.texts) == (0, before())
    assert ended.capture.notes == ("4 of 4 findings were refused.",)
    whys = [str(one.refused) for one in ended.findings]
    assert ["cannot come from what the" in why for why in whys] == [True, True, True, False]
    assert "about the agent" in whys[3]


def test_a_wrong_type_that_tells_one_event_is_kept_as_an_event(reader: Player) -> None:
    def capture(episode: Episode, session: EpisodeSession) -> Made:
        skiff = gold_item(gold_of(session).captures[1], session)
        return {"entries": [skiff | {"type": "agent_method"}]}

    ended = read(reader, capture, no_update)
    (found,) = ended.findings
    assert (found.fields["type"], found.fields["text"] in reader.texts) == ("episodic", True)
    assert any("it is episodic" in note for note in ended.capture.notes)


def test_an_empty_answer_is_valid_and_costs_its_recall_alone(reader: Player) -> None:
    ended = read(reader, nothing, no_update)
    assert (ended.capture.status, ended.captured, ended.capture.notes) == ("done", 0, ())
    assert reader.texts == before()
    made = produced(ended, reader.names)
    assert (made.capture_failure, made.update_failure) == (None, None)
    told = figures(reader, ended)
    assert (told["capture_recall"], told["capture_f1"], told["op_f1"]) == (0, 0, 0)


def test_what_a_bad_model_spoiled_does_not_spoil_the_sessions_behind_it(reader: Player) -> None:
    """Session 8 refines two rules; they are found and replaced as ever."""
    read(reader, *BAD["deletes everything"])
    reader.capture, reader.update = gold_capture, gold_update
    said = entry_texts(reader.episode)
    reader.session(BEFORE + 1)
    assert {said["notice-3"], said["sorting-2"]} <= reader.texts
    assert not {said["notice-2"], said["sorting-1"]} & reader.texts
