"""Gold in a replay: the verdict card tells none of it before somebody asks for it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.replay.replayed import Replayed
from sandbox.ui.verdict_card import card
from sandbox.ui.verdict_look import Assessed, assess
from tests.fakes import LastWord, Script, fake_sandbox
from tests.madial import small
from tests.replaying import LONGER, replay


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with closing(fake_sandbox(tmp_path / "data", Script().play, load_judge=LastWord)) as made:
        yield made


def judged_stop(sandbox: Sandbox) -> tuple[str, str]:
    """Ids of the session and of the judged answer to its first stop, shown the first golden one."""
    session = replay(sandbox, small(LONGER), Replayed("gold"))
    reply = sandbox.replays.step(ACCOUNT, session.id).wait(20).reply or ""
    sandbox.evaluating.evaluate(ACCOUNT, reply, "local")
    return session.id, reply


def listed(look: Assessed) -> set[str]:
    return {item.id for item in look.items}


def test_golden_memories_that_nothing_recalled_are_listed_once_they_are_asked_for(
    sandbox: Sandbox,
) -> None:
    session, reply = judged_stop(sandbox)
    before = assess(sandbox, ACCOUNT, reply)
    assert before.covered
    assert before.evaluation.reply.unrecalled
    assert not listed(before) & before.evaluation.reply.unrecalled
    assert "hidden until you reveal it" in card(before).markup
    sandbox.revealing.ask(session, 1)
    after = assess(sandbox, ACCOUNT, reply)
    assert listed(after) == {item.id for item in after.evaluation.reply.case.pool}


def test_asking_at_one_stop_tells_nothing_of_the_next(sandbox: Sandbox) -> None:
    session, first = judged_stop(sandbox)
    sandbox.revealing.ask(session, 1)
    second = sandbox.replays.step(ACCOUNT, session).wait(20).reply or ""
    sandbox.evaluating.evaluate(ACCOUNT, second, "local")
    assert not assess(sandbox, ACCOUNT, first).covered
    assert assess(sandbox, ACCOUNT, second).covered
