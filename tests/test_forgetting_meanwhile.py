"""Work that was going on while something is forgotten does not bring it back."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory_banks.entries import Dyad
from memory_banks.verify import ledger_problems
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.conversation import TurnFailed
from sandbox.evaluation.switchboard import Switch
from sandbox.judges.case import Case
from sandbox.judges.verdict import Verdict
from sandbox.lifecycle.meanwhile import ForgottenMeanwhile
from sandbox.lifecycle.remembering import CapturePending
from sandbox.transcripts import UnknownReply, UnknownSession
from sandbox.verify_memory import memory_problems
from sandbox.verify_talk import talk_problems
from tests.fakes import LastWord, Script, fake_sandbox
from tests.scripted_model import Asked
from tests.test_forgetting import DUTY, FACT, NOOR, RULE, SAID, SECRET, WALID, entry_of, found_in

LOST = {"utterance": 1, "type": "fact", "text": "Noor lost the brass lantern at the weir."}
ASKED = "Where is it? I lost the brass lantern at the weir."
REPLY, CAPTURE, UPDATE, JUDGE = None, "CaptureForm", "UpdateForm", "judge"


class Interruptible:
    """A model and a judge to which something happens while they are asked, once."""

    name, version = "local", "1"

    def __init__(self) -> None:
        self.happens: dict[str | None, Callable[[], Any]] = {}

    def play(self, asked: Asked) -> Any:
        form = asked.form.__name__ if asked.form else None
        self._happen(form)
        captured = [FACT, DUTY] if "blue glaze" in asked.text else [LOST]
        return Script(captures=[{"entries": captured}]).play(asked)

    def judge(self, case: Case, aspects: object = ()) -> Verdict:
        self._happen(JUDGE)
        return LastWord().judge(case, aspects)

    def _happen(self, when: str | None) -> None:
        self.happens.pop(when, lambda: None)()


@pytest.fixture
def model() -> Interruptible:
    return Interruptible()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def sandbox(folder: Path, model: Interruptible) -> Iterator[Sandbox]:
    with closing(fake_sandbox(folder, model.play, load_judge=lambda: model)) as made:
        made.embedder.start(then=made.index.use)
        first = made.sessions.open(ACCOUNT, NOOR, WALID)
        made.conversation.ask(ACCOUNT, first.id, SAID)
        made.remembering.end(ACCOUNT, first.id, "all")
        yield made
        with made.record.read() as conn:
            assert [*ledger_problems(conn), *talk_problems(conn), *memory_problems(conn)] == []


@pytest.fixture
def session(sandbox: Sandbox) -> str:
    return sandbox.sessions.open(ACCOUNT, NOOR, WALID).id


def dyad(sandbox: Sandbox) -> Dyad:
    return sandbox.banks.dyad(ACCOUNT, NOOR, WALID)


def forget(sandbox: Sandbox, what: str, session: str) -> Callable[[], Any]:
    """Forgetting of the secret, of a session, or of the person."""
    forgetting = sandbox.forgetting
    secret = entry_of(sandbox, SECRET)
    return {
        "entry": lambda: forgetting.entry(ACCOUNT, dyad(sandbox), secret),
        "session": lambda: forgetting.session(ACCOUNT, session),
        "user": lambda: forgetting.user(ACCOUNT, NOOR),
    }[what]


def words(what: str) -> tuple[str, ...]:
    return {"entry": (SECRET,), "session": (ASKED,), "user": (SECRET, SAID, RULE, NOOR)}[what]


WHAT = pytest.mark.parametrize("what", ["entry", "session", "user"])


@WHAT
def test_a_reply_that_saw_it_is_not_kept(
    sandbox: Sandbox, model: Interruptible, session: str, folder: Path, what: str
) -> None:
    model.happens[REPLY] = forget(sandbox, what, session)
    with pytest.raises(TurnFailed, match="forgotten while this went on"):
        sandbox.conversation.ask(ACCOUNT, session, ASKED)
    assert found_in(folder, *words(what)) == []
    if what == "entry":
        [turn] = sandbox.sessions.transcript(ACCOUNT, session).turns
        assert (turn.text, turn.reply) == (ASKED, None)
        assert "forgotten" in (turn.trouble or "")
        again = sandbox.conversation.ask(ACCOUNT, session, ASKED)
        assert SECRET not in str(again.messages)


@WHAT
@pytest.mark.parametrize("stage", [CAPTURE, UPDATE])
def test_a_capture_that_saw_it_is_not_kept_and_can_be_tried_again(
    sandbox: Sandbox, model: Interruptible, session: str, folder: Path, stage: str, what: str
) -> None:
    sandbox.conversation.ask(ACCOUNT, session, ASKED)
    model.happens[stage] = forget(sandbox, what, session)
    with pytest.raises(CapturePending if what == "entry" else UnknownSession):
        sandbox.remembering.end(ACCOUNT, session, "all")
    assert model.happens == {}
    assert found_in(folder, *words(what)) == []
    if what == "entry":
        ended = sandbox.remembering.end(ACCOUNT, session, "all")
        assert [one.kind for one in ended.operations] == ["add"]


@WHAT
def test_a_verdict_that_saw_it_is_not_kept(
    sandbox: Sandbox, model: Interruptible, session: str, folder: Path, what: str
) -> None:
    reply = sandbox.conversation.ask(ACCOUNT, session, ASKED).line.id
    model.happens[JUDGE] = forget(sandbox, what, session)
    with pytest.raises(ForgottenMeanwhile if what == "entry" else UnknownReply):
        sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    assert found_in(folder, *words(what)) == []


@WHAT
def test_an_experiment_that_saw_it_is_not_kept(
    sandbox: Sandbox, model: Interruptible, session: str, folder: Path, what: str
) -> None:
    reply = sandbox.conversation.ask(ACCOUNT, session, ASKED).line.id
    switch = [Switch(entry_of(sandbox, RULE), None)]
    model.happens[REPLY] = forget(sandbox, what, session)
    with pytest.raises(ForgottenMeanwhile if what == "entry" else UnknownReply):
        list(sandbox.switchboard.sample(ACCOUNT, reply, switch, samples=1))
    model.happens[REPLY] = lambda: None
    assert found_in(folder, *words(what)) == []
