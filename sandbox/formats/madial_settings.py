"""MADial-Bench's three settings: which memories a reply is offered, derived and never read.

Two of the release's Chinese files carry each other's names, so that none is trusted by its name.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Literal

from sandbox.formats.madial_runs import BOTTOM
from sandbox.instances import Instance

Negatives = Literal["hardest", "easiest"]
"""Which memories stand beside the golden one: what a run ranks first (as in the Chinese release)
or last (as in the English one)."""
NEGATIVES = 4
TOP = 5
RELEASED_SEED = 1991


def setting_1(instance: Instance) -> tuple[str, ...]:
    """The first golden memory alone.

    Raises:
        ValueError: if the instance has none.
    """
    if not instance.golden:
        raise ValueError(f"{instance.id} names no golden memory")
    return instance.golden[:1]


def negatives(instance: Instance, run: str, which: Negatives) -> tuple[str, ...]:
    """The first four that a run ranks first, or last, and that are not golden.

    Raises:
        ValueError: if the instance has no such ranking, or it holds too few others.
    """
    ranked = _ranking(instance, run if which == "hardest" else f"{run}{BOTTOM}")
    found = tuple(key for key in ranked if key not in instance.golden)[:NEGATIVES]
    if len(found) < NEGATIVES:
        raise ValueError(
            f"{run!r} ranks {len(found)} memories that are not golden for {instance.id}, "
            f"{NEGATIVES} are needed"
        )
    return found


def setting_2(instance: Instance, run: str, which: Negatives) -> tuple[str, ...]:
    """The first golden memory, then the four negatives. A prompt lists them shuffled.

    Raises:
        ValueError: as `setting_1` and `negatives`.
    """
    return (*setting_1(instance), *negatives(instance, run, which))


def setting_3(instance: Instance, run: str) -> tuple[str, ...]:
    """The five that a run ranks first, in its order; no golden one may be among them.

    Raises:
        ValueError: if the instance has no such ranking.
    """
    return _ranking(instance, run)[:TOP]


def released_order(
    instances: Sequence[Instance], run: str, which: Negatives = "hardest"
) -> Mapping[str, tuple[str, ...]]:
    """Setting 2 of a whole file by dialogue, shuffled as the Chinese release was: one seed for all.

    The order of a dialogue depends on how many came before it: give the whole file, in its order.

    Raises:
        ValueError: as `setting_2`.
    """
    rng = Random(RELEASED_SEED)
    found: dict[str, tuple[str, ...]] = {}
    for one in instances:
        if one.dialogue not in found:
            shown = [*negatives(one, run, which), *setting_1(one)]
            rng.shuffle(shown)
            found[one.dialogue] = tuple(shown)
    return found


def _ranking(instance: Instance, name: str) -> tuple[str, ...]:
    if name not in instance.rankings:
        held = ", ".join(sorted(instance.rankings)) or "none"
        raise ValueError(f"{instance.id} has no ranking {name!r}; it has {held}")
    return instance.rankings[name]
