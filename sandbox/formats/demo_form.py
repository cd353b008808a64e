"""The shape of the project's own format: what `collections/demo.schema.json` says, as forms.

Roles are listed apart from entries, so that no reader hands them on by accident.
"""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)

from memory_banks.entries import EntryType, Scene, TurnRole
from sandbox.instances import Role, Scenario

FORMAT = "strategic-memory-demo"


def _date(text: str) -> str:
    try:
        date.fromisoformat(text)
    except ValueError as error:
        raise ValueError("must be an ISO date such as 2026-02-17, or null") from error
    return text


def _moment(text: str) -> str:
    must = "must be a date and time with an offset, such as 2026-03-26T11:05:00+03:00, or null"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(must) from error
    if moment.tzinfo is None:
        raise ValueError(must)
    return text


def _listed(found: Any) -> Any:
    return [found] if isinstance(found, str) else found


Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Word = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]
Prose = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40_000)]
Moment = Annotated[str, AfterValidator(_moment)]
Lines = Annotated[list[Line], Field(max_length=20)]
Keys = list[Id]
Bit = Annotated[int, Field(ge=0, le=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Score = Annotated[int, Field(ge=1, le=5)]
Points = Annotated[float, Field(ge=0, le=3)]


class Form(BaseModel):
    """A part of the format: every field is known, nothing is converted."""

    model_config = ConfigDict(
        strict=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )


class CharacterForm(Form):
    """The character."""

    name: Word
    summary: Annotated[
        Annotated[list[Prose], Field(min_length=1, max_length=20)],
        BeforeValidator(_listed, json_schema_input_type=Prose | list[Prose]),
    ]
    traits: Annotated[list[Prose], Field(max_length=20)] = []
    style: Lines = []
    domains: Lines = []
    values: Lines = []
    rules: Lines = []
    """What the character always does, with anyone."""
    scenario: Prose | None = None
    """The situation in which the talk takes place."""
    examples: Annotated[list[Prose], Field(max_length=20)] = []
    """Pieces of dialogue that show how the character speaks."""
    greeting: Prose | None = None


class HumanForm(Form):
    """The person the human speaks as."""

    name: Word
    profile: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)] = ""


class StateForm(Form):
    """How the person is at the moment of the query."""

    emotion: Word | None = None
    scene: Scene | None = None


class ScopeForm(Form):
    """Who sees an entry: every agent of the user, or only the character."""

    kind: Literal["user", "dyad"]
    user: Word
    agent: Word | None = None
    """The character's name, for a dyad's entry."""


class ProvenanceForm(Form):
    """Where an entry comes from: the session by its number or name, its turns, and who spoke."""

    session: Annotated[int, Field(ge=0)] | Word | None = None
    turns: Annotated[list[Word], Field(max_length=1000)] = []
    """Names of the utterances that support it."""
    turn_role: TurnRole | None = None


class EntryForm(Form):
    """An entry of the pool. Says nothing of its role."""

    id: Id
    type: EntryType | None = None
    """Null where none is known."""
    scope: ScopeForm
    text: Words
    date: Annotated[str, AfterValidator(_date)] | None = None
    emotion: Word | None = None
    scene: Scene | None = None
    provenance: ProvenanceForm | None = None
    status: Literal["live", "superseded"] = "live"
    replaced_by: Id | None = None
    """For a superseded entry: the one that took its place."""
    replaces: Id | None = None


class SaidForm(Form):
    """An utterance from before the query."""

    speaker: Word
    """The name of one of the two people, or a part of it; any name where `role` is given."""
    role: TurnRole | None = None
    text: Words


class RoleForm(Form):
    """The role of one entry, and why."""

    entry: Id
    role: Role
    reason: Line | None = None


class UseForm(Form):
    """An entry that a reply uses, and the words that show it."""

    entry: Id
    role: Role
    how: Literal["detail", "followed"]
    span: Words
    detail: Words


class RhoForm(Form):
    """Share of the entries of each role that are used; null for a role that does not occur."""

    must: Share | None
    nice: Share | None
    irr: Share | None


class PesForm(Form):
    """Whether the reply counts for PES, and how."""

    eligible: bool
    eligible_nice_available: bool
    outcome: Bit | None


class CirForm(Form):
    """Whether the reply counts for CIR, and how."""

    eligible: bool
    outcome: Bit | None


class ExpectedForm(Form):
    """What a careful judge should find."""

    rho: RhoForm
    SMC: Bit
    PES: PesForm
    CIR: CirForm
    MIQ: Annotated[list[Score], Field(min_length=2, max_length=2)]
    """Lowest and highest score that a careful reader would give."""
    failures: list[Word] = []
    aspects: dict[Word, Annotated[list[Points], Field(min_length=2, max_length=2)]] = {}


class ReplyForm(Form):
    """A reply to be judged, with its tags."""

    text: Words
    used: list[UseForm] = []
    violates: Keys = []
    expected: ExpectedForm
    why: Line


class ScenarioForm(Form):
    """One test case."""

    id: Id
    title: Line
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")]
    domain: Line | None = None
    culture: Line | None = None
    probes: Lines = []
    scenario: Scenario | None = None
    """As the roles make it; said for readers only."""
    persona: CharacterForm
    tester_speaks_as: HumanForm
    session_time: Moment | None = None
    user_state: StateForm = StateForm()
    recall: Literal["passive", "proactive"] | None = None
    es_situation: Word | None = None
    """The situation of the emotional support guideline."""
    entries: Annotated[list[EntryForm], Field(min_length=1, max_length=200)]
    history: Annotated[list[SaidForm], Field(max_length=1000)] = []
    query: Words
    roles: list[RoleForm]
    """One for every entry, in any order; none at all where `golden` is given instead."""
    golden: Keys = []
    """The entries that a reply should build on, the most suitable first."""
    reference: Words | None = None
    """What the character says next."""
    dialogue: Word | None = None
    """What scenarios share that are turns of one dialogue."""
    license: Line | None = None
    """The license of its text, where it is not the file's."""
    replies: dict[Id, ReplyForm] = {}
    extra_replies: dict[Id, ReplyForm] = {}
    try_next: Lines = []


class DemoFile(Form):
    """A collection of scenarios for probing strategic memory use."""

    format: Literal["strategic-memory-demo"]
    version: Literal[1]
    license: Line | None = None
    about: Words | None = None
    conventions: dict[Word, Words] = {}
    """How the fields are to be read, for people."""
    scenarios: Annotated[list[ScenarioForm], Field(min_length=1, max_length=10_000)]


def schema() -> dict[str, Any]:
    """The JSON schema of a file, as `collections/demo.schema.json` holds it."""
    made = DemoFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | made
