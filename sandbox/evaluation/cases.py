"""A reply on record as a judge's case: what it was said to, and the pool it is judged against."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, select

from memory_banks import ledger
from memory_banks.entries import Entry, State
from personas import expanded
from personas.library import describe
from sandbox.evaluation.languages import UNKNOWN, language_of
from sandbox.instances import Instance, Role
from sandbox.judges.case import Case, PoolItem
from sandbox.lifecycle.meanwhile import forgettings
from sandbox.pools import entry_ids
from sandbox.reply_traces import Reply, find_reply
from sandbox.tables import replies
from sandbox.transcripts import Session, Transcript, Turn, find_turn, transcript

LARGEST_POOL = 30
"""Entries of a live session's pool, unless more were injected; of an instance's, all."""


@dataclass(frozen=True, slots=True)
class Judgeable:
    """A reply with everything that a judge and the figures need. Only the case is for judges."""

    session: Session
    turn: Turn
    reply: Reply
    case: Case
    injected: frozenset[str]
    """Ids of the entries that the reply's prompt showed; for a reply by hand, that a sibling's did,
    and the whole pool where there is none."""
    gold: Mapping[str, Role]
    """Roles given with the instance, by entry id; empty for a live session."""
    keys: Mapping[str, str]
    """The instance's pool keys by entry id; empty for a live session."""
    left_out: int
    """How many recalled entries are not judged, because the pool would be too large."""
    unrecalled: frozenset[str]
    """Ids of what is judged for being gold though nothing recalled it."""
    elsewhere: bool
    """Whether the session is of an instance and this turn says something else than its query."""
    forgettings: int
    """How often something was forgotten before this was read."""


def judgeable(
    conn: Connection,
    account: str,
    reply_id: str,
    instance: Instance | None,
    wanted: Iterable[str] = (),
) -> Judgeable:
    """The reply `reply_id` as a case.

    The pool of a turn that says an instance's query is the instance's, or where that has no roles
    its golden entries, recalled or not, with what came up; that of any other turn, before it, after
    it or live, is what was injected, what a researcher says should have come (`wanted`), and what
    was recalled, closest first, up to LARGEST_POOL entries: a file's gold is for its own query.

    Raises:
        UnknownReply: if the account has no such reply.
    """
    session, turn = find_turn(conn, account, reply_id)
    own = instance if instance and asks(instance, turn) else None
    reply = find_reply(conn, account, reply_id)
    whole = transcript(conn, account, session.id)
    states = {one.entry.id: one for one in ledger.states(conn, session.dyad, reply.revision)}
    traced = _traced(conn, account, turn, reply)
    keys = {} if own is None else _keys(own, session, states)
    known = {one for one, key in keys.items() if own and _belongs(own, key)}
    ids = [
        *(one for one in keys if one in known),
        *traced.injected,
        *wanted,
        *(one.entry for one in traced.recalled),
    ]
    pool = list(dict.fromkeys(one for one in ids if one in states))
    judged = pool[: max(LARGEST_POOL, len(known) + len(traced.injected))]
    shown = traced.injected if traced.line.author == "model" else judged
    return Judgeable(
        session=session,
        turn=turn,
        reply=reply,
        case=_case(session, turn, reply, whole, instance, [states[one] for one in judged]),
        injected=frozenset(shown) & frozenset(judged),
        gold=_gold(own, keys),
        keys=keys,
        left_out=len(pool) - len(judged),
        unrecalled=frozenset(known).intersection(judged).difference(_came_up(traced), wanted),
        elsewhere=instance is not None and own is None,
        forgettings=forgettings(conn, account),
    )


def asks(instance: Instance, turn: Turn) -> bool:
    """Whether a turn says what the instance's gold is for: a replay's test turn, or its query."""
    if turn.origin is not None and turn.origin.kind == "stop":
        return True
    return turn.text.split() == instance.query.split()


def _belongs(instance: Instance, key: str) -> bool:
    """Whether an entry is judged, recalled or not: one with a role, or a golden one.

    Of a bank without roles, as MADial-Bench's 76 memories, the rest is judged where it came up.
    """
    return key in instance.roles or key in instance.golden


def _gold(instance: Instance | None, keys: Mapping[str, str]) -> dict[str, Role]:
    """The roles that the file gives, by the ids in the bank."""
    if instance is None:
        return {}
    return {one: instance.roles[key] for one, key in keys.items() if key in instance.roles}


def _came_up(traced: Reply) -> list[str]:
    """Ids of what was recalled or injected."""
    return [*traced.injected, *(one.entry for one in traced.recalled)]


def _traced(conn: Connection, account: str, turn: Turn, reply: Reply) -> Reply:
    """The reply whose trace counts: itself, or for one by hand the latest a model wrote beside."""
    if reply.line.author == "model":
        return reply
    query = select(replies.c.id).where(replies.c.turn == turn.id, replies.c.author == "model")
    latest = conn.execute(query.order_by(replies.c.ordinal.desc()).limit(1)).scalar_one_or_none()
    return reply if latest is None else find_reply(conn, account, latest)


def _keys(instance: Instance, session: Session, states: Mapping[str, State]) -> dict[str, str]:
    """The instance's keys by the ids in the bank, in listed order; edited entries are not there."""
    ids = entry_ids(instance, session.dyad)
    listed = {ids[entry.key]: entry.key for entry in instance.listed()}
    return {one: key for one, key in listed.items() if one in states}


def _case(
    session: Session,
    turn: Turn,
    reply: Reply,
    whole: Transcript,
    instance: Instance | None,
    pool: list[State],
) -> Case:
    persona = expanded(session.persona, session.speaker, seed=session.id)
    told = f"\n{session.speaker}: {session.profile}" if session.profile else ""
    before = tuple(whole.said(before=turn.number))
    return Case(
        character=session.persona.name,
        human=session.speaker,
        persona=describe(persona) + told,
        history=before,
        query=turn.text,
        reply=reply.line.text,
        pool=tuple(_item(state) for state in pool),
        language=language_of(reply.line.text, instance.language if instance else UNKNOWN),
        now=turn.at,
        emotion=turn.emotion,
        scene=turn.scene,
        situation=instance.situation if instance and asks(instance, turn) else None,
        replies=tuple(said.text for said in before if said.role == "assistant")[-2:],
    )


def _item(state: State) -> PoolItem:
    entry: Entry = state.entry
    return PoolItem(
        id=entry.id,
        text=entry.text,
        type=entry.type,
        side=entry.scope.side,
        anchor=entry.anchor,
        emotion=entry.emotion,
        scene=entry.scene,
        live=state.live,
    )
