"""A collection in the figures that StratMem-Bench tells of itself: scenarios, pools, words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from sandbox.instances import ROLES, SCENARIOS, Instance, Role, Scenario

_EACH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Size:
    """Instances of one scenario, or all of them, in numbers."""

    scenario: Scenario | None
    """Null for all of them."""
    instances: int
    pool: float | None
    """Mean number of entries a pool; this and all means are null for no pool or no entry."""
    least: int
    most: int
    """Entries of the smallest and of the largest pool; 0 for no pool."""
    roles: tuple[tuple[Role, float], ...]
    """Mean number of entries of each role an instance; empty where no instance has roles."""
    words: float | None
    """Mean number of words an entry."""
    asked: float | None
    """Mean number of words a query."""


def word_count(text: str) -> int:
    """Words between blanks, as the benchmark counts; a Chinese or Japanese sign counts as one."""
    signs = len(_EACH.findall(text))
    return signs + len(_EACH.sub(" ", text).split()) if signs else len(text.split())


def sizes(instances: Sequence[Instance]) -> tuple[Size, ...]:
    """A line for each scenario that occurs, then one for all; that one alone for no instance."""
    by_name = {name: [one for one in instances if one.scenario == name] for name in SCENARIOS}
    told = [_size(name, found) for name, found in by_name.items() if found]
    return (*told, _size(None, instances))


def _size(scenario: Scenario | None, found: Sequence[Instance]) -> Size:
    pools = [len(one.pool) for one in found]
    texts = [entry.original or entry.text for one in found for entry in one.pool]
    return Size(
        scenario=scenario,
        instances=len(found),
        pool=_mean(pools),
        least=min(pools, default=0),
        most=max(pools, default=0),
        roles=tuple(_roles(found)),
        words=_mean(map(word_count, texts)),
        asked=_mean(word_count(one.query) for one in found),
    )


def _roles(found: Sequence[Instance]) -> Iterable[tuple[Role, float]]:
    if any(one.roles for one in found):
        for role in ROLES:
            yield role, fmean(len(one.having(role)) for one in found)


def _mean(numbers: Iterable[int]) -> float | None:
    found = list(numbers)
    return fmean(found) if found else None
