"""Instances made of what was talked: begun, saved as versions, looked up, deleted and restored."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from memory_banks import ledger
from memory_banks.captures import capture_id, proposals_of
from sandbox.authoring.authored import STAGES, Authored, Kind, Stage, Version
from sandbox.authoring.checking import checked, checked_author
from sandbox.authoring.filling import Seen, authored_from_turn
from sandbox.authoring.making import must_be_checked
from sandbox.authoring.session_filling import Remembered, authored_from_session
from sandbox.authoring.store import (
    add_authored,
    add_version,
    all_latest,
    latest,
    must_own,
    set_deleted,
    versions_of,
)
from sandbox.authoring.tagging import accepted, gold_of
from sandbox.clock import iso
from sandbox.evaluation.evaluating import Evaluating
from sandbox.inputs import BadInput, checked_line
from sandbox.opening import Instances
from sandbox.record import Record
from sandbox.sessions import Sessions
from sandbox.transcripts import Session, Transcript, find_session, transcript

_BEGUN = "Begun."


class Authoring:
    """What is being made, for every account, which every method takes first."""

    def __init__(
        self,
        record: Record,
        instances: Instances,
        evaluating: Evaluating,
        sessions: Sessions,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._record = record
        self._instances = instances
        self._evaluating = evaluating
        self._sessions = sessions
        self._clock = clock
        self._new_id = new_id

    def from_turn(self, account: str, reply_id: str, author: str = "") -> Authored:
        """The form for a reply, filled from the record; nothing is kept yet.

        Raises:
            UnknownReply: if the account has no such reply.
        """
        seen = self._seen(account, reply_id)
        return authored_from_turn(seen, self._new_id(), author or account)

    def from_session(
        self, account: str, session_id: str, kind: Kind = "episode", author: str = ""
    ) -> Authored:
        """The form for a session and, for an episode, those of the same two people before it.

        Nothing is kept yet.

        Raises:
            BadInput: if nobody has answered in it yet, or `kind` is that of a single reply.
            UnknownSession: if the account has no such session.
        """
        if kind == "reply":
            raise BadInput("A session makes a dialogue or an episode: choose one of the two.")
        with self._record.read() as conn:
            whole = transcript(conn, account, session_id)
        answered = [turn for turn in whole.turns if turn.chosen]
        if not answered or answered[-1].chosen is None:
            raise BadInput("Nobody has answered in this session yet: there is nothing to save.")
        first = answered[0] if kind == "dialogue" else answered[-1]
        seen = self._seen(account, first.chosen or "")
        ids = self._upto(whole.session)
        with self._record.read() as conn:
            told = [self._remembered(conn, one) for one in _talks(conn, account, ids)]
            changed = {one.entry_id for held in told for one in held.operations}
            entries = ledger.entries_by_id(conn, sorted(changed))
        return authored_from_session(kind, seen, told, entries, self._new_id(), author or account)

    def start(
        self,
        account: str,
        authored: Authored,
        author: str,
        reason: str = "",
        *,
        looked_at: bool = False,
    ) -> Version:
        """Keep a form as the first version: a draft, or annotated where its author looked at it.

        Raises:
            BadInput: if it does not fit, or its roles are not complete where they were looked at;
                nothing is kept then.
        """
        name = checked_author(author)
        found = replace(authored, author=name)
        found = checked(accepted(found, name) if looked_at else found)
        if looked_at:
            must_be_checked(found)
        why = checked_line(reason, "the reason") or _BEGUN
        version = self._version(1, name, "annotated" if looked_at else "draft", why, found)
        with self._record.write("authored") as conn:
            find_session(conn, account, found.origin.session)
            add_authored(conn, account, found, version.created_at)
            add_version(conn, version)
        return version

    def save(
        self,
        account: str,
        authored: Authored,
        author: str,
        reason: str = "",
        *,
        looked_at: bool = False,
    ) -> Version:
        """Keep a form as the next version of what it is of.

        `looked_at` says that the author has looked at every role (or gold memory): proposals become
        theirs, and a draft becomes annotated. Anything that was annotated twice falls back to
        annotated where a role or golden entry changes.

        Raises:
            BadInput: if it does not fit, has no reason, or its roles are not complete; nothing is
                kept then.
            UnknownAuthored: if there is nothing to save it to.
        """
        name = checked_author(author)
        found = accepted(authored, name) if looked_at else authored
        found = checked(found)
        if looked_at:
            must_be_checked(found)
        with self._record.write("authored") as conn:
            before = latest(conn, account, found.id)
            why = checked_line(reason, "the reason")
            if not why and before.stage != "draft":
                raise BadInput("A change needs a reason: say why in a few words.")
            stage = self._next(before, found, looked_at=looked_at)
            version = self._version(before.number + 1, name, stage, why or "Saved.", found)
            add_version(conn, version)
        return version

    def get(self, account: str, id_: str) -> Version:
        """The latest version.

        Raises:
            UnknownAuthored: if the account makes no such instance.
        """
        with self._record.read() as conn:
            return latest(conn, account, id_)

    def history(self, account: str, id_: str) -> list[Version]:
        """Every version, oldest first. Raises as `get`."""
        with self._record.read() as conn:
            must_own(conn, account, id_)
            return versions_of(conn, id_)

    def all(self, account: str, collection: str | None = None) -> list[Version]:
        """The latest version of each instance that is made here, oldest instance first."""
        with self._record.read() as conn:
            return all_latest(conn, account, collection)

    def deleted(self, account: str) -> list[Version]:
        """The same of what was deleted."""
        with self._record.read() as conn:
            return all_latest(conn, account, deleted=True)

    def collections(self, account: str) -> list[str]:
        """Names of the collections that are made here, in the order of their first instance."""
        return list(dict.fromkeys(one.authored.collection for one in self.all(account)))

    def delete(self, account: str, id_: str) -> None:
        """Delete an instance; `restore` takes that back. Raises as `get`."""
        self._delete(account, id_, iso(self._clock()))

    def restore(self, account: str, id_: str) -> None:
        """Take a deletion back. Raises as `get`."""
        self._delete(account, id_, None)

    def _delete(self, account: str, id_: str, at: str | None) -> None:
        with self._record.write("authored") as conn:
            must_own(conn, account, id_)
            set_deleted(conn, id_, at)

    def _version(
        self, number: int, author: str, stage: Stage, reason: str, authored: Authored
    ) -> Version:
        return Version(number, checked_author(author), stage, reason, iso(self._clock()), authored)

    def _next(self, before: Version, found: Authored, *, looked_at: bool) -> Stage:
        """The stage after a save: one that a second annotator saw does not outlive a change."""
        if before.stage == "draft":
            return "annotated" if looked_at else "draft"
        if found.proposals:
            return "draft"
        if STAGES.index(before.stage) > 1 and gold_of(found) != gold_of(before.authored):
            return "annotated"
        return before.stage

    def _seen(self, account: str, reply_id: str) -> Seen:
        found = self._evaluating.evaluation(account, reply_id)
        session = found.reply.session
        instance = self._instances.of(session)
        with self._record.read() as conn:
            source = self._source(conn, session)
            whole = transcript(conn, account, session.id)
            held = ledger.states(conn, session.dyad, found.reply.reply.revision)
        return Seen(
            reply=found.reply,
            roles=found.roles,
            whole=whole,
            states={one.entry.id: one for one in held},
            instance=instance,
            source=self._instances.of(source) if source else None,
            collection=source.instance.collection if source and source.instance else None,
        )

    def _source(self, conn: Connection, session: Session) -> Session | None:
        """The session, or the nearest that it continues, that was opened from an instance."""
        passed: set[str] = set()
        while session.instance is None:
            if session.continues is None or session.id in passed:
                return None
            passed.add(session.id)
            session = find_session(conn, session.account, session.continues)
        return session

    def _upto(self, session: Session) -> list[str]:
        """Ids of the sessions of the same two people up to this one, oldest first."""
        listed = self._sessions.list(session.account, session.user, session.agent)
        held = [one.session for one in reversed(listed)]
        held.sort(key=lambda one: (one.clock or one.created_at)[:10])
        ids = [one.id for one in held]
        return ids[: ids.index(session.id) + 1]

    def _remembered(self, conn: Connection, whole: Transcript) -> Remembered:
        """What the session's capture, or a person from one of its turns, did to the bank."""
        session = whole.session
        proposals = proposals_of(conn, capture_id(session.id))
        causes = {one.id: one.evidence for one in proposals}
        told = ledger.operations_of(conn, session.dyad)
        held = ledger.entries_by_id(conn, {one.entry_id for one in told if one.kind == "add"})
        return Remembered(
            whole,
            tuple(
                one
                for one in told
                if one.cause in causes
                or (one.kind == "add" and held[one.entry_id].provenance.session == session.id)
            ),
            tuple(one for one in proposals if one.decision is None),
            causes,
        )


def _talks(conn: Connection, account: str, ids: Sequence[str]) -> list[Transcript]:
    """The talks in which somebody has answered."""
    found = [transcript(conn, account, one) for one in ids]
    return [one for one in found if any(turn.chosen for turn in one.turns)]
