r"""StratMem-Bench's files: an array of instances, each with a pool split into must, nice and irr.

One object of the array, cut short (the full file and the test set have the same shape):

    {"id": "locomo_0123456789", "given_type": "A", "inferred_type": "C", "query": "...?",
     "query_time": "1:56 pm on 8 May, 2023", "history": "[\"Ann: Hi\", \"Bo: Hello\"]",
     "roles": {"human": "Ann", "virtual_person": "Bo"},
     "memory": {"must": [{"fact": "..."}], "nice": [], "irr": [{"fact": "..."}]},
     "virtual_person_persona": {"virtual_person_name": "Bo", "summary": ["..."], "traits": ["..."],
                                "style": ["..."], "domains": ["..."], "values": ["..."]}}

`history` is empty or a JSON list inside a string; `summary` is a text or a list; the type codes are
documented nowhere. All oddities are reported as quirks; none of them is repaired in silence.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from sandbox.collected import Collection, Quirk, Refused
from sandbox.formats.reading import FormatError, Unfit, called, invalid, wrong
from sandbox.formats.stratmem_item import CODES, Item, history_of, instance_of
from sandbox.instances import Instance

_TELLING = {"memory", "query", "query_time", "roles", "virtual_person_persona"}


def recognises(value: Any) -> bool:
    """Whether this JSON value is such an array, sound or not."""
    if not isinstance(value, list):
        return False
    first = value[0] if value else None
    return isinstance(first, dict) and len(first.keys() & _TELLING) >= 2


def read(value: Sequence[Any], file: str, sha256: str) -> Collection:
    """The instances of the array, in its order.

    Raises:
        FormatError: if an object of the array has not the shape shown above, or an id comes twice.
    """
    reader = _Reader(file)
    for index, found in enumerate(value):
        reader.take(index, found)
    return Collection(
        file, sha256, tuple(reader.instances), reader.all_quirks(), tuple(reader.refused)
    )


@dataclass(slots=True)
class _Reader:
    """Goes through the array and remembers what it met."""

    file: str
    instances: list[Instance] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    quirks: list[Quirk] = field(default_factory=list)
    met: Counter[str] = field(default_factory=Counter)
    seen: set[str] = field(default_factory=set)

    def take(self, index: int, found: Any) -> None:
        """Read one object of the array."""
        name = found.get("id") if isinstance(found, dict) else None
        where = f"{self.file}, instance {called(name, index)}"
        try:
            item = Item.model_validate(found)
        except ValidationError as error:
            raise invalid(error, where, above=(index,)) from error
        if item.id in self.seen:
            raise wrong(where, "id", "must be used once", item.id, (index, "id"))
        self.seen.add(item.id)
        try:
            instance = instance_of(item, history_of(item, where))
        except FormatError as error:
            raise FormatError(str(error), (index, "history")) from error
        except Unfit as error:
            self.refused.append(Refused(item.id, str(error), self.file, (index,)))
            return
        self.instances.append(instance)
        self._meet(item, found, instance, index)

    def _meet(self, item: Item, found: Mapping[str, Any], instance: Instance, index: int) -> None:
        summary = found["virtual_person_persona"]["summary"]
        self.met["inside a string"] += bool(item.history)
        self.met["summary text"] += isinstance(summary, str)
        self.met["type codes"] += bool(item.given_type or item.inferred_type)
        code = CODES[instance.scenario]
        self.met["given code"] += bool(item.given_type) and item.given_type != code
        self.met["inferred code"] += bool(item.inferred_type) and item.inferred_type != code
        self.met["characters"] += not all(entry.text.isascii() for entry in instance.pool)
        self.met["edges"] += any(text != text.strip() for text in _texts(found))
        self.met["fields"] += bool(found.keys() - Item.model_fields.keys())
        if not item.memory.irr:
            told = "is empty; the instance stays in its scenario"
            self._quirk(item, "memory.irr", told, (index, "memory", "irr"))
        for entry in instance.pool:
            if entry.original is not None:
                sentence = "has a note of the annotators behind it, which is cut off where shown"
                path = (index, "memory", *_place_of(entry.key, instance))
                self._quirk(item, f"memory, {entry.key}", sentence, path)

    def _quirk(self, item: Item, place: str, sentence: str, path: Sequence[str | int]) -> None:
        self.quirks.append(Quirk(self.file, f"{item.id}, {place}", sentence, path))

    def all_quirks(self) -> tuple[Quirk, ...]:
        """What concerns many instances, then what concerns one."""
        count = len(self.instances)
        told = {
            "history is a JSON list inside a string": self.met["inside a string"],
            "persona's summary is one text, not a list": self.met["summary text"],
            "given_type and inferred_type are documented nowhere; kept as notes": self.met[
                "type codes"
            ],
            "given_type is not the scenario that the roles make, which is taken": self.met[
                "given code"
            ],
            "inferred_type is not the scenario that the roles make, which is taken": self.met[
                "inferred code"
            ],
            "query_time has no zone: taken as +00:00": count,
            "the pool is grouped by role: always shown shuffled": count,
            "facts hold typographic characters, kept as they are": self.met["characters"],
            "has texts with spaces at their ends, which are cut off": self.met["edges"],
            "has fields that are not read": self.met["fields"],
        }
        met = [
            Quirk(self.file, f"{number} of {count} instances", sentence)
            for sentence, number in told.items()
            if number
        ]
        return (*met, *self.quirks)


def _place_of(key: str, instance: Instance) -> tuple[str, int]:
    """The role of an entry, and its place among those of that role."""
    role = instance.roles[key]
    return role, [entry.key for entry in instance.having(role)].index(key)


def _texts(found: Any) -> Iterator[str]:
    """Every text in an object, however deep."""
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict | list):
        for inner in found.values() if isinstance(found, dict) else found:
            yield from _texts(inner)
