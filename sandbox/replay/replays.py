"""Replays: a dialogue of a file gone through in an ordinary session, stop by stop.

At a stop the model answers under the gear, as in any turn: on record before, streamed, stoppable.
Under `teacher` forcing the file's reply becomes a sibling of the answers and counts as soon as the
talk goes on; it is marked as the file's (`ReplyLine.author`) and in no prompt and on no screen
before. Under `free` forcing the answer that was chosen goes on counting. What
is said between two stops is placed in the file's words.
"""

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import datetime

from sqlalchemy import Connection, update

from memory_banks.entries import canonical
from sandbox.collected import UnknownInstance
from sandbox.conversation import Conversation
from sandbox.inputs import BadInput, checked_strategy
from sandbox.instances import Instance
from sandbox.live import LiveReply
from sandbox.opening import Instances
from sandbox.record import Record
from sandbox.replay.gears import Forcing, Gear, Options, shown_with
from sandbox.replay.giving import Giving
from sandbox.replay.protocols import Prompts, protocol_of
from sandbox.replay.replayed import Replayed
from sandbox.replay.script import Place, place_of
from sandbox.replay.taking_over import cut, freed
from sandbox.replay.writing import Writer
from sandbox.replying import Replier
from sandbox.sessions import must_be_open
from sandbox.tables import sessions
from sandbox.transcripts import Session, Turn, find_session, transcript
from sandbox.turns import set_trouble, withdraw

_OVER = "This was the last stop of the dialogue: go back, jump to another, or take over."


