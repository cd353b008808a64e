"""A session with everything that made it, as one file: the project's lossless session bundle.

    {"format": "strategic-memory-session", "version": 1, "marker": "@0@", "user": {"name": "Noor",
     "profile": ""}, "branch": null, "collection": null, "session": {"agent": "skerry"},
     "turns": [{"number": 1, "text": "...", "replies": [{"ordinal": 1, "recalled": "...",
     "verdicts": [], "corrections": []}]}], "entries": [{"name": "@0@e1@", "key": "..."}],
     "operations": [{"number": 1, "kind": "add", "entry": "@0@e1@"}], "captures": []}

Rows stand as the record has them; ids are named by what they are (`marker`, a letter, a number), so
that the same session makes the same file wherever it lies. Operations are all of the user's up to
the last revision that a reply saw or that ending the session made: also those of other characters,
for they count in the same order. Left out are experiments, vectors, what the session continued, and
every key. `bundle_export` writes it, `bundle_import` puts it into a record; here it is read as test
data, an episode of one session.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from personas.persona import Persona
from sandbox.collected import Collection
from sandbox.episodes import Episode, EpisodeSession, EpisodeTurn
from sandbox.formats.reading import FormatError, invalid, parse
from sandbox.instances import Human

FORMAT = "strategic-memory-session"
DESCRIBED = f"an object whose format is {FORMAT!r}"
SOURCE = "Strategic Memory Sandbox session"

Row = dict[str, Any]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class UserForm(_Form):
    """Whose memory it is."""

    name: str
    profile: str


class BranchForm(_Form):
    """The branch that the session was held in."""

    revision: int
    """The revision of its origin that it began at."""


class FileForm(_Form):
    """The collection that the session was opened from, its bytes as base64."""

    name: str
    sha256: str
    data: str


class ReplyForm(_Form):
    """A reply's row, with what judges and people said of it."""

    row: Row
    verdicts: list[Row]
    corrections: list[Row]


class TurnForm(_Form):
    """A turn's row and every reply to it."""

    row: Row
    replies: list[ReplyForm]


class CaptureForm(_Form):
    """What ending the session captured, proposed and decided."""

    row: Row
    captured: list[Row]
    proposals: list[Row]
    decisions: list[Row]


class Bundle(_Form):
    """A file."""

    format: Literal["strategic-memory-session"]
    version: Literal[1]
    marker: str
    user: UserForm
    branch: BranchForm | None
    collection: FileForm | None
    session: Row
    turns: list[TurnForm]
    entries: list[Row]
    operations: list[Row]
    captures: list[CaptureForm]


def recognises(value: Any) -> bool:
    """Whether this JSON value is a bundle, sound or not."""
    return isinstance(value, dict) and value.get("format") == FORMAT


def bundle_of(value: Any, file: str) -> Bundle:
    """The bundle that a JSON value is.

    Raises:
        FormatError: if it has not the shape shown above.
    """
    try:
        return Bundle.model_validate(value)
    except ValidationError as error:
        raise invalid(error, file) from error


def read(value: Mapping[str, Any], file: str, sha256: str) -> Collection:
    """The session as an episode without gold: the chosen replies, and what was said before it.

    Raises:
        FormatError: if it has not the shape shown above.
    """
    found = bundle_of(value, file)
    try:
        persona = Persona.model_validate_json(found.session["persona"])
        human = Human(str(found.session["speaker"]), found.user.profile)
        prelude = parse(found.session["prelude"], f"{file}, field 'session.prelude'")
        before = [
            EpisodeTurn(f"before:{number}", said["role"], said["speaker"], said["text"])
            for number, said in enumerate(prelude, 1)
        ]
        turns = [one for turn in found.turns for one in _said(turn, persona, human)]
        session = EpisodeSession("session", found.session["clock"], (*before, *turns))
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{file}, field 'session': is no session that was saved") from error
    episode = Episode(
        id="session",
        source=SOURCE,
        title=f"{persona.name} and {human.name}",
        language=persona.language,
        licence="",
        persona=persona,
        human=human,
        sessions=(session,),
        questions=(),
    )
    return Collection(file, sha256, (), episodes=(episode,))


def _said(turn: TurnForm, persona: Persona, human: Human) -> list[EpisodeTurn]:
    if turn.row["status"] == "withdrawn":
        return []
    number = turn.row["number"]
    said = EpisodeTurn(f"{number}", "user", human.name, turn.row["text"], turn.row["at"])
    chosen = [one.row for one in turn.replies if one.row["id"] == turn.row["chosen"]]
    replies = [
        EpisodeTurn(f"{number}.{row['ordinal']}", "assistant", persona.name, row["text"])
        for row in chosen
    ]
    return [said, *replies]
