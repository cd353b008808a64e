"""The end of a session: capture, proposals, decisions, operations."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Literal

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Command
from sqlalchemy import update

from graphs.chat_model import ChatModel, ModelError, UnreadableAnswer
from graphs.methods import METHODS, MethodName
from graphs.remember import RememberContext, RememberState, build_remember
from memory_banks import captures
from memory_banks.captures import Capture, CaptureGone, Finding, Proposal, capture_id
from memory_banks.entries import Dyad, Entry, Operation
from memory_banks.ledger import operations_caused_by
from sandbox.clock import iso
from sandbox.edits import Edit, edited_entry
from sandbox.inputs import BadInput
from sandbox.lifecycle.capture_steps import CaptureSteps
from sandbox.lifecycle.meanwhile import ForgottenMeanwhile
from sandbox.models import ModelNotReady, UnknownModel
from sandbox.record import Record
from sandbox.tables import sessions
from sandbox.transcripts import find_session, transcript

logger = logging.getLogger(__name__)
_FORGOTTEN = (
    "The session is ended and its capture is pending, because something was forgotten while it was "
    "read. End it again to retry."
)


class CapturePending(Exception):
    """The session is ended but not captured; the message says why and how to retry."""


class UnknownProposal(Exception):
    """There is no such proposal for this account."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a session's end."""

    capture: Capture
    findings: tuple[Finding, ...]
    proposals: tuple[Proposal, ...]
    operations: tuple[Operation, ...]
    """The operations written so far by this session's proposals."""

    @property
    def captured(self) -> int:
        """How many entries passed the gates."""
        return sum(finding.is_entry for finding in self.findings)

    @property
    def undecided(self) -> tuple[Proposal, ...]:
        """The proposals that wait for a human."""
        return tuple(proposal for proposal in self.proposals if proposal.decision is None)

    @property
    def plain(self) -> tuple[Proposal, ...]:
        """Those of them in which nothing is doubtful: they may be approved all at once."""
        return tuple(proposal for proposal in self.undecided if proposal.doubt is None)


