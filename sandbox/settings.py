"""What the operator can set: `SANDBOX_*` in the environment, or an option of the command."""

import os
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

from platformdirs import user_cache_path
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from sandbox.folder import Layout

PREFIX = "SANDBOX_"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class SettingsError(Exception):
    """A setting cannot be used; the message is one sentence: name, value, way out."""


def default_models() -> Path | None:
    """`./models.toml` where that file exists, else null."""
    path = Path("models.toml").absolute()
    return path if path.is_file() else None


class Settings(BaseSettings):
    """Everything an operator can set. Read once, by `load_settings`, at the entry point."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True
    )

    host: Annotated[str, Field(min_length=1, max_length=253)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 7860
    """0 takes any free port."""
    data_dir: Path = Field(default_factory=lambda: Path("data").absolute())
    """The data folder, absolute."""
    models: Path | None = Field(default_factory=default_models)
    """The file that names the endpoints; null means the embedded model only."""
    models_dir: Path = Field(default_factory=lambda: user_cache_path("strategic-memory-sandbox"))
    """Where the embedded model's file is kept."""
    gguf: Path | None = None
    """A model file to run instead of the embedded one."""
    offline: bool = False
    """Never fetch the embedded model's file."""
    embedder: Annotated[str, Field(min_length=1)] | None = None
    """Folder or hub name of an embedding model; null means the packaged MiniLM."""
    database_url: SecretStr | None = None
    """SQLAlchemy URL of the record; null means a SQLite file in the data folder."""

    @field_validator("data_dir", "models", "models_dir", "gguf")
    @classmethod
    def _absolute(cls, path: Path | None) -> Path | None:
        return None if path is None else path.expanduser().absolute()

    @field_validator("models", "gguf")
    @classmethod
    def _is_a_file(cls, path: Path | None) -> Path | None:
        if path is not None and not path.is_file():
            raise ValueError("there is no such file")
        return path


def load_settings(**given: object) -> Settings:
    """The settings: what was `given` on the command line, else the environment, else the default.

    Args:
        given: options by field name; null means the option was not given.

    Raises:
        SettingsError: if a value cannot be used.
    """
    options = {name: value for name, value in given.items() if value is not None}
    try:
        return Settings(**options)  # type: ignore[arg-type]  # values are checked by pydantic
    except ValidationError as error:
        raise SettingsError(_sentence(error, options)) from None


def offline_environment(settings: Settings | None = None) -> dict[str, str]:
    """What an entry point puts into `os.environ` before it imports anything heavy.

    It keeps libraries from calling home, loopback traffic from proxies, uploads in the data
    folder, and checkpoints from holding anything but plain data. A hub name as embedder is the
    one reason to reach the hub.
    """
    no_proxy = _no_proxy(os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or "")
    uploads = {"GRADIO_TEMP_DIR": str(Layout(settings.data_dir).uploads)} if settings else {}
    return uploads | {
        "GRADIO_ANALYTICS_ENABLED": "False",
        "HF_HUB_OFFLINE": "0" if settings and _embedder_is_remote(settings) else "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "ANONYMIZED_TELEMETRY": "False",
        "DO_NOT_TRACK": "1",
        "TQDM_DISABLE": "1",
        "OTEL_SDK_DISABLED": "true",
        "LANGGRAPH_STRICT_MSGPACK": "true",
        "LANGSMITH_TRACING": "false",
        "LANGCHAIN_TRACING_V2": "false",
        "NO_PROXY": no_proxy,
        "no_proxy": no_proxy,
    }


def _no_proxy(known: str) -> str:
    """The list of hosts that need no proxy, with the loopback names in it."""
    hosts = [host.strip() for host in known.split(",") if host.strip()]
    return ",".join(dict.fromkeys([*hosts, *LOOPBACK]))


def _embedder_is_remote(settings: Settings) -> bool:
    """Whether the embedder has to come from the hub."""
    name = settings.embedder
    return name is not None and not settings.offline and not Path(name).expanduser().exists()


def _sentence(error: ValidationError, options: Collection[str]) -> str:
    """The first fault as one sentence: the name, the value, what is wrong, the way out."""
    fault = error.errors(include_url=False)[0]
    name = str(fault["loc"][0])
    if fault["type"] == "extra_forbidden":
        return f"{name} is not a setting: the README lists those there are."
    source = f"--{name.replace('_', '-')}" if name in options else f"{PREFIX}{name.upper()}"
    value = "what it was given" if name == "database_url" else repr(fault["input"])
    what = fault["msg"].removeprefix("Value error, ")
    return f"{source} cannot be {value}: {what[:1].lower()}{what[1:]}; correct it or leave it out."
