"""A capture's answer that is cut off at the token limit: its part is read again in halves."""

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.asking import Asking, Written
from graphs.capture import Captured, capture_session
from graphs.chat_model import Answer, Message, Sampling, UnreadableAnswer, Usage
from graphs.forms import CaptureForm
from graphs.spoken import Spoken, Utterance
from tests.lab import ASK
from tests.scripted_model import Asked, ScriptedModel

CUT = UnreadableAnswer("Model 'scripted' was cut off.", '{"entries": [', cut=True)


def spoken(count: int) -> Spoken:
    said = [
        Utterance(
            f"u{n}", "user" if n % 2 else "assistant", "A", f"Said {n}.", "2026-01-01T00:00:00Z"
        )
        for n in range(1, count + 1)
    ]
    return Spoken("Noor", "Walid", "", tuple(said))


def entry(number: int) -> dict[str, Any]:
    return {"utterance": number, "type": "episodic", "text": f"Said {number}."}


def numbers(asked: Asked) -> list[int]:
    """The utterances that a prompt shows, overlap included."""
    return [int(one) for one in re.findall(r"^\[(\d+)\]", asked.text, re.M)]


def limited(room: int) -> ScriptedModel:
    """A model whose answer has room for `room` shown utterances: beyond it is cut off."""

    def play(asked: Asked) -> Any:
        shown = numbers(asked)
        return CUT if len(shown) > room else {"entries": [entry(one) for one in shown]}

    return ScriptedModel(play=play)


def kept(found: Captured) -> list[int]:
    """The utterances whose own part brought an entry, as the gates take them."""
    return [item.utterance for item, asked in found.items if item.utterance in asked]


@given(st.integers(1, 20), st.integers(3, 20))
def test_no_entry_is_lost_to_the_limit(count: int, room: int) -> None:
    found = capture_session(spoken(count), limited(room))
    assert kept(found) == list(range(1, count + 1))


def test_a_part_is_halved_once_and_the_notes_say_so() -> None:
    model = ScriptedModel(CUT, {"entries": [entry(1)]}, {"entries": [entry(4)]})
    found = capture_session(spoken(4), model)
    assert [numbers(one) for one in model.asked] == [[1, 2, 3, 4], [1, 2], [1, 2, 3, 4]]
    assert [(item.utterance, list(asked)) for item, asked in found.items] == [
        (1, [1, 2]),
        (4, [3, 4]),
    ]
    [note] = found.notes
    assert "cut off at 1500 tokens once" in note
    assert [(call.how, call.raw) for call in found.calls][0] == ("cut off", '{"entries": [')
    assert len(found.calls) == 3


def test_a_single_utterance_that_overflows_is_unreadable() -> None:
    model = ScriptedModel(CUT, CUT)
    with pytest.raises(UnreadableAnswer):
        capture_session(spoken(2), model)
    assert [numbers(one) for one in model.asked] == [[1, 2], [1]]


def test_an_answer_that_is_unreadable_but_whole_is_not_asked_again() -> None:
    model = ScriptedModel("no JSON")
    with pytest.raises(UnreadableAnswer):
        capture_session(spoken(8), model)
    assert len(model.asked) == 1


class Briefer:
    """A model that is cut off at first and briefer when asked again: by half of it all."""

    name = "briefer"
    context_tokens = 8192

    def __init__(self) -> None:
        self.calls = 0

    def answer(
        self, messages: Sequence[Message], form: type[CaptureForm], sampling: Sampling
    ) -> Answer[CaptureForm]:
        self.calls += 1
        value = form.model_validate({"entries": [entry(1)], "forget": []})
        return Answer(value, "{}", Usage(0.0, 1, 1), "json_schema", True, cut=self.calls == 1)


def test_a_briefer_answer_counts_only_where_nothing_can_be_halved() -> None:
    whole, single = Briefer(), Briefer()
    assert len(capture_session(spoken(2), whole).items) == 2  # type: ignore[arg-type]  # answers only
    assert whole.calls == 3
    assert len(capture_session(spoken(1), single).items) == 1  # type: ignore[arg-type]  # answers only
    assert single.calls == 1


@pytest.mark.parametrize(
    ("finishes", "cut"),
    [(("length", "stop"), True), (("stop", "length"), True), (("stop", "stop"), False)],
)
def test_an_answer_says_that_it_was_cut_off(finishes: tuple[str, str], cut: bool) -> None:
    asked = iter(finishes)

    def write(messages: Sequence[Message], how: dict[str, Any] | None) -> Written:
        return Written("{", next(asked), Usage(0.0, 1, 1))  # type: ignore[arg-type]

    with pytest.raises(UnreadableAnswer) as caught:
        Asking("lab").ask(ASK, CaptureForm, write)
    assert caught.value.cut is cut


def test_a_repaired_answer_says_that_the_first_one_was_cut_off() -> None:
    good = json.dumps({"entries": [], "forget": []})
    asked = iter([("{", "length"), (good, "stop"), ("{", "stop"), (good, "stop")])

    def write(messages: Sequence[Message], how: dict[str, Any] | None) -> Written:
        raw, finish = next(asked)
        return Written(raw, finish, Usage(0.0, 1, 1))  # type: ignore[arg-type]

    asking = Asking("lab")
    assert asking.ask(ASK, CaptureForm, write).cut
    assert not asking.ask(ASK, CaptureForm, write).cut
