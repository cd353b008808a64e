"""The dyad lens: what every character holds for one user, and probes that must not leak."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import select

from memory_banks import ledger
from memory_banks.entries import Dyad, Entry
from sandbox.banks import Banks
from sandbox.characters import Characters
from sandbox.inputs import BadInput, checked_text
from sandbox.previews import Previewed, Previews
from sandbox.record import Record
from sandbox.tables import sessions

ProbeKind = Literal["same user, other agent", "same agent, other user"]
ASKED = 50
"""Entries that a probe's recall asks for, superseded and deleted ones among them."""


@dataclass(frozen=True, slots=True)
class Column:
    """What one character sees that no other does."""

    agent: str
    name: str
    own: tuple[Entry, ...]
    """The live entries of the dyad, in order of addition."""
    session: str | None
    """Id of the latest session of the two; null where there was none."""


@dataclass(frozen=True, slots=True)
class Lens:
    """One user, all characters side by side."""

    user: str
    revision: int
    shared: tuple[Entry, ...]
    """The user's live entries, which every character sees."""
    columns: tuple[Column, ...]
    """Every character that has talked with the user or holds something, by name."""


@dataclass(frozen=True, slots=True)
class Leak:
    """An entry that a dyad must not hold."""

    entry: Entry
    why: str
    """One sentence."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A text that was recalled in two dyads, and what of one came through in the other."""

    kind: ProbeKind
    text: str
    here: Dyad
    there: Dyad
    found_here: tuple[Previewed, ...]
    found_there: tuple[Previewed, ...]
    """What the recall found, closest first, at most ASKED."""
    held: int
    """Entries the other dyad has ever held, every one of which was looked at too."""
    leaks: tuple[Leak, ...]
    """Empty: no leak."""


def leaks(there: Dyad, seen: Iterable[Entry], private: Sequence[Entry] = ()) -> list[Leak]:
    """What a dyad sees and must not: entries of another scope, and others' words.

    `seen` is whatever was recalled or listed for `there`; `private` are entries that only somebody
    else holds. An entry that says one of those word for word is a leak as well, unless both have
    one key: then they are the same line of a file that was imported for two.
    """
    words: dict[str, list[Entry]] = {}
    for entry in private:
        words.setdefault(_words(entry.text), []).append(entry)
    found: dict[str, Leak] = {}
    for entry in seen:
        if entry.scope not in there.scopes:
            whose = entry.scope.agent or "every character"
            found[entry.id] = Leak(entry, f"It belongs to {entry.scope.user} and {whose}.")
        elif (twins := words.get(_words(entry.text))) and entry.key not in [t.key for t in twins]:
            whose = twins[0].scope.agent or twins[0].scope.user
            found[entry.id] = Leak(entry, f"It says word for word what only {whose} holds.")
    return list(found.values())


class Lenses:
    """Lenses and probes of every account, which every method takes first."""

    def __init__(
        self, record: Record, banks: Banks, characters: Characters, previews: Previews
    ) -> None:
        self._record = record
        self._banks = banks
        self._characters = characters
        self._previews = previews

    def look(self, account: str, user: str) -> Lens:
        """What every character holds for a user, by name or id; empty for an unknown one.

        Raises:
            BadInput: if the name cannot be taken.
        """
        known = self._banks.user(account, user)
        if known is None:
            return Lens(user, 0, (), ())
        latest = self._latest(account, known.id)
        with self._record.read() as conn:
            scopes = ledger.scopes(conn)
            mine = {s.agent for s in scopes if (s.account, s.user) == (account, known.id)}
            agents = sorted((mine | latest.keys()) - {""})
            held = {agent: ledger.states(conn, Dyad(account, known.id, agent)) for agent in agents}
        columns = [
            Column(
                agent,
                self._characters.get(account, agent).name,
                tuple(s.entry for s in states if s.live and s.entry.scope.agent),
                latest.get(agent),
            )
            for agent, states in held.items()
        ]
        states = next(iter(held.values()), [])
        shared = tuple(s.entry for s in states if s.live and not s.entry.scope.agent)
        columns.sort(key=lambda one: (one.name, one.agent))
        return Lens(known.name, known.head, shared, tuple(columns))

    def other_agent(self, account: str, user: str, agent: str, other: str, text: str) -> Probe:
        """Recall a text with the same user's two characters: nothing of `agent` alone may come.

        Raises:
            BadInput, UnknownPersona: if the two are one, or a name cannot be taken.
            RecallUnavailable: if there is no embedder.
        """
        if agent == other:
            raise BadInput("The two characters are one: pick another for the probe.")
        here = self._banks.dyad(account, user, agent)
        there = self._banks.dyad(account, user, other)
        return self._probe("same user, other agent", account, here, there, text)

    def other_user(self, account: str, user: str, other: str, agent: str, text: str) -> Probe:
        """Recall a text with one character and two users: nothing of `user` may come.

        Raises:
            BadInput, UnknownPersona: if the two are one, or a name cannot be taken.
            RecallUnavailable: if there is no embedder.
        """
        here = self._banks.dyad(account, user, agent)
        there = self._banks.dyad(account, other, agent)
        if here.user == there.user:
            raise BadInput("The two people are one: pick another for the probe.")
        return self._probe("same agent, other user", account, here, there, text)

    def _probe(self, kind: ProbeKind, account: str, here: Dyad, there: Dyad, text: str) -> Probe:
        asked = checked_text(text)
        recall = self._previews.recall
        found = [
            tuple(recall(account, dyad, asked, history=True, n=ASKED)) for dyad in (here, there)
        ]
        with self._record.read() as conn:
            mine = [state.entry for state in ledger.states(conn, here)]
            theirs = [state.entry for state in ledger.states(conn, there)]
        private = [entry for entry in mine if entry.scope not in there.scopes]
        seen = [*(one.entry for one in found[1]), *theirs]
        told = tuple(leaks(there, seen, private))
        return Probe(kind, asked, here, there, found[0], found[1], len(theirs), told)

    def _latest(self, account: str, user: str) -> dict[str, str]:
        """The latest session of every character the user has talked with, by character."""
        query = select(sessions.c.agent, sessions.c.id).where(
            sessions.c.account == account, sessions.c.user == user
        )
        with self._record.read() as conn:
            rows = conn.execute(query.order_by(sessions.c.created_at, sessions.c.id))
            return {row.agent: row.id for row in rows}


def _words(text: str) -> str:
    """A text as it is compared: one blank between words, letters alike."""
    return " ".join(text.casefold().split())
