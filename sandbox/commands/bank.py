"""`bank show|operations|export|check` read without the lock; `import|rebuild` write with it."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from memory_banks.files import export_lines, read_bank_file
from sandbox.account import ACCOUNT
from sandbox.commands.atomic import write_whole
from sandbox.commands.options import AsOf, DataDir, Json, PersonaId, UserName
from sandbox.commands.output import CommandError, give, progress, sentences
from sandbox.commands.reading import BankRead, dyad_of, must_have_record, read_bank
from sandbox.commands.starting import begin
from sandbox.shapes import Plain, entry_line, operation_line

commands = typer.Typer(
    help="Look into a bank, take it away, bring one in.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
GROUPS = ("user-side", "URAM", "episodic")


@commands.command()
def show(
    persona: PersonaId,
    user: UserName,
    as_of: AsOf = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Print the live entries."""
    with sentences():
        bank = _read(persona, user, as_of, data_dir)
        entries = [entry_line(state) for state in bank.live]
        give(_head(bank) | {"entries": entries}, _shown(bank), as_json=as_json)


@commands.command()
def operations(
    persona: PersonaId,
    user: UserName,
    as_of: AsOf = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Print the ledger's lines, oldest first."""
    with sentences():
        bank = _read(persona, user, as_of, data_dir)
        lines = [operation_line(operation, bank.entries) for operation in bank.operations]
        give(_head(bank) | {"operations": lines}, map(_operation, lines), as_json=as_json)


@commands.command()
def export(
    persona: PersonaId,
    user: UserName,
    as_of: AsOf = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write here, in place of what is there."),
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Write the bank as a bank file, history included; to standard output without --out."""
    with sentences():
        bank = _read(persona, user, as_of, data_dir)
        data = export_lines(bank.states)
        result = _head(bank) | {
            "lines": len(bank.states),
            "sha256": hashlib.sha256(data).hexdigest(),
            "file": None if out is None else str(out.absolute()),
            "content": data.decode("utf-8") if out is None else None,
        }
        if out is not None:
            write_whole(out, data)
            give(result, [f"{len(bank.states)} entries written to {out}"], as_json=as_json)
        elif as_json:
            give(result, [], as_json=True)
        else:
            typer.echo(data, nl=False)


@commands.command(name="import")
def import_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A bank file (JSON lines).")],
    persona: PersonaId,
    user: UserName,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Add a bank file's entries; what the ledger knows already is left alone."""
    with sentences():
        data = _content(file)
        read_bank_file(data, file.name)
        dyad_of(user, persona)
        settings = begin(data_dir=data_dir)
        from sandbox.commands.writing import open_sandbox

        with open_sandbox(settings) as sandbox:
            done = sandbox.banks.import_file(ACCOUNT, user, persona, data, file.name)
            head = sandbox.banks.view(ACCOUNT, user, persona).head
        result = {
            "persona": persona,
            "user": user,
            "new": done.new,
            "known": done.known,
            "operations": len(done.operations),
            "revision": head,
        }
        lines = [f"{done.new} entries added, {done.known} known already; revision {head}"]
        give(result, lines, as_json=as_json)


@commands.command()
def check(
    persona: PersonaId,
    user: UserName,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Compare ledger, vectors and index, exit 1 where they disagree; remarks are no problem."""
    with sentences():
        dyad, settings = dyad_of(user, persona), begin(data_dir=data_dir)
        from sandbox.commands.checks import check_bank

        result = check_bank(settings, dyad)
        give(result, _checked(result), as_json=as_json)
        if result["problems"]:
            raise typer.Exit(1)


@commands.command()
def rebuild(
    persona: PersonaId,
    user: UserName,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Make the vector index anew from the ledger; it is one for all banks of the folder."""
    with sentences():
        dyad_of(user, persona)
        settings = begin(data_dir=data_dir)
        must_have_record(settings)
        from sandbox.commands.writing import open_sandbox

        with open_sandbox(settings) as sandbox:
            progress("loading the embedder")
            sandbox.index.use(sandbox.embedder.get())
            state = sandbox.index.rebuild(_Told())
        if state.kind != "ready":
            raise CommandError(state.sentence)
        give({"state": state.kind, "sentence": state.sentence}, [state.sentence], as_json=as_json)


class _Told:
    """Says how far the rebuilding is, at every tenth."""

    def __init__(self) -> None:
        self._tenth = -1

    def __call__(self, done: int, total: int) -> None:
        tenth = 10 * done // total if total else 0
        if tenth != self._tenth:
            self._tenth = tenth
            progress(f"{done} of {total} entries")


def _read(persona: str, user: str, as_of: int | None, data_dir: Path | None) -> BankRead:
    bank = read_bank(begin(data_dir=data_dir), dyad_of(user, persona), as_of)
    if not bank.user_known:
        progress(f"nobody called {user!r} is in this folder yet: the bank is empty")
    return bank


def _head(bank: BankRead) -> Plain:
    return {
        "persona": bank.dyad.agent,
        "user": bank.dyad.user,
        "revision": bank.revision,
        "head": bank.head,
    }


def _shown(bank: BankRead) -> Iterator[str]:
    yield f"{bank.dyad.user} and {bank.dyad.agent}, revision {bank.revision} of {bank.head}"
    for group in GROUPS:
        entries = [state.entry for state in bank.live if state.entry.group == group]
        yield f"\n{group} ({len(entries)})"
        for entry in entries:
            told = [entry.type, entry.scope.side, entry.anchor, entry.emotion, entry.scene]
            text = " ".join(entry.text.split())
            yield f"  {text}  [{', '.join(part for part in told if part)}]"


def _operation(line: Plain) -> str:
    text = " ".join(line["text"].split())
    reason = f"  ({line['reason']})" if line["reason"] else ""
    told = f"{line['number']:>5}  {line['at']}  {line['kind']:<6}  {line['side']:<4}"
    return f"{told}  {text}{reason}"


def _checked(result: dict[str, Any]) -> Iterator[str]:
    yield f"{result['entries']} entries, revision {result['revision']}; {result['index']}"
    yield from result["problems"] or ["no problem found"]
    for one in result["remarks"]:
        yield f"remark, {one['kind']}: {one['why']}  [{', '.join(one['entries'])}]"


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CommandError(f"{file} cannot be read ({reason}): name a bank file") from error
