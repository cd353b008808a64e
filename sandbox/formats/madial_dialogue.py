"""MADial-Bench's dialogues: a line each, with one to three test turns and the golden memories."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from sandbox.formats.madial_people import (
    RECORDED,
    TIME,
    USERS,
    Language,
    assistant,
    child,
    language_of,
)
from sandbox.formats.madial_talk import UnknownSpeaker, Utterance, missing_marks, utterances
from sandbox.formats.reading import FormatError, Unfit, invalid, listed, wrong
from sandbox.formats.sources import SourceFile
from sandbox.instances import Instance, PoolEntry

SOURCE = "MADial-Bench"
LICENCE = "MIT"
WHOLE = 160
"""Dialogues of a whole file; the first PROACTIVE of them are proactive, the others passive."""
PROACTIVE = 100
DATE_NOTE = f"The file gives no date: {RECORDED} is taken, which most of the release's prompts say."
REPLY_BY_USER = (
    "The test turn is the child's own utterance, so the reference reply is not the assistant's."
)
QUERY_BY_ASSISTANT = (
    "The utterance before the test turn is the assistant's, so the query is its own words."
)
_KEYS = {"dialogue", "test-turn", "relevant-id", "user-id"}

_Place = Annotated[int, Field(ge=0, le=10_000)]
MemoryId = Annotated[int, Field(ge=1, le=999_999_999)]
_Name = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,80}$")]


class Row(BaseModel):
    """A line of a dialogue file; `memory_ids` only where the memories of a setting are given."""

    model_config = ConfigDict(strict=True, extra="ignore")

    dialogue: list[Annotated[str, StringConstraints(max_length=20_000)]]
    test_turn: Annotated[list[_Place], Field(alias="test-turn", min_length=1)]
    relevant_id: Annotated[list[MemoryId], Field(alias="relevant-id", min_length=1)]
    user_id: Annotated[int, Field(alias="user-id", ge=1, le=len(USERS))]
    id: _Place | _Name | None = None
    memory_ids: list[MemoryId] | None = None
    recall: Literal["passive", "proactive"] | None = None
    """A field of ours: the release has none."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A line of a dialogue file that has the right shape."""

    file: str
    line: int
    name: str
    """The dialogue's: its id, or its place in the file from 0."""
    row: Row

    @property
    def where(self) -> str:
        """Line and dialogue, for whoever looks them up."""
        return f"line {self.line} (dialogue {self.name})"


def is_dialogue(row: Any) -> bool:
    """Whether a line looks like a dialogue with its test turns."""
    return isinstance(row, dict) and "dialogue" in row and len(row.keys() & _KEYS) >= 3


def read_rows(file: SourceFile) -> list[Placed]:
    """The lines of a dialogue file.

    Raises:
        FormatError: at the first line of another shape, or an id that comes twice.
    """
    found: dict[str, Placed] = {}
    for place, (number, value) in enumerate(file.lines):
        where = f"{file.name}, line {number}"
        try:
            row = Row.model_validate(value)
        except ValidationError as error:
            raise invalid(error, where) from error
        name = str(place if row.id is None else row.id)
        if name in found:
            raise wrong(where, "id", "must be used once", name)
        found[name] = Placed(file.name, number, name, row)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Around:
    """What a dialogue does not say itself."""

    pools: Mapping[int, tuple[PoolEntry, ...]]
    """The memories by `user-id`."""
    language: Language
    recall: Literal["passive", "proactive"] | None
    rankings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def language_of_rows(rows: Sequence[Placed]) -> Language:
    """The language that the dialogues are in, all together."""
    return language_of("".join(line for one in rows for line in one.row.dialogue))


def recall_of(place: int, whole: int) -> Literal["passive", "proactive"] | None:
    """What kind a dialogue is by its place from 0, known for a whole file only."""
    if whole != WHOLE:
        return None
    return "proactive" if place < PROACTIVE else "passive"


def spoken(one: Placed) -> list[Utterance]:
    """What is said in a dialogue.

    Raises:
        FormatError: if a tag names somebody else.
    """
    try:
        return utterances(one.row.dialogue, USERS[one.row.user_id])
    except UnknownSpeaker as error:
        raise FormatError(f"{one.file}, {one.where}, field 'dialogue': {error}") from error


def instances_of(one: Placed, around: Around) -> list[Instance]:
    """An instance for each test turn of a dialogue.

    Raises:
        FormatError: if a tag names somebody else.
        Unfit: if the dialogue contradicts itself.
    """
    said = spoken(one)
    golden = _golden(one.row, around.pools.get(one.row.user_id, ()))
    turns = one.row.test_turn
    if turns != sorted(set(turns)):
        raise Unfit(f"Its test-turn must go up, got {listed(turns)}.")
    return [_instance(one, turn, said, golden, around) for turn in turns]


def oddities(one: Placed) -> Iterator[tuple[str, str]]:
    """What is odd in a dialogue: where, and a sentence."""
    said = spoken(one)
    for told in missing_marks(one.row.dialogue):
        yield one.where, told
    for utterance in said:
        if utterance.odd:
            tested = ", a test turn" if utterance.place in one.row.test_turn else ""
            yield f"{one.where}, turn {utterance.place}{tested}", "; ".join(utterance.odd)
        if utterance.place in one.row.test_turn and utterance.said.role == "user":
            yield (
                f"{one.where}, test turn {utterance.place}",
                "is the child's utterance: its reference reply is not the assistant's",
            )


def _golden(row: Row, pool: Sequence[PoolEntry]) -> tuple[str, ...]:
    keys, named = {entry.key for entry in pool}, [str(found) for found in row.relevant_id]
    if len(set(named)) < len(named):
        raise Unfit(f"Its relevant-id names a memory twice: {listed(row.relevant_id)}.")
    if strangers := [key for key in named if key not in keys]:
        who = USERS[row.user_id]
        raise Unfit(
            f"Its relevant-id names {listed(list(map(int, strangers)))}, no memory of {who}."
        )
    return tuple(named)


def _instance(
    one: Placed, turn: int, said: Sequence[Utterance], golden: tuple[str, ...], around: Around
) -> Instance:
    before = [utterance.said for utterance in said if utterance.place < turn]
    answer = next((utterance.said for utterance in said if utterance.place == turn), None)
    if answer is None or not before or not before[-1].text.strip():
        raise Unfit(f"Its test-turn {turn} must be an utterance with another before it.")
    notes = [DATE_NOTE]
    notes += [QUERY_BY_ASSISTANT] if before[-1].role == "assistant" else []
    notes += [REPLY_BY_USER] if answer.role == "user" else []
    human = child(one.row.user_id, around.language)
    return Instance(
        id=f"{one.name}-{turn}",
        source=SOURCE,
        title=f"Dialogue {one.name}, turn {turn}: {human.name}",
        language=around.language,
        persona=assistant(around.language),
        human=human,
        history=tuple(before[:-1]),
        query=before[-1].text,
        time=TIME,
        emotion=None,
        scene=None,
        pool=around.pools[one.row.user_id],
        notes=tuple(notes),
        recall=one.row.recall or around.recall,
        dialogue=one.name,
        licence=LICENCE,
        rankings=around.rankings,
        golden=golden,
        reply=answer.text,
    )
