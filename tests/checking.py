"""What checks that need a model are tried on: a small instance, and models that play along."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from graphs.chat_model import ModelError
from sandbox.authoring.model_checks.answering import Answering
from sandbox.authoring.model_checks.pace import Pace
from sandbox.judges.case import Case
from sandbox.judges.verdict import EntryVerdict, JudgeError, Miq, Usage, Verdict
from tests.scripted_model import Asked, Play, Scripted, ScriptedModel
from tests.test_badges import entry, made

NOW = datetime(2026, 3, 26, 11, 5, tzinfo=UTC)
POT = entry("a3", "must", "The spare key lies under the glazed pot.")
DOOR = entry("a7", "must", "The blue door sticks in winter.")
LAMP = entry("b2", "must", "The lamp in the hall is broken.")
BIKE = entry("c1", "irr", "Her bicycle hangs in the hall.")
REPLY = made(POT, BIKE)
THREE = made(POT, DOOR, LAMP, BIKE)
WORDS = {"a3": "glazed", "a7": "sticks", "b2": "broken", "c1": "bicycle"}
"""A word of each entry that is nowhere else."""


class ByWord:
    """A judge by one rule: an entry whose own word the reply has is used."""

    name = "local"
    version = "1"

    def __init__(self, words: Mapping[str, str] = WORDS) -> None:
        self.words = words
        self.cases: list[Case] = []

    def judge(self, case: Case, aspects: object = ()) -> Verdict:
        self.cases.append(case)
        entries = tuple(
            EntryVerdict(item.id, "used" if self.words[item.id] in case.reply else "not used")
            for item in case.pool
        )
        return Verdict("local", self.version, entries, Miq(None, "Not asked."))


def says(usage: Usage) -> Callable[[Case], Verdict]:
    """A judge that says the same of every entry."""

    def judge(case: Case) -> Verdict:
        entries = tuple(EntryVerdict(item.id, usage) for item in case.pool)
        return Verdict("local", "1", entries, Miq(None, ""))

    return judge


def cannot(case: Case) -> Verdict:
    raise JudgeError("The encoder cannot be loaded.")


def parrot(asked: Asked) -> Scripted:
    """Repeats the notes of its prompt, and of two answers names the shorter one the worse."""
    form = asked.form.__name__ if asked.form else None
    if form == "DegradedForm":
        return {"reason": "It lacks something.", "worse": worse_of(asked)}
    if form == "FlagsForm":
        return {"flags": []}
    notes = re.findall(r"^- (.*)$", asked.said, re.MULTILINE)
    return " ".join(notes) or "I do not know."


def worse_of(asked: Asked) -> str:
    """The shorter one of the two answers; the second where they are equally long."""
    first, second = (
        re.findall(rf"(?s)<answer-{one}-(\w+)>\n(.*?)\n</answer-{one}-\1>", asked.text)[0][1]
        for one in "ab"
    )
    return "A" if len(first) < len(second) else "B"


def down(asked: Asked) -> Scripted:
    return ModelError("Model 'scripted' refused the connection.")


def answering(play: Play, *, closed: bool = False, pace: Pace | None = None) -> Answering:
    """A model that plays, judged by words."""
    judge = ByWord()
    model = ScriptedModel(play=play, name="one")
    return Answering(model, judge.judge, NOW, pace or Pace(), closed_book=closed)


def asked_of(found: Answering) -> list[Asked]:
    """Every call of its model."""
    assert isinstance(found.model, ScriptedModel)
    return found.model.asked
