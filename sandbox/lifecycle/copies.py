"""Who and what holds copies of the same words: branches, copied sessions, entries of those.

Every function works on a connection whose transaction the caller opened.
"""

from collections.abc import Collection, Iterator

from sqlalchemy import Connection, select

from memory_banks.branching import BRANCH_USER
from memory_banks.entries import Entry
from memory_banks.forgetting import FORGOTTEN
from memory_banks.ledger import entries_by_id
from memory_banks.rows import texts_from
from memory_banks.tables import entries
from sandbox.lifecycle.forking import copy_id
from sandbox.tables import branches, sessions


def copied_turns(entry: Entry, told: Collection[str]) -> list[str]:
    """Ids of the entry's utterances in its session and in the copies of that."""
    own = entry.provenance.session or ""
    return [f"{one}{turn.removeprefix(own)}" for one in told for turn in entry.provenance.turns]


def line_of(conn: Connection, account: str, user: str) -> list[str]:
    """The user, all users it is a branch of, and all their branches: whoever may hold a copy."""
    root = user
    while root.startswith(BRANCH_USER):
        query = select(branches.c.origin).where(
            branches.c.account == account, branches.c.id == root.removeprefix(BRANCH_USER)
        )
        root = conn.execute(query).scalar_one()
    return descendants(conn, account, root)


def descendants(conn: Connection, account: str, user: str) -> list[str]:
    """The user and every branch of theirs, and the branches of those."""
    found = [user]
    for one in found:
        query = select(branches.c.id).where(branches.c.account == account, branches.c.origin == one)
        found += [f"{BRANCH_USER}{key}" for key in conn.execute(query).scalars()]
    return found


def branch_ids(people: Collection[str]) -> list[str]:
    """Ids of the branches among these users."""
    return [one.removeprefix(BRANCH_USER) for one in people if one.startswith(BRANCH_USER)]


def sessions_of(conn: Connection, account: str, people: Collection[str]) -> list[str]:
    """Ids of these users' sessions."""
    query = select(sessions.c.id).where(sessions.c.account == account, sessions.c.user.in_(people))
    return list(conn.execute(query).scalars())


def with_copies(conn: Connection, account: str, session_id: str) -> list[str]:
    """The session, its copies in branches (forked, or read again there), and theirs."""
    mine = branches.c.account == account
    every = list(conn.execute(select(branches.c.id).where(mine)).scalars())
    found = [session_id]
    for one in found:
        query = select(branches.c.copy).where(mine, branches.c.session == one)
        found += [copy for copy in conn.execute(query).scalars() if copy]
        again = [copy_id(branch, one) for branch in every]
        query = select(sessions.c.id).where(sessions.c.account == account)
        found += conn.execute(query.where(sessions.c.id.in_(again))).scalars()
    return found


def entries_from(conn: Connection, sessions_gone: Collection[str]) -> dict[str, Entry]:
    """The entries whose words came from these sessions, forgotten ones left out."""
    query = select(entries.c.id).where(
        entries.c.session.in_(sessions_gone), entries.c.text != FORGOTTEN
    )
    return entries_by_id(conn, conn.execute(query).scalars())


def same_told(
    conn: Connection,
    told: Collection[str],
    memory: Collection[str],
    turns: Collection[str] = (),
    said: Collection[str] = (),
) -> list[str]:
    """Ids of entries from these sessions that say what `memory` does, or part of what was `said`.

    The latter only where they rest on one of `turns`. A session that is read again in a branch
    gives entries of its own.
    """
    query = select(entries.c.id, entries.c.text, entries.c.turns).where(entries.c.session.in_(told))
    found: list[str] = []
    for row in conn.execute(query.where(entries.c.text != FORGOTTEN)):
        rests = not set(turns).isdisjoint(texts_from(row.turns))
        if row.text in memory or (rests and any(row.text in one for one in said)):
            found.append(row.id)
    return sorted(found)


def said_elsewhere(
    conn: Connection, account: str, text: str, gone: Collection[str]
) -> Iterator[str]:
    """A sentence where entries that are not `gone` say the same words."""
    query = select(entries.c.id).where(entries.c.account == account, entries.c.text == text)
    count = len(set(conn.execute(query).scalars()) - set(gone))
    if count:
        yield f"{count} other entries say the same word for word and stay: forget each of them too."
