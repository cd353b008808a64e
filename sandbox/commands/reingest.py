"""`bank reingest`: sessions read again by another method, into a branch of their own."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from sandbox.account import ACCOUNT
from sandbox.commands.bank_diff import count_line, counts_shown
from sandbox.commands.options import (
    DataDir,
    Gguf,
    Json,
    ModelsFile,
    Offline,
    PersonaId,
    UserName,
)
from sandbox.commands.output import CommandError, give, progress, sentences
from sandbox.commands.reading import dyad_of, must_have_record
from sandbox.commands.starting import begin
from sandbox.lifecycle.side_by_side import counted
from sandbox.shapes import Plain

if TYPE_CHECKING:
    from sandbox.assemble import Sandbox
    from sandbox.lifecycle.reingesting import Begun, Reingested


def reingest(
    persona: PersonaId,
    user: UserName,
    method: Annotated[
        str,
        typer.Option("--method", metavar="M", help="typed, agent_only or raw_turns."),
    ],
    session: Annotated[
        list[str] | None,
        typer.Option(
            "--session", metavar="ID", help="An ended session, once each.  [default: all of them]"
        ),
    ] = None,
    from_revision: Annotated[
        int,
        typer.Option("--from-revision", metavar="N", help="Where the branch begins; 0: empty."),
    ] = 0,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The branch's name.")] = "",
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="MODEL", help="Reads in place of the sessions' own."),
    ] = None,
    models: ModelsFile = None,
    gguf: Gguf = None,
    offline: Offline = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Remember ended sessions by another method, in a branch; they and their bank stay."""
    with sentences():
        dyad = dyad_of(user, persona)
        settings = begin(data_dir=data_dir, models=models, gguf=gguf, offline=offline)
        must_have_record(settings)
        from sandbox.commands.writing import open_sandbox, usable_models
        from sandbox.lifecycle.reingesting import HalfReingested, Watching

        asks = method != "raw_turns"
        with open_sandbox(settings, usable_models(settings) if asks else None) as sandbox:
            if model is not None:
                sandbox.models.get(model)
            begun = sandbox.reingesting.begin(
                ACCOUNT,
                dyad,
                session or ended_sessions(sandbox, user, persona),
                method,
                revision=from_revision,
                name=name,
                model=model,
            )
            if asks:
                sandbox.start()
            trouble = None
            try:
                done = sandbox.reingesting.read(begun, Watching(_told))
            except HalfReingested as error:
                done, trouble = error.done, str(error)
            result = reingested_fields(sandbox, begun, done) | {"trouble": trouble}
        give(result, _shown(result), as_json=as_json)
        if trouble is not None:
            raise CommandError(trouble)


def ended_sessions(sandbox: "Sandbox", user: str, persona: str) -> list[str]:
    """Ids of the ended sessions of these two.

    Raises:
        CommandError: if there is none.
    """
    listed = sandbox.sessions.list(ACCOUNT, user, persona)
    ended = [one.session.id for one in listed if one.session.ended_at]
    if not ended:
        raise CommandError(f"{user!r} has no ended session with {persona}: end one first")
    return ended


def reingested_fields(sandbox: "Sandbox", begun: "Begun", done: "Reingested") -> Plain:
    """What became of the sessions, as plain values; `counts` beside what the branch was made of."""
    branch, agent = done.branch, sandbox.sessions.find(ACCOUNT, begun.sessions[0]).agent
    banks = [sandbox.banks.view(ACCOUNT, one, agent).live for one in (branch.origin, branch.user)]
    return {
        "branch": branch.id,
        "name": branch.name,
        "method": begun.method,
        "revision": branch.revision,
        "goes_on": begun.goes_on,
        "sessions": [
            {
                "session_id": one.capture.session,
                "copy_of": source,
                "status": one.capture.status,
                "captured": one.captured,
                "refused": sum(1 for found in one.findings if found.refused),
                "operations": len(one.operations),
                "waiting": len(one.undecided),
                "notes": list(one.capture.notes),
            }
            for source, one in zip(begun.sessions, done.sessions, strict=False)
        ],
        "waiting": done.waiting,
        "counts": [count_line(one) for one in counted(*banks)],
    }


def _told(number: int, count: int) -> None:
    progress(f"session {number} of {count}")


def _shown(result: Plain) -> Iterator[str]:
    read = len(result["sessions"])
    yield f"{read} sessions read by {result['method']} into branch {result['branch']}"
    yield f"“{result['name']}”, {result['waiting']} proposals wait there"
    if result["goes_on"]:
        yield "it went on where an earlier reading of the same kind had ended"
    yield from counts_shown(result["counts"])
