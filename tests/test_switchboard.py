"""The same reply with other memories: what changes, and that nothing else does."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from graphs.chat_model import ModelError
from graphs.state import Stop
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.evaluation.experiments import Causal, Experiment, Samples
from sandbox.evaluation.fixed import Switch
from sandbox.evaluation.switchboard import Step
from sandbox.inputs import BadInput
from tests.fakes import LastWord, Script, fake_sandbox, scripted
from tests.scripted_model import Asked, Scripted
from tests.test_evaluating import DINA, WALID, opened, pasted

LANE = "14 Mosaic Lane"


def says_what_it_sees(asked: Asked) -> Scripted:
    """A character that names the lane where its notes do, and its seed."""
    if asked.form is not None:
        return Script().play(asked)
    where = "the barn" if LANE not in asked.text else "14 Mosaic Lane, Madaba"
    return f"It is at {where}."


def probable(prompt: str, text: str) -> tuple[float, ...]:
    """Each token of a reply is likelier where the notes name the lane; order adds a little."""
    first = prompt.find("\n- ")
    each = (-1.0 if LANE in prompt else -3.0) - (prompt[first + 3] < "D") * 0.01
    return tuple(each for _word in text.split())


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with closing(
        fake_sandbox(tmp_path, says_what_it_sees, load_judge=LastWord, score=probable)
    ) as made:
        yield made


def lane_of(sandbox: Sandbox, reply: str) -> str:
    pool = sandbox.evaluating.reply(ACCOUNT, reply).case.pool
    return next(item.id for item in pool if LANE in item.text)


def asked_reply(sandbox: Sandbox) -> str:
    session = opened(sandbox, "05")
    [turn] = sandbox.sessions.transcript(ACCOUNT, session.id).turns
    assert turn.reply is not None
    return turn.reply.id


def last(steps: Iterator[Step]) -> Experiment:
    experiment = list(steps)[-1].experiment
    assert experiment is not None
    return experiment


def sampled(sandbox: Sandbox, reply: str, *switches: Switch, **more: object) -> Samples:
    found = last(sandbox.switchboard.sample(ACCOUNT, reply, switches, **more)).found  # type: ignore[arg-type]
    assert isinstance(found, Samples)
    return found


def test_an_entry_switched_off_leaves_the_prompt_and_nothing_else_changes(
    sandbox: Sandbox,
) -> None:
    reply = asked_reply(sandbox)
    recorded = sandbox.conversation.reply(ACCOUNT, reply)
    found = sampled(sandbox, reply, Switch(lane_of(sandbox, reply), None), samples=2)
    model = scripted(sandbox)
    _turn, *calls = [one for one in model.asked if one.form is None]
    before, after = calls[0], calls[1]
    assert list(before.messages) == list(recorded.messages)
    gone = [line for line in before.text.split("\n") if line not in after.text.split("\n")]
    assert len(gone) == 1
    assert LANE in gone[0]
    assert before.sampling == after.sampling
    assert [one.sampling.seed for one in calls] == [
        recorded.seed,
        recorded.seed,
        (recorded.seed or 0) + 1,
        (recorded.seed or 0) + 1,
    ]
    assert found.same_prompt
    assert found.repeats is True
    assert found.switched_share == 1.0
    assert {one.before for one in found.samples} == {"It is at 14 Mosaic Lane, Madaba."}
    assert {one.after for one in found.samples} == {"It is at the barn."}


def test_an_edited_entry_stands_in_its_place_and_is_judged_by_its_new_text(
    sandbox: Sandbox,
) -> None:
    reply = asked_reply(sandbox)
    lane = lane_of(sandbox, reply)
    found = sampled(sandbox, reply, Switch(lane, "The supper is in the barn."), samples=1)
    [one] = found.samples
    assert one.after_verdict is not None
    assert one.after_verdict.of(lane).usage == "used"


def test_memory_off_shows_no_entry(sandbox: Sandbox) -> None:
    reply = asked_reply(sandbox)
    found = sampled(sandbox, reply, memory=False, samples=1)
    assert "\n- " not in scripted(sandbox).asked[-1].messages[-1]["content"]
    assert found.memory is False


def test_experiments_are_on_record_and_no_siblings(sandbox: Sandbox) -> None:
    reply = asked_reply(sandbox)
    lane = lane_of(sandbox, reply)
    first = last(sandbox.switchboard.sample(ACCOUNT, reply, [Switch(lane, None)], samples=1))
    second = last(sandbox.switchboard.causal(ACCOUNT, reply))
    assert sandbox.switchboard.of(ACCOUNT, reply) == [first, second]
    reply_session = sandbox.evaluating.reply(ACCOUNT, reply).session.id
    [turn] = sandbox.sessions.transcript(ACCOUNT, reply_session).turns
    assert len(turn.replies) == 1


def test_the_causal_table_is_the_drop_of_each_entry_over_a_noise_floor(sandbox: Sandbox) -> None:
    reply = asked_reply(sandbox)
    found = last(sandbox.switchboard.causal(ACCOUNT, reply)).found
    assert isinstance(found, Causal)
    tokens = len(["It", "is", "at", "14", "Mosaic", "Lane,", "Madaba."])
    assert found.tokens == tokens
    drops = {one.entry: one.drop for one in found.effects}
    lane = lane_of(sandbox, reply)
    assert drops.pop(lane) == pytest.approx(2 * tokens, abs=0.08)
    assert all(abs(drop) <= 0.08 for drop in drops.values())
    assert 0 <= found.noise <= 0.08
    assert [one.entry for one in found.effects] == list(
        sandbox.conversation.reply(ACCOUNT, reply).injected
    )


def test_a_reply_by_hand_is_scored_over_its_pool(sandbox: Sandbox) -> None:
    reply = pasted(sandbox, opened(sandbox, "05"), "good")
    found = last(sandbox.switchboard.causal(ACCOUNT, reply)).found
    assert isinstance(found, Causal)
    assert len(found.effects) == 7
    drops = {one.entry: one.drop for one in found.effects}
    assert max(drops, key=lambda one: drops[one]) == lane_of(sandbox, reply)


def test_a_model_without_probabilities_says_the_way_out(tmp_path: Path) -> None:
    with closing(fake_sandbox(tmp_path, says_what_it_sees, load_judge=LastWord)) as sandbox:
        reply = asked_reply(sandbox)
        with pytest.raises(BadInput, match="or write samples"):
            list(sandbox.switchboard.causal(ACCOUNT, reply))
        assert sandbox.switchboard.of(ACCOUNT, reply) == []


def test_a_stopped_experiment_keeps_its_whole_samples(sandbox: Sandbox) -> None:
    reply = asked_reply(sandbox)
    stop = Stop()
    steps: list[Step] = []
    switch = Switch(lane_of(sandbox, reply), None)
    for step in sandbox.switchboard.sample(ACCOUNT, reply, [switch], samples=5, stop=stop):
        steps.append(step)
        if step.done == 2:
            stop.set()
    experiment = steps[-1].experiment
    assert experiment is not None
    assert isinstance(experiment.found, Samples)
    assert len(experiment.found.samples) == 2
    assert experiment.found.wanted == 5


def test_a_model_that_fails_half_way_keeps_what_there_is_and_why(tmp_path: Path) -> None:
    calls = []

    def play(asked: Asked) -> Scripted:
        calls.append(asked)
        return ModelError("The model is busy; try again.") if len(calls) > 3 else "Yes."

    with closing(fake_sandbox(tmp_path, play, load_judge=LastWord)) as sandbox:
        reply = asked_reply(sandbox)
        found = sampled(sandbox, reply, Switch(lane_of(sandbox, reply), None), samples=3)
        assert len(found.samples) == 1
        assert found.trouble == "The model is busy; try again."


BAD = {
    "nothing switched": ((), {}, "Nothing is switched"),
    "no samples": ((), {"samples": 0}, "1 to 10, got 0"),
    "an entry that is not shown": ((Switch("none", None),), {}, "does not show entry 'none'"),
    "an empty text": ((Switch("", "  "),), {}, "entry"),
}


@pytest.mark.parametrize(("switches", "more", "sentence"), BAD.values(), ids=BAD.keys())
def test_what_cannot_be_switched_is_refused_and_stores_nothing(
    sandbox: Sandbox, switches: tuple[Switch, ...], more: dict[str, int], sentence: str
) -> None:
    reply = asked_reply(sandbox)
    lane = lane_of(sandbox, reply)
    given = [Switch(one.entry or lane, one.text) for one in switches]
    with pytest.raises(BadInput, match=sentence):
        list(sandbox.switchboard.sample(ACCOUNT, reply, given, **more))  # type: ignore[arg-type]
    assert sandbox.switchboard.of(ACCOUNT, reply) == []


def test_a_reply_without_memory_has_nothing_to_leave_out(sandbox: Sandbox) -> None:
    session = sandbox.sessions.open(ACCOUNT, DINA, WALID, strategy="no_memory")
    reply = sandbox.conversation.ask(ACCOUNT, session.id, "Hello?").line.id
    with pytest.raises(BadInput, match="shows no entry"):
        list(sandbox.switchboard.causal(ACCOUNT, reply))
