from collections.abc import Callable
from typing import Any

import pytest

from graphs.chat_model import ModelError, UnreadableAnswer
from tests.lab import ASK, SAMPLING, Form, chat
from tests.stub_server import Fault, Played, Reply, StubServer

GOOD = {"mood": "glad", "points": 4}


# Answers


def test_an_answer_is_asked_for_by_schema_first() -> None:
    with StubServer(GOOD) as server:
        given = chat(server).answer(ASK, Form, SAMPLING)
        [request] = server.chats
    assert given.value == Form(mood="glad", points=4)
    assert (given.how, given.repaired, given.usage.prompt_tokens) == ("json_schema", False, 7)
    assert request.form == "Form"
    assert request.body["messages"] == ASK


def knows(*kinds: str) -> Callable[[dict[str, Any]], Played]:
    """A server that refuses every other way to ask."""

    def script(body: dict[str, Any]) -> Played:
        kind = (body.get("response_format") or {"type": "prompt"})["type"]
        return GOOD if kind in kinds else Fault("unsupported", field="response_format")

    return script


@pytest.mark.parametrize(("kinds", "calls"), [(("json_object", "prompt"), 2), (("prompt",), 3)])
def test_the_ladder_is_walked_down_once(kinds: tuple[str, ...], calls: int) -> None:
    with StubServer(knows(*kinds)) as server:
        model = chat(server)
        assert model.answer(ASK, Form, SAMPLING).how == kinds[0]
        assert len(server.chats) == calls
        assert model.answer(ASK, Form, SAMPLING).how == kinds[0]
        assert len(server.chats) == calls + 1
        assert '"points"' in server.chats[-1].said


def test_a_request_that_is_refused_on_every_rung_lowers_none() -> None:
    with StubServer(Fault("404")) as server:
        model = chat(server)
        with pytest.raises(ModelError, match="does not exist"):
            model.answer(ASK, Form, SAMPLING)
        server.play(GOOD)
        assert model.answer(ASK, Form, SAMPLING).how == "json_schema"


def test_a_schema_that_is_taken_and_not_enforced_is_not_asked_for_again() -> None:
    with StubServer(["I feel glad.", GOOD, GOOD]) as server:
        model = chat(server)
        assert model.answer(ASK, Form, SAMPLING).repaired
        assert model.answer(ASK, Form, SAMPLING).how == "json_object"


def test_an_answer_is_repaired_once_with_the_reason() -> None:
    with StubServer([{"mood": "glad", "points": "four"}, GOOD]) as server:
        given = chat(server).answer(ASK, Form, SAMPLING)
        again = server.chats[1]
    assert given.value.points == 4
    assert given.repaired
    assert (given.usage.prompt_tokens, given.usage.completion_tokens) == (14, 8)
    assert "points" in again.said
    assert again.body["messages"][-2]["role"] == "assistant"
    assert "four" in again.body["messages"][-2]["content"]


def test_an_answer_that_stays_unreadable_is_kept_verbatim() -> None:
    with StubServer(["no", "still no"]) as server:
        with pytest.raises(UnreadableAnswer, match="after one repair") as caught:
            chat(server).answer(ASK, Form, SAMPLING)
        assert len(server.chats) == 2
    assert caught.value.raw == "still no"


@pytest.mark.parametrize(
    "bad",
    [
        Reply(""),
        Reply("", reasoning='{"mood": "glad", "points": 4}'),
        Reply('{"mood": "glad", "points": 4}', finish="length"),
        Reply('<think>{"mood": "glad", "points": 4}'),
        Reply('{"mood": "glad", "points": 4} {"mood": "sad", "points": 1}'),
    ],
)
def test_no_words_a_cut_or_two_objects_are_asked_for_again(bad: Reply) -> None:
    with StubServer([bad, {"mood": "calm", "points": 2}]) as server:
        given = chat(server).answer(ASK, Form, SAMPLING)
    assert (given.value.mood, given.repaired) == ("calm", True)


def test_answer_and_repair_share_one_deadline() -> None:
    late = Reply('{"mood":"glad","points":4}', delay=0.6)
    with (
        StubServer([Reply("no", delay=0.5), late]) as server,
        pytest.raises(ModelError, match=r"timed out after 0\.9 s"),
    ):
        chat(server, deadline=0.9).answer(ASK, Form, SAMPLING)


# Tokens


def test_tokens_are_counted_by_a_server_that_counts() -> None:
    with StubServer(tokens=True) as server:
        model = chat(server)
        assert not model.counts_exactly
        assert model.count_tokens("one two three") == 3
        assert model.counts_exactly
        assert server.requests[0].has_key
        assert model.count_tokens("") == 0


def test_a_server_that_does_not_count_is_asked_once() -> None:
    with StubServer() as server:
        model = chat(server)
        assert [model.count_tokens("abcdefg"), model.count_tokens("abcdefgh")] == [2, 3]
        assert not model.counts_exactly
        assert len(server.requests) == 1


def test_a_server_that_is_away_is_asked_again() -> None:
    server = StubServer(tokens=True)
    model = chat(server)
    server.close()
    assert model.count_tokens("abcdefg") == 2
    assert not model.counts_exactly


def test_characters_of_dense_scripts_are_about_a_token_each() -> None:
    with StubServer() as server:
        assert chat(server).count_tokens("我搬到塔林了") == 6


def test_a_model_that_is_not_said_to_score_gives_no_log_probabilities() -> None:
    with StubServer() as server:
        assert chat(server).log_probabilities(ASK, "Hello.") is None
        assert server.requests == []


def test_a_server_that_cannot_score_is_said_in_one_sentence() -> None:
    with StubServer(tokens=True) as server:
        model = chat(server, scores=True)
        with pytest.raises(ModelError, match=r"must be llama\.cpp's\.$"):
            model.log_probabilities(ASK, "Hello.")
