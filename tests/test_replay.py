"""Replays: stepping, back, jump, play, take-over, and what the model is sent."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.folder import Layout
from sandbox.inputs import BadInput
from sandbox.replay.gears import GEARS, Gear, Options
from sandbox.replay.protocols import Prompts
from sandbox.replay.replayed import Replayed
from sandbox.replay.script import Exchange
from sandbox.replay.taking_over import said_so_far
from sandbox.transcripts import Session, Transcript
from sandbox.verify import verify
from tests.fakes import LastWord, Script, fake_sandbox, scripted
from tests.madial import small
from tests.replaying import LONGER, replay, with_run

GOLD, TEACHER, FREE = Replayed("gold"), Replayed("gold"), Replayed("gold", "free")


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with closing(fake_sandbox(tmp_path / "data", Script().play, load_judge=LastWord)) as made:
        yield made


def longer(sandbox: Sandbox, replayed: Replayed = TEACHER) -> Session:
    return replay(sandbox, small(LONGER), replayed)


def step(sandbox: Sandbox, session: Session) -> str:
    ended = sandbox.replays.step(ACCOUNT, session.id).wait(20)
    assert ended.reply, ended.trouble
    return ended.reply


def talk(sandbox: Sandbox, session: Session) -> Transcript:
    return sandbox.sessions.transcript(ACCOUNT, session.id)


def said(sandbox: Sandbox, session: Session) -> list[tuple[str, str, str]]:
    """(words, reply that counts, its author), turn by turn."""
    turns = talk(sandbox, session).turns
    return [(one.text, one.reply.text, one.reply.author) for one in turns if one.reply]


def test_a_replay_opens_with_the_file_s_talk_and_nothing_in_the_box(sandbox: Sandbox) -> None:
    session = replay(sandbox, with_run(), GOLD)
    assert (session.gear, session.forcing, session.protocol) == ("gold", "teacher", "madial_1")
    assert (session.box, session.clock) == (None, "2024-06-15T12:00:00+00:00")
    assert [one.text for one in session.prelude] == ["The loom broke.", "Oh no. Which part?"]
    assert session.profile
    assert session.profile.startswith("A boy")
    place = sandbox.replays.place(ACCOUNT, session.id)
    assert [stop.instance.id for stop in place.stops] == ["0-4", "0-6"]
    assert [stop.gold for stop in place.stops] == [
        "You mended one in May.",
        "Then you can do it again.",
    ]
    assert (place.number, place.stop, place.turn) == (0, None, None)


def test_under_teacher_forcing_the_file_s_reply_counts_once_the_talk_goes_on(
    sandbox: Sandbox,
) -> None:
    session = longer(sandbox)
    first = step(sandbox, session)
    assert said(sandbox, session) == [("The loom broke.", "I see.", "model")]
    assert "mended one" not in scripted(sandbox).asked[-1].text
    step(sandbox, session)
    assert said(sandbox, session) == [
        ("The loom broke.", "You mended one in May.", "file"),
        ("True!", "Was it hard?", "file"),
        ("No.", "I see.", "model"),
    ]
    assert "You mended one in May." in scripted(sandbox).asked[-1].text
    assert "Was it hard?" in scripted(sandbox).asked[-1].text
    turn = talk(sandbox, session).turns[0]
    assert [(line.id == first, line.author) for line in turn.replies] == [
        (True, "model"),
        (False, "file"),
    ]
    assert turn.replies[1].finish == "given"


def test_free_running_the_model_s_reply_goes_on_counting(sandbox: Sandbox) -> None:
    session = longer(sandbox, FREE)
    for _ in range(3):
        step(sandbox, session)
    assert [one[1:] for one in said(sandbox, session)] == [
        ("I see.", "model"),
        ("Was it hard?", "file"),
        ("I see.", "model"),
        ("I see.", "model"),
    ]
    with pytest.raises(BadInput, match="last stop"):
        sandbox.replays.step(ACCOUNT, session.id)


def test_the_gear_decides_what_the_prompt_shows_and_goes_on_record(sandbox: Sandbox) -> None:
    session = replay(sandbox, with_run(), GOLD)
    step(sandbox, session)
    prompt = scripted(sandbox).asked[-1].text
    assert prompt.count("Bart mended heddle") == 1
    assert "(2023-05-04, Activities, Happy) Bart mended heddle 7." in prompt
    sandbox.replays.change(
        ACCOUNT, session.id, gear="distractors", options=Options(negatives="easiest", seed=5)
    )
    turn = talk(sandbox, session).turns[-1]
    again = sandbox.conversation.retry(ACCOUNT, turn.id).wait(20).reply
    assert again
    reply = sandbox.conversation.reply(ACCOUNT, again)
    shown = {line for line in "78641" if f"heddle {line}." in scripted(sandbox).asked[-1].text}
    assert shown == set("78641")
    assert "Choose the one event" in scripted(sandbox).asked[-1].text
    assert reply.sampling["replay"] == {
        "gear": "distractors",
        "forcing": "teacher",
        "negatives": "easiest",
        "run": None,
        "k": 4,
        "seed": 5,
        "prompts": "file",
    }
    assert reply.strategy == "given"
    assert len(reply.injected) == len(reply.recalled) == 5
    assert set(reply.prompts) == {f"reply_madial_2_3_{one}" for one in ("system", "notes", "turn")}
    sandbox.replays.change(ACCOUNT, session.id, gear="pipeline", strategy="full_pool")
    third = sandbox.conversation.retry(ACCOUNT, turn.id).wait(20).reply
    assert third
    own = sandbox.conversation.reply(ACCOUNT, third)
    assert (own.strategy, len(own.injected)) == ("full_pool", 8)
    assert [line.author for line in talk(sandbox, session).turns[-1].replies] == ["model"] * 3


def test_what_the_file_does_not_tell_is_refused_before_anything_is_opened(
    sandbox: Sandbox,
) -> None:
    with pytest.raises(BadInput, match="negatives come from"):
        longer(sandbox, Replayed("distractors"))
    assert sandbox.sessions.list(ACCOUNT) == []
    session = longer(sandbox)
    with pytest.raises(BadInput, match="negatives come from"):
        sandbox.replays.change(ACCOUNT, session.id, gear="distractors")
    assert sandbox.sessions.find(ACCOUNT, session.id).gear == "gold"


def test_back_takes_a_stop_out_of_the_talk_and_keeps_its_replies(sandbox: Sandbox) -> None:
    session = longer(sandbox)
    step(sandbox, session)
    second = step(sandbox, session)
    place = sandbox.replays.back(ACCOUNT, session.id)
    assert place.number == 1
    assert said(sandbox, session) == [("The loom broke.", "I see.", "model")]
    assert sandbox.conversation.reply(ACCOUNT, second).line.text == "I see."
    step(sandbox, session)
    assert len(said(sandbox, session)) == 3
    assert sandbox.replays.back(ACCOUNT, session.id).number == 1
    assert sandbox.replays.back(ACCOUNT, session.id).number == 0
    assert said(sandbox, session) == []
    with pytest.raises(BadInput, match="step first"):
        sandbox.replays.back(ACCOUNT, session.id)


def test_a_jump_places_what_lies_between_in_the_file_s_words(sandbox: Sandbox) -> None:
    session = longer(sandbox, FREE)
    live = sandbox.replays.jump(ACCOUNT, session.id, 3)
    assert live
    assert live.wait(20).reply
    assert len(scripted(sandbox).asked) == 1
    assert said(sandbox, session) == [
        ("The loom broke.", "You mended one in May.", "file"),
        ("True!", "Was it hard?", "file"),
        ("No.", "Then do it again.", "file"),
        ("And now?", "I see.", "model"),
    ]
    assert sandbox.replays.jump(ACCOUNT, session.id, 2) is None
    assert sandbox.replays.place(ACCOUNT, session.id).number == 2
    with pytest.raises(BadInput, match="between 1 and 3, got 4"):
        sandbox.replays.jump(ACCOUNT, session.id, 4)


def test_the_script_knows_what_is_said_between_stops(sandbox: Sandbox) -> None:
    stops = sandbox.replays.place(ACCOUNT, longer(sandbox).id).stops
    assert [stop.between for stop in stops] == [(), (Exchange("True!", "Was it hard?"),), ()]
    assert [stop.query for stop in stops] == ["The loom broke.", "No.", "And now?"]


def test_an_instance_alone_is_one_stop_and_a_later_one_begins_there(sandbox: Sandbox) -> None:
    shipped = sandbox.instances.shipped.sha256
    demo = sandbox.replays.open(ACCOUNT, shipped, "demo-05", Replayed("distractors"))
    assert len(sandbox.replays.place(ACCOUNT, demo.id).stops) == 1
    found = sandbox.instances.add(ACCOUNT, small(LONGER))
    late = sandbox.replays.open(ACCOUNT, found.sha256, "0-6", GOLD)
    assert [one.number for one in sandbox.replays.place(ACCOUNT, late.id).stops] == [1, 2]
    assert [one.text for one in late.prelude][-1] == "Was it hard?"


def test_play_answers_every_stop_and_has_each_judged(sandbox: Sandbox) -> None:
    session = longer(sandbox)
    sandbox.playing.play(ACCOUNT, session.id, judge="local")
    assert sandbox.playing.wait(session.id, 20)
    assert sandbox.playing.trouble(session.id) is None
    place = sandbox.replays.place(ACCOUNT, session.id)
    assert place.number == 3
    for number in (1, 2, 3):
        turn = place.turn_of(number)
        assert turn
        answer = turn.replies[0]
        judged = sandbox.evaluating.evaluation(ACCOUNT, answer.id).judged
        assert [one.verdict.judge for one in judged] == ["local"]
        assert answer.author == "model"
    with pytest.raises(BadInput, match="Every stop is answered"):
        sandbox.playing.play(ACCOUNT, session.id)


def test_play_stops_when_asked_and_keeps_what_there_is(tmp_path: Path) -> None:
    pause = Event()
    with closing(fake_sandbox(tmp_path / "data", Script().play, pause=pause)) as sandbox:
        session = longer(sandbox)
        sandbox.playing.play(ACCOUNT, session.id)
        assert scripted(sandbox).started.wait(20)
        assert sandbox.playing.is_playing(session.id)
        sandbox.playing.stop(ACCOUNT, session.id)
        assert sandbox.playing.wait(session.id, 20)
        assert said(sandbox, session) == [("The loom broke.", "I", "model")]
        assert sandbox.replays.place(ACCOUNT, session.id).number == 1


def test_nobody_speaks_in_a_replay_before_taking_over(sandbox: Sandbox) -> None:
    session = longer(sandbox)
    with pytest.raises(BadInput, match="take over before you speak"):
        sandbox.conversation.send(ACCOUNT, session.id, "Hello.")
    free = sandbox.replays.take_over(ACCOUNT, session.id)
    assert (free.gear, free.protocol, free.box) == (None, "madial_2_3", "The loom broke.")
    with pytest.raises(BadInput, match="is no replay"):
        sandbox.replays.step(ACCOUNT, session.id)


def test_after_a_take_over_it_is_an_ordinary_session_with_the_bank_as_it_is(
    sandbox: Sandbox,
) -> None:
    session = longer(sandbox)
    step(sandbox, session)
    free = sandbox.replays.take_over(ACCOUNT, session.id)
    assert free.box is None
    reply = sandbox.conversation.ask(ACCOUNT, session.id, "Which heddle?")
    assert reply.strategy == "top_k"
    assert reply.recalled
    assert "replay" not in reply.sampling
    turn = talk(sandbox, session).turns[-1]
    assert turn.origin is None
    by_hand = sandbox.conversation.write_reply(ACCOUNT, turn.id, "The seventh.")
    assert by_hand.line.author == "human"
    remembered = sandbox.remembering.end(ACCOUNT, session.id)
    assert remembered.capture.status == "done"


def test_a_take_over_goes_on_as_the_replay_was_asked_until_someone_chooses_otherwise(
    sandbox: Sandbox,
) -> None:
    session = longer(sandbox)
    free = sandbox.replays.take_over(ACCOUNT, session.id)
    assert (free.protocol, free.profile, free.clock) == (
        "madial_2_3",
        session.profile,
        session.clock,
    )
    reply = sandbox.conversation.ask(ACCOUNT, session.id, "Which heddle?")
    assert "reply_madial_2_3_system" in reply.prompts
    assert "The date of this conversation is 2024-06-15." in scripted(sandbox).asked[-1].text
    assert sandbox.replays.ask_by(ACCOUNT, session.id, "sandbox").protocol == "free"
    reply = sandbox.conversation.ask(ACCOUNT, session.id, "And that one?")
    assert "reply_free_system" in reply.prompts
    assert sandbox.replays.ask_by(ACCOUNT, session.id, "file").protocol == "madial_2_3"
    sandbox.remembering.end(ACCOUNT, session.id)
    assert sandbox.sessions.continue_from(ACCOUNT, session.id).protocol == "madial_2_3"
    own = longer(sandbox, Replayed("gold", options=Options(prompts="sandbox")))
    assert own.protocol == "free"
    assert sandbox.replays.take_over(ACCOUNT, own.id).protocol == "free"
    with pytest.raises(BadInput, match="goes on from an instance"):
        sandbox.replays.ask_by(ACCOUNT, longer(sandbox).id, "file")


SAID = ["The loom broke.", "You mended one in May.", "True!", "Was it hard?", "No.", "I see."]


@pytest.mark.parametrize("at", range(1, 7))
def test_a_replay_is_taken_over_behind_any_utterance(
    sandbox: Sandbox, tmp_path: Path, at: int
) -> None:
    session = longer(sandbox)
    step(sandbox, session)
    step(sandbox, session)
    assert [one.text for one in talk(sandbox, session).said()] == SAID
    free = sandbox.replays.take_over(ACCOUNT, session.id, at)
    whole = talk(sandbox, session)
    assert [one.text for one in said_so_far(whole)] == SAID[:at]
    waiting = whole.open_turn
    assert (waiting is not None) == bool(at % 2)
    assert free.box is None
    if waiting:
        by_hand = sandbox.conversation.write_reply(ACCOUNT, waiting.id, "Hm.")
        assert by_hand.line.author == "human"
    assert sandbox.conversation.ask(ACCOUNT, session.id, "So?").line.text == "I see."
    assert verify(Layout(tmp_path / "data"), sandbox.record).problems == ()


@pytest.mark.parametrize("at", [1, 2])
def test_a_replay_is_taken_over_in_what_was_said_before_its_first_stop(
    sandbox: Sandbox, at: int
) -> None:
    session = replay(sandbox, with_run(), GOLD)
    step(sandbox, session)
    with pytest.raises(BadInput, match="between 1 and 4, got 5"):
        sandbox.replays.take_over(ACCOUNT, session.id, 5)
    sandbox.replays.take_over(ACCOUNT, session.id, at)
    whole = talk(sandbox, session)
    told = ["The loom broke.", "Oh no. Which part?"]
    assert [one.text for one in said_so_far(whole)] == told[:at]
    assert [one.text for one in whole.session.prelude] == (told if at == 2 else [])
    if whole.open_turn:
        assert sandbox.conversation.retry(ACCOUNT, whole.open_turn.id).wait(20).reply
    assert sandbox.conversation.ask(ACCOUNT, session.id, "So?").line.text == "I see."


def test_a_record_with_replays_is_consistent_whatever_was_done(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    session = longer(sandbox)
    step(sandbox, session)
    step(sandbox, session)
    sandbox.replays.back(ACCOUNT, session.id)
    live = sandbox.replays.jump(ACCOUNT, session.id, 3)
    assert live
    assert live.wait(20).reply
    sandbox.replays.take_over(ACCOUNT, session.id)
    assert verify(Layout(tmp_path / "data"), sandbox.record).problems == ()


GEARED = [
    Replayed("gold"),
    Replayed("distractors", options=Options(run="openai")),
    Replayed("pipeline", options=Options(run="openai")),
    Replayed("pipeline"),
]


def otherwise(files: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """The files with other replies at the test turns."""
    told = {"You mended one in May.": "Otters juggle.", "Then you can do it again.": "Never mind."}
    changed = []
    for name, data in files:
        text = data.decode()
        for gold, other in told.items():
            text = text.replace(gold, other)
        changed.append((name, text.encode()))
    return changed


@pytest.mark.parametrize("replayed", GEARED, ids=lambda one: f"{one.gear} {one.options.run}")
def test_no_prompt_of_any_gear_or_take_over_depends_on_the_file_s_replies(
    sandbox: Sandbox, replayed: Replayed
) -> None:
    free = Replayed(replayed.gear, "free", replayed.options)
    sent: list[list[list[str]]] = []
    for files in (with_run(), otherwise(with_run())):
        session, before = replay(sandbox, files, free), len(scripted(sandbox).asked)
        step(sandbox, session)
        step(sandbox, session)
        sandbox.replays.take_over(ACCOUNT, session.id)
        sandbox.conversation.ask(ACCOUNT, session.id, "Which heddle?")
        sandbox.user_writer.speak(ACCOUNT, session.id).wait(20)
        # Memories that are equally close stand in the order of their ids, which files differ in.
        asked = scripted(sandbox).asked[before:]
        sent.append([sorted(one.text.splitlines()) for one in asked])
    assert len(sent[0]) == 5
    assert sent[0] == sent[1]


@pytest.mark.parametrize("prompts", ["file", "benchmark"])
@pytest.mark.parametrize("gear", GEARS)
def test_no_role_reason_or_reference_reply_is_sent_under_any_gear(
    sandbox: Sandbox, gear: Gear, prompts: Prompts
) -> None:
    shipped = sandbox.instances.shipped
    one, how = shipped.find("demo-05"), Options(prompts=prompts)
    session = sandbox.replays.open(
        ACCOUNT, shipped.sha256, one.id, Replayed(gear, options=how), strategy="full_pool"
    )
    step(sandbox, session)
    sandbox.replays.take_over(ACCOUNT, session.id)
    sandbox.conversation.ask(ACCOUNT, session.id, "And now?")
    hidden = [*one.reasons.values(), *(reply.text for reply in one.replies), *one.roles]
    for asked in scripted(sandbox).asked:
        assert not [words for words in hidden if words in asked.text]
        assert not {"must-only", "nice-only", "must+nice", "irr"} & set(asked.text.split())
    assert len(scripted(sandbox).asked) == 2


def test_nothing_of_the_gold_is_sent_before_its_stop_is_past(sandbox: Sandbox) -> None:
    session = longer(sandbox, Replayed("pipeline"))
    golden = ["You mended one in May.", "Then do it again.", "Now rest."]
    for number in range(3):
        step(sandbox, session)
        sent = scripted(sandbox).asked[-1].text
        assert [words for words in golden[number:] if words in sent] == []


def test_a_replay_is_taken_up_after_a_restart(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with closing(fake_sandbox(folder, Script().play)) as first:
        session = longer(first)
        step(first, session)
    with closing(fake_sandbox(folder, Script().play)) as second:
        assert second.sessions.find(ACCOUNT, session.id) == session
        assert second.replays.place(ACCOUNT, session.id).number == 1
        step(second, session)
        assert len(said(second, session)) == 3


def test_a_replay_that_was_killed_at_a_stop_answers_that_stop_after_a_restart(
    tmp_path: Path,
) -> None:
    folder, copy, pause = tmp_path / "data", tmp_path / "copy", Event()
    with closing(fake_sandbox(folder, Script().play, pause=pause)) as first:
        session = longer(first)
        first.playing.play(ACCOUNT, session.id)
        assert scripted(first).started.wait(20)
        shutil.copytree(folder, copy)  # what a killed process leaves behind
        pause.set()
    with closing(fake_sandbox(copy, Script().play)) as second:
        assert not second.playing.is_playing(session.id)
        place = second.replays.place(ACCOUNT, session.id)
        assert place.turn
        assert (place.number, place.turn.status, place.turn.replies) == (1, "open", ())
        assert verify(Layout(copy), second.record).problems == ()
        step(second, session)
        assert second.replays.place(ACCOUNT, session.id).number == 1
        assert said(second, session) == [("The loom broke.", "I see.", "model")]
        second.playing.play(ACCOUNT, session.id)
        assert second.playing.wait(session.id, 20)
        assert second.replays.place(ACCOUNT, session.id).number == 3


def test_a_model_plays_the_person_and_the_record_says_so(tmp_path: Path) -> None:
    script = Script({"You write the lines of Bart": ' Bart: "It works again!" '})
    with closing(fake_sandbox(tmp_path / "data", script.play)) as sandbox:
        session = longer(sandbox)
        with pytest.raises(BadInput, match="take over before a model speaks"):
            sandbox.user_writer.speak(ACCOUNT, session.id)
        step(sandbox, session)
        sandbox.replays.take_over(ACCOUNT, session.id)
        live = sandbox.user_writer.speak(ACCOUNT, session.id)
        assert live.wait(20).reply
        asked = scripted(sandbox).asked[-2].text
        assert "About Bart: A boy between 10 and 14" in asked
        assert "Bart: The loom broke." in asked
        assert "Assistant: I see." in asked
        turn = talk(sandbox, session).turns[-1]
        assert turn.text == "It works again!"
        assert turn.origin
        assert (turn.origin.kind, turn.origin.model) == ("model", "scripted")
        assert set(turn.origin.prompts) == {"user_line"}
        assert [line.text for line in turn.replies] == ["I see."]
