"""Writing StratMem-Bench's array, and cutting its pools as its authors do."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from random import Random
from typing import Any

from sandbox.collected import Collection
from sandbox.formats.losses import losses
from sandbox.formats.reading import FormatError
from sandbox.formats.stratmem import read
from sandbox.formats.stratmem_item import CODES, SOURCE, codes_of, time_told
from sandbox.instances import ROLES, Instance, PoolEntry, Said

SEED = 42
"""With this seed the authors cut their test set from the full file."""
MOST_NICE = 2
_SAYS = "StratMem-Bench's format cannot say"


def write(collection: Collection) -> dict[str, bytes]:
    """The array as one file, by its name.

    What the format has no place for is dropped: `lost` tells it.

    Raises:
        FormatError: if there is no instance, or the array cannot hold one.
    """
    _written(collection)
    name = collection.name if collection.name.endswith(".json") else f"{collection.name}.json"
    text = json.dumps(_rows(collection), ensure_ascii=False, indent=2)
    return {name: text.encode("utf-8")}


def lost(collection: Collection) -> tuple[str, ...]:
    """What of the collection the file does not say, a line each; empty where it says all.

    Raises:
        FormatError: as `write`.
    """
    dropped = losses(collection.instances, _written(collection))
    episodes = len(collection.episodes)
    return dropped + ((f"{episodes} episodes",) if episodes else ())


def capped(collection: Collection, seed: int = SEED) -> Collection:
    """The collection with at most two nice entries a pool, drawn as the authors drew them.

    One generator goes through all instances in order; nice entries that are drawn stand in the
    order in which they were. Keys stay those of the full pools.
    """
    draw = Random(seed)
    cut = tuple(_capped(one, draw) for one in collection.instances)
    return replace(collection, instances=cut)


def _capped(one: Instance, draw: Random) -> Instance:
    nice = one.having("nice")
    if len(nice) <= MOST_NICE:
        return one
    kept = draw.sample(nice, MOST_NICE)
    gone = {entry.key for entry in nice} - {entry.key for entry in kept}
    places = iter(kept)
    pool = [
        entry if one.roles.get(entry.key) != "nice" else next(places, None) for entry in one.pool
    ]
    return replace(
        one,
        pool=tuple(_freed(entry, gone) for entry in pool if entry is not None),
        roles={key: role for key, role in one.roles.items() if key not in gone},
        golden=tuple(key for key in one.golden if key not in gone),
        reasons={key: why for key, why in one.reasons.items() if key not in gone},
        rankings={
            run: tuple(key for key in keys if key not in gone) for run, keys in one.rankings.items()
        },
    )


def _freed(entry: PoolEntry, gone: set[str]) -> PoolEntry:
    """The entry, live where what took its place is not in the pool any more."""
    return replace(entry, status="live", replaced_by=None) if entry.replaced_by in gone else entry


def _written(collection: Collection) -> Sequence[Instance]:
    """The instances that the file makes, read back.

    Raises:
        FormatError: if they are not as many as there were, or none.
    """
    if not collection.instances:
        raise FormatError(f"{collection.name}: has no instance that could be written")
    found = read(_rows(collection), collection.name, "")
    if found.refused:
        first = found.refused[0]
        raise FormatError(f"{collection.name}, instance {first.where}: {first.sentence}")
    return found.instances


def _rows(collection: Collection) -> list[dict[str, Any]]:
    return [_row(one) for one in collection.instances]


def _row(one: Instance) -> dict[str, Any]:
    if one.time is None:
        raise FormatError(f"{one.id}: {_SAYS} an instance without a time")
    if set(one.roles) != {entry.key for entry in one.pool}:
        raise FormatError(f"{one.id}: {_SAYS} entries without a role")
    return {
        "id": one.id,
        **_types(one),
        "query": one.query,
        "query_time": time_told(datetime.fromisoformat(one.time)),
        "history": _history(one),
        "roles": {"human": one.human.name, "virtual_person": one.persona.name},
        "memory": {
            role: [{"fact": entry.original or entry.text} for entry in one.having(role)]
            for role in ROLES
        },
        "virtual_person_persona": _persona(one),
    }


def _types(one: Instance) -> dict[str, str]:
    """The release's type codes: the given one as it was, the inferred one by the roles.

    An instance that came with none of them is left without.
    """
    meant = CODES[one.scenario]
    given, inferred = codes_of(one.notes) if one.source == SOURCE else (meant, meant)
    codes = {"given_type": given, "inferred_type": inferred and (meant or inferred)}
    return {name: code for name, code in codes.items() if code}


def _history(one: Instance) -> str:
    """A JSON list inside a string, as the release has it; empty for no history."""
    if not one.history:
        return ""
    lines = [f"{_name(said, one)}: {said.text}" for said in one.history]
    return json.dumps(lines, ensure_ascii=False, indent=2)


def _name(said: Said, one: Instance) -> str:
    return one.human.name if said.role == "user" else one.persona.name


def _persona(one: Instance) -> dict[str, Any]:
    """One line of summary is a text, several are a list."""
    persona = one.persona
    lines = list(persona.summary)
    return {
        "virtual_person_name": persona.name,
        "summary": lines[0] if len(lines) == 1 else lines,
        "traits": list(persona.traits),
        "style": list(persona.style),
        "domains": list(persona.domains),
        "values": list(persona.values),
    }
