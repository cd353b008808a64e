"""The second annotator, adjudication, and the second pass over a sample; every step by a person."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import ceil
from random import Random

from sqlalchemy import Connection

from sandbox.authoring.authored import Annotation, Authored, Stage, Version
from sandbox.authoring.blind import BlindView, blind
from sandbox.authoring.checking import checked, checked_author
from sandbox.authoring.differences import GOLDEN, Agreed, Difference, agreed, differences
from sandbox.authoring.episode_differences import GoldDifference
from sandbox.authoring.episode_typed import Typed
from sandbox.authoring.noting import complete, listed_golden, noted, settled
from sandbox.authoring.store import (
    add_annotation,
    add_version,
    all_latest,
    annotations_of,
    latest,
    must_own,
    versions_of,
)
from sandbox.clock import iso
from sandbox.inputs import BadInput, checked_line
from sandbox.record import Record


class Annotating:
    """Annotations of what is made here, for every account, which every method takes first."""

    def __init__(
        self, record: Record, clock: Callable[[], datetime], new_id: Callable[[], str]
    ) -> None:
        self._record = record
        self._clock = clock
        self._new_id = new_id

    def view(self, account: str, id_: str, author: str = "") -> BlindView:
        """What a second annotator may see of an instance, to say what is gold in it.

        Where `author` is named already, it must be somebody else than those who worked on it.

        Raises:
            BadInput: if it is a draft still, or theirs.
            UnknownAuthored: if the account makes no such instance.
        """
        with self._record.read() as conn:
            version = self._must_be_another(conn, account, id_, author)
        return blind(version.authored)

    def annotate(
        self,
        account: str,
        id_: str,
        author: str,
        roles: Mapping[str, str],
        golden: Sequence[str] = (),
        note: str = "",
    ) -> Version:
        """Keep what a second annotator says; raises as `view`, or if an entry has no role.

        Of an instance that was adjudicated and drawn for a second pass this is that pass.
        """
        return self._annotated(
            account,
            id_,
            author,
            note,
            lambda base, told: replace(
                told, roles=complete(base, roles), golden=listed_golden(base, golden)
            ),
        )

    def annotate_episode(
        self, account: str, id_: str, author: str, typed: Typed, note: str = ""
    ) -> Version:
        """The same for an episode: what each turn gives, and which of that supports each question.

        Raises:
            BadInput: as `view`, if it is no episode, or at the first row that cannot be.
        """
        return self._annotated(
            account, id_, author, note, lambda base, told: noted(base, told, typed)
        )

    def _annotated(
        self,
        account: str,
        id_: str,
        author: str,
        note: str,
        filled: Callable[[Authored, Annotation], Annotation],
    ) -> Version:
        with self._record.write("authored") as conn:
            version = self._must_be_another(conn, account, id_, author)
            second = version.stage in ("annotated", "second")
            told = Annotation(
                author=checked_author(author),
                number=len(annotations_of(conn, id_)) + 1,
                purpose="second" if second else "sampled",
                roles={},
                golden=(),
                done_at=iso(self._clock()),
                note=checked_line(note, "the note") or "",
                of=version.number,
            )
            add_annotation(conn, self._new_id(), id_, filled(version.authored, told))
            stage: Stage = "second" if second else "sampled"
            why = "Annotated a second time, blind." if second else "Looked at again, blind."
            return self._moved(conn, version, version.authored, stage, told.author, why)

    def differences(
        self, account: str, id_: str
    ) -> tuple[Annotation, tuple[Difference | GoldDifference, ...]]:
        """The latest annotation, and where it differs from what it was an annotation of.

        Raises:
            BadInput: if nobody has annotated the instance a second time.
        """
        with self._record.read() as conn:
            must_own(conn, account, id_)
            told = annotations_of(conn, id_)
            if not told:
                raise BadInput("Nobody has annotated it a second time yet: that comes first.")
            first = versions_of(conn, id_)[told[-1].of - 1]
        return told[-1], differences(first.authored, told[-1])

    def adjudicate(
        self,
        account: str,
        id_: str,
        author: str,
        decisions: Mapping[str, str],
        reason: str,
        golden: Sequence[str] | None = None,
    ) -> Version:
        """Decide each difference by its key: a role for an entry; `golden` decides the list.

        Of an episode, whether the first's stays, the second's is taken, or both.

        Raises:
            BadInput: if a difference is left open, there is no reason, or nobody has annotated it a
                second time.
        """
        why = checked_line(reason, "the reason")
        if not why:
            raise BadInput("A decision needs a reason: say why in a few words.")
        told, found = self.differences(account, id_)
        opened = [one.key for one in found if one.key != GOLDEN and one.key not in decisions]
        if opened or (golden is None and any(one.key == GOLDEN for one in found)):
            raise BadInput(f"{len(opened) or 1} differences are left open: decide each.")
        name = checked_author(author)
        with self._record.write("authored") as conn:
            version = latest(conn, account, id_)
            if version.stage not in ("second", "sampled"):
                raise BadInput(f"It is {version.stage}: there is nothing to decide.")
            found_ = settled(version.authored, told, decisions, golden, name)
            return self._moved(conn, version, checked(found_), "adjudicated", name, why)

    def drawn(self, account: str, collection: str, share: float, seed: int) -> list[Version]:
        """A seeded sample of what is adjudicated, for a second pass; at least one.

        The same share and seed draw the same from the same instances.

        Raises:
            BadInput: if the share is not in (0, 1], or nothing is adjudicated.
        """
        if not 0 < share <= 1:
            raise BadInput(f"The share must be above 0 and at most 1, got {share:g}.")
        with self._record.read() as conn:
            held = all_latest(conn, account, collection)
        ready = sorted(
            (one for one in held if one.stage in ("adjudicated", "sampled")),
            key=lambda one: one.authored.id,
        )
        if not ready:
            raise BadInput(f"Nothing of {collection!r} is adjudicated yet: there is no sample.")
        return Random(seed).sample(ready, ceil(share * len(ready)))

    def agreement(self, account: str, collection: str) -> Agreed:
        """How far first and second annotators agree, over a collection."""
        with self._record.read() as conn:
            pairs = []
            for one in all_latest(conn, account, collection):
                told = annotations_of(conn, one.authored.id)
                versions = versions_of(conn, one.authored.id) if told else []
                pairs += [(versions[said.of - 1], said) for said in told]
        return agreed(pairs)

    def annotations(self, account: str, id_: str) -> list[Annotation]:
        """What annotators said of an instance, in order; not for whoever is to annotate it."""
        with self._record.read() as conn:
            must_own(conn, account, id_)
            return annotations_of(conn, id_)

    def _must_be_another(self, conn: Connection, account: str, id_: str, author: str) -> Version:
        """The latest version, if `author` has said nothing of the instance yet."""
        version = latest(conn, account, id_)
        name = author.strip().casefold()
        if version.stage == "draft":
            raise BadInput("It is a draft: its author must look at every role first.")
        earlier = {one.author.casefold() for one in versions_of(conn, id_)}
        if name in earlier | {version.authored.author.casefold()}:
            raise BadInput(f"{author!r} has worked on it already: somebody else must annotate it.")
        return version

    def _moved(
        self,
        conn: Connection,
        before: Version,
        authored: Authored,
        stage: Stage,
        author: str,
        why: str,
    ) -> Version:
        version = Version(before.number + 1, author, stage, why, iso(self._clock()), authored)
        add_version(conn, version)
        return version
