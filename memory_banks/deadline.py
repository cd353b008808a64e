"""Calls that may hang: made one after another in a thread of their own, each with a deadline."""

from collections.abc import Callable
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


class PastDeadline(Exception):
    """The call had not ended at its deadline; it may still be running."""


class Abandoned(Exception):
    """The worker was abandoned or closed before the call had ended."""


class Worker:
    """One daemon thread that makes calls in order. A call that hangs does not hang its caller."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._waiting: set[Future[Any]] = set()
        self._over = False
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def call(self, function: Callable[[], T], seconds: float) -> T:
        """What `function` returns or raises, within `seconds` from now, waiting included.

        Raises:
            PastDeadline: if it does not end in time.
            Abandoned: if the worker is over.
        """
        future: Future[T] = Future()
        self._waiting.add(future)
        if self._over:
            raise Abandoned
        self._calls.put((future, function))
        try:
            return _result(future, seconds)
        except CancelledError:
            raise Abandoned from None
        finally:
            self._waiting.discard(future)

    def abandon(self) -> None:
        """Let go of every waiting caller; the thread ends when its present call does."""
        self._over = True
        self._calls.put(None)
        for future in list(self._waiting):
            if not future.cancel():
                _settle(future, Abandoned())

    def close(self, seconds: float) -> bool:
        """End the thread once it has made the calls that wait; whether it ended in time."""
        self._over = True
        self._calls.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while item := self._calls.get():
            future, function = item
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = function()
            except BaseException as error:  # noqa: BLE001 - handed to the caller, whatever it is
                _settle(future, error)
            else:
                with suppress(InvalidStateError):
                    future.set_result(result)


def _result(future: Future[T], seconds: float) -> T:
    try:
        return future.result(seconds)
    except TimeoutError:
        if future.done() and not future.cancelled():
            return future.result()
        future.cancel()
        raise PastDeadline from None


def _settle(future: Future[Any], error: BaseException) -> None:
    """Give the caller its error, unless it was let go."""
    with suppress(InvalidStateError):
        future.set_exception(error)
