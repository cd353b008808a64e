"""Several sessions of the same two people as one value, with questions and, where given, gold.

DyadMem's chains of sessions, UtilMem's bundles, LoCoMo's and LongMemEval's conversations are all
read to this. What is gold is for judges: nothing of it may reach a graph or a prompt.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from memory_banks.entries import EntryType, Scene, TurnRole
from personas.persona import Persona
from sandbox.instances import Human

Unit = Literal["entry", "turn", "session"]
"""What a question's supports name: entries of the gold bank (DyadMem), turns (LoCoMo), or whole
sessions (UtilMem)."""


@dataclass(frozen=True, slots=True)
class GoldEntry:
    """An entry that an annotator wants captured or added."""

    key: str
    """Unique in the episode; the same key again is the same entry, and the last one wins."""
    type: EntryType
    text: str
    turns: tuple[str, ...]
    """Ids of the turns that support it, its own turn first."""
    anchor: str | None = None
    emotion: str | None = None
    scene: Scene | None = None


@dataclass(frozen=True, slots=True)
class GoldAdd:
    """An operation that adds an entry to the bank, with what it takes the place of."""

    entry: GoldEntry
    replaces: tuple[str, ...] = ()
    """Keys of the live entries that it absorbs, supersedes or corrects: deleted with it."""


@dataclass(frozen=True, slots=True)
class GoldDelete:
    """An operation that deletes an entry which is to be forgotten, without another in its place."""

    key: str
    turns: tuple[str, ...]
    """The turns that ask for it."""


@dataclass(frozen=True, slots=True)
class GoldSession:
    """What an annotator wants of one session: captures enter the pool, operations change it."""

    captures: tuple[GoldEntry, ...] = ()
    adds: tuple[GoldAdd, ...] = ()
    deletes: tuple[GoldDelete, ...] = ()


@dataclass(frozen=True, slots=True)
class EpisodeTurn:
    """An utterance."""

    id: str
    """Unique in the episode."""
    role: TurnRole
    speaker: str
    text: str
    at: str | None = None
    """ISO time, with offset; null where the session's is all that is known."""
    emotion: str | None = None
    scene: Scene | None = None


@dataclass(frozen=True, slots=True)
class EpisodeSession:
    """One session."""

    id: str
    """Unique in the episode."""
    at: str | None
    """Its ISO date and time, with offset; null where none is told."""
    turns: tuple[EpisodeTurn, ...]
    gold: GoldSession | None = field(default=None, repr=False)
    """Null where the file has no gold memories, which is not the same as gold of nothing."""


@dataclass(frozen=True, slots=True)
class EpisodeQuestion:
    """A question about an episode."""

    id: str
    """Unique in the episode."""
    text: str
    answer: str | None = field(repr=False)
    """The reference answer; null where the right act is to say that it is not known."""
    unit: Unit
    supports: tuple[str, ...] = field(default=(), repr=False)
    """What the answer needs: keys of live gold entries, ids of turns, or ids of sessions."""
    decoys: tuple[str, ...] = field(default=(), repr=False)
    """What looks as if it bore on the question and does not, named as `supports`."""
    at: str | None = None
    """When it is asked (ISO, with offset); null: after the last session."""
    kind: str | None = None
    """What the file calls this kind of question."""
    techniques: tuple[str, ...] = ()
    """How it was made hard, in DyadMem's words; empty where the file does not say."""
    centre: Literal["user", "agent"] | None = None
    """Whom it is about; null where the file does not say."""


@dataclass(frozen=True, slots=True)
class Episode:
    """Sessions of the same two people in order, and questions about them."""

    id: str
    source: str
    """What the format is called."""
    title: str
    language: str
    licence: str
    """The license of its text; empty where the file tells none."""
    persona: Persona
    human: Human
    sessions: tuple[EpisodeSession, ...]
    """In the order in which they were held."""
    questions: tuple[EpisodeQuestion, ...]
    notes: tuple[str, ...] = field(default=(), repr=False)
    """Oddities, for whoever may see its gold."""

    def turns(self) -> Iterator[EpisodeTurn]:
        """Every turn, in order."""
        for session in self.sessions:
            yield from session.turns

    @property
    def has_gold(self) -> bool:
        """Whether every session tells what is to be remembered of it."""
        return all(session.gold is not None for session in self.sessions)


def told_entries(session: EpisodeSession) -> Iterator[GoldEntry]:
    """Every gold entry that the session tells, each once: captures, then those that only join."""
    if session.gold is None:
        return
    captured = {entry.key for entry in session.gold.captures}
    yield from session.gold.captures
    yield from (one.entry for one in session.gold.adds if one.entry.key not in captured)


def gold_bank(episode: Episode, sessions: int | None = None) -> tuple[GoldEntry, ...]:
    """The live gold entries after the first `sessions` sessions, all of them for None.

    Captures enter the pool and the same key again takes the earlier one's place; then what is
    deleted or replaced goes, and what is added comes (DyadMem, PROTOCOLS 4). In the order in which
    they came; empty where nothing is remembered. A session without gold changes nothing.
    """
    live: dict[str, GoldEntry] = {}
    for session in episode.sessions[:sessions]:
        if session.gold is None:
            continue
        for entry in session.gold.captures:
            live.pop(entry.key, None)
            live[entry.key] = entry
        gone = [one.key for one in session.gold.deletes]
        gone += [key for add in session.gold.adds for key in add.replaces]
        for key in gone:
            live.pop(key, None)
        live |= {add.entry.key: add.entry for add in session.gold.adds}
    return tuple(live.values())
