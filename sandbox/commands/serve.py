"""`serve`, which is also `python app.py`: the page, its API, and the models behind them."""

import gc
import json
import logging
import os
import sys
from contextlib import closing, redirect_stdout
from socket import socket
from typing import Annotated

import typer

from sandbox.commands.options import DataDir, Gguf, Json, ModelsFile, Offline
from sandbox.commands.output import progress, sentences
from sandbox.commands.starting import begin
from sandbox.port import reserve
from sandbox.settings import Settings


def serve(
    host: Annotated[
        str | None,
        typer.Option("--host", metavar="H", help="A loopback address.  [default: 127.0.0.1]"),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="N", help="0 takes a free one.  [default: 7860]"),
    ] = None,
    data_dir: DataDir = None,
    models: ModelsFile = None,
    gguf: Gguf = None,
    offline: Offline = None,
    as_json: Json = False,
) -> None:
    """Serve the page and the API until Ctrl-C."""
    with sentences():
        settings = begin(
            logging.INFO,
            host=host,
            port=port,
            data_dir=data_dir,
            models=models,
            gguf=gguf,
            offline=offline,
        )
        with closing(reserve(settings.host, settings.port)) as listener:
            _serve(settings, listener, as_json)


def _serve(settings: Settings, listener: socket, as_json: bool) -> None:
    """Assemble and serve; everything heavy is imported here, while the port waits for us."""
    progress("loading")
    gc.disable()  # importing makes many objects and no garbage: looking for it costs a fifth
    from sandbox.account import ACCOUNT
    from sandbox.assemble import assemble
    from sandbox.commands.writing import usable_models
    from sandbox.folder import open_folder
    from sandbox.ui import server
    from sandbox.ui.page import build_page, page_look

    models = usable_models(settings)
    with open_folder(settings.data_dir) as folder:
        sandbox = assemble(settings, folder, os.environ, models=models)
        with closing(sandbox), redirect_stdout(sys.stderr if as_json else sys.stdout):
            server.serve(
                lambda: build_page(sandbox, ACCOUNT),
                listener,
                folder,
                look=page_look(),
                background=sandbox.start,
                on_ready=_announce if as_json else _loaded,
            )


def _loaded(_url: str) -> None:
    """Collect garbage again, leaving out what was imported."""
    gc.freeze()
    gc.enable()


def _announce(url: str) -> None:
    """Say where the page is, as the one JSON object on standard output."""
    _loaded(url)
    told = json.dumps({"url": url, "pid": os.getpid()})
    assert sys.__stdout__ is not None
    sys.__stdout__.write(f"{told}\n")
    sys.__stdout__.flush()
