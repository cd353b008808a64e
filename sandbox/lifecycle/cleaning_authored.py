"""Forgotten words in what was made of talks: instances, their files here, sessions opened of them.

Every function works on a connection whose transaction the caller opened.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, select, update

from memory_banks.entries import canonical, digest
from memory_banks.forgetting import FORGOTTEN
from memory_banks.tables import entries
from sandbox.authoring.authored import Authored, Version, authored_json
from sandbox.authoring.filling import key_of
from sandbox.authoring.making import instance_id
from sandbox.authoring.model_checks.store import clean_checks
from sandbox.authoring.store import remove_authored, versions_of
from sandbox.instances import INSTANCE_USER
from sandbox.lifecycle.cleaning_gold import forgotten_turns, without_gold_of
from sandbox.lifecycle.redaction import Redaction
from sandbox.tables import (
    annotations,
    authored,
    authored_versions,
    collections,
    disputes,
    published,
    sessions,
)

_SHORTEST = 12
"""Characters of a title that must stand in forgotten words before it goes with them."""
_TOLD = ("anchor", "date", "emotion", "scene")
_NAMING = ("name", "user", "speaker")
"""Fields of our own formats that say who somebody is."""


def clean_authored(
    conn: Connection,
    account: str,
    words: Collection[str],
    forgotten: Collection[str],
    at: str,
) -> int:
    """Take `words`, and the entries with the ids `forgotten`, out of all that was made of them.

    Whatever held them is marked as citing what was forgotten. Returns how many instances did.
    """
    redaction = Redaction(words)
    blank = {key_of(one) for one in forgotten}
    touched: set[str] = set()
    for row in _rows(conn, account):
        clean = _cleaned(row.json, redaction, words, blank)
        if clean == row.json and redaction.text(row.reason) == row.reason:
            continue
        touched.add(row.id)
        this = authored_versions.c.id == row.id, authored_versions.c.number == row.number
        reason = redaction.text(row.reason)
        conn.execute(update(authored_versions).where(*this).values(json=clean, reason=reason))
    told = select(annotations).join(authored).where(authored.c.account == account)
    for row in conn.execute(told).all():
        changed = update(annotations).where(annotations.c.id == row.id)
        clean = json.loads(redaction.json(row.json))
        turns = forgotten_turns(json.loads(authored_json(_version_of(conn, row.authored).authored)))
        conn.execute(changed.values(json=canonical(without_gold_of(clean, turns))))
    _clean_disputes(conn, account, redaction)
    clean_checks(conn, account, redaction, touched)
    _clean_files(conn, account, redaction, blank, at)
    return len(touched)


def clean_openings(conn: Connection, ids: Collection[str], words: Collection[str]) -> None:
    """Take `words` out of what these sessions were opened with: what was said before, the box."""
    redaction = Redaction(words)
    for row in conn.execute(select(sessions).where(sessions.c.id.in_(ids))).all():
        box = None if row.box is None else redaction.text(row.box)
        values = {"prelude": redaction.json(row.prelude), "box": box}
        conn.execute(update(sessions).where(sessions.c.id == row.id).values(**values))


def remove_authored_of(
    conn: Connection,
    account: str,
    gone: Collection[str],
    at: str,
    names: Collection[str] = (),
) -> int:
    """Remove what was made of these sessions, and its words from its files here; how many.

    `names` of a person go from the files as well.
    """
    found = list(_made_of(conn, account, gone))
    words = {text for one in found for text in _texts(json.loads(one.json))}
    ids = {one.id for one in found}
    if ids:
        remove_authored(conn, ids)
        _clean_disputes(conn, account, Redaction(words))
        _clean_files(conn, account, Redaction(words), set(), at, names)
    return len(ids)


def opened_of(
    conn: Connection,
    account: str,
    *,
    cited: Collection[str] = (),
    gone: Collection[str] = (),
) -> list[str]:
    """Ids of the users for whom instances were opened from a collection that was published here.

    Those of instances that cite these entries, or were made of the sessions `gone`.
    """
    rows = [*_citing(conn, account, cited), *_made_of(conn, account, gone)]
    made = {one.id: _version_of(conn, one.id).authored for one in rows}
    query = select(published.c.sha256).where(published.c.account == account)
    files = set(conn.execute(query).scalars())
    users = {
        INSTANCE_USER + digest("instance", sha256, name)
        for sha256 in files
        for one in made.values()
        for name in _names(one)
    }
    ours = sessions.c.account == account, sessions.c.user.in_(sorted(users))
    return sorted(conn.execute(select(sessions.c.user).where(*ours).distinct()).scalars())


def same_words(
    conn: Connection, account: str, users: Collection[str], words: Collection[str]
) -> list[str]:
    """Ids of the entries of these users that say one of `words`."""
    mine = entries.c.account == account, entries.c.user.in_(users)
    told = conn.execute(select(entries.c.id, entries.c.text).where(*mine)) if users else ()
    return sorted(row.id for row in told if row.text in set(words))


def _names(one: Authored) -> Iterator[str]:
    """The ids under which it is published: its own, or one a tested turn."""
    yield instance_id(one)
    for number in range(1, len(one.tests) + 1):
        yield f"{instance_id(one)}-{number}"


def _version_of(conn: Connection, id_: str) -> Version:
    return versions_of(conn, id_)[-1]


def _rows(conn: Connection, account: str) -> list[Any]:
    query = select(authored_versions).join(authored).where(authored.c.account == account)
    return list(conn.execute(query).all())


def _citing(conn: Connection, account: str, cited: Collection[str]) -> Iterator[Any]:
    if not cited:
        return
    for row in _rows(conn, account):
        value = json.loads(row.json)
        held = {one["cites"] for one in value["pool"]} | {one for _, one in value["citations"]}
        if held & set(cited):
            yield row


def _made_of(conn: Connection, account: str, gone: Collection[str]) -> Iterator[Any]:
    if not gone:
        return
    for row in _rows(conn, account):
        value = json.loads(row.json)
        told = value["talk"]["sessions"] if value["talk"] else []
        if {value["origin"]["session"], *(one["id"] for one in told)} & set(gone):
            yield row


def _cleaned(raw: str, redaction: Redaction, words: Iterable[str], blank: set[str]) -> str:
    """The JSON of an instance without the words; counted where something of it goes."""
    before = json.loads(raw)
    value = json.loads(redaction.json(canonical(_blanked(before, "key", blank))))
    value = value if value == before else without_gold_of(value, forgotten_turns(value["talk"]))
    stem = " ".join(value["title"].rstrip("…").split())
    if len(stem) >= _SHORTEST and any(stem in " ".join(one.split()) for one in words):
        value["title"] = FORGOTTEN
    if value == before:
        return raw
    value["forgotten"] += 1
    return canonical(value)


def _blanked(value: Any, name: str, blank: set[str]) -> Any:
    """`value` with nothing told of an entry whose `name` is one of `blank`."""
    if isinstance(value, list):
        return [_blanked(one, name, blank) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: _blanked(one, name, blank) for key, one in value.items()}
    if found.get(name) in blank and "text" in found:
        found |= {key: None for key in _TOLD if key in found} | {"text": FORGOTTEN}
    return found


def _unnamed(value: Any, names: Collection[str]) -> Any:
    """`value` with none of `names` where somebody is named."""
    if isinstance(value, list):
        return [_unnamed(one, names) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: FORGOTTEN if key in _NAMING and one in names else _unnamed(one, names)
        for key, one in value.items()
    }


def _clean_disputes(conn: Connection, account: str, redaction: Redaction) -> None:
    for row in conn.execute(select(disputes).where(disputes.c.account == account)).all():
        reason = redaction.text(row.reason)
        conn.execute(update(disputes).where(disputes.c.id == row.id).values(reason=reason))


def _clean_files(
    conn: Connection,
    account: str,
    redaction: Redaction,
    blank: set[str],
    at: str,
    names: Collection[str] = (),
) -> None:
    """The files of the versions that were published here; they keep their fingerprints as names."""
    query = (
        select(collections)
        .join(published, published.c.sha256 == collections.c.sha256)
        .where(collections.c.account == account, published.c.account == account)
    )
    for row in conn.execute(query).all():
        before = json.loads(row.data)
        named = _unnamed(_blanked(before, "id", blank), names)
        value = json.loads(redaction.json(canonical(named)))
        value = value if value == before else without_gold_of(value, forgotten_turns(value))
        if value != before:
            this = collections.c.account == account, collections.c.sha256 == row.sha256
            data = canonical(value).encode("utf-8")
            conn.execute(update(collections).where(*this).values(data=data))
            mine = published.c.account == account, published.c.sha256 == row.sha256
            conn.execute(update(published).where(*mine).values(blanked_at=at))


def _texts(value: Any) -> Iterator[str]:
    """What was said and remembered in an instance: its own words, no names and ids."""
    if isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key in ("text", "query", "reference", "title", "answer") and isinstance(one, str):
                yield one
            else:
                yield from _texts(one)
