"""A human changes a bank entry by entry; every change counts at once and can be undone."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy import Connection

from memory_banks import ledger
from memory_banks.entries import (
    Add,
    Delete,
    Dyad,
    Entry,
    Operation,
    Provenance,
    Scope,
    Side,
    digest,
)
from memory_banks.forgetting import FORGOTTEN
from sandbox.clock import iso
from sandbox.edits import Edit, edited_entry, written_entry
from sandbox.inputs import BadInput, checked_line
from sandbox.record import Record


class Editing:
    """Adds, changes, deletes and restores entries of one dyad's bank.

    `draft` names the click: the same one twice is one change. A change of an entry is a delete and
    an add that names what it replaces.
    """

    def __init__(
        self,
        record: Record,
        clock: Callable[[], datetime],
        changed: Callable[[Sequence[Scope]], None],
    ) -> None:
        self._record = record
        self._clock = clock
        self._changed = changed

    def add(
        self, dyad: Dyad, edit: Edit, *, draft: str, reason: str = "", side: Side = "user"
    ) -> list[Operation]:
        """Add an entry that no utterance supports; `side` decides where an episodic one goes.

        Raises:
            BadInput: if a field cannot be taken, or the dyad's user is unknown.
        """
        key = digest("added", dyad.user, dyad.agent, draft)
        entry = written_entry(dyad, edit, key, Provenance(), side)
        return self._write(dyad, draft, lambda _conn: [Add(entry, _cause(draft), _reason(reason))])

    def change(
        self, dyad: Dyad, entry_id: str, edit: Edit, *, draft: str, reason: str = ""
    ) -> list[Operation]:
        """Put a changed entry in the place of a live one; nothing where nothing is changed.

        Raises:
            BadInput: if a field cannot be taken, or the entry is not live any more.
        """

        def drafts(conn: Connection) -> list[Add | Delete]:
            entry = _live(conn, dyad, entry_id)
            changed = edited_entry(entry, edit)
            if changed == entry:
                return []
            why = _reason(reason)
            return [
                Delete(entry.id, entry.scope, _cause(draft), why),
                Add(changed, _cause(draft), why, (entry.id,)),
            ]

        return self._write(dyad, draft, drafts)

    def delete(self, dyad: Dyad, entry_id: str, *, draft: str, reason: str = "") -> list[Operation]:
        """Delete a live entry; its history stays.

        Raises:
            BadInput: if the entry is not live any more.
        """
        return self._write(
            dyad,
            draft,
            lambda conn: [
                Delete(entry_id, _live(conn, dyad, entry_id).scope, _cause(draft), _reason(reason))
            ],
        )

    def restore(self, dyad: Dyad, entry_id: str, *, draft: str) -> list[Operation]:
        """Make a deleted entry live again: the undo of a delete.

        Raises:
            BadInput: if it is live or forgotten, or none of the dyad's.
        """

        def drafts(conn: Connection) -> list[Add | Delete]:
            entry = _of(conn, dyad, entry_id)
            if ledger.live_among(conn, [entry_id]):
                raise BadInput("The entry is in the bank: there is nothing to restore.")
            if entry.text == FORGOTTEN:
                raise BadInput("The entry was forgotten: nothing of it is left to restore.")
            return [Add(entry, _cause(draft), "Restored.")]

        return self._write(dyad, draft, drafts)

    def _write(
        self, dyad: Dyad, draft: str, drafts: Callable[[Connection], list[Add | Delete]]
    ) -> list[Operation]:
        with self._record.write("T6") as conn:
            if ledger.find_user(conn, dyad.account, dyad.user) is None:
                raise BadInput("Nobody of that name has spoken yet: start a session first.")
            if done := ledger.operations_caused_by(conn, dyad, [_cause(draft)]):
                return done
            written = ledger.append(conn, drafts(conn), iso(self._clock()))
        if written:
            self._changed(sorted({o.scope for o in written}, key=lambda scope: scope.key))
        return written


def _cause(draft: str) -> str:
    return f"by hand:{draft}"


def _reason(reason: str) -> str:
    return checked_line(reason, "the reason") or "By hand."


def _of(conn: Connection, dyad: Dyad, entry_id: str) -> Entry:
    entry = ledger.entries_by_id(conn, [entry_id]).get(entry_id)
    if entry is None or entry.scope not in dyad.scopes:
        raise BadInput("There is no such entry in this bank: reload the page.")
    return entry


def _live(conn: Connection, dyad: Dyad, entry_id: str) -> Entry:
    entry = _of(conn, dyad, entry_id)
    if not ledger.live_among(conn, [entry_id]):
        raise BadInput("The entry was changed or deleted meanwhile: look at the bank again.")
    return entry
