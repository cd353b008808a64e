"""`bank diff`: two revisions of a bank, or main beside a branch. Reads without the lock."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from memory_banks.branching import Difference, differences
from memory_banks.entries import Dyad, State
from sandbox.commands.options import DataDir, Json, PersonaId, UserName
from sandbox.commands.output import CommandError, give, sentences
from sandbox.commands.reading import dyad_of, read_bank, read_record
from sandbox.commands.starting import begin
from sandbox.lifecycle.side_by_side import Count, counted, paired
from sandbox.record import Record
from sandbox.settings import Settings
from sandbox.shapes import Plain, entry_brief

if TYPE_CHECKING:
    from sandbox.lifecycle.branches import Branch

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
    first: Annotated[
        int | None,
        typer.Option("--from", metavar="N", help="The earlier revision.  [default: 0]"),
    ] = None,
    last: Annotated[
        int | None,
        typer.Option("--to", metavar="M", help="The later revision.  [default: the latest]"),
    ] = None,
    branch: Annotated[
        str | None,
        typer.Option("--branch", metavar="B", help="Compare main with this branch: id or name."),
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Print what changed from revision N to revision M, or what a branch holds otherwise."""
    with sentences():
        dyad, settings = dyad_of(user, persona), begin(data_dir=data_dir)
        if branch is not None:
            if first is not None or last is not None:
                raise CommandError("--branch compares today's banks: leave --from and --to out")
            _with_branch(settings, dyad, branch, as_json)
            return
        after = read_bank(settings, dyad, None)
        ends = first or 0, after.head if last is None else last
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
        title = f"{dyad.user} and {dyad.agent}, revision {ends[0]} to {ends[1]}"
        give(result, _shown(title, found), as_json=as_json)


def count_line(one: Count) -> Plain:
    """How many entries of one type and scope main and a branch hold."""
    return {"type": one.type, "scope": one.side, "main": one.before, "branch": one.after}


def counts_shown(counts: Iterable[Plain]) -> Iterator[str]:
    """A table of such counts, for people."""
    yield f"{'type':<16}{'scope':<7}{'main':>6}{'branch':>8}"
    for one in counts:
        yield f"{one['type']:<16}{one['scope']:<7}{one['main']:>6}{one['branch']:>8}"


def _with_branch(settings: Settings, dyad: Dyad, wanted: str, as_json: bool) -> None:
    """Print main beside a branch, both as they are now."""
    known = read_record(settings, lambda record: _branches(record, dyad))
    branch = _chosen(known, wanted)
    main = read_bank(settings, dyad, None)
    other = read_bank(settings, replace(dyad, user=branch.user), None)
    both = paired(differences(main.states, other.states))
    counts = counted(*([state.entry for state in bank.live] for bank in (main, other)))
    result: Plain = {
        "persona": dyad.agent,
        "user": dyad.user,
        "branch": branch.id,
        "name": branch.name,
        "revision": branch.revision,
        "head": main.head,
        "counts": [count_line(one) for one in counts],
        "alike": both.alike,
        "differences": [_line(one) for one in both.found],
    }
    title = f"{dyad.user} and {dyad.agent}, main beside branch {branch.name}"
    lines = _shown(title, both.found)
    told = f"{both.alike} more say the same on both sides"
    more = [told, *counts_shown(result["counts"])]
    give(result, [*lines, *more], as_json=as_json)


def _branches(record: Record, dyad: Dyad) -> "list[Branch]":
    from sandbox.lifecycle.branches import branches_of

    with record.read() as conn:
        return branches_of(conn, dyad.account, dyad.user)


def _chosen(known: "Sequence[Branch]", wanted: str) -> "Branch":
    """The branch of this id or name.

    Raises:
        CommandError: if there is none, or more than one of that name.
    """
    found = [one for one in known if wanted in (one.id, one.name)]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"{one.id} ({one.name})" for one in found or known) or "none"
    fault = "names more than one branch, give an id" if found else "is no branch of this person"
    raise CommandError(f"--branch {wanted!r} {fault}; there are: {listed}")


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


def _shown(title: str, found: list[Difference]) -> Iterator[str]:
    yield title
    for one in found:
        text = " ".join(one.entry.text.split())
        told = f"{one.entry.type}, {one.entry.scope.side}"
        yield f"  {MARKS[one.kind]} {one.kind:<11}  {text}  [{told}]"
    if not found:
        yield "no difference"
