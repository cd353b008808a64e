"""Episodes in the project's own format: what is written is read back as the same episodes."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sandbox.collected import Collection
from sandbox.episode_instances import question_instances
from sandbox.episodes import (
    Episode,
    EpisodeQuestion,
    EpisodeSession,
    EpisodeTurn,
    GoldAdd,
    GoldEntry,
    GoldSession,
)
from sandbox.formats.episode import read
from sandbox.formats.episode_form import FORMAT, SOURCE
from sandbox.formats.reading import FormatError
from sandbox.formats.reading import parse as parsed


def write(collection: Collection) -> dict[str, bytes]:
    """The collection's episodes as one file, by its name.

    Instances that are not questions of its episodes are refused, not dropped. Captures are listed
    by turn: their order within a session is the order of the turns.

    Raises:
        FormatError: if there is no episode, or one holds something that the format cannot say.
    """
    name = collection.name if collection.name.endswith(".json") else f"{collection.name}.json"
    return {name: written(collection)}


def written(collection: Collection, about: str | None = None) -> bytes:
    """The file's bytes; `about` is for its readers. As `write`."""
    asked = tuple(one for episode in collection.episodes for one in question_instances(episode))
    if {one.id for one in collection.instances} - {one.id for one in asked}:
        raise FormatError(
            f"{collection.name}: the format {FORMAT} holds episodes and their questions only"
        )
    value: dict[str, Any] = {"format": FORMAT, "version": 1}
    if about:
        value["about"] = about
    value["episodes"] = [_episode(one, collection.name) for one in collection.episodes]
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    _check(collection, text)
    return text.encode("utf-8")


def _check(collection: Collection, text: str) -> None:
    found = read(parsed(text, collection.name), collection.name, "")
    if found.refused:
        first = found.refused[0]
        raise FormatError(f"{collection.name}, episode {first.where}: {first.sentence}")
    for wanted, got in zip(collection.episodes, found.episodes, strict=True):
        if by_turn(wanted) != got:
            raise FormatError(
                f"{collection.name}, episode {wanted.id}: the format {FORMAT} cannot say it as it "
                "is"
            )


def by_turn(episode: Episode) -> Episode:
    """The episode with each session's captures in the order of their own turns."""
    return replace(episode, sessions=tuple(_ordered(one) for one in episode.sessions))


def _ordered(session: EpisodeSession) -> EpisodeSession:
    if session.gold is None:
        return session
    places = {turn.id: place for place, turn in enumerate(session.turns)}

    def place(entry: GoldEntry) -> int:
        return places.get(entry.turns[0], len(places)) if entry.turns else len(places)

    captures = tuple(sorted(session.gold.captures, key=place))
    return replace(session, gold=replace(session.gold, captures=captures))


def _filled(**found: Any) -> dict[str, Any]:
    """What is there; nulls, empty texts and empty lists are left out."""
    return {name: value for name, value in found.items() if value not in (None, "", [])}


def _episode(one: Episode, file: str) -> dict[str, Any]:
    return _filled(
        id=one.id,
        title=one.title,
        language=one.language,
        source=one.source if one.source != SOURCE else None,
        license=one.licence,
        persona=one.persona.model_dump(mode="json", exclude_defaults=True),
        human=_filled(name=one.human.name, profile=one.human.profile),
        notes=list(one.notes),
    ) | {
        "sessions": [_session(session, f"{file}, episode {one.id}") for session in one.sessions],
        "questions": [_question(question) for question in one.questions],
    }


def _session(session: EpisodeSession, where: str) -> dict[str, Any]:
    gold = session.gold or GoldSession()
    own: dict[str, list[GoldEntry]] = {turn.id: [] for turn in session.turns}
    for entry in gold.captures:
        if not entry.turns or entry.turns[0] not in own:
            raise FormatError(
                f"{where}: the entry {entry.key!r} must rest on a turn of its session "
                f"{session.id!r} to be written"
            )
        own[entry.turns[0]].append(entry)
    turns = [_turn(turn, own[turn.id]) for turn in session.turns]
    found = _filled(id=session.id, at=session.at) | {"turns": turns}
    return found if session.gold is None else found | {"operations": _operations(gold)}


def _turn(turn: EpisodeTurn, entries: list[GoldEntry]) -> dict[str, Any]:
    return _filled(
        id=turn.id,
        role=turn.role,
        speaker=turn.speaker,
        text=turn.text,
        at=turn.at,
        emotion=turn.emotion,
        scene=turn.scene,
        remember=[_entry(entry, also=list(entry.turns[1:])) for entry in entries],
    )


def _entry(entry: GoldEntry, **turns: list[str]) -> dict[str, Any]:
    return _filled(
        id=entry.key,
        type=entry.type,
        text=entry.text,
        **turns,
        anchor=entry.anchor,
        emotion=entry.emotion,
        scene=entry.scene,
    )


def _operations(gold: GoldSession) -> dict[str, Any]:
    known = {entry.key: entry for entry in gold.captures}
    return _filled(
        add=[_add(one, known) for one in gold.adds],
        delete=[{"id": one.key, "turns": list(one.turns)} for one in gold.deletes],
    )


def _add(one: GoldAdd, known: Mapping[str, GoldEntry]) -> dict[str, Any]:
    if known.get(one.entry.key) == one.entry:
        return _filled(captured=one.entry.key, replaces=list(one.replaces))
    written_out = _entry(one.entry, turns=list(one.entry.turns))
    return _filled(entry=written_out, replaces=list(one.replaces))


def _question(one: EpisodeQuestion) -> dict[str, Any]:
    return _filled(
        id=one.id,
        text=one.text,
        answer=one.answer,
        unit=one.unit,
        supports=list(one.supports),
        decoys=list(one.decoys),
        at=one.at,
        kind=one.kind,
        techniques=list(one.techniques),
        centre=one.centre,
    )
