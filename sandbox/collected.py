"""What a file of test cases holds once it is read: instances, episodes, oddities, counts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sandbox.episodes import Episode
from sandbox.instances import ROLES, SCENARIOS, Instance, Role, Scenario


class UnknownInstance(ValueError):
    """The collection has no such instance; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Quirk:
    """Something odd in a file that was read all the same."""

    file: str
    where: str
    """An instance's id with the field, or how many instances it concerns."""
    sentence: str
    path: Sequence[str | int] | None = field(default=None, repr=False)
    """The steps from the file's value to what is odd, where they are known."""
    line: int | None = None
    """The line from 1 that `path` leads to, once it is looked up."""

    @property
    def place(self) -> str:
        """File, line and where, as far as they are known."""
        return _place(self.file, self.line, self.where)


@dataclass(frozen=True, slots=True)
class Refused:
    """An instance that was left out, because it contradicts itself."""

    where: str
    sentence: str
    file: str = ""
    """Empty where `where` tells it."""
    path: Sequence[str | int] | None = field(default=None, repr=False)
    """As a quirk's."""
    line: int | None = None

    @property
    def place(self) -> str:
        """File, line and where, as far as they are known."""
        return _place(self.file, self.line, self.where)


def _place(file: str, line: int | None, where: str) -> str:
    return ", ".join(filter(None, (file, f"line {line}" if line else "", where)))


@dataclass(frozen=True, slots=True)
class Figures:
    """A collection in numbers."""

    read: int
    refused: int
    scenarios: Mapping[Scenario, int]
    pools: Mapping[int, int]
    """How many instances have a pool of this size, by size."""
    roles: Mapping[Role, int]
    languages: Mapping[str, int]
    dialogues: int = 0
    """Dialogues that instances are turns of; an instance by itself is in none."""
    golden: int = 0
    """Golden entries, those of a dialogue counted once."""


@dataclass(frozen=True, slots=True)
class Collection:
    """The instances and episodes of one file, or of files that belong together."""

    name: str
    """The file's name."""
    sha256: str
    instances: tuple[Instance, ...]
    quirks: tuple[Quirk, ...] = ()
    refused: tuple[Refused, ...] = ()
    episodes: tuple[Episode, ...] = ()

    def find(self, instance_id: str) -> Instance:
        """The instance with this id, or the only one whose id goes on from it after a hyphen.

        Raises:
            UnknownInstance: if there is none, or more than one.
        """
        exact = [one for one in self.instances if one.id == instance_id]
        begun = [one for one in self.instances if one.id.startswith(f"{instance_id}-")]
        found = exact or begun
        if len(found) != 1:
            raise UnknownInstance(
                f"{self.name} has no instance {instance_id!r}: pick one of its "
                f"{len(self.instances)}."
            )
        return found[0]

    def figures(self) -> Figures:
        """Counts over all instances; a scenario or role that does not occur counts 0."""
        scenarios = Counter(one.scenario for one in self.instances)
        roles = Counter(role for one in self.instances for role in one.roles.values())
        pools = Counter(len(one.pool) for one in self.instances)
        languages = Counter(one.language for one in self.instances)
        golden = {one.dialogue or (one.id,): len(one.golden) for one in self.instances}
        return Figures(
            read=len(self.instances),
            refused=len(self.refused),
            scenarios={name: scenarios[name] for name in SCENARIOS},
            pools=dict(sorted(pools.items())),
            roles={name: roles[name] for name in ROLES},
            languages=dict(sorted(languages.items())),
            dialogues=len({one.dialogue for one in self.instances if one.dialogue}),
            golden=sum(golden.values()),
        )
