"""Forgetting for good: an entry, its turns, a session or a person; an audit line stays."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select

from memory_banks.branching import BRANCH_USER
from memory_banks.entries import Delete, Dyad, Entry, canonical, digest
from memory_banks.forgetting import (
    FORGOTTEN,
    blank_entries,
    cleaning_owed,
    copies_of,
    owe_cleaning,
    pay_cleaning,
    remove_captures,
    remove_users,
)
from memory_banks.ledger import append, entries_by_id, find_user, live_among
from memory_banks.tables import entries
from sandbox.clock import iso
from sandbox.inputs import BadInput, checked_user
from sandbox.lifecycle.cleaning import blank_utterances, clean_sessions, remove_sessions, still_said
from sandbox.lifecycle.cleaning_authored import (
    clean_authored,
    clean_openings,
    opened_of,
    remove_authored_of,
    same_words,
)
from sandbox.record import Record
from sandbox.tables import audit, branches, sessions
from sandbox.transcripts import find_session

NOT_COVERED = (
    "Backups, exported files and the files of imported collections are not touched: delete them "
    "where they are."
)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten."""

    counts: dict[str, int]
    """How many rows of what were blanked or removed."""
    left: tuple[str, ...]
    """What still holds the words, in sentences; NOT_COVERED at least."""


class _Foreseen(Exception):
    """Everything is counted: nothing of it is to be kept."""


class Forgetting:
    """Forgets for every account, which every method takes first."""

    def __init__(
        self,
        record: Record,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        erase: Callable[[], None],
    ) -> None:
        self._record = record
        self._clock = clock
        self._new_id = new_id
        self._erase = erase

    def entry(
        self,
        account: str,
        dyad: Dyad,
        entry_id: str,
        *,
        with_turns: bool = False,
        foresee: bool = False,
    ) -> Forgotten:
        """Forget a memory: what it says, here and in every branch, and each copy of its words.

        With `with_turns` also what was said in the utterances it comes from. It is deleted from
        every bank it is live in; those banks' histories keep their numbers. With `foresee` nothing
        is changed, and what would be forgotten is told.

        Raises:
            BadInput: if the dyad has no such entry, or it is forgotten already.
        """
        now = iso(self._clock())
        with self._changing(foresee) as conn:
            entry = _entry(conn, account, dyad, entry_id)
            people = _line_of(conn, account, entry.scope.user)
            ids = copies_of(conn, entry.scope, entry.key, people)
            opened = opened_of(conn, account, cited=ids)
            ids += same_words(conn, account, opened, entry.text)
            held = entries_by_id(conn, ids)
            touched = _sessions_of(conn, account, [*people, *opened])
            counts = {"entries": len(held), "utterances": 0}
            words = [entry.text]
            if with_turns and entry.provenance.session:
                told = _with_forks(conn, account, entry.provenance.session)
                said = blank_utterances(conn, _copied(entry, told))
                clean_sessions(conn, told, said, [])
                counts["utterances"] = len(entry.provenance.turns)
                words += said
            counts["instances"] = clean_authored(conn, account, words, list(held), now)
            clean_openings(conn, _sessions_of(conn, account, opened), words)
            self._blank(conn, held)
            counts["replies"] = clean_sessions(conn, touched, [entry.text], list(held))
            left = [*still_said(conn, touched, entry.text), NOT_COVERED]
            self._note(conn, account, "entry", entry_id, counts)
        return self._done(counts, left, foresee)

    def session(self, account: str, session_id: str, *, foresee: bool = False) -> Forgotten:
        """Forget a session and its forks: all that was said, and the memories it left.

        With `foresee` nothing is changed.

        Raises:
            UnknownSession: if the account has no such session.
        """
        now = iso(self._clock())
        with self._changing(foresee) as conn:
            session = find_session(conn, account, session_id)
            gone = _with_forks(conn, account, session_id)
            gone += _sessions_of(conn, account, opened_of(conn, account, gone=gone))
            held = _entries_from(conn, gone)
            people = _line_of(conn, account, session.user)
            counts = {"entries": len(held)}
            words = [one.text for one in held.values()]
            touched = _sessions_of(conn, account, people)
            counts["replies elsewhere"] = clean_sessions(
                conn, sorted(set(touched) - set(gone)), words, list(held)
            )
            self._blank(conn, held, untraced=True)
            remove_captures(conn, gone)
            counts["instances"] = remove_authored_of(conn, account, gone, now)
            clean_authored(conn, account, words, list(held), now)
            counts |= remove_sessions(conn, gone)
            self._note(conn, account, "session", session_id, counts)
        return self._done(counts, [NOT_COVERED], foresee)

    def user(self, account: str, user: str, *, foresee: bool = False) -> Forgotten:
        """Forget a person: every memory, session, branch and verdict of theirs, and their name.

        With `foresee` nothing is changed.

        Raises:
            BadInput: if the account knows nobody of that name.
        """
        known, now = checked_user(user), iso(self._clock())
        with self._changing(foresee) as conn:
            if find_user(conn, account, known) is None:
                raise BadInput(f"Nobody is called {user[:80]!r} here: there is nothing to forget.")
            people = _descendants(conn, account, known)
            gone = _sessions_of(conn, account, people)
            people += opened_of(conn, account, gone=gone)
            gone = _sessions_of(conn, account, people)
            remove_captures(conn, gone)
            made = remove_authored_of(conn, account, gone, now)
            counts = remove_sessions(conn, gone) | remove_users(conn, account, people)
            counts["instances"] = made
            conn.execute(
                branches.delete().where(
                    branches.c.account == account,
                    branches.c.origin.in_(people) | branches.c.id.in_(_ids(people)),
                )
            )
            self._note(conn, account, "user", digest("forgotten user", account, known), counts)
        return self._done(counts, [NOT_COVERED], foresee)

    def finish(self) -> None:
        """Clean the files of what is forgotten, also where a crash kept that from being done."""
        with self._record.read() as conn:
            debt = cleaning_owed(conn)
        if debt is None:
            return
        self._record.compact()
        self._erase()
        with self._record.write("derived") as conn:
            pay_cleaning(conn, debt)

    def audited(self, account: str) -> list[tuple[str, str, str]]:
        """The audit lines: when, what kind, which counts (JSON); oldest first."""
        query = select(audit).where(audit.c.account == account).order_by(audit.c.created_at)
        with self._record.read() as conn:
            return [(row.created_at, row.kind, row.counts) for row in conn.execute(query)]

    def _blank(self, conn: Connection, held: dict[str, Entry], *, untraced: bool = False) -> None:
        """Delete the entries where they are live, then blank them."""
        for one in sorted(live_among(conn, list(held))):
            gone = Delete(one, held[one].scope, f"forget:{one}", "Forgotten.")
            append(conn, [gone], iso(self._clock()))
        blank_entries(conn, list(held), untraced=untraced)

    def _note(
        self, conn: Connection, account: str, kind: str, target: str, counts: dict[str, int]
    ) -> None:
        noted = self._new_id()
        owe_cleaning(conn, noted)
        conn.execute(
            insert(audit).values(
                id=noted,
                account=account,
                kind=kind,
                target=target,
                counts=canonical(counts),
                created_at=iso(self._clock()),
            )
        )

    @contextmanager
    def _changing(self, foresee: bool) -> Iterator[Connection]:
        """A transaction; one that is rolled back where it is only to be foreseen."""
        with suppress(_Foreseen), self._record.write("T6") as conn:
            yield conn
            if foresee:
                raise _Foreseen

    def _done(self, counts: dict[str, int], left: Iterable[str], foresee: bool) -> Forgotten:
        if not foresee:
            self.finish()
        return Forgotten(counts, tuple(left))


