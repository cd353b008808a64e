"""`chat`: a talk in the terminal."""

import logging
from typing import Annotated

import typer

from sandbox.commands.options import (
    DataDir,
    Gguf,
    Json,
    ModelsFile,
    Offline,
    PersonaId,
    UserName,
)
from sandbox.commands.output import give, sentences
from sandbox.commands.starting import begin


def chat(
    persona: PersonaId,
    user: UserName,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="Go on in this open session.")
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option("--strategy", metavar="S", help="What answers.  [default: top_k]"),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="A name from the models file.")
    ] = None,
    now: Annotated[
        str | None,
        typer.Option("--now", metavar="T", help="The talk's date and time, ISO with offset."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="M",
            help="How it is remembered: typed, agent_only or raw_turns.  [default: typed]",
        ),
    ] = None,
    models: ModelsFile = None,
    gguf: Gguf = None,
    offline: Offline = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Talk to a character; lines from a pipe are taken one message each.

    /end ends the session and goes through what is proposed to be remembered. Ctrl-C stops a
    reply and keeps what there is. Ctrl-D leaves the session open.
    """
    with sentences():
        # Troubles are shown where they happen; a warning would only repeat them.
        settings = begin(
            logging.ERROR, data_dir=data_dir, models=models, gguf=gguf, offline=offline
        )
        from sandbox.arguments import Where, taken
        from sandbox.commands.talk import Talk, Terminal
        from sandbox.commands.writing import open_sandbox, usable_models

        given = {"user": user, "persona": persona, "session_id": session}
        how = {"strategy": strategy, "model": model, "now": now, "method": method}
        where = taken(Where, given | how)
        with open_sandbox(settings, usable_models(settings)) as sandbox:
            talk = Talk(sandbox, where, Terminal(quiet=as_json))
            talk.run()
        give(talk.result(), [], as_json=as_json)
        if talk.trouble:
            raise typer.Exit(1)
