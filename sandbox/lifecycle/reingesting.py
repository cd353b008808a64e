"""The same sessions remembered by another method, in a branch of their own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Event

from sqlalchemy import Connection, select, update

from graphs.methods import MethodName
from memory_banks.entries import Dyad, canonical
from sandbox.inputs import BadInput, checked_method
from sandbox.lifecycle.branches import Branch, Branches
from sandbox.lifecycle.forking import copy_id, fork_session, has_session
from sandbox.lifecycle.reingest_again import Wanted, began, branch_to_go_on_in
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
    goes_on: bool = False
    """Whether the branch was there: what is read in it already is not read once more."""


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
    ) -> None:
        self._record = record
        self._branches = branches
        self._remembering = remembering

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

        `model` is to read them in place of their own. A reading that was begun in the same way,
        under the same name, and not finished goes on in its branch.

        Raises:
            BadInput: if there is no such method or revision, or a session is not of this dyad, not
                ended, or named twice.
            UnknownSession: if the account has no such session.
        """
        known = checked_method(method)
        held = self._held(account, dyad, sessions)
        label = name.strip() or f"{known}, from revision {revision}"
        wanted = Wanted(known, model, revision, label)
        with self._record.read() as conn:
            branch = branch_to_go_on_in(conn, dyad, held, wanted)
        goes_on = branch is not None
        branch = branch or self._branches.make(account, dyad, revision, name=label)
        return Begun(branch, tuple(one.session.id for one in held), known, model, goes_on)

    def read(self, begun: Begun, watching: Watching | None = None) -> Reingested:
        """Read the sessions into their branch, one after the other.

        Each is copied there, ended and captured; what is proposed is approved, but for what is
        doubtful. What the replies recalled belongs to the other bank and is left out of the
        copies. The sessions themselves and their bank stay as they are. Where a model fails
        half-way, or somebody stops it, the branch stays with what was done, and beginning again in
        the same way goes on there.

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
            copy = self._copied(session, begun)
            try:
                ended.append(self._remembering.end(branch.account, copy, "all", begun.model))
            except CapturePending as error:
                done = Reingested(branch, tuple(ended), len(begun.sessions))
                raise HalfReingested(_half(done, error), done) from error
        return Reingested(branch, tuple(ended), len(begun.sessions))

    def _held(self, account: str, dyad: Dyad, sessions: Sequence[str]) -> list[Transcript]:
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
        return sorted(found, key=began)

    def _copied(self, session_id: str, begun: Begun) -> str:
        """Copy a session into the branch, unless it is there; the copy's id."""
        branch, copy = begun.branch, copy_id(begun.branch.id, session_id)
        with self._record.write("derived") as conn:
            whole = transcript(conn, branch.account, session_id)
            if has_session(conn, copy):
                return copy
            model = begun.model or whole.session.model
            session = replace(whole.session, method=begun.method, model=model)
            told = [turn for turn in whole.turns if turn.reply is not None]
            fork_session(conn, session, told, {}, branch.user, copy)
            _without_traces(conn, copy, branch.revision)
        return copy


def _half(done: Reingested, error: CapturePending) -> str:
    """Which session failed, why, and what is left."""
    return (
        f"Session {len(done.sessions) + 1} of {done.asked} could not be read, and branch "
        f"“{done.branch.name}” holds the {len(done.sessions)} before it. Reading again in the same "
        f"way goes on there. {error}"
    )


def _without_traces(conn: Connection, session: str, revision: int) -> None:
    """Have the replies of a copied session name no entry of the bank they were written from."""
    mine = replies.c.turn.in_(select(turns.c.id).where(turns.c.session == session))
    nothing = canonical({"query": "", "searched": "", "candidates": []})
    blank = {"recalled": nothing, "injected": "[]", "messages": "[]", "revision": revision}
    conn.execute(update(replies).where(mine).values(**blank))
