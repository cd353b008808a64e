"""The command line: `memory-sandbox`. What a command needs is imported when it runs."""

import typer

from sandbox.commands.bank import commands as bank
from sandbox.commands.bank_diff import diff
from sandbox.commands.chat import chat
from sandbox.commands.datasets import commands as datasets
from sandbox.commands.datasets_disputes import dispute, disputes, patch
from sandbox.commands.forget import forget
from sandbox.commands.judging import agreement, judge
from sandbox.commands.reingest import reingest
from sandbox.commands.replay import replay
from sandbox.commands.serve import serve
from sandbox.commands.session import commands as session
from sandbox.commands.verify import verify

app = typer.Typer(
    help="Talk to characters that remember, and look at what they remember.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(serve)
app.command()(chat)
app.command()(judge)
app.command()(agreement)
app.command()(replay)
app.command()(verify)
bank.command()(diff)
bank.command()(forget)
bank.command()(reingest)
datasets.command()(dispute)
datasets.command()(disputes)
datasets.command()(patch)
app.add_typer(bank, name="bank")
app.add_typer(datasets, name="datasets")
app.add_typer(session, name="session")


def main() -> None:
    """Run the command that the command line names."""
    app(prog_name="memory-sandbox")
