import contextlib
import threading
from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import pytest

from graphs.chat_model import ChatModel, ModelError, OpenAIChat, Sampling
from tests.lab import ASK, SAMPLING, SENTENCES, answer, chat, failure, played, reply
from tests.stub_server import Fault, Kind, Played, Reply, StubServer, closed_port

# Replies


def test_a_reply_streams_piece_by_piece_and_says_what_it_took() -> None:
    with StubServer("Good morning to you.") as server:
        model: ChatModel = chat(server)
        stream = model.stream(ASK, SAMPLING)
        assert list(stream) == ["Good ", "morning ", "to ", "you."]
        assert stream.finish == "stop"
        assert (stream.usage.prompt_tokens, stream.usage.completion_tokens) == (7, 4)
        assert stream.usage.seconds > 0


def test_a_reply_without_token_counts_is_a_reply() -> None:
    with StubServer(Reply("Hello.", usage=False)) as server:
        stream = chat(server).stream(ASK, SAMPLING)
        assert list(stream) == ["Hello."]
        assert stream.usage.completion_tokens is None


def test_a_reply_at_the_token_limit_says_so() -> None:
    with StubServer(Reply("Once upon a", finish="length")) as server:
        stream = chat(server).stream(ASK, SAMPLING)
        assert "".join(stream) == "Once upon a"
        assert stream.finish == "length"


def test_the_sampling_is_sent_and_defaults_are_not() -> None:
    with StubServer("Hello.") as server:
        reply(chat(server), Sampling(0.2, 0.9, 64, 7))
        reply(chat(server))
        full, plain = (request.body for request in server.chats)
    assert {name: full[name] for name in ("temperature", "top_p", "max_tokens", "seed")} == {
        "temperature": 0.2,
        "top_p": 0.9,
        "max_tokens": 64,
        "seed": 7,
    }
    assert full["messages"] == ASK
    assert not plain.keys() & {"top_p", "seed"}


@pytest.mark.parametrize(
    ("refused", "sampling", "instead"),
    [
        ("max_tokens", Sampling(), {"max_completion_tokens"}),
        ("temperature", Sampling(), set()),
        ("seed", Sampling(seed=3), set()),
        ("stream_options", Sampling(), set()),
    ],
)
def test_a_field_a_server_does_not_know_is_left_out_from_then_on(
    refused: str, sampling: Sampling, instead: set[str]
) -> None:
    def script(body: dict[str, Any]) -> Played:
        return Fault("unsupported", field=refused) if refused in body else "Hello."

    with StubServer(script) as server:
        model = chat(server)
        assert [reply(model, sampling), reply(model, sampling)] == ["Hello.", "Hello."]
        assert [refused in request.body for request in server.chats] == [True, False, False]
        assert instead <= server.chats[1].body.keys()


def test_a_server_that_refuses_a_field_for_good_is_an_error() -> None:
    assert "refused the request (400)" in str(failure(Fault("unsupported", field="max_tokens")))


@pytest.mark.parametrize(
    "pieces",
    [
        ["<think>They greet me.</think>", "Hello."],
        ["<th", "ink>", "They", " greet me.</thi", "nk>\n", "\nHello."],
        ["\n <think>a</think><think>b</think>Hel", "lo."],
        ["think>x</think>Hello."],
        ["<thinking>maybe <b> or </thinking> Hello."],
        ["", "  ", "Hello."],
    ],
)
def test_reasoning_is_never_part_of_the_reply(pieces: list[str]) -> None:
    assert played(Reply(pieces=pieces), reply) == "Hello."


def test_a_reasoning_field_is_never_part_of_the_reply() -> None:
    assert played(Reply("Hello.", reasoning="They greet me."), reply) == "Hello."


@pytest.mark.parametrize("text", ["think of me", "<b>bold</b>", "<th", "th", "I <think> so."])
def test_what_only_looks_like_reasoning_is_kept(text: str) -> None:
    assert played(Reply(text), reply) == text
    assert played(Reply(pieces=list(text)), reply) == text


def test_reasoning_whose_beginning_is_not_marked_is_an_error() -> None:
    assert "reasoning parser" in str(failure(Reply(pieces=["They greet", " me.</think>Hello."])))


@pytest.mark.parametrize(
    "text",
    [Reply(""), Reply("   \n"), Reply("", reasoning="hm"), Reply("<think>so I"), Reply("<think>")],
)
def test_a_reply_without_a_word_is_an_error(text: Reply) -> None:
    assert "reply" in str(failure(text))


def test_a_reply_of_reasoning_only_says_so() -> None:
    assert "reasoning" in str(failure(Reply("<think>so I said", finish="length")))


def test_a_withheld_reply_is_an_error() -> None:
    assert "content filter" in str(failure(Reply("I will", finish="content_filter")))


def test_what_no_record_can_hold_never_leaves_the_door() -> None:
    assert played(Reply(pieces=["a\ud83d", "\0b"]), reply) == "a\ufffd\ufffdb"


# Faults


@pytest.mark.parametrize("call", [reply, answer])
@pytest.mark.parametrize(("kind", "words"), SENTENCES)
def test_every_fault_is_one_sentence_with_a_way_out(
    kind: Kind, words: str, call: Callable[[OpenAIChat], Any]
) -> None:
    sentence = str(failure(Fault(kind), call))
    assert sentence.startswith("Model 'lab' ")
    assert words in sentence
    assert "; " in sentence.removesuffix(".")
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert "<h1>" not in sentence


@pytest.mark.parametrize("call", [reply, answer])
@pytest.mark.parametrize("kind", ["hang", "drip", "drip-body"])
def test_a_call_ends_at_its_deadline(kind: Kind, call: Callable[[OpenAIChat], Any]) -> None:
    with StubServer(Fault(kind)) as server:
        with pytest.raises(ModelError, match=r"timed out after 0\.6 s"):
            call(chat(server, deadline=0.6))
        assert server.wait_for(lambda stub: stub.left == 1)


