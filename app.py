"""Start the page: `python app.py` is `memory-sandbox serve`, with the same options."""

import typer

from sandbox.commands.serve import serve


def main() -> None:
    """Serve until Ctrl-C; see --help."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(serve)
    app()


if __name__ == "__main__":
    main()
