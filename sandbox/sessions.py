"""Opening, listing, adjusting and continuing sessions."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from graphs.state import ReplyProtocol
from memory_banks.entries import Scene, user_id
from memory_banks.ledger import User, ensure_user
from sandbox.characters import Characters
from sandbox.clock import iso, parse_time
from sandbox.inputs import (
    checked_line,
    checked_method,
    checked_profile,
    checked_scene,
    checked_strategy,
    checked_user,
)
from sandbox.record import Record
from sandbox.tables import replies, sessions, turns
from sandbox.transcripts import (
    Session,
    Transcript,
    find_session,
    session_from,
    session_row,
    transcript,
)


class SessionEnded(Exception):
    """The session is ended and read-only."""


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A line of the sessions list."""

    session: Session
    turns: int


class Sessions:
    """The sessions of every account. Every method takes the account first."""

    def __init__(
        self,
        record: Record,
        characters: Characters,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._record = record
        self._characters = characters
        self._clock = clock
        self._new_id = new_id

    def open(
        self,
        account: str,
        user: str,
        persona: str,
        *,
        strategy: str = "top_k",
        model: str | None = None,
        clock: str | None = None,
        emotion: str | None = None,
        scene: Scene | None = None,
        continues: str | None = None,
        speaker: str | None = None,
        profile: str | None = None,
        method: str = "typed",
        protocol: ReplyProtocol = "free",
    ) -> Session:
        """Open a session of the person called `user` with the character `persona`.

        The user is created at first use. `clock` fixes the session's date and time. `speaker` is
        how the person is called where `user` is an id. `profile` is what the character is told
        about the person, in the prompt. `method` says how the session is remembered, `protocol`
        by which benchmark's prompts the character is asked.

        Raises:
            BadInput: if a value cannot be taken.
            UnknownPersona: if there is no such character.
        """
        known = self._characters.get(account, persona)
        session = Session(
            id=self._new_id(),
            account=account,
            user=checked_user(user),
            agent=known.id,
            persona=known,
            speaker=" ".join((speaker or user).split()),
            clock=iso(parse_time(clock, "clock")) if clock else None,
            emotion=checked_line(emotion, "emotion"),
            scene=checked_scene(scene),
            strategy=checked_strategy(strategy),
            model=model,
            continues=continues,
            created_at=iso(self._clock()),
            ended_at=None,
            profile=checked_profile(profile),
            method=checked_method(method),
            protocol=protocol,
        )
        self._store(session)
        return self.find(account, session.id)

    def find(self, account: str, session_id: str) -> Session:
        """The session with this id, or UnknownSession."""
        with self._record.read() as conn:
            return find_session(conn, account, session_id)

    def transcript(self, account: str, session_id: str) -> Transcript:
        """The session with its turns, or UnknownSession."""
        with self._record.read() as conn:
            return transcript(conn, account, session_id)

    def revisions(self, account: str, session_id: str) -> dict[str, int]:
        """The bank's revision that each answered turn's chosen reply saw, by the turn's id."""
        with self._record.read() as conn:
            find_session(conn, account, session_id)
            query = select(turns.c.id, replies.c.revision).join(
                replies, replies.c.id == turns.c.chosen
            )
            rows = conn.execute(query.where(turns.c.session == session_id))
            return {row.id: row.revision for row in rows}

    def list(
        self, account: str, user: str | None = None, persona: str | None = None
    ) -> list[SessionSummary]:
        """The account's sessions, newest first; of one user and one character where given."""
        counts = select(turns.c.session, func.count().label("turns")).where(
            turns.c.status != "withdrawn"
        )
        counted = counts.group_by(turns.c.session).subquery()
        query = select(sessions, func.coalesce(counted.c.turns, 0).label("turns"))
        query = query.outerjoin(counted, counted.c.session == sessions.c.id)
        query = query.where(sessions.c.account == account)
        if user is not None:
            query = query.where(sessions.c.user == checked_user(user))
        if persona is not None:
            query = query.where(sessions.c.agent == persona)
        ordered = query.order_by(sessions.c.created_at.desc(), sessions.c.id)
        with self._record.read() as conn:
            return [SessionSummary(session_from(row), row.turns) for row in conn.execute(ordered)]

    def adjust(self, account: str, session_id: str, **changes: Any) -> Session:
        """Change an open session's clock, emotion, scene, strategy, model, profile or method.

        Raises:
            BadInput: if a value cannot be taken.
            SessionEnded: if the session is read-only.
        """
        values = {name: _CHECKS[name](value) for name, value in changes.items()}
        session = self.find(account, session_id)
        must_be_open(session)
        if all(getattr(session, name) == value for name, value in values.items()):
            return session
        with self._record.write("derived") as conn:
            must_be_open(find_session(conn, account, session_id))
            conn.execute(update(sessions).where(sessions.c.id == session_id).values(**values))
            return find_session(conn, account, session_id)

    def continue_from(self, account: str, session_id: str) -> Session:
        """Open a session that is linked to an ended one, with the same two people and settings.

        A fixed clock is carried on; set it afterwards. So are the prompts of a replay that was
        taken over; those of a gear end with it.
        """
        old = self.find(account, session_id)
        return self.open(
            account,
            old.user,
            old.agent,
            speaker=old.speaker,
            strategy=old.strategy,
            model=old.model,
            clock=old.clock,
            continues=old.id,
            profile=old.profile,
            method=old.method,
            protocol="free" if old.gear else old.protocol,
        )

    def _store(self, session: Session) -> None:
        owner = User(session.account, session.user, session.speaker, "", 0)
        sample = session.persona.sample_user
        if sample and user_id(sample.name) == session.user:
            owner = User(session.account, session.user, sample.name, sample.profile, 0)
        with self._record.write("derived") as conn:
            store_session(conn, session, owner)


def store_session(conn: Connection, session: Session, owner: User) -> None:
    """Store a new session of `owner`, who is stored too where unknown."""
    ensure_user(conn, owner, session.created_at)
    conn.execute(insert(sessions).values(**session_row(session)))


def must_be_open(session: Session) -> None:
    """Raise SessionEnded for an ended session."""
    if session.ended_at:
        raise SessionEnded(
            f"Session {session.id} ended at {session.ended_at} and is read-only: continue it to "
            "open a linked one."
        )


def _checked_clock(clock: str | None) -> str | None:
    return iso(parse_time(clock, "clock")) if clock else None


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "clock": _checked_clock,
    "emotion": lambda value: checked_line(value, "emotion"),
    "scene": checked_scene,
    "strategy": checked_strategy,
    "model": lambda value: value,
    "profile": checked_profile,
    "method": checked_method,
}
