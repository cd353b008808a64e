"""`datasets dispute|disputes|patch`: doubt a file's labels, tell the doubts, correct a copy."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sandbox.account import ACCOUNT
from sandbox.commands.atomic import write_whole
from sandbox.commands.datasets import Files, contents, one_sentence, written
from sandbox.commands.options import DataDir, Json
from sandbox.commands.output import CommandError, give, sentences
from sandbox.commands.reading import must_have_record, read_record
from sandbox.commands.starting import begin
from sandbox.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from sandbox.authoring.disputes import Dispute
    from sandbox.record import Record

    Look = Callable[[Connection, str, str], list[Dispute]]

Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write to.")]


def dispute(
    files: Files,
    instance: Annotated[str, typer.Option("--instance", metavar="ID", help="Which instance.")],
    entry: Annotated[str, typer.Option("--entry", metavar="KEY", help="Which entry of its pool.")],
    label: Annotated[
        str,
        typer.Option(
            "--label", metavar="L", help="must, nice or irr; 'golden 2' or 'not golden' of a list."
        ),
    ],
    reason: Annotated[str, typer.Option("--reason", help="Why.")],
    author: Annotated[str, typer.Option("--author", metavar="NAME", help="Who says so.")] = "",
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Say that an entry should have another label; the files stay as they are."""
    with sentences():
        settings = begin(data_dir=data_dir)
        held = contents(files)
        from sandbox.commands.writing import open_sandbox

        with open_sandbox(settings) as sandbox:
            sha256 = sandbox.instances.add(ACCOUNT, held).sha256
            told = sandbox.workshop.disputes
            made = told.dispute(ACCOUNT, sha256, instance, entry, label, reason, author)
        give(_plain(made), [_line(made)], as_json=as_json)


def disputes(
    files: Files,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write them as a patch.")
    ] = None,
    withdraw: Annotated[
        str | None, typer.Option("--withdraw", metavar="ID", help="Take one back first.")
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """List what is disputed of files, oldest first, and write it as a patch."""
    with sentences(), one_sentence():
        settings = begin(data_dir=data_dir)
        from sandbox.authoring.disputes import disputed, patch_of
        from sandbox.formats import read_files

        collection = read_files(sorted(contents(files)))
        if withdraw is not None:
            _withdraw(settings, withdraw)
        sha256 = collection.sha256
        found = read_record(settings, lambda record: _read(record, sha256, disputed))
        if out is not None:
            _put(patch_of(collection, found), out)
        lines = [_line(one) for one in found] or ["Nothing of it is disputed."]
        lines += [f"{out} written"] if out is not None else []
        result = {"sha256": sha256, "disputes": [_plain(one) for one in found]}
        give(result | {"patch": str(out) if out else None}, lines, as_json=as_json)


def patch(
    patch_file: Annotated[Path, typer.Argument(metavar="PATCH", help="The patch.")],
    files: Files,
    out: Out,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Write a corrected copy of the files that the patch is for; nothing where it does not fit."""
    with sentences(), one_sentence():
        begin(data_dir=data_dir)
        [(_name, told)] = contents([patch_file])
        held = sorted(contents(files))
        from sandbox.authoring.patching import patched

        done = patched(told, held)
        paths = written(done.files, out)
        result = {"changes": done.changes, "files": [str(path) for path in paths]}
        labels = "1 label is another" if done.changes == 1 else f"{done.changes} labels are others"
        lines = [f"{path} written" for path in paths]
        give(result, [*lines, f"{labels} now"], as_json=as_json)


def _withdraw(settings: Settings, id_: str) -> None:
    from sandbox.commands.writing import open_sandbox

    must_have_record(settings)
    with open_sandbox(settings) as sandbox:
        sandbox.workshop.disputes.withdraw(ACCOUNT, id_)


def _read(record: "Record", sha256: str, look: "Look") -> list["Dispute"]:
    with record.read() as conn:
        return look(conn, ACCOUNT, sha256)


def _put(data: bytes, out: Path) -> None:
    if out.exists():
        raise CommandError(f"{out} is there already: choose another file with --out")
    write_whole(out, data)


def _plain(one: "Dispute") -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__dataclass_fields__}


def _line(one: "Dispute") -> str:
    return (
        f"{one.id}  {one.instance} {one.entry}: {one.was} -> {one.wanted}  "
        f"{one.reason} ({one.author})"
    )
