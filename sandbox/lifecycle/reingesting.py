"""The same sessions remembered by another method, in a branch of their own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Event

from sqlalchemy import Connection, select, update

from graphs.methods import MethodName
from memory_banks.entries import Dyad, canonical
from sandbox.inputs import BadInput, checked_method
from sandbox.lifecycle.branches import Branch, Branches
from sandbox.lifecycle.forking import fork_session
from sandbox.lifecycle.remembering import CapturePending, Remembered, Remembering
from sandbox.record import Record
from sandbox.tables import replies, turns
from sandbox.transcripts import Transcript, transcript


@dataclass(frozen=True, slots=True)
class Reingested:
    """A branch, and what became of each session in it, in the order in which they were held."""

    branch: Branch
    sessions: tuple[Remembered, ...]
    """The copies that were read."""
    asked: int
    """How many sessions were to be read: more than there are copies, where it was stopped."""

    @property
    def waiting(self) -> int:
        """How many proposals were doubtful and wait for a human, in the branch."""
        return sum(len(one.undecided) for one in self.sessions)

    @property
    def complete(self) -> bool:
        """Whether every session was read."""
        return len(self.sessions) == self.asked


class HalfReingested(CapturePending):
    """A session could not be read: the branch holds what was done before it."""

    def __init__(self, sentence: str, done: Reingested) -> None:
        super().__init__(sentence)
        self.done = done
        """The branch, without the session that failed."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A branch that was made, and what is to be read into it."""

    branch: Branch
    sessions: tuple[str, ...]
    """Ids of the sessions, in the order in which they were held."""
    method: MethodName
    model: str | None
    """Reads the sessions in place of their own models; null: as they were."""


@dataclass(frozen=True, slots=True)
class Watching:
    """Who looks on while sessions are read."""

    begun: Callable[[int, int], None] = lambda number, count: None
    """Called before each session with its number, from 1, and how many there are."""
    stop: Event = field(default_factory=Event)
    """Set: no further session is read."""


class Reingesting:
    """Reads sessions again under another method. The account comes first."""

    def __init__(
        self,
        record: Record,
        branches: Branches,
        remembering: Remembering,
        new_id: Callable[[], str],
    ) -> None:
        self._record = record
        self._branches = branches
        self._remembering = remembering
        self._new_id = new_id

    def reingest(
        self,
        account: str,
        dyad: Dyad,
        sessions: Sequence[str],
        method: str,
        *,
        revision: int = 0,
        name: str = "",
        model: str | None = None,
        watching: Watching | None = None,
    ) -> Reingested:
        """Remember the sessions again by `method`: `begin`, then `read`."""
        begun = self.begin(
            account, dyad, sessions, method, revision=revision, name=name, model=model
        )
        return self.read(begun, watching)

    def begin(
        self,
        account: str,
        dyad: Dyad,
        sessions: Sequence[str],
        method: str,
        *,
        revision: int = 0,
        name: str = "",
        model: str | None = None,
    ) -> Begun:
        """Make a branch of the bank at `revision` (0: an empty one) for sessions to be read into.

        `model` is to read them in place of their own.

        Raises:
            BadInput: if there is no such method or revision, or a session is not of this dyad, not
                ended, or named twice.
            UnknownSession: if the account has no such session.
        """
        known = checked_method(method)
        held = self._held(account, dyad, sessions)
        label = name.strip() or f"{known}, from revision {revision}"
        branch = self._branches.make(account, dyad, revision, name=label)
        return Begun(branch, tuple(held), known, model)

    def read(self, begun: Begun, watching: Watching | None = None) -> Reingested:
        """Read the sessions into their branch, one after the other.

        Each is copied there, ended and captured; what is proposed is approved, but for what is
        doubtful. What the replies recalled belongs to the other bank and is left out of the
        copies. The sessions themselves and their bank stay as they are. Where a model fails
        half-way, the branch stays with what was done, and ending that session in it again tries
        it once more.

        Raises:
            HalfReingested: if the model could not be asked or read.
            UnknownSession: if a session was forgotten meanwhile.
        """
        look, branch = watching or Watching(), begun.branch
        ended: list[Remembered] = []
        for number, session in enumerate(begun.sessions, start=1):
            if look.stop.is_set():
                break
            look.begun(number, len(begun.sessions))
            copy = self._copied(session, begun.method, branch)
            try:
                ended.append(self._remembering.end(branch.account, copy, "all", begun.model))
            except CapturePending as error:
                done = Reingested(branch, tuple(ended), len(begun.sessions))
                raise HalfReingested(_half(done, error), done) from error
        return Reingested(branch, tuple(ended), len(begun.sessions))

    def _held(self, account: str, dyad: Dyad, sessions: Sequence[str]) -> list[str]:
        """The sessions in the order in which they were held, by their own clocks."""
        if not sessions:
            raise BadInput("Choose at least one session to read again.")
        if len(set(sessions)) < len(sessions):
            raise BadInput("A session is named twice: name each once.")
        with self._record.read() as conn:
            found = [transcript(conn, account, one) for one in sessions]
        for whole in found:
            if whole.session.dyad != dyad:
                raise BadInput(f"Session {whole.session.id} is of another user or character.")
            if whole.session.ended_at is None:
                raise BadInput(f"Session {whole.session.id} is still open: end it first.")
        return [whole.session.id for whole in sorted(found, key=_begun)]

    def _copied(self, session_id: str, method: MethodName, branch: Branch) -> str:
        """Copy a session into the branch; the copy's id."""
        with self._record.write("derived") as conn:
            whole = transcript(conn, branch.account, session_id)
            session = replace(whole.session, method=method)
            told = [turn for turn in whole.turns if turn.reply is not None]
            copy = fork_session(conn, session, told, {}, branch.user, self._new_id())
            _without_traces(conn, copy.id, branch.revision)
        return copy.id


def _half(done: Reingested, error: CapturePending) -> str:
    """Which session failed, why, and what is left."""
    return (
        f"Session {len(done.sessions) + 1} of {done.asked} could not be read, and branch "
        f"“{done.branch.name}” holds the {len(done.sessions)} before it. {error}"
    )


def _without_traces(conn: Connection, session: str, revision: int) -> None:
    """Have the replies of a copied session name no entry of the bank they were written from."""
    mine = replies.c.turn.in_(select(turns.c.id).where(turns.c.session == session))
    nothing = canonical({"query": "", "searched": "", "candidates": []})
    blank = {"recalled": nothing, "injected": "[]", "messages": "[]", "revision": revision}
    conn.execute(update(replies).where(mine).values(**blank))


def _begun(whole: Transcript) -> tuple[str, str]:
    """When a session began, by its own clock, then when it was opened."""
    return whole.turns[0].at if whole.turns else "", whole.session.created_at
