"""Runs the kill script in forked children that kill themselves at a named point.

Reads one JSON job a line: {"folder", "ack", "step", "phase", "nth"}; `step` "token" counts words of
replies; no step at all runs to the end. Answers with the child's wait status. Imports once, forks
for each job: nothing here starts a thread before the fork.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from tests import kill_script


class Killer:
    """Sends SIGKILL to its own process at the nth pass of one point."""

    def __init__(self, step: str | None, phase: str | None, nth: int) -> None:
        self._point = step, phase
        self._left = nth

    def watch(self, step: str, phase: str) -> None:
        self._pass(step, phase)

    def token(self) -> None:
        self._pass("token", None)

    def _pass(self, step: str, phase: str | None) -> None:
        if (step, phase) == self._point:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def child(job: dict[str, Any]) -> None:
    """Run the script in this process, which may not live to its end."""
    killer = Killer(job.get("step"), job.get("phase"), job.get("nth", 1))
    ack = kill_script.Ack(Path(job["ack"]))
    kill_script.run(Path(job["folder"]), ack, killer.watch, killer.token)


def main() -> None:
    """Serve jobs until the input ends."""
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                child(json.loads(line))
                code = 0
            finally:
                if code:
                    traceback.print_exc()
                os._exit(code)
        _pid, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
