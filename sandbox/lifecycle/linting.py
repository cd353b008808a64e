"""Remarks on a bank, with the talk that its entries came from as the record has it."""

import json
from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import Connection, select

from memory_banks.entries import Dyad, State
from memory_banks.ledger import entries_by_id, states
from sandbox.banks import Banks
from sandbox.characters import Characters
from sandbox.lifecycle.lint import Remark, Talk, lint
from sandbox.record import Record
from sandbox.tables import replies, sessions, turns


class Linting:
    """Looks over the banks of every account, which every method takes first."""

    def __init__(self, record: Record, banks: Banks, characters: Characters) -> None:
        self._record = record
        self._banks = banks
        self._characters = characters

    def remarks(self, account: str, user: str, persona: str) -> list[Remark]:
        """What a person should look at in the dyad's bank; empty for an unknown user.

        Raises:
            BadInput, UnknownPersona: if the name cannot be taken or there is no such character.
        """
        dyad = self._banks.dyad(account, user, persona)
        shown = self._banks.user(account, user)
        name = self._characters.get(account, persona).name
        with self._record.read() as conn:
            found = states(conn, dyad)
            talk = talk_of(conn, dyad, found)
        return lint(found, talk, name, shown.name if shown else user)


def talk_of(conn: Connection, dyad: Dyad, found: Sequence[State]) -> Talk:
    """What was said in all of the user's sessions, and what their prompts showed from memory."""
    said: dict[str, list[str]] = defaultdict(list)
    shown: dict[str, list[str]] = defaultdict(list)
    searched: list[tuple[str, int]] = []
    columns = (turns.c.session, turns.c.id, turns.c.text, sessions.c.agent)
    told = (replies.c.text, replies.c.injected, replies.c.revision, replies.c.recalled)
    query = select(*columns, *(column.label(f"reply_{column.name}") for column in told))
    query = query.select_from(turns.join(sessions).outerjoin(replies))
    query = query.where(sessions.c.account == dyad.account, sessions.c.user == dyad.user)
    last = ""
    for row in conn.execute(query.order_by(turns.c.session, turns.c.number, replies.c.ordinal)):
        if row.id != last:
            said[row.session].append(row.text)
            last = row.id
        if row.reply_text is None:
            continue
        said[row.session].append(row.reply_text)
        shown[row.session] += json.loads(row.reply_injected)
        if json.loads(row.reply_recalled)["candidates"]:
            searched.append((row.agent, row.reply_revision))
    ids = {one for several in shown.values() for one in several}
    held = entries_by_id(conn, ids)
    return Talk(
        said=said,
        injected={key: [held[one].text for one in some] for key, some in shown.items()},
        chances={one.entry.id: _chances(one, searched) for one in found},
        recalled=frozenset(ids),
    )


def _chances(state: State, searched: Sequence[tuple[str, int]]) -> int:
    """Replies that could have been shown the entry: later ones, of an agent that sees it."""
    agent = state.entry.scope.agent
    return sum(revision >= state.added and agent in ("", other) for other, revision in searched)
