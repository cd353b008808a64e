"""Runs the kill script in forked children that kill themselves at a named point.

Reads one JSON job a line: {"folder", "ack", "step", "phase", "nth"}; `step` "token" counts words of
replies; no step at all runs to the end. With "life" the second part of the script is run, up to its
step "until" where one is given, and points count from the start of its step "within" on; what the
folder held at the start and in the end is written to the file "tell". With "seconds" the child is
killed that long after its start, wherever it is. Answers with the child's wait status. Imports
once, forks for each job: nothing here starts a thread before the fork.
"""

import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from sandbox.assemble import Sandbox
from tests import kill_life, kill_script


class Killer:
    """Sends SIGKILL to its own process at the nth pass of one point."""

    def __init__(
        self, step: str | None, phase: str | None, nth: int, within: str | None = None
    ) -> None:
        self._point = step, phase
        self._left = nth
        self._within = within
        self._counts = within is None

    def before(self, step: str) -> None:
        self._counts = self._within in (None, step)

    def watch(self, step: str, phase: str) -> None:
        self._pass(step, phase)

    def token(self) -> None:
        self._pass("token", None)

    def _pass(self, step: str, phase: str | None) -> None:
        if self._counts and (step, phase) == self._point:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def child(job: dict[str, Any]) -> None:
    """Run the script in this process, which may not live to its end."""
    killer = Killer(job.get("step"), job.get("phase"), job.get("nth", 1), job.get("within"))
    folder, ack = Path(job["folder"]), kill_script.Ack(Path(job["ack"]))
    if job.get("life"):
        told: list[object] = []

        def before(step: str, sandbox: Sandbox) -> None:
            killer.before(step)
            if "tell" in job and (not told or not step):
                told.append(kill_life.life(sandbox))

        kill_life.live_on(folder, ack, killer.watch, before=before, until=job.get("until"))
        if "tell" in job:
            Path(job["tell"]).write_text(json.dumps(told), encoding="utf-8")
    else:
        kill_script.run(folder, ack, killer.watch, killer.token)


def main() -> None:
    """Serve jobs until the input ends."""
    for line in sys.stdin:
        job = json.loads(line)
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                child(job)
                code = 0
            finally:
                if code:
                    traceback.print_exc()
                os._exit(code)
        if "seconds" in job:
            time.sleep(job["seconds"])
            os.kill(pid, signal.SIGKILL)
        _pid, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
