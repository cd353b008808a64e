"""The append-only ledger: operations on entries, numbered by one counter a user.

Every function works on a connection whose transaction the caller opened.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Select, and_, insert, or_, select, update

from memory_banks.dialect import insert_new
from memory_banks.entries import Add, Delete, Dyad, Entry, Operation, Scope, State
from memory_banks.rows import entry_from, entry_row, operation_from, operation_row, texts_from
from memory_banks.tables import entries, operations, users

_IN_CHUNK = 500
_TOLD = [operations.c[name] for name in ("number", "kind", "entry", "replaces", "reason")]


class LedgerConflict(ValueError):
    """An operation that no longer fits the bank: its entry is gone, or already there."""


@dataclass(frozen=True, slots=True)
class User:
    """A user as the ledger knows them."""

    account: str
    id: str
    name: str
    profile: str
    head: int
    """The number of the latest operation on anything of theirs; 0 where there is none."""


def ensure_user(conn: Connection, user: User, at: str) -> User:
    """The stored user with this account and id; `user` itself, now stored, where there is none."""
    insert_new(
        conn,
        users,
        account=user.account,
        id=user.id,
        name=user.name,
        profile=user.profile,
        head=0,
        created_at=at,
    )
    found = find_user(conn, user.account, user.id)
    assert found is not None
    return found


def find_user(conn: Connection, account: str, user: str) -> User | None:
    """The user with this id, or None."""
    row = conn.execute(
        select(users).where(users.c.account == account, users.c.id == user)
    ).one_or_none()
    return None if row is None else User(row.account, row.id, row.name, row.profile, row.head)


def list_users(conn: Connection, account: str) -> list[User]:
    """The account's users, by name."""
    rows = conn.execute(select(users).where(users.c.account == account).order_by(users.c.name))
    return [User(row.account, row.id, row.name, row.profile, row.head) for row in rows]


def describe_user(conn: Connection, account: str, user: str, name: str, profile: str) -> None:
    """Store the name and short profile shown for a user."""
    mine = users.c.account == account, users.c.id == user
    conn.execute(update(users).where(*mine).values(name=name, profile=profile))


def head(conn: Connection, account: str, user: str) -> int:
    """The user's counter: the number of the latest operation; 0 for an unknown user."""
    found = find_user(conn, account, user)
    return found.head if found else 0


def append(conn: Connection, drafts: Sequence[Add | Delete], at: str) -> list[Operation]:
    """Write `drafts` in order, all of one user, and return the operations that are new.

    A draft whose operation is already written is passed over: doing it twice is doing it once.

    Raises:
        LedgerConflict: if an entry to be deleted is not live or not of the draft's scope, or one to
            be added is live, or differs from the stored one of the same scope and key.
        ValueError: if the drafts touch more than one user, or one that does not exist.
    """
    if not drafts:
        return []
    number = _lock(conn, drafts)
    account, user = _owner(drafts[0])
    known = _known(conn, [draft.id for draft in drafts])
    ids = [draft.entry.id if isinstance(draft, Add) else draft.entry_id for draft in drafts]
    live, held = live_among(conn, ids), entries_by_id(conn, ids)
    written: list[Operation] = []
    for draft in drafts:
        if draft.id in known:
            continue
        _check(draft, live, held)
        number += 1
        written.append(_write(conn, draft, number, at))
        known.add(draft.id)
    conn.execute(
        update(users).where(users.c.account == account, users.c.id == user).values(head=number)
    )
    return written


def operations_of(
    conn: Connection, dyad: Dyad, *, after: int = 0, until: int | None = None
) -> list[Operation]:
    """The operations this dyad sees with `after < number <= until`, in order."""
    query = _in_order([operations], _seen_by(dyad), after, until)
    return [operation_from(row) for row in conn.execute(query)]


def scope_operations(
    conn: Connection, scope: Scope, *, after: int = 0, until: int | None = None
) -> list[Operation]:
    """The operations of exactly one scope with `after < number <= until`, in order."""
    query = _in_order([operations], _in_scope(scope), after, until)
    return [operation_from(row) for row in conn.execute(query)]


def live_ids(conn: Connection, scope: Scope, revision: int | None = None) -> list[str]:
    """Ids of the entries of one scope that are live at `revision` (head if None), oldest first."""
    query = select(operations.c.kind, operations.c.entry).where(_in_scope(scope))
    if revision is not None:
        query = query.where(operations.c.number <= revision)
    live: dict[str, None] = {}
    for kind, entry in conn.execute(query.order_by(operations.c.number)):
        if kind == "add":
            live[entry] = None
        else:
            live.pop(entry, None)
    return list(live)


def live_among(conn: Connection, ids: Sequence[str]) -> set[str]:
    """Those of the entries with these ids that are live now."""
    last: dict[str, str] = {}
    for start in range(0, len(ids), _IN_CHUNK):
        query = (
            select(operations.c.entry, operations.c.kind)
            .where(operations.c.entry.in_(ids[start : start + _IN_CHUNK]))
            .order_by(operations.c.number)
        )
        last.update((row.entry, row.kind) for row in conn.execute(query))
    return {entry for entry, kind in last.items() if kind == "add"}


def operations_caused_by(conn: Connection, dyad: Dyad, causes: Sequence[str]) -> list[Operation]:
    """The operations this dyad sees that one of `causes` asked for, in order."""
    query = select(operations).where(_seen_by(dyad), operations.c.cause.in_(causes))
    return [operation_from(row) for row in conn.execute(query.order_by(operations.c.number))]


