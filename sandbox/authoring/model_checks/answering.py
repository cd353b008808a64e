"""One answer of a check: written, scored, and where it failed told why."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from graphs.chat_model import ChatModel, ModelError
from sandbox.authoring.model_checks.asking import Asking
from sandbox.authoring.model_checks.found import Answered
from sandbox.authoring.model_checks.pace import Pace
from sandbox.authoring.model_checks.scoring import JudgeIt, scored
from sandbox.authoring.model_checks.writing import write


@dataclass(slots=True)
class Answering:
    """Writes the answers of one check by one model, and remembers with which prompts."""

    model: ChatModel
    judge: JudgeIt | None
    now: datetime
    pace: Pace
    closed_book: bool = False
    prompts: dict[str, str] = field(default_factory=dict)

    def answer(self, asking: Asking, keys: Collection[str], seed: int) -> Answered | None:
        """The answer with these entries shown; null where it was stopped before it was whole."""
        try:
            written = write(asking.instance, keys, self.model, seed, self.now, self.pace.stop)
        except ModelError as error:
            if self.pace.stop.is_set():
                return None
            self.pace.failed += 1
            return Answered(asking.name, seed, "", None, str(error))
        if self.pace.stop.is_set():
            return None
        self.pace.failed = 0
        self.prompts |= written.prompts
        score = scored(asking, written.text, self.judge, closed_book=self.closed_book)
        return Answered(asking.name, seed, written.text, score.value, score.trouble)
