"""A blocking network call in its own thread, read from another, under one total deadline."""

import contextlib
import socket
from collections.abc import Callable, Iterator, Mapping
from queue import Empty, Queue
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from graphs.model_errors import ModelError


class Handover:
    """Pieces of text on their way from a producer's thread to a reader.

    A read timeout of an HTTP client counts from byte to byte and never ends a server that drips,
    and no thread can be woken from a name look-up. So the reader waits for the pieces only, never
    for the network, and the sockets the producer opened are shut down under it.
    """

    def __init__(self, produce: Callable[["Handover"], Iterator[str]], seconds: float) -> None:
        """Start `produce` at once; it may take `seconds` in all, counted from now."""
        self._ends = monotonic() + seconds
        self._queue: Queue[str | ModelError | TimeoutError | None] = Queue()
        self._closed = Event()
        self._lock = Lock()
        self._sockets: list[socket.socket] = []
        Thread(target=self._run, args=(produce,), name="model call", daemon=True).start()

    @property
    def remaining(self) -> float:
        """Seconds until the deadline, at least a hundredth."""
        return max(0.01, self._ends - monotonic())

    @property
    def over(self) -> bool:
        """Whether it was closed or its time is up: the producer should end."""
        return self._closed.is_set() or monotonic() >= self._ends

    @property
    def closed(self) -> bool:
        """Whether the reader closed it."""
        return self._closed.is_set()

    def __iter__(self) -> Iterator[str]:
        """The pieces as they come; ends early, without an error, once it is closed.

        Raises:
            ModelError: what the producer raised.
            TimeoutError: at the deadline.
        """
        try:
            while (piece := self._next()) is not None and not self._closed.is_set():
                yield piece
        finally:
            self._shut_down()

    def pause(self, seconds: float) -> bool:
        """Wait before another try; false at once where there is no time for it, or when closed."""
        return seconds < self.remaining and not self._closed.wait(seconds)

    def watch(self, event: str, info: Mapping[str, Any]) -> None:
        """Remember a socket as it is opened: the `trace` callback of an HTTP request."""
        if not event.endswith(("connect_tcp.complete", "start_tls.complete")):
            return
        opened = info["return_value"].get_extra_info("socket")
        with self._lock:
            self._sockets.append(opened)
        if self.over:
            self._shut_down()

    def close(self) -> None:
        """End the call from any thread, at once; safe to call twice."""
        self._closed.set()
        self._queue.put(None)
        self._shut_down()

    def _next(self) -> str | None:
        try:
            piece = self._queue.get(timeout=max(0.0, self._ends - monotonic()))
        except Empty:
            raise TimeoutError from None
        if isinstance(piece, ModelError | TimeoutError):
            raise piece
        return piece

    def _run(self, produce: Callable[["Handover"], Iterator[str]]) -> None:
        try:
            for piece in produce(self):
                self._queue.put(piece)
                if self.over:
                    self._queue.put(TimeoutError())
                    break
        except ModelError as error:
            self._queue.put(error.with_traceback(None))
        finally:
            self._queue.put(None)

    def _shut_down(self) -> None:
        with self._lock:
            for opened in self._sockets:
                # The plain socket's method: the TLS one would change state under the reader.
                with contextlib.suppress(OSError):
                    socket.socket.shutdown(opened, socket.SHUT_RDWR)
