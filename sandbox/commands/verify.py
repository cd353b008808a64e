"""`verify`: is everything in the data folder consistent?"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from sandbox.commands.options import DataDir, Json
from sandbox.commands.output import give, sentences
from sandbox.commands.reading import read_record
from sandbox.commands.starting import begin
from sandbox.folder import Layout

if TYPE_CHECKING:
    from sandbox.verify import Report


def verify(data_dir: DataDir = None, as_json: Json = False) -> None:
    """Check the whole data folder, changing nothing; exit 1 where something is wrong."""
    with sentences():
        settings = begin(data_dir=data_dir)
        from sandbox.verify import verify as verified

        layout = Layout(settings.data_dir)
        report = read_record(settings, lambda record: verified(layout, record))
        result = {
            "consistent": report.consistent,
            "problems": list(report.problems),
            "counts": report.counts,
            "index": report.index,
        }
        give(result, _lines(report), as_json=as_json)
        if not report.consistent:
            raise typer.Exit(1)


def _lines(report: "Report") -> Iterator[str]:
    if report.counts:
        yield ", ".join(f"{count} {name}" for name, count in report.counts.items())
    yield report.index
    yield from report.problems
    yield "consistent" if report.consistent else f"{len(report.problems)} problems"
