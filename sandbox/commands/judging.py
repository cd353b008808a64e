"""`judge` and `agreement`: files of replies, judged; judges, held against a gold file."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sandbox.commands.atomic import write_whole
from sandbox.commands.options import DataDir, Gguf, Json, ModelsFile, Offline
from sandbox.commands.output import CommandError, give, progress, sentences
from sandbox.commands.starting import begin
from sandbox.settings import Settings

if TYPE_CHECKING:
    from graphs.chat_model import ChatModel
    from sandbox.collected import Collection
    from sandbox.evaluation.judged_files import JudgedFile
    from sandbox.judges.registry import Sources

JudgeName = Annotated[
    str, typer.Option("--judge", metavar="NAME", help="file, local or llm:MODEL.")
]
InstancesFile = Annotated[
    Path | None,
    typer.Option(
        "--instances",
        metavar="FILE",
        help="What the replies answer; a collection that brings its own replies needs none.",
    ),
]


def judge(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A collection, a gold file or a verdict file."),
    ],
    judge: JudgeName,
    instances: InstancesFile = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the verdicts here, as JSON lines."),
    ] = None,
    aspects: Annotated[
        bool, typer.Option("--aspects", help="Judge MADial-Bench's five aspects as well.")
    ] = False,
    models: ModelsFile = None,
    gguf: Gguf = None,
    offline: Offline = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Judge every reply of a file: figures reply by reply, and totals with 95% intervals."""
    with sentences(), _one_sentence():
        settings = begin(data_dir=data_dir, models=models, gguf=gguf, offline=offline)
        from sandbox.commands import judged_lines
        from sandbox.evaluation import judging
        from sandbox.evaluation.verdict_file import write_verdicts
        from sandbox.judges.registry import named
        from sandbox.judges.verdict import ASPECTS

        judged = _read(file, instances)
        with _sources(settings, judged, ASPECTS if aspects else ()) as sources:
            found = judging.judge_file(judged, named(judge, sources), _told())
        if out is not None:
            write_whole(out, write_verdicts(row.given for row in found.rows))
            progress(f"{len(found.rows)} verdicts written to {out}")
        result = judged_lines.judging_plain(found, judge, out)
        give(result, judged_lines.judging_lines(found), as_json=as_json)
        _end(found.troubles)


def agreement(
    gold: Annotated[
        Path,
        typer.Argument(metavar="GOLD", help="A gold file, a verdict file or a collection."),
    ],
    judge: JudgeName,
    instances: InstancesFile = None,
    models: ModelsFile = None,
    gguf: Gguf = None,
    offline: Offline = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Measure how far a judge agrees with a gold file, with 95% intervals by reply."""
    with sentences(), _one_sentence():
        settings = begin(data_dir=data_dir, models=models, gguf=gguf, offline=offline)
        from sandbox.commands import judged_lines
        from sandbox.evaluation import judging
        from sandbox.judges.registry import named

        judged = _read(gold, instances)
        with _sources(settings, judged, judging.gold_aspects(judged)) as sources:
            found = judging.compare(judged, named(judge, sources), _told())
        result = judged_lines.compared_plain(found)
        give(result, judged_lines.compared_lines(found), as_json=as_json)
        _end(found.troubles)


@contextmanager
def _one_sentence() -> Iterator[None]:
    """Turn what is wrong with a file or a judge into the command's sentence."""
    from sandbox.formats import FormatError
    from sandbox.judges.verdict import JudgeError

    try:
        yield
    except (FormatError, JudgeError) as error:
        raise CommandError(str(error)) from error


def _read(file: Path, instances: Path | None) -> "JudgedFile":
    from sandbox.evaluation.judged_files import read_judged

    data = _content(file, "FILE")
    return read_judged(data, file.name, _instances(instances))


def _instances(file: Path | None) -> "Collection | None":
    from sandbox.formats import read_collection

    return None if file is None else read_collection(_content(file, "--instances"), file.name)


def _content(file: Path, what: str) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CommandError(f"{file} cannot be read ({reason}): correct {what}") from error


@contextmanager
def _sources(
    settings: Settings, judged: "JudgedFile", aspects: tuple[str, ...]
) -> Iterator["Sources"]:
    """What judges are made from; a model that was loaded for one is stopped with the block."""
    from sandbox.judges.registry import Sources, load_local
    from sandbox.judges.verdict import ASPECTS, JudgeError
    from sandbox.models import ModelNotReady, Models, UnknownModel

    models = Models.from_settings(settings, os.environ)

    def get_model(name: str) -> "ChatModel":
        try:
            return models.get(name)
        except (ModelNotReady, UnknownModel) as error:
            raise JudgeError(str(error)) from error

    try:
        wanted = tuple(name for name in ASPECTS if name in aspects)
        yield Sources(judged.given, get_model, load_local, wanted)
    finally:
        models.close()


def _end(troubles: Sequence[str]) -> None:
    """Exit 1 where replies could not be judged, with the first reason."""
    if troubles:
        progress(f"unscored, because they could not be judged: {len(troubles)}; {troubles[0]}")
        raise typer.Exit(1)


def _told() -> Callable[[int, int], None]:
    """Says how far the judging is, at every tenth."""
    tenth = 0

    def told(done: int, total: int) -> None:
        nonlocal tenth
        if 10 * done // total != tenth:
            tenth = 10 * done // total
            progress(f"{done} of {total} replies")

    return told
