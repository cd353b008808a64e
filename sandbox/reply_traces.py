"""Replies with everything that made them, as the record holds them."""

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from graphs.chat_model import Message
from sandbox.tables import replies, sessions, turns
from sandbox.transcripts import ReplyLine, UnknownReply


@dataclass(frozen=True, slots=True)
class Traced:
    """One recalled entry of a reply: every stage's score, and why it fell."""

    entry: str
    scores: dict[str, float | None]
    fell: str | None


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply with everything that made it."""

    line: ReplyLine
    strategy: str | None
    model: str | None
    sampling: dict[str, Any]
    seed: int | None
    revision: int
    """The bank's revision it was written at."""
    query: str
    """The text that was embedded; empty where nothing was searched."""
    searched: str
    recalled: tuple[Traced, ...]
    injected: tuple[str, ...]
    """Ids of the entries in the prompt, in the order shown."""
    messages: tuple[Message, ...]
    prompts: dict[str, str]
    usage: dict[str, Any]
    created_at: str


def find_reply(conn: Connection, account: str, reply_id: str) -> Reply:
    """The reply with this id and its trace.

    Raises:
        UnknownReply: if the account has none.
    """
    query = select(replies).select_from(replies.join(turns).join(sessions))
    query = query.where(replies.c.id == reply_id, sessions.c.account == account)
    if (row := conn.execute(query).one_or_none()) is None:
        raise UnknownReply(f"There is no reply {reply_id!r}: reload the page and try again.")
    trace = json.loads(row.recalled)
    return Reply(
        line=ReplyLine(row.id, row.turn, row.ordinal, row.author, row.text, row.finish),
        strategy=row.strategy,
        model=row.model,
        sampling=json.loads(row.sampling or "{}"),
        seed=row.seed,
        revision=row.revision,
        query=trace["query"],
        searched=trace["searched"],
        recalled=tuple(Traced(c["entry"], c["scores"], c["fell"]) for c in trace["candidates"]),
        injected=tuple(json.loads(row.injected)),
        messages=tuple(json.loads(row.messages)),
        prompts=json.loads(row.prompts),
        usage=json.loads(row.usage),
        created_at=row.created_at,
    )
