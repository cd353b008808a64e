"""Taking words out of the ledger for good. The only place where a ledger row is changed or removed.

Every function works on a connection whose transaction the caller opened. What else holds the words
(prompts, verdicts, the vector index, the database's free pages) is the caller's to clean.
"""

from collections.abc import Callable, Collection

from sqlalchemy import Connection, and_, delete, or_, select, update

from memory_banks.dialect import put
from memory_banks.entries import Scope
from memory_banks.tables import (
    captured,
    captures,
    decisions,
    entries,
    meta,
    operations,
    proposals,
    users,
    vectors,
)

FORGOTTEN = "[forgotten]"
"""What stands for forgotten words."""
FORGETTING = "forget:"
"""How the causes of deletions begin by which an entry is forgotten."""

_OWED = "forgetting"


def owe_cleaning(conn: Connection, debt: str) -> None:
    """Keep in mind, with what is forgotten, that the files hold its words still."""
    put(conn, meta, key=_OWED, value=debt)


def cleaning_owed(conn: Connection) -> str | None:
    """The latest debt; None where the files were cleaned since."""
    return conn.execute(select(meta.c.value).where(meta.c.key == _OWED)).scalar_one_or_none()


def pay_cleaning(conn: Connection, debt: str) -> None:
    """The files are clean as of `debt`; one that came later stays."""
    conn.execute(delete(meta).where(meta.c.key == _OWED, meta.c.value == debt))


def copies_of(conn: Connection, scope: Scope, key: str, others: Collection[str]) -> list[str]:
    """Ids of the entry with this key and its copies in the ledgers of the users `others`."""
    query = select(entries.c.id).where(
        entries.c.account == scope.account,
        entries.c.agent == scope.agent,
        entries.c.key == key,
        entries.c.user.in_({scope.user, *others}),
    )
    return sorted(conn.execute(query).scalars())


def blank_entries(conn: Connection, ids: Collection[str], *, untraced: bool = False) -> None:
    """Null what the entries say: text, anchor, emotion, scene and vectors.

    With `untraced` also which utterances they came from. Their operations stay: numbers and chains
    are as they were.
    """
    values = {"text": FORGOTTEN, "anchor": None, "emotion": None, "scene": None}
    if untraced:
        values |= {"session": None, "turns": "[]", "role": None}
    conn.execute(update(entries).where(entries.c.id.in_(ids)).values(**values))
    conn.execute(delete(vectors).where(vectors.c.entry.in_(ids)))
    said = operations.c.entry.in_(ids)
    conn.execute(update(operations).where(said).values(reason=""))


def clean_reasons(
    conn: Connection, account: str, people: Collection[str], clean: Callable[[str], str]
) -> None:
    """Put `clean` of it in the place of every reason that an operation of these users gives."""
    mine = operations.c.account == account, operations.c.user.in_(people)
    given = conn.execute(select(operations.c.reason).where(*mine).distinct()).scalars().all()
    for reason in given:
        if (told := clean(reason)) != reason:
            same = update(operations).where(*mine, operations.c.reason == reason)
            conn.execute(same.values(reason=told))


def remove_captures(conn: Connection, sessions: Collection[str]) -> None:
    """Remove what was captured from these sessions, proposed and decided."""
    mine = select(captures.c.id).where(captures.c.session.in_(sessions))
    held = select(proposals.c.id).where(proposals.c.capture.in_(mine))
    conn.execute(delete(decisions).where(decisions.c.proposal.in_(held)))
    conn.execute(delete(proposals).where(proposals.c.capture.in_(mine)))
    conn.execute(delete(captured).where(captured.c.capture.in_(mine)))
    conn.execute(delete(captures).where(captures.c.session.in_(sessions)))


def remove_users(conn: Connection, account: str, ids: Collection[str]) -> dict[str, int]:
    """Remove these users and everything in their ledgers; how many rows, by table.

    Their captures must be gone already.
    """
    whose = and_(entries.c.account == account, entries.c.user.in_(ids))
    own = select(entries.c.id).where(whose)
    theirs = or_(
        and_(operations.c.account == account, operations.c.user.in_(ids)),
        operations.c.entry.in_(own),
    )
    counts = {
        "vectors": conn.execute(delete(vectors).where(vectors.c.entry.in_(own))).rowcount,
        "operations": conn.execute(delete(operations).where(theirs)).rowcount,
        "entries": conn.execute(delete(entries).where(whose)).rowcount,
    }
    gone = users.c.account == account, users.c.id.in_(ids)
    return counts | {"users": conn.execute(delete(users).where(*gone)).rowcount}
