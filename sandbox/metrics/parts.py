"""The conditions that figures are made of, each with the entries that it hangs on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sandbox.instances import Role
from sandbox.metrics.tally import Tally


@dataclass(frozen=True, slots=True)
class Part:
    """One condition on the entries of one role."""

    role: Role
    holds: bool | None
    """Null where it is open."""
    told: str
    """What is the case, such as `must used: 1 of 2 (m4 is not)`."""
    entries: tuple[str, ...]
    """The entries that make it fail; empty where it holds."""
    open: tuple[str, ...]
    """Entries of the role that are unsure or unscored."""
    total: int
    """How many entries the role has."""
    used: int
    """How many of them are surely used."""


def must_part(tally: Tally) -> Part:
    """Every must entry is used; holds for a pool without any."""
    count = tally.counts["must"]
    holds = _all(not count.unused, not count.open)
    missed = f" ({', '.join(count.unused)} not)" if count.unused else ""
    told = f"must used: {_number(tally, 'must')}{missed}"
    return Part("must", holds, told, count.unused, count.open, count.total, len(count.used))


def nice_part(tally: Tally) -> Part:
    """At least one nice entry is used; holds for a pool without any."""
    count = tally.counts["nice"]
    holds = True if count.used or not count.total else _all(bool(count.open), False)
    told = f"nice used: {_number(tally, 'nice')}"
    failing = count.unused if holds is False else ()
    return Part("nice", holds, told, failing, count.open, count.total, len(count.used))


def irr_part(tally: Tally) -> Part:
    """No irr entry is used."""
    count = tally.counts["irr"]
    holds = _all(not count.used, not count.open)
    named = f": {', '.join(count.used)}" if count.used else f": {_number(tally, 'irr')}"
    return Part(
        "irr", holds, f"irr used{named}", count.used, count.open, count.total, len(count.used)
    )


NEEDED: Mapping[Role, Callable[[Tally], Part]] = {
    "must": must_part,
    "nice": nice_part,
    "irr": irr_part,
}


def _all(possible: bool, sure: bool) -> bool | None:
    """False where it cannot hold, null where it might."""
    if not possible:
        return False
    return True if sure else None


def _number(tally: Tally, role: Role) -> str:
    count = tally.counts[role]
    if not count.total:
        return f"the pool has no {role} entry"
    told = f"{len(count.used)} of {count.total}"
    return f"{told}, {len(count.open)} open" if count.open else told
