"""The project's episodes: sessions of two people with gold memories, operations and questions.

DyadMem's episodes are told so, and UtilMem's bundles. A file, cut short:

    {"format": "strategic-memory-episode", "version": 1, "license": "MIT", "episodes": [{
      "id": "harbour", "title": "...", "language": "en",
      "persona": {"id": "odo", "name": "Odo", "summary": ["Odo keeps a tide table."]},
      "human": {"name": "Ilse", "profile": ""},
      "sessions": [{"id": "s2", "at": "2025-02-03T18:30:00+01:00",
        "turns": [{"id": "s2t1", "role": "user", "speaker": "Ilse", "text": "I moved on Sunday.",
          "emotion": "tired", "scene": "Activities",
          "remember": [{"id": "home-2", "type": "user_profile", "text": "Ilse has lived in Gent
            since 2025-02-02.", "also": ["s1t3"], "anchor": "2025-02-02"}]}],
        "operations": {"add": [{"captured": "home-2", "replaces": ["home-1"]}],
                       "delete": [{"id": "cat", "turns": ["s2t5"]}]}}],
      "questions": [{"id": "q1", "text": "Where ...?", "answer": "In Gent.", "unit": "entry",
        "supports": ["home-2", "trade"], "decoys": ["home-1"], "kind": "temporal",
        "techniques": ["temporal state", "decoys"], "centre": "user"}]}]}

An entry stands at its own turn, the one that brings it up. `operations` are what DyadMem calls so:
captures enter the bank by themselves. An added entry is one that was `captured` in the session, or
a written one (`{"entry": {"id": ..., "turns": [...]}}`) that joins several. A bundle of UtilMem is
an episode whose sessions have no `operations` and whose question has the unit `session`: its
supports are the evidence sessions, its decoys the distractor sessions, its answer the oracle's.

`sandbox.formats.episode_form` is the shape, `episode_checks` says what contradicts itself.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from sandbox.collected import Collection, Quirk, Refused
from sandbox.episode_instances import question_instances
from sandbox.episodes import (
    Episode,
    EpisodeQuestion,
    EpisodeSession,
    EpisodeTurn,
    GoldAdd,
    GoldDelete,
    GoldEntry,
    GoldSession,
)
from sandbox.formats.episode_checks import check_episode
from sandbox.formats.episode_form import (
    FORMAT,
    AddForm,
    EntryForm,
    EpisodeFile,
    EpisodeForm,
    OperationsForm,
    QuestionForm,
    SessionForm,
    TurnForm,
)
from sandbox.formats.reading import FormatError, Unfit, called, invalid, wrong
from sandbox.instances import Human, Instance


def recognises(value: Any) -> bool:
    """Whether this JSON value calls itself such a file, sound or not."""
    return isinstance(value, dict) and value.get("format") == FORMAT


def read(value: Mapping[str, Any], file: str, sha256: str) -> Collection:
    """The file's episodes and their questions as instances, in its order.

    An episode that contradicts itself is refused alone.

    Raises:
        FormatError: if the file has not the format's shape, or an id comes twice.
    """
    try:
        form = EpisodeFile.model_validate(value)
    except ValidationError as error:
        raise _misshapen(error, value, file) from error
    episodes: list[Episode] = []
    refused: list[Refused] = []
    places = {told.id: place for place, told in enumerate(form.episodes)}
    for told in form.episodes:
        try:
            episode = _episode(told, told.license or form.license or "")
            check_episode(episode)
        except Unfit as error:
            path = ("episodes", places[told.id])
            refused.append(Refused(told.id, str(error), file, path))
            continue
        episodes.append(episode)
    instances = tuple(one for episode in episodes for one in question_instances(episode))
    _check_ids(form, instances, file)
    quirks = tuple(
        Quirk(file, one.id, note, ("episodes", places[one.id]))
        for one in episodes
        for note in one.notes
    )
    return Collection(file, sha256, instances, quirks, tuple(refused), tuple(episodes))


def _misshapen(error: ValidationError, value: Mapping[str, Any], file: str) -> FormatError:
    """The error, which names the episode by its id or else its place, where it is in one."""
    place = error.errors(include_url=False)[0]["loc"]
    if len(place) < 2 or place[0] != "episodes":
        return invalid(error, file, above=())
    episode = value["episodes"][place[1]]
    name = episode.get("id") if isinstance(episode, dict) else None
    where = f"{file}, episode {called(name, int(place[1]))}"
    return invalid(error, where, within=2, above=())


def _check_ids(form: EpisodeFile, instances: tuple[Instance, ...], file: str) -> None:
    """Episodes have ids of their own, and so have the instances that their questions make."""
    names = [one.id for one in form.episodes]
    for what, ids in (("id", names), ("question's id", [one.id for one in instances])):
        seen: set[str] = set()
        for place, one in enumerate(ids):
            if one in seen:
                path = ("episodes", place, "id") if what == "id" else None
                raise wrong(f"{file}, episode {one}", what, "must be used once", one, path)
            seen.add(one)


def _episode(told: EpisodeForm, licence: str) -> Episode:
    return Episode(
        id=told.id,
        source=told.source,
        title=told.title,
        language=told.language,
        licence=licence,
        persona=told.persona,
        human=Human(told.human.name, told.human.profile),
        sessions=tuple(_session(one) for one in told.sessions),
        questions=tuple(_question(one) for one in told.questions),
        notes=tuple(told.notes),
    )


def _session(told: SessionForm) -> EpisodeSession:
    return EpisodeSession(
        id=told.id,
        at=told.at,
        turns=tuple(_turn(one) for one in told.turns),
        gold=_gold(told),
    )


def _turn(told: TurnForm) -> EpisodeTurn:
    return EpisodeTurn(
        told.id, told.role, told.speaker, told.text, told.at, told.emotion, told.scene
    )


def _gold(told: SessionForm) -> GoldSession | None:
    captures = tuple(_captured(one, turn.id) for turn in told.turns for one in turn.remember)
    if told.operations is None:
        if captures:
            raise Unfit(
                f"The session {told.id!r} has entries and no operations: give it operations, {{}} "
                "for none."
            )
        return None
    return _operations(told.operations, captures, told.id)


def _captured(told: EntryForm, turn: str) -> GoldEntry:
    turns = (turn, *told.also)
    return GoldEntry(told.id, told.type, told.text, turns, told.anchor, told.emotion, told.scene)


def _operations(told: OperationsForm, captures: tuple[GoldEntry, ...], session: str) -> GoldSession:
    known = {entry.key: entry for entry in captures}
    return GoldSession(
        captures=captures,
        adds=tuple(GoldAdd(_added(one, known, session), tuple(one.replaces)) for one in told.add),
        deletes=tuple(GoldDelete(one.id, tuple(one.turns)) for one in told.delete),
    )


def _added(told: AddForm, known: Mapping[str, GoldEntry], session: str) -> GoldEntry:
    if (told.captured is None) == (told.entry is None):
        raise Unfit(
            f"An added entry of the session {session!r} must be a captured one or be written, "
            "one of the two."
        )
    if told.entry is not None:
        one = told.entry
        turns = tuple(one.turns)
        return GoldEntry(one.id, one.type, one.text, turns, one.anchor, one.emotion, one.scene)
    found = known.get(told.captured or "")
    if found is None:
        raise Unfit(
            f"The session {session!r} adds the captured entry {told.captured!r}, and none of its "
            "turns has it."
        )
    return found


def _question(told: QuestionForm) -> EpisodeQuestion:
    return EpisodeQuestion(
        id=told.id,
        text=told.text,
        answer=told.answer,
        unit=told.unit,
        supports=tuple(told.supports),
        decoys=tuple(told.decoys),
        at=told.at,
        kind=told.kind,
        techniques=tuple(told.techniques),
        centre=told.centre,
    )
