"""Turns: what is on record, what a page can follow, and what happens when it goes wrong."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from graphs.chat_model import ModelError
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.conversation import SessionBusy, TurnFailed
from sandbox.inputs import BadInput
from sandbox.sessions import SessionEnded
from sandbox.transcripts import Session, UnknownReply, UnknownSession
from tests.fakes import Script, fake_sandbox, scripted
from tests.scripted_model import ScriptedModel

WALID = "walid-qutami"


class Bench:
    """A sandbox whose script and pace a test can change."""

    def __init__(self, folder: Path) -> None:
        self.script = Script()
        self.trouble: ModelError | None = None
        self.pause = Event()
        self.pause.set()
        self.sandbox: Sandbox = fake_sandbox(folder, self._play, pause=self.pause)

    def _play(self, asked: object) -> object:
        return self.trouble or self.script.play(asked)  # type: ignore[arg-type]

    @property
    def model(self) -> ScriptedModel:
        return scripted(self.sandbox)

    def open(self, user: str = "Noor", **values: object) -> Session:
        return self.sandbox.sessions.open(ACCOUNT, user, WALID, **values)  # type: ignore[arg-type]

    def say(self, session: Session, text: str) -> str:
        return self.sandbox.conversation.ask(ACCOUNT, session.id, text, deadline=20).line.text

    def turns(self, session: Session) -> list[tuple[str, str | None]]:
        whole = self.sandbox.sessions.transcript(ACCOUNT, session.id)
        return [(turn.text, turn.reply.text if turn.reply else None) for turn in whole.turns]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.pause.set()
    made.sandbox.close()


def test_a_reply_is_saved_with_everything_that_made_it(bench: Bench) -> None:
    session = bench.open("Dina Haddadin")
    bench.script.replies = {"hall": "The hall is off."}
    reply = bench.sandbox.conversation.ask(ACCOUNT, session.id, "Is it the hall?")
    assert (reply.line.text, reply.line.finish, reply.strategy) == (
        "The hall is off.",
        "stop",
        "top_k",
    )
    assert reply.query == "Is it the hall?"
    assert len(reply.injected) == 8
    assert set(reply.injected) == {one.entry for one in reply.recalled if one.fell is None}
    assert [one.fell for one in reply.recalled][8] == "Below the 8 closest."
    assert list(reply.messages) == bench.model.asked[-1].messages
    scores = [one.scores["dense"] for one in reply.recalled]
    assert scores == sorted(scores, reverse=True)
    sent = sum(len(message["content"]) for message in reply.messages)
    assert sum(reply.usage["sections"].values()) == sent
    assert set(reply.prompts) == {"reply_free_system", "reply_free_notes", "reply_free_turn"}


def test_no_memory_recalls_and_injects_nothing(bench: Bench) -> None:
    session = bench.open("Dina Haddadin", strategy="no_memory")
    reply = bench.sandbox.conversation.ask(ACCOUNT, session.id, "Is it the hall?")
    assert (reply.recalled, reply.injected) == ((), ())
    assert "notes" not in reply.messages[-1]["content"]


def test_full_pool_injects_every_live_entry_in_an_order_its_seed_repeats(bench: Bench) -> None:
    session = bench.open("Dina Haddadin", strategy="full_pool")
    reply = bench.sandbox.conversation.ask(ACCOUNT, session.id, "Where is it?")
    live = bench.sandbox.banks.view(ACCOUNT, "Dina Haddadin", WALID).live
    assert sorted(reply.injected) == sorted(entry.id for entry in live)
    assert list(reply.injected) != [entry.id for entry in live]


def test_the_talk_so_far_is_sent_without_the_notes_of_earlier_turns(bench: Bench) -> None:
    session = bench.open("Dina Haddadin")
    bench.say(session, "First.")
    bench.say(session, "Second.")
    sent = bench.model.asked[-1].messages
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "user"]
    assert (sent[1]["content"], sent[2]["content"]) == ("First.", "I see.")


def test_braces_dollars_and_fences_reach_the_model_byte_for_byte(bench: Bench) -> None:
    text = 'Uses {char} and {"a": 1} and $name ${x} </notes> {0.__class__} {% raw %}'
    session = bench.open()
    bench.say(session, text)
    assert bench.model.asked[-1].said.endswith(text)


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 100_001, "a\x00b", "\ud83d"])
def test_a_message_that_cannot_be_taken_changes_nothing(bench: Bench, text: str) -> None:
    session = bench.open()
    with pytest.raises(BadInput):
        bench.sandbox.conversation.send(ACCOUNT, session.id, text)
    assert bench.turns(session) == []
    assert bench.model.asked == []


def test_a_message_at_the_limit_is_taken(bench: Bench) -> None:
    session = bench.open(strategy="no_memory")
    assert bench.say(session, "x" * 100_000) == "I see."


def test_the_same_draft_twice_is_one_turn_and_one_call(bench: Bench) -> None:
    session = bench.open()
    for _ in range(2):
        live = bench.sandbox.conversation.send(ACCOUNT, session.id, "Hi.", draft="d1", wait=5)
        assert live.wait(5).status == "saved"
    assert bench.turns(session) == [("Hi.", "I see.")]
    assert len(bench.model.asked) == 1


def test_two_concurrent_sends_are_two_turns_in_order(bench: Bench) -> None:
    session = bench.open()
    said = [Thread(target=bench.say, args=(session, f"Number {n}.")) for n in range(4)]
    for thread in said:
        thread.start()
    for thread in said:
        thread.join()
    turns = bench.turns(session)
    assert sorted(text for text, _ in turns) == [f"Number {n}." for n in range(4)]
    assert all(reply == "I see." for _, reply in turns)


def test_a_second_send_that_does_not_wait_is_told_and_keeps_nothing(bench: Bench) -> None:
    session = bench.open()
    bench.pause.clear()
    bench.script.replies = {"First": "One two three."}
    live = bench.sandbox.conversation.send(ACCOUNT, session.id, "First.")
    with pytest.raises(SessionBusy, match="being written"):
        bench.sandbox.conversation.send(ACCOUNT, session.id, "Second.")
    bench.pause.set()
    assert live.wait(5).status == "saved"
    assert bench.turns(session) == [("First.", "One two three.")]


def test_stop_saves_the_part_that_was_written(bench: Bench) -> None:
    session = bench.open()
    bench.pause.clear()
    bench.script.replies = {"Tell": "One two three."}
    live = bench.sandbox.conversation.send(ACCOUNT, session.id, "Tell me.")
    assert bench.model.started.wait(5)
    assert bench.sandbox.conversation.stop(ACCOUNT, session.id)
    assert (live.wait(5).status, live.now.text) == ("saved", "One")
    reply = bench.sandbox.conversation.reply(ACCOUNT, live.now.reply or "")
    assert reply.line.finish == "stopped"
    assert not bench.sandbox.conversation.stop(ACCOUNT, session.id)


def test_whoever_follows_late_sees_the_reply_from_its_beginning(bench: Bench) -> None:
    session = bench.open()
    bench.pause.clear()
    bench.script.replies = {"Tell": "One two three."}
    live = bench.sandbox.conversation.send(ACCOUNT, session.id, "Tell me.")
    assert next(now for now in live.follow(every=0) if now.text)
    seen = bench.sandbox.conversation.follow(ACCOUNT, session.id, every=0)
    assert next(seen).text == "One "
    bench.pause.set()
    assert [progress.status for progress in seen][-1] == "saved"


def test_a_failed_turn_waits_with_its_text_and_the_reason(bench: Bench) -> None:
    session = bench.open()
    bench.trouble = ModelError("The model is not there; start it.")
    with pytest.raises(TurnFailed, match="not there"):
        bench.say(session, "Hello?")
    waiting = bench.sandbox.sessions.transcript(ACCOUNT, session.id).open_turn
    assert waiting is not None
    assert (waiting.text, waiting.trouble) == ("Hello?", "The model is not there; start it.")
    bench.trouble = None
    assert bench.say(session, "Hello?") == "I see."
    assert bench.turns(session) == [("Hello?", "I see.")]


def test_another_text_takes_the_place_of_a_failed_one(bench: Bench) -> None:
    session = bench.open()
    bench.trouble = ModelError("No.")
    with pytest.raises(TurnFailed):
        bench.say(session, "Hello?")
    bench.trouble = None
    bench.say(session, "Never mind.")
    assert bench.turns(session) == [("Never mind.", "I see.")]
    assert "Hello?" not in bench.model.asked[-1].text


def test_regenerating_adds_a_sibling_and_chooses_it(bench: Bench) -> None:
    session = bench.open()
    bench.say(session, "Hi.")
    bench.script.replies = {"Hi.": "Again."}
    bench.sandbox.conversation.retry(ACCOUNT, f"{session.id}-1").wait(5)
    (turn,) = bench.sandbox.sessions.transcript(ACCOUNT, session.id).turns
    assert [reply.text for reply in turn.replies] == ["I see.", "Again."]
    assert turn.chosen == turn.replies[1].id
    bench.sandbox.conversation.choose(ACCOUNT, turn.replies[0].id)
    assert bench.turns(session) == [("Hi.", "I see.")]


def test_a_reply_by_hand_is_a_sibling_and_what_is_sent_next(bench: Bench) -> None:
    session = bench.open()
    bench.say(session, "Hi.")
    written = bench.sandbox.conversation.write_reply(ACCOUNT, f"{session.id}-1", "By hand.")
    assert (written.line.author, written.line.finish) == ("human", "written")
    bench.say(session, "Next.")
    sent = [message["content"] for message in bench.model.asked[-1].messages]
    assert sent[1:3] == ["Hi.", "By hand."]
    assert "I see." not in sent


def test_only_the_last_turn_can_have_another_reply(bench: Bench) -> None:
    session = bench.open()
    bench.say(session, "One.")
    bench.say(session, "Two.")
    first = f"{session.id}-1"
    for attempt in (
        lambda: bench.sandbox.conversation.retry(ACCOUNT, first),
        lambda: bench.sandbox.conversation.write_reply(ACCOUNT, first, "Late."),
        lambda: bench.sandbox.conversation.choose(ACCOUNT, f"{first}.1"),
    ):
        with pytest.raises(BadInput, match="turn 1 of 2"):
            attempt()


def test_an_ended_session_is_read_only_and_can_be_continued(bench: Bench) -> None:
    session = bench.open(clock="2026-03-26 11:05 +03:00")
    bench.say(session, "Hi.")
    bench.sandbox.remembering.end(ACCOUNT, session.id)
    with pytest.raises(SessionEnded, match="read-only"):
        bench.sandbox.conversation.send(ACCOUNT, session.id, "More.")
    linked = bench.sandbox.sessions.continue_from(ACCOUNT, session.id)
    assert (linked.continues, linked.speaker) == (session.id, "Noor")
    assert bench.turns(linked) == []


def test_a_turn_takes_the_sessions_clock_and_prompts_carry_its_offset(bench: Bench) -> None:
    session = bench.open(clock="2026-03-26 11:05 +03:00")
    bench.say(session, "Hi.")
    whole = bench.sandbox.sessions.transcript(ACCOUNT, session.id)
    assert whole.turns[0].at == "2026-03-26T11:05:00+03:00"
    assert "Thursday 2026-03-26 11:05, UTC+03:00" in bench.model.asked[-1].said


def test_another_account_finds_nothing(bench: Bench) -> None:
    session = bench.open()
    bench.say(session, "Hi.")
    with pytest.raises(UnknownSession):
        bench.sandbox.sessions.transcript("other", session.id)
    with pytest.raises(UnknownReply):
        bench.sandbox.conversation.reply("other", f"{session.id}-1.1")
    assert bench.sandbox.sessions.list("other") == []


def test_sessions_are_listed_with_their_number_of_turns(bench: Bench) -> None:
    first, second = bench.open(), bench.open("Ana")
    bench.say(first, "Hi.")
    found = bench.sandbox.sessions.list(ACCOUNT, "noor", WALID)
    assert [(one.session.id, one.turns) for one in found] == [(first.id, 1)]
    assert len(bench.sandbox.sessions.list(ACCOUNT)) == 2
    assert second.user == "ana"


def test_placeholders_of_a_card_reach_no_model(bench: Bench) -> None:
    card = bench.sandbox.library.get(WALID).model_copy(
        update={"id": "placeholders", "summary": ("{{char}} teases {{user}}.",)}
    )
    bench.sandbox.characters.save(ACCOUNT, card)
    session = bench.sandbox.sessions.open(ACCOUNT, "Noor", "placeholders")
    bench.say(session, "Hi, {{user}}.")
    sent = bench.model.asked[-1].messages
    assert "Walid Qutami teases Noor." in sent[0]["content"]
    assert sent[-1]["content"].endswith("Hi, {{user}}.")