def _entry(conn: Connection, account: str, dyad: Dyad, entry_id: str) -> Entry:
    entry = entries_by_id(conn, [entry_id]).get(entry_id)
    if entry is None or entry.scope not in dyad.scopes or dyad.account != account:
        raise BadInput("There is no such entry in this bank: reload the page.")
    if entry.text == FORGOTTEN:
        raise BadInput("The entry is forgotten already.")
    return entry


def _copied(entry: Entry, told: Collection[str]) -> list[str]:
    """Ids of the entry's utterances in its session and in the copies of that."""
    own = entry.provenance.session or ""
    return [f"{one}{turn.removeprefix(own)}" for one in told for turn in entry.provenance.turns]


def _line_of(conn: Connection, account: str, user: str) -> list[str]:
    """The user, all users it is a branch of, and all their branches: whoever may hold a copy."""
    root = user
    while root.startswith(BRANCH_USER):
        query = select(branches.c.origin).where(
            branches.c.account == account, branches.c.id == root.removeprefix(BRANCH_USER)
        )
        root = conn.execute(query).scalar_one()
    return _descendants(conn, account, root)


def _descendants(conn: Connection, account: str, user: str) -> list[str]:
    """The user and every branch of theirs, and the branches of those."""
    found = [user]
    for one in found:
        query = select(branches.c.id).where(branches.c.account == account, branches.c.origin == one)
        found += [f"{BRANCH_USER}{key}" for key in conn.execute(query).scalars()]
    return found


def _ids(people: Collection[str]) -> list[str]:
    return [one.removeprefix(BRANCH_USER) for one in people if one.startswith(BRANCH_USER)]


def _sessions_of(conn: Connection, account: str, people: Collection[str]) -> list[str]:
    query = select(sessions.c.id).where(sessions.c.account == account, sessions.c.user.in_(people))
    return list(conn.execute(query).scalars())


def _with_forks(conn: Connection, account: str, session_id: str) -> list[str]:
    """The session, its copies in branches, and theirs."""
    found = [session_id]
    for one in found:
        query = select(branches.c.copy).where(
            branches.c.account == account, branches.c.session == one
        )
        found += [copy for copy in conn.execute(query).scalars() if copy]
    return found


def _entries_from(conn: Connection, sessions_gone: Collection[str]) -> dict[str, Entry]:
    """The entries whose words came from these sessions, forgotten ones left out."""
    query = select(entries.c.id).where(
        entries.c.session.in_(sessions_gone), entries.c.text != FORGOTTEN
    )
    return entries_by_id(conn, conn.execute(query).scalars())
