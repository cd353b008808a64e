"""Judges by name, for files of replies: `file`, `local`, `llm:MODEL`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, Protocol

from graphs.chat_model import ChatModel
from sandbox.judges.case import Case
from sandbox.judges.file import NAME as _FILE
from sandbox.judges.file import FileJudge, Given
from sandbox.judges.fitted import Fitted, FittedRoles
from sandbox.judges.verdict import Aspect, Judge, JudgeError, Verdict

FILE, LOCAL, LLM = _FILE, "local", "llm:"
JudgeOf = Callable[[str], Judge]
"""An instance's id to the judge of replies to it: only `file` differs from one to the other."""


class AspectJudge(Protocol):
    """A judge that is told with each case which aspects to judge."""

    @property
    def name(self) -> str:
        """The name people choose it by."""

    def judge(self, case: Case, aspects: Sequence[Aspect] = ()) -> Verdict:
        """See `Judge`."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What judges are made from; nothing is loaded before a judge needs it."""

    given: Sequence[Given]
    """Verdicts that come with the file."""
    get_model: Callable[[str], ChatModel]
    """A model by its name; raises JudgeError where there is none."""
    load_local: Callable[[], AspectJudge]
    aspects: tuple[Aspect, ...] = ()
    """What to judge beside use and MIQ."""
    keys: Mapping[str, str] | None = None
    """The instance's keys by the ids of the cases' pools; null where they are the same."""
    draws: int = 1
    """How often a model is asked."""
    character_model: str | None = None
    """The model that wrote the replies, for a warning where it judges itself."""
    parallel: int = 6
    """Calls to one model at a time."""
    stop: Event | None = None
    """Set to break a model's verdict off."""


def named(name: str, sources: Sources) -> JudgeOf:
    """The judge of that name.

    Raises:
        JudgeError: if there is none, or its model is not to be had.
    """
    if name == FILE:
        return lambda instance: FileJudge(sources.given, instance, sources.keys)
    if name == LOCAL:
        local = _WithAspects(sources.load_local(), sources.aspects)
        return lambda instance: local
    if name.startswith(LLM) and name != LLM:
        asked = _llm(sources, name.removeprefix(LLM))
        return lambda instance: asked
    raise JudgeError(f"there is no judge {name[:80]!r}: choose {FILE}, {LOCAL} or {LLM}MODEL")


def load_local() -> AspectJudge:
    """The local judge. Slow."""
    from sandbox.judges.local.judge import LocalJudge

    return LocalJudge()


def _llm(sources: Sources, model: str) -> Judge:
    from sandbox.judges.llm.judge import LlmJudge

    judge = LlmJudge(
        sources.get_model(model),
        draws=sources.draws,
        aspects=sources.aspects,
        character_model=sources.character_model,
        parallel=sources.parallel,
    )
    return _Stoppable(judge, sources.stop)


class _Stops(Protocol):
    @property
    def name(self) -> str: ...

    def judge(self, case: Case, stop: Event | None = None) -> Verdict: ...


@dataclass(frozen=True, slots=True)
class _Stoppable:
    """A judge that can be broken off."""

    inner: _Stops
    stop: Event | None

    @property
    def name(self) -> str:
        return self.inner.name

    def judge(self, case: Case) -> Verdict:
        return self.inner.judge(case, self.stop)


@dataclass(frozen=True, slots=True)
class _WithAspects:
    """A judge with the aspects that are wanted; out of fold where it can be."""

    inner: AspectJudge
    aspects: tuple[Aspect, ...]

    @property
    def name(self) -> str:
        return self.inner.name

    def judge(self, case: Case) -> Verdict:
        return self.inner.judge(case, aspects=self.aspects)

    def out_of_fold(self, sha256: str) -> Judge | None:
        return self.inner.out_of_fold(sha256) if isinstance(self.inner, Fitted) else None

    def roles_measured_on(self, sha256: str) -> Mapping[str, Any] | None:
        return self.inner.roles_measured_on(sha256) if isinstance(self.inner, FittedRoles) else None
