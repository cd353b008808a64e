"""Collections that are made here: published as numbered versions, exported in every format."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, func, insert, select

from sandbox.authoring.authored import Authored, Version
from sandbox.authoring.checking import checked_collection
from sandbox.authoring.exporting import about, capped
from sandbox.authoring.making import episode_of, instances_of
from sandbox.authoring.store import all_latest
from sandbox.clock import iso
from sandbox.collected import Collection
from sandbox.episodes import Episode
from sandbox.formats import FORMATS, FormatError
from sandbox.formats.demo_write import written
from sandbox.inputs import BadInput
from sandbox.instances import Instance
from sandbox.opening import Instances
from sandbox.record import Record
from sandbox.sentences import sentence
from sandbox.tables import published


@dataclass(frozen=True, slots=True)
class Published:
    """A version of a collection."""

    name: str
    """What its file is called: the collection's name and `v` with the number."""
    number: int
    sha256: str
    instances: int
    left_out: tuple[str, ...] = ()
    """Why instances are not in it, a sentence each."""


@dataclass(frozen=True, slots=True)
class Ready:
    """What of a collection can be published."""

    instances: tuple[Instance, ...]
    episodes: tuple[Episode, ...]
    left_out: tuple[str, ...]
    made_of: tuple[Version, ...]
    """What they are made of, in the same order."""


class Publishing:
    """Collections for every account, which every method takes first."""

    def __init__(self, record: Record, instances: Instances, clock: Callable[[], datetime]) -> None:
        self._record = record
        self._instances = instances
        self._clock = clock

    def publish(self, account: str, collection: str) -> Published:
        """Put the collection on the shelf, as the next version where something changed.

        Drafts are left out, and told. The same content is the same version.

        Raises:
            BadInput: if there is nothing that can be published.
        """
        name = checked_collection(collection)
        ready = self.ready(account, name)
        if not ready.instances:
            raise BadInput(_nothing(name, ready))
        whole = Collection(name, "", ready.instances)
        data = written(whole, about(whole, ready.made_of))
        sha256 = hashlib.sha256(data).hexdigest()
        with self._record.write("authored") as conn:
            number = self._number(conn, account, name, sha256)
        shelved = f"{name} v{number}"
        self._instances.add(account, [(shelved, data)])
        return Published(shelved, number, sha256, len(ready.instances), ready.left_out)

    def versions(self, account: str, collection: str) -> list[tuple[int, str, str]]:
        """Number, sha256 and time of each version, oldest first."""
        query = select(published.c.number, published.c.sha256, published.c.created_at).where(
            published.c.account == account, published.c.collection == collection
        )
        with self._record.read() as conn:
            rows = conn.execute(query.order_by(published.c.number)).all()
        return [(row.number, row.sha256, row.created_at) for row in rows]

    def ready(self, account: str, collection: str) -> Ready:
        """What can be published now, and why the rest cannot."""
        with self._record.read() as conn:
            held = all_latest(conn, account, collection)
        instances: list[Instance] = []
        episodes: list[Episode] = []
        left_out: list[str] = []
        made_of: list[Version] = []
        for version in held:
            try:
                made = _made(version)
            except BadInput as error:
                left_out.append(str(error))
                continue
            made_of.append(version)
            instances += [one for one in made if isinstance(one, Instance)]
            episodes += [one for one in made if isinstance(one, Episode)]
        return Ready(tuple(instances), tuple(episodes), tuple(left_out), tuple(made_of))

    def export(
        self, account: str, collection: str, kind: str, seed: int | None = None
    ) -> dict[str, bytes]:
        """The collection's files in the format called `kind`, by name, with a page about them.

        With a seed, pools are capped at two nice entries first, drawn by it, and the full pools are
        exported as well. The page tells figures, licenses and what was left out.

        Raises:
            BadInput: if there is no such format, it cannot be written, or it cannot say something.
        """
        name = checked_collection(collection)
        writer = {one.name: one.write for one in FORMATS if one.write}.get(kind)
        if writer is None:
            known = ", ".join(one.name for one in FORMATS if one.write)
            raise BadInput(f"The format must be one of {known}, got {kind[:40]!r}.")
        ready = self.ready(account, name)
        if not ready.instances and not ready.episodes:
            raise BadInput(_nothing(name, ready))
        whole = Collection(f"{name}.json", "", ready.instances, episodes=ready.episodes)
        try:
            files = dict(writer(_told_by(kind, whole)))
            if seed is not None:
                cut = replace(whole, name=f"{name} capped {seed}.json")
                files |= writer(_told_by(kind, capped(cut, seed)))
        except FormatError as error:
            raise BadInput(sentence(error)) from error
        told = about(whole, ready.made_of, ready.left_out, seed)
        return files | {f"{name}.about.txt": (told + "\n").encode("utf-8")}

    def _number(self, conn: Connection, account: str, name: str, sha256: str) -> int:
        """The number of the version with this content: a new one unless there is one."""
        ours = published.c.account == account, published.c.collection == name
        known = select(published.c.number).where(*ours, published.c.sha256 == sha256)
        found = conn.execute(known.limit(1)).scalar_one_or_none()
        if found is not None:
            return int(found)
        last = select(func.coalesce(func.max(published.c.number), 0)).where(*ours)
        number = int(conn.execute(last).scalar_one()) + 1
        row = {"account": account, "collection": name, "number": number, "sha256": sha256}
        conn.execute(insert(published).values(**row, created_at=iso(self._clock())))
        return number


def _made(version: Version) -> Sequence[Instance | Episode]:
    if version.stage == "draft":
        title = version.authored.title
        raise BadInput(f"{title!r} is a draft: save it with its roles checked.")
    found: Authored = version.authored
    return [episode_of(found)] if found.kind == "episode" else instances_of(found)


def _told_by(kind: str, whole: Collection) -> Collection:
    """The collection without what formats of one instance a reply do not hold."""
    return whole if "episode" in kind else replace(whole, episodes=())


def _nothing(name: str, ready: Ready) -> str:
    if ready.episodes:
        return f"{name!r} holds episodes only: export them in a format of episodes."
    first = ready.left_out[0] if ready.left_out else "Nothing is saved in it yet."
    return f"There is nothing of {name!r} to publish. {first}"
