"""The shape of the project's episodes: what `collections/episode.schema.json` says, as forms.

Texts are kept as they are written, blanks and line ends included.
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field, StringConstraints

from memory_banks.checked_text import iso_time, visible
from memory_banks.entries import EntryType, Scene, TurnRole
from personas.persona import Persona
from sandbox.episodes import Unit
from sandbox.formats.demo_form import Form, Moment

FORMAT = "strategic-memory-episode"
SOURCE = "Strategic Memory Sandbox episode"
Technique = Literal[
    "cross-session",
    "completeness",
    "decoys",
    "lexical gap",
    "temporal state",
    "constraint combination",
    "qualifiers",
    "coreference",
    "calculation",
]
"""How a question is made hard, in DyadMem's words."""
TECHNIQUES: tuple[Technique, ...] = get_args(Technique)


def _plain(text: str) -> str:
    if not text.isprintable() or " " in text:
        raise ValueError("must be printable and hold no spaces")
    return text


Key = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_plain)]
Keys = Annotated[list[Key], Field(max_length=1000)]
Name = Annotated[str, StringConstraints(max_length=200), AfterValidator(visible)]
Title = Annotated[str, StringConstraints(max_length=2000), AfterValidator(visible)]
Prose = Annotated[str, StringConstraints(max_length=20_000)]
Told = Annotated[str, StringConstraints(max_length=20_000), AfterValidator(visible)]
Speech = Annotated[str, StringConstraints(max_length=50_000), AfterValidator(visible)]
Day = Annotated[str, AfterValidator(iso_time)]


class PersonForm(Form):
    """The person the human speaks as."""

    name: Name
    profile: Prose = ""


class EntryForm(Form):
    """An entry that is to be remembered of the turn it is listed at."""

    id: Key
    """Unique in the episode; the same id in a later session is the same entry told again."""
    type: EntryType
    text: Told
    also: Keys = []
    """Earlier turns that it rests on too; a later one never fills it in."""
    anchor: Day | None = None
    """The day it is about or was told."""
    emotion: Name | None = None
    scene: Scene | None = None


class TurnForm(Form):
    """An utterance, with what is to be remembered of it."""

    id: Key
    role: TurnRole
    speaker: Name
    text: Speech
    at: Moment | None = None
    """Where it is null, the session's is all that is known."""
    emotion: Name | None = None
    scene: Scene | None = None
    remember: Annotated[list[EntryForm], Field(max_length=200)] = []
    """Of a user's turn: user_profile, fact, episodic; else one of the agent types, or episodic."""


class WrittenForm(Form):
    """An entry that an update makes of others, such as one that joins two."""

    id: Key
    type: EntryType
    text: Told
    turns: Annotated[list[Key], Field(min_length=1, max_length=1000)]
    """What it rests on: a turn of this session, then earlier ones."""
    anchor: Day | None = None
    emotion: Name | None = None
    scene: Scene | None = None


class AddForm(Form):
    """An operation that adds an entry: one that was captured in this session, or a written one."""

    captured: Key | None = None
    entry: WrittenForm | None = None
    replaces: Keys = []
    """Live entries that it absorbs, supersedes or corrects; they are deleted with it."""


class DeleteForm(Form):
    """An operation that deletes what is to be forgotten."""

    id: Key
    turns: Annotated[list[Key], Field(min_length=1, max_length=1000)]
    """The turns that ask for it."""


class OperationsForm(Form):
    """How a session changes the bank, besides what it adds by itself."""

    add: Annotated[list[AddForm], Field(max_length=1000)] = []
    delete: Annotated[list[DeleteForm], Field(max_length=1000)] = []


class SessionForm(Form):
    """A session."""

    id: Key
    at: Moment | None = None
    turns: Annotated[list[TurnForm], Field(max_length=10_000)]
    operations: OperationsForm | None = None
    """Null where nobody annotated the session; `{}` where nothing in the bank changes for it: what
    its turns say is to be remembered comes in all the same."""


class QuestionForm(Form):
    """A question about the whole episode."""

    id: Key
    text: Told
    answer: Told | None = None
    """Null where the right act is to say that it is not known."""
    unit: Unit
    """What `supports` and `decoys` name: entries, turns, or whole sessions (UtilMem)."""
    supports: Keys = []
    """What the answer needs. Entries must be live at the end of the episode."""
    decoys: Keys = []
    """What looks as if it bore on the question and does not."""
    at: Moment | None = None
    kind: Name | None = None
    techniques: Annotated[list[Technique], Field(max_length=len(TECHNIQUES))] = []
    centre: Literal["user", "agent"] | None = None


class EpisodeForm(Form):
    """Sessions of the same two people, in the order in which they were held."""

    id: Key
    title: Title
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")]
    source: Name = SOURCE
    """What it was first read from."""
    license: Title | None = None
    """Of its text; the file's where it is null."""
    persona: Persona
    human: PersonForm
    sessions: Annotated[list[SessionForm], Field(max_length=10_000)]
    questions: Annotated[list[QuestionForm], Field(max_length=10_000)] = []
    notes: Annotated[list[Told], Field(max_length=1000)] = []
    """Oddities, for whoever may see its gold."""


class EpisodeFile(Form):
    """Episodes with gold memories by turn, gold operations by session, and questions."""

    format: Literal["strategic-memory-episode"]
    version: Literal[1]
    license: Title | None = None
    about: Told | None = None
    """For people."""
    episodes: Annotated[list[EpisodeForm], Field(min_length=1, max_length=10_000)]


def schema() -> dict[str, Any]:
    """The JSON schema of a file, as `collections/episode.schema.json` holds it."""
    made = EpisodeFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | made
