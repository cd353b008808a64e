"""A branch into which sessions were being read again, so that the reading can go on in it."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from graphs.methods import MethodName
from memory_banks.captures import find_capture
from memory_banks.entries import Dyad
from sandbox.lifecycle.branches import Branch, branches_of
from sandbox.lifecycle.forking import copy_id
from sandbox.tables import sessions
from sandbox.transcripts import Session, Transcript, session_from, transcript

_READ = ("proposed", "done")
"""States of a capture behind its model."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How sessions are to be read."""

    method: MethodName
    model: str | None
    """In place of their own; null: as they were."""
    revision: int
    name: str
    """The branch's."""


def began(whole: Transcript) -> tuple[str, str]:
    """When a session began, by its own clock, then when it was opened."""
    return whole.turns[0].at if whole.turns else "", whole.session.created_at


def branch_to_go_on_in(
    conn: Connection, dyad: Dyad, held: Sequence[Transcript], wanted: Wanted
) -> Branch | None:
    """The latest branch of that name in which the reading of `held` was begun in the same way.

    None where there is none, where nothing is left to be read, or where what is left was held
    before something that is read there already.
    """
    found = branches_of(conn, dyad.account, dyad.user)
    return next((one for one in reversed(found) if _goes_on(conn, one, dyad, held, wanted)), None)


def _goes_on(
    conn: Connection, branch: Branch, dyad: Dyad, held: Sequence[Transcript], wanted: Wanted
) -> bool:
    if (branch.name, branch.revision, branch.session) != (wanted.name, wanted.revision, None):
        return False
    there = _copies(conn, branch, dyad)
    read = [one for one in there if _is_read(conn, copy_id(branch.id, one.session.id))]
    left = [one for one in held if one not in read]
    lost = [one for one in there if one not in read and one not in held]
    if not there or not left or lost:
        return False
    alike = all(_is_alike(conn, branch, one.session, wanted) for one in there)
    return alike and max(map(began, read), default=("", "")) <= min(map(began, left))


def _copies(conn: Connection, branch: Branch, dyad: Dyad) -> list[Transcript]:
    """The dyad's sessions that have a copy in the branch."""
    own = sessions.c.account == dyad.account, sessions.c.user == branch.user
    copies = set(conn.execute(select(sessions.c.id).where(*own)).scalars())
    query = select(sessions.c.id).where(
        sessions.c.account == dyad.account,
        sessions.c.user == dyad.user,
        sessions.c.agent == dyad.agent,
    )
    ids = conn.execute(query).scalars().all()
    return [transcript(conn, dyad.account, one) for one in ids if copy_id(branch.id, one) in copies]


def _is_read(conn: Connection, copy: str) -> bool:
    capture = find_capture(conn, copy)
    return capture is not None and capture.status in _READ


def _is_alike(conn: Connection, branch: Branch, session: Session, wanted: Wanted) -> bool:
    """Whether the session's copy in the branch was to be read in this way."""
    query = select(sessions).where(sessions.c.id == copy_id(branch.id, session.id))
    copy = session_from(conn.execute(query).one())
    return (copy.method, copy.model) == (wanted.method, wanted.model or session.model)
