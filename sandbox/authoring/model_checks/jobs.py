"""Checks that are going on, each instance's in a thread of its own that outlives a page."""

from dataclasses import dataclass, field, replace
from threading import Lock, Thread
from typing import Any, Literal

from graphs.state import Stop
from sandbox.authoring.model_checks.checks import ModelChecks, Ran
from sandbox.authoring.model_checks.pace import Pace
from sandbox.authoring.model_checks.planning import Planned, Wanted
from sandbox.authoring.store import UnknownAuthored
from sandbox.inputs import BadInput
from sandbox.models import ModelNotReady, UnknownModel
from sandbox.record import RecordError
from sandbox.sentences import sentence

Status = Literal["running", "stopping", "stopped", "done", "failed"]
FAULT = "It broke off by a fault of the program, which the log names: report it."
LAST_SECONDS = 2.0
"""How long the end of the program waits for a call that is going on."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the checks of an instance are."""

    id: str
    """The instance's."""
    calls: int
    """How many calls of a model there are in all."""
    left_out: tuple[str, ...]
    done: int = 0
    doing: str = "waiting for the model"
    status: Status = "running"
    ran: Ran | None = None
    """What came of it, at its end."""
    trouble: str = ""
    """Why it failed, as a sentence."""

    @property
    def running(self) -> bool:
        """Whether it is still going on."""
        return self.status in ("running", "stopping")


@dataclass(slots=True)
class _Job:
    now: Progress
    stop: Stop = field(default_factory=Stop)
    thread: Thread | None = None


class CheckJobs:
    """What is being checked, and what came of it until somebody puts it away."""

    def __init__(self, checks: ModelChecks) -> None:
        self._checks = checks
        self._lock = Lock()
        self._jobs: dict[tuple[str, str], _Job] = {}

    def start(self, account: str, id_: str, wanted: Wanted) -> Progress:
        """Begin, and return at once.

        Raises:
            BadInput, UnknownAuthored: as `ModelChecks.plan`, or while one goes on for it.
        """
        planned = self._checks.plan(account, id_, wanted)
        with self._lock:
            before = self._jobs.get((account, id_))
            if before and before.now.running:
                raise BadInput("This instance is being checked already: wait, or stop it.")
            job = _Job(Progress(id_, planned.calls, planned.left_out))
            job.thread = Thread(target=self._run, args=(job, planned), daemon=True, name="check")
            self._jobs[account, id_] = job
            job.thread.start()
            return job.now

    def of(self, account: str, id_: str) -> Progress | None:
        """How far the checks of an instance are; None where there are none."""
        with self._lock:
            job = self._jobs.get((account, id_))
            return job.now if job else None

    def stop(self, account: str, id_: str) -> None:
        """End it; what is whole is kept."""
        with self._lock:
            job = self._jobs.get((account, id_))
            if job is None or not job.now.running:
                return
            job.now = replace(job.now, status="stopping")
        job.stop.set()

    def put_away(self, account: str, id_: str) -> None:
        """Forget what came of it; one that goes on stays."""
        with self._lock:
            job = self._jobs.get((account, id_))
            if job and not job.now.running:
                del self._jobs[account, id_]

    def wait(self, account: str, id_: str, seconds: float) -> None:
        """Wait until it is over, at most so long."""
        with self._lock:
            job = self._jobs.get((account, id_))
        if job and job.thread:
            job.thread.join(seconds)

    def close(self) -> None:
        """Stop everything, and wait a little for that."""
        with self._lock:
            jobs = [job for job in self._jobs.values() if job.now.running]
        for job in jobs:
            job.stop.set()
        for job in jobs:
            if job.thread:
                job.thread.join(LAST_SECONDS)

    def _run(self, job: _Job, planned: Planned) -> None:
        def told(done: int, doing: str) -> None:
            self._change(job, done=done, doing=doing)

        over: dict[str, Any] = {"status": "failed", "trouble": FAULT}
        try:
            ran = self._checks.run(planned, Pace(told, job.stop))
            over = {"status": "stopped" if job.stop.is_set() else "done", "ran": ran}
            over["done"] = planned.calls if over["status"] == "done" else job.now.done
        except (ModelNotReady, UnknownModel, UnknownAuthored, RecordError) as error:
            over = {"status": "failed", "trouble": sentence(error)}
        finally:
            self._change(job, **over)

    def _change(self, job: _Job, **values: Any) -> None:
        with self._lock:
            job.now = replace(job.now, **values)
