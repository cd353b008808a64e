"""The API: what it takes, what it gives, and what it says where it cannot."""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import gradio as gr
import httpx
import pytest
import uvicorn
from gradio_client import Client
from gradio_client.exceptions import AppError
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from memory_banks.embedding import HashedWords
from memory_banks.tables import metadata
from sandbox.account import ACCOUNT
from sandbox.api import DOMAIN_ERRORS, bank, chat, end_session
from sandbox.arguments import BankOf, Chat, EndSession, taken
from sandbox.assemble import Sandbox, assemble
from sandbox.conversation import TurnFailed
from sandbox.folder import Layout
from sandbox.inputs import BadInput
from sandbox.lifecycle.remembering import CapturePending
from sandbox.models import Models, UnknownModel
from sandbox.port import reserve, url_of
from sandbox.sessions import SessionEnded
from sandbox.settings import Settings
from sandbox.transcripts import UnknownSession
from sandbox.ui.api import add_api
from sandbox.ui.server import Look, create_app
from tests.fakes import LastWord, Script, fake_sandbox, scripted
from tests.stub_server import Fault, Kind, StubServer

WALID, LANTERN, DINA = "walid-qutami", "lantern", "Dina Haddadin"
AT = "2026-03-26T11:05:00+03:00"
FACT = {"utterance": 1, "type": "fact", "text": "Noor moved to Tallinn."}
RULE = {"utterance": 4, "type": "agent_identity", "text": "Walid answers Noor in metric units."}

Say = Callable[..., dict[str, Any]]


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def sandbox(tmp_path: Path, script: Script) -> Iterator[Sandbox]:
    made = fake_sandbox(tmp_path / "data", script.play)
    yield made
    made.close()


@pytest.fixture
def say(sandbox: Sandbox) -> Say:
    """Say something as Noor to Walid, unless told otherwise."""

    def said(text: str, **arguments: object) -> dict[str, Any]:
        return chat(
            sandbox, ACCOUNT, **{"user": "Noor", "persona": WALID, "text": text} | arguments
        )

    return said


def rows(sandbox: Sandbox) -> dict[str, int]:
    """How many rows each table has: what must not change where nothing was done."""
    with sandbox.record.read() as conn:
        return {
            table.name: conn.execute(select(func.count()).select_from(table)).scalar_one()
            for table in metadata.sorted_tables
        }


def is_sentence(text: str) -> bool:
    return 10 < len(text) < 400 and "\n" not in text and "Traceback" not in text


# What it takes

WRONG: dict[str, object] = {
    "an operator": {"$ne": ""},
    "a list": ["a"],
    "a number": 5,
    "a big number": 2**70,
    "a huge number": float("inf"),
    "no number": float("nan"),
    "true": True,
    "false": False,
    "a lone surrogate": "a\ud800",
    "NUL": "a\x00",
    "a deep list": json.loads("[" * 900 + "]" * 900),
}
ARGUMENTS = [
    (form, name)
    for form in (Chat, EndSession, BankOf)
    for name in form.model_fields
    if name != "approve"
]


