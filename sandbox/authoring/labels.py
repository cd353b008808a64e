"""What a file says of an entry in an instance that somebody may dispute: its role, or its place.

A label is a role where the instance knows roles; else `golden 2` for the second of its golden
entries (MADial-Bench's ranked list, an episode's supports), or `not golden`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sandbox.collected import Collection
from sandbox.episode_instances import DECOYS
from sandbox.instances import ROLES, Instance
from sandbox.replay.protocols import is_madial

NOT_GOLDEN = "not golden"
_GOLDEN = "golden "


@dataclass(frozen=True, slots=True)
class Wanted:
    """A label that an entry should have."""

    entry: str
    """The entry's key."""
    label: str


def label_of(instance: Instance, entry: str) -> str | None:
    """The entry's label; null for one that is not in the pool, or has no role among roles."""
    if instance.roles:
        return instance.roles.get(entry)
    if entry in instance.golden:
        return f"{_GOLDEN}{instance.golden.index(entry) + 1}"
    return NOT_GOLDEN if any(one.key == entry for one in instance.pool) else None


def other_labels(instance: Instance, entry: str) -> tuple[str, ...]:
    """The labels that the entry could have instead; empty for an entry without one.

    What another entry took the place of can be no golden one: supports live.
    """
    now = label_of(instance, entry)
    if now is None:
        return ()
    if instance.roles:
        return tuple(role for role in ROLES if role != now)
    if now == NOT_GOLDEN and _is_superseded(instance, entry):
        return ()
    places = len(instance.golden) + (now == NOT_GOLDEN)
    all_ = [NOT_GOLDEN, *(f"{_GOLDEN}{place}" for place in range(1, places + 1))]
    return tuple(one for one in all_ if one != now)


def sharing(collection: Collection, instance: Instance) -> tuple[Instance, ...]:
    """The instances that have their labels together: the test turns of a MADial-Bench dialogue."""
    if not is_madial(instance) or not instance.dialogue:
        return (instance,)
    return tuple(one for one in collection.instances if one.dialogue == instance.dialogue)


def relabelled(instance: Instance, wanted: Sequence[Wanted]) -> Instance:
    """The instance with other labels, each of which must be one of `other_labels`.

    Golden entries whose label does not change keep their order. A golden entry is no decoy.
    """
    if instance.roles:
        told = {one.entry: role for one in wanted for role in ROLES if role == one.label}
        return replace(instance, roles={**instance.roles, **told})
    golden = _placed(instance.golden, {one.entry: one.label for one in wanted})
    decoys = tuple(key for key in instance.rankings.get(DECOYS, ()) if key not in golden)
    rankings = dict(instance.rankings) | {DECOYS: decoys}
    kept = {name: keys for name, keys in rankings.items() if keys or name != DECOYS}
    return replace(instance, golden=golden, rankings=kept)


def _is_superseded(instance: Instance, entry: str) -> bool:
    return any(one.key == entry and one.status != "live" for one in instance.pool)


def _placed(golden: Sequence[str], labels: Mapping[str, str]) -> tuple[str, ...]:
    """The list with the entries of `labels` taken out, and put in where they should stand."""
    places = {key: int(label.removeprefix(_GOLDEN)) for key, label in labels.items() if _is(label)}
    found = [key for key in golden if key not in labels]
    for key in sorted(places, key=lambda one: places[one]):
        found.insert(places[key] - 1, key)
    return tuple(found)


def _is(label: str) -> bool:
    return label.startswith(_GOLDEN)
