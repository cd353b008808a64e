"""Collections of instances that an account holds, and an instance opened as a session.

Roles and reference replies stay in the collection's file: a session remembers only which instance
it was opened from, and a judge looks the rest up with `Instances.of`.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from threading import Lock

from sqlalchemy import Connection, delete, func, select

from memory_banks import ledger
from memory_banks.dialect import insert_new
from memory_banks.entries import ImportedFrom, Operation, Scope, digest
from memory_banks.files import plan_import
from memory_banks.ledger import User
from sandbox.characters import Characters
from sandbox.clock import iso, parse_time
from sandbox.collected import Collection, UnknownInstance
from sandbox.formats import FormatError, packaged_collection, read_files
from sandbox.formats.sources import gathered
from sandbox.inputs import BadInput, checked_line, checked_strategy
from sandbox.instances import INSTANCE_USER, Instance, InstanceRef
from sandbox.pools import pool_lines
from sandbox.record import Record
from sandbox.replay.protocols import is_madial, protocol_of
from sandbox.replay.replayed import Replayed
from sandbox.sessions import store_session
from sandbox.tables import collections, sessions
from sandbox.transcripts import Session

PACKAGED = "demo.json"
"""What the shipped collection is called."""
_KEPT = 4
"""Collections that stay parsed."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """A collection that can be opened, unread."""

    sha256: str
    name: str
    added: str | None
    """When it was imported; null for the shipped one."""


class Instances:
    """The collections of every account, which every method takes first, or with a session."""

    def __init__(
        self,
        record: Record,
        characters: Characters,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        changed: Callable[[Sequence[Scope]], None],
    ) -> None:
        self._record = record
        self._characters = characters
        self._clock = clock
        self._new_id = new_id
        self._changed = changed
        self._parsed: dict[str, Collection] = {}
        self._guard = Lock()

    def add(self, account: str, files: Sequence[tuple[str, bytes]]) -> Collection:
        """Read files that belong together, by name and bytes, and keep them as one collection.

        The same files twice are one collection, in whatever order they were chosen.

        Raises:
            BadInput: if they cannot be read; nothing is kept then.
        """
        chosen = sorted(files)
        found = _read(chosen)
        with self._record.write("import") as conn:
            self._keep(conn, account, found, gathered(chosen).packed)
        return self._remembered(found)

    def all(self, account: str) -> list[Shelved]:
        """The shipped collection, then what the account has imported, oldest first."""
        shipped = self.shipped
        columns = collections.c.sha256, collections.c.name, collections.c.created_at
        query = select(*columns).where(collections.c.account == account)
        with self._record.read() as conn:
            rows = conn.execute(query.order_by(collections.c.created_at, columns[0])).all()
        own = [Shelved(*row) for row in rows if row.sha256 != shipped.sha256]
        return [Shelved(shipped.sha256, shipped.name, None), *own]

    def collection(self, account: str, sha256: str) -> Collection:
        """The collection with this fingerprint.

        Raises:
            BadInput: if the account has none.
        """
        if sha256 == self.shipped.sha256:
            return self.shipped
        with self._guard:
            known = self._parsed.get(sha256)
        name, data = self.file(account, sha256, whole=known is None)
        if known is not None:
            return known
        # What was forgotten is blanked in files of one's own; their names stay.
        return self._remembered(replace(_read([(name, data)]), sha256=sha256))

    def file(self, account: str, sha256: str, *, whole: bool = True) -> tuple[str, bytes]:
        """Name and bytes of the collection's file, or of what several are packed into.

        Without `whole` no bytes are read.

        Raises:
            BadInput: if the account has none with this fingerprint.
        """
        if sha256 == self.shipped.sha256:
            return self.shipped.name, packaged_collection() if whole else b""
        ours = collections.c.account == account, collections.c.sha256 == sha256
        columns = [collections.c.name, *([collections.c.data] if whole else [])]
        with self._record.read() as conn:
            row = conn.execute(select(*columns).where(*ours)).one_or_none()
        if row is None:
            raise BadInput(f"There is no collection {sha256!r}: import its file first.")
        return row.name, row.data if whole else b""

    def reread(self) -> None:
        """Read every file again when it is asked for: some words of it may be forgotten."""
        with self._guard:
            self._parsed.clear()

    def open(
        self,
        account: str,
        sha256: str,
        instance_id: str,
        *,
        strategy: str = "full_pool",
        model: str | None = None,
        replayed: Replayed | None = None,
    ) -> Session:
        """Open an instance as a session: persona, pool, history and clock, the query in the box.

        The person is a user for this instance alone, so that no memory of a live user of the same
        name is touched. Opening it again gives another session on the same bank. With `replayed`
        it is a replay, and nothing is in the box.

        Raises:
            BadInput: if there is no such collection, instance or strategy.
        """
        collection = self.collection(account, sha256)
        try:
            instance = collection.find(instance_id)
        except UnknownInstance as error:
            raise BadInput(str(error)) from error
        session = self._session(account, collection, instance, checked_strategy(strategy), model)
        if replayed is not None:
            session = replayed.applied(session, instance)
        owner = User(account, session.user, session.speaker, instance.human.profile, 0)
        with self._record.write("import") as conn:
            if collection is self.shipped:
                # The next version of the project may ship another one.
                self._keep(conn, account, collection, packaged_collection())
            self._characters.keep(conn, account, instance.persona)
            store_session(conn, session, owner)
            written = self._import(conn, session, collection, instance)
        if written:
            self._changed(sorted({one.scope for one in written}, key=lambda scope: scope.key))
        return session

    def of(self, session: Session) -> Instance | None:
        """The instance that a session was opened from, roles and all: for judges only.

        None for a session that was opened otherwise.

        Raises:
            BadInput: if its collection is not there any more.
        """
        if session.instance is None:
            return None
        return self.collection(session.account, session.instance.sha256).find(session.instance.id)

    def having(self, account: str, instance_id: str) -> str | None:
        """Fingerprint of the first collection that finds an instance by this id; None for none."""
        for shelved in self.all(account):
            with suppress(UnknownInstance):
                self.collection(account, shelved.sha256).find(instance_id)
                return shelved.sha256
        return None

    def opened(self, account: str, sha256: str) -> int:
        """How many of the account's sessions were opened from this collection."""
        query = select(func.count()).where(
            sessions.c.account == account, sessions.c.instance.contains(sha256, autoescape=True)
        )
        with self._record.read() as conn:
            return conn.execute(query).scalar_one()

    def remove(self, account: str, sha256: str) -> None:
        """Forget a collection that the account imported; one that is not there is no fault.

        Raises:
            BadInput: for the shipped one, and for one that sessions were opened from: their roles
                are looked up in its file.
        """
        if sha256 == self.shipped.sha256:
            raise BadInput("The shipped collection cannot be removed: it belongs to the program.")
        if opened := self.opened(account, sha256):
            raise BadInput(f"{opened} of your sessions were opened from it: it stays for them.")
        gone = delete(collections).where(
            collections.c.account == account, collections.c.sha256 == sha256
        )
        with self._record.write("derived") as conn:
            conn.execute(gone)

    @cached_property
    def shipped(self) -> Collection:
        """The collection that comes with the project."""
        return _read([(PACKAGED, packaged_collection())])

    def _keep(self, conn: Connection, account: str, found: Collection, data: bytes) -> None:
        row = {"account": account, "sha256": found.sha256, "name": found.name, "data": data}
        insert_new(conn, collections, **row, created_at=iso(self._clock()))

    def _remembered(self, found: Collection) -> Collection:
        with self._guard:
            while len(self._parsed) >= _KEPT:
                self._parsed.pop(next(iter(self._parsed)))
            self._parsed[found.sha256] = found
        return found

    def _session(
        self,
        account: str,
        collection: Collection,
        instance: Instance,
        strategy: str,
        model: str | None,
    ) -> Session:
        return Session(
            id=self._new_id(),
            account=account,
            user=INSTANCE_USER + digest("instance", collection.sha256, instance.id),
            agent=instance.persona.id,
            persona=instance.persona,
            speaker=" ".join(instance.human.name.split()),
            clock=iso(parse_time(instance.time, "time")) if instance.time else None,
            emotion=checked_line(instance.emotion, "emotion"),
            scene=instance.scene,
            strategy=strategy,
            model=model,
            continues=None,
            created_at=iso(self._clock()),
            ended_at=None,
            prelude=instance.history,
            instance=InstanceRef(collection.name, collection.sha256, instance.id),
            box=instance.query,
            profile=instance.human.profile or None if is_madial(instance) else None,
            protocol=protocol_of(instance),
        )

    def _import(
        self, conn: Connection, session: Session, collection: Collection, instance: Instance
    ) -> list[Operation]:
        source = ImportedFrom(collection.name, collection.sha256)
        known = ledger.states(conn, session.dyad)
        plan = plan_import(pool_lines(instance), session.dyad, source, known)
        return ledger.append(conn, plan.drafts, iso(self._clock()))


def _read(files: Sequence[tuple[str, bytes]]) -> Collection:
    try:
        return read_files(files)
    except FormatError as error:
        raise BadInput(f"{error}.") from error
