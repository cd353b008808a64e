"""The shipped episode through the real pipeline: a model that plays gold ends at the gold bank."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from memory_banks.entries import ENTRY_TYPES, TurnRole, side_of
from sandbox.account import ACCOUNT
from sandbox.episode_produced import Produced, produced
from sandbox.episode_rows import (
    bank_size,
    capture_rows,
    first_difference,
    gold_produced,
    ranking_rows,
    update_rows,
)
from sandbox.episodes import Episode, GoldEntry, gold_bank
from sandbox.lifecycle.remembering import Remembered
from sandbox.metrics.stage_capture import capture_scores
from sandbox.metrics.stage_cases import CASES
from sandbox.metrics.stage_diagnostics import bank_sizes
from sandbox.metrics.stage_recall import recall_scores
from sandbox.metrics.stage_update import update_scores
from tests.episode_play import Player, entry_texts, gold_of
from tests.stage_rows import scripted, values

Known = tuple[str, str, str]


@dataclass(frozen=True)
class Played:
    player: Player
    ended: dict[str, Remembered]
    banks: list[set[Known]]
    """Type, side and text of what was held after each session."""

    @property
    def episode(self) -> Episode:
        return self.player.episode

    def made(self) -> dict[str, Produced]:
        names = self.player.names
        return {session: produced(one, names) for session, one in self.ended.items()}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    player = Player(tmp_path_factory.mktemp("episode"))
    ended, banks = {}, []
    for number, session in enumerate(player.episode.sessions):
        ended[session.id] = player.session(number)
        banks.append({(one.type, one.scope.side, one.text) for one in player.live})
    yield Played(player, ended, banks)
    player.sandbox.close()


def known(entry: GoldEntry, roles: dict[str, TurnRole]) -> Known:
    return entry.type, side_of(entry.type, roles[entry.turns[0]]), entry.text


def test_a_model_that_plays_gold_holds_the_gold_bank_after_every_session(played: Played) -> None:
    roles = {turn.id: turn.role for turn in played.episode.turns()}
    for number, held in enumerate(played.banks, start=1):
        wanted = [known(entry, roles) for entry in gold_bank(played.episode, number)]
        assert (number, held) == (number, set(wanted))
    assert len(played.player.live) == len(gold_bank(played.episode)) == 18


def test_its_chains_are_the_gold_chains(played: Played) -> None:
    said = entry_texts(played.episode)
    adds = [add for session in played.episode.sessions for add in gold_of(session).adds]
    wanted = {said[old]: add.entry.text for add in adds for old in add.replaces}
    by_id = {state.entry.id: state for state in played.player.states}
    found = {
        state.entry.text: by_id[state.replaced_by].entry.text
        for state in by_id.values()
        if state.replaced_by
    }
    assert found == wanted
    assert found[found[said["home-1"]]] == said["home-3"]
    assert found[found[said["notice-1"]]] == said["notice-3"]


def test_what_was_asked_to_be_forgotten_is_gone_and_nothing_took_its_place(played: Played) -> None:
    (state,) = [one for one in played.player.states if "Tobin" in one.entry.text]
    assert (state.live, state.replaced_by) == (False, None)


def test_entries_rest_on_their_own_turns_with_day_feeling_and_scene(played: Played) -> None:
    held = {one.text: one for one in played.player.live}
    for gold in gold_bank(played.episode):
        one = held[gold.text]
        (utterance,) = one.provenance.turns
        assert played.player.turns[utterance] == gold.turns[0]
        assert (one.emotion, one.scene) == (gold.emotion, gold.scene)
        assert gold.anchor in (None, one.anchor)


def test_nothing_of_it_is_refused_doubted_or_left_open(played: Played) -> None:
    for ended in played.ended.values():
        assert ended.capture.status == "done"
        assert ended.undecided == ()
        assert [one.refused for one in ended.findings if one.refused] == []
        assert [one.doubt for one in ended.proposals if one.doubt] == []


def test_a_session_with_nothing_in_it_adds_nothing(played: Played) -> None:
    empty = played.ended["s6"]
    assert (empty.findings, empty.proposals, empty.capture.notes) == ((), (), ())


def test_no_key_support_or_question_of_the_gold_reaches_a_prompt(played: Played) -> None:
    sent = "\n".join(played.player.prompts)
    for key in entry_texts(played.episode):
        assert "-" not in key or key not in sent
    for question in played.episode.questions:
        assert question.text not in sent
        assert str(question.answer) not in sent


def test_every_stage_figure_of_it_is_whole(played: Played) -> None:
    episode, made, exact = played.episode, played.made(), scripted()
    captures, updates = capture_rows(episode, made), update_rows(episode, made)
    caught = values(capture_scores(captures, exact))
    assert {caught["capture_f1"], caught["capture_f1_typed"], caught["capture_f1_turned"]} == {1.0}
    for case in CASES.values():
        changed = values(update_scores(updates, case, exact))
        assert (changed["op_f1"], changed["op_f1_pooled"], changed["add_lineage"]) == (1, 1, 1)
        assert changed["unsafe_deletion"] == 0
    size = bank_sizes([bank_size(episode, len(played.player.live))])
    assert values(size)["bank_size"] == 1
    assert first_difference(captures, updates, [], CASES["standalone"], exact) is None


def test_what_it_did_is_what_the_gold_says_it_does(played: Played) -> None:
    for session, wanted in gold_produced(played.episode).items():
        found = played.made()[session]
        assert {(one.text, one.type, one.turn) for one in found.captured} == {
            (one.text, one.type, one.turn) for one in wanted.captured
        }
        assert set(found.changes.adds) == set(wanted.changes.adds)
        assert {(one.key, one.text) for one in found.changes.deletes} == {
            (one.key, one.text) for one in wanted.changes.deletes
        }


def test_what_was_carried_out_is_all_that_was_proposed(played: Played) -> None:
    names = played.player.names
    for ended in played.ended.values():
        assert produced(ended, names, done=True) == produced(ended, names)


def test_recall_on_its_bank_finds_every_support_by_exact_id(played: Played) -> None:
    """Over the whole bank every support is returned, so that recall@all is 1 and MRR is not 0."""
    player, episode = played.player, played.episode
    keys, ranked = player.names.keys, {}
    dyad = player.sandbox.banks.dyad(ACCOUNT, episode.human.name, episode.persona.id)
    for question in episode.questions:
        found = player.sandbox.previews.recall(ACCOUNT, dyad, question.text, n=len(player.live))
        ranked[question.id] = [keys[one.entry.id] for one in found]
    scores = values(recall_scores(ranking_rows(episode, ranked)))
    assert scores["recall_all"] == 1
    assert scores["mrr"] is not None
    assert scores["mrr"] > 1 / len(player.live)


def test_the_types_of_the_bank_are_all_six(played: Played) -> None:
    assert {one.type for one in played.player.live} == set(ENTRY_TYPES)
