"""What changed since an instance was made: entries deleted or replaced, forgotten, roles corrected.

Nothing of an instance is ever changed by that: people are told, and decide.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, select

from memory_banks.forgetting import FORGOTTEN
from memory_banks.ledger import entries_by_id, live_among
from memory_banks.tables import operations
from sandbox.authoring.authored import Authored, Version
from sandbox.authoring.making import instance_id
from sandbox.authoring.store import all_latest, versions_of
from sandbox.collected import Collection as File
from sandbox.evaluation.evaluating import Evaluating
from sandbox.evaluation.roles import RoleTag
from sandbox.record import Record
from sandbox.tables import published
from sandbox.transcripts import UnknownReply

What = Literal["gone", "replaced", "forgotten", "text", "role"]


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is not as it was when the instance was made."""

    key: str
    """The entry's key."""
    what: What
    sentence: str


@dataclass(frozen=True, slots=True)
class Rechecked:
    """An instance that cites an entry, and what changed since."""

    version: Version
    changes: tuple[Change, ...]


class Rechecking:
    """Looks at what was made again, for every account, which every method takes first."""

    def __init__(self, record: Record, evaluating: Evaluating) -> None:
        self._record = record
        self._evaluating = evaluating

    def recheck(self, account: str, entry: str) -> list[Rechecked]:
        """Every instance that cites the entry with this id, looked at again."""
        with self._record.read() as conn:
            held = [one for one in all_latest(conn, account) if entry in one.authored.cites]
        return [Rechecked(one, self.changes(account, one.authored)) for one in held]

    def changed(self, account: str) -> Mapping[str, str]:
        """What changed since, in words, by the id of each instance that is not as it was."""
        with self._record.read() as conn:
            held = all_latest(conn, account)
        found = {one.authored.id: self.changes(account, one.authored) for one in held}
        return {
            id_: " ".join(f"{change.key}: {change.sentence}" for change in changes)
            for id_, changes in found.items()
            if changes
        }

    def of_file(self, account: str, file: File) -> Mapping[str, tuple[Change, ...]]:
        """What changed since a version was published, by the id of each instance that it concerns.

        Empty for a file that was not published here.
        """
        with self._record.read() as conn:
            ours = published.c.account == account, published.c.sha256 == file.sha256
            query = select(published.c.created_at).where(*ours).limit(1)
            at = conn.execute(query).scalar_one_or_none()
            made = {} if at is None else dict(_as_of(conn, account, at))
        changed = {name: self.changes(account, one) for name, one in made.items()}
        return {
            one.id: changed[name]
            for one in file.instances
            for name in changed
            if changed[name] and f"{one.id}-".startswith(f"{name}-")
        }

    def changes(self, account: str, authored: Authored) -> tuple[Change, ...]:
        """What changed since in the bank and in the roles of the reply; empty for nothing."""
        with self._record.read() as conn:
            found = _in_the_bank(conn, authored)
        reply = authored.origin.reply
        if reply is None or authored.kind != "reply":
            return found
        try:
            roles = self._evaluating.evaluation(account, reply).roles
        except UnknownReply:
            return found
        return (*found, *_roles(authored, roles))


def _in_the_bank(conn: Connection, authored: Authored) -> tuple[Change, ...]:
    cited = dict(_cited(authored))
    held = entries_by_id(conn, cited.values())
    live = live_among(conn, sorted(cited.values()))
    texts = _texts(authored)
    found: list[Change] = []
    for key, entry in cited.items():
        now = held.get(entry)
        text, was_live = texts[key]
        if now is None or now.text == FORGOTTEN:
            found.append(Change(key, "forgotten", "The memory was forgotten for good."))
        elif was_live and entry not in live:
            found.append(_gone(conn, key, entry))
        elif text != now.text.strip():
            told = "The text is not the bank's word for word."
            found.append(Change(key, "text", told))
    return tuple(found)


def _as_of(conn: Connection, account: str, at: str) -> Iterator[tuple[str, Authored]]:
    """What was made by then, in its version of then, by the ids that files have for it."""
    held = [*all_latest(conn, account), *all_latest(conn, account, deleted=True)]
    for one in held:
        then = [old for old in versions_of(conn, one.authored.id) if old.created_at <= at]
        if then:
            yield instance_id(one.authored), then[-1].authored


def _gone(conn: Connection, key: str, entry: str) -> Change:
    """An entry that is not live any more, with what took its place."""
    query = select(operations.c.entry).where(operations.c.replaces.contains(f'"{entry}"'))
    by = conn.execute(query.order_by(operations.c.number.desc()).limit(1)).scalar_one_or_none()
    if by is None:
        return Change(key, "gone", "The memory was deleted in the bank since.")
    text = entries_by_id(conn, [by])[by].text
    return Change(key, "replaced", f"In the bank it was replaced since, by: {text}")


def _cited(authored: Authored) -> list[tuple[str, str]]:
    pool = [(one.held.key, one.cites) for one in authored.pool if one.cites]
    return [*((key, entry) for key, entry in pool if entry), *authored.citations]


def _texts(authored: Authored) -> Mapping[str, tuple[str, bool]]:
    """What is copied, and whether it was live then, by key."""
    gold = authored.talk.sessions if authored.talk else ()
    found: dict[str, tuple[str, bool]] = {}
    for session in gold:
        if session.gold:
            adds = session.gold.adds
            found |= {one.entry.key: (one.entry.text, False) for one in adds}
            found |= {one.key: (one.text, False) for one in session.gold.captures}
            found |= {one.key: ("", False) for one in session.gold.deletes}
    for one in authored.pool:
        found[one.held.key] = one.held.text, one.held.status == "live"
    return {key: found.get(key, ("", False)) for key, _entry in _cited(authored)}


def _roles(authored: Authored, roles: Mapping[str, RoleTag]) -> tuple[Change, ...]:
    """Roles that a person corrected at the reply, and the instance has otherwise."""
    found = []
    for one in authored.pool:
        told = roles.get(one.cites or "")
        if told and told.source == "corrected" and one.tag and one.tag.role != told.role:
            said = f"{told.by} says at the reply that it is {told.role}: {told.reason or 'wanted'}"
            found.append(Change(one.held.key, "role", said))
    return tuple(found)
