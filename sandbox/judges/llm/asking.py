"""Asking a model for judgements: several at once, each kept as it was answered."""

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event
from typing import Generic, TypeVar

from pydantic import BaseModel

from graphs.chat_model import ChatModel, ModelError, Sampling, UnreadableAnswer
from graphs.templates import prompt_hash, render
from sandbox.judges.verdict import Call, JudgeError

F = TypeVar("F", bound=BaseModel)
T = TypeVar("T")
PACKAGE = "sandbox.judges.llm"
_LOOK_SECONDS = 0.05


class JudgeStopped(JudgeError):
    """Somebody stopped the judge; there is no verdict."""


@dataclass(frozen=True, slots=True)
class Question(Generic[F]):
    """One request: which prompt, filled with what, for which form."""

    purpose: str
    prompt: str
    """Name of the prompt file."""
    form: type[F]
    sampling: Sampling
    values: Mapping[str, str]
    package: str = PACKAGE
    """Whose prompt file it is."""

    @property
    def text(self) -> str:
        """The filled prompt."""
        return render(self.package, self.prompt, **self.values)


@dataclass(frozen=True, slots=True)
class Asked(Generic[F]):
    """A question's answer, or why there is none."""

    value: F | None
    call: Call
    unreachable: bool = False
    """Whether the model could not be asked, as opposed to: answered nothing readable."""


def ask(model: ChatModel, question: Question[F]) -> Asked[F]:
    """Ask once; a failure is a value with its reason, never an exception."""
    began = time.monotonic()
    hashed = prompt_hash(question.package, question.prompt)
    try:
        answer = model.answer(
            [{"role": "user", "content": question.text}], question.form, question.sampling
        )
    except ModelError as error:
        unread = isinstance(error, UnreadableAnswer)
        raw = error.raw if isinstance(error, UnreadableAnswer) else ""
        took = time.monotonic() - began
        return Asked(
            None, Call(question.purpose, hashed, raw, took, trouble=str(error)), not unread
        )
    used = answer.usage
    call = Call(
        question.purpose,
        hashed,
        answer.raw,
        time.monotonic() - began,
        used.prompt_tokens,
        used.completion_tokens,
    )
    return Asked(answer.value, call)


def at_once(jobs: Iterable[Callable[[], T]], parallel: int, stop: Event | None = None) -> list[T]:
    """What the jobs return, in their order, at most `parallel` of them running at a time.

    A stop is seen within a twentieth of a second, also while a job waits for its model; what runs
    then ends by itself, by its own deadline, and is not waited for.

    Raises:
        JudgeStopped: if `stop` is set.
    """
    pool = ThreadPoolExecutor(max_workers=parallel, thread_name_prefix="judge")
    try:
        if stop is not None and stop.is_set():
            raise JudgeStopped("The judge was stopped before it was done; judge again.")
        futures = [pool.submit(job) for job in jobs]
        _await(futures, stop)
        return [future.result() for future in futures]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _await(futures: list[Future[T]], stop: Event | None) -> None:
    open_ones = set(futures)
    while open_ones:
        patience = None if stop is None else _LOOK_SECONDS
        _done, open_ones = wait(open_ones, timeout=patience, return_when=FIRST_COMPLETED)
        if stop is not None and stop.is_set():
            raise JudgeStopped("The judge was stopped before it was done; judge again.")
