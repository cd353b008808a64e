"""Are sessions, turns and replies, and what was brought in for them, consistent? One sentence each.

Every function works on a connection whose transaction the caller opened.
"""

import hashlib
import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, select

from memory_banks.tables import operations, users
from personas.persona import Persona
from sandbox.instances import InstanceRef, Said
from sandbox.tables import collections, personas, published, replies, sessions, turns

_FILES = collections.c.account, collections.c.sha256


def talk_problems(conn: Connection) -> Iterator[str]:
    """What is wrong with sessions, turns, replies and their traces; nothing where all is well."""
    yield from _session_problems(conn)
    yield from _turn_problems(conn)
    yield from _trace_problems(conn)
    yield from _brought_problems(conn)


def _session_problems(conn: Connection) -> Iterator[str]:
    ends = conn.execute(select(sessions.c.id, sessions.c.ended_at))
    ended = {row.id: row.ended_at for row in ends}
    known = {(row.account, row.id) for row in conn.execute(select(users.c.account, users.c.id))}
    files = {(row.account, row.sha256) for row in conn.execute(select(*_FILES))}
    columns = ("id", "account", "user", "persona", "continues", "prelude", "instance")
    for row in conn.execute(select(*(sessions.c[name] for name in columns))):
        if (row.account, row.user) not in known:
            yield f"session {row.id} belongs to the user {row.user!r}, who is not there"
        if row.continues is not None and not ended.get(row.continues):
            yield f"session {row.id} continues {row.continues}, which is no ended session"
        try:
            Persona.model_validate_json(row.persona)
        except ValidationError:
            yield f"session {row.id} holds a persona that cannot be read"
        yield from _origin_problems(row, files)


def _origin_problems(row: Any, files: set[tuple[str, str]]) -> Iterator[str]:
    """What is wrong with what a session was opened with."""
    try:
        for said in json.loads(row.prelude):
            Said(**said)
        origin = InstanceRef(**json.loads(row.instance)) if row.instance else None
    except (ValueError, TypeError):
        yield f"session {row.id} holds a prelude or an instance that cannot be read"
        return
    if origin is not None and (row.account, origin.sha256) not in files:
        yield f"session {row.id} comes from {origin.collection!r}, a collection that is not there"


def _brought_problems(conn: Connection) -> Iterator[str]:
    for key, text in conn.execute(select(personas.c.id, personas.c.json)):
        try:
            named = Persona.model_validate_json(text).id
        except ValidationError:
            named = None
        if named != key:
            yield f"the character {key} cannot be read"
    blanked = select(published.c.sha256).where(published.c.blanked_at.is_not(None))
    kept = select(collections.c.sha256, collections.c.name, collections.c.data)
    kept = kept.where(collections.c.sha256.not_in(blanked))
    for sha256, name, data in conn.execute(kept):
        if hashlib.sha256(data).hexdigest() != sha256:
            yield f"the collection {name!r} is not the file that was imported"


def _turn_problems(conn: Connection) -> Iterator[str]:
    of_turn: dict[str, list[Any]] = defaultdict(list)
    columns = (replies.c.id, replies.c.turn, replies.c.ordinal)
    for reply in conn.execute(select(*columns).order_by(replies.c.turn, replies.c.ordinal)):
        of_turn[reply.turn].append(reply)
    of_session: dict[str, list[Any]] = defaultdict(list)
    shown = (turns.c.id, turns.c.session, turns.c.number, turns.c.status, turns.c.chosen)
    for row in conn.execute(select(*shown).order_by(turns.c.session, turns.c.number)):
        of_session[row.session].append(row)
    for session, taken in of_session.items():
        yield from _numbering(f"the turns of session {session}", [turn.number for turn in taken])
        yield from _open_problems(session, taken)
        for turn in taken:
            yield from _reply_problems(turn, of_turn[turn.id])


