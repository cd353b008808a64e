"""The role of each entry of a reply's pool, and who says so. Gold is never averaged with it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from sandbox.evaluation.cases import Judgeable
from sandbox.evaluation.verdicts import Correction, Kept, latest_of_reply
from sandbox.instances import Role

Source = Literal["gold", "proposed", "corrected"]
_ROLES: dict[str, Role] = {role: role for role in get_args(Role)}


@dataclass(frozen=True, slots=True)
class RoleTag:
    """A role and where it comes from."""

    role: Role
    source: Source
    by: str
    """The collection, the judge, or who corrected it."""
    probability: float | None = None
    """A proposing judge's own, 0..1; null for gold and corrections."""
    reason: str = ""
    """Why it was corrected."""
    instead_of: Role | None = None
    """What it was before a correction; null where it was nothing."""


def roles_of(
    reply: Judgeable, kept: Sequence[Kept], changes: Iterable[Correction]
) -> dict[str, RoleTag]:
    """The role of every entry of the pool that has one, by entry id.

    A correction stands above gold. Where there is gold nothing is proposed: an entry that was added
    to the instance's bank has no role until a person gives it one. An entry that a researcher wants
    in the pool counts as must where nothing else is known. Proposals are those of the judge that
    was asked last. `kept` are all verdicts on the reply, oldest first.
    """
    listed = list(changes)
    pool = [item.id for item in reply.case.pool]
    proposed = {} if reply.gold else _proposed(kept)
    found = {one: tag for one, tag in proposed.items() if one in pool}
    wanted = latest_of_reply(listed, "wanted")
    found |= {one: _wanted(change) for one, change in wanted.items() if one in pool}
    source = reply.session.instance.collection if reply.session.instance else ""
    found |= {one: RoleTag(role, "gold", source) for one, role in reply.gold.items()}
    for one, change in latest_of_reply(listed, "role").items():
        before = found.get(one)
        found[one] = RoleTag(
            _ROLES[change.value or "irr"],
            "corrected",
            change.author,
            reason=change.reason,
            instead_of=before.role if before else None,
        )
    return found


def _wanted(change: Correction) -> RoleTag:
    return RoleTag("must", "corrected", change.author, reason=change.reason)


def _proposed(kept: Sequence[Kept]) -> dict[str, RoleTag]:
    """The proposals of the latest verdict that makes any."""
    for one in reversed(kept):
        if one.verdict.roles:
            return {
                entry: RoleTag(
                    said.role,
                    "proposed",
                    one.verdict.judge,
                    (said.probabilities or {}).get(said.role),
                )
                for entry, said in one.verdict.roles.items()
            }
    return {}
