"""The questions of an episode as instances, and the shipped episode as what a person would want."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from memory_banks.entries import ENTRY_TYPES
from sandbox.account import ACCOUNT
from sandbox.collected import Collection
from sandbox.episode_instances import question_instances
from sandbox.episodes import (
    Episode,
    EpisodeQuestion,
    EpisodeSession,
    GoldAdd,
    GoldDelete,
    GoldEntry,
    GoldSession,
    Unit,
    gold_bank,
)
from sandbox.formats.episode_write import write
from sandbox.pools import pool_lines
from tests.episode_play import gold_of, packaged
from tests.fakes import fake_sandbox
from tests.test_episode_format import AT, episode, home, turn


@pytest.fixture(scope="module")
def shipped() -> Episode:
    return packaged()


def chain(*sessions: GoldSession) -> Episode:
    """Sessions of one user's turn each, with this gold, and one question."""
    held = tuple(
        EpisodeSession(f"s{number}", AT, (turn(number * 2),), gold)
        for number, gold in enumerate(sessions)
    )
    return episode(sessions=held, questions=(EpisodeQuestion("q", "Where?", None, "entry"),))


def statuses(made: Episode) -> dict[str, tuple[str, str | None]]:
    (instance,) = question_instances(made)
    return {one.key: (one.status, one.replaced_by) for one in instance.pool}


def move(number: int) -> GoldSession:
    """To house `number` from the one before it."""
    new = home(number, number * 2)
    return GoldSession((new,), (GoldAdd(new, (f"home-{number - 1}",)),))


def test_a_chain_is_told_from_its_oldest_state_to_the_live_one() -> None:
    made = chain(GoldSession((home(0, 0),)), move(1), move(2))
    assert statuses(made) == {
        "home-0": ("superseded", "home-1"),
        "home-1": ("superseded", "home-2"),
        "home-2": ("live", None),
    }
    (instance,) = question_instances(made)
    assert [line.replaces for line in pool_lines(instance)].count(()) == 1


def test_what_was_forgotten_is_in_no_pool_and_neither_is_what_it_replaced() -> None:
    forgotten = GoldSession(deletes=(GoldDelete("home-1", ("t4",)),))
    made = chain(GoldSession((home(0, 0),)), move(1), forgotten)
    assert statuses(made) == {}


def test_an_entry_told_again_is_live_as_it_was_told_last() -> None:
    again = replace(home(0, 4), text="Ilse is back in house 0.")
    made = chain(
        GoldSession((home(0, 0),)), move(1), GoldSession((again,), (GoldAdd(again, ("home-1",)),))
    )
    assert statuses(made) == {"home-0": ("live", None), "home-1": ("superseded", "home-0")}
    (instance,) = question_instances(made)
    assert instance.pool[0].text == "Ilse is back in house 0."


def test_an_entry_is_of_the_side_of_its_own_turn() -> None:
    said = (
        GoldEntry("told", "episodic", "A walk.", ("t0",)),
        GoldEntry("heard", "episodic", "A reply.", ("t1",)),
        GoldEntry("rule", "agent_identity", "A rule.", ("t1", "t0")),
    )
    session = EpisodeSession("s", AT, (turn(0), turn(1)), GoldSession(said))
    question = EpisodeQuestion("q", "What?", None, "entry")
    (instance,) = question_instances(episode(sessions=(session,), questions=(question,)))
    assert [one.side for one in instance.pool] == ["user", "dyad", "dyad"]
    assert instance.pool[2].provenance.turns == ("t1", "t0")


def test_turns_and_sessions_are_pools_too() -> None:
    asked = tuple(
        EpisodeQuestion(unit, "What?", "That.", unit, (key,), (), at)
        for unit, key, at in (("turn", "t1", None), ("session", "s1", "2026-01-01T00:00:00Z"))
    )
    by_turn, by_session = question_instances(episode(questions=asked))
    assert [(one.key, one.text, one.side) for one in by_turn.pool[:2]] == [
        ("t0", "Ilse: Words.", "user"),
        ("t1", "Odo: Words.", "dyad"),
    ]
    assert len(by_turn.pool) == 8
    assert by_turn.pool[0].anchor == AT
    assert by_session.pool[0].text == "\n".join(["Ilse: Words.", "Odo: Words."] * 2)
    assert by_session.pool[0].provenance.turns == ("t0", "t1", "t2", "t3")
    assert (by_turn.golden, by_session.golden) == (("t1",), ("s1",))
    assert (by_turn.time, by_session.time) == (None, "2026-01-01T00:00:00Z")