class Remembering:
    """Ends sessions and carries what they held into the bank."""

    def __init__(
        self,
        record: Record,
        get_model: Callable[[str | None], ChatModel],
        clock: Callable[[], datetime],
        steps: CaptureSteps,
        quiet: Callable[[str], AbstractContextManager[None]],
        checkpointer: BaseCheckpointSaver[str],
    ) -> None:
        self._record = record
        self._get_model = get_model
        self._clock = clock
        self._quiet = quiet
        self._steps = steps
        self._graph = build_remember(checkpointer)
        self._checkpointer = checkpointer
        self._guard = Lock()
        self._busy: dict[str, Lock] = {}

    def end(
        self,
        account: str,
        session_id: str,
        approve: Literal["none", "all"] = "none",
        model: str | None = None,
    ) -> Remembered:
        """End the session (T3), capture it, and propose changes; twice is once.

        A capture that was left pending or unreadable is tried again. `approve="all"` decides on
        every open proposal as proposed, but for doubtful ones: they wait for a human. `model`
        reads the session in place of its own model.

        Raises:
            SessionBusy: if a reply is being written.
            CapturePending: if the model could not be asked, or not be read.
            UnknownSession: if the account has none.
        """
        with self._only(session_id):
            self.close(account, session_id)
            self._run(account, session_id, model)
            if approve == "all":
                for proposal in self.outcome(account, session_id).plain:
                    self._decide(proposal, "approved", None, "api")
                self._resume(account, session_id)
        return self.outcome(account, session_id)

    def close(self, account: str, session_id: str) -> None:
        """End the session (T3) without reading it yet: `end` does that, now or later.

        Raises:
            SessionBusy: if a reply is being written.
            UnknownSession: if the account has none.
        """
        now = iso(self._clock())
        with self._quiet(session_id), self._record.write("T3") as conn:
            whole = transcript(conn, account, session_id)
            if whole.session.ended_at is None:
                ended = update(sessions).where(sessions.c.id == session_id).values(ended_at=now)
                conn.execute(ended)
            captures.open_capture(conn, whole.session.dyad, session_id, now)

    def outcome(self, account: str, session_id: str) -> Remembered:
        """What became of the session's end so far.

        Raises:
            BadInput: while the session is open.
            UnknownSession: if the account has none.
        """
        with self._record.read() as conn:
            find_session(conn, account, session_id)
            capture = captures.find_capture(conn, session_id)
            if capture is None:
                raise BadInput(f"Session {session_id} is still open: end it first.")
            proposals = tuple(captures.proposals_of(conn, capture.id))
            causes = [proposal.id for proposal in proposals]
            return Remembered(
                capture,
                tuple(captures.findings_of(conn, capture.id)),
                proposals,
                tuple(operations_caused_by(conn, capture.dyad, causes)),
            )

    def decide(
        self,
        account: str,
        proposal_id: str,
        verdict: captures.Verdict,
        edit: Edit | None = None,
        author: str = "human",
    ) -> Remembered:
        """Decide on one proposal (T5) and carry it out at once (T6); a second decision is none.

        Raises:
            BadInput: if the edit cannot be taken.
            UnknownProposal: if the account has none.
        """
        with self._record.read() as conn:
            proposal = captures.find_proposal(conn, account, proposal_id)
        if proposal is None:
            raise UnknownProposal(f"There is no proposal {proposal_id!r}: reload the page.")
        session_id = self._session_of(proposal)
        with self._only(session_id):
            edited = _edited(proposal, edit) if edit else None
            self._decide(proposal, verdict, edited, author)
            self._resume(account, session_id)
        return self.outcome(account, session_id)

    def rescue(self, account: str, session_id: str, ordinal: int, edit: Edit) -> Remembered:
        """Remember by hand what the capture of a session refused; it counts at once.

        `ordinal` is the finding's number; the entry rests on its utterance. A second time is none.

        Raises:
            BadInput: if there is no such refused finding, it names nothing that was said, or the
                entry cannot be taken.
            UnknownSession: if the account has none.
        """
        found = self.outcome(account, session_id)
        with self._only(session_id):
            self._steps.rescue(found.capture.id, ordinal, edit)
        return self.outcome(account, session_id)

    def open(self, account: str, dyad: Dyad | None = None) -> list[Remembered]:
        """What still waits: captures to retry and proposals to decide; of one dyad where given."""
        with self._record.read() as conn:
            waiting = captures.open_captures(conn, account)
        wanted = [capture for capture in waiting if dyad is None or capture.dyad == dyad]
        return [self.outcome(account, capture.session) for capture in wanted]

    def recover(self, account: str) -> None:
        """Carry out decisions that a crash kept from being applied."""
        for remembered in self.open(account):
            if remembered.capture.status == "proposed":
                with self._only(remembered.capture.session):
                    self._steps.apply(remembered.capture.id)

    def _run(self, account: str, session_id: str, model: str | None) -> None:
        """Take the capture from where the record says it is to its proposals."""
        with self._record.read() as conn:
            session = find_session(conn, account, session_id)
            capture = captures.find_capture(conn, session_id)
        assert capture is not None
        if capture.status in ("proposed", "done"):
            return
        try:
            context = self._context(model or session.model, session.method)
            self._checkpointer.delete_thread(capture.id)
            self._invoke({"capture": capture.id}, capture.id, context)
        except (ForgottenMeanwhile, CaptureGone) as error:
            with self._record.read() as conn:
                find_session(conn, account, session_id)
            raise CapturePending(_FORGOTTEN) from error
        except (ModelError, ModelNotReady, UnknownModel) as error:
            self._keep_failure(capture.id, error)
            raise CapturePending(
                f"The session is ended and its capture is pending, because {_lowered(str(error))} "
                "End it again to retry."
            ) from error

    def _context(self, model: str | None = None, method: MethodName = "typed") -> RememberContext:
        return RememberContext(self._steps, lambda: self._get_model(model), METHODS[method])

    def _keep_failure(self, capture: str, error: Exception) -> None:
        unreadable = isinstance(error, UnreadableAnswer)
        raw = (
            [{"stage": "capture", "raw": error.raw}] if isinstance(error, UnreadableAnswer) else []
        )
        with self._record.write("derived") as conn:
            status: captures.Status = "unreadable" if unreadable else "pending"
            if captures.get(conn, capture).status == "captured":
                # It failed behind the capture, whose findings stay: the retry begins there.
                status = "captured"
            captures.set_status(conn, capture, status, notes=[str(error)], calls=raw)

    def _decide(
        self, proposal: Proposal, verdict: captures.Verdict, edited: Entry | None, author: str
    ) -> None:
        at = iso(self._clock())
        with self._record.write("T5") as conn:
            captures.store_decision(conn, proposal.id, verdict, edited=edited, author=author, at=at)

    def _resume(self, account: str, session_id: str) -> None:
        """Let the memory graph go on; without its thread the record alone is enough."""
        capture = capture_id(session_id)
        if self._graph.get_state(_thread(capture)).next == ("decide",):
            self._invoke(Command(resume=True), capture, self._context())
        else:
            self._steps.apply(capture)
        if self.outcome(account, session_id).capture.status == "done":
            self._checkpointer.delete_thread(capture)

    def _invoke(
        self, start: RememberState | Command[str], capture: str, context: RememberContext
    ) -> None:
        self._graph.invoke(start, _thread(capture), context=context, durability="sync")

    def _session_of(self, proposal: Proposal) -> str:
        with self._record.read() as conn:
            return captures.get(conn, proposal.capture).session

    def _only(self, session_id: str) -> Lock:
        """Hold the session's end, so that two ends or decisions take turns."""
        with self._guard:
            return self._busy.setdefault(session_id, Lock())


def _edited(proposal: Proposal, edit: Edit) -> Entry:
    if proposal.entry is None:
        raise BadInput("Nothing takes the place of what is forgotten: approve it, or reject it.")
    return edited_entry(proposal.entry, edit)


def _thread(capture: str) -> RunnableConfig:
    return {"configurable": {"thread_id": capture}}


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
