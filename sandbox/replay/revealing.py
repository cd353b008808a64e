"""Which stops of replays somebody has asked the gold of; until then the page tells none of it."""

from threading import Lock

from sandbox.transcripts import Session, Turn


class Revealing:
    """Kept while the program runs: after a restart the gold is hidden again."""

    def __init__(self) -> None:
        self._asked: set[tuple[str, int]] = set()
        self._lock = Lock()

    def ask(self, session_id: str, stop: int) -> None:
        """Somebody wants to see the gold of this stop, counted from 1."""
        with self._lock:
            self._asked.add((session_id, stop))

    def covers(self, session: Session, turn: Turn) -> bool:
        """Whether the gold of a turn is hidden: a replay's stop that nobody has asked for yet."""
        if session.gear is None or turn.origin is None or turn.origin.kind != "stop":
            return False
        with self._lock:
            return (session.id, turn.origin.stop or 0) not in self._asked