def scopes(conn: Connection) -> list[Scope]:
    """Every scope that has an operation."""
    columns = (operations.c.account, operations.c.user, operations.c.agent)
    return [Scope(*row) for row in conn.execute(select(*columns).distinct().order_by(*columns))]


def states(conn: Connection, dyad: Dyad, revision: int | None = None) -> list[State]:
    """Every entry this dyad's bank has held up to `revision`, live or not, in order of addition."""
    query = _in_order(_TOLD, _seen_by(dyad), until=revision)
    # Tens of thousands are read here: plain tuples cost the garbage collector nothing.
    adds: dict[str, tuple[int, str, str]] = {}
    deletes: dict[str, tuple[int, str]] = {}
    replaced_by: dict[str, str] = {}
    told = chain.from_iterable(conn.execute(query).partitions(_IN_CHUNK))
    for number, kind, entry, replaces, reason in told:
        if kind == "add":
            adds.pop(entry, None)
            adds[entry] = number, replaces, reason
            deletes.pop(entry, None)
            replaced_by.pop(entry, None)
            replaced_by.update(dict.fromkeys(texts_from(replaces), entry))
        else:
            deletes[entry] = number, reason
    found = entries_by_id(conn, adds)
    return [
        _state(found[entry], add, deletes.get(entry), replaced_by.get(entry))
        for entry, add in adds.items()
    ]


def entries_by_id(conn: Connection, ids: Iterable[str]) -> dict[str, Entry]:
    """The entries with these ids; ids that name none are left out."""
    wanted = list(ids)
    found: dict[str, Entry] = {}
    for start in range(0, len(wanted), _IN_CHUNK):
        query = select(entries).where(entries.c.id.in_(wanted[start : start + _IN_CHUNK]))
        found.update((row[0], entry_from(row)) for row in conn.execute(query).all())
    return found


def _state(
    entry: Entry, add: tuple[int, str, str], delete: tuple[int, str] | None, by: str | None
) -> State:
    number, replaces, reason = add
    return State(
        entry=entry,
        added=number,
        deleted=delete[0] if delete else None,
        replaces=texts_from(replaces),
        replaced_by=by if delete else None,
        reason=delete[1] if delete else reason,
        add_reason=reason,
    )


def _owner(draft: Add | Delete) -> tuple[str, str]:
    scope = draft.entry.scope if isinstance(draft, Add) else draft.scope
    return scope.account, scope.user


def _lock(conn: Connection, drafts: Sequence[Add | Delete]) -> int:
    """Lock the row of the drafts' one user and return the user's counter."""
    owners = {_owner(draft) for draft in drafts}
    if len(owners) > 1:
        raise ValueError(f"operations must belong to one user, got {len(owners)}")
    account, user = owners.pop()
    counter = conn.execute(
        select(users.c.head).where(users.c.account == account, users.c.id == user).with_for_update()
    ).scalar_one_or_none()
    if counter is None:
        raise ValueError(f"there is no user {user!r}")
    return int(counter)


def _known(conn: Connection, ids: list[str]) -> set[str]:
    found: set[str] = set()
    for start in range(0, len(ids), _IN_CHUNK):
        chunk = ids[start : start + _IN_CHUNK]
        query: Select[Any] = select(operations.c.id).where(operations.c.id.in_(chunk))
        found.update(conn.execute(query).scalars())
    return found


def _check(draft: Add | Delete, live: set[str], held: dict[str, Entry]) -> None:
    """Refuse a draft that does not fit what is live and held, and follow it otherwise."""
    if isinstance(draft, Add):
        if draft.entry.id in live:
            raise LedgerConflict(f"the entry {draft.entry.text!r} is in the bank already")
        if held.setdefault(draft.entry.id, draft.entry) != draft.entry:
            raise LedgerConflict(f"the key {draft.entry.key!r} names another entry already")
        live.add(draft.entry.id)
    else:
        if draft.entry_id not in live:
            raise LedgerConflict(f"entry {draft.entry_id} is not in the bank any more")
        if held[draft.entry_id].scope != draft.scope:
            raise LedgerConflict(f"entry {draft.entry_id} is not in this scope of the bank")
        live.discard(draft.entry_id)


def _write(conn: Connection, draft: Add | Delete, number: int, at: str) -> Operation:
    if isinstance(draft, Add):
        insert_new(conn, entries, **entry_row(draft.entry))
    operation = Operation(
        id=draft.id,
        scope=draft.entry.scope if isinstance(draft, Add) else draft.scope,
        number=number,
        kind="add" if isinstance(draft, Add) else "delete",
        entry_id=draft.entry.id if isinstance(draft, Add) else draft.entry_id,
        replaces=draft.replaces if isinstance(draft, Add) else (),
        reason=draft.reason,
        cause=draft.cause,
        at=at,
        imported=draft.imported,
    )
    conn.execute(insert(operations).values(**operation_row(operation)))
    return operation


def _in_order(
    columns: Sequence[Any], where: Any, after: int = 0, until: int | None = None
) -> Select[Any]:
    """The operations with `after < number <= until`, oldest first."""
    query = select(*columns).where(where, operations.c.number > after)
    if until is not None:
        query = query.where(operations.c.number <= until)
    return query.order_by(operations.c.number)


def _in_scope(scope: Scope) -> Any:
    return and_(
        operations.c.account == scope.account,
        operations.c.user == scope.user,
        operations.c.agent == scope.agent,
    )


def _seen_by(dyad: Dyad) -> Any:
    return or_(*(_in_scope(scope) for scope in dyad.scopes))
