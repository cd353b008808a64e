"""Forgetting for good: an entry, its turns, a session or a person; an audit line stays."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select

from memory_banks.entries import Delete, Dyad, Entry, canonical, digest
from memory_banks.forgetting import (
    FORGETTING,
    FORGOTTEN,
    blank_entries,
    clean_reasons,
    cleaning_owed,
    copies_of,
    owe_cleaning,
    pay_cleaning,
    remove_captures,
    remove_users,
)
from memory_banks.ledger import append, entries_by_id, find_user, live_among
from sandbox.clock import iso
from sandbox.inputs import BadInput, checked_user
from sandbox.lifecycle.cleaning import (
    blank_utterances,
    clean_sessions,
    other_states,
    remove_sessions,
    still_said,
    words_before,
)
from sandbox.lifecycle.cleaning_authored import (
    clean_authored,
    clean_openings,
    opened_of,
    remove_authored_of,
    same_words,
)
from sandbox.lifecycle.copies import (
    branch_ids,
    copied_turns,
    descendants,
    entries_from,
    line_of,
    said_elsewhere,
    same_told,
    sessions_of,
    with_copies,
)
from sandbox.lifecycle.redaction import Redaction
from sandbox.record import Record
from sandbox.tables import audit, branches
from sandbox.transcripts import find_session

NOT_COVERED = (
    "Backups, exported files, the files of imported collections and characters with their "
    "lorebooks are not touched: delete them where they are."
)
ON_SERVER = (
    "The database server's files may hold it until they are vacuumed, its logs and backups longer."
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
            people = line_of(conn, account, entry.scope.user)
            ids = copies_of(conn, entry.scope, entry.key, people)
            opened = opened_of(conn, account, cited=ids)
            touched = sessions_of(conn, account, [*people, *opened])
            memory = [entry.text, *words_before(conn, touched, {entry.key})]
            source = entry.provenance.session
            told = with_copies(conn, account, source) if source else []
            turns = copied_turns(entry, told) if with_turns else []
            said = blank_utterances(conn, turns)
            clean_sessions(conn, told, said, [])
            ids += same_told(conn, told, memory, turns, said)
            held = entries_by_id(conn, {*ids, *same_words(conn, account, opened, [entry.text])})
            counts = {"entries": len(held), "utterances": len(entry.provenance.turns) * with_turns}
            left = [
                *other_states(conn, dyad, entry_id),
                *said_elsewhere(conn, account, entry.text, held),
            ]
            words = [*memory, *said]
            counts["instances"] = clean_authored(conn, account, words, list(held), now)
            clean_openings(conn, sessions_of(conn, account, opened), words)
            self._blank(conn, held)
            clean_reasons(conn, account, people, Redaction(words).text)
            counts["replies"] = clean_sessions(conn, touched, memory, list(held))
            left += still_said(conn, touched, entry.text)
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
            gone = with_copies(conn, account, session_id)
            gone += sessions_of(conn, account, opened_of(conn, account, gone=gone))
            held = entries_from(conn, gone)
            people = line_of(conn, account, session.user)
            words = [one.text for one in held.values()]
            opened = opened_of(conn, account, cited=list(held))
            held |= entries_by_id(conn, same_words(conn, account, opened, words))
            counts = {"entries": len(held)}
            touched = sessions_of(conn, account, [*people, *opened])
            counts["replies elsewhere"] = clean_sessions(
                conn, sorted(set(touched) - set(gone)), words, list(held)
            )
            clean_openings(conn, sessions_of(conn, account, opened), words)
            self._blank(conn, held, untraced=True)
            clean_reasons(conn, account, people, Redaction(words).text)
            remove_captures(conn, gone)
            counts["instances"] = remove_authored_of(conn, account, gone, now)
            clean_authored(conn, account, words, list(held), now)
            counts |= remove_sessions(conn, gone)
            self._note(conn, account, "session", session_id, counts)
        return self._done(counts, [], foresee)

    def user(self, account: str, user: str, *, foresee: bool = False) -> Forgotten:
        """Forget a person: every memory, session, branch and verdict of theirs, and their name.

        With `foresee` nothing is changed.

        Raises:
            BadInput: if the account knows nobody of that name.
        """
        known, now = checked_user(user), iso(self._clock())
        with self._changing(foresee) as conn:
            if (person := find_user(conn, account, known)) is None:
                raise BadInput(f"Nobody is called {user[:80]!r} here: there is nothing to forget.")
            people = descendants(conn, account, known)
            gone = sessions_of(conn, account, people)
            people += opened_of(conn, account, gone=gone)
            gone = sessions_of(conn, account, people)
            remove_captures(conn, gone)
            named = {person.name, person.id}
            made = remove_authored_of(conn, account, gone, now, named)
            counts = remove_sessions(conn, gone) | remove_users(conn, account, people)
            counts["instances"] = made
            conn.execute(
                branches.delete().where(
                    branches.c.account == account,
                    branches.c.origin.in_(people) | branches.c.id.in_(branch_ids(people)),
                )
            )
            self._note(conn, account, "user", digest("forgotten user", account, known), counts)
        return self._done(counts, [], foresee)

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
            gone = Delete(one, held[one].scope, f"{FORGETTING}{one}", "Forgotten.")
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
        never = [NOT_COVERED, ON_SERVER] if self._record.on_server else [NOT_COVERED]
        return Forgotten(counts, (*left, *never))


def _entry(conn: Connection, account: str, dyad: Dyad, entry_id: str) -> Entry:
    entry = entries_by_id(conn, [entry_id]).get(entry_id)
    if entry is None or entry.scope not in dyad.scopes or dyad.account != account:
        raise BadInput("There is no such entry in this bank: reload the page.")
    if entry.text == FORGOTTEN:
        raise BadInput("The entry is forgotten already.")
    return entry