@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG.keys())
@pytest.mark.parametrize(("form", "name"), ARGUMENTS)
def test_a_wrong_type_is_one_sentence_with_the_argument_s_name(
    form: type[Chat], name: str, value: object
) -> None:
    good = {"user": "Noor", "persona": WALID, "text": "Hi.", "session_id": "1"}
    arguments = {key: good[key] for key in good if key in form.model_fields} | {name: value}
    with pytest.raises(BadInput) as refused:
        taken(form, arguments)
    assert str(refused.value).startswith(f"{name} must ")
    assert is_sentence(str(refused.value))
    str(refused.value).encode("utf-8")


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_whatever_is_no_text_is_refused_in_one_short_sentence(value: object) -> None:
    with pytest.raises(BadInput) as refused:
        taken(Chat, {"user": "Noor", "persona": WALID, "text": value})
    assert str(refused.value).startswith("text must be text, got ")
    assert len(str(refused.value)) < 120
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"user": "Noor", "persona": WALID}, "text must be given."),
        ({"user": "Noor", "persona": WALID, "text": "Hi.", "k": 3}, "k is not an argument, got 3."),
        ({"user": "", "persona": WALID, "text": "Hi."}, "user must not be empty, got ''."),
        ({"user": "Noor", "persona": WALID, "text": None}, "text must be text, got null."),
    ],
)
def test_what_is_missing_or_too_much_is_said(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        taken(Chat, arguments)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("approve", ["some", "", None, True, ["all"], {"$ne": ""}, 2**70])
def test_approve_is_none_or_all(approve: object) -> None:
    with pytest.raises(BadInput, match=r"^approve must be 'none' or 'all', got "):
        taken(EndSession, {"session_id": "1", "approve": approve})


REFUSED: dict[str, tuple[dict[str, object], type[Exception], str]] = {
    "an empty message": ({"text": ""}, BadInput, "The message is empty"),
    "blanks": ({"text": " \n "}, BadInput, "The message is empty"),
    "a message over 100 KB": ({"text": "x" * 100_001}, BadInput, "100,001 bytes"),
    "10 MB": ({"text": "x" * 10_000_000}, BadInput, "10,000,000 bytes"),
    "a user of blanks": ({"user": "  "}, BadInput, "user must not be empty"),
    "a long user": ({"user": "x" * 10_000_000}, BadInput, "user must be at most 200 characters"),
    "an unknown persona": ({"persona": "nobody"}, DOMAIN_ERRORS, "there is no persona 'nobody'"),
    "an unknown session": ({"session_id": "none"}, UnknownSession, "There is no session 'none'"),
    "an unknown strategy": ({"strategy": "guess"}, BadInput, "strategy must be one of top_k"),
    "an unknown method": (
        {"method": "guess"},
        BadInput,
        "method must be one of typed, agent_only, raw_turns, got 'guess'",
    ),
    "an unknown model": ({"model": "none"}, UnknownModel, "There is no model 'none'"),
    "a time without offset": ({"now": "2026-03-26T11:05"}, BadInput, "now must be a date and time"),
    "no time": ({"now": "soon"}, BadInput, "now must be a date and time"),
}


@pytest.mark.parametrize(("change", "error", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_done_is_one_sentence_and_nothing_changed(
    tmp_path: Path, change: dict[str, object], error: type[Exception], sentence: str
) -> None:
    made = assemble(
        Settings(data_dir=tmp_path),
        Layout(tmp_path),
        {},
        load_embedder=HashedWords,
        models=Models(),
    )
    with closing(made):
        before = rows(made)
        with pytest.raises(error) as refused:
            chat(made, ACCOUNT, **{"user": "Noor", "persona": WALID, "text": "Hi."} | change)
        assert sentence in str(refused.value)
        assert is_sentence(str(refused.value))
        assert rows(made) == before


def test_a_session_belongs_to_its_two_people(sandbox: Sandbox, say: Say) -> None:
    told = say("Hello.")
    before = rows(sandbox)
    for other in ({"user": "Dina"}, {"persona": LANTERN}):
        with pytest.raises(BadInput) as refused:
            say("Hello?", session_id=told["session_id"], **other)
        assert "is between 'Noor' and 'walid-qutami'" in str(refused.value)
    assert rows(sandbox) == before
    say("Me again.", session_id=told["session_id"], user="  NOOR ")


def test_a_session_is_remembered_by_the_method_it_was_opened_with(
    sandbox: Sandbox, say: Say
) -> None:
    told = say("I moved to Tallinn.", method="raw_turns")
    where = {"session_id": told["session_id"]}
    for method in ("raw_turns", None):
        say("Do you hear?", **where, method=method)
    before = rows(sandbox)
    with pytest.raises(BadInput, match="is remembered by 'raw_turns', got method 'typed'"):
        say("And?", **where, method="typed")
    assert rows(sandbox) == before
    ended = end_session(sandbox, ACCOUNT, session_id=told["session_id"], approve="all")
    assert [line["type"] for line in ended["operations"]] == ["episodic"] * 6
    default = sandbox.sessions.find(ACCOUNT, say("Hello.")["session_id"])
    assert default.method == "typed"


def test_an_ended_session_takes_no_turn(sandbox: Sandbox, say: Say) -> None:
    told = say("Hello.")
    end_session(sandbox, ACCOUNT, session_id=told["session_id"])
    before = rows(sandbox)
    for strategy in ("top_k", "no_memory"):
        with pytest.raises(SessionEnded, match="is read-only"):
            say("And?", session_id=told["session_id"], strategy=strategy)
    assert rows(sandbox) == before


@pytest.mark.parametrize("change", [{"session_id": "none"}, {"session_id": {"$ne": ""}}])
def test_ending_an_unknown_session_changes_nothing(
    sandbox: Sandbox, change: dict[str, object]
) -> None:
    before = rows(sandbox)
    with pytest.raises((BadInput, UnknownSession)) as refused:
        end_session(sandbox, ACCOUNT, **change)
    assert is_sentence(str(refused.value))
    assert rows(sandbox) == before


# What it gives


def test_a_reply_comes_with_what_was_recalled_and_injected(say: Say, script: Script) -> None:
    script.replies = {"hall": "The hall is off."}
    told = say("Is it the hall?", user=DINA)
    assert set(told) == {"session_id", "turn_id", "reply_id", "reply", "recalled", "injected"}
    assert told["reply"] == "The hall is off."
    assert (told["turn_id"], told["reply_id"]) == (
        f"{told['session_id']}-1",
        f"{told['session_id']}-1.1",
    )
    first = told["recalled"][0]
    fields = "id type side text anchor emotion scene scores injected why"
    assert list(first) == fields.split()
    assert first["injected"] is True
    assert first["why"] is None
    scores = [entry["scores"]["dense"] for entry in told["recalled"]]
    assert scores == sorted(scores, reverse=True)
    assert [e["why"] is None for e in told["recalled"]] == [e["injected"] for e in told["recalled"]]


def test_injected_entries_come_in_the_order_of_the_prompt(sandbox: Sandbox, say: Say) -> None:
    told = say("Is it the hall?", user=DINA, strategy="full_pool")
    prompt = scripted(sandbox).asked[-1].text
    places = [prompt.index(f"- {entry['text']}") for entry in told["injected"]]
    assert len(places) > 10
    assert places == sorted(places)
    assert {entry["id"] for entry in told["injected"]} <= {e["id"] for e in told["recalled"]}


def test_now_is_the_clock_of_a_new_session_and_the_time_of_a_later_turn(
    sandbox: Sandbox, say: Say
) -> None:
    told = say("Hello.", now=AT)
    later = "2026-03-27T09:00:00+03:00"
    say("Next day.", session_id=told["session_id"], now=later)
    say("And on.", session_id=told["session_id"])
    whole = sandbox.sessions.transcript(ACCOUNT, told["session_id"])
    assert whole.session.clock == AT
    assert [turn.at for turn in whole.turns] == [AT, later, AT]


def test_a_strategy_answers_from_its_turn_on_and_a_model_that_is_not_named_stays(
    sandbox: Sandbox, say: Say
) -> None:
    told = say("Is it the hall?", user=DINA, strategy="no_memory", model="scripted")
    assert told["recalled"] == []
    again = say("Is it?", user=DINA, session_id=told["session_id"])
    assert len(again["injected"]) == 8
    session = sandbox.sessions.find(ACCOUNT, told["session_id"])
    assert (session.strategy, session.model) == ("top_k", "scripted")


def test_the_end_gives_what_was_captured_proposed_and_written(
    sandbox: Sandbox, say: Say, script: Script
) -> None:
    told = say("I moved to Tallinn.")
    script.captures = [{"entries": [FACT, {**FACT, "text": "So what.", "utterance": 9}]}]
    ended = end_session(sandbox, ACCOUNT, session_id=told["session_id"])
    assert (ended["status"], ended["captured"], ended["operations"]) == ("proposed", 1, [])
    assert ended["refused"] == [
        {"type": "fact", "text": "So what.", "why": "It names utterance 9 of 2."}
    ]
    [proposal] = ended["proposals"]
    assert proposal["decision"] is None
    assert proposal["evidence"] == {
        "id": told["turn_id"],
        "speaker": "Noor",
        "text": "I moved to Tallinn.",
    }
    done = end_session(sandbox, ACCOUNT, session_id=told["session_id"], approve="all")
    assert done["status"] == "done"
    assert done["proposals"][0]["decision"]["verdict"] == "approved"
    [operation] = done["operations"]
    assert (operation["number"], operation["kind"], operation["side"], operation["text"]) == (
        1,
        "add",
        "user",
        FACT["text"],
    )
    again = end_session(sandbox, ACCOUNT, session_id=told["session_id"], approve="all")
    assert again == done


def test_a_proposal_says_what_it_takes_the_place_of(
    sandbox: Sandbox, say: Say, script: Script
) -> None:
    script.captures = [{"entries": [FACT]}, {"entries": [{**FACT, "text": "Noor is in Tartu."}]}]
    script.updates = [{"changes": [{"new": 1, "held": [1], "reason": "She moved on."}]}]
    end_session(sandbox, ACCOUNT, session_id=say("Tallinn.")["session_id"], approve="all")
    ended = end_session(sandbox, ACCOUNT, session_id=say("Tartu.")["session_id"], approve="all")
    [proposal] = ended["proposals"]
    assert [held["text"] for held in proposal["deletes"]] == [FACT["text"]]
    assert [line["kind"] for line in ended["operations"]] == ["delete", "add"]
    assert ended["operations"][1]["replaces"] == [proposal["deletes"][0]["id"]]
    assert ended["operations"][1]["reason"] == "She moved on."


def test_an_unreadable_capture_is_a_status_and_can_be_tried_again(
    sandbox: Sandbox, say: Say, script: Script
) -> None:
    told = say("I moved to Tallinn.")
    script.captures = ["no JSON at all", {"entries": [FACT]}]
    ended = end_session(sandbox, ACCOUNT, session_id=told["session_id"], approve="all")
    assert (ended["status"], ended["captured"], ended["proposals"]) == ("unreadable", 0, [])
    assert len(ended["notes"]) == 1
    assert end_session(sandbox, ACCOUNT, session_id=told["session_id"])["status"] == "proposed"


def test_the_bank_lists_live_entries_and_an_unknown_user_has_none(sandbox: Sandbox) -> None:
    entries = bank(sandbox, ACCOUNT, user=DINA, persona=WALID)
    fields = "id type side text anchor emotion scene author provenance added"
    assert list(entries[0]) == fields.split()
    added = [entry["added"] for entry in entries]
    assert added == sorted(added)
    assert bank(sandbox, ACCOUNT, user="nobody at all", persona=WALID) == []


def test_the_walk(sandbox: Sandbox, say: Say, script: Script) -> None:
    told = say("I moved to Tallinn.", now=AT)
    script.replies = {"metric": "From now on I answer you in metric units."}
    say("Use metric units.", session_id=told["session_id"])
    script.captures = [{"entries": [FACT, RULE]}]
    end_session(sandbox, ACCOUNT, session_id=told["session_id"], approve="all")
    recalled = say("Where did I move, and which units?")["recalled"]
    assert {(e["text"], e["type"], e["side"]) for e in recalled} == {
        (FACT["text"], "fact", "user"),
        (RULE["text"], "agent_identity", "dyad"),
    }
    elsewhere = say("Where did I move, and which units?", persona=LANTERN)["recalled"]
    assert [e["text"] for e in elsewhere] == [FACT["text"]]
    assert say("Where did I move, and which units?", user="Rana")["recalled"] == []


# What it says where the endpoint fails

FAULTS: dict[Kind, str] = {
    "401": "refused the key, or the lack of one (401)",
    "429": "has no capacity for now (429)",
    "500": "failed on its own side (500)",
    "hang": "timed out after",
    "drip-body": "timed out after",
    "reset": "closed the connection before it answered",
    "html": "answered with a web page instead of a reply",
    "not-json": "answered with something unreadable",
    "null-choices": "answered with no choices",
    "cut": "broke off in the middle of its reply",
    "error-event": "reported an error while it was writing",
}


@contextmanager
def with_endpoint(folder: Path, base_url: str, seconds: float = 30) -> Iterator[Sandbox]:
    """A sandbox whose only endpoint is at `base_url`, with a deadline of `seconds` a call."""
    folder.mkdir()
    models = folder / "models.toml"
    models.write_text(
        f'[[model]]\nname = "stub"\nbase_url = "{base_url}"\nmodel = "stub"\n'
        f"deadline_seconds = {seconds}\n",
        "utf-8",
    )
    wanted = Settings(data_dir=folder, models=models)
    made = assemble(wanted, Layout(folder), {}, load_embedder=HashedWords)
    with closing(made):
        yield made


@pytest.mark.parametrize(("kind", "part"), FAULTS.items())
def test_a_failing_endpoint_is_one_sentence_and_the_text_waits_for_its_reply(
    tmp_path: Path, kind: Kind, part: str
) -> None:
    seconds = 1.5 if "timed out" in part else 30
    with (
        StubServer(Fault(kind)) as server,
        with_endpoint(tmp_path / "data", server.base_url, seconds) as made,
    ):
        with pytest.raises(TurnFailed) as failed:
            chat(made, ACCOUNT, user="Noor", persona=WALID, text="Hello.")
        said = str(failed.value)
        assert part in said
        assert is_sentence(said)
        [summary] = made.sessions.list(ACCOUNT)
        assert f"session_id {summary.session.id!r}" in said
        server.play("I am back.")
        told = chat(
            made,
            ACCOUNT,
            user="Noor",
            persona=WALID,
            text="Hello.",
            session_id=summary.session.id,
        )
        assert told["reply"] == "I am back."
        assert summary.turns == 1
        assert len(made.sessions.transcript(ACCOUNT, summary.session.id).turns) == 1


def test_an_endpoint_that_is_down_is_one_sentence(tmp_path: Path) -> None:
    with closing(reserve("127.0.0.1", 0)) as listener:
        gone = f"{url_of(listener)}/v1"
    with (
        with_endpoint(tmp_path / "data", gone) as made,
        pytest.raises(TurnFailed, match=r"Model 'stub' .*; check that its server is running"),
    ):
        chat(made, ACCOUNT, user="Noor", persona=WALID, text="Hello.")


def test_a_capture_whose_model_is_down_is_one_sentence_and_waits(tmp_path: Path) -> None:
    with StubServer("Hello.") as server, with_endpoint(tmp_path / "data", server.base_url) as made:
        told = chat(made, ACCOUNT, user="Noor", persona=WALID, text="Hello.")
        server.play(Fault("500"))
        with pytest.raises(CapturePending) as pending:
            end_session(made, ACCOUNT, session_id=told["session_id"])
        assert "its capture is pending" in str(pending.value)
        server.play({"entries": []})
        assert end_session(made, ACCOUNT, session_id=told["session_id"])["status"] == "done"


# Over HTTP


class Served:
    """The endpoints alone, served as the page serves them."""

    def __init__(self, folder: Path) -> None:
        self.script = Script()
        self.gate = Event()
        self.gate.set()
        self.inside = threading.Semaphore(0)
        self.sandbox = fake_sandbox(folder, self._play, load_judge=LastWord)
        with gr.Blocks() as page:
            add_api(self.sandbox, ACCOUNT)
            gr.api(self._bug, api_name="bug")
        listener = reserve("127.0.0.1", 0)
        self.url = url_of(listener)
        app = create_app(page, Look(), "127.0.0.1")
        config = uvicorn.Config(app, log_config=None, ws="none")
        self._server = uvicorn.Server(config)
        run = self._server.run
        self._thread = threading.Thread(target=run, kwargs={"sockets": [listener]}, daemon=True)
        self._thread.start()
        self.client = Client(self.url, verbose=False)

    def call(self, name: str, **arguments: object) -> Any:
        return self.client.predict(api_name=f"/{name}", **arguments)

    def close(self) -> None:
        self.gate.set()
        self._server.should_exit = True
        self._thread.join(10)
        self.sandbox.close()

    def _play(self, asked: Any) -> Any:
        self.inside.release()
        assert self.gate.wait(20)
        return self.script.play(asked)

    def _bug(self) -> str:
        raise ValueError("a secret of the server")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(tmp_path_factory.mktemp("served"))
    yield made
    made.close()


def test_a_client_talks_ends_and_reads_the_bank(served: Served) -> None:
    told = served.call("chat", user="Noor", persona=WALID, text="I moved to Tallinn.", now=AT)
    served.script.captures = [{"entries": [FACT]}]
    ended = served.call("end_session", session_id=told["session_id"], approve="all")
    assert ended["status"] == "done"
    entries = served.call("bank", user="Noor", persona=WALID)
    assert [entry["text"] for entry in entries] == [FACT["text"]]
    again = served.call("chat", user="Noor", persona=WALID, text="Where did I move?")
    assert [entry["id"] for entry in again["injected"]] == [entries[0]["id"]]


def test_a_client_has_a_reply_judged(served: Served) -> None:
    told = served.call("chat", user=DINA, persona=WALID, text="Where is it?")
    found = served.call("evaluate", reply_id=told["reply_id"], judge="local")
    assert found["judge"] == "local"
    assert {one["role_source"] for one in found["entries"]} == {"proposed"}
    assert {one["id"] for one in told["injected"]} == {
        one["id"] for one in found["entries"] if one["injected"]
    }
    assert found["figures"]["pool"]["smc"] == {
        "value": None,
        "low": None,
        "high": None,
        "leaning": None,
        "eligible": False,
        "why": "The pool has neither a must nor a nice entry.",
    }
    assert found["figures"]["pool"]["rho_irr"]["value"] == 0
    assert served.call("evaluate", reply_id=told["reply_id"])["verdict_id"] == found["verdict_id"]


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("evaluate", {"reply_id": "none"}, "There is no reply 'none'"),
        ("evaluate", {"reply_id": 5}, "reply_id must be text, got 5."),
        ("chat", {"text": {"$ne": ""}}, "text must be text, got {'$ne': ''}."),
        ("chat", {"text": 2**70}, "text must be text, got 1180591620717411303424."),
        ("chat", {"user": None}, "user must be text, got null."),
        ("chat", {"session_id": ["x"]}, "session_id must be text, got ['x']."),
        ("chat", {"text": "x" * 100_001}, "The message has 100,001 bytes"),
        ("end_session", {"session_id": "none"}, "There is no session 'none'"),
        (
            "end_session",
            {"session_id": "1", "approve": 1},
            "approve must be 'none' or 'all', got 1",
        ),
        ("bank", {"user": "Noor", "persona": "nobody"}, "There is no persona 'nobody'"),
    ],
)
def test_a_client_gets_the_sentence(
    served: Served, name: str, arguments: dict[str, object], sentence: str
) -> None:
    given = {"user": "Noor", "persona": WALID, "text": "Hi."} if name == "chat" else {}
    with pytest.raises(AppError) as refused:
        served.call(name, **given | arguments)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1e400", "text must be text, got inf."),
        ('"\\ud800"', "text must be valid Unicode; it holds a lone surrogate."),
    ],
)
def test_what_only_raw_json_can_say_gets_the_sentence(
    served: Served, text: str, sentence: str
) -> None:
    body = f'{{"data": ["Noor", "{WALID}", {text}, null, "top_k", null, null, null]}}'
    headers = {"content-type": "application/json"}
    call = f"{served.url}/gradio_api/call/chat"
    event = httpx.post(call, content=body, headers=headers).json()["event_id"]
    [line] = [
        line for line in httpx.get(f"{call}/{event}").text.splitlines() if line.startswith("data: ")
    ]
    assert json.loads(line.removeprefix("data: "))["error"] == sentence


