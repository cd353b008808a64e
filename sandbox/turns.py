"""What T1 and T2 write: turns, replies, and which reply counts."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from memory_banks.entries import canonical
from sandbox.clock import iso
from sandbox.inputs import BadInput
from sandbox.replay.origin import Origin, origin_row
from sandbox.replying import Draft
from sandbox.sessions import must_be_open
from sandbox.tables import replies, turns
from sandbox.transcripts import Session, Turn, find_session, find_turn, transcript


def open_turn(
    conn: Connection,
    account: str,
    session_id: str,
    text: str,
    draft: str,
    real: datetime,
    at: datetime | None = None,
    origin: Origin | None = None,
) -> tuple[Session, Turn]:
    """The session and its turn for `text`: the draft's, the interrupted one, or a new one.

    Raises:
        BadInput: if the session is a replay, whose words are the file's.
        UnknownSession, SessionEnded: if the session cannot be spoken in.
    """
    session = find_session(conn, account, session_id)
    sent = sent_as(conn, session_id, draft)
    if sent is not None:
        return find_turn(conn, account, sent)
    must_be_open(session)
    if session.gear is not None:
        raise BadInput("This session replays a dialogue: take over before you speak in it.")
    waiting = transcript(conn, account, session_id).open_turn
    if waiting is not None and waiting.text == text:
        set_trouble(conn, waiting.id, None)
        return session, waiting
    if waiting is not None:
        withdraw(conn, waiting.id)
    told = iso(at or session.now(real))
    new = add_turn(conn, session, text, draft, told, iso(real), origin)
    return find_turn(conn, account, new)


def sent_as(conn: Connection, session_id: str, draft: str) -> str | None:
    """Id of the session's turn that was sent as this draft, or None."""
    query = select(turns.c.id).where(turns.c.session == session_id, turns.c.draft == draft)
    return conn.execute(query).scalar_one_or_none()


def add_reply(conn: Connection, turn_id: str, draft: Draft, at: str) -> str:
    """Store a reply as the turn's next sibling, choose it, and return its id."""
    count = select(func.count()).where(replies.c.turn == turn_id)
    ordinal = int(conn.execute(count).scalar_one()) + 1
    reply_id = f"{turn_id}.{ordinal}"
    row: dict[str, Any] = {
        "id": reply_id,
        "turn": turn_id,
        "ordinal": ordinal,
        "author": draft.author,
        "text": draft.text,
        "finish": draft.finish,
        "strategy": draft.strategy,
        "model": draft.model,
        "sampling": canonical(draft.sampling),
        "seed": draft.seed,
        "revision": draft.revision,
        "recalled": canonical(draft.recalled),
        "injected": canonical(draft.injected),
        "messages": canonical(draft.messages),
        "prompts": canonical(draft.prompts),
        "usage": canonical(draft.usage),
        "created_at": at,
    }
    conn.execute(insert(replies).values(**row))
    choose(conn, turn_id, reply_id)
    return reply_id


def choose(conn: Connection, turn_id: str, reply_id: str) -> None:
    """Make a reply the one that counts; its turn is answered."""
    conn.execute(
        update(turns)
        .where(turns.c.id == turn_id)
        .values(chosen=reply_id, status="answered", trouble=None)
    )


def set_trouble(conn: Connection, turn_id: str, trouble: str | None) -> None:
    """Keep why an open turn has no reply."""
    conn.execute(
        update(turns).where(turns.c.id == turn_id, turns.c.status == "open").values(trouble=trouble)
    )


def latest_turn(conn: Connection, account: str, turn_or_reply: str) -> Turn:
    """The turn, if its session is open and no later turn follows.

    Raises:
        BadInput: if a later one follows.
        SessionEnded, UnknownReply: if it cannot be answered.
    """
    session, turn = find_turn(conn, account, turn_or_reply)
    must_be_open(session)
    later = transcript(conn, account, session.id).turns[-1].number
    if turn.number != later:
        raise BadInput(
            f"Only the last turn can have another reply; this is turn {turn.number} of {later}."
        )
    return turn


def withdraw(conn: Connection, turn_id: str) -> None:
    """Take a turn out of the talk; the record keeps it with its replies."""
    conn.execute(update(turns).where(turns.c.id == turn_id).values(status="withdrawn"))


def add_turn(
    conn: Connection,
    session: Session,
    text: str,
    draft: str,
    at: str,
    written: str,
    origin: Origin | None = None,
) -> str:
    """Store an open turn behind the others, with the session's emotion and scene; its id."""
    last = select(func.coalesce(func.max(turns.c.number), 0)).where(turns.c.session == session.id)
    number = int(conn.execute(last).scalar_one()) + 1
    turn_id = f"{session.id}-{number}"
    conn.execute(
        insert(turns).values(
            id=turn_id,
            session=session.id,
            number=number,
            draft=draft,
            text=text,
            at=at,
            emotion=session.emotion,
            scene=session.scene,
            status="open",
            trouble=None,
            chosen=None,
            created_at=written,
            origin=origin_row(origin),
        )
    )
    return turn_id
