"""A session once more, up to a turn, in a branch: turns, siblings and traces as they were."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from memory_banks.entries import canonical, digest
from sandbox.tables import replies, sessions, turns
from sandbox.transcripts import Session, Turn, find_session, session_row


def fork_session(
    conn: Connection,
    session: Session,
    kept: Sequence[Turn],
    ids: Mapping[str, str],
    user: str,
    new_id: str,
) -> Session:
    """Store a copy of `session` with the turns `kept`, for the branch's `user`, and return it.

    `ids` are the branch's entries by those of the origin: traces name the branch's own.
    """
    new = replace(session, id=new_id, user=user, ended_at=None, continues=None)
    conn.execute(insert(sessions).values(**session_row(new)))
    for turn in kept:
        row = conn.execute(select(turns).where(turns.c.id == turn.id)).one()
        turn_id = f"{new_id}-{turn.number}"
        chosen = turn.chosen and turn.chosen.replace(turn.id, turn_id, 1)
        values = {**row._mapping, "id": turn_id, "session": new_id, "chosen": chosen}
        conn.execute(insert(turns).values(**values))
        query = select(replies).where(replies.c.turn == turn.id).order_by(replies.c.ordinal)
        for reply in conn.execute(query).all():
            conn.execute(insert(replies).values(**_reply(reply, turn_id, ids)))
    return find_session(conn, session.account, new_id)


def copy_id(branch: str, session: str) -> str:
    """Id of the copy of a session that is read again in a branch: always the same one."""
    return digest("read again", branch, session)[:12]


def has_session(conn: Connection, session: str) -> bool:
    """Whether there is a session with this id."""
    return conn.execute(select(sessions.c.id).where(sessions.c.id == session)).first() is not None


def _reply(row: Row[Any], turn_id: str, ids: Mapping[str, str]) -> dict[str, Any]:
    """The reply's row in the copied turn; entries added since the branch keep their old names."""
    trace = json.loads(row.recalled)
    candidates = [
        {**one, "entry": ids.get(one["entry"], one["entry"])} for one in trace["candidates"]
    ]
    injected = [ids.get(one, one) for one in json.loads(row.injected)]
    return {
        **row._mapping,
        "id": f"{turn_id}.{row.ordinal}",
        "turn": turn_id,
        "recalled": canonical({**trace, "candidates": candidates}),
        "injected": canonical(injected),
    }
