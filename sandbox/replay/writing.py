"""A script's words put on record."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection

from sandbox.clock import iso
from sandbox.inputs import BadInput
from sandbox.replay.origin import Origin
from sandbox.replay.script import Stop, of_file, of_model
from sandbox.replying import Draft
from sandbox.transcripts import Session, Turn, find_turn
from sandbox.turns import add_reply, add_turn, choose, withdraw


class Writer:
    """Writes in the caller's transaction, at the time `real`."""

    def __init__(
        self,
        conn: Connection,
        session: Session,
        revision: int,
        real: datetime,
        new_id: Callable[[], str],
    ) -> None:
        self._conn = conn
        self._session = session
        self._revision = revision
        self._real = real
        self._new_id = new_id

    def settle(self, stop: Stop, turn: Turn) -> None:
        """Decide which reply to the last stop counts from now on, as the forcing says.

        A turn without a reply is withdrawn where the file has none either.
        """
        own, given = of_model(turn), of_file(turn)
        if self._session.forcing == "free" and own:
            self.choose_own(turn)
        elif given:
            choose(self._conn, turn.id, given.id)
        elif stop.gold:
            self._answer(turn.id, stop.gold)
        elif not own:
            withdraw(self._conn, turn.id)

    def choose_own(self, turn: Turn) -> None:
        """Have an answer that was made here count where the file's did."""
        own = of_model(turn)
        if own and (turn.reply is None or turn.reply.author == "file"):
            choose(self._conn, turn.id, own.id)

    def place(self, stop: Stop) -> None:
        """Place a stop that is jumped over, with what leads to it.

        Raises:
            BadInput: if the file has no reply to it.
        """
        if not stop.gold:
            raise BadInput(f"The file has no reply at stop {stop.number}: step through it.")
        self._lead(stop)
        self._answer(self._say(stop.query, Origin("stop", stop.number)), stop.gold)

    def ask(self, stop: Stop) -> Turn:
        """Place what leads to a stop, and its query, which waits for a reply."""
        self._lead(stop)
        turn_id = self._say(stop.query, Origin("stop", stop.number))
        return find_turn(self._conn, self._session.account, turn_id)[1]

    def say(self, text: str, reply: str | None, stop: int | None = None) -> str:
        """Place an exchange in the file's words, without `reply` an open turn; the turn's id."""
        turn_id = self._say(text, Origin("script", stop))
        if reply is not None:
            self._answer(turn_id, reply)
        return turn_id

    def _lead(self, stop: Stop) -> None:
        for exchange in stop.between:
            self.say(exchange.user, exchange.reply, stop.number)

    def _say(self, text: str, origin: Origin) -> str:
        at = iso(self._session.now(self._real))
        written = iso(self._real)
        return add_turn(self._conn, self._session, text, self._new_id(), at, written, origin)

    def _answer(self, turn_id: str, text: str) -> None:
        add_reply(self._conn, turn_id, Draft.of_file(text, self._revision), iso(self._real))
