"""The options that commands share."""

from pathlib import Path
from typing import Annotated

import typer

DataDir = Annotated[
    Path | None, typer.Option("--data-dir", metavar="DIR", help="The data folder.  [default: data]")
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object; progress goes to standard error.")
]
PersonaId = Annotated[str, typer.Option("--persona", metavar="P", help="The character's id.")]
UserName = Annotated[str, typer.Option("--user", metavar="U", help="Whose bank it is.")]
AsOf = Annotated[
    int | None,
    typer.Option("--as-of", metavar="N", help="The bank at this revision.  [default: the latest]"),
]
ModelsFile = Annotated[
    Path | None,
    typer.Option("--models", metavar="FILE", help="The file that names the endpoints."),
]
Gguf = Annotated[
    Path | None,
    typer.Option("--gguf", metavar="FILE", help="A model file to run instead of the embedded one."),
]
Offline = Annotated[
    bool | None, typer.Option("--offline", help="Never fetch the embedded model's file.")
]
