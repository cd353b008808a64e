"""Roles of files that somebody disputes: kept beside the file, exported as a patch for it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Row, insert, select, update

from sandbox.authoring.checking import checked_author
from sandbox.authoring.patching import FORMAT
from sandbox.clock import iso
from sandbox.collected import UnknownInstance
from sandbox.inputs import BadInput, checked_line
from sandbox.instances import ROLES, Instance, Role
from sandbox.opening import Instances
from sandbox.record import Record
from sandbox.tables import disputes


@dataclass(frozen=True, slots=True)
class Dispute:
    """A role that somebody would change."""

    id: str
    sha256: str
    instance: str
    entry: str
    """The entry's key."""
    was: Role
    role: Role
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
        role: str,
        reason: str,
        author: str = "",
    ) -> Dispute:
        """Say that an entry of a file's instance should have another role, and why.

        Raises:
            BadInput: if there is no such entry, it has that role, or there is no reason.
        """
        why = checked_line(reason, "the reason")
        if not why:
            raise BadInput("A dispute needs a reason: say why in a few words.")
        found = self._found(account, sha256, instance)
        was = found.roles.get(entry)
        if was is None:
            raise BadInput(f"{found.id} gives no role to an entry {entry[:40]!r}.")
        new: Role | None = next((known for known in ROLES if known == role), None)
        if new is None or new == was:
            raise BadInput(f"The role must be another of {', '.join(ROLES)} than {was}.")
        made = Dispute(
            id=self._new_id(),
            sha256=sha256,
            instance=found.id,
            entry=entry,
            was=was,
            role=new,
            reason=why,
            author=checked_author(author or account),
            created_at=iso(self._clock()),
        )
        row = {name: getattr(made, name) for name in Dispute.__dataclass_fields__}
        with self._record.write("authored") as conn:
            conn.execute(insert(disputes).values(account=account, **row))
        return made

    def all(self, account: str, sha256: str | None = None) -> list[Dispute]:
        """What is disputed, oldest first, withdrawn ones left out; of one file where named."""
        query = select(disputes).where(
            disputes.c.account == account, disputes.c.withdrawn_at.is_(None)
        )
        if sha256 is not None:
            query = query.where(disputes.c.sha256 == sha256)
        with self._record.read() as conn:
            rows = conn.execute(query.order_by(disputes.c.created_at, disputes.c.id)).all()
        return [_dispute(row) for row in rows]

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
        if not held:
            raise BadInput("Nothing of this collection is disputed: there is no patch.")
        latest = {(one.instance, one.entry): one for one in held}
        names = ("instance", "entry", "was", "role", "reason", "author")
        whole = {
            "format": FORMAT,
            "version": 1,
            "file": self._instances.collection(account, sha256).name,
            "sha256": sha256,
            "changes": [{name: getattr(one, name) for name in names} for one in latest.values()],
        }
        return (json.dumps(whole, ensure_ascii=False, indent=1) + "\n").encode("utf-8")

    def _found(self, account: str, sha256: str, instance: str) -> Instance:
        try:
            return self._instances.collection(account, sha256).find(instance)
        except UnknownInstance as error:
            raise BadInput(str(error)) from error


def _dispute(row: Row[tuple[str, ...]]) -> Dispute:
    return Dispute(**{name: getattr(row, name) for name in Dispute.__dataclass_fields__})
