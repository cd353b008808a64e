"""The ways to remember a session: what each keeps, and what it asks the model."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphs.methods import METHOD_NAMES, METHODS
from sandbox.account import ACCOUNT
from sandbox.inputs import BadInput
from tests.bench import WALID, Bench
from tests.fakes import scripted

RULE = {"utterance": 2, "type": "agent_method", "text": "Walid asks for the unit before counting."}
FACT = {"utterance": 1, "type": "fact", "text": "Noor moved to Tallinn."}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    made.script.replies = {"Tallinn": "I ask for the unit before I count."}
    yield made
    made.sandbox.close()


def asked(bench: Bench) -> list[str]:
    return [one.text for one in scripted(bench.sandbox).asked if one.form]


def test_every_name_has_its_method() -> None:
    assert tuple(METHODS) == METHOD_NAMES


def test_a_session_keeps_its_method_and_an_unknown_one_is_refused(bench: Bench) -> None:
    session = bench.talk("Tallinn.", method="raw_turns")
    assert bench.sandbox.sessions.find(ACCOUNT, session.id).method == "raw_turns"
    assert bench.talk("Tallinn.").method == "typed"
    assert bench.sandbox.sessions.continue_from(ACCOUNT, session.id).method == "raw_turns"
    with pytest.raises(BadInput, match="typed, agent_only, raw_turns"):
        bench.sandbox.sessions.open(ACCOUNT, "Noor", WALID, method="best")


def test_an_open_session_changes_its_method(bench: Bench) -> None:
    session = bench.talk("Tallinn.")
    bench.sandbox.sessions.adjust(ACCOUNT, session.id, method="agent_only")
    bench.end(session, FACT, RULE, approve="all")
    assert bench.texts() == [RULE["text"]]


def test_raw_turns_are_every_utterance_as_it_was_said_and_ask_no_model(bench: Bench) -> None:
    said = "I moved  to Tallinn.\n\nYes: {really}."
    for _twice in range(2):
        session = bench.talk(said, method="raw_turns")
        bench.sandbox.remembering.end(ACCOUNT, session.id, "all")
    reply = bench.script.replies["Tallinn"]
    assert bench.bank() == [("episodic", "user", said), ("episodic", "dyad", reply)] * 2
    assert asked(bench) == []
    first, second = bench.sandbox.banks.view(ACCOUNT, "Noor", WALID).live[2:]
    assert first.provenance.turns == (f"{session.id}-1",)
    assert second.provenance.turns == (f"{session.id}-1.1",)
    assert first.anchor == "2026-03-26T11:05:00+00:00"


def test_a_long_raw_turn_makes_entries_that_are_all_of_it(bench: Bench) -> None:
    said = "Tallinn " * 600
    session = bench.talk(said, method="raw_turns")
    ended = bench.sandbox.remembering.end(ACCOUNT, session.id, "all")
    pieces = [text for _type, side, text in bench.bank() if side == "user"]
    assert "".join(pieces) == said.strip()
    assert len(pieces) == 3
    assert "1 utterances were too long" in ended.capture.notes[0]


def test_agent_only_never_shows_the_users_words_nor_name(bench: Bench) -> None:
    session = bench.talk("I moved to Tallinn, says Noor.", method="agent_only")
    bench.end(session, RULE, approve="all")
    (prompt,) = asked(bench)
    assert "moved to Tallinn" not in prompt
    assert "Noor" not in prompt
    assert bench.script.replies["Tallinn"] in prompt


@pytest.mark.parametrize(
    "item",
    [
        FACT,
        {**RULE, "text": "Walid answers Noor in metric."},
        {**RULE, "type": "episodic", "text": "Walid counted units."},
        {**RULE, "utterance": 1},
        {**FACT, "utterance": 2},
    ],
)
def test_agent_only_keeps_only_what_would_serve_anybody(bench: Bench, item: dict[str, Any]) -> None:
    ended = bench.end(bench.talk("Tallinn.", method="agent_only"), item, RULE, approve="all")
    assert bench.texts() == [RULE["text"]]
    assert [one.refused is None for one in ended.findings] == [False, True]


def test_agent_only_replaces_what_its_own_entries_supersede(bench: Bench) -> None:
    bench.end(bench.talk("Tallinn.", method="agent_only"), RULE, approve="all")
    better = {**RULE, "text": "Walid asks for the unit and the date before counting."}
    bench.script.updates = [{"changes": [{"new": 1, "held": [1], "reason": "It says more."}]}]
    bench.end(bench.talk("Tallinn.", method="agent_only"), better, approve="all")
    assert bench.texts() == [better["text"]]
