"""Which reply feels closer, on record: blind, in swapped order, by several voters."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.evaluation.experiments import BestOf, Compared
from sandbox.folder import Layout
from sandbox.inputs import BadInput
from sandbox.verify import verify
from tests.fakes import LastWord, Script, fake_sandbox, scripted
from tests.scripted_model import Asked
from tests.test_evaluating import opened, pasted

LANE = "14 Mosaic Lane"


def plays(asked: Asked) -> Any:
    """Names the lane where its notes do; as a voter prefers whoever names it."""
    form = asked.form.__name__ if asked.form else None
    if form == "CompareForm":
        first = asked.text.find("reply-a")
        shown = asked.text[first : asked.text.find("reply-b")]
        return {"reason": "It knows where.", "choice": "A" if LANE in shown else "B"}
    if form == "PickForm":
        return {"reason": "It knows where.", "choice": 1}
    if form is not None:
        return Script().play(asked)
    return f"It is at {LANE}, Madaba." if LANE in asked.text else "I do not know."


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with closing(fake_sandbox(tmp_path, plays, load_judge=LastWord)) as made:
        yield made


def asked_reply(sandbox: Sandbox) -> str:
    session = opened(sandbox, "05")
    [turn] = sandbox.sessions.transcript(ACCOUNT, session.id).turns
    return turn.chosen or ""


def test_a_reply_stands_beside_the_same_one_without_memory(sandbox: Sandbox) -> None:
    reply = asked_reply(sandbox)
    kept = sandbox.intimacy.beside_no_memory(ACCOUNT, reply, "scripted")
    assert isinstance(kept.found, Compared)
    assert kept.found.without == "I do not know."
    assert kept.found.comparison.outcome == "win"
    assert kept.found.comparison.choices == ("A", "B")
    assert kept.found.seed == sandbox.conversation.reply(ACCOUNT, reply).seed
    assert sandbox.switchboard.of(ACCOUNT, reply) == [kept]
    voters = [one for one in scripted(sandbox).asked if one.form is not None]
    pool = sandbox.evaluating.reply(ACCOUNT, reply).case.pool
    assert all(item.text not in one.text for one in voters for item in pool)


def test_the_best_of_siblings_and_the_reference_is_voted_for(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    session = opened(sandbox, "05")
    pasted(sandbox, session, "forgetful")
    reply = pasted(sandbox, session, "stale")
    kept = sandbox.intimacy.best_of(ACCOUNT, reply, ["scripted"], ["good"])
    assert isinstance(kept.found, BestOf)
    ids = [one.id for one in kept.found.candidates]
    assert len(ids) == 4
    assert ids[-1] == "reference:good"
    [vote] = kept.found.picked.votes
    assert vote.choice == vote.order[0] == kept.found.picked.winners[0]
    assert sorted(vote.order) == sorted(ids)
    assert verify(Layout(tmp_path), sandbox.record).problems == ()


def test_what_cannot_be_compared_is_refused(sandbox: Sandbox) -> None:
    reply = asked_reply(sandbox)
    with pytest.raises(BadInput, match="one reply only"):
        sandbox.intimacy.best_of(ACCOUNT, reply, ["scripted"])
    with pytest.raises(BadInput, match="no reference reply 'none'"):
        sandbox.intimacy.best_of(ACCOUNT, reply, ["scripted"], ["none"])
    with pytest.raises(BadInput, match="at least one model"):
        sandbox.intimacy.best_of(ACCOUNT, reply, [], ["good"])
    assert sandbox.switchboard.of(ACCOUNT, reply) == []
