"""The embedded model for real; skipped where its file is not on this machine.

Nothing here says what the model writes, only that it does, within bounds and twice the same.
"""

import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from graphs.chat_model import ChatModel, Message, ModelError, Sampling, UnreadableAnswer
from graphs.embedded import CONTEXT_TOKENS, EmbeddedServer
from graphs.model_file import SMOLLM2, ModelFileMissing, ensure_model_file
from sandbox.settings import Settings

ASK: list[Message] = [
    {"role": "system", "content": "You are Bram, who keeps a lighthouse."},
    {"role": "user", "content": "Tell me about the sea."},
]


class Feeling(BaseModel):
    mood: Literal["glad", "calm", "sad"]
    reason: Annotated[str, Field(max_length=40)]


def model_file() -> Path:
    """The file where the sandbox keeps it; the test is skipped without."""
    try:
        return ensure_model_file(Settings().models_dir, True, print)
    except ModelFileMissing as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    running = EmbeddedServer(model_file(), threads=1)
    yield running
    running.close()


@pytest.mark.model
def test_it_streams_and_says_what_it_took(server: EmbeddedServer) -> None:
    stream = server.chat().stream(ASK, Sampling(max_tokens=12, seed=1))
    pieces = list(stream)
    assert len(pieces) > 1
    assert stream.finish in ("stop", "length")
    assert stream.usage.completion_tokens is not None
    assert 0 < stream.usage.completion_tokens <= 12


@pytest.mark.model
def test_a_seed_repeats_a_reply(server: EmbeddedServer) -> None:
    first, again = (
        "".join(server.chat().stream(ASK, Sampling(max_tokens=12, seed=5))) for _ in "ab"
    )
    assert first == again


@pytest.mark.model
def test_an_answer_fits_its_form_or_is_unreadable(server: EmbeddedServer) -> None:
    sampling = Sampling(temperature=0.0, max_tokens=80, seed=1)
    raw, mood = "", "calm"
    try:
        given = server.chat().answer(ASK, Feeling, sampling)
        raw, mood = given.raw, given.value.mood
    except UnreadableAnswer as error:
        raw = error.raw
    assert mood in ("glad", "calm", "sad")
    assert len(raw) < 2000


@pytest.mark.model
def test_it_counts_tokens_exactly(server: EmbeddedServer) -> None:
    model = server.chat()
    assert model.count_tokens("the sea the sea") == 4
    assert model.counts_exactly


@pytest.mark.model
def test_a_prompt_without_room_is_a_sentence(server: EmbeddedServer) -> None:
    long: list[Message] = [{"role": "user", "content": "sea " * (CONTEXT_TOKENS + 100)}]
    with pytest.raises(ModelError, match="no room"):
        list(server.chat().stream(long, Sampling()))


@pytest.mark.model
def test_a_stopped_reply_gives_the_slot_back(server: EmbeddedServer) -> None:
    model = server.chat()
    endless: list[Message] = [{"role": "user", "content": "Count to ten thousand."}]
    stream = model.stream(endless, Sampling(max_tokens=7000))
    for _piece in stream:
        stream.close()
    assert stream.finish == "stopped"
    assert "".join(model.stream(ASK, Sampling(max_tokens=8, seed=1)))


@pytest.mark.model
def test_nobody_without_its_key_is_served(server: EmbeddedServer) -> None:
    address = vars(server)["_address"]
    request = urllib.request.Request(
        f"{address}/chat/completions", b"{}", {"Content-Type": "application/json"}
    )
    with pytest.raises(urllib.error.HTTPError, match="401") as caught:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10)
    caught.value.close()
    assert address.startswith("http://127.0.0.1:")


@pytest.mark.model
def test_close_ends_the_server_and_its_silence(capfd: pytest.CaptureFixture[str]) -> None:
    running = EmbeddedServer(model_file(), threads=1)
    model: ChatModel = running.chat()
    assert model.name == "embedded"
    assert "".join(model.stream(ASK, Sampling(max_tokens=8, seed=1)))
    running.close()
    running.close()
    with pytest.raises(ModelError, match="refused the connection"):
        list(model.stream(ASK, Sampling(max_tokens=8, seed=1)))
    assert capfd.readouterr() == ("", "")


@pytest.mark.model
def test_a_file_cut_in_half_is_a_sentence(tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    with model_file().open("rb") as whole:
        cut.write_bytes(whole.read(SMOLLM2.size // 2))
    with pytest.raises(ModelError, match="damaged"):
        EmbeddedServer(cut)


@pytest.mark.parametrize("content", [b"", b"GGU", b"GGUF", b"<html>", b"GGUF" + b"\xff" * 500])
def test_a_file_that_is_no_model_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    junk = tmp_path / "junk.gguf"
    junk.write_bytes(content)
    with pytest.raises(ModelError, match=r"junk\.gguf.*no GGUF model.*--gguf"):
        EmbeddedServer(junk)


def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.gguf", tmp_path, Path(os.devnull, "x")):
        with pytest.raises(ModelError, match=r"cannot be read.*--gguf"):
            EmbeddedServer(path)


def test_a_reply_that_the_prompt_gives_is_more_probable(server: EmbeddedServer) -> None:
    model = server.chat()
    told = "Walid knows that Dina lives at 14 Mosaic Lane."
    asked: Message = {"role": "user", "content": "Where does she live?"}
    reply = "She lives at 14 Mosaic Lane."
    known = model.log_probabilities([{"role": "system", "content": told}, asked], reply)
    unknown = model.log_probabilities(
        [{"role": "system", "content": "You are Walid."}, asked], reply
    )
    assert known is not None
    assert unknown is not None
    assert len(known) == len(unknown) == model.count_tokens(reply)
    assert max(known) <= 0.001
    assert sum(known) > sum(unknown) + 5
    assert model.log_probabilities([{"role": "system", "content": told}, asked], reply) == known


def test_an_empty_reply_cannot_be_scored(server: EmbeddedServer) -> None:
    with pytest.raises(ModelError, match="0 tokens"):
        server.chat().log_probabilities([{"role": "user", "content": "Hello?"}], "")
