"""Branches: another way a user's memory could have gone, from any turn or revision on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from memory_banks import ledger
from memory_banks.branching import BRANCH_USER, Difference, copy_ledger, differences, reapplied
from memory_banks.entries import Dyad, Operation, Scope
from memory_banks.forgetting import FORGETTING
from memory_banks.ledger import LedgerConflict
from sandbox.clock import iso
from sandbox.inputs import BadInput, checked_line
from sandbox.lifecycle.forking import fork_session
from sandbox.record import Record
from sandbox.reply_traces import find_reply
from sandbox.tables import branches
from sandbox.transcripts import Session, transcript


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch of a user's memory, with every agent in it."""

    id: str
    account: str
    origin: str
    """Id of the user it was made of, who may be a branch too."""
    revision: int
    """The origin's revision it begins at; its own operations are numbered from here on."""
    name: str
    session: str | None
    """The session it was forked from; null where it was made of a bank."""
    turn: int | None
    """Number of the last turn that was taken over."""
    copy: str | None
    """The session it was forked into."""
    created_at: str
    deleted_at: str | None

    @property
    def user(self) -> str:
        """Id of the user whose ledger and sessions are the branch's own."""
        return f"{BRANCH_USER}{self.id}"


class Branches:
    """The branches of every account, which every method takes first."""

    def __init__(
        self,
        record: Record,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        changed: Callable[[Sequence[Scope]], None],
    ) -> None:
        self._record = record
        self._clock = clock
        self._new_id = new_id
        self._changed = changed

    def fork(
        self, account: str, session_id: str, turn: int | None = None, *, name: str = ""
    ) -> tuple[Branch, Session]:
        """Branch off behind a turn (the last if None): its session up to there, and its bank.

        The bank is the one that the turn's reply saw; before the first turn, today's. The copied
        session is open, also where the original has ended.

        Raises:
            BadInput: if there is no such turn, or it has no reply yet.
            UnknownSession: if the account has no such session.
        """
        with self._record.write("T6") as conn:
            whole = transcript(conn, account, session_id)
            told = [one for one in whole.turns if one.reply is not None]
            last = (told[-1].number if told else 0) if turn is None else turn
            if last and last not in {one.number for one in told}:
                raise BadInput(f"Session {session_id} has no answered turn {last}: pick another.")
            kept = [one for one in told if one.number <= last]
            revision = _revision(conn, whole.session, kept[-1].chosen if kept else None)
            label = name or f"{whole.session.speaker}, after turn {last}"
            copy = self._new_id()
            origin = _Origin(revision, session_id, last, copy)
            branch = self._store(conn, whole.session.dyad, label, origin)
            ids = copy_ledger(
                conn, account, whole.session.user, revision, branch.user, branch.created_at
            )
            new = fork_session(conn, whole.session, kept, ids, branch.user, copy)
            scopes = _scopes(conn, branch)
        self._changed(scopes)
        return branch, new

    def make(self, account: str, dyad: Dyad, revision: int, *, name: str = "") -> Branch:
        """Branch off a user's memory at a revision, without a session.

        Raises:
            BadInput: if there is no such user or revision.
        """
        with self._record.write("T6") as conn:
            latest = ledger.head(conn, account, dyad.user)
            if ledger.find_user(conn, account, dyad.user) is None or not 0 <= revision <= latest:
                raise BadInput(f"The revision must be 0 to {latest}, got {revision}.")
            branch = self._store(conn, dyad, name or f"revision {revision}", _Origin(revision))
            copy_ledger(conn, account, dyad.user, revision, branch.user, branch.created_at)
            scopes = _scopes(conn, branch)
        self._changed(scopes)
        return branch

    def all(self, account: str, origin: str, *, deleted: bool = False) -> list[Branch]:
        """The branches of a user, oldest first; of a branch's user, those of that branch."""
        with self._record.read() as conn:
            return branches_of(conn, account, origin, deleted=deleted)

    def find(self, account: str, branch_id: str) -> Branch:
        """The branch with this id, also a deleted one.

        Raises:
            BadInput: if the account has none.
        """
        with self._record.read() as conn:
            return _find(conn, account, branch_id)

    def of(self, account: str, user: str) -> Branch | None:
        """The branch whose user this is; None for a user who is none's."""
        if not user.startswith(BRANCH_USER):
            return None
        return self.find(account, user.removeprefix(BRANCH_USER))

    def rename(self, account: str, branch_id: str, name: str) -> Branch:
        """Give a branch another name.

        Raises:
            BadInput: if there is no such branch, or the name cannot be taken.
        """
        told = checked_line(name, "the branch's name")
        if not told:
            raise BadInput("The branch needs a name.")
        return self._update(account, branch_id, name=told)

    def delete(self, account: str, branch_id: str) -> Branch:
        """Take a branch out of every list; `restore` brings it back whole."""
        return self._update(account, branch_id, deleted_at=iso(self._clock()))

    def restore(self, account: str, branch_id: str) -> Branch:
        """Bring a deleted branch back."""
        return self._update(account, branch_id, deleted_at=None)

    def compare(self, account: str, branch_id: str, agent: str) -> list[Difference]:
        """What the branch's bank with an agent holds otherwise than its origin's does today."""
        with self._record.read() as conn:
            branch = _find(conn, account, branch_id)
            before = ledger.states(conn, Dyad(account, branch.origin, agent))
            after = ledger.states(conn, Dyad(account, branch.user, agent))
        return differences(before, after)

    def operations(self, account: str, branch_id: str, agent: str) -> list[Operation]:
        """The branch's own operations that an agent sees, oldest first: what can be merged."""
        with self._record.read() as conn:
            branch = _find(conn, account, branch_id)
            dyad = Dyad(account, branch.user, agent)
            found = ledger.operations_of(conn, dyad, after=branch.revision)
        return [one for one in found if _mergeable(one)]

    def merge(self, account: str, branch_id: str, chosen: Sequence[str]) -> list[Operation]:
        """Do the chosen operations of a branch again on its origin, in the branch's order.

        All of them or none; merging the same ones twice is merging them once.

        Raises:
            BadInput: if one is none of the branch's own, or does not fit the origin any more.
        """
        with self._record.write("T6") as conn:
            branch = _find(conn, account, branch_id)
            own = _own_operations(conn, branch)
            if strange := set(chosen) - own.keys():
                raise BadInput(f"{min(strange)!r} is no operation of branch {branch.name!r}.")
            wanted = [one for key, one in own.items() if key in set(chosen)]
            try:
                drafts = reapplied(conn, wanted, branch.origin)
                written = ledger.append(conn, drafts, iso(self._clock()))
            except LedgerConflict as error:
                raise BadInput(
                    f"Nothing was merged: {error}. Choose the operations it builds on too, or "
                    "leave it out."
                ) from error
        if written:
            self._changed(sorted({one.scope for one in written}, key=lambda scope: scope.key))
        return written

    def _store(self, conn: Connection, dyad: Dyad, name: str, origin: "_Origin") -> Branch:
        branch = Branch(
            id=self._new_id(),
            account=dyad.account,
            origin=dyad.user,
            revision=origin.revision,
            name=checked_line(name, "the branch's name") or "",
            session=origin.session,
            turn=origin.turn,
            copy=origin.copy,
            created_at=iso(self._clock()),
            deleted_at=None,
        )
        row = {name: getattr(branch, name) for name in branch.__dataclass_fields__}
        conn.execute(insert(branches).values(**row))
        return branch

    def _update(self, account: str, branch_id: str, **values: Any) -> Branch:
        with self._record.write("T6") as conn:
            _find(conn, account, branch_id)
            conn.execute(update(branches).where(branches.c.id == branch_id).values(**values))
            return _find(conn, account, branch_id)


