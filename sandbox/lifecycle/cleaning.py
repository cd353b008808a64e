"""Copies of forgotten words in the record's own tables: prompts, traces, verdicts, proposals.

Every function works on a connection whose transaction the caller opened.
"""

import json
from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import Column, Connection, Table, delete, select, update

from memory_banks.entries import Dyad, canonical
from memory_banks.forgetting import FORGOTTEN
from memory_banks.ledger import states
from memory_banks.rows import from_fields
from memory_banks.tables import captured, captures, decisions, proposals
from sandbox.edits import rescued_key
from sandbox.lifecycle.redaction import Redaction
from sandbox.tables import corrections, experiments, replies, sessions, turns, verdicts

MARK = "forgotten"
"""Key in a reply's usage: something of its prompt was forgotten, so it cannot be made again."""
_JUDGED = ((verdicts, verdicts.c.json), (experiments, experiments.c.json))
_FIELDS = ("text", "anchor", "emotion", "scene")


def clean_sessions(
    conn: Connection, ids: Collection[str], words: Collection[str], forgotten: Collection[str]
) -> int:
    """Take `words` out of all that was made from memory in these sessions.

    What was said stays: see `blank_utterances`. `forgotten` are the ids of the entries. Returns how
    many replies were touched; each is marked as no longer reproducible.
    """
    redaction = Redaction(words)
    touched = 0
    for row in conn.execute(_replies_of(ids)).all():
        values = _cleaned_reply(row, redaction, set(forgotten))
        if values:
            touched += 1
            conn.execute(update(replies).where(replies.c.id == row.id).values(**values))
    mine = select(replies.c.id).join(turns).where(turns.c.session.in_(ids))
    for table, column in _JUDGED:
        for row in conn.execute(select(table).where(table.c.reply.in_(mine))).all():
            _put(conn, table, column, row, _without_raw(redaction.json(row.json), row.json))
    for row in conn.execute(select(corrections).where(corrections.c.reply.in_(mine))).all():
        _put(conn, corrections, corrections.c.reason, row, redaction.text(row.reason))
    _clean_captures(conn, ids, redaction, set(forgotten))
    return touched


def blank_utterances(conn: Connection, ids: Collection[str]) -> list[str]:
    """Blank what was said under these ids, of turns and of replies; the words it was."""
    words: list[str] = []
    for table in (turns, replies):
        query = select(table.c.text).where(table.c.id.in_(ids), table.c.text != FORGOTTEN)
        words += conn.execute(query.distinct()).scalars()
        conn.execute(update(table).where(table.c.id.in_(ids)).values(text=FORGOTTEN))
    return words


def words_before(conn: Connection, ids: Collection[str], keys: Collection[str]) -> list[str]:
    """What entries said in these sessions' captures before a person changed them on taking them in.

    `keys` are the entries' own.
    """
    mine = captures.c.session.in_(ids)
    proposed = select(proposals.c.entry, decisions.c.edited).select_from(
        proposals.join(captures).join(decisions)
    )
    told = conn.execute(proposed.where(mine, decisions.c.edited.is_not(None))).all()
    words = [json.loads(row.entry)["text"] for row in told if json.loads(row.edited)["key"] in keys]
    refused = select(captured).join(captures).where(mine, captured.c.refused.is_not(None))
    return words + [
        json.loads(row.entry).get("text", "")
        for row in conn.execute(refused)
        if rescued_key(row.capture, row.ordinal) in keys
    ]


def other_states(conn: Connection, dyad: Dyad, entry_id: str) -> Iterator[str]:
    """A sentence where the bank still tells earlier or later states of the entry."""
    found = {one.entry.id: one for one in states(conn, dyad)}
    chain = [entry_id]
    for one in chain:
        linked = {*found[one].replaces, found[one].replaced_by} if one in found else set()
        linked |= {key for key, state in found.items() if one in state.replaces}
        chain += [key for key in found if key in linked and key not in chain]
    stay = sum(found[one].entry.text != FORGOTTEN for one in chain[1:])
    if stay:
        yield (
            f"{stay} earlier or later states of it are entries of their own and stay: forget each "
            "of them too."
        )


def still_said(conn: Connection, ids: Collection[str], text: str) -> Iterator[str]:
    """A sentence where the talk itself still holds the words."""
    redaction = Redaction([text])
    said = [row.text for row in conn.execute(select(turns).where(turns.c.session.in_(ids)))]
    said += [row.text for row in conn.execute(_replies_of(ids))]
    count = sum(redaction.holds(one) for one in said)
    if count:
        yield (
            f"{count} utterances still say it word for word: forget the entry with its turns, or "
            "their session."
        )


