"""`replay`: a dialogue of a file, answered stop by stop under a gear."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sandbox.commands.options import DataDir, Gguf, Json, ModelsFile, Offline
from sandbox.commands.output import CommandError, give, sentences
from sandbox.commands.starting import begin


class GearName(StrEnum):
    """What the model is handed."""

    gold = "gold"
    distractors = "distractors"
    pipeline = "pipeline"


class NegativesName(StrEnum):
    """Which negatives stand beside the golden memory."""

    hardest = "hardest"
    easiest = "easiest"


class ForcingName(StrEnum):
    """Whose replies the later stops see."""

    teacher = "teacher"
    free = "free"


class PromptsName(StrEnum):
    """Whose prompts ask for the replies."""

    file = "file"
    benchmark = "benchmark"
    sandbox = "sandbox"


def replay(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="A file of test cases, or files that belong to it."),
    ],
    instance: Annotated[
        str | None,
        typer.Option(
            "--instance", metavar="ID", help="An instance or a dialogue.  [default: the first]"
        ),
    ] = None,
    episode: Annotated[
        str | None,
        typer.Option("--episode", metavar="ID", help="Go through this episode instead."),
    ] = None,
    method: Annotated[
        str,
        typer.Option("--method", metavar="M", help="How an episode's sessions are remembered."),
    ] = "typed",
    gear: Annotated[
        GearName, typer.Option("--gear", help="What the model is handed.")
    ] = GearName.pipeline,
    negatives: Annotated[
        NegativesName, typer.Option("--negatives", help="Negatives of the gear distractors.")
    ] = NegativesName.hardest,
    run: Annotated[
        str | None, typer.Option("--run", metavar="NAME", help="A released ranking to go by.")
    ] = None,
    k: Annotated[
        int,
        typer.Option(
            "-k", help="Sessions, or entries where there are no decoys, beside the evidence."
        ),
    ] = 4,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Of order and of what is drawn.  [default: the instance's]"),
    ] = None,
    strategy: Annotated[
        str, typer.Option("--strategy", metavar="S", help="What answers under the gear pipeline.")
    ] = "top_k",
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="A name from the models file.")
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="NAME",
            help="local or llm:MODEL; of an episode's answers words or llm:MODEL.",
        ),
    ] = None,
    forcing: Annotated[
        ForcingName, typer.Option("--forcing", help="Whose replies the later stops see.")
    ] = ForcingName.teacher,
    prompts: Annotated[
        PromptsName,
        typer.Option("--prompts", help="The file's own, its benchmark's, or the sandbox's."),
    ] = PromptsName.file,
    to: Annotated[
        int | None,
        typer.Option("--to", metavar="N", help="End at this stop.  [default: the last]"),
    ] = None,
    take_over: Annotated[
        bool, typer.Option("--take-over", help="Leave an ordinary session to go on in with chat.")
    ] = False,
    after: Annotated[
        int | None,
        typer.Option("--after", metavar="N", help="Take it over behind utterance N, from 1."),
    ] = None,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Show the file's replies and gold memories.")
    ] = False,
    models: ModelsFile = None,
    gguf: Gguf = None,
    offline: Offline = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Replay a dialogue: at each stop the model answers under the gear, and the judge judges.

    Without --data-dir nothing is kept: the replay runs in a folder that is deleted at the end.
    """
    with sentences(), _folder(data_dir) as folder:
        if after is not None and not take_over:
            raise CommandError("--after says where to take over: add --take-over")
        if take_over and data_dir is None:
            raise CommandError("--take-over needs a --data-dir, where the session is kept")
        settings = begin(data_dir=folder, models=models, gguf=gguf, offline=offline)
        from sandbox.commands.replay_episode import EpisodeRun
        from sandbox.commands.replay_run import ReplayRun
        from sandbox.commands.writing import open_sandbox, usable_models
        from sandbox.inputs import checked_method
        from sandbox.replay.episodes import How
        from sandbox.replay.gears import Options
        from sandbox.replay.grading import BY_WORDS
        from sandbox.replay.replayed import Replayed

        how = How(checked_method(method), strategy, model, judge or BY_WORDS)
        options = Options(negatives.value, run, k, seed, prompts.value)
        replayed = Replayed(gear.value, forcing.value, options)
        given = [(file.name, _content(file)) for file in files]
        with open_sandbox(settings, usable_models(settings)) as sandbox:
            going: ReplayRun | EpisodeRun
            if episode is not None:
                going = EpisodeRun(sandbox, how, reveal=reveal)
                going.go(given, episode)
            else:
                going = ReplayRun(sandbox, replayed, judge, reveal=reveal, to=to)
                going.open(given, instance, strategy, model)
                going.go()
                if take_over and not going.trouble:
                    going.take_over(after)
        give(going.result(), going.lines(), as_json=as_json)
        if going.trouble:
            raise CommandError(going.trouble)


@contextmanager
def _folder(data_dir: Path | None) -> Iterator[Path]:
    if data_dir is not None:
        yield data_dir
        return
    with tempfile.TemporaryDirectory(prefix="memory-sandbox-") as made:
        yield Path(made)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CommandError(f"{file} cannot be read ({reason}): correct FILE") from error
