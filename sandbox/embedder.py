"""The embedder, loaded behind the page."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Literal

from memory_banks.bank import RecallUnavailable
from memory_banks.embedding import Embedder, EmbedderMissing

EmbedderState = Literal["loading", "ready", "failed"]


class EmbedderLoader:
    """One embedder for the process. `start` returns at once; `get` waits."""

    def __init__(self, load: Callable[[], Embedder], deadline: float = 120.0) -> None:
        self._load = load
        self._deadline = deadline
        self._settled = Event()
        self._embedder: Embedder | None = None
        self._trouble: str | None = None
        self._thread: Thread | None = None

    def start(self, then: Callable[[Embedder], None] | None = None) -> None:
        """Load in the background, then call `then` with the embedder."""
        if self._thread is None:
            self._thread = Thread(target=self._work, args=(then,), name="embedder", daemon=True)
            self._thread.start()

    @property
    def state(self) -> EmbedderState:
        """Whether it can be used."""
        if not self._settled.is_set():
            return "loading"
        return "failed" if self._embedder is None else "ready"

    @property
    def trouble(self) -> str | None:
        """Why it failed, as a sentence."""
        return self._trouble

    def get(self) -> Embedder:
        """The embedder, waiting for it up to the deadline.

        Raises:
            RecallUnavailable: if it failed or is not ready in time.
        """
        self.start()
        if not self._settled.wait(self._deadline):
            raise RecallUnavailable(
                f"The embedder is not ready after {self._deadline:.0f} s: wait and send again, or "
                "use the strategy no_memory."
            )
        if self._embedder is None:
            raise RecallUnavailable(f"There is no recall without an embedder: {self._trouble}")
        return self._embedder

    def ready(self) -> Embedder | None:
        """The embedder where it is loaded; never waits."""
        return self._embedder

    def _work(self, then: Callable[[Embedder], None] | None) -> None:
        try:
            self._embedder = self._load()
        except EmbedderMissing as error:
            self._trouble = str(error)
        finally:
            if self._embedder is None and self._trouble is None:
                self._trouble = "it failed to load in an unexpected way; see the log."
            self._settled.set()
        if then is not None and self._embedder is not None:
            then(self._embedder)
