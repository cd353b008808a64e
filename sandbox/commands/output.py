"""What commands say: results on standard output, progress and sentences on standard error."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unicodedata import category

import typer

from memory_banks.files import BankFileError
from personas.library import PersonaError
from sandbox.folder import FolderError
from sandbox.port import PortError
from sandbox.record import RecordError
from sandbox.sentences import sentence
from sandbox.settings import SettingsError


class CommandError(Exception):
    """The command cannot do what was asked; the message is one sentence with the way out."""


_EARLY = (
    BankFileError,
    CommandError,
    FolderError,
    PersonaError,
    PortError,
    RecordError,
    SettingsError,
)


@contextmanager
def sentences() -> Iterator[None]:
    """Turn what is no bug into its sentence on standard error and exit status 1."""
    try:
        yield
    except (typer.Exit, typer.Abort):
        raise
    except _EARLY as error:
        raise _failed(error) from error
    except _domain_errors() as error:
        raise _failed(error) from error


def give(result: dict[str, Any], lines: Iterable[str], *, as_json: bool) -> None:
    """Print a result: one JSON object, or lines for people."""
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=True))
        return
    for line in lines:
        typer.echo(shown(line))


def progress(line: str) -> None:
    """Say on standard error what is going on."""
    typer.echo(shown(line), err=True)


def shown(text: str) -> str:
    """`text` without what a terminal would obey or refuse; line ends and tabs stay."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if category(one) in ("Cc", "Cs") and one not in "\n\t" else one
        for one in text
    )


def _failed(error: Exception) -> typer.Exit:
    progress(sentence(error))
    return typer.Exit(1)


def _domain_errors() -> tuple[type[Exception], ...]:
    """All of them; loaded only once something is raised, for it is much."""
    from sandbox.api import DOMAIN_ERRORS

    return DOMAIN_ERRORS
