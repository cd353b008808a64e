"""The typed API without its web framework: arguments are checked, answers are plain values."""

from collections.abc import Mapping

from graphs.methods import METHOD_NAMES
from graphs.model_file import ModelFileError
from memory_banks.captures import Proposal
from memory_banks.embedding import EmbedderFailed, EmbedderMissing
from memory_banks.entries import Operation
from memory_banks.files import BankFileError
from memory_banks.ledger import LedgerConflict, entries_by_id
from personas.library import PersonaError
from sandbox.arguments import BankOf, Chat, EndSession, Evaluate, Where, taken
from sandbox.assemble import Sandbox
from sandbox.clock import parse_time
from sandbox.conversation import SessionBusy, TurnFailed
from sandbox.evaluation.shapes import evaluation_fields
from sandbox.folder import FolderError
from sandbox.inputs import BadInput, checked_method, checked_text
from sandbox.judges.verdict import JudgeError
from sandbox.lifecycle.remembering import CapturePending, Remembered, UnknownProposal
from sandbox.models import ModelsError
from sandbox.port import PortError
from sandbox.reply_traces import Reply
from sandbox.replying import TROUBLES
from sandbox.sessions import SessionEnded
from sandbox.settings import SettingsError
from sandbox.shapes import (
    NO_ENTRY,
    Plain,
    decision_line,
    entry_brief,
    entry_line,
    operation_line,
    refused_line,
)
from sandbox.transcripts import Session, UnknownReply, UnknownSession

DOMAIN_ERRORS: tuple[type[Exception], ...] = (
    *TROUBLES,
    BadInput,
    BankFileError,
    CapturePending,
    EmbedderFailed,
    EmbedderMissing,
    FolderError,
    JudgeError,
    LedgerConflict,
    ModelFileError,
    ModelsError,
    PersonaError,
    PortError,
    SessionBusy,
    SessionEnded,
    SettingsError,
    TurnFailed,
    UnknownProposal,
    UnknownReply,
    UnknownSession,
)
"""What is no bug: page, API and commands show the message, a sentence for people, as it is."""


def chat(sandbox: Sandbox, account: str, **arguments: object) -> Plain:
    """Say something to a character and wait for the saved reply. See `Chat` for the arguments.

    Without `session_id` a session is opened, with `now` as its clock. In one that is there,
    `user` and `persona` must be its own, `strategy` and `model` answer from this turn on (`model`
    null: as before), and `now` is the time of this turn. `method` says how the session that is
    opened is remembered; in one that is there it must be its own, or null.

    Returns:
        `session_id`, `turn_id`, `reply_id`, `reply`, `recalled` (closest first; each with its
        scores, whether it was injected, and why not) and `injected` (in the order of the prompt).

    Raises:
        BadInput, UnknownSession, UnknownPersona, UnknownModel: and nothing was changed.
        TurnFailed: if there is no reply; the text is kept in the session that the message names.
    """
    asked = taken(Chat, arguments)
    text = checked_text(asked.text)
    at = None if asked.now is None else parse_time(asked.now, "now")
    session = session_at(sandbox, account, asked)
    try:
        reply = sandbox.conversation.ask(account, session.id, text, at=at)
    except TurnFailed as error:
        raise TurnFailed(
            f"{str(error).rstrip('.')} (the text is kept: send it again with session_id "
            f"{session.id!r})."
        ) from error
    return _told(sandbox, session, reply)


def end_session(sandbox: Sandbox, account: str, **arguments: object) -> Plain:
    """End a session, capture it and decide on its proposals. See `EndSession` for the arguments.

    A second call changes nothing, unless the capture is open (then it is tried again) or
    `approve` is "all" and proposals still wait.

    Returns:
        `session_id`, `status` (`done`, `proposed` or `unreadable`), `captured` (how many entries
        passed the gates), `refused` (what did not, and why), `notes`, `proposals`, `operations`.

    Raises:
        BadInput, UnknownSession, SessionBusy: and nothing was changed.
        CapturePending: if the model could not be asked; the session is ended.
    """
    asked = taken(EndSession, arguments)
    try:
        remembered = sandbox.remembering.end(account, asked.session_id, asked.approve)
    except CapturePending:
        remembered = sandbox.remembering.outcome(account, asked.session_id)
        if remembered.capture.status != "unreadable":
            raise
    return remembered_fields(sandbox, account, remembered)


def bank(sandbox: Sandbox, account: str, **arguments: object) -> list[Plain]:
    """The live entries of a dyad's bank, oldest first. See `BankOf` for the arguments.

    Nobody's bank is empty: an unknown user has no entries.

    Raises:
        BadInput, UnknownPersona: if an argument cannot be taken.
    """
    asked = taken(BankOf, arguments)
    view = sandbox.banks.view(account, asked.user, asked.persona)
    return [entry_line(state) for state in view.states if state.live]


