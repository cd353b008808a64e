"""Serving the page: its routes, its guard, and the life of the server."""

import asyncio
import contextlib
import re
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from gradio.route_utils import FnIndexInferError
from starlette.types import ASGIApp

from sandbox.folder import DataFolder
from sandbox.guard import Guard
from sandbox.port import APP, url_of

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
LINKED = ("session", "instance", "run")
"""What has an address of its own."""
GRACE_SECONDS = 1
"""How long open streams may go on after the server was told to stop."""
CUT_SECONDS = 5
"""When a request that is still running then is cut."""
NO_DOCS: dict[str, Any] = {"docs_url": None, "redoc_url": None, "openapi_url": None}
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Look:
    """How the page looks."""

    theme: gr.Theme | None = None
    css: str | None = None
    css_paths: tuple[Path, ...] = ()
    favicon: Path | None = None


def serve(
    build: Callable[[], gr.Blocks],
    listener: socket.socket,
    folder: DataFolder,
    *,
    look: Look = Look(),
    background: Callable[[], None] | None = None,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Serve the page on `listener` until SIGINT or SIGTERM, then return within seconds.

    Args:
        build: makes the page.
        listener: from `sandbox.port.reserve`; closed at the end.
        folder: where the address is announced, for whoever comes second.
        look: how the page looks.
        background: what is slow to load; started in a thread of its own once requests are served.
        on_ready: called with the page's address at that moment.
    """
    url = url_of(listener)

    def ready() -> None:
        folder.announce(url)
        say(f"Serving on {url} (data folder {folder.root})")
        if on_ready is not None:
            on_ready(url)
        if background is not None:
            threading.Thread(target=background, name="background", daemon=True).start()

    config = uvicorn.Config(
        create_app(build(), look, host=listener.getsockname()[0]),
        log_config=None,
        access_log=False,
        ws="none",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=CUT_SECONDS,
    )
    with listener:
        PageServer(config, ready).run(sockets=[listener])


def create_app(page: gr.Blocks, look: Look, host: str) -> ASGIApp:
    """The guarded application: our routes first, then the page, with all of Gradio's extras off."""
    app = FastAPI(**NO_DOCS)
    app.add_api_route("/health", health, methods=["GET"])
    app.add_api_route("/alive", alive(), methods=["GET"])
    for kind in LINKED:
        app.add_api_route(f"/{kind}/{{name}}", link_to(kind), methods=["GET"])
    gr.mount_gradio_app(
        app,
        page,
        path="/",
        server_name=host,
        app_kwargs=NO_DOCS | {"exception_handlers": {FnIndexInferError: no_such_function}},
        allowed_paths=[],
        show_error=False,
        max_file_size="10mb",
        footer_links=[],
        run_history=False,
        enable_monitoring=False,
        ssr_mode=False,
        mcp_server=False,
        pwa=False,
        theme=look.theme,
        css=look.css,
        css_paths=list(look.css_paths),
        favicon_path=str(look.favicon) if look.favicon else None,
    )
    return Guard(app, hosts=[host])


def health() -> Response:
    """That the server answers, and what it is."""
    return JSONResponse({"status": "ok", "app": APP})


def alive() -> Callable[[], Response]:
    """The route that tells an open tab whether the program was restarted since it was loaded."""
    token = secrets.token_hex(8)

    def answer() -> Response:
        return JSONResponse({"token": token}, headers={"Cache-Control": "no-store"})

    return answer


async def no_such_function(_request: Request, _error: Exception) -> Response:
    """The answer to a call of something the page does not offer."""
    sentence = "There is no such function: /gradio_api/info lists those there are."
    return JSONResponse({"error": sentence}, status_code=404)


def link_to(kind: str) -> Callable[[str, Request], Response]:
    """The route that leads an address of its own, `/session/ID`, to the page showing it.

    What it asks for beside its id, such as `?collection=`, goes along.
    """

    def link(name: str, request: Request) -> Response:
        if ID.fullmatch(name) is None:
            return PlainTextResponse(
                f"This is not the id of a {kind}: letters, digits, - and _, at most 64.",
                status_code=404,
            )
        more = f"&{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/?{kind}={name}{more}", status_code=307)

    return link


class PageServer(uvicorn.Server):
    """uvicorn that says when it serves, and that ends without raising the signal once more."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        """A server that calls `ready` once, when requests are being served."""
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then tell."""
        await super().startup(sockets)
        if self.started:
            self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop; streams that stay open are hung up on, and end as when a tab is closed."""
        asyncio.get_running_loop().call_later(GRACE_SECONDS, self.hang_up)
        await super().shutdown(sockets)

    def hang_up(self) -> None:
        """Close the connections that are left."""
        for connection in list(self.server_state.connections):
            connection.transport.close()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Let the first signal end the serving, so that what the caller has open is closed."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before: dict[signal.Signals, Any] = {
            number: signal.signal(number, self.handle_exit) for number in SIGNALS
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def say(line: str) -> None:
    """Print a line at once, also into a pipe."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
