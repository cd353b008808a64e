"""Files of judged replies, recognised by what they hold: collections, gold and verdict files."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sandbox.collected import Collection, UnknownInstance
from sandbox.evaluation.gold_file import read_gold, recognises_gold
from sandbox.evaluation.verdict_file import read_verdicts
from sandbox.formats import FormatError, read_collection
from sandbox.formats.reading import read_json, wrong
from sandbox.instances import Instance
from sandbox.judges.case import Case
from sandbox.judges.file import Given, references
from sandbox.judges.instance_case import case_of


@dataclass(frozen=True, slots=True)
class JudgedFile:
    """Replies to instances, with the verdicts that a file gives on them."""

    name: str
    sha256: str
    given: tuple[Given, ...]
    instances: Collection
    other_tags: Mapping[str, int] = field(default_factory=dict)
    """Tags of a gold file that name no failure of integration."""

    def instance(self, given: Given) -> Instance:
        """The instance that the reply answers."""
        return self.instances.find(given.instance)

    def case(self, given: Given) -> Case:
        """The reply as a judge sees it."""
        return case_of(self.instance(given), given.reply, failed=given.failed)


def read_judged(data: bytes, name: str, instances: Collection | None) -> JudgedFile:
    """The replies of a collection (its reference replies), a gold file or a verdict file.

    Args:
        data: the file.
        name: what errors call it.
        instances: what its replies answer; a collection needs none.

    Raises:
        FormatError: if it is none of these, or at its first fault.
    """
    file = " ".join(name.split())
    sha256 = hashlib.sha256(data).hexdigest()
    if _is_lines(data):
        held = _needed(instances, file)
        fitting = tuple(_fitting(one, held, file) for one in read_verdicts(data, file))
        return JudgedFile(file, sha256, fitting, held)
    value = read_json(data, file)
    if recognises_gold(value):
        held = _needed(instances, file)
        gold = read_gold(value, file, sha256, held)
        return JudgedFile(file, sha256, gold.given, held, gold.other_tags)
    collection = read_collection(data, file)
    given = references(collection)
    if not given:
        raise FormatError(
            f"{file}: its instances come with no replies to judge; give a file of replies, and "
            "this one with --instances"
        )
    return JudgedFile(file, sha256, given, collection)


def _is_lines(data: bytes) -> bool:
    """Whether the first line that is not blank is an object of its own: JSON lines."""
    first = data.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0].rstrip()
    if not first.startswith(b"{"):
        return False
    try:
        read_json(first, "")
    except FormatError:
        return b'"entries"' in first and b'"instance"' in first
    return b'"format"' not in first


def _needed(instances: Collection | None, file: str) -> Collection:
    if instances is None:
        raise FormatError(f"{file}: must come with the instances it answers; give --instances FILE")
    return instances


def _fitting(given: Given, instances: Collection, file: str) -> Given:
    """The verdict with its instance's full id; refused where that or an entry does not exist."""
    where = f"{file}, reply to {given.instance!r}"
    try:
        instance = instances.find(given.instance)
    except UnknownInstance as error:
        must = f"must be an instance of {instances.name}"
        raise wrong(where, "instance", must, given.instance) from error
    keys = [entry.key for entry in instance.pool]
    for one in given.verdict.entries:
        if one.entry not in keys:
            must = f"must be an entry of {instance.id}'s pool"
            raise wrong(where, f"entries.{one.entry}", must, one.entry)
    return replace(given, instance=instance.id)
