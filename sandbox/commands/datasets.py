"""`datasets`: look at files of test cases, fetch released ones, write them in another format."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sandbox.commands.atomic import write_whole
from sandbox.commands.options import DataDir, Json
from sandbox.commands.output import CommandError, give, progress, sentences
from sandbox.commands.starting import begin
from sandbox.settings import Settings

if TYPE_CHECKING:
    from sandbox.datasets import Dataset

commands = typer.Typer(
    help="Look at files of test cases, fetch released ones, export.", no_args_is_help=True
)
Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE...", help="A file, or several that belong together, or a zip."),
]
To = Annotated[
    Path | None,
    typer.Option("--to", metavar="DIR", help="Where they are kept.  [default: the cache folder]"),
]
Base = Annotated[str | None, typer.Option("--base", hidden=True)]
_SHOWN = 3
"""Places of a kind of quirk that are shown to people; all of them are in the JSON."""


@commands.command(name="list")
def list_known(to: To = None, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Print what can be fetched: licence, source, where it is kept, and whether it is there."""
    with sentences():
        folder = _folder(begin(data_dir=data_dir), to)
        from sandbox.datasets import DATASETS

        found = [_known(one, folder) for one in DATASETS]
        give(
            {"datasets": found},
            (line for one in found for line in _known_lines(one)),
            as_json=as_json,
        )


@commands.command()
def check(files: Files, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Read files as the page would: format, counts, oddities; exit 1 where something is refused."""
    with sentences(), one_sentence():
        begin(data_dir=data_dir)
        from sandbox.commands import datasets_lines as shown
        from sandbox.formats import format_of, read_files

        held = contents(files)
        found = read_files(held)
        result = shown.checked_plain(found, format_of(held).name)
        give(result, shown.checked_lines(result, _SHOWN), as_json=as_json)
        if found.refused:
            raise typer.Exit(1)


@commands.command()
def get(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="What to fetch; all by default.")
    ] = None,
    to: To = None,
    offline: Annotated[bool | None, typer.Option("--offline", help="Fetch nothing.")] = None,
    base: Base = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Fetch released files from where their authors put them; licence and source are told first."""
    with sentences(), one_sentence():
        settings = begin(data_dir=data_dir, offline=offline)
        from sandbox.datasets import BASE, named
        from sandbox.fetching import fetch, is_there

        wanted, folder = named(names or ()), _folder(settings, to)
        fetched: dict[str, list[str]] = {}
        for one in wanted:
            progress(f"{one.name}: licence {one.licence}; source {one.source}")
            place = folder / one.name
            missing = [file.name for file in one.files if not is_there(place / file.name, file)]
            if missing and settings.offline:
                raise CommandError(
                    f"{place / missing[0]} is not there and --offline forbids fetching it: run "
                    "this once without --offline"
                )
            paths = fetch(one, folder, base or BASE, progress)
            fetched[one.name] = [str(path) for path in paths]
        lines = (f"{name}: {path}" for name, paths in fetched.items() for path in paths)
        give({"fetched": fetched}, lines, as_json=as_json)


@commands.command()
def export(
    files: Files,
    kind: Annotated[str, typer.Option("--format", metavar="NAME", help="The format to write.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write to.")],
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Cap pools at two nice entries, drawn by N."),
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Write test cases in another format; tell what it cannot say and what licence they have."""
    with sentences(), one_sentence():
        begin(data_dir=data_dir)
        from sandbox.authoring.exporting import WRITERS, exported
        from sandbox.formats import read_files

        if kind not in WRITERS:
            raise CommandError(f"--format must be one of {', '.join(WRITERS)}, got {kind[:40]!r}")
        made = exported(read_files(contents(files)), kind, seed=seed)
        about = made.about.encode("utf-8")
        *paths, told = written(made.files | {made.about_name: about}, out)
        result = {"format": kind, "files": [str(path) for path in paths], "lost": list(made.lost)}
        lines = [f"{path} written" for path in (*paths, told)]
        lines += [f"lost: {line}" for line in made.lost]
        result |= {"about": str(told), "licences": made.licences}
        give(result, [*lines, *filter(None, [made.licences])], as_json=as_json)


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turn what is wrong with a file or a dataset into the command's sentence."""
    from sandbox.datasets import DatasetError
    from sandbox.formats import FormatError

    try:
        yield
    except (DatasetError, FormatError) as error:
        raise CommandError(str(error)) from error


def _folder(settings: Settings, to: Path | None) -> Path:
    return settings.models_dir / "datasets" if to is None else to.expanduser().absolute()


def _known(one: "Dataset", folder: Path) -> dict[str, Any]:
    from sandbox.fetching import is_there

    place = folder / one.name
    present = [is_there(place / file.name, file) for file in one.files]
    return {
        "name": one.name,
        "about": one.about,
        "licence": one.licence,
        "source": one.source,
        "kept": str(place),
        "present": all(present),
        "files": [
            {"name": file.name, "bytes": file.size, "sha256": file.sha256, "present": there}
            for file, there in zip(one.files, present, strict=True)
        ],
    }


def _known_lines(one: dict[str, Any]) -> Iterator[str]:
    there = sum(file["present"] for file in one["files"])
    state = "present" if one["present"] else f"{there} of {len(one['files'])} files present"
    yield f"{one['name']}: {one['about']}"
    yield f"  licence: {one['licence']}"
    yield f"  source: {one['source']}"
    yield f"  kept in {one['kept']}: {state}"


def contents(files: list[Path]) -> list[tuple[str, bytes]]:
    """Names and bytes of files.

    Raises:
        CommandError: if one cannot be read.
    """
    return [(path.name, _content(path)) for path in files]


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CommandError(f"{file} cannot be read ({reason}): name a file") from error


def written(made: Mapping[str, bytes], out: Path) -> list[Path]:
    """Write the files, each whole; none where a name is taken.

    Raises:
        CommandError: if one is there already, or the folder cannot be made.
    """
    paths = [out / Path(name).name for name in made]
    taken = next((path for path in paths if path.exists()), None)
    if taken is not None:
        raise CommandError(f"{taken} is there already: choose another folder with --out")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CommandError(f"{out} cannot be made ({reason}): choose another with --out") from error
    for path, data in zip(paths, made.values(), strict=True):
        write_whole(path, data)
    return paths
