"""A server of files on loopback that continues them, breaks off, or sends something else."""

import re
import signal
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread, main_thread
from time import sleep
from typing import Literal, cast

Manner = Literal[
    "whole", "breaks off", "no ranges", "refuses ranges", "another", "too much", "interrupts"
]
"""`interrupts`: it sends half, and then Ctrl+C is pressed here."""


class FileServer:
    """The server of `files` by their paths; a context manager."""

    def __init__(self, files: Mapping[str, bytes], manner: Manner = "whole") -> None:
        self.files = files
        self.manner: Manner = manner
        self.asked: list[tuple[str, str | None]] = []
        """Path and range of each request."""
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.served = self
        self._thread = Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def base(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> "FileServer":
        return self

    def __exit__(self, *_error: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Http(ThreadingHTTPServer):
    served: FileServer


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = cast(_Http, self.server).served
        told = self.headers.get("Range")
        server.asked.append((self.path, told))
        data = server.files.get(self.path)
        if data is None:
            self.send_error(404)
            return
        if told and server.manner == "refuses ranges":
            self.send_error(416)
            return
        self._send(server.manner, data, told)

    def _send(self, manner: Manner, data: bytes, told: str | None) -> None:
        found = re.fullmatch(r"bytes=(\d+)-", told or "")
        ranged = found is not None and manner != "no ranges"
        if found is not None and ranged:
            data = data[int(found[1]) :]
        if manner == "another":
            data = bytes(len(data))
        if manner == "too much":
            data += b"x" * 100_000
        self.send_response(206 if ranged else 200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        half = manner in ("breaks off", "interrupts")
        self.wfile.write(data[: len(data) // 2] if half else data)
        if manner == "interrupts":
            self.wfile.flush()
            sleep(0.2)
            signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
            sleep(0.2)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""
