"""Which of two answers is worse? The judge sees the evidence, and not which answer had how much."""

from dataclasses import replace
from functools import partial
from random import Random
from typing import Annotated

from pydantic import BaseModel, ConfigDict, WithJsonSchema

from graphs.chat_model import ChatModel, Sampling
from graphs.templates import prompt_hash
from sandbox.authoring.model_checks.asking import Asking
from sandbox.authoring.model_checks.found import Answered, Pairwise
from sandbox.authoring.model_checks.pace import Pace
from sandbox.judges.instance_case import case_of
from sandbox.judges.llm import values
from sandbox.judges.llm.asking import Asked, JudgeStopped, Question, ask, at_once
from sandbox.judges.llm.blocks import make_blocks
from sandbox.judges.llm.questions import context, room

PACKAGE = "sandbox.authoring.model_checks"
_TOKENS = 300
_CHOICES = {"a": 0, "answer a": 0, "b": 1, "answer b": 1, "neither": -1, "none": -1, "tie": -1}


class DegradedForm(BaseModel):
    """The answer to the question which one is worse; its values are read later."""

    model_config = ConfigDict(frozen=True)

    reason: Annotated[object, WithJsonSchema({"type": "string", "maxLength": 300})] = ""
    worse: Annotated[object, WithJsonSchema({"type": "string", "enum": ["A", "B", "neither"]})] = (
        None
    )


def degraded_hash() -> str:
    """sha256 of the prompt's file."""
    return prompt_hash(PACKAGE, "degraded")


def compared(
    asking: Asking,
    fuller: Answered,
    poorer: Answered,
    level: int,
    model: ChatModel,
    pace: Pace,
) -> Pairwise | None:
    """Whether `poorer` is the worse one; null where it was stopped.

    The order in which the two are shown is drawn by seed, level and judge. An answer that failed
    is not shown to anybody: the verdict is unreadable.
    """
    drawn = Random(f"order {asking.name} {fuller.seed} {level} {model.name}")
    first = drawn.random() < 0.5
    if failed := next((one for one in (fuller, poorer) if not one.text), None):
        return Pairwise(model.name, level, None, failed.trouble, first)
    question = _question(asking, fuller.text, poorer.text, model, poorer_first=first)
    try:
        [asked] = at_once([partial(ask, model, question)], 1, pace.event())
    except JudgeStopped:
        return None
    pace.failed = pace.failed + 1 if asked.unreachable else 0
    return _read(asked, model.name, level, poorer_first=first)


def _question(
    asking: Asking, fuller: str, poorer: str, model: ChatModel, *, poorer_first: bool
) -> Question[DegradedForm]:
    case = case_of(asking.instance, "")
    evidence = tuple(one for one in case.pool if one.id in asking.needed)
    case = replace(case, pool=evidence, replies=())
    both = (poorer, fuller) if poorer_first else (fuller, poorer)
    blocks = make_blocks(case, room(model, _TOKENS), both)
    shown = context(blocks) | {
        "entries": blocks.numbered(range(len(evidence))),
        "first": blocks.fenced(0, "answer-a"),
        "second": blocks.fenced(1, "answer-b"),
    }
    sampling = Sampling(temperature=0.0, max_tokens=_TOKENS, seed=0)
    return Question("degraded", "degraded", DegradedForm, sampling, shown, PACKAGE)


def _read(asked: Asked[DegradedForm], judge: str, level: int, *, poorer_first: bool) -> Pairwise:
    if asked.value is None:
        return Pairwise(judge, level, None, asked.call.trouble or "", poorer_first)
    chosen = _CHOICES.get(values.plain(asked.value.worse).strip(" .\"'"))
    if chosen is None:
        said = f"The judge's choice {values.shown(asked.value.worse)} is not one of the list."
        return Pairwise(judge, level, None, said, poorer_first)
    worse = chosen == (0 if poorer_first else 1)
    return Pairwise(judge, level, worse, values.words(asked.value.reason), poorer_first)
