"""A branch of a user's ledger: its first operations once more, for a user of its own.

A copy and no overlay: whatever reads or writes a bank works in a branch as it does on main, main
cannot see a branch nor a branch what main does later, and both keep their own counter. What is
copied keeps its key, number, cause and time, so that an entry and its copy are told to be the same.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlalchemy import Connection, insert, select, update

from memory_banks.entries import Add, Delete, Entry, Operation, Scope, State, digest
from memory_banks.forgetting import FORGETTING, FORGOTTEN
from memory_banks.ledger import (
    LedgerConflict,
    User,
    append,
    ensure_user,
    entries_by_id,
    find_user,
    live_among,
)
from memory_banks.rows import entry_row, operation_from, operation_row
from memory_banks.tables import entries, operations, users, vectors

BRANCH_USER = "branch:"
"""How the ids of users begin who are branches of others."""
_IN_CHUNK = 500


def copy_ledger(
    conn: Connection, account: str, user: str, revision: int, branch_user: str, at: str
) -> dict[str, str]:
    """Copy the user's operations up to `revision` to the new user `branch_user`, vectors included.

    What was live then and was forgotten since is deleted in the copy at once.

    Returns:
        the ids of the copied entries, by the ids of their originals.

    Raises:
        ValueError: if there is no such user or revision, or the branch is there already.
    """
    owner = find_user(conn, account, user)
    if owner is None or not 0 <= revision <= owner.head:
        raise ValueError(f"there is no revision {revision} of user {user!r}")
    if find_user(conn, account, branch_user) is not None:
        raise ValueError(f"there is a user {branch_user!r} already")
    ensure_user(conn, User(account, branch_user, owner.name, owner.profile, 0), at)
    found = _operations(conn, account, user, revision)
    held = entries_by_id(conn, {one.entry_id for one in found})
    copies = {one: moved(entry, branch_user) for one, entry in held.items()}
    ids = {one: copy.id for one, copy in copies.items()}
    if found:
        conn.execute(insert(entries), [entry_row(copy) for copy in copies.values()])
        rows = [operation_row(_copied(one, ids, branch_user)) for one in found]
        conn.execute(insert(operations), rows)
        _copy_vectors(conn, ids)
    mine = users.c.account == account, users.c.id == branch_user
    conn.execute(update(users).where(*mine).values(head=revision))
    blank = {copy.id: copy for copy in copies.values() if copy.text == FORGOTTEN}
    gone = sorted(live_among(conn, list(blank)))
    append(conn, [Delete(one, blank[one].scope, f"{FORGETTING}{one}") for one in gone], at)
    return ids


def moved(entry: Entry, user: str) -> Entry:
    """The entry as the same one of another user."""
    return replace(entry, scope=replace(entry.scope, user=user))


def reapplied(conn: Connection, chosen: Sequence[Operation], user: str) -> list[Add | Delete]:
    """Drafts that do for `user` what the chosen operations did in a branch, in their order.

    Each names its operation as its cause, so that merging twice is merging once; those merged
    before are left out. Lineage is kept as far as `user` ever had what was replaced.

    Raises:
        LedgerConflict: if an entry would be added that was forgotten, or in the place of one that
            is still in the bank.
    """
    merged = _done(conn, [_cause(one) for one in chosen], user)
    waiting = [one for one in chosen if _cause(one) not in merged]
    ids = {one.entry_id for one in waiting} | {r for one in waiting for r in one.replaces}
    copies = {one: moved(entry, user) for one, entry in entries_by_id(conn, ids).items()}
    there = [copy.id for copy in copies.values()]
    known, live = set(entries_by_id(conn, there)), live_among(conn, there)
    drafts: list[Add | Delete] = []
    for one in waiting:
        cause, reason = _cause(one), f"Merged from a branch: {one.reason or 'no reason'}"
        copy = copies[one.entry_id]
        if one.kind == "delete":
            drafts.append(Delete(copy.id, copy.scope, cause, reason))
            live.discard(copy.id)
            continue
        replaced = [copies[r] for r in one.replaces if r in copies and copies[r].id in known]
        _check_added(copy, replaced, live)
        drafts.append(Add(copy, cause, reason, tuple(old.id for old in replaced)))
        known.add(copy.id)
        live.add(copy.id)
    return drafts


def _cause(one: Operation) -> str:
    return f"merged:{one.id}"


def _done(conn: Connection, causes: Sequence[str], user: str) -> set[str]:
    """Those of `causes` that the user's ledger has an operation of already."""
    found: set[str] = set()
    for start in range(0, len(causes), _IN_CHUNK):
        chunk = causes[start : start + _IN_CHUNK]
        query = select(operations.c.cause).where(
            operations.c.user == user, operations.c.cause.in_(chunk)
        )
        found.update(conn.execute(query).scalars())
    return found


