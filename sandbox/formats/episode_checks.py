"""Whether the gold of an episode holds together: owners, lineage, and what lives when.

The rules are DyadMem's: a turn supports the types of who speaks, nothing is filled in from later
turns, and operations and questions name what is live.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from graphs.gates import ALLOWED
from memory_banks.entries import TurnRole
from sandbox.episodes import (
    Episode,
    EpisodeQuestion,
    EpisodeSession,
    EpisodeTurn,
    GoldAdd,
    GoldEntry,
    GoldSession,
    Unit,
)
from sandbox.formats.reading import Unfit

LONGEST_ENTRY = 100_000
"""Characters of a turn or session that is an entry of a pool."""
_MOST_TURNS = 10_000
"""Turns of a session that is an entry of a pool."""


def check_episode(episode: Episode) -> None:
    """Find a contradiction in the episode.

    Raises:
        Unfit: at the first one.
    """
    _once("sessions", [one.id for one in episode.sessions])
    _once("turns", [one.id for one in episode.turns()])
    _once("questions", [one.id for one in episode.questions])
    walk = _Walk(tuple(one.id for one in episode.turns()))
    for session in episode.sessions:
        walk.take(session)
    known: dict[Unit, set[str]] = {
        "entry": walk.keys,
        "turn": set(walk.places),
        "session": {one.id for one in episode.sessions},
    }
    for question in episode.questions:
        _check_question(question, known[question.unit], walk.live)
        _check_spoken(question, episode.sessions)
    check_lengths(episode)


def check_lengths(episode: Episode) -> None:
    """What questions ask for must fit an entry of a bank: whole sessions, or turns.

    Raises:
        Unfit: at the first that does not.
    """
    units = {question.unit for question in episode.questions}
    if "session" in units:
        for session in episode.sessions:
            _check_length(f"The session {session.id!r}", session.turns, "whole sessions")
    if "turn" in units:
        for turn in episode.turns():
            _check_length(f"The turn {turn.id!r}", [turn], "turns")


def _check_length(what: str, turns: Sequence[EpisodeTurn], about: str) -> None:
    size = sum(len(turn.speaker) + len(turn.text) + 3 for turn in turns)
    if size > LONGEST_ENTRY:
        raise Unfit(
            f"{what} has {size:,} characters, and {LONGEST_ENTRY:,} are the most for a question "
            f"about {about}."
        )
    if len(turns) > _MOST_TURNS:
        raise Unfit(f"{what} has {len(turns):,} turns, and {_MOST_TURNS:,} are the most.")


def _check_spoken(question: EpisodeQuestion, sessions: Sequence[EpisodeSession]) -> None:
    """No question needs a session in which nothing is said: there is nothing to recall."""
    silent = {one.id for one in sessions if not one.turns}
    if question.unit == "session" and (found := silent & {*question.supports, *question.decoys}):
        raise Unfit(
            f"The question {question.id!r} names the session {min(found)!r}, in which nothing is "
            "said."
        )


def _once(what: str, ids: Sequence[str]) -> None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise Unfit(f"Two of its {what} have the id {one!r}: give each its own.")
        seen.add(one)


@dataclass(slots=True)
class _Walk:
    """Goes through the sessions and knows what lives."""

    order: tuple[str, ...]
    """Ids of all turns of the episode."""
    places: dict[str, int] = field(init=False)
    last: int = -1
    """Place of the last turn so far."""
    live: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    """Every entry there ever was."""

    def __post_init__(self) -> None:
        self.places = {turn: place for place, turn in enumerate(self.order)}

    def take(self, session: EpisodeSession) -> None:
        """One session, with its gold where it has any."""
        gold = session.gold
        self.last += len(session.turns)
        if gold is None:
            return
        captured = [entry.key for entry in gold.captures]
        _once(f"entries of the session {session.id!r}", captured)
        _once(f"added entries of the session {session.id!r}", [one.entry.key for one in gold.adds])
        said = {turn.id: turn.role for turn in session.turns}
        for entry in (*gold.captures, *(add.entry for add in gold.adds)):
            self._check_entry(entry, session, said)
        pool = self.live | set(captured)
        gone = self._gone(gold, session, pool)
        for add in gold.adds:
            _check_added(add, self.live - set(captured), gone)
        self.live = (pool - gone) | {add.entry.key for add in gold.adds}
        self.keys |= pool | self.live

    def _check_entry(
        self, entry: GoldEntry, session: EpisodeSession, said: dict[str, TurnRole]
    ) -> None:
        """Its own turn is one of the session and allows its type; the others are earlier."""
        own = entry.turns[0] if entry.turns else None
        if own is None or own not in said:
            raise Unfit(
                f"The entry {entry.key!r} must rest on a turn of its session {session.id!r}, got "
                f"{own or 'none'}."
            )
        role = said[own]
        if entry.type not in ALLOWED[role]:
            fitting = ", ".join(sorted(ALLOWED[role]))
            raise Unfit(
                f"The entry {entry.key!r} is {entry.type}, which what the {role} says in {own!r} "
                f"cannot support: {fitting} can."
            )
        for other in entry.turns[1:]:
            self._check_earlier(f"The entry {entry.key!r}", other, self.places[own] - 1)

    def _check_earlier(self, what: str, turn: str, last: int) -> None:
        if turn not in self.places:
            raise Unfit(f"{what} names the turn {turn!r}, which there is not.")
        if self.places[turn] > last:
            raise Unfit(f"{what} names the turn {turn!r}, which is not an earlier one.")

    def _gone(self, gold: GoldSession, session: EpisodeSession, pool: set[str]) -> set[str]:
        """What the operations delete, each once and of what is live."""
        for one in gold.deletes:
            for turn in one.turns:
                self._check_earlier(f"The deletion of {one.key!r}", turn, self.last)
        gone: set[str] = set()
        for key in _deleted(gold):
            if key not in pool - gone:
                why = "twice" if key in gone else "and it is not live then"
                raise Unfit(f"The session {session.id!r} deletes the entry {key!r} {why}.")
            gone.add(key)
        return gone


def _deleted(gold: GoldSession) -> Iterable[str]:
    yield from (one.key for one in gold.deletes)
    for add in gold.adds:
        yield from add.replaces


def _check_added(add: GoldAdd, held: set[str], gone: set[str]) -> None:
    key = add.entry.key
    if key in gone:
        raise Unfit(f"The entry {key!r} is added and deleted by the same session.")
    if key in held:
        raise Unfit(f"The entry {key!r} is added although it is live: give the new one its own id.")


def _check_question(question: EpisodeQuestion, known: set[str], live: set[str]) -> None:
    what = f"The question {question.id!r}"
    for name, ids in (("supports", question.supports), ("decoys", question.decoys)):
        if len(set(ids)) < len(ids):
            raise Unfit(f"{what} names one of its {name} twice.")
        for one in ids:
            if one not in known:
                raise Unfit(f"{what} names the {question.unit} {one!r}, which there is not.")
    for one in question.supports:
        if question.unit == "entry" and one not in live:
            raise Unfit(f"{what} needs the entry {one!r}, which is not live at the end.")
        if one in question.decoys:
            raise Unfit(f"{what} has {one!r} both among its supports and among its decoys.")