def remove_sessions(conn: Connection, ids: Collection[str]) -> dict[str, int]:
    """Remove these sessions with all turns, replies, verdicts; how many rows, by table.

    What was captured from them must be gone already.
    """
    told = select(turns.c.id).where(turns.c.session.in_(ids))
    mine = select(replies.c.id).where(replies.c.turn.in_(told))
    counts: dict[str, int] = {}
    for table in (corrections, experiments, verdicts):
        counts[table.name] = conn.execute(delete(table).where(table.c.reply.in_(mine))).rowcount
    counts["replies"] = conn.execute(delete(replies).where(replies.c.turn.in_(told))).rowcount
    counts["turns"] = conn.execute(delete(turns).where(turns.c.session.in_(ids))).rowcount
    continued = update(sessions).where(sessions.c.continues.in_(ids))
    conn.execute(continued.values(continues=None))
    counts["sessions"] = conn.execute(delete(sessions).where(sessions.c.id.in_(ids))).rowcount
    return counts


def _replies_of(ids: Collection[str]) -> Any:
    return select(replies).join(turns).where(turns.c.session.in_(ids))


def _cleaned_reply(row: Any, redaction: Redaction, forgotten: set[str]) -> dict[str, str]:
    """The columns that change; none where the reply never saw the words."""
    trace = json.loads(row.recalled)
    seen = {one["entry"] for one in trace["candidates"]} | set(json.loads(row.injected))
    clean = {
        "recalled": redaction.json(row.recalled),
        "messages": redaction.json(row.messages),
    }
    changed = {name: value for name, value in clean.items() if value != getattr(row, name)}
    if not changed and not seen & forgotten:
        return {}
    return changed | {"usage": canonical(json.loads(row.usage) | {MARK: True})}


def _without_raw(clean: str, before: str) -> str:
    """The verdict without its judge's raw answers, where it held the words: they are escaped."""
    if clean == before:
        return before
    value = json.loads(clean)
    for verdict in _verdicts_in(value):
        for call in verdict.get("calls", []):
            call["raw"] = FORGOTTEN
    return canonical(value)


def _verdicts_in(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in `value` that holds calls."""
    if isinstance(value, dict):
        if "calls" in value:
            yield value
        for one in value.values():
            yield from _verdicts_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from _verdicts_in(one)


def _clean_captures(
    conn: Connection, ids: Collection[str], redaction: Redaction, forgotten: set[str]
) -> None:
    for capture in conn.execute(select(captures).where(captures.c.session.in_(ids))).all():
        dyad = Dyad(capture.account, capture.user, capture.agent)
        found = select(captured).where(captured.c.capture == capture.id)
        rows = conn.execute(found).all()
        cleaned = [_cleaned_entry(row.entry, dyad, redaction, forgotten) for row in rows]
        for row, entry in zip(rows, cleaned, strict=True):
            _put(conn, captured, captured.c.entry, row, entry)
        touched = any(row.entry != entry for row, entry in zip(rows, cleaned, strict=True))
        touched |= _clean_proposals(conn, capture.id, dyad, redaction, forgotten)
        if touched or redaction.json(capture.calls) != capture.calls:
            _blank_calls(conn, capture)


def _clean_proposals(
    conn: Connection, capture: str, dyad: Dyad, redaction: Redaction, forgotten: set[str]
) -> bool:
    """Whether a proposal or a decision held the words."""
    touched = False
    query = select(proposals, decisions.c.edited).outerjoin(decisions)
    for row in conn.execute(query.where(proposals.c.capture == capture)).all():
        entry = _cleaned_entry(row.entry, dyad, redaction, forgotten) if row.entry else row.entry
        reason = redaction.text(row.reason)
        if (entry, reason) != (row.entry, row.reason):
            touched = True
            changed = update(proposals).where(proposals.c.id == row.id)
            conn.execute(changed.values(entry=entry, reason=reason))
        if row.edited is not None:
            edited = _cleaned_entry(row.edited, dyad, redaction, forgotten)
            touched |= edited != row.edited
            changed = update(decisions).where(decisions.c.proposal == row.id)
            conn.execute(changed.values(edited=edited))
    return touched


def _blank_calls(conn: Connection, capture: Any) -> None:
    """A model's raw answers hold the words escaped in many ways: they go whole."""
    calls = [{**call, "raw": FORGOTTEN} for call in json.loads(capture.calls)]
    changed = update(captures).where(captures.c.id == capture.id)
    conn.execute(changed.values(calls=canonical(calls)))


def _cleaned_entry(raw: str, dyad: Dyad, redaction: Redaction, forgotten: set[str]) -> str:
    """An entry's fields without the words; blank where it is the forgotten entry itself."""
    fields = json.loads(raw)
    if "key" in fields and from_fields(fields, dyad).id in forgotten:
        return canonical(fields | dict.fromkeys(_FIELDS[1:]) | {"text": FORGOTTEN})
    return redaction.json(raw)


def _put(conn: Connection, table: Table, column: Column[str], row: Any, value: str) -> None:
    if value != getattr(row, column.name):
        keys = [key == getattr(row, key.name) for key in table.primary_key.columns]
        conn.execute(update(table).where(*keys).values({column.name: value}))
