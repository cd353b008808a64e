"""A replay that goes on by itself, with a judge behind each stop, until its end or a stop."""

import logging
from dataclasses import dataclass, field
from threading import Event, Lock, Thread

from sandbox.conversation import Conversation, SessionBusy
from sandbox.evaluation.evaluating import Evaluating
from sandbox.evaluation.judges import Asked
from sandbox.inputs import BadInput
from sandbox.judges.verdict import JudgeError
from sandbox.record import RecordError
from sandbox.replay.replays import Replays
from sandbox.replay.script import of_model
from sandbox.sessions import SessionEnded
from sandbox.transcripts import UnknownReply, UnknownSession

logger = logging.getLogger(__name__)
_TROUBLES = (
    BadInput,
    JudgeError,
    RecordError,
    SessionBusy,
    SessionEnded,
    UnknownReply,
    UnknownSession,
)


@dataclass(slots=True)
class _Play:
    """One replay that plays."""

    stop: Event = field(default_factory=Event)
    over: Event = field(default_factory=Event)
    trouble: str | None = None


class Playing:
    """Plays replays, one thread each; every method takes the account first."""

    def __init__(
        self, replays: Replays, conversation: Conversation, evaluating: Evaluating
    ) -> None:
        self._replays = replays
        self._conversation = conversation
        self._evaluating = evaluating
        self._plays: dict[str, _Play] = {}
        self._guard = Lock()

    def play(self, account: str, session_id: str, judge: str = "") -> None:
        """Answer stop after stop from where the replay stands; `judge` judges each answer.

        Raises:
            BadInput: if the session is no replay, behind its last stop, or playing already.
            UnknownSession: if the account has none.
        """
        place = self._replays.place(account, session_id)
        if place.next is None and not (place.turn and place.turn.status == "open"):
            raise BadInput("Every stop is answered: go back, or jump to a stop.")
        play = _Play()
        with self._guard:
            if self._is_on(session_id):
                raise BadInput("The replay is playing already.")
            self._plays[session_id] = play
        work = Thread(
            target=self._work, args=(account, session_id, judge, play), name=f"play {session_id}"
        )
        work.start()

    def stop(self, account: str, session_id: str) -> None:
        """Stop after what is being written now; what there is of it is saved."""
        with self._guard:
            play = self._plays.get(session_id)
        if play:
            play.stop.set()
            self._conversation.stop(account, session_id)

    def is_playing(self, session_id: str) -> bool:
        """Whether it goes on by itself."""
        with self._guard:
            return self._is_on(session_id)

    def trouble(self, session_id: str) -> str | None:
        """Why it stopped before its end, as a sentence; None if it did not."""
        with self._guard:
            play = self._plays.get(session_id)
        return play.trouble if play and play.over.is_set() else None

    def wait(self, session_id: str, seconds: float) -> bool:
        """Wait for its end; whether it came in time, at once where nothing plays."""
        with self._guard:
            play = self._plays.get(session_id)
        return play.over.wait(seconds) if play else True

    def judge(self, account: str, session_id: str, judge: str) -> str:
        """Have the answer to the stop that was reached last judged; the reply's id.

        Raises:
            BadInput: if there is no such answer.
            JudgeError: if there is no such judge, or it cannot judge this reply.
        """
        turn = self._replays.place(account, session_id).turn
        own = of_model(turn) if turn else None
        if own is None:
            raise BadInput("There is no answer to judge yet: step first.")
        self._evaluating.evaluate(account, own.id, judge, Asked())
        return own.id

    def close(self, seconds: float = 5.0) -> None:
        """Stop everything that plays, and wait for it."""
        with self._guard:
            plays = list(self._plays.values())
        for play in plays:
            play.stop.set()
        self._conversation.close()
        for play in plays:
            play.over.wait(seconds)

    def _is_on(self, session_id: str) -> bool:
        play = self._plays.get(session_id)
        return play is not None and not play.over.is_set()

    def _work(self, account: str, session_id: str, judge: str, play: _Play) -> None:
        try:
            while not play.stop.is_set() and self._goes_on(account, session_id):
                ended = self._replays.step(account, session_id).wait()
                if ended.reply is None:
                    play.trouble = ended.trouble
                    return
                if judge and not play.stop.is_set():
                    self.judge(account, session_id, judge)
        except _TROUBLES as error:
            logger.warning("replay %s stopped: %s", session_id, type(error).__name__)
            play.trouble = str(error)
        finally:
            play.over.set()

    def _goes_on(self, account: str, session_id: str) -> bool:
        place = self._replays.place(account, session_id)
        return place.next is not None or bool(place.turn and place.turn.status == "open")
