"""The embedded model: a llama.cpp server inside this process, on a random loopback port."""

import logging
import os
import secrets
from pathlib import Path
from time import monotonic
from typing import Any

from pydantic import SecretStr

from graphs.chat_model import OpenAIChat
from graphs.model_errors import ModelError

NAME = "embedded"
CONTEXT_TOKENS = 8192
DEADLINE = 300.0
"""Seconds one call may take; a busy machine writes a few tokens a second."""
_PROMPT_CACHE_MIB = 256
_BATCH = 256
"""Prompt tokens between two looks at whether the client has left; a stopped reply ends there."""
_SILENT = -1
"""llama.cpp's verbosity below which it writes nothing."""
logger = logging.getLogger(__name__)


class EmbeddedServer:
    """A running model server. Only this process can use it: it wants a key nobody else knows."""

    def __init__(self, gguf: Path, threads: int | None = None) -> None:
        """Load the model and serve it; takes about a second, in the calling thread.

        Args:
            gguf: the model's file.
            threads: how many threads compute; null means one less than the machine has cores.

        Raises:
            ModelError: if the file is missing or is no model that can be run.
        """
        began = monotonic()
        self._key = SecretStr(secrets.token_urlsafe(32))
        self._server: Any = _serve(gguf, self._key, threads or max(1, (os.cpu_count() or 1) - 1))
        self._address = f"{self._server.listening_address}/v1"
        logger.info("the embedded model is ready after %.1f s", monotonic() - began)

    def chat(self, deadline: float = DEADLINE) -> OpenAIChat:
        """The model that this server serves, named "embedded"."""
        return OpenAIChat(
            NAME, NAME, self._address, self._key, CONTEXT_TOKENS, deadline, scores=True
        )

    def close(self) -> None:
        """Stop the server and give its memory back; safe to call twice."""
        self._server = None


def _serve(gguf: Path, key: SecretStr, threads: int) -> Any:
    _check(gguf)
    try:
        import xllamacpp
    except ImportError as error:
        raise ModelError(
            f"The embedded model cannot run here ({error}); install xllamacpp for this machine, or "
            "name an endpoint in models.toml."
        ) from error

    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(gguf)
    wanted.model_alias = {NAME}
    wanted.hostnames = ["127.0.0.1"]
    wanted.port = 0
    wanted.api_keys = [key.get_secret_value()]
    wanted.n_ctx = CONTEXT_TOKENS
    wanted.n_parallel = 1
    wanted.cpuparams.n_threads = threads
    wanted.cpuparams_batch.n_threads = threads
    wanted.n_batch = _BATCH
    wanted.cache_ram_mib = _PROMPT_CACHE_MIB
    wanted.endpoint_slots = False
    wanted.ui = False
    wanted.offline = True
    wanted.verbosity = _SILENT
    try:
        return xllamacpp.Server(wanted)
    except RuntimeError:
        raise ModelError(_not_runnable(gguf)) from None


def _check(gguf: Path) -> None:
    """Refuse what is plainly no model file.

    Raises:
        ModelError: if the file cannot be read or does not begin as a GGUF file does.
    """
    try:
        with gguf.open("rb") as file:
            begins = file.read(4)
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise ModelError(
            f"The model file {str(gguf)!r} cannot be read ({reason}); give the path of a GGUF "
            "file with --gguf."
        ) from error
    if begins != b"GGUF":
        raise ModelError(_not_runnable(gguf))


def _not_runnable(gguf: Path) -> str:
    return (
        f"The model file {str(gguf)!r} is damaged or no GGUF model that can be run here; give "
        "another one with --gguf, or delete it if the sandbox fetched it, and start again."
    )
