"""What an answer about an episode is worth: by its words where they settle it, else by a model.

DyadMem judges whether an answer says what the reference says (PROTOCOLS 4). Words alone can show
that it does, never that it does not: what they leave open is not graded, and that is no zero.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict

from graphs.chat_model import ChatModel, Sampling
from graphs.templates import fence
from sandbox.episodes import EpisodeQuestion
from sandbox.inputs import BadInput
from sandbox.judges.llm.asking import Question, ask
from sandbox.models import ModelNotReady, UnknownModel
from sandbox.replay.answer_words import Likeness, likeness, refuses

BY_WORDS = "words"
LLM = "llm:"
UNKNOWN = "It is not known."
"""The reference where the file has no answer."""
PROMPT = "answer_grade"
_SAMPLING = Sampling(temperature=0.0, max_tokens=300)


@dataclass(frozen=True, slots=True)
class Graded:
    """A grade, and what it rests on."""

    correct: bool | None
    """Whether it says what the reference says; null: not graded."""
    refused: bool
    """Whether it says that it does not know."""
    supported: bool | None
    """Whether the memories that were shown support it; null: not graded."""
    by: str
    """`words`, or the model as `llm:NAME`."""
    why: str
    """One sentence."""
    words: Likeness | None
    """How the words agree with the reference's; null where the file has no answer."""


Grade = Callable[[EpisodeQuestion, str, Sequence[str]], Graded]
"""(question, answer, texts of the memories that were shown) to its grade."""


class AnswerGrade(BaseModel):
    """What a model says of an answer."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reason: str
    consistent: bool
    refused: bool
    supported: bool


def grader(judge: str, get_model: Callable[[str | None], ChatModel]) -> Grade:
    """Who grades: `words` or nobody by the words alone, `llm:NAME` a model with the words beside.

    Raises:
        BadInput: for another name, or a model that cannot be had.
    """
    if judge in ("", BY_WORDS):
        return by_words
    if not judge.startswith(LLM):
        raise BadInput(f"An answer is graded by {BY_WORDS} or by {LLM}MODEL, got {judge!r}.")
    try:
        model = get_model(judge.removeprefix(LLM))
    except (ModelNotReady, UnknownModel) as error:
        raise BadInput(str(error)) from error
    return lambda question, answer, shown: by_model(model, question, answer, shown)


def by_words(question: EpisodeQuestion, answer: str, _shown: Sequence[str]) -> Graded:
    """What the words settle: a refusal, the reference's words as they stand, else nothing.

    A refusal is wrong where the question has an answer, and right where it has none.
    """
    found = likeness(answer, question.answer) if question.answer is not None else None
    refused = refuses(answer)
    made = Graded(None, refused, None, BY_WORDS, "Its words do not settle it.", found)
    if refused:
        known = question.answer is not None
        why = "It gives no answer, and there is one." if known else "It says that it is not known."
        return replace(made, correct=not known, why=why)
    if found is not None and found.settled:
        how = "It is the reference" if found.exact else "It holds the reference"
        return replace(made, correct=True, why=f"{how} word for word.")
    return made


def by_model(
    model: ChatModel, question: EpisodeQuestion, answer: str, shown: Sequence[str]
) -> Graded:
    """What a model says of it; not graded where it cannot be asked or read.

    A refusal earns nothing where there is an answer.
    """
    memories = "\n".join(f"- {' '.join(text.split())}" for text in shown) or "(none)"
    values = {
        "question": fence(question.text, "question"),
        "reference": fence(UNKNOWN if question.answer is None else question.answer, "reference"),
        "answer": fence(answer, "answer"),
        "memories": fence(memories, "memories"),
    }
    asked = ask(
        model,
        Question("grade an answer", PROMPT, AnswerGrade, _SAMPLING, values, "sandbox.replay"),
    )
    words = likeness(answer, question.answer) if question.answer is not None else None
    name, told = f"{LLM}{model.name}", asked.value
    if told is None:
        why = asked.call.trouble or "The judge could not be read."
        return Graded(None, refuses(answer), None, name, why, words)
    right = told.consistent and not (told.refused and question.answer is not None)
    return Graded(right, told.refused, told.supported, name, told.reason, words)