def test_an_instance_has_what_its_episode_and_question_say(shipped: Episode) -> None:
    first, *_ = question_instances(shipped)
    question = shipped.questions[0]
    assert (first.id, first.dialogue) == ("boat-hire-q01", "boat-hire")
    assert (first.query, first.reply) == (question.text, question.answer)
    assert (first.golden, first.rankings) == (question.supports, {"decoys": question.decoys})
    assert (first.persona, first.human) == (shipped.persona, shipped.human)
    assert (first.time, first.history) == (shipped.sessions[-1].at, ())
    assert (first.licence, first.language, first.roles) == ("Apache-2.0", "en", {})


@pytest.mark.parametrize("unit", ["entry", "turn", "session"])
def test_a_question_is_opened_on_its_pool_like_any_instance(tmp_path: Path, unit: Unit) -> None:
    shipped = packaged()
    question = EpisodeQuestion("q", "Where?", None, unit)
    made = replace(shipped, questions=(question,))
    collection = Collection("ours.json", "", question_instances(made), episodes=(made,))
    sandbox = fake_sandbox(tmp_path, lambda asked: "I see.")
    try:
        added = sandbox.instances.add(ACCOUNT, list(write(collection).items()))
        session = sandbox.instances.open(ACCOUNT, added.sha256, "boat-hire-q")
        held = sandbox.banks.view(ACCOUNT, session.user, session.agent).live
        live = [one for one in added.instances[0].pool if one.status == "live"]
        assert {(one.text, one.scope.side) for one in held} == {(o.text, o.side) for o in live}
    finally:
        sandbox.close()


def test_an_episode_without_questions_or_sessions_makes_no_instances() -> None:
    assert question_instances(episode(questions=())) == ()
    bare = episode(sessions=(), questions=(EpisodeQuestion("q", "What?", None, "turn"),))
    (instance,) = question_instances(bare)
    assert (instance.pool, instance.time) == ((), None)


def test_the_pool_of_the_shipped_episode_is_its_gold_bank_with_its_past(shipped: Episode) -> None:
    live = {one.key for one in gold_bank(shipped)}
    for instance in question_instances(shipped):
        assert {one.key for one in instance.pool if one.status == "live"} == live
        assert len(instance.pool) == 27
        assert not any("Tobin" in one.text for one in instance.pool)


def test_the_shipped_episode_is_ten_sessions_over_months(shipped: Episode) -> None:
    assert len(shipped.sessions) == 10
    assert all(6 <= len(session.turns) <= 12 for session in shipped.sessions)
    days = [datetime.fromisoformat(str(session.at)) for session in shipped.sessions]
    assert days == sorted(days)
    assert (days[-1] - days[0]).days > 200
    for session in shipped.sessions:
        assert [turn.role for turn in session.turns[:2]] == ["user", "assistant"]
    captured = [one for session in shipped.sessions for one in gold_of(session).captures]
    assert {one.type for one in captured} == set(ENTRY_TYPES)
    assert {len(gold_of(session).captures) for session in shipped.sessions} >= {0, 3, 5}


def test_its_questions_are_hard_in_two_ways_and_over_two_sessions(shipped: Episode) -> None:
    live = {one.key: one for one in gold_bank(shipped)}
    where = {turn.id: session.id for session in shipped.sessions for turn in session.turns}
    assert 10 <= len(shipped.questions) <= 12
    for one in shipped.questions:
        assert len(one.techniques) >= 2
        assert len({where[live[key].turns[0]] for key in one.supports}) >= 2
        assert one.text.endswith("?")
        assert not {"i", "you", "my", "your"} & set(one.text.lower().split())
        assert one.answer
        assert one.answer not in {live[key].text for key in one.supports}


def test_every_chain_of_it_has_a_question_about_its_state(shipped: Episode) -> None:
    asked = {
        key
        for one in shipped.questions
        if "temporal state" in one.techniques
        for key in one.supports
    }
    pool = question_instances(shipped)[0].pool
    middles = {one.replaced_by for one in pool}
    ends = {one.replaced_by for one in pool if one.key in middles and one.replaced_by}
    assert ends == {"home-3", "notice-3"}
    assert ends <= asked


def test_its_decoys_are_no_supports_and_some_are_older_states(shipped: Episode) -> None:
    status = {one.key: one.status for one in question_instances(shipped)[0].pool}
    decoys = {key for one in shipped.questions for key in one.decoys}
    assert {status[key] for key in decoys} == {"live", "superseded"}
