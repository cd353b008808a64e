"""How many entries of each role a reply uses, and how many are open."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from sandbox.instances import ROLES, Role, Scenario
from sandbox.judges.verdict import EntryVerdict, Verdict

Shares = Mapping[Role, float | None]
"""rho by role; null for an absent role."""


@dataclass(frozen=True, slots=True)
class Count:
    """The entries of one role, by id, in the verdict's order."""

    used: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    """Unsure or unscored."""
    leant: int = 0
    """How many of the open ones the judge leans to call used."""
    free: int = 0
    """How many of the open ones it has no leaning for."""

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.used) + len(self.unused) + len(self.open)

    def share(self, more: int = 0) -> float | None:
        """The share if `more` of the open ones are used; null for an absent role."""
        return (len(self.used) + more) / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class Tally:
    """A judged pool in counts."""

    counts: Mapping[Role, Count]
    unsure: frozenset[str]
    already_said: tuple[str, ...]

    @property
    def scenario(self) -> Scenario:
        """What kind of test the pool is, entries already said left out; irr may be absent."""
        must, nice = self.counts["must"].total, self.counts["nice"].total
        if must and nice:
            return "must+nice"
        if must:
            return "must-only"
        return "nice-only" if nice else "none"

    @property
    def open(self) -> tuple[str, ...]:
        """Entries that are unsure or unscored, by role."""
        return tuple(name for role in ROLES for name in self.counts[role].open)

    def resolutions(self) -> Iterator[Shares]:
        """The shares for every way of deciding the open entries: only how many counts."""
        yield from self._over({role: range(len(self.counts[role].open) + 1) for role in ROLES})

    def leanings(self) -> Iterator[Shares]:
        """The same where entries with a leaning are decided by it."""
        counts = self.counts
        yield from self._over(
            {
                role: range(counts[role].leant, counts[role].leant + counts[role].free + 1)
                for role in ROLES
            }
        )

    def _over(self, more: Mapping[Role, range]) -> Iterator[Shares]:
        for numbers in product(*(more[role] for role in ROLES)):
            yield {
                role: self.counts[role].share(number)
                for role, number in zip(ROLES, numbers, strict=True)
            }


def tally_of(verdict: Verdict, roles: Mapping[str, Role], *, failed: bool = False) -> Tally:
    """The verdict's entries that have a role, counted; a failed reply uses none of them."""
    judged = [one for one in verdict.entries if one.entry in roles]
    said = [] if failed else [one.entry for one in judged if one.usage == "already said"]
    kept = [one for one in judged if one.entry not in said]
    return Tally(
        counts={
            role: _count([one for one in kept if roles[one.entry] == role], failed)
            for role in ROLES
        },
        unsure=frozenset(one.entry for one in kept if one.usage == "unsure"),
        already_said=tuple(said),
    )


def _count(entries: list[EntryVerdict], failed: bool) -> Count:
    if failed:
        return Count(unused=tuple(one.entry for one in entries))
    used = [one.entry for one in entries if is_used(one)]
    undecided = [one for one in entries if is_open(one)]
    names = {one.entry for one in undecided}
    return Count(
        used=tuple(used),
        unused=tuple(one.entry for one in entries if one.entry not in {*used, *names}),
        open=tuple(one.entry for one in undecided),
        leant=sum(one.guess is True for one in undecided),
        free=sum(one.guess is None for one in undecided),
    )


def is_used(one: EntryVerdict) -> bool:
    """Whether it is used; a rule that is followed counts as used."""
    return one.usage == "used" or one.rule == "followed"


def is_open(one: EntryVerdict) -> bool:
    """Whether it might be used."""
    return one.usage in ("unsure", "unscored") and one.rule != "followed"