class Replays:
    """The replays of every account, which every method takes first."""

    def __init__(
        self,
        record: Record,
        instances: Instances,
        conversation: Conversation,
        replier: Replier,
        giving: Giving,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._record = record
        self._instances = instances
        self._conversation = conversation
        self._replier = replier
        self._giving = giving
        self._clock = clock
        self._new_id = new_id

    def open(
        self,
        account: str,
        sha256: str,
        name: str,
        replayed: Replayed,
        *,
        strategy: str = "top_k",
        model: str | None = None,
    ) -> Session:
        """Open a replay from an instance on, or of a whole dialogue; nothing is answered yet.

        `name` is the id of an instance or of a dialogue; `strategy` answers under the gear
        `pipeline`.

        Raises:
            BadInput: if there is no such collection, instance or dialogue, or the file does not
                tell what the gear needs.
        """
        instance = self._named(account, sha256, name)
        shown_with(instance, replayed.gear, replayed.options)
        return self._instances.open(
            account, sha256, instance.id, strategy=strategy, model=model, replayed=replayed
        )

    def place(self, account: str, session_id: str) -> Place:
        """Where the replay stands; gold and all, so that the page hides it until it is asked for.

        Raises:
            BadInput: if the session is no replay.
            UnknownSession: if the account has none.
        """
        with self._record.read() as conn:
            session = _replay(find_session(conn, account, session_id))
        stops = self._giving.script(session)
        with self._record.read() as conn:
            return place_of(stops, transcript(conn, account, session_id))

    def step(self, account: str, session_id: str) -> LiveReply:
        """Have the model answer the next stop, or one again that is without a reply.

        Raises:
            BadInput: behind the last stop, and if the session is no replay.
            SessionBusy, SessionEnded, UnknownSession: if it cannot go on now.
        """
        return self._go(account, session_id, None)

    def back(self, account: str, session_id: str) -> Place:
        """Take the stop that was reached last out of the talk; the record keeps its replies.

        Raises:
            BadInput: before the first stop, and if the session is no replay.
            SessionBusy, SessionEnded, UnknownSession: if it cannot go back now.
        """
        number = self.place(account, session_id).number
        if number == 0:
            raise BadInput("No stop is answered yet: step first.")
        self._withdraw_behind(account, session_id, number - 1)
        return self.place(account, session_id)

    def jump(self, account: str, session_id: str, number: int) -> LiveReply | None:
        """Go to a stop: one that was reached already is the last again, and None comes back.

        Stops that are jumped over are placed with the file's reply, under either forcing.

        Raises:
            BadInput: if there is no such stop, or the file has no reply for one in between.
            SessionBusy, SessionEnded, UnknownSession: if it cannot go there now.
        """
        place = self.place(account, session_id)
        if not 1 <= number <= len(place.stops):
            raise BadInput(f"stop must be between 1 and {len(place.stops)}, got {number}.")
        if number > place.number:
            return self._go(account, session_id, number)
        self._withdraw_behind(account, session_id, number)
        return None

    def change(
        self,
        account: str,
        session_id: str,
        *,
        gear: Gear | None = None,
        forcing: Forcing | None = None,
        options: Options | None = None,
        strategy: str | None = None,
        model: str | None = None,
    ) -> Session:
        """Go on under another gear, forcing, strategy or model; null leaves what there is.

        What was answered stays; another reply to the last stop is a sibling under the new gear.

        Raises:
            BadInput: if the file does not tell what the gear needs, or the session is no replay.
            SessionEnded, UnknownSession: if it cannot be changed.
        """
        place = self.place(account, session_id)
        with self._record.write("derived") as conn:
            session = _replay(find_session(conn, account, session_id))
            must_be_open(session)
            new = replace(
                session,
                gear=gear or session.gear,
                forcing=forcing or session.forcing,
                replay=options or session.replay,
                strategy=checked_strategy(strategy or session.strategy),
                model=model or session.model,
            )
            _check(place.stops[0].instance, new)
            _set(conn, new, place.stops[0].instance)
        return new

    def take_over(self, account: str, session_id: str, at: int | None = None) -> Session:
        """Make an ordinary session of the replay, on the bank as it is.

        It goes on from utterance `at` of what was said so far, from 1, the prelude among them;
        null: from where it stands, and before the first stop its query waits in the box. Replies
        are asked for as before, clock and profile are as they were, and memories come by own
        recall: no gear hands out any more.

        Raises:
            BadInput: if the session is no replay, or there is no such utterance.
            SessionBusy, SessionEnded, UnknownSession: if it cannot be changed now.
        """
        place = self.place(account, session_id)
        ahead = at is None and not place.number and place.next is not None
        with self._conversation.quiet(session_id), self._record.write("T1") as conn:
            whole = transcript(conn, account, session_id)
            session = _replay(whole.session)
            must_be_open(session)
            if at is not None:
                writer = self._writer(conn, session)
                cut(conn, whole, at, lambda words: writer.say(words, None))
            values = freed(session, place.stops[0], waiting=ahead)
            conn.execute(update(sessions).where(sessions.c.id == session_id).values(**values))
            return find_session(conn, account, session_id)

    def ask_by(self, account: str, session_id: str, prompts: Prompts) -> Session:
        """Choose whose prompts ask for the replies of an instance's session from now on.

        Raises:
            BadInput: if the session was not opened from an instance, or is a replay still.
            SessionEnded, UnknownSession: if it cannot be changed.
        """
        with self._record.read() as conn:
            session = find_session(conn, account, session_id)
        instance = self._instances.of(session)
        if instance is None or session.gear is not None:
            raise BadInput("Only a session that goes on from an instance has prompts to choose.")
        with self._record.write("derived") as conn:
            must_be_open(find_session(conn, account, session_id))
            asked = update(sessions).where(sessions.c.id == session_id)
            conn.execute(asked.values(protocol=protocol_of(instance, None, prompts)))
            return find_session(conn, account, session_id)

    def keys(self, session: Session) -> dict[str, str]:
        """The pool's keys by the ids of its entries in the session's bank."""
        return self._giving.keys(session)

    def _named(self, account: str, sha256: str, name: str) -> Instance:
        """The instance of that id, or the first of the dialogue of that name."""
        collection = self._instances.collection(account, sha256)
        for one in collection.instances:
            if name and name in (one.id, one.dialogue):
                return one
        try:
            return collection.find(name)
        except UnknownInstance as error:
            raise BadInput(str(error)) from error

    def _go(self, account: str, session_id: str, number: int | None) -> LiveReply:
        """Answer the stop `number`, or the next one; what comes before it is placed."""
        with self._record.read() as conn:
            asked = _replay(find_session(conn, account, session_id))
        stops = self._giving.script(asked)

        def opened(conn: Connection) -> tuple[Session, Turn]:
            session = _replay(find_session(conn, account, session_id))
            must_be_open(session)
            place = place_of(stops, transcript(conn, account, session_id))
            waiting = place.turn
            if waiting and waiting.status == "open" and number in (None, place.number):
                set_trouble(conn, waiting.id, None)
                return session, waiting
            if place.next is None:
                raise BadInput(_OVER)
            writer = self._writer(conn, session)
            if place.stop and place.turn:
                writer.settle(place.stop, place.turn)
            ways = stops[place.number : number or place.number + 1]
            for stop in ways[:-1]:
                writer.place(stop)
            return session, writer.ask(ways[-1])

        return self._conversation.start(session_id, opened)

    def _withdraw_behind(self, account: str, session_id: str, number: int) -> None:
        """Make the stop `number` the last of the talk again, and its own answer the one chosen."""
        with self._conversation.quiet(session_id), self._record.write("T1") as conn:
            session = _replay(find_session(conn, account, session_id))
            must_be_open(session)
            place = place_of((), transcript(conn, account, session_id))
            last = place.turn_of(number)
            for turn in place.turns:
                if last is None or turn.number > last.number:
                    withdraw(conn, turn.id)
            if last:
                self._writer(conn, session).choose_own(last)

    def _writer(self, conn: Connection, session: Session) -> Writer:
        revision = self._replier.revision(conn, session)
        return Writer(conn, session, revision, self._clock(), self._new_id)


def _replay(session: Session) -> Session:
    if session.gear is None:
        raise BadInput(f"Session {session.id} is no replay: open one from an instance.")
    return session


def _check(instance: Instance, session: Session) -> None:
    assert session.gear is not None
    shown_with(instance, session.gear, session.replay or Options())


def _set(conn: Connection, session: Session, instance: Instance) -> None:
    values = {
        "gear": session.gear,
        "forcing": session.forcing,
        "replay": canonical(asdict(session.replay or Options())),
        "protocol": protocol_of(instance, session.gear, (session.replay or Options()).prompts),
        "strategy": session.strategy,
        "model": session.model,
    }
    conn.execute(update(sessions).where(sessions.c.id == session.id).values(**values))
