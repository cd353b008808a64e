"""What a format could not say: instances before they were written, held against those read back."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields

from sandbox.instances import Instance, PoolEntry

_OF_POOL = ("roles", "reasons", "golden", "rankings")
_DERIVED = ("source", "notes", "pool", "persona", "history")
"""Fields that a reader makes, or that are compared part by part."""


def losses(before: Sequence[Instance], after: Sequence[Instance]) -> tuple[str, ...]:
    """What is not as it was, a line each with how many it concerns; empty for none.

    The two have the same instances in the same order. Entries are known by their text: what
    names an entry by its key is compared by that.
    """
    met = Counter(one for pair in zip(before, after, strict=True) for one in _differing(*pair))
    return tuple(f"{what} of {count} of {len(before)} instances" for what, count in met.items())


def _differing(one: Instance, other: Instance) -> Iterator[str]:
    gone = bool(one.pool) and not other.pool
    for field in fields(Instance):
        name = field.name
        if gone and name in _OF_POOL:
            continue
        if name not in _DERIVED and _plain(one, name) != _plain(other, name):
            yield name
    yield from _of_persona(one, other)
    if gone:
        yield "the pool with its roles"
    else:
        yield from _of_pool(one, other)
    said = [[(line.role, line.speaker) for line in found.history] for found in (one, other)]
    if [line.text for line in one.history] != [line.text for line in other.history]:
        yield "history"
    elif said[0] != said[1]:
        yield "the names in the history"


def _plain(one: Instance, name: str) -> object:
    """The field's value, with texts where it names entries."""
    value: object = getattr(one, name)
    if name not in ("roles", "golden", "reasons"):
        return value
    texts = {entry.key: _whole(entry) for entry in one.pool}
    if name == "roles":
        return {texts[key]: role for key, role in one.roles.items()}
    if name == "golden":
        return [texts.get(key, key) for key in one.golden]
    return {texts.get(key, key): why for key, why in one.reasons.items()}


def _whole(entry: PoolEntry) -> str:
    return entry.original or entry.text


def _of_persona(one: Instance, other: Instance) -> Iterator[str]:
    for name in type(one.persona).model_fields:
        if name != "id" and getattr(one.persona, name) != getattr(other.persona, name):
            yield f"the persona's {name.replace('_', ' ')}"


def _of_pool(one: Instance, other: Instance) -> Iterator[str]:
    known = {_whole(entry): entry for entry in other.pool}
    for field in fields(PoolEntry):
        name = field.name
        if name not in ("key", "original") and any(
            getattr(entry, name) != getattr(known.get(_whole(entry)), name, None)
            for entry in one.pool
        ):
            yield f"the entries' {name.replace('_', ' ')}"
