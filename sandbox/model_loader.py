"""The embedded model on its way: fetched, loaded and served in the background."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Condition, Event, Thread
from typing import Literal, Protocol

from graphs.chat_model import ChatModel, ModelError
from graphs.embedded import EmbeddedServer
from graphs.model_file import ModelFileError, ensure_model_file
from graphs.pip_download import Announce

logger = logging.getLogger(__name__)


class ModelNotReady(Exception):
    """The model cannot be used now; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class ModelState:
    """How things stand with the default model, for the page's banner."""

    status: Literal["waiting", "loading", "ready", "failed"]
    """`waiting`: not started."""
    sentence: str = ""
    """What a person should know; empty when there is nothing to say."""


class Server(Protocol):
    """A running model server of ours."""

    def chat(self) -> ChatModel:
        """The model it serves."""

    def close(self) -> None:
        """Stop it."""


Load = Callable[[Announce, Event], Server]
"""Fetches the model where need be, loads it and serves it; the event ends a fetch."""


def embedded(models_dir: Path, gguf: Path | None, offline: bool) -> Load:
    """How the embedded model is loaded: from `gguf`, else from the file in `models_dir`."""

    def load(announce: Announce, stop: Event) -> Server:
        path = gguf or ensure_model_file(models_dir, offline, announce, stop=stop)
        return EmbeddedServer(path)

    return load


class ModelLoader:
    """Loads the embedded model in a thread of its own, and hands it out."""

    def __init__(self, load: Load, announce: Announce | None = None) -> None:
        """Start nothing yet; `announce` is told how it goes, null means the log."""
        self._load = load
        self._announce = announce or _log
        self._changed = Condition()
        self._stop = Event()
        self._server: Server | None = None
        self._model: ChatModel | None = None
        self.state = ModelState("waiting")

    def start(self) -> None:
        """Begin to load, unless that goes on already or is done."""
        with self._changed:
            if self.state.status in ("waiting", "failed") and not self._stop.is_set():
                self.state = ModelState("loading", "The embedded model is loading.")
                Thread(target=self._run, name="embedded model", daemon=True).start()

    def get(self, seconds: float) -> ChatModel:
        """The model, waiting for it up to `seconds`; the first call starts it."""
        if self.state.status == "waiting":
            self.start()
        with self._changed:
            self._changed.wait_for(lambda: self.state.status != "loading", seconds)
            state, model = self.state, self._model
        if model is None:
            late = f" It is not ready after {seconds:g} s; wait a moment and try again."
            raise ModelNotReady(state.sentence + (late if state.status == "loading" else ""))
        return model

    def close(self) -> None:
        """Stop loading and serving."""
        self._stop.set()
        with self._changed:
            server, self._server, self._model = self._server, None, None
            self.state = ModelState(
                "failed", "The embedded model is stopped; start the sandbox again."
            )
            self._changed.notify_all()
        if server is not None:
            server.close()

    def _run(self) -> None:
        sentence = "The embedded model could not be loaded; the log says why."
        try:
            server = self._load(self._tell, self._stop)
        except (ModelError, ModelFileError) as error:
            sentence = str(error)
            logger.warning("%s", sentence)
        else:
            self._ready(server)
        finally:
            self._settle(sentence)

    def _ready(self, server: Server) -> None:
        with self._changed:
            if not self._stop.is_set():
                self._server, self._model = server, server.chat()
                self.state = ModelState("ready")
                self._changed.notify_all()
                return
        server.close()

    def _settle(self, sentence: str) -> None:
        """Whatever happened: nobody waits any longer."""
        with self._changed:
            if self.state.status == "loading":
                self.state = ModelState("failed", sentence)
            self._changed.notify_all()

    def _tell(self, line: str) -> None:
        with self._changed:
            if self.state.status == "loading":
                self.state = ModelState("loading", line)
        self._announce(line)


def _log(line: str) -> None:
    logger.info("%s", line)
