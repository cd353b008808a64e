"""An episode replayed: gold beside model at every step, and the first stage that differs."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.collected import Collection
from sandbox.commands.replay_episode import EpisodeRun
from sandbox.episodes import Episode, EpisodeSession, EpisodeTurn, gold_bank
from sandbox.folder import Layout
from sandbox.formats.episode_write import write
from sandbox.inputs import BadInput
from sandbox.replay.episode_steps import QuestionStep, SessionStep, SupportBeside, first_stage
from sandbox.replay.episodes import How
from sandbox.verify import verify
from tests.episode_play import gold_capture, gold_update, packaged, shown
from tests.fakes import fake_sandbox
from tests.scripted_model import Asked

EPISODE = packaged()
DATA = files("sandbox").joinpath("collections", "episode.json").read_bytes()


class GoldModel:
    """Captures and updates as the gold has it, session by session; `skip` makes it blind once."""

    def __init__(self, skip: int | None = None) -> None:
        self._skip = skip
        self._captured = 0

    def play(self, asked: Asked) -> Any:
        form = asked.form.__name__ if asked.form else ""
        if form == "CaptureForm":
            self._captured += 1
            if self._captured == self._skip:
                return {"entries": []}
            return gold_capture(EPISODE, self._now)
        if form == "UpdateForm":
            return gold_update(EPISODE, self._now, shown(asked.text))
        return "I see."

    @property
    def _now(self) -> EpisodeSession:
        return EPISODE.sessions[self._captured - 1]


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with closing(fake_sandbox(tmp_path / "data", GoldModel().play)) as made:
        yield made


def steps(sandbox: Sandbox) -> tuple[list[SessionStep], list[QuestionStep]]:
    sha256 = sandbox.instances.add(ACCOUNT, [("episode.json", DATA)]).sha256
    found = list(sandbox.episode_replays.steps(ACCOUNT, sha256, EPISODE.id, How()))
    sessions = [one for one in found if isinstance(one, SessionStep)]
    return sessions, [one for one in found if isinstance(one, QuestionStep)]


def golden(episode: Episode) -> set[str]:
    return {entry.text for entry in gold_bank(episode)}


def test_a_model_that_plays_gold_differs_at_no_stage_before_recall(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    sessions, questions = steps(sandbox)
    assert [one.id for one in sessions] == [one.id for one in EPISODE.sessions]
    assert [one.differs for one in sessions] == [None] * len(sessions)
    for step in sessions:
        told = {(turn.turn, one.text) for turn in step.turns for one in turn.gold}
        assert told == {(turn.turn, one.text) for turn in step.turns for one in turn.model}
        assert {one.text for one in step.gold.adds} == {one.text for one in step.model.adds}
    assert [one.id for one in questions] == [one.id for one in EPISODE.questions]
    for question in questions:
        assert question.differs in (None, "recall")
        assert {one.fate for one in question.supports} <= {"shown", "not recalled"}
        assert question.model == "I see."
    first = sandbox.sessions.find(ACCOUNT, sessions[0].session)
    assert {one.text for one in sandbox.banks.view(ACCOUNT, first.user, first.agent).live} == (
        golden(EPISODE)
    )
    assert verify(Layout(tmp_path / "data"), sandbox.record).problems == ()


def test_what_was_never_captured_is_the_first_difference_of_session_and_question(
    tmp_path: Path,
) -> None:
    with closing(fake_sandbox(tmp_path / "data", GoldModel(skip=1).play)) as sandbox:
        sha256 = sandbox.instances.add(ACCOUNT, [("episode.json", DATA)]).sha256
        walk = sandbox.episode_replays.steps(ACCOUNT, sha256, EPISODE.id, How())
        first = next(walk)
        assert isinstance(first, SessionStep)
        assert first.differs == "capture"
        assert not any(turn.model for turn in first.turns)
        assert any(turn.gold for turn in first.turns)


def test_the_words_are_the_file_s_and_the_bank_is_the_replay_s_alone(sandbox: Sandbox) -> None:
    sha256 = sandbox.instances.add(ACCOUNT, [("episode.json", DATA)]).sha256
    users = set()
    for _ in range(2):
        step = next(sandbox.episode_replays.steps(ACCOUNT, sha256, EPISODE.id, How("raw_turns")))
        whole = sandbox.sessions.transcript(ACCOUNT, step.session)
        users.add(whole.session.user)
        said = [one.text for one in whole.said()]
        assert said == [turn.text for turn in EPISODE.sessions[0].turns]
        authors = {turn.reply.author for turn in whole.turns if turn.reply}
        assert authors == {"file"}
    assert len(users) == 2


TALK = [
    ("assistant", "Good morning, Ilka."),
    ("user", "Morning."),
    ("user", "The skiff leaks."),
    ("assistant", "Where?"),
    ("assistant", "At the keel?"),
    ("user", "At the bow."),
]
"""The character speaks first, both speak twice running, and the last words stay unanswered."""


def test_every_utterance_of_an_episode_stays_one_whoever_speaks_first_or_twice(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    one = replace(
        EPISODE.sessions[0],
        turns=tuple(
            EpisodeTurn(f"t{number}", role, role.title(), text)  # type: ignore[arg-type]
            for number, (role, text) in enumerate(TALK)
        ),
        gold=None,
    )
    talk = replace(EPISODE, sessions=(one,), questions=())
    data = write(Collection("talk", "", (), (), episodes=(talk,)))["talk.json"]
    sha256 = sandbox.instances.add(ACCOUNT, [("talk.json", data)]).sha256
    [step] = sandbox.episode_replays.steps(ACCOUNT, sha256, talk.id, How("raw_turns"))
    assert isinstance(step, SessionStep)
    whole = sandbox.sessions.transcript(ACCOUNT, step.session)
    assert [(told.role, told.text) for told in whole.said()] == TALK
    assert [len(turn.model) for turn in step.turns] == [1] * len(TALK)
    assert all(
        text in turn.model[0].text for turn, (_role, text) in zip(step.turns, TALK, strict=True)
    )
    assert verify(Layout(tmp_path / "data"), sandbox.record).problems == ()


def test_an_unknown_episode_is_a_sentence(sandbox: Sandbox) -> None:
    sha256 = sandbox.instances.add(ACCOUNT, [("episode.json", DATA)]).sha256
    with pytest.raises(BadInput, match="has no episode 'x'"):
        next(sandbox.episode_replays.steps(ACCOUNT, sha256, "x", How()))


def test_the_first_stage_of_a_question_is_the_earliest_at_which_a_support_was_lost() -> None:
    def fates(*told: str) -> list[SupportBeside]:
        return [SupportBeside("k", "Text.", one) for one in told]  # type: ignore[arg-type]

    assert first_stage(fates("shown", "not recalled", "never captured"), False) == "capture"
    assert first_stage(fates("not recalled", "lost"), False) == "update"
    assert first_stage(fates("shown", "not recalled"), None) == "recall"
    assert first_stage(fates("shown"), False) == "answer"
    assert first_stage(fates("shown"), None) is None


def test_the_command_hides_the_gold_of_an_episode_until_it_is_asked_for(sandbox: Sandbox) -> None:
    going = EpisodeRun(sandbox, How(), reveal=False)
    going.go([("episode.json", DATA)], EPISODE.id)
    told = going.result()
    assert len(told["steps"]) == len(EPISODE.sessions) + len(EPISODE.questions)
    assert not {"gold", "differs", "supports"} & {name for one in told["steps"] for name in one}
    assert going.trouble is None
    assert any(line.startswith("  + ") for line in going.lines())