def evaluate(sandbox: Sandbox, account: str, **arguments: object) -> Plain:
    """Have a judge judge a saved reply. See `Evaluate` for the arguments.

    Judging again keeps the corrections where the verdict is the same.

    Returns:
        `reply_id`, `verdict_id`, `judge`, `version`, `scenario`, `entries` (each with its role and
        who says so, usage, spans, why), `miq`, `situation`, `aspects`, `figures` (`pool` and
        `injected`; each with value, low, high, why), `warnings`, `corrections`, `calls`, `seconds`
        and `not_judged` (how many recalled entries the pool leaves out).

    Raises:
        BadInput, UnknownReply, JudgeError: and nothing was changed.
    """
    asked = taken(Evaluate, arguments)
    found = sandbox.evaluating.evaluate(account, asked.reply_id, asked.judge)
    return evaluation_fields(found, asked.judge)


def session_at(sandbox: Sandbox, account: str, where: Where) -> Session:
    """The session that is asked for: a new one with `now` as its clock, or the one that is there.

    In one that is there, a strategy or model that is given answers from now on.

    Raises:
        BadInput: if a value cannot be taken, or user, persona and method are not the session's.
        UnknownPersona, UnknownModel, UnknownSession, SessionEnded: and nothing was changed.
    """
    dyad = sandbox.banks.dyad(account, where.user, where.persona)
    _check_model(sandbox, where.model)
    method = None if where.method is None else checked_method(where.method)
    if where.session_id is None:
        return sandbox.sessions.open(
            account,
            where.user,
            where.persona,
            strategy=where.strategy or "top_k",
            model=where.model,
            clock=where.now,
            method=method or METHOD_NAMES[0],
        )
    session = sandbox.sessions.find(account, where.session_id)
    if session.dyad != dyad:
        raise BadInput(
            f"Session {session.id} is between {session.speaker!r} and {session.agent!r}, got user "
            f"{where.user!r} and persona {where.persona!r}: leave session_id out to open a new "
            "session."
        )
    if method not in (None, session.method):
        raise BadInput(
            f"Session {session.id} is remembered by {session.method!r}, got method {method!r}: "
            "leave method out, or leave session_id out to open a new session."
        )
    given = {"strategy": where.strategy, "model": where.model}
    changes = {name: to for name, to in given.items() if to and to != getattr(session, name)}
    return sandbox.sessions.adjust(account, session.id, **changes) if changes else session


def remembered_fields(sandbox: Sandbox, account: str, remembered: Remembered) -> Plain:
    """What became of a session's end, as plain values."""
    session_id = remembered.capture.session
    said = _utterances(sandbox, account, session_id)
    return {
        "session_id": session_id,
        "status": remembered.capture.status,
        "captured": remembered.captured,
        "refused": [refused_line(found) for found in remembered.findings if found.refused],
        "notes": list(remembered.capture.notes),
        "proposals": _proposal_lines(sandbox, remembered.proposals, said),
        "operations": _operation_lines(sandbox, remembered.operations),
    }


def _check_model(sandbox: Sandbox, name: str | None) -> None:
    """Raise UnknownModel for a name that is none; waits for no model to load."""
    if name is not None and name not in sandbox.models.names():
        sandbox.models.get(name)


def _told(sandbox: Sandbox, session: Session, reply: Reply) -> Plain:
    """A saved reply as `chat` gives it."""
    ids = dict.fromkeys([*(traced.entry for traced in reply.recalled), *reply.injected])
    with sandbox.record.read() as conn:
        entries = entries_by_id(conn, ids)
    lines = {
        traced.entry: entry_brief(entries[traced.entry])
        | {
            "scores": traced.scores,
            "injected": traced.entry in reply.injected,
            "why": traced.fell,
        }
        for traced in reply.recalled
    }
    return {
        "session_id": session.id,
        "turn_id": reply.line.turn,
        "reply_id": reply.line.id,
        "reply": reply.line.text,
        "recalled": list(lines.values()),
        "injected": [lines[entry] for entry in reply.injected],
    }


def _utterances(sandbox: Sandbox, account: str, session_id: str) -> dict[str, Plain]:
    """What was said in a session, by the utterance's id; sibling replies too."""
    whole = sandbox.sessions.transcript(account, session_id)
    said: dict[str, Plain] = {}
    for turn in whole.turns:
        said[turn.id] = {"id": turn.id, "speaker": whole.session.speaker, "text": turn.text}
        for reply in turn.replies:
            speaker = whole.session.persona.name
            said[reply.id] = {"id": reply.id, "speaker": speaker, "text": reply.text}
    return said


def _proposal_lines(
    sandbox: Sandbox, proposals: tuple[Proposal, ...], said: Mapping[str, Plain]
) -> list[Plain]:
    with sandbox.record.read() as conn:
        held = entries_by_id(conn, {entry for found in proposals for entry in found.deletes})
    return [
        (entry_brief(proposal.entry) if proposal.entry else NO_ENTRY)
        | {
            "id": proposal.id,
            "reason": proposal.reason,
            "evidence": said.get(proposal.evidence),
            "deletes": [{"id": entry, "text": held[entry].text} for entry in proposal.deletes],
            "decision": decision_line(proposal.decision),
            "doubt": proposal.doubt,
        }
        for proposal in proposals
    ]


def _operation_lines(sandbox: Sandbox, operations: tuple[Operation, ...]) -> list[Plain]:
    with sandbox.record.read() as conn:
        entries = entries_by_id(conn, {operation.entry_id for operation in operations})
    return [operation_line(operation, entries) for operation in operations]
