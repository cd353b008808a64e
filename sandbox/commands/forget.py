"""`bank forget`: an entry, its turns, a session or a whole person, for good."""

from typing import TYPE_CHECKING, Annotated

import typer

from sandbox.account import ACCOUNT
from sandbox.commands.options import DataDir, Json, PersonaId, UserName
from sandbox.commands.output import CommandError, give, sentences
from sandbox.commands.reading import dyad_of, must_have_record
from sandbox.commands.starting import begin

if TYPE_CHECKING:
    from sandbox.assemble import Sandbox
    from sandbox.lifecycle.forgetting import Forgotten


def forget(
    persona: PersonaId,
    user: UserName,
    entry: Annotated[
        str | None,
        typer.Argument(metavar="[ENTRY]", help="Id of the entry, from bank show."),
    ] = None,
    turns: Annotated[
        bool, typer.Option("--turns", help="With what was said in the turns it comes from.")
    ] = False,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="A session and all it left.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="The person: every memory, session and branch.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it: it cannot be undone.")] = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Take words out of the data folder for good; an audit line stays without them."""
    with sentences():
        what = _what(entry, session, everything, turns)
        if not yes:
            raise CommandError(f"{what} would be forgotten for good: add --yes to do it")
        dyad_of(user, persona)
        settings = begin(data_dir=data_dir)
        must_have_record(settings)
        from sandbox.commands.writing import open_sandbox

        with open_sandbox(settings) as sandbox:
            done = _forgotten(sandbox, persona, user, entry, session, turns)
        result = {"forgotten": what, "counts": done.counts, "left": list(done.left)}
        counted = ", ".join(f"{count} {name}" for name, count in done.counts.items())
        give(result, [f"{what}: {counted}", *done.left], as_json=as_json)


def _what(entry: str | None, session: str | None, everything: bool, turns: bool) -> str:
    """What is to be forgotten, in words; exactly one thing must be named."""
    named = [entry is not None, session is not None, everything]
    if sum(named) != 1:
        raise CommandError("name one thing to forget: an ENTRY, --session ID, or --everything")
    if turns and entry is None:
        raise CommandError("--turns belongs to an ENTRY: a session goes with its turns anyway")
    if entry is not None:
        return f"entry {entry} with its turns" if turns else f"entry {entry}"
    return f"session {session}" if session is not None else "the person"


def _forgotten(
    sandbox: "Sandbox",
    persona: str,
    user: str,
    entry: str | None,
    session: str | None,
    turns: bool,
) -> "Forgotten":
    if entry is not None:
        dyad = sandbox.banks.dyad(ACCOUNT, user, persona)
        return sandbox.forgetting.entry(ACCOUNT, dyad, entry, with_turns=turns)
    if session is not None:
        return sandbox.forgetting.session(ACCOUNT, session)
    return sandbox.forgetting.user(ACCOUNT, user)
