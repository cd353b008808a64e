"""Sessions that are being read again, each set in a thread of its own that outlives a page."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from threading import Event, Lock, Thread
from typing import Literal

from memory_banks.entries import Dyad
from sandbox.inputs import BadInput
from sandbox.lifecycle.branches import Branch
from sandbox.lifecycle.reingesting import (
    Begun,
    HalfReingested,
    Reingested,
    Reingesting,
    Watching,
)
from sandbox.record import RecordError
from sandbox.sentences import sentence
from sandbox.transcripts import UnknownSession

Status = Literal["reading", "stopping", "stopped", "done", "failed"]
FAULT = "It broke off by a fault of the program, which the log names: report it."
LAST_SECONDS = 2.0
"""How long the end of the program waits for a session that is being read."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How far it is."""

    branch: Branch
    method: str
    count: int
    """How many sessions are to be read."""
    number: int = 0
    """Which one is being read, from 1."""
    status: Status = "reading"
    done: Reingested | None = None
    """What came of it, at its end."""
    trouble: str = ""
    """Why it failed, as a sentence."""
    seen: bool = False
    """Whether its end was shown to somebody."""

    @property
    def running(self) -> bool:
        """Whether it is still going on."""
        return self.status in ("reading", "stopping")


@dataclass(slots=True)
class _Job:
    now: Reading
    thread: Thread | None = None
    stop: Event = field(default_factory=Event)


class ReingestJobs:
    """What is being read again, and what came of it until somebody puts it away."""

    def __init__(self, reingesting: Reingesting) -> None:
        self._reingesting = reingesting
        self._lock = Lock()
        self._jobs: dict[Dyad, _Job] = {}

    def start(
        self,
        dyad: Dyad,
        sessions: list[str],
        method: str,
        *,
        revision: int = 0,
        name: str = "",
        model: str | None = None,
    ) -> Reading:
        """Make the branch, begin to read, and return at once.

        Raises:
            BadInput, UnknownSession: as `Reingesting.begin`, or while the dyad has one going on.
        """
        with self._lock:
            running = self._jobs.get(dyad)
            if running and running.now.running:
                raise BadInput("Sessions of these two are being read already: wait, or stop it.")
            begun = self._reingesting.begin(
                dyad.account, dyad, sessions, method, revision=revision, name=name, model=model
            )
            job = _Job(Reading(begun.branch, begun.method, len(begun.sessions)))
            job.thread = Thread(target=self._run, args=(job, begun), daemon=True, name="reingest")
            self._jobs[dyad] = job
            job.thread.start()
        return job.now

    def of(self, dyads: Iterable[Dyad]) -> Reading | None:
        """What is read of the first of these dyads that has something; None where none has."""
        with self._lock:
            return next((self._jobs[one].now for one in dyads if one in self._jobs), None)

    def stop(self, branch: str) -> None:
        """Have the reading into a branch end behind the session that is being read."""
        with self._lock:
            for job in self._jobs.values():
                if job.now.branch.id == branch and job.now.running:
                    job.stop.set()
                    job.now = replace(job.now, status="stopping")

    def seen(self, branch: str) -> None:
        """Remember that the end of a reading was shown."""
        with self._lock:
            for job in self._jobs.values():
                if job.now.branch.id == branch and not job.now.running:
                    job.now = replace(job.now, seen=True)

    def put_away(self, branch: str) -> None:
        """Forget what came of a reading; one that goes on stays."""
        with self._lock:
            gone = [
                dyad
                for dyad, job in self._jobs.items()
                if job.now.branch.id == branch and not job.now.running
            ]
            for dyad in gone:
                del self._jobs[dyad]

    def wait(self, branch: str, seconds: float) -> None:
        """Wait until the reading into a branch is over, at most so long."""
        with self._lock:
            threads = [job.thread for job in self._jobs.values() if job.now.branch.id == branch]
        for thread in threads:
            if thread is not None:
                thread.join(seconds)

    def close(self) -> None:
        """Stop everything behind the session that is being read, and wait a little for that."""
        with self._lock:
            jobs = [job for job in self._jobs.values() if job.now.running]
        for job in jobs:
            job.stop.set()
        for job in jobs:
            if job.thread is not None:
                job.thread.join(LAST_SECONDS)

    def _run(self, job: _Job, begun: Begun) -> None:
        """Read, and leave what came of it."""

        def at(number: int, count: int) -> None:
            self._change(job, number=number)

        over: dict[str, object] = {"status": "failed", "trouble": FAULT}
        try:
            done = self._reingesting.read(begun, Watching(at, job.stop))
            over = {"status": "done" if done.complete else "stopped", "done": done}
        except HalfReingested as error:
            over = {"status": "failed", "done": error.done, "trouble": sentence(error)}
        except (RecordError, UnknownSession) as error:
            over = {"status": "failed", "trouble": sentence(error)}
        finally:
            self._change(job, **over)

    def _change(self, job: _Job, **values: object) -> None:
        with self._lock:
            job.now = replace(job.now, **values)  # type: ignore[arg-type]  # its own fields
