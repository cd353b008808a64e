"""A reply while it is being written: what a page can follow, also after a reload."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Condition
from typing import Literal

from graphs.state import Stop

LiveStatus = Literal["writing", "saved", "failed"]


@dataclass(frozen=True, slots=True)
class Progress:
    """A reply at one moment."""

    turn: str
    text: str
    """What has been written so far."""
    status: LiveStatus
    reply: str | None
    """Id of the saved reply."""
    trouble: str | None
    """Why there is none, as a sentence."""


class LiveReply:
    """One reply in the making, shared by its worker and everybody who follows it."""

    def __init__(self, turn: str) -> None:
        self.stop = Stop()
        self._changed = Condition()
        self._now = Progress(turn, "", "writing", None, None)

    @property
    def now(self) -> Progress:
        """The reply at this moment."""
        with self._changed:
            return self._now

    def add(self, text: str) -> None:
        """Append a piece of the reply."""
        with self._changed:
            now = self._now
            self._now = Progress(now.turn, now.text + text, now.status, None, None)
            self._changed.notify_all()

    def saved(self, reply: str, text: str) -> None:
        """Say that the reply is in the record."""
        with self._changed:
            self._now = Progress(self._now.turn, text, "saved", reply, None)
            self._changed.notify_all()

    def failed(self, trouble: str) -> None:
        """Say that there will be no reply, and why."""
        with self._changed:
            self._now = Progress(self._now.turn, self._now.text, "failed", None, trouble)
            self._changed.notify_all()

    def wait(self, seconds: float | None = None) -> Progress:
        """The reply once it is saved or failed; as it is after `seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: self._now.status != "writing", seconds)
            return self._now

    def follow(self, every: float) -> Iterator[Progress]:
        """The reply as it grows, at most once in `every` seconds; its end comes last.

        While nothing changes it is told again each second, so that whoever lost it finds it.
        """
        shown: Progress | None = None
        while shown is None or shown.status == "writing":
            with self._changed:
                self._changed.wait_for(lambda: self._now is not shown, timeout=1.0)  # noqa: B023
                now = self._now
            shown = now
            yield now
            if now.status == "writing":
                time.sleep(every)
