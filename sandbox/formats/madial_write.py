"""Writing MADial-Bench's files: dialogues, memories and runs, as the release has them.

What was written is read back at once: whatever the format cannot say comes back otherwise, and is
named instead of being lost.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from typing import Any

from memory_banks.entries import Scene
from sandbox.collected import Collection
from sandbox.formats.madial import read
from sandbox.formats.madial_dialogue import QUERY_BY_ASSISTANT, REPLY_BY_USER
from sandbox.formats.madial_memory import SCENE_NAMES
from sandbox.formats.madial_people import USERS
from sandbox.formats.madial_runs import BOTTOM
from sandbox.formats.madial_talk import written
from sandbox.formats.reading import FormatError
from sandbox.formats.sources import gathered, json_lines
from sandbox.instances import Instance, Said

_SAYS = "MADial-Bench's format cannot say"
_NUMBER = re.compile("[1-9][0-9]{0,8}")
_IDS = {name: user for user, name in USERS.items()}


def write(collection: Collection) -> dict[str, bytes]:
    """The files by name: dialogues, memories, and one for each run.

    Read together they are these instances again. A dialogue ends with its last test turn.

    Raises:
        FormatError: if the format cannot say something; the sentence names instance and field.
    """
    if not collection.instances:
        raise FormatError(f"{collection.name}: has no instance that could be written")
    dialogues = _dialogues(collection.instances)
    language = collection.instances[0].language
    made = {
        f"madial-{language}-dialogue.json": json_lines(_row(turns) for turns in dialogues),
        f"madial-{language}-memory.json": json_lines(_memories(collection.instances)),
    }
    made |= _runs([turns[0] for turns in dialogues])
    _check(collection, made)
    return made


def _dialogues(instances: Sequence[Instance]) -> list[list[Instance]]:
    """The test turns of each dialogue, in order."""
    for one in instances:
        if not one.dialogue or not one.golden or one.reply is None:
            missing = "dialogue" if not one.dialogue else "golden" if not one.golden else "reply"
            raise FormatError(f"{one.id}: {_SAYS} an instance without its {missing}")
        if one.human.name not in _IDS:
            who = " or ".join(_IDS)
            raise FormatError(f"{one.id}: {_SAYS} that {one.human.name!r} speaks, only {who}")
    return [list(turns) for _name, turns in groupby(instances, key=lambda one: one.dialogue)]


def _row(turns: Sequence[Instance]) -> dict[str, Any]:
    last = max(turns, key=lambda one: len(one.history))
    named = last.dialogue
    row: dict[str, Any] = {
        "dialogue": ["<BOD>\n", *(written(said) for said in _said(last)), "<EOD>\n"],
        "test-turn": [len(one.history) + 2 for one in turns],
        "relevant-id": [_number(key, last) for key in last.golden],
        "user-id": _IDS[last.human.name],
        "id": int(named) if named.isdecimal() and str(int(named)) == named else named,
    }
    return row | ({"recall": last.recall} if last.recall else {})


def _said(one: Instance) -> list[Said]:
    """The whole dialogue up to its test turn, that one included."""
    user, assistant = (
        Said("user", one.human.name, ""),
        Said("assistant", one.persona.name, ""),
    )
    asked = assistant if QUERY_BY_ASSISTANT in one.notes else user
    answered = user if REPLY_BY_USER in one.notes else assistant
    query = Said(asked.role, asked.speaker, one.query)
    return [*one.history, query, Said(answered.role, answered.speaker, one.reply or "")]


def _number(key: str, one: Instance) -> int:
    if not _NUMBER.fullmatch(key):
        raise FormatError(f"{one.id}: {_SAYS} the key {key!r}: memories are numbered from 1")
    return int(key)


def _memories(instances: Sequence[Instance]) -> Iterator[dict[str, Any]]:
    """The memories of each user, in the order of their pool."""
    firsts: dict[str, Instance] = {}
    for one in instances:
        if firsts.setdefault(one.human.name, one).pool != one.pool:
            whose = f"{one.human.name}'s"
            raise FormatError(f"{one.id}: {_SAYS} that its pool is another than {whose} elsewhere")
    spoken = instances[0].language
    for name, first in firsts.items():
        for entry in first.pool:
            _number(entry.key, first)
            behind = {
                "time": entry.anchor,
                "scene": _scene(entry.scene, spoken),
                "emotion": entry.emotion,
                "event": entry.text,
            }
            yield {entry.key: behind | {"user-id": _IDS[name], "id": entry.key}}


def _scene(scene: Scene | None, language: str) -> str | None:
    names = [name for name, meant in SCENE_NAMES.items() if meant == scene]
    chinese = [name for name in names if not name.isascii()]
    return next(iter(chinese if language == "zh" else names), None)


def _runs(firsts: Sequence[Instance]) -> dict[str, bytes]:
    """A file for each run; a dialogue that a run does not rank has an empty list there."""
    ranked = {name: None for one in firsts for name in one.rankings}
    names = {name.removesuffix(BOTTOM): None for name in ranked}
    made: dict[str, bytes] = {}
    for name in names:
        with_last = f"{name}{BOTTOM}" in ranked
        made[f"{name}_top_20.json"] = json_lines(_ranked(one, name, with_last) for one in firsts)
    return made


def _ranked(one: Instance, name: str, with_last: bool) -> dict[str, Any]:
    def ids(run: str) -> list[int]:
        return [_number(key, one) for key in one.rankings.get(run, ())]

    row = {"relevant-id": [int(key) for key in one.golden], "top-20-ids": ids(name)}
    return row | ({"bottom-10-ids": ids(f"{name}{BOTTOM}")} if with_last else {})


def _check(collection: Collection, made: Mapping[str, bytes]) -> None:
    """Read back what was written.

    Raises:
        FormatError: if something of an instance did not come back as it was.
    """
    found = read(gathered(list(made.items())))
    back = {one.id: one for one in found.instances}
    if found.refused:
        raise FormatError(f"{found.refused[0].where}: {found.refused[0].sentence}")
    for one in collection.instances:
        known = back.get(one.id)
        if known is None:
            raise FormatError(f"{one.id}: {_SAYS} this id: it is the dialogue's and the turn's")
        lost = [part.name for part in fields(one) if _differs(one, known, part.name)]
        if lost:
            raise FormatError(f"{one.id}: {_SAYS} its {', '.join(lost)}")
    if [one.id for one in found.instances] != [one.id for one in collection.instances]:
        raise FormatError(f"{collection.name}: {_SAYS} the order of its instances")


def _differs(one: Instance, other: Instance, name: str) -> bool:
    return bool(getattr(one, name) != getattr(other, name))