def test_10_mb_are_refused_before_they_are_read(served: Served) -> None:
    answer = httpx.post(f"{served.url}/gradio_api/call/chat", content=b"x" * 10_000_000)
    assert (answer.status_code, answer.text) == (
        413,
        "A request may carry at most 1,000,000 bytes.",
    )


def test_a_bug_tells_a_client_nothing(served: Served) -> None:
    with pytest.raises(AppError) as failed:
        served.call("bug")
    assert "secret" not in str(failed.value)
    assert "ValueError" not in str(failed.value)


def test_calls_of_one_endpoint_run_side_by_side(served: Served) -> None:
    while served.inside.acquire(blocking=False):
        pass
    served.gate.clear()
    with ThreadPoolExecutor(3) as pool:
        calls = [
            pool.submit(served.call, "chat", user=f"user {n}", persona=WALID, text="Hello.")
            for n in range(3)
        ]
        arrived = [served.inside.acquire(timeout=20) for _ in calls]
        served.gate.set()
        replies = [call.result(20)["reply"] for call in calls]
    assert arrived == [True, True, True]
    assert replies == ["I see."] * 3


def test_two_sends_to_one_session_are_two_turns(served: Served) -> None:
    told = served.call("chat", user="Noor", persona=WALID, text="Hello.")
    with ThreadPoolExecutor(2) as pool:
        calls = [
            pool.submit(
                served.call,
                "chat",
                user="Noor",
                persona=WALID,
                text=f"Number {n}.",
                session_id=told["session_id"],
            )
            for n in range(2)
        ]
        for call in calls:
            call.result(20)
    turns = served.sandbox.sessions.transcript(ACCOUNT, told["session_id"]).turns
    assert sorted(turn.text for turn in turns) == ["Hello.", "Number 0.", "Number 1."]
    assert all(turn.reply for turn in turns)


def test_the_endpoints_are_documented(served: Served) -> None:
    named = served.client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    assert {"/chat", "/end_session", "/bank"} <= set(named)
    described = [p["parameter_name"] for p in named["/chat"]["parameters"]]
    assert described == [
        "user",
        "persona",
        "text",
        "session_id",
        "strategy",
        "model",
        "now",
        "method",
    ]
    required = [p["parameter_has_default"] for p in named["/chat"]["parameters"]]
    assert required == [False, False, False, True, True, True, True, True]
