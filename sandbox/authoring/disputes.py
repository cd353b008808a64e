"""Labels of files that somebody disputes: kept beside the file, exported as a patch for it."""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Row, func, insert, select, update

from sandbox.authoring.checking import checked_author
from sandbox.authoring.labels import label_of, other_labels, sharing
from sandbox.authoring.patching import FORMAT, VERSION, patched
from sandbox.clock import iso
from sandbox.collected import Collection, UnknownInstance
from sandbox.inputs import BadInput, checked_line
from sandbox.instances import Instance
from sandbox.opening import Instances
from sandbox.record import Record
from sandbox.tables import disputes, published


@dataclass(frozen=True, slots=True)
class Dispute:
    """A label that somebody would change."""

    id: str
    sha256: str
    instance: str
    entry: str
    """The entry's key."""
    was: str
    """The file's label: a role, or a place in a golden list (see `sandbox.authoring.labels`)."""
    wanted: str
    """What it should be."""
    reason: str
    author: str
    created_at: str


class Disputes:
    """Disputes for every account, which every method takes first."""

    def __init__(
        self,
        record: Record,
        instances: Instances,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._record = record
        self._instances = instances
        self._clock = clock
        self._new_id = new_id

    def dispute(
        self,
        account: str,
        sha256: str,
        instance: str,
        entry: str,
        wanted: str,
        reason: str,
        author: str = "",
    ) -> Dispute:
        """Say that an entry of a file's instance should have another label, and why.

        Raises:
            BadInput: if there is no such entry, it has that label, or there is no reason.
        """
        why = checked_line(reason, "the reason")
        if not why:
            raise BadInput("A dispute needs a reason: say why in a few words.")
        found = _found(self._instances.collection(account, sha256), instance)
        was, others = label_of(found, entry), other_labels(found, entry)
        if was is None:
            raise BadInput(f"{found.id} gives no label to an entry {entry[:40]!r}.")
        if wanted not in others:
            raise BadInput(
                f"The label must be another than {was}: one of {', '.join(others)}; "
                f"got {wanted[:40]!r}."
            )
        with self._record.write("authored") as conn:
            made = Dispute(
                id=self._new_id(),
                sha256=sha256,
                instance=found.id,
                entry=entry,
                was=was,
                wanted=wanted,
                reason=why,
                author=checked_author(author or account),
                created_at=self._now(conn, account, sha256),
            )
            row = {column: getattr(made, name) for name, column in _COLUMNS.items()}
            conn.execute(insert(disputes).values(account=account, **row))
        return made

    def all(self, account: str, sha256: str | None = None) -> list[Dispute]:
        """What is disputed, oldest first, withdrawn ones left out; of one file where named."""
        with self._record.read() as conn:
            return disputed(conn, account, sha256)

    def by_instance(self, account: str, collection: Collection) -> Mapping[str, list[Dispute]]:
        """What is disputed of a collection, by the id of every instance that it concerns."""
        held: dict[str, list[Dispute]] = defaultdict(list)
        known = {one.id: one for one in collection.instances}
        for dispute in self.all(account, collection.sha256):
            if dispute.instance in known:
                for one in sharing(collection, known[dispute.instance]):
                    held[one.id].append(dispute)
        return dict(held)

    def withdraw(self, account: str, id_: str) -> None:
        """Take a dispute back; one that is not there is no fault."""
        ours = disputes.c.account == account, disputes.c.id == id_
        with self._record.write("authored") as conn:
            conn.execute(update(disputes).where(*ours).values(withdrawn_at=iso(self._clock())))

    def patch(self, account: str, sha256: str) -> bytes:
        """What is disputed of a file as a JSON patch; the latest dispute of an entry counts.

        Raises:
            BadInput: if nothing is.
        """
        held = self.all(account, sha256)
        return patch_of(self._instances.collection(account, sha256), held)

    def correct(self, account: str, sha256: str, patch: bytes | None = None) -> Collection:
        """A corrected copy of a file as another collection; by its own disputes where no patch is.

        Raises:
            BadInput: if the patch does not fit the file, nothing of it is disputed, or it was made
                here: then its instances are corrected, and what is forgotten is in no copy.
        """
        with self._record.read() as conn:
            ours = published.c.account == account, published.c.sha256 == sha256
            made = conn.execute(select(published.c.collection).where(*ours).limit(1)).scalar()
        if made is not None:
            raise BadInput(
                f"The file is a version of {made!r}, which is made here: correct the instance "
                "itself and publish the next version."
            )
        told = self.patch(account, sha256) if patch is None else patch
        done = patched(told, [self._instances.file(account, sha256)], sha256)
        return self._instances.add(
            account, [(_renamed(name), data) for name, data in done.files.items()]
        )

    def _now(self, conn: Connection, account: str, sha256: str) -> str:
        """A time after that of every other dispute of the file: the last one counts."""
        query = select(func.max(disputes.c.created_at)).where(
            disputes.c.account == account, disputes.c.sha256 == sha256
        )
        last = conn.execute(query).scalar_one()
        now = self._clock()
        if last is not None:
            now = max(now, datetime.fromisoformat(last) + timedelta(microseconds=1))
        return now.isoformat(timespec="microseconds")


_COLUMNS = {name: "role" if name == "wanted" else name for name in Dispute.__dataclass_fields__}
"""A dispute's fields and the columns that hold them."""


def disputed(conn: Connection, account: str, sha256: str | None = None) -> list[Dispute]:
    """What an account disputes, as `Disputes.all` tells it."""
    query = select(disputes).where(disputes.c.account == account, disputes.c.withdrawn_at.is_(None))
    if sha256 is not None:
        query = query.where(disputes.c.sha256 == sha256)
    rows = conn.execute(query.order_by(disputes.c.created_at, disputes.c.id)).all()
    return [_dispute(row) for row in rows]


def patch_of(collection: Collection, held: Sequence[Dispute]) -> bytes:
    """Disputes of a collection as a JSON patch; the latest one of an entry counts.

    Raises:
        BadInput: if there is none.
    """
    if not held:
        raise BadInput("Nothing of this collection is disputed: there is no patch.")
    whole = {
        "format": FORMAT,
        "version": VERSION,
        "file": collection.name,
        "sha256": collection.sha256,
        "changes": [_change(collection, one) for one in _latest(collection, held)],
    }
    return (json.dumps(whole, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def _renamed(name: str) -> str:
    """The name of a file's corrected copy."""
    stem, dot, end = name.rpartition(".")
    return f"{stem} corrected{dot}{end}" if dot else f"{name} corrected"


def _found(collection: Collection, instance: str) -> Instance:
    try:
        return collection.find(instance)
    except UnknownInstance as error:
        raise BadInput(str(error)) from error


def _latest(collection: Collection, held: Sequence[Dispute]) -> list[Dispute]:
    """The last dispute of each entry; instances that share their labels count as one."""
    found: dict[tuple[str, str], Dispute] = {}
    for one in held:
        first = sharing(collection, _found(collection, one.instance))[0]
        found[first.id, one.entry] = one
    return list(found.values())


def _change(collection: Collection, one: Dispute) -> dict[str, str]:
    """A dispute as the patch tells it, with the words that the file has for the entry."""
    pool = _found(collection, one.instance).pool
    text = next((e.original or e.text for e in pool if e.key == one.entry), "")
    names = ("instance", "entry", "was", "wanted", "reason", "author")
    return {name: getattr(one, name) for name in names} | {"text": text}


def _dispute(row: Row[tuple[str, ...]]) -> Dispute:
    return Dispute(**{name: getattr(row, column) for name, column in _COLUMNS.items()})