def _open_problems(session: str, taken: Sequence[Any]) -> Iterator[str]:
    waiting = [turn for turn in taken if turn.status == "open"]
    if len(waiting) > 1:
        yield f"session {session} has {len(waiting)} open turns, and one at most is possible"
    if waiting and waiting[-1] is not taken[-1]:
        yield f"turn {waiting[-1].id} is open, and a later turn follows it"


def _reply_problems(turn: Any, own: Sequence[Any]) -> Iterator[str]:
    yield from _numbering(f"the replies to turn {turn.id}", [reply.ordinal for reply in own])
    if turn.status not in ("open", "answered", "withdrawn"):
        yield f"turn {turn.id} has the status {turn.status!r}, which there is not"
    elif turn.status == "answered":
        if turn.chosen not in {reply.id for reply in own}:
            chosen = f"its chosen reply {turn.chosen!r}"
            yield f"turn {turn.id} is answered, and {chosen} is none of its own"
    elif turn.status == "open" and (own or turn.chosen is not None):
        yield f"turn {turn.id} is {turn.status} and yet has a reply"


def _numbering(what: str, numbers: Sequence[int]) -> Iterator[str]:
    if list(numbers) != list(range(1, len(numbers) + 1)):
        yield f"{what} are numbered {_brief(numbers)} and not 1 to {len(numbers)}"


def _brief(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:10])) + (" ..." if len(numbers) > 10 else "")


def _trace_problems(conn: Connection) -> Iterator[str]:
    wanted = (
        replies.c.id,
        replies.c.revision,
        replies.c.recalled,
        replies.c.injected,
        sessions.c.account,
        sessions.c.user,
        sessions.c.agent,
        sessions.c.instance,
    )
    query = select(*wanted).join_from(replies, turns).join(sessions)
    histories: dict[tuple[str, str], _History] = {}
    for row in conn.execute(query.order_by(sessions.c.account, sessions.c.user)):
        owner = row.account, row.user
        if owner not in histories:
            histories = {owner: _history(conn, *owner)}
        yield from _trace_of(row, histories[owner])


def _trace_of(row: Any, history: "_History") -> Iterator[str]:
    try:
        recalled = [candidate["entry"] for candidate in json.loads(row.recalled)["candidates"]]
        injected = list(json.loads(row.injected))
    except (ValueError, KeyError, TypeError):
        yield f"the trace of reply {row.id} cannot be read"
        return
    if not 0 <= row.revision <= history.head:
        yield (
            f"reply {row.id} was written at revision {row.revision}, and its user has "
            f"{history.head}"
        )
        return
    for entry in sorted(set(injected) - set(recalled)):
        yield f"reply {row.id} was given entry {entry}, which was not recalled for it"
    for entry in dict.fromkeys([*recalled, *injected]):
        # The pool of an instance may hold superseded entries on purpose.
        if not history.held(entry, row.agent, row.revision, dead_too=row.instance is not None):
            yield (
                f"reply {row.id} recalled entry {entry}, which was not in its bank at revision "
                f"{row.revision}"
            )


@dataclass(slots=True)
class _History:
    """The operations on one user's and their dyads' entries."""

    head: int = 0
    numbers: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    """Numbers of the operations on an entry in the scope of an agent (or none), in order."""
    adds: dict[tuple[str, str], list[bool]] = field(default_factory=lambda: defaultdict(list))

    def held(self, entry: str, agent: str, revision: int, *, dead_too: bool) -> bool:
        """Whether the dyad with `agent` holds the entry, or has held it, at `revision`."""
        for scope in ("", agent):
            key = entry, scope
            count = bisect_right(self.numbers.get(key, []), revision)
            if count and (dead_too or self.adds[key][count - 1]):
                return True
        return False


def _history(conn: Connection, account: str, user: str) -> _History:
    history = _History()
    columns = operations.c.entry, operations.c.agent, operations.c.number, operations.c.kind
    query = select(*columns).where(operations.c.account == account, operations.c.user == user)
    for entry, agent, number, kind in conn.execute(query.order_by(operations.c.number)):
        history.numbers[entry, agent].append(number)
        history.adds[entry, agent].append(kind == "add")
        history.head = number
    return history
