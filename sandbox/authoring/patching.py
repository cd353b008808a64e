"""A patch of disputed labels, applied to the file that it is for: a corrected copy.

A patch is one JSON object. `sha256` is the fingerprint of the file that it is for, of several files
together that of what they are packed into; `entry` is the key that the sandbox gives an entry, and
`text` the file's words for it, for people and for other programs:

    {"format": "strategic-memory-label-patch", "version": 1, "file": "demo.json", "sha256": "...",
     "changes": [{"instance": "demo-05-third-address", "entry": "m4", "was": "nice",
                  "wanted": "irr", "reason": "Not asked for.", "author": "Rana", "text": "..."}]}

A label is a role, or `golden 2` and `not golden` (see `sandbox.authoring.labels`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from sandbox.authoring.labels import Wanted, label_of, other_labels, relabelled, sharing
from sandbox.collected import Collection
from sandbox.episode_instances import DECOYS
from sandbox.episodes import Episode
from sandbox.formats import FormatError, demo_write, episode_write, format_of, read_files
from sandbox.formats.reading import invalid, read_json
from sandbox.formats.sources import gathered
from sandbox.inputs import BadInput
from sandbox.instances import ROLES, Expected, Instance, Reference, Role
from sandbox.sentences import sentence

FORMAT = "strategic-memory-label-patch"
VERSION = 1


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Change(_Form):
    instance: str
    entry: str
    was: str
    wanted: str
    reason: str
    author: str
    text: str = ""


class _Patch(_Form):
    format: Literal["strategic-memory-label-patch"]
    version: Literal[1]
    file: str
    sha256: str
    changes: list[_Change]


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected copy of a file, or of files that belong together."""

    files: Mapping[str, bytes]
    """By name."""
    changes: int
    """How many labels are other ones."""


def patch_schema() -> dict[str, Any]:
    """The JSON schema of a patch."""
    return _Patch.model_json_schema()


def patched(
    patch: bytes, files: Sequence[tuple[str, bytes]], sha256: str | None = None
) -> Corrected:
    """The files, by name and bytes, with the patch's labels, and what follows from them.

    They are written in their own format where the sandbox writes that, else in the project's.
    `sha256` is what they are known by where something in them was forgotten since.

    Raises:
        BadInput: if the patch is for other files, does not fit them, or any cannot be read.
    """
    try:
        told = _Patch.model_validate(read_json(patch, "the patch"))
        held = gathered(files)
        if told.sha256 != (sha256 or held.sha256):
            raise BadInput(
                f"The patch is for {told.file[:80]!r} with the fingerprint {told.sha256[:12]}, and "
                f"{held.name!r} is another file or another version of it: nothing is changed."
            )
        found = _changed(read_files(files), told)
        write = format_of(files).write
        other = episode_write.write if found.episodes else demo_write.write
        return Corrected((write or other)(found), len(told.changes))
    except ValidationError as error:
        raise BadInput(sentence(invalid(error, "the patch"))) from error
    except FormatError as error:
        raise BadInput(sentence(error)) from error


def _changed(found: Collection, told: _Patch) -> Collection:
    known = {one.id: one for one in found.instances}
    wanted: dict[str, list[_Change]] = {}
    for change in told.changes:
        _must_fit(known.get(change.instance), change)
        for one in sharing(found, known[change.instance]):
            wanted.setdefault(one.id, []).append(change)
    changed = {name: _corrected(known[name], changes) for name, changes in wanted.items()}
    instances = tuple(changed.get(one.id, one) for one in found.instances)
    episodes = tuple(_asked(one, changed) for one in found.episodes)
    return replace(found, instances=instances, episodes=episodes)


def _must_fit(one: Instance | None, change: _Change) -> None:
    """Refuse a change that the file gives no ground for.

    Raises:
        BadInput: in one sentence.
    """
    name, key = change.instance[:80], change.entry[:40]
    if one is None:
        raise BadInput(f"The patch names an instance {name!r}, and the file has none of that name.")
    now = label_of(one, key)
    if now is None:
        raise BadInput(
            f"The patch names an entry {key!r} of {name!r}: the file has no label of it."
        )
    if now != change.was:
        raise BadInput(
            f"The patch says that {key!r} of {name!r} is {change.was[:40]!r}, and the file says "
            f"{now!r}: nothing is changed."
        )
    if change.wanted not in other_labels(one, key):
        raise BadInput(f"The patch wants {key!r} of {name!r} to be {change.wanted[:40]!r}.")


def _corrected(one: Instance, changes: Sequence[_Change]) -> Instance:
    """The instance with other labels; what its reference replies are expected to show follows."""
    found = relabelled(one, [Wanted(change.entry, change.wanted) for change in changes])
    if not found.roles:
        return found
    told = {change.entry: f"{change.reason} ({change.author})" for change in changes}
    replies = tuple(_reply(reply, found.roles) for reply in one.replies)
    return replace(found, reasons={**one.reasons, **told}, replies=replies)


def _asked(episode: Episode, changed: Mapping[str, Instance]) -> Episode:
    """The episode with what its questions, as instances, rest on now."""
    questions = tuple(
        replace(one, supports=found.golden, decoys=found.rankings.get(DECOYS, ()))
        if (found := changed.get(f"{episode.id}-{one.id}"))
        else one
        for one in episode.questions
    )
    return replace(episode, questions=questions)


def _reply(reply: Reference, roles: Mapping[str, Role]) -> Reference:
    used = tuple(replace(use, role=roles[use.entry]) for use in reply.used)
    return replace(
        reply, used=used, expected=expected(reply.expected, {u.entry for u in used}, roles)
    )


def expected(before: Expected, used: set[str], roles: Mapping[str, Role]) -> Expected:
    """The figures of a reply that uses these entries; MIQ, failures and aspects stay.

    As `sandbox.metrics.formulas` defines them: rho by role, SMC, and who counts for PES and CIR.
    """
    rho = {role: _share(role, used, roles) for role in ROLES}
    must, nice, irr = rho["must"], rho["nice"], rho["irr"]
    meets = must in (None, 1)
    helps = nice is None or nice > 0
    some = must is not None or nice is not None
    return replace(
        before,
        rho=rho,
        smc=int(some and meets and helps and not irr),
        pes_eligible=meets,
        pes_eligible_nice_available=meets and nice is not None,
        pes=int((nice or 0) > 0) if meets else None,
        cir_eligible=nice is not None,
        cir=int((irr or 0) > 0) if nice is not None else None,
    )


def _share(role: Role, used: set[str], roles: Mapping[str, Role]) -> float | None:
    keys = {key for key, held in roles.items() if held == role}
    return len(keys & used) / len(keys) if keys else None
