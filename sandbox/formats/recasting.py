"""Instances put into what another format holds, for formats that hold more or others than these.

MADial-Bench's dialogues are of one assistant and two children, each with one bank; an episode tells
where its entries come from. Whatever such a casting changes is told, never hidden.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

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
from sandbox.formats.losses import losses
from sandbox.formats.madial_dialogue import DATE_NOTE, LICENCE
from sandbox.formats.madial_dialogue import SOURCE as MADIAL
from sandbox.formats.madial_people import LANGUAGES, TIME, Language, assistant, child
from sandbox.formats.reading import FormatError
from sandbox.instances import Instance, PoolEntry, Said

_CHILD = 1
"""The `user-id` that every human becomes."""
_TALK = "talk"
"""What the session of the instance itself is called in its episode."""


@dataclass(frozen=True, slots=True)
class Recast:
    """Collections that a format can hold, and what they do not say any more."""

    collections: tuple[Collection, ...]
    lost: tuple[str, ...]


def to_madial(collection: Collection) -> Recast:
    """The instances as test turns of MADial-Bench, a collection for each language.

    The human becomes Bart and the character the assistant; all pools become Bart's bank, numbered
    through; golden are the must entries, then the nice ones; the reply is the first main reference.
    Instances that nothing in the pool would help are left out.
    """
    made: list[Collection] = []
    lost: dict[str, None] = {}
    for language in LANGUAGES:
        chosen = [one for one in collection.instances if one.language == language]
        fitting = [one for one in chosen if _golden(one) and _reply(one)]
        if fitting:
            cast = tuple(_dialogues(fitting, language))
            lost |= dict.fromkeys(f"{language}: {line}" for line in losses(fitting, cast))
            made.append(replace(collection, instances=cast, episodes=()))
    left = len(collection.instances) - sum(len(one.instances) for one in made)
    told = _left(left, "without a golden entry, a reply or one of its languages")
    told += _left_episodes(collection)
    return Recast(tuple(made), (*lost, *told))


def _reply(one: Instance) -> str | None:
    main = (reply.text for reply in one.replies if reply.main)
    return one.reply or next(main, None)


def _golden(one: Instance) -> tuple[str, ...]:
    helping = [entry.key for role in ("must", "nice") for entry in one.having(role)]
    return one.golden or tuple(helping)


def _dialogues(chosen: Sequence[Instance], language: Language) -> Iterator[Instance]:
    numbers: dict[tuple[str, str], str] = {}
    for one in chosen:
        for entry in one.pool:
            numbers[one.id, entry.key] = str(len(numbers) + 1)
    bank = tuple(_memory(entry, numbers[one.id, entry.key]) for one in chosen for entry in one.pool)
    for one in chosen:
        human, persona = child(_CHILD, language), assistant(language)
        names = {"user": human.name, "assistant": persona.name}
        turn = len(one.history) + 2
        yield Instance(
            id=f"{one.id}-{turn}",
            source=MADIAL,
            title=f"Dialogue {one.id}, turn {turn}: {human.name}",
            language=language,
            persona=persona,
            human=human,
            history=tuple(Said(said.role, names[said.role], said.text) for said in one.history),
            query=one.query,
            time=TIME,
            emotion=None,
            scene=None,
            pool=bank,
            notes=(DATE_NOTE,),
            recall=one.recall,
            dialogue=one.id,
            licence=LICENCE,
            golden=tuple(numbers[one.id, key] for key in _golden(one)),
            reply=_reply(one),
        )


def _memory(entry: PoolEntry, key: str) -> PoolEntry:
    return PoolEntry(
        key=key,
        type="episodic",
        side="user",
        text=entry.text,
        anchor=entry.anchor,
        emotion=entry.emotion,
        scene=entry.scene,
    )


def to_episode(collection: Collection) -> Recast:
    """Each instance as an episode: a session for each that its entries come from, then the talk.

    An entry's own words stand for the turn that it was captured from, which the file does not tell.
    The query is the question, at the talk's time; it rests on the must and nice entries that live,
    and the irr ones are its decoys. Episodes stay as they are.

    Raises:
        FormatError: if an entry has no type.
    """
    own = {one.id for episode in collection.episodes for one in question_instances(episode)}
    chosen = [one for one in collection.instances if one.id not in own]
    made = tuple(_episode(one) for one in chosen)
    asked = tuple(one for episode in made for one in question_instances(episode))
    whole = replace(collection, instances=(), episodes=(*collection.episodes, *made))
    return Recast((whole,), losses(chosen, asked))


def _episode(one: Instance) -> Episode:
    talk = [
        EpisodeTurn(f"{_TALK}:{number}", said.role, said.speaker, said.text)
        for number, said in enumerate(one.history, 1)
    ]
    past = tuple(_past(one))
    live = {entry.key for entry in one.pool if entry.status == "live"}
    return Episode(
        id=one.id,
        source=one.source,
        title=one.title,
        language=one.language,
        licence=one.licence,
        persona=one.persona,
        human=one.human,
        sessions=(*past, EpisodeSession(_TALK, one.time, tuple(talk), GoldSession())),
        questions=(
            EpisodeQuestion(
                id="q",
                text=one.query,
                answer=_reply(one),
                unit="entry",
                supports=tuple(key for key in _golden(one) if key in live),
                decoys=tuple(entry.key for entry in one.having("irr")),
                at=one.time,
            ),
        ),
    )


def _past(one: Instance) -> Iterator[EpisodeSession]:
    """The sessions that the entries come from, in the order of their names; nulls first."""
    by_name: dict[str, list[PoolEntry]] = {}
    for entry in one.pool:
        by_name.setdefault(entry.provenance.session or "s0", []).append(entry)
    replaced: Mapping[str, list[str]] = _replaced(one)
    for name in sorted(by_name, key=lambda name: (len(name), name)):
        turns = tuple(_turn(entry, one) for entry in by_name[name])
        entries = [_gold(entry) for entry in by_name[name]]
        adds = tuple(
            GoldAdd(entry, tuple(replaced[entry.key])) for entry in entries if entry.key in replaced
        )
        yield EpisodeSession(name, None, turns, GoldSession(tuple(entries), adds))


def _replaced(one: Instance) -> dict[str, list[str]]:
    """Keys of what an entry took the place of, by its key."""
    found: dict[str, list[str]] = {}
    for entry in one.pool:
        if entry.replaced_by is not None:
            found.setdefault(entry.replaced_by, []).append(entry.key)
    return found


def _turn(entry: PoolEntry, one: Instance) -> EpisodeTurn:
    role = entry.provenance.role or "user"
    speaker = one.human.name if role == "user" else one.persona.name
    return EpisodeTurn(f"of-{entry.key}", role, speaker, entry.text)


def _gold(entry: PoolEntry) -> GoldEntry:
    if entry.type is None:
        raise FormatError(f"An episode cannot hold the entry {entry.key!r}: it has no type.")
    return GoldEntry(
        key=entry.key,
        type=entry.type,
        text=entry.text,
        turns=(f"of-{entry.key}",),
        anchor=entry.anchor,
        emotion=entry.emotion,
        scene=entry.scene,
    )


def to_stratmem(collection: Collection) -> Recast:
    """The instances that have a time, and a role for each of their entries; the rest is left out.

    There is no collection where none has.
    """
    fitting = tuple(one for one in collection.instances if _has_roles(one))
    told = _left(len(collection.instances) - len(fitting), "without a time or roles")
    told += _left_episodes(collection)
    cast = (replace(collection, instances=fitting, episodes=()),) if fitting else ()
    return Recast(cast, told)


def _has_roles(one: Instance) -> bool:
    return one.time is not None and set(one.roles) == {entry.key for entry in one.pool}


def to_demo(collection: Collection) -> Recast:
    """The instances without released rankings and annotators' notes behind entries.

    Of episodes only the questions, which are instances.
    """
    cast = tuple(_plain(one) for one in collection.instances)
    notes = sum(entry.original is not None for one in collection.instances for entry in one.pool)
    ranked = sum(bool(one.rankings) for one in collection.instances)
    count = len(collection.episodes)
    told = [f"the sessions of {count} episodes, only their questions"] if count else []
    told += [f"rankings of {ranked} instances"] if ranked else []
    told += [f"the annotators' notes behind {notes} entries"] if notes else []
    return Recast((replace(collection, instances=cast, episodes=()),), tuple(told))


def _plain(one: Instance) -> Instance:
    pool = tuple(replace(entry, original=None) for entry in one.pool)
    return replace(one, rankings={}, pool=pool)


def _left(count: int, what: str) -> tuple[str, ...]:
    return (f"{count} instances {what}",) if count else ()


def _left_episodes(collection: Collection) -> tuple[str, ...]:
    return (f"{len(collection.episodes)} episodes",) if collection.episodes else ()


RECASTS: Mapping[str, Callable[[Collection], Recast]] = {
    "madial": to_madial,
    "stratmem": to_stratmem,
    "demo": to_demo,
    "episode": to_episode,
}
"""By the name of the format that they cast to."""
