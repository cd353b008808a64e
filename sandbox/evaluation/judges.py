"""The judges that can be asked about a reply on record, by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event, Lock

from graphs.chat_model import ChatModel
from graphs.embedded import NAME as EMBEDDED
from sandbox.evaluation.cases import Judgeable
from sandbox.judges.case import Case
from sandbox.judges.file import Given, references
from sandbox.judges.registry import FILE as FILE
from sandbox.judges.registry import LLM as LLM
from sandbox.judges.registry import LOCAL as LOCAL
from sandbox.judges.registry import AspectJudge, Sources, named
from sandbox.judges.verdict import ASPECTS, Aspect, JudgeError, Verdict
from sandbox.models import ModelNotReady, Models, UnknownModel
from sandbox.opening import Instances

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
        instance = reply.session.instance
        if name == FILE and instance is None:
            raise JudgeError("This reply was not given with a file: choose another judge.")
        sources = Sources(
            given=self._given(reply) if name == FILE else (),
            get_model=self._model,
            load_local=self.local,
            aspects=asked_aspects(reply.case, asked),
            keys=reply.keys,
            draws=asked.draws,
            character_model=reply.reply.model,
            parallel=1 if name == f"{LLM}{EMBEDDED}" else 6,
            stop=asked.stop,
        )
        return named(name, sources)(instance.id if instance else "").judge

    def local(self) -> AspectJudge:
        """The local judge, which is loaded at its first use."""
        with self._guard:
            if self._local is None:
                self._local = self._load_local()
            return self._local

    def _given(self, reply: Judgeable) -> Sequence[Given]:
        session = reply.session
        if session.instance is None:
            return ()
        return references(self._instances.collection(session.account, session.instance.sha256))

    def _model(self, name: str) -> ChatModel:
        try:
            return self._models.get(name)
        except (UnknownModel, ModelNotReady) as error:
            raise JudgeError(str(error)) from error

    def _has_given(self, reply: Judgeable) -> bool:
        if (instance := self._instances.of(reply.session)) is None:
            return False
        said = reply.case.reply.strip()
        return any(one.text.strip() == said for one in instance.replies)


def asked_aspects(case: Case, asked: Asked) -> tuple[Aspect, ...]:
    """The aspects to be judged: those asked for, else the five where support is what is needed."""
    if asked.aspects is not None:
        return asked.aspects
    feels = (case.emotion or "").casefold()
    return ASPECTS if case.situation or feels in SUPPORTED else ()
