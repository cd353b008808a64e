"""Judges at work: each in a thread of its own, so that a page can wait, look away, and stop it."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass
from threading import Event, Lock


@dataclass(frozen=True, slots=True)
class Job:
    """One judge at work on one reply."""

    reply: str
    stop: Event
    done: Future[object]
    began: float

    def wait(self, every: float) -> Iterator[float]:
        """The seconds it has taken, at once and then `every` so many until it is done.

        Raises what the judge raised, once it is done.
        """
        yield 0.0
        while not wait_for([self.done], every).done:
            yield time.monotonic() - self.began
        self.done.result()


class Jobs:
    """The judges that are at work."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: dict[tuple[str, str], Job] = {}

    def start(self, reply: str, judge: str, work: Callable[[Event], object]) -> Job:
        """Have `work` done with an event that stops it; the same work is not begun twice."""
        with self._lock:
            running = self._running.get((reply, judge))
            if running and not running.done.done():
                return running
            stop, thread = Event(), ThreadPoolExecutor(1, "judge")
            job = Job(reply, stop, thread.submit(work, stop), time.monotonic())
            thread.shutdown(wait=False)
            self._running = {key: one for key, one in self._running.items() if not one.done.done()}
            self._running[reply, judge] = job
        return job

    def stop(self, reply: str) -> None:
        """Stop every judge that is at work on a reply."""
        with self._lock:
            jobs = [job for job in self._running.values() if job.reply == reply]
        for job in jobs:
            job.stop.set()
