"""A patch of disputed roles, applied to the file that it is for: a corrected copy."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from pydantic import BaseModel, ConfigDict, ValidationError

from sandbox.collected import Collection
from sandbox.formats import FORMATS, FormatError, read_collection
from sandbox.formats.demo_write import write
from sandbox.formats.reading import invalid, read_json
from sandbox.formats.sources import gathered
from sandbox.inputs import BadInput
from sandbox.instances import ROLES, Expected, Instance, Reference, Role
from sandbox.sentences import sentence

FORMAT = "strategic-memory-role-patch"


class _Change(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    instance: str
    entry: str
    was: Role
    role: Role
    reason: str
    author: str


class _Patch(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str
    version: int
    file: str
    sha256: str
    changes: list[_Change]


def patched(patch: bytes, data: bytes, name: str) -> bytes:
    """The file `data` with the patch's roles, and what follows from them.

    It is written in its own format where the sandbox writes that, else in the project's.

    Raises:
        BadInput: if the patch is for another file, does not fit it, or either cannot be read.
    """
    try:
        told = _Patch.model_validate(read_json(patch, "the patch"))
        found = read_collection(data, name)
        if told.format != FORMAT or told.sha256 != hashlib.sha256(data).hexdigest():
            raise BadInput(f"The patch is for {told.file!r} and not for {name!r} as it is.")
        kind = next(kind for kind in FORMATS if kind.recognises(gathered([(name, data)])))
        files = (kind.write or write)(_changed(found, told))
    except ValidationError as error:
        raise BadInput(sentence(invalid(error, "the patch"))) from error
    except FormatError as error:
        raise BadInput(sentence(error)) from error
    return next(iter(files.values()))


def _changed(found: Collection, told: _Patch) -> Collection:
    instances = {one.id: one for one in found.instances}
    for change in told.changes:
        one = instances.get(change.instance)
        if one is None or one.roles.get(change.entry) != change.was:
            raise BadInput(
                f"The patch says that {change.entry!r} of {change.instance!r} is {change.was}, and "
                "the file does not."
            )
        reasons = dict(one.reasons) | {change.entry: f"{change.reason} ({change.author})"}
        instances[one.id] = _with_roles(
            replace(one, reasons=reasons), dict(one.roles) | {change.entry: change.role}
        )
    return replace(found, instances=tuple(instances.values()))


def _with_roles(one: Instance, roles: Mapping[str, Role]) -> Instance:
    """The instance with other roles; what its reference replies are expected to show follows."""
    replies = tuple(_reply(reply, roles) for reply in one.replies)
    return replace(one, roles=roles, replies=replies)


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
