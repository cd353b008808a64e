"""The operator's list of model endpoints: `models.toml`, checked."""

import ipaddress
import tomllib
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic import field_validator as validator

from graphs.embedded import NAME as EMBEDDED

LARGEST = 1_000_000
"""Bytes that the file may have."""
_HIDDEN = {"base_url", "key_env"}
"""Fields whose value an error does not repeat: a key may have strayed into it."""
_WAYS = {
    "name": "name each model once, in up to 60 letters, digits, dots, dashes or underscores",
    "base_url": 'write an address as "https://example.org/v1"',
    "model": "write the model's name as its server knows it",
    "key_env": "write the NAME of the environment variable that holds the key, in capitals",
    "context_tokens": "write how many tokens prompt and reply may have together",
    "deadline_seconds": "write the seconds a call may take, up to 3600",
    "llama_cpp": "write true or false",
    "price_in": "write the price of a million tokens",
    "price_out": "write the price of a million tokens",
}


class ModelsError(Exception):
    """The models file cannot be used; the message is one sentence: file, table, field, way out."""


class ModelSpec(BaseModel):
    """One `[[model]]` table: an OpenAI-compatible endpoint that people choose by its name."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$")]
    base_url: Annotated[str, StringConstraints(max_length=500)]
    model: Annotated[str, StringConstraints(min_length=1, max_length=300)]
    key_env: Annotated[str, StringConstraints(pattern=r"^[A-Z_][A-Z0-9_]{0,99}$")] | None = None
    """Name of the environment variable that holds the key; null for a server without one."""
    context_tokens: Annotated[int, Field(ge=512, le=100_000_000)] = 8192
    deadline_seconds: Annotated[float, Field(gt=0, le=3600, strict=False)] = 120.0
    llama_cpp: bool = False
    """Whether the server is llama.cpp's, which can tell how probable a given reply is."""
    price_in: Annotated[float, Field(ge=0, strict=False, allow_inf_nan=False)] | None = None
    """Price of a million prompt tokens, in the currency of the lab's choice."""
    price_out: Annotated[float, Field(ge=0, strict=False, allow_inf_nan=False)] | None = None
    """Price of a million reply tokens."""

    @validator("name")
    @classmethod
    def _is_free(cls, name: str) -> str:
        if name == EMBEDDED:
            raise ValueError(f"{EMBEDDED!r} is the name of the model that comes with the sandbox")
        return name

    @validator("base_url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an http or https address")
        if "@" in parts.netloc:
            raise ValueError("must hold no user and no password")
        if parts.query or parts.fragment or not url.isprintable() or " " in url:
            raise ValueError("must end with its path, and hold no blanks")
        _ = parts.port  # raises where it is no number
        if _is_link_local(parts.hostname):
            raise ValueError("must not be a link-local address")
        return url


def read_models_toml(path: Path) -> tuple[ModelSpec, ...]:
    """The endpoints, in the file's order; the first one is the default.

    Raises:
        ModelsError: if the file cannot be read, or anything in it is wrong.
    """
    tables = _tables(path)
    specs = tuple(_spec(path, number, table) for number, table in enumerate(tables, start=1))
    seen: set[str] = set()
    for number, spec in enumerate(specs, start=1):
        if spec.name in seen:
            raise _fault(path, number, spec.name, "name", "occurs twice")
        seen.add(spec.name)
    return specs


def _tables(path: Path) -> list[Any]:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise ModelsError(f"{path} is larger than {LARGEST} bytes; give a models file.")
        data = tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        reason = error.strerror or error
        raise ModelsError(f"{path} cannot be read ({reason}); correct --models.") from error
    except (ValueError, RecursionError) as error:
        raise ModelsError(f"{path} is no TOML file ({_where(error)}); correct it there.") from None
    tables = data.pop("model", None)
    if data:
        raise ModelsError(
            f"{path} has {next(iter(data))!r}, which is none of [[model]]; remove it."
        )
    if not isinstance(tables, list) or not tables:
        raise ModelsError(f"{path} names no model; write a [[model]] table, or start without it.")
    return tables


def _where(error: ValueError | RecursionError) -> str:
    if isinstance(error, tomllib.TOMLDecodeError):
        return str(error)
    return "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else "it is nested too deeply"


def _spec(path: Path, number: int, table: object) -> ModelSpec:
    try:
        return ModelSpec.model_validate(table)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
    name = table.get("name") if isinstance(table, dict) else None
    field = str(fault["loc"][0]) if fault["loc"] else "table"
    if fault["type"] == "extra_forbidden":
        raise _fault(path, number, name, field, "is not known")
    what = fault["msg"].removeprefix("Value error, ")
    if fault["type"] != "missing" and field not in _HIDDEN:
        what += f", got {str(fault['input'])[:80]!r}"
    raise _fault(path, number, name, field, f"{what[:1].lower()}{what[1:]}")


def _fault(path: Path, number: int, name: object, field: str, what: str) -> ModelsError:
    called = f" ({name[:60]!r})" if isinstance(name, str) else ""
    way = _WAYS.get(field, f"the fields are {', '.join(_WAYS)}; a key belongs into the environment")
    return ModelsError(f"{path}, [[model]] {number}{called}, {field}: {what}; {way}.")


def _is_link_local(host: str) -> bool:
    """Whether it is one of the addresses at which clouds tell their machines secrets."""
    try:
        return ipaddress.ip_address(host).is_link_local
    except ValueError:
        return False
