"""The judges that can be asked about a reply on record, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Event, Lock

from graphs.embedded import NAME as EMBEDDED
from sandbox.evaluation.cases import Judgeable
from sandbox.judges.case import Case
from sandbox.judges.file import NAME as _FILE
from sandbox.judges.file import FileJudge, references
from sandbox.judges.llm.judge import LlmJudge
from sandbox.judges.registry import LLM as LLM
from sandbox.judges.registry import LOCAL as LOCAL
from sandbox.judges.registry import AspectJudge
from sandbox.judges.verdict import ASPECTS, Aspect, JudgeError, Verdict
from sandbox.models import ModelNotReady, Models, UnknownModel
from sandbox.opening import Instances

FILE = _FILE
HUMAN = "human"
"""Judges by a form of its own, not by being asked here."""
SUPPORTED = ("sad", "anxious", "disappointed", "angry", "afraid", "lonely")
"""Emotions of the user that make a talk one of emotional support."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a judge is asked for beside use and MIQ."""

    aspects: tuple[Aspect, ...] | None = None
    """Null: the five in a talk of emotional support, else none."""
    draws: int = 1
    """How often a model is asked."""
    stop: Event | None = None
    """Set to break off."""


JudgeIt = Callable[[Case], Verdict]
GetJudge = Callable[[str, Judgeable, Asked], JudgeIt]
"""(name, the reply, what is asked for) to the judge of that name.

Raises JudgeError where there is none or it cannot judge this reply.
"""


class Judges:
    """Finds the judge of a name; the local one is loaded at its first use."""

    def __init__(
        self, instances: Instances, models: Models, load_local: Callable[[], AspectJudge]
    ) -> None:
        self._instances = instances
        self._models = models
        self._load_local = load_local
        self._local: AspectJudge | None = None
        self._guard = Lock()

    def names(self, reply: Judgeable) -> list[str]:
        """The judges that can be asked about this reply, those that cost nothing first."""
        given = [FILE] if self._has_given(reply) else []
        return [*given, LOCAL, *(f"{LLM}{name}" for name in self._models.names())]

    def get(self, name: str, reply: Judgeable, asked: Asked) -> JudgeIt:
        """The judge of that name.

        Raises:
            JudgeError: if there is none, it has nothing on this reply, or its model is not ready.
        """
        if name == FILE:
            return self._file(reply).judge
        if name == LOCAL:
            return self.local(asked_aspects(reply.case, asked))
        if name.startswith(LLM):
            return self._llm(name.removeprefix(LLM), reply, asked)
        known = ", ".join(self.names(reply))
        raise JudgeError(f"There is no judge {name[:80]!r}: choose one of {known}.")

    def local(self, aspects: tuple[Aspect, ...] = ()) -> JudgeIt:
        """The local judge, which is loaded at its first use."""
        with self._guard:
            if self._local is None:
                self._local = self._load_local()
            return partial(self._local.judge, aspects=aspects)

    def _file(self, reply: Judgeable) -> FileJudge:
        session = reply.session
        if session.instance is None:
            raise JudgeError("This reply was not given with a file: choose another judge.")
        collection = self._instances.collection(session.account, session.instance.sha256)
        return FileJudge(references(collection), session.instance.id, reply.keys)

    def _has_given(self, reply: Judgeable) -> bool:
        if (instance := self._instances.of(reply.session)) is None:
            return False
        said = reply.case.reply.strip()
        return any(one.text.strip() == said for one in instance.replies)

    def _llm(self, model: str, reply: Judgeable, asked: Asked) -> JudgeIt:
        try:
            chat_model = self._models.get(model)
        except (UnknownModel, ModelNotReady) as error:
            raise JudgeError(str(error)) from error
        judge = LlmJudge(
            chat_model,
            draws=asked.draws,
            aspects=asked_aspects(reply.case, asked),
            character_model=reply.reply.model,
            parallel=1 if model == EMBEDDED else 6,
        )
        return partial(judge.judge, stop=asked.stop)


def asked_aspects(case: Case, asked: Asked) -> tuple[Aspect, ...]:
    """The aspects to be judged: those asked for, else the five where support is what is needed."""
    if asked.aspects is not None:
        return asked.aspects
    feels = (case.emotion or "").casefold()
    return ASPECTS if case.situation or feels in SUPPORTED else ()
