"""`session`: a session with everything that made it, taken out of a data folder or put into one."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sandbox.account import ACCOUNT
from sandbox.commands.atomic import write_whole
from sandbox.commands.options import DataDir, Json
from sandbox.commands.output import CommandError, give, sentences
from sandbox.commands.reading import read_record
from sandbox.commands.starting import begin

if TYPE_CHECKING:
    from sandbox.record import Record

commands = typer.Typer(help="Take a session out as one file, or put one in.", no_args_is_help=True)


@commands.command()
def export(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The session's id.")],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Write here, in place of what is there.")
    ],
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Write a session bundle: talk, traces, verdicts and the bank that its replies saw."""
    with sentences():
        settings = begin(data_dir=data_dir)
        from sandbox.formats.bundle_export import exported

        def look(record: "Record") -> bytes:
            with record.read() as conn:
                return exported(conn, ACCOUNT, session)

        data = read_record(settings, look)
        write_whole(out, data)
        sha256 = hashlib.sha256(data).hexdigest()
        result = {"session": session, "file": str(out.absolute()), "sha256": sha256}
        give(result, [f"session {session} written to {out}"], as_json=as_json)


@commands.command(name="import")
def import_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A session bundle.")],
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Add a bundle's session with its bank, for a user of its own; what is there is left alone."""
    with sentences():
        data = _content(file)
        settings = begin(data_dir=data_dir)
        from sandbox.commands.writing import open_sandbox
        from sandbox.formats import FormatError
        from sandbox.formats.bundle_import import imported

        now = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            with open_sandbox(settings) as sandbox, sandbox.record.write("import") as conn:
                session = imported(conn, ACCOUNT, data, file.name, now)
        except FormatError as error:
            raise CommandError(str(error)) from error
        give({"session": session}, [f"imported as session {session}"], as_json=as_json)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CommandError(f"{file} cannot be read ({reason}): name a session bundle") from error
