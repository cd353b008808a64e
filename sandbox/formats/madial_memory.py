"""MADial-Bench's memories: each a line, each of one child.

The English file has neither `user-id` nor `id`; whose a memory is follows from the name in it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, ValidationError

from memory_banks.entries import Scene
from sandbox.collected import Quirk, Refused
from sandbox.formats.madial_people import RECORDED, USERS
from sandbox.formats.reading import FormatError, invalid, shown, wrong
from sandbox.formats.sources import SourceFile
from sandbox.instances import PoolEntry

SCENE_NAMES: Mapping[str, Scene] = {
    "Activity": "Activities",
    "Preferences": "Preferences",
    "Others": "Others",
    "Emotional": "Emotions",
    "Disease": "Disease",
    "活动类": "Activities",
    "喜好类": "Preferences",
    "其他类": "Others",
    "情绪类": "Emotions",
    "疾病类": "Disease",
    "物品类": "Preferences",
    "Activities": "Activities",
    "Emotions": "Emotions",
}
"""The scenes as the files call them, those that a file is written with first. Things (物品) are
Preferences: the paper counts things, animals and tastes there."""
_KEY = re.compile(r"[1-9][0-9]{0,8}")


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise ValueError("must be a date such as 2023-12-25") from error


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


class Memory(BaseModel):
    """What stands behind a memory's id."""

    model_config = ConfigDict(strict=True, extra="ignore", populate_by_name=True)

    time: Annotated[str, AfterValidator(_day)] | None = None
    scene: str | None = None
    emotion: Annotated[str, StringConstraints(max_length=200), AfterValidator(_said)] | None = None
    event: Annotated[str, StringConstraints(min_length=1, max_length=20_000)]


@dataclass(slots=True)
class Memories:
    """The memories of a file by whose they are, in its order, and what was odd."""

    file: str
    pools: Mapping[int, tuple[PoolEntry, ...]] = field(default_factory=dict)
    """By `user-id`."""
    quirks: list[Quirk] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)

    @property
    def texts(self) -> str:
        """All that they say."""
        return "\n".join(entry.text for pool in self.pools.values() for entry in pool)


def is_memory(row: Any) -> bool:
    """Whether a line looks like a memory: an id and what is behind it."""
    if not isinstance(row, dict) or len(row) != 1:
        return False
    behind = next(iter(row.values()))
    return isinstance(behind, dict) and len(behind.keys() & {"time", "scene", "event"}) >= 2


def read_memories(file: SourceFile) -> Memories:
    """The memories of a file. One whose owner cannot be told is refused alone.

    Raises:
        FormatError: at the first line of another shape, or an id that comes twice.
    """
    reader = _Reader(file.name)
    for number, row in file.lines:
        reader.take(number, row)
    return reader.found()


@dataclass(slots=True)
class _Reader:
    file: str
    pools: dict[int, list[PoolEntry]] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    quirks: list[Quirk] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    nameless: int = 0
    renamed: dict[str, int] = field(default_factory=dict)
    emotions: dict[str, int] = field(default_factory=dict)

    def take(self, number: int, row: Any) -> None:
        """Read one line."""
        where = f"{self.file}, line {number}"
        key, behind = _behind(row, where)
        if key in self.places:
            raise wrong(where, "id", "must be used once", key)
        self.places[key] = number
        entry = _entry(key, behind, where)
        try:
            owner = self._owner(behind, entry.text)
        except ValueError as error:
            self.refused.append(Refused(f"{where}, memory {key}", str(error)))
            return
        self._meet(number, entry, str(behind.get("scene") or ""))
        self.pools.setdefault(owner, []).append(entry)

    def _owner(self, behind: Mapping[str, Any], event: str) -> int:
        told = behind.get("user-id")
        if told is None:
            self.nameless += 1
            return _named(event)
        if type(told) is int and told in USERS:
            return told
        raise ValueError(
            f"Whose it is cannot be told: its user-id must be 1 or 2, got {shown(told)}."
        )

    def _meet(self, number: int, entry: PoolEntry, scene: str) -> None:
        if scene and scene != entry.scene:
            told = f"scene {scene} is taken as {entry.scene}"
            self.renamed[told] = self.renamed.get(told, 0) + 1
        if entry.emotion:
            self.emotions.setdefault(entry.emotion, number)
        if entry.anchor and entry.anchor > RECORDED:
            said = f"is dated {entry.anchor}, after the day of the dialogues, {RECORDED}"
            self._quirk(number, entry.key, said)
        if (first := self._same_text(entry.text)) is not None:
            self._quirk(number, entry.key, f"has the same text as memory {first}")

    def _same_text(self, text: str) -> str | None:
        earlier = (one for pool in self.pools.values() for one in pool)
        return next((one.key for one in earlier if one.text == text), None)

    def _quirk(self, number: int, key: str, sentence: str) -> None:
        self.quirks.append(Quirk(self.file, f"line {number}, memory {key}", sentence))

    def found(self) -> Memories:
        """What was read."""
        pools = {owner: tuple(pool) for owner, pool in self.pools.items()}
        return Memories(self.file, pools, [*self._of_many(), *self.quirks], self.refused)

    def _of_many(self) -> Iterator[Quirk]:
        whole = f"{len(self.places)} memories"
        if self.nameless:
            told = "have no user-id: whose each is follows from the name in its event"
            yield Quirk(self.file, f"{self.nameless} of {whole}", told)
        for sentence, count in self.renamed.items():
            yield Quirk(self.file, f"{count} of {whole}", sentence)
        if {"Anxious", "Anxiety"} <= self.emotions.keys():
            told = "emotion is Anxiety here and Anxious elsewhere; both are kept"
            yield Quirk(self.file, f"line {self.emotions['Anxiety']}", told)


def _behind(row: Any, where: str) -> tuple[str, Mapping[str, Any]]:
    if not is_memory(row):
        must = "must hold an id with its time, scene, emotion and event"
        raise FormatError(f"{where}: {must}, got {_shape(row)}")
    key, behind = next(iter(row.items()))
    if not _KEY.fullmatch(key):
        raise wrong(where, "id", "must be a whole number from 1", key)
    return key, behind


def _shape(row: Any) -> str:
    return f"the fields {shown(', '.join(row))}" if isinstance(row, dict) else shown(row)


def _entry(key: str, behind: Mapping[str, Any], where: str) -> PoolEntry:
    try:
        told = Memory.model_validate(behind)
    except ValidationError as error:
        raise invalid(error, where) from error
    if not told.event.strip():
        raise wrong(where, "event", "must not be empty", told.event)
    scene = None if told.scene is None else SCENE_NAMES.get(told.scene)
    if told.scene is not None and scene is None:
        raise wrong(where, "scene", f"must be one of {', '.join(SCENE_NAMES)}", told.scene)
    return PoolEntry(
        key=key,
        type="episodic",
        side="user",
        text=told.event,
        anchor=told.time,
        emotion=told.emotion,
        scene=scene,
    )


def _named(event: str) -> int:
    """The one child whose name is in the event."""
    found = [
        user
        for user, name in USERS.items()
        if re.search(rf"(?<![A-Za-z]){name}(?![A-Za-z])", event)
    ]
    if len(found) != 1:
        who = "neither Bart nor Lisa" if not found else "Bart and Lisa"
        raise ValueError(f"Whose it is cannot be told: it has no user-id and names {who}.")
    return found[0]
