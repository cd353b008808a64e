import logging

import pytest
from pydantic import SecretStr

from graphs.chat_model import ModelError, OpenAIChat
from tests.lab import CANARY, SENTENCES, answer, chat, reply, told
from tests.stub_server import Fault, Kind, StubServer, closed_port

# Keys


def test_the_key_reaches_the_server_and_only_there() -> None:
    with StubServer("Hello.") as server:
        reply(chat(server))
        reply(chat(server, key=None))
        assert [request.has_key for request in server.chats] == [True, False]


def test_an_ambient_key_or_account_goes_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, CANARY)
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{closed_port()}")
    with StubServer("Hello.") as server:
        reply(chat(server, key=None))
        [request] = server.chats
    assert not request.has_key
    assert CANARY not in str(request.headers)


@pytest.mark.parametrize("kind", [kind for kind, _ in SENTENCES] + ["hang"])
def test_no_fault_shows_the_key(kind: Kind, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "graphs")  # a command that ran before may have raised it
    with caplog.at_level(logging.DEBUG), StubServer(Fault(kind)) as server:
        model = chat(server, deadline=1.5)
        for call in (reply, answer):
            with pytest.raises(ModelError) as caught:
                call(model)
            assert CANARY not in told(caught.value)
        assert CANARY not in repr(model) + str(vars(model))
    shown = "".join(f"{record.getMessage()}{record.exc_text}" for record in caplog.records)
    assert "model lab" in shown
    assert CANARY not in shown


@pytest.mark.parametrize("key", [f"{CANARY}\n", f" {CANARY}", f"{CANARY}é", f"{CANARY}\0x", ""])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ValueError, match="the key of model 'lab'") as caught:
        OpenAIChat("lab", "stub", "http://127.0.0.1:1/v1", SecretStr(key))
    assert "CANARY" not in told(caught.value)


@pytest.mark.parametrize("url", ["ftp://host/v1", "file:///etc/passwd", "host:80", "http://", ""])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="base_url"):
        OpenAIChat("lab", "stub", url)


def test_a_call_is_one_line_in_the_log_without_its_texts(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "graphs"), StubServer("Hello.") as server:
        reply(chat(server))
    [record] = [record for record in caplog.records if record.name.startswith("graphs")]
    assert record.levelno == logging.INFO
    assert "model lab" in record.getMessage()
    assert "7 prompt tokens, 1 reply tokens" in record.getMessage()
    assert "Hello" not in record.getMessage()
    assert "Good morning" not in record.getMessage()


def test_a_proxy_that_cannot_be_used_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://user:CANARY@127.0.0.1:1")
    with pytest.raises(ModelError, match="proxy") as caught:
        OpenAIChat("lab", "stub", "https://models.example/v1")
    assert "CANARY" not in told(caught.value)