def branches_of(
    conn: Connection, account: str, origin: str, *, deleted: bool = False
) -> list[Branch]:
    """The branches of a user, oldest first; with `deleted` those too."""
    query = select(branches).where(branches.c.account == account, branches.c.origin == origin)
    if not deleted:
        query = query.where(branches.c.deleted_at.is_(None))
    rows = conn.execute(query.order_by(branches.c.created_at, branches.c.id))
    return [_branch(row) for row in rows]


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a branch begins."""

    revision: int
    session: str | None = None
    turn: int | None = None
    copy: str | None = None


def _find(conn: Connection, account: str, branch_id: str) -> Branch:
    ours = branches.c.id == branch_id, branches.c.account == account
    if (row := conn.execute(select(branches).where(*ours)).one_or_none()) is None:
        raise BadInput(f"There is no branch {branch_id!r}: reload the page and pick another.")
    return _branch(row)


def _branch(row: Row[Any]) -> Branch:
    return Branch(**{name: getattr(row, name) for name in Branch.__dataclass_fields__})


def _revision(conn: Connection, session: Session, reply: str | None) -> int:
    """The revision that a reply saw; today's where there is none."""
    if reply is None:
        return ledger.head(conn, session.account, session.user)
    return find_reply(conn, session.account, reply).revision


def _scopes(conn: Connection, branch: Branch) -> list[Scope]:
    """The scopes of the branch that hold something, of every agent."""
    mine = branch.account, branch.user
    return [scope for scope in ledger.scopes(conn) if (scope.account, scope.user) == mine]


def _mergeable(one: Operation) -> bool:
    """Whether it can be done again: what is forgotten is so everywhere and needs no merging."""
    return not one.cause.startswith(FORGETTING)


def _own_operations(conn: Connection, branch: Branch) -> dict[str, Operation]:
    """Operations of every agent in the branch that its origin has not, by id, in order."""
    found: dict[int, Operation] = {}
    for scope in _scopes(conn, branch):
        for one in ledger.scope_operations(conn, scope, after=branch.revision):
            if _mergeable(one):
                found[one.number] = one
    return {one.id: one for _number, one in sorted(found.items())}
