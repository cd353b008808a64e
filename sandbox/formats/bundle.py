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

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from memory_banks.entries import TurnRole
from personas.persona import Persona
from sandbox.collected import Collection
from sandbox.episodes import Episode, EpisodeSession, EpisodeTurn
from sandbox.formats.demo_form import Moment
from sandbox.formats.episode_checks import check_episode
from sandbox.formats.places import Step
from sandbox.formats.reading import FormatError, Unfit, invalid, parse, shown
from sandbox.instances import Human

FORMAT = "strategic-memory-session"
DESCRIBED = f"an object whose format is {FORMAT!r}"
SOURCE = "Strategic Memory Sandbox session"

Row = dict[str, Any]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class _Row(BaseModel):
    """The columns of a row that a reader of test data needs."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


_R = TypeVar("_R", bound=_Row)
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(max_length=1_000_000)]


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
        raise invalid(error, file, above=()) from error


class _SessionRow(_Row):
    persona: str
    speaker: Name
    prelude: str
    clock: Moment | None = None


class _TurnRow(_Row):
    number: Annotated[int, Field(ge=1)]
    text: Text
    at: Moment
    status: str
    chosen: str | None


class _ReplyRow(_Row):
    id: str
    ordinal: Annotated[int, Field(ge=1)]
    text: Text


class _SaidRow(_Row):
    role: TurnRole
    speaker: Name
    text: Text


def read(value: Mapping[str, Any], file: str, sha256: str) -> Collection:
    """The session as an episode without gold: the chosen replies, and what was said before it.

    Raises:
        FormatError: if it has not the shape shown above, or is no session that could be saved.
    """
    found = bundle_of(value, file)
    row = _taken(_SessionRow, found.session, file, "session")
    persona = _persona(row.persona, file)
    human = Human(row.speaker, found.user.profile)
    turns = [
        said
        for place, turn in enumerate(found.turns)
        for said in _said(turn, persona, human, file, place)
    ]
    session = EpisodeSession("session", row.clock, (*_before(row.prelude, file), *turns))
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
    try:
        check_episode(episode)
    except Unfit as error:
        raise FormatError(
            f"{file}, field 'turns': {error}".removesuffix("."), ("turns",)
        ) from error
    return Collection(file, sha256, (), episodes=(episode,))


def _taken(form: type[_R], row: Any, file: str, *path: Step) -> _R:
    try:
        return form.model_validate(row)
    except ValidationError as error:
        place = ".".join(map(str, path))
        raise invalid(error, f"{file}, {place}", above=path) from error


def _persona(told: str, file: str) -> Persona:
    path = ("session", "persona")
    try:
        return Persona.model_validate(parse(told, f"{file}, field 'session.persona'"), strict=False)
    except ValidationError as error:
        raise FormatError(str(invalid(error, f"{file}, session.persona")), path) from error
    except FormatError as error:
        raise FormatError(str(error), path) from error


def _before(told: str, file: str) -> Iterator[EpisodeTurn]:
    path = ("session", "prelude")
    where = f"{file}, field 'session.prelude'"
    try:
        said = parse(told, where)
        if not isinstance(said, list):
            raise FormatError(f"{where}: must be a list, got {shown(said)}")
        for number, one in enumerate(said, 1):
            row = _taken(_SaidRow, one, file, *path, number)
            yield EpisodeTurn(f"before:{number}", row.role, row.speaker, row.text)
    except FormatError as error:
        raise FormatError(str(error), path) from error


def _said(
    turn: TurnForm, persona: Persona, human: Human, file: str, place: int
) -> Iterator[EpisodeTurn]:
    row = _taken(_TurnRow, turn.row, file, "turns", place, "row")
    if row.status == "withdrawn":
        return
    yield EpisodeTurn(f"{row.number}", "user", human.name, row.text, row.at)
    for index, one in enumerate(turn.replies):
        reply = _taken(_ReplyRow, one.row, file, "turns", place, "replies", index, "row")
        if reply.id == row.chosen:
            name = f"{row.number}.{reply.ordinal}"
            yield EpisodeTurn(name, "assistant", persona.name, reply.text)
