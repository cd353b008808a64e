"""`bank diff`: what changed from one revision of a bank to another. Reads without the lock."""

from collections.abc import Iterator
from typing import Annotated

import typer

from memory_banks.branching import Difference, differences
from memory_banks.entries import State
from sandbox.commands.options import DataDir, Json, PersonaId, UserName
from sandbox.commands.output import CommandError, give, sentences
from sandbox.commands.reading import BankRead, dyad_of, read_bank
from sandbox.commands.starting import begin
from sandbox.shapes import Plain, entry_brief

MARKS = {
    "only before": "-",
    "only after": "+",
    "superseded": "~",
    "deleted": "-",
    "restored": "+",
}


def diff(
    persona: PersonaId,
    user: UserName,
    first: Annotated[int, typer.Option("--from", metavar="N", help="The earlier revision.")] = 0,
    last: Annotated[
        int | None,
        typer.Option("--to", metavar="M", help="The later revision.  [default: the latest]"),
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Print what changed from revision N to revision M."""
    with sentences():
        dyad, settings = dyad_of(user, persona), begin(data_dir=data_dir)
        after = read_bank(settings, dyad, None)
        ends = first, after.head if last is None else last
        for name, at in zip(("--from", "--to"), ends, strict=True):
            if not 0 <= at <= after.head:
                raise CommandError(f"{name} must be 0 to {after.head}, got {at}")
        banks = [read_bank(settings, dyad, at) for at in ends]
        found = differences(banks[0].states, banks[1].states)
        result = {
            "persona": dyad.agent,
            "user": dyad.user,
            "from": ends[0],
            "to": ends[1],
            "head": after.head,
            "differences": [_line(one) for one in found],
        }
        give(result, _shown(found, banks), as_json=as_json)


def _line(one: Difference) -> Plain:
    return entry_brief(one.entry) | {
        "kind": one.kind,
        "before": _place(one.before),
        "after": _place(one.after),
    }


def _place(state: State | None) -> Plain | None:
    """Where an entry is in a bank's history; null where the bank never held it."""
    if state is None:
        return None
    return {
        "live": state.live,
        "added": state.added,
        "deleted": state.deleted,
        "replaced_by": state.replaced_by,
        "reason": state.reason,
    }


def _shown(found: list[Difference], banks: list[BankRead]) -> Iterator[str]:
    before, after = banks
    dyad = after.dyad
    yield f"{dyad.user} and {dyad.agent}, revision {before.revision} to {after.revision}"
    for one in found:
        text = " ".join(one.entry.text.split())
        told = f"{one.entry.type}, {one.entry.scope.side}"
        yield f"  {MARKS[one.kind]} {one.kind:<11}  {text}  [{told}]"
    if not found:
        yield "no difference"
