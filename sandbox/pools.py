"""An instance's pool as lines of a bank file, so that opening it is an import like any other."""

from collections.abc import Iterable

from memory_banks.entries import Dyad, Entry, digest
from memory_banks.lines import Deleted, Line, LineProvenance
from sandbox.instances import Instance, PoolEntry


def pool_lines(instance: Instance) -> list[Line]:
    """The pool as lines of a bank file, in the order of `listed()`, the older before the newer.

    Their ids say nothing of the pool's keys, because the order of those may betray roles. An entry
    without a type becomes `episodic`: it came up in talk, and that type belongs to either side.
    """
    return [_line(entry, instance) for entry in _oldest_first(instance)]


def entry_ids(instance: Instance, dyad: Dyad) -> dict[str, str]:
    """The pool's keys, and the ids under which the bank of an opened session holds the entries."""
    return {
        entry.key: Entry(_key(instance, entry), dyad.scope(entry.side), "episodic", "").id
        for entry in instance.pool
    }


def _key(instance: Instance, entry: PoolEntry) -> str:
    return digest("pool entry", instance.id, entry.key)[:16]


def _oldest_first(instance: Instance) -> Iterable[PoolEntry]:
    """The listed pool, each entry behind the ones that it took the place of."""
    by_key = {entry.key: entry for entry in instance.pool}
    chains = {entry.key: _newer(entry, by_key) for entry in instance.pool}
    return sorted(instance.listed(), key=lambda entry: -len(chains[entry.key]))


def _newer(entry: PoolEntry, by_key: dict[str, PoolEntry]) -> list[str]:
    """Keys of all that took the entry's place, one after the other."""
    found: list[str] = []
    while entry.replaced_by is not None:
        entry = by_key[entry.replaced_by]
        found.append(entry.key)
    return found


def _line(entry: PoolEntry, instance: Instance) -> Line:
    before = [old for old in instance.listed() if old.replaced_by == entry.key]
    told = entry.provenance
    superseded = entry.status == "superseded"
    return Line(
        id=_key(instance, entry),
        side=entry.side,
        type=entry.type or "episodic",
        text=entry.text,
        anchor=entry.anchor,
        emotion=entry.emotion,
        scene=entry.scene,
        provenance=LineProvenance(session=told.session, turns=told.turns, role=told.role),
        replaces=tuple(_key(instance, old) for old in before),
        reason=f"From the pool of {instance.id}, listed with the seed {instance.seed}.",
        deleted=Deleted(reason="A later entry took its place.") if superseded else None,
    )
