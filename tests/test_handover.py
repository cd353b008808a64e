import socket
from collections.abc import Iterator
from threading import Event, Thread
from types import SimpleNamespace

import pytest

from graphs.handover import Handover
from graphs.model_errors import ModelError


def opened(ours: socket.socket) -> dict[str, object]:
    """What an HTTP request tells of a connection."""
    return {"return_value": SimpleNamespace(get_extra_info={"socket": ours}.__getitem__)}


def test_pieces_come_in_order_and_then_the_end() -> None:
    assert list(Handover(lambda _: iter(["a", "b"]), 10)) == ["a", "b"]


def test_what_the_producer_raises_the_reader_gets_behind_the_pieces() -> None:
    def produce(_: Handover) -> Iterator[str]:
        yield "a"
        raise ModelError("Broken.")

    pieces = iter(Handover(produce, 10))
    assert next(pieces) == "a"
    with pytest.raises(ModelError, match="Broken"):
        next(pieces)


def test_the_reader_leaves_at_the_deadline_whatever_the_producer_does() -> None:
    go = Event()

    def produce(_: Handover) -> Iterator[str]:
        yield "a"
        go.wait(20)

    pieces = iter(Handover(produce, 0.2))
    assert next(pieces) == "a"
    with pytest.raises(TimeoutError):
        next(pieces)
    go.set()


def test_a_producer_that_drips_is_late_too() -> None:
    def produce(handover: Handover) -> Iterator[str]:
        while not handover.over:
            handover.pause(0.02)
            yield "drop"
        yield "too late"

    with pytest.raises(TimeoutError):
        assert "too late" not in list(Handover(produce, 0.2))


def test_close_wakes_a_waiting_reader_without_an_error() -> None:
    begun, go = Event(), Event()

    def produce(_: Handover) -> Iterator[str]:
        begun.set()
        go.wait(20)
        yield "a"

    handover = Handover(produce, 20)
    found: list[list[str]] = []
    reader = Thread(target=lambda: found.append(list(handover)))
    reader.start()
    assert begun.wait(10)
    handover.close()
    reader.join(10)
    assert found == [[]]
    go.set()


def test_close_wakes_a_producer_that_pauses() -> None:
    woken: list[bool] = []
    done = Event()

    def produce(handover: Handover) -> Iterator[str]:
        woken.append(handover.pause(15))
        done.set()
        yield "a"

    handover = Handover(produce, 20)
    handover.close()
    assert done.wait(10)
    assert woken == [False]


def test_close_shuts_the_sockets_down_that_were_opened() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        handover = Handover(lambda _: iter([]), 10)
        handover.watch("connection.connect_tcp.complete", opened(ours))
        handover.watch("http11.send_request_headers.complete", {})
        handover.close()
        theirs.settimeout(10)
        assert theirs.recv(1) == b""


def test_a_socket_opened_after_close_is_shut_down_at_once() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        handover = Handover(lambda _: iter([]), 10)
        handover.close()
        handover.watch("connection.start_tls.complete", opened(ours))
        theirs.settimeout(10)
        assert theirs.recv(1) == b""
