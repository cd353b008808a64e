"""A scripted OpenAI-compatible server on loopback, with all the faults a real one has.

    with StubServer(lambda request: "Hello.") as server:
        OpenAIChat("stub", "stub", server.base_url)

A script is a function of the request's JSON body. It returns a text (streamed word by word), an
object (sent as JSON text: the answer to a `json_schema` request), a `Reply`, or a `Fault`; a list
of these is played in order, its last item for good. By hand: `python -m tests.stub_server
--port 9000 --script FILE.json`, where the file is a list of rules, the first that fits is played:

    [{"asked": "where do I live", "text": "In Tallinn.", "delay": 0.05},
     {"form": "CaptureForm", "json": {"entries": []}},
     {"asked": "sleep", "fault": "hang"},
     {"text": "I see."}]
"""

import argparse
import json
import socket
import struct
import sys
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Condition, Event, Thread
from typing import Any, cast

from tests.stub_script import MESSAGES, as_reply, rules_script
from tests.stub_script import Fault as Fault
from tests.stub_script import Kind as Kind
from tests.stub_script import Played as Played
from tests.stub_script import Recorded as Recorded
from tests.stub_script import Reply as Reply
from tests.stub_script import Script as Script


class StubServer:
    """The server; a context manager. `tokens` makes `/tokenize` count words like that."""

    def __init__(self, script: Script = "Hello.", port: int = 0, tokens: bool = False) -> None:
        self.tokens = tokens
        self.requests: list[Recorded] = []
        self.left = 0
        """How many replies were broken off by the client."""
        self.stopping = Event()
        self._played = 0
        self._changed = Condition()
        self.play(script)
        self._http = _Http(("127.0.0.1", port), _Handler)
        self._http.stub = self
        self._thread = Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        """The address for a client, with `/v1`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def chats(self) -> list[Recorded]:
        """The chat completions asked for, oldest first."""
        return [one for one in self.requests if one.path == "/v1/chat/completions"]

    def play(self, script: Script) -> None:
        """Answer by this script from now on."""
        self._played = 0
        self._script = script

    def wait_for(self, condition: Callable[["StubServer"], bool], seconds: float = 10.0) -> bool:
        """Wait until the condition holds, e.g. `lambda server: server.left == 1`."""
        with self._changed:
            return self._changed.wait_for(lambda: condition(self), seconds)

    def close(self) -> None:
        """Stop listening and end every hanging reply; from then on connections are refused."""
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> "StubServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def note(self, request: Recorded | None = None, left: int = 0) -> None:
        """Record a request, or a client that left."""
        with self._changed:
            self.requests += [request] if request else []
            self.left += left
            self._changed.notify_all()

    def next(self, body: dict[str, Any]) -> Reply | Fault:
        """What the script answers to this request."""
        script = self._script
        if callable(script):
            return as_reply(script(body))
        if not isinstance(script, list | tuple):
            return as_reply(cast("Played", script))
        with self._changed:
            index = min(self._played, len(script) - 1)
            self._played += 1
        return as_reply(script[index])


def closed_port() -> int:
    """A port of this machine at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    stub: StubServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is no news; a mistake of the script is."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Http

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._send_json(200, {"object": "list", "data": [{"id": "stub", "object": "model"}]})

    def do_POST(self) -> None:
        stub = self.server.stub
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        shown = {k: v for k, v in self.headers.items() if k.lower() != "authorization"}
        stub.note(Recorded(self.path, body, "Authorization" in self.headers, shown))
        if self.path == "/tokenize":
            self._tokenize(body)
            return
        answer = stub.next(body)
        try:
            if isinstance(answer, Reply):
                self._stream(answer)
            else:
                self._fail(answer)
        except OSError:
            stub.note(left=1)

    def _tokenize(self, body: dict[str, Any]) -> None:
        if not self.server.stub.tokens:
            self._send_json(404, {"error": {"message": "no such page"}})
            return
        self._send_json(200, {"tokens": list(range(len(body["content"].split())))})

    def _stream(self, reply: Reply) -> None:
        if reply.reasoning:
            self._event({"choices": [_choice({"reasoning_content": reply.reasoning})]})
        self._event({"choices": [_choice({"role": "assistant", "content": ""})]})
        for number, piece in enumerate(reply.cut()):
            if number == 1 and reply.wait is not None:
                self._hold(reply.wait)
            if reply.delay:
                time.sleep(reply.delay)
            self._event({"choices": [_choice({"content": piece})]})
        if reply.finish is not None:
            self._event({"choices": [_choice({}, reply.finish)]})
        if reply.usage:
            count = len(reply.cut())
            took = {"prompt_tokens": 7, "completion_tokens": count, "total_tokens": 7 + count}
            self._event({"choices": [], "usage": took})
        self._write(b"data: [DONE]\n\n")

    def _fail(self, fault: Fault) -> None:
        message = MESSAGES.get(fault.kind)
        if message is not None:
            status, error = message
            if fault.kind in ("401", "echo"):
                key = self.headers.get("Authorization", "").removeprefix("Bearer ")
                error = {**error, "message": f"I do not like {key}."}
            if fault.kind == "unsupported":
                error = {**error, "param": fault.field}
            self._send_json(status, {"error": error}, fault.retry_after)
        else:
            getattr(self, f"_fail_{fault.kind.replace('-', '_')}")(fault)

    def _fail_500(self, fault: Fault) -> None:
        self._send(500, b"<html><h1>Internal error</h1></html>", "text/html", fault.retry_after)

    def _fail_redirect(self, fault: Fault) -> None:
        self.send_response(307)
        self.send_header("Location", fault.location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _fail_hang(self, fault: Fault) -> None:
        self._hold(Event())

    def _fail_drip(self, fault: Fault) -> None:
        self._drip(b"HTTP/1.1 200 OK\r\nX-Padding: " + b"x" * 100_000)

    def _fail_drip_body(self, fault: Fault) -> None:
        self._event({"choices": [_choice({"content": "Drop "})]})
        self._drip(b": keep waiting\n\n" * 10_000)

    def _fail_reset(self, fault: Fault) -> None:
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()

    def _fail_close(self, fault: Fault) -> None:
        self.close_connection = True

    def _fail_html(self, fault: Fault) -> None:
        self._send(200, b"<html><h1>Sign in</h1></html>", "text/html; charset=utf-8")

    def _fail_json(self, fault: Fault) -> None:
        self._send_json(200, {"choices": None})

    def _fail_null_choices(self, fault: Fault) -> None:
        self._event({"choices": None})
        self._write(b"data: [DONE]\n\n")

    def _fail_empty_choices(self, fault: Fault) -> None:
        self._event({"choices": []})
        self._write(b"data: [DONE]\n\n")

    def _fail_not_json(self, fault: Fault) -> None:
        self._write(b"data: {'choices': oops\n\n")

    def _fail_not_text(self, fault: Fault) -> None:
        self._write(b"data: \xff\xfe\n\n")

    def _fail_cut(self, fault: Fault) -> None:
        self._stream(Reply("Half a ", finish=None, usage=False))

    def _fail_reset_midway(self, fault: Fault) -> None:
        self._event({"choices": [_choice({"content": "Half a "})]})
        self._fail_reset(fault)

    def _fail_error_event(self, fault: Fault) -> None:
        self._event({"choices": [_choice({"content": "Half a "})]})
        self._event({"error": {"message": "the graphics card fell out", "code": 500}})

    def _drip(self, content: bytes) -> None:
        for byte in content:
            if self.server.stub.stopping.wait(0.1):
                return
            self.connection.sendall(bytes([byte]))

    def _hold(self, released: Event) -> None:
        """Wait until the event, the end of the server, or a client that leaves."""
        self.connection.settimeout(0.02)
        while not released.is_set() and not self.server.stub.stopping.is_set():
            try:
                if not self.connection.recv(1, socket.MSG_PEEK):
                    raise ConnectionResetError
            except TimeoutError:
                continue
        self.connection.settimeout(None)

    def _event(self, data: dict[str, Any]) -> None:
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "stub"}
        self._write(b"data: " + json.dumps(chunk | data).encode() + b"\n\n")

    def _write(self, content: bytes) -> None:
        """A part of a stream, its head first. The stream ends where the connection does."""
        if not self.close_connection or not hasattr(self, "streaming"):
            self.streaming = True
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
        self.wfile.write(content)

    def _send_json(self, status: int, data: object, retry_after: str | None = None) -> None:
        self._send(status, json.dumps(data).encode(), "application/json", retry_after)

    def _send(self, status: int, content: bytes, kind: str, retry_after: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(content)


def _choice(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def main() -> None:
    """Serve a script from a file until it is interrupted."""
    parser = argparse.ArgumentParser(description="A scripted OpenAI-compatible server.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path, required=True)
    given = parser.parse_args()
    rules = json.loads(given.script.read_text("utf-8"))
    with StubServer(rules_script(rules), given.port) as server:
        print(f"{server.base_url} plays {given.script}", flush=True)
        try:
            Event().wait()
        except KeyboardInterrupt:
            print("stopped")


if __name__ == "__main__":
    main()