def test_a_stream_that_is_read_slowly_is_not_cut_at_the_deadline() -> None:
    with StubServer("One two three.") as server:
        stream = chat(server, deadline=0.5).stream(ASK, SAMPLING)
        assert server.wait_for(lambda stub: len(stub.chats) == 1)
        Event().wait(0.7)
        assert "".join(stream) == "One two three."


def test_nobody_there_is_a_sentence() -> None:
    model = OpenAIChat("lab", "stub", f"http://127.0.0.1:{closed_port()}/v1")
    with pytest.raises(ModelError, match="refused the connection"):
        reply(model)


def test_a_server_that_is_busy_for_a_moment_is_tried_once_more() -> None:
    with StubServer([Fault("503"), "Here I am."]) as server:
        assert reply(chat(server)) == "Here I am."
        assert len(server.chats) == 2


def test_no_more_than_one_further_try() -> None:
    with StubServer(Fault("500")) as server:
        with pytest.raises(ModelError):
            reply(chat(server))
        assert len(server.chats) == 2


def test_a_short_wait_that_a_server_asks_for_is_kept_where_there_is_time() -> None:
    with StubServer([Fault("429", retry_after="1"), "Here."]) as server:
        assert reply(chat(server)) == "Here."
    with StubServer([Fault("429", retry_after="1"), "Here."]) as server:
        with pytest.raises(ModelError, match="asks to wait 1 s"):
            reply(chat(server, deadline=0.9))
        assert len(server.chats) == 1


@pytest.mark.parametrize(
    ("asked", "shown"),
    [("3600", "3600 s"), ("Fri, 31 Dec 2099 23:59:59 GMT", "a while"), ("9" * 30, "a while")],
)
def test_a_long_wait_is_shown_and_not_slept(asked: str, shown: str) -> None:
    with StubServer(Fault("429", retry_after=asked)) as server:
        with pytest.raises(ModelError, match=f"asks to wait {shown};"):
            reply(chat(server))
        assert len(server.chats) == 1


def test_a_failure_behind_the_first_word_is_not_tried_again() -> None:
    with StubServer([Fault("reset-midway"), "Hello."]) as server:
        with pytest.raises(ModelError):
            reply(chat(server))
        assert len(server.chats) == 1


def test_a_redirect_is_not_followed() -> None:
    with StubServer("Caught.") as elsewhere:
        target = f"{elsewhere.base_url}/chat/completions"
        failure(Fault("redirect", location=target))
        assert elsewhere.requests == []


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{closed_port()}")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert played("Hello.", reply) == "Hello."


# Stopping


def test_close_from_another_thread_ends_the_reply_and_the_upstream_call() -> None:
    with StubServer(Reply("One two three.", wait=Event())) as server:
        stream = chat(server).stream(ASK, SAMPLING)
        pieces: list[str] = []
        got_one = Event()

        def read() -> None:
            for piece in stream:
                pieces.append(piece)
                got_one.set()

        reader = Thread(target=read)
        reader.start()
        assert got_one.wait(10)
        stream.close()
        reader.join(10)
        assert not reader.is_alive()
        assert pieces == ["One "]
        assert stream.finish == "stopped"
        assert server.wait_for(lambda stub: stub.left == 1)


def test_close_before_the_first_word_ends_the_call_without_an_error() -> None:
    with StubServer(Fault("hang")) as server:
        stream = chat(server).stream(ASK, SAMPLING)
        assert server.wait_for(lambda stub: len(stub.chats) == 1)
        stream.close()
        assert server.wait_for(lambda stub: stub.left == 1)
        assert list(stream) == []
        assert stream.finish == "stopped"


def test_close_ends_a_wait_before_another_try() -> None:
    with StubServer(Fault("429", retry_after="5")) as server:
        stream = chat(server).stream(ASK, SAMPLING)
        assert server.wait_for(lambda stub: len(stub.chats) == 1)
        stream.close()
        stream.close()
        assert list(stream) == []
        assert len(server.chats) == 1


def test_a_reader_that_leaves_ends_the_upstream_call() -> None:
    with StubServer(Reply("One two three.", wait=Event())) as server:
        for _piece in chat(server).stream(ASK, SAMPLING):
            break
        assert server.wait_for(lambda stub: stub.left == 1)


def test_close_after_the_end_changes_nothing() -> None:
    with StubServer("Hello.") as server:
        stream = chat(server).stream(ASK, SAMPLING)
        assert list(stream) == ["Hello."]
        stream.close()
        assert stream.finish == "stop"


@pytest.mark.parametrize("script", ["Hello.", Fault("drip"), Fault("hang"), Fault("500")])
def test_no_thread_outlives_its_call(script: Played) -> None:
    before = set(threading.enumerate())
    with StubServer(script) as server, contextlib.suppress(ModelError):
        reply(chat(server, deadline=0.4))
    for thread in set(threading.enumerate()) - before:
        if thread.name == "model call":
            thread.join(10)
            assert not thread.is_alive()


def test_threads_share_a_model() -> None:
    def script(body: dict[str, Any]) -> Played:
        return Reply(body["messages"][-1]["content"], delay=0.002)

    with StubServer(script) as server:
        model = chat(server)
        found: dict[int, str] = {}

        def talk(number: int) -> None:
            words = " ".join([str(number)] * 8)
            found[number] = "".join(model.stream([{"role": "user", "content": words}], SAMPLING))

        threads = [Thread(target=talk, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert found == {number: " ".join([str(number)] * 8) for number in range(12)}
