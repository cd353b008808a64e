"""Turns: a person's words go on record, a worker writes the reply, pages follow it."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from threading import Lock, Thread

from sqlalchemy import Connection

from sandbox.clock import iso
from sandbox.inputs import checked_text
from sandbox.lifecycle.meanwhile import must_be_current
from sandbox.live import LiveReply, Progress
from sandbox.record import Record, RecordError
from sandbox.replay.origin import Origin
from sandbox.reply_traces import Reply, find_reply
from sandbox.replying import TROUBLES, Draft, Replier
from sandbox.transcripts import Session, Turn, find_turn
from sandbox.turns import add_reply, choose, latest_turn, open_turn, sent_as, set_trouble

logger = logging.getLogger(__name__)

_BUG = "The sandbox failed in a way it should not: the text is kept; see the log."


class SessionBusy(Exception):
    """A reply is being written in this session."""


class TurnFailed(Exception):
    """The turn has no reply; the message says why, and the turn waits with its text."""


class Conversation:
    """All turns that are being taken. One at a time a session; sessions side by side."""

    def __init__(
        self,
        record: Record,
        replier: Replier,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._record = record
        self._replier = replier
        self._clock = clock
        self._new_id = new_id
        self._guard = Lock()
        self._turnstiles: dict[str, Lock] = {}
        self._live: dict[str, LiveReply] = {}

    def send(
        self,
        account: str,
        session_id: str,
        text: str,
        *,
        draft: str | None = None,
        at: datetime | None = None,
        wait: float = 0.0,
        origin: Origin | None = None,
    ) -> LiveReply:
        """Put what the person said on record and start the reply.

        `draft` names the text as the page holds it: sending the same draft twice is one turn. An
        interrupted turn with the same text is taken up again; one with another text is withdrawn.
        A session in which a reply is being written is waited for up to `wait` seconds. `origin`
        says who made the text, if no person did.

        Raises:
            BadInput: for an empty or too long text, and in a replay.
            SessionBusy: if the session did not come free in time.
            SessionEnded, UnknownSession: if it cannot be spoken in.
        """
        said = checked_text(text)
        name = draft or self._new_id()
        now = self._clock()

        def opened(conn: Connection) -> tuple[Session, Turn]:
            return open_turn(conn, account, session_id, said, name, now, at, origin)

        try:
            return self.start(session_id, opened, wait=wait)
        except SessionBusy:
            live = self._written_to(account, session_id, name)
            if live is None:
                raise
            return live

    def start(
        self,
        session_id: str,
        opened: Callable[[Connection], tuple[Session, Turn]],
        *,
        wait: float = 0.0,
    ) -> LiveReply:
        """Put a turn on record by `opened`, in a transaction of its own, and start the reply.

        Raises:
            SessionBusy: if the session did not come free in time; and what `opened` raises.
        """
        with self._entering(session_id, wait) as enter:
            with self._record.write("T1") as conn:
                session, turn = opened(conn)
            return _settled(turn) if turn.reply else enter(session, turn)

    def retry(self, account: str, turn_id: str) -> LiveReply:
        """Write a reply to an open turn, or another one to the last answered turn (a sibling).

        Raises:
            BadInput: if a later turn follows.
            SessionBusy, SessionEnded, UnknownReply: if it cannot be answered now.
        """
        session, turn = self._turn(account, turn_id)
        with self._entering(session.id, 0.0) as enter:
            with self._record.read() as conn:
                latest_turn(conn, account, turn.id)
            return enter(session, turn)

    def stop(self, account: str, session_id: str) -> bool:
        """Stop the reply being written, saving what there is; whether one was being written."""
        live = self.live(account, session_id)
        if live is None:
            return False
        live.stop.set()
        return True

    def live(self, account: str, session_id: str) -> LiveReply | None:
        """The reply being written in a session of this account, or None."""
        with self._guard:
            live = self._live.get(session_id)
        if live is None:
            return None
        session, _turn = self._turn(account, live.now.turn)
        return live if session.account == account else None

    def follow(self, account: str, session_id: str, every: float = 0.085) -> Iterator[Progress]:
        """The reply being written in a session as it grows; nothing where none is."""
        live = self.live(account, session_id)
        if live is not None:
            yield from live.follow(every)

    def write_reply(self, account: str, turn_id: str, text: str) -> Reply:
        """Save a reply written by hand as a sibling of the last turn's replies, and choose it.

        Raises:
            BadInput: for an empty or too long text, or if a later turn follows.
            SessionBusy, SessionEnded, UnknownReply: if the turn cannot be answered now.
        """
        said = checked_text(text)
        session, turn = self._turn(account, turn_id)
        with self._entering(session.id, 0.0), self._record.write("T2") as conn:
            latest_turn(conn, account, turn.id)
            draft = Draft.by_hand(said, self._replier.revision(conn, session))
            return find_reply(conn, account, add_reply(conn, turn.id, draft, iso(self._clock())))

    def choose(self, account: str, reply_id: str) -> None:
        """Make this sibling the one that counts.

        Raises:
            BadInput: if a later turn follows.
            SessionEnded, UnknownReply: if it cannot be chosen now.
        """
        with self._record.write("T2") as conn:
            turn = latest_turn(conn, account, reply_id)
            choose(conn, turn.id, reply_id)

    def ask(
        self,
        account: str,
        session_id: str,
        text: str,
        *,
        at: datetime | None = None,
        deadline: float = 300.0,
    ) -> Reply:
        """Send and wait for the saved reply: what the API and the commands do.

        Raises:
            TurnFailed: if there is none; and what `send` raises.
        """
        ended = self.send(account, session_id, text, at=at, wait=deadline).wait(deadline)
        if ended.reply is None:
            raise TurnFailed(ended.trouble or f"No reply within {deadline:.0f} s.")
        return self.reply(account, ended.reply)

    def reply(self, account: str, reply_id: str) -> Reply:
        """A saved reply with its trace, or UnknownReply."""
        with self._record.read() as conn:
            return find_reply(conn, account, reply_id)

    @contextmanager
    def quiet(self, session_id: str) -> Iterator[None]:
        """Keep the session without a reply being written, or SessionBusy if one is."""
        with self._entering(session_id, 0.0):
            yield

    def close(self, seconds: float = 5.0) -> None:
        """Stop every reply being written and wait for them to be saved."""
        with self._guard:
            writing = list(self._live.values())
        for live in writing:
            live.stop.set()
        for live in writing:
            live.wait(seconds)

    def _turn(self, account: str, turn_id: str) -> tuple[Session, Turn]:
        with self._record.read() as conn:
            return find_turn(conn, account, turn_id)

    def _written_to(self, account: str, session_id: str, draft: str) -> LiveReply | None:
        """The reply being written to this very draft, which was sent before; else None."""
        live = self.live(account, session_id)
        if live is None:
            return None
        with self._record.read() as conn:
            return live if sent_as(conn, session_id, draft) == live.now.turn else None

    @contextmanager
    def _entering(
        self, session_id: str, wait: float
    ) -> Iterator[Callable[[Session, Turn], LiveReply]]:
        """Hold the session's turnstile; the worker that `enter` starts lets go of it at its end."""
        with self._guard:
            turnstile = self._turnstiles.setdefault(session_id, Lock())
        if not turnstile.acquire(timeout=wait):
            raise SessionBusy(
                "A reply is being written in this session: wait for it or stop it, then send."
            )
        started: list[LiveReply] = []

        def enter(session: Session, turn: Turn) -> LiveReply:
            live = LiveReply(turn.id)
            with self._guard:
                self._live[session.id] = live
            work = Thread(
                target=self._work, args=(session, turn, live, turnstile), name=f"turn {turn.id}"
            )
            started.append(live)
            work.start()
            return live

        try:
            yield enter
        finally:
            if not started:
                turnstile.release()

    def _work(self, session: Session, turn: Turn, live: LiveReply, turnstile: Lock) -> None:
        """Write the reply and save it, in a thread of its own.

        The session is free again before anybody hears of the end, so that they can go on at once.
        """
        end = partial(live.failed, _BUG)
        try:
            draft = self._replier.write(session, turn, live)
            with self._record.write("T2") as conn:
                must_be_current(conn, session.account, draft.forgettings)
                reply = add_reply(conn, turn.id, draft, iso(self._clock()))
            end = partial(live.saved, reply, draft.text)
        except TROUBLES as error:
            logger.warning("turn %s has no reply: %s", turn.id, type(error).__name__)
            self._keep_trouble(turn, str(error))
            end = partial(live.failed, str(error))
        finally:
            with self._guard:
                self._live.pop(session.id, None)
            turnstile.release()
            end()

    def _keep_trouble(self, turn: Turn, trouble: str) -> None:
        """Store why the turn is still open, best effort: the disk itself may be the trouble."""
        try:
            with self._record.write("derived") as conn:
                set_trouble(conn, turn.id, trouble)
        except RecordError:
            logger.warning("the trouble of turn %s could not be stored", turn.id)


def _settled(turn: Turn) -> LiveReply:
    """A live reply that is over: the draft was sent before and has its answer."""
    live = LiveReply(turn.id)
    assert turn.reply is not None
    live.saved(turn.reply.id, turn.reply.text)
    return live
