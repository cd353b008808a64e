"""Collections that are made here: published as numbered versions, exported in every format."""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from sandbox.authoring.authored import Authored, Version
from sandbox.authoring.checking import checked_collection
from sandbox.authoring.exporting import Exported, Making, about, exported
from sandbox.authoring.making import episode_of, instances_of
from sandbox.authoring.model_checks.store import latest_checks
from sandbox.authoring.model_checks.validity import validity
from sandbox.authoring.store import all_latest
from sandbox.clock import iso
from sandbox.collected import Collection
from sandbox.episode_instances import question_instances
from sandbox.episodes import Episode
from sandbox.formats import FormatError, demo_write, episode_write
from sandbox.inputs import BadInput
from sandbox.instances import Instance
from sandbox.opening import Instances
from sandbox.record import Record
from sandbox.sentences import sentence
from sandbox.tables import published

_ELSEWHERE = (
    "{} is an episode, and a file holds either episodes or instances: give it a collection of its "
    "own to publish it."
)


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
class Shelved:
    """A version on the shelf."""

    collection: str
    number: int
    sha256: str
    """Of the file as it was published; what it is known by."""
    created_at: str
    blanked_at: str | None
    """When something in the file was forgotten, so that it is not what it was; null for never."""


@dataclass(frozen=True, slots=True)
class Ready:
    """What of a collection can be published."""

    collection: Collection
    """The instances, and the questions of its episodes as such, as a reader would give them."""
    instances: tuple[Instance, ...]
    """Without the questions of episodes."""
    left_out: tuple[str, ...]
    made_of: tuple[Version, ...]
    """What they are made of, in the same order."""
    validity: tuple[str, ...] = ()
    """What checks that need a model found of them."""

    @property
    def episodes(self) -> tuple[Episode, ...]:
        """Its episodes."""
        return self.collection.episodes

    @property
    def making(self) -> Making:
        """Stages, and what is left out."""
        stages = Counter(one.stage for one in self.made_of)
        return Making(tuple(sorted(stages.items())), self.left_out, self.validity)


class Publishing:
    """Collections for every account, which every method takes first."""

    def __init__(self, record: Record, instances: Instances, clock: Callable[[], datetime]) -> None:
        self._record = record
        self._instances = instances
        self._clock = clock

    def publish(self, account: str, collection: str) -> Published:
        """Put the collection on the shelf, as the next version where something changed.

        Drafts are left out, and told; so are episodes beside instances. The same content is the
        same version.

        Raises:
            BadInput: if there is nothing that can be published.
        """
        name = checked_collection(collection)
        ready = self.ready(account, name)
        data, left_out = _file(name, ready)
        sha256 = hashlib.sha256(data).hexdigest()
        with self._record.write("authored") as conn:
            number = self._number(conn, account, name, sha256)
        shelved = f"{name} v{number}"
        self._instances.add(account, [(shelved, data)])
        count = len(ready.instances) or len(ready.episodes)
        return Published(shelved, number, sha256, count, (*ready.left_out, *left_out))

    def versions(self, account: str, collection: str) -> list[Shelved]:
        """Each version, oldest first."""
        query = select(published).where(
            published.c.account == account, published.c.collection == collection
        )
        with self._record.read() as conn:
            rows = conn.execute(query.order_by(published.c.number)).all()
        return [_shelved(row) for row in rows]

    def shelved(self, account: str, sha256: str) -> Shelved | None:
        """The version that has this fingerprint; null for a file that was not made here."""
        ours = published.c.account == account, published.c.sha256 == sha256
        with self._record.read() as conn:
            row = conn.execute(select(published).where(*ours).limit(1)).one_or_none()
        return None if row is None else _shelved(row)

    def fingerprints(self, account: str) -> frozenset[str]:
        """The sha256 of every version of every collection."""
        query = select(published.c.sha256).where(published.c.account == account)
        with self._record.read() as conn:
            return frozenset(conn.execute(query).scalars())

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
        asked = [one for episode in episodes for one in question_instances(episode)]
        whole = Collection(f"{collection}.json", "", (*instances, *asked), episodes=tuple(episodes))
        with self._record.read() as conn:
            told = validity(made_of, partial(latest_checks, conn))
        return Ready(whole, tuple(instances), tuple(left_out), tuple(made_of), told)

    def export(self, account: str, collection: str, kind: str, seed: int | None = None) -> Exported:
        """The collection as it is now in the format called `kind`.

        With a seed, pools are capped at two nice entries first, drawn by it.

        Raises:
            BadInput: if there is no such format, or nothing can be written in it.
        """
        name = checked_collection(collection)
        ready = self.ready(account, name)
        if not ready.made_of:
            raise BadInput(_nothing(name, ready))
        return exported(ready.collection, kind, seed=seed, making=ready.making)

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


def _file(name: str, ready: Ready) -> tuple[bytes, tuple[str, ...]]:
    """The file of the next version, and why episodes are not in it.

    Raises:
        BadInput: if there is nothing to be in it.
    """
    if not ready.made_of:
        raise BadInput(_nothing(name, ready))
    try:
        if not ready.instances:
            whole = Collection(name, "", (), episodes=ready.episodes)
            return episode_write.written(whole, about(ready.collection, ready.making)), ()
        left = tuple(_ELSEWHERE.format(repr(one.title)) for one in ready.episodes)
        whole = Collection(name, "", ready.instances)
        return demo_write.written(whole, about(whole, ready.making)), left
    except FormatError as error:
        raise BadInput(sentence(error)) from error


def _shelved(row: Row[Any]) -> Shelved:
    return Shelved(row.collection, row.number, row.sha256, row.created_at, row.blanked_at)


def _nothing(name: str, ready: Ready) -> str:
    first = ready.left_out[0] if ready.left_out else "Nothing is saved in it yet."
    return f"There is nothing of {name!r} to publish. {first}"
