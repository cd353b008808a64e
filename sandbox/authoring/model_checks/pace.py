"""How far a check is, how it is stopped, and when it gives up."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

from graphs.state import Stop

MOST_IN_A_ROW = 3
"""Answers that may fail one after the other before a check is given up."""


def _nobody(done: int, doing: str) -> None:
    """Tell nobody."""


@dataclass(slots=True)
class Pace:
    """Told before each call of a model."""

    told: Callable[[int, str], None] = _nobody
    """How many calls are done, and what is being done."""
    stop: Stop = field(default_factory=Stop)
    done: int = 0
    failed: int = 0
    """How many answers failed one after the other, up to now."""

    def begins(self, doing: str) -> None:
        """A call begins."""
        self.told(self.done, doing)
        self.done += 1

    @property
    def over(self) -> bool:
        """Whether no further call is to be made."""
        return self.stop.is_set() or self.failed >= MOST_IN_A_ROW

    def event(self) -> Event:
        """An event that is set when it is stopped."""
        stopped = Event()
        self.stop.closes(stopped.set)
        return stopped