def _check_added(entry: Entry, replaced: Sequence[Entry], live: Collection[str]) -> None:
    if entry.text == FORGOTTEN:
        raise LedgerConflict("one of the entries was forgotten meanwhile")
    for old in replaced:
        if old.id in live:
            raise LedgerConflict(
                f"{entry.text!r} takes the place of {old.text!r}, which is still in the bank"
            )


@dataclass(frozen=True, slots=True)
class Difference:
    """An entry that two banks do not hold alike; both sides by its key."""

    kind: Literal["only before", "only after", "superseded", "deleted", "restored"]
    """`only`: the other never held it. The last three: live before and not after, or back."""
    before: State | None
    after: State | None

    @property
    def entry(self) -> Entry:
        """The entry, as the later side has it where both do."""
        state = self.after or self.before
        assert state is not None
        return state.entry


def differences(before: Sequence[State], after: Sequence[State]) -> list[Difference]:
    """What changed from one bank to the other: two revisions, or a branch and its origin.

    An entry is the same one where agent and key are; what both hold alike is left out. In the
    order of addition, those of `before` first.
    """
    earlier, later = _by_key(before), _by_key(after)
    found: list[Difference] = []
    for key, state in earlier.items():
        kind = _kind(state, later.get(key))
        if kind is not None:
            found.append(Difference(kind, state, later.get(key)))
    new = [state for key, state in later.items() if key not in earlier]
    return [*found, *(Difference("only after", None, state) for state in new)]


def _kind(
    before: State, after: State | None
) -> Literal["only before", "superseded", "deleted", "restored"] | None:
    if after is None:
        return "only before"
    if before.live == after.live:
        return None
    if after.live:
        return "restored"
    return "superseded" if after.replaced_by else "deleted"


def _by_key(states: Sequence[State]) -> dict[tuple[str, str], State]:
    return {(state.entry.scope.agent, state.entry.key): state for state in states}


def _operations(conn: Connection, account: str, user: str, revision: int) -> list[Operation]:
    query = select(operations).where(
        operations.c.account == account,
        operations.c.user == user,
        operations.c.number <= revision,
    )
    return [operation_from(row) for row in conn.execute(query.order_by(operations.c.number))]


def _copied(one: Operation, ids: Mapping[str, str], user: str) -> Operation:
    entry = ids[one.entry_id]
    return replace(
        one,
        id=digest(one.kind, entry, one.cause),
        scope=Scope(one.scope.account, user, one.scope.agent),
        entry_id=entry,
        replaces=tuple(ids[replaced] for replaced in one.replaces if replaced in ids),
    )


def _copy_vectors(conn: Connection, ids: Mapping[str, str]) -> None:
    originals = list(ids)
    for start in range(0, len(originals), _IN_CHUNK):
        chunk = originals[start : start + _IN_CHUNK]
        found = conn.execute(select(vectors).where(vectors.c.entry.in_(chunk))).all()
        rows = [
            {"entry": ids[row.entry], "embedder": row.embedder, "vector": row.vector}
            for row in found
        ]
        if rows:
            conn.execute(insert(vectors), rows)
