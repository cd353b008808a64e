"""The same sessions remembered by another method, in a branch of their own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, select, update

from memory_banks.entries import Dyad, canonical
from sandbox.inputs import BadInput, checked_method
from sandbox.lifecycle.branches import Branch, Branches
from sandbox.lifecycle.forking import fork_session
from sandbox.lifecycle.remembering import Remembered, Remembering
from sandbox.record import Record
from sandbox.tables import replies, turns
from sandbox.transcripts import Transcript, transcript


@dataclass(frozen=True, slots=True)
class Reingested:
    """A branch, and what became of each session in it, in the order in which they were held."""

    branch: Branch
    sessions: tuple[Remembered, ...]

    @property
    def waiting(self) -> int:
        """How many proposals were doubtful and wait for a human, in the branch."""
        return sum(len(one.undecided) for one in self.sessions)


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
    ) -> Reingested:
        """Remember the sessions again by `method`, in a new branch of the bank at `revision`.

        Each session is copied into the branch, ended there and captured; what is proposed is
        approved, but for what is doubtful. What the replies recalled belongs to the other bank and
        is left out of the copies. `revision` 0 begins with an empty
        bank. The sessions themselves and their bank stay as they are. `model` reads them in place
        of their own. Where a model fails half-way, the branch stays with what was done, and ending
        its sessions again goes on.

        Raises:
            BadInput: if there is no such method or revision, or a session is not of this dyad, not
                ended, or named twice.
            CapturePending: if the model could not be asked or read.
            UnknownSession: if the account has no such session.
        """
        known = checked_method(method)
        held = self._held(account, dyad, sessions)
        label = name or f"{known}, from revision {revision}"
        branch = self._branches.make(account, dyad, revision, name=label)
        copies: list[str] = []
        with self._record.write("derived") as conn:
            for whole in held:
                session = replace(whole.session, method=known)
                told = [turn for turn in whole.turns if turn.reply is not None]
                copy = fork_session(conn, session, told, {}, branch.user, self._new_id())
                _without_traces(conn, copy.id, branch.revision)
                copies.append(copy.id)
        ended = [self._remembering.end(account, one, "all", model) for one in copies]
        return Reingested(branch, tuple(ended))

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
        return sorted(found, key=_begun)


def _without_traces(conn: Connection, session: str, revision: int) -> None:
    """Have the replies of a copied session name no entry of the bank they were written from."""
    mine = replies.c.turn.in_(select(turns.c.id).where(turns.c.session == session))
    nothing = canonical({"query": "", "searched": "", "candidates": []})
    blank = {"recalled": nothing, "injected": "[]", "messages": "[]", "revision": revision}
    conn.execute(update(replies).where(mine).values(**blank))


def _begun(whole: Transcript) -> tuple[str, str]:
    """When a session began, by its own clock, then when it was opened."""
    return whole.turns[0].at if whole.turns else "", whole.session.created_at
