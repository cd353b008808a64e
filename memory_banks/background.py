"""Work that nobody waits for: jobs done one after another in a thread of their own."""

from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread


class Background:
    """A daemon thread that starts with its first job and ends with `close`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._closed = False

    @property
    def started(self) -> bool:
        """Whether it has had a job and takes more."""
        return self._thread is not None and not self._closed

    @property
    def alive(self) -> bool:
        """Whether its thread is there to do what waits."""
        return self._thread is not None and self._thread.is_alive()

    def later(self, job: Callable[[], None]) -> None:
        """Do `job` after those that wait already; never once it is closed."""
        with self._lock:
            if self._closed:
                return
            self._jobs.put(job)
            if self._thread is None:
                self._thread = Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def close(self, seconds: float) -> bool:
        """Take no more jobs and wait for those taken; whether they ended in time."""
        with self._lock:
            self._closed = True
            self._jobs.put(None)
        if self._thread is None:
            return True
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while job := self._jobs.get():
            job()
