"""Test cases as values: who talks, pool, history and query; the roles are kept apart from them.

A role belongs to an entry *in an instance*. Roles, reasons and reference replies are for judges:
nothing of them may reach a graph or a prompt.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, get_args

from memory_banks.entries import EntryType, Provenance, Scene, Side, TurnRole, canonical, digest
from personas.persona import Persona

Role = Literal["must", "nice", "irr"]
"""What a good reply does with an entry: it needs it, it may gain by it, it leaves it alone."""
Scenario = Literal["must-only", "nice-only", "must+nice", "none"]
INSTANCE_USER = "instance:"
"""How the ids of users begin who exist for one instance only."""
ROLES: tuple[Role, ...] = get_args(Role)
SCENARIOS: tuple[Scenario, ...] = get_args(Scenario)


@dataclass(frozen=True, slots=True)
class Human:
    """The person the human speaks as."""

    name: str
    profile: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """An utterance from before the session."""

    role: TurnRole
    speaker: str
    """The name as the file has it, often short."""
    text: str


@dataclass(frozen=True, slots=True)
class PoolEntry:
    """An entry that a reply is judged against. Says nothing of its role."""

    key: str
    type: EntryType | None
    """Null where the file knows no types."""
    side: Side
    text: str
    """What may be shown to a model."""
    anchor: str | None = None
    emotion: str | None = None
    scene: Scene | None = None
    status: Literal["live", "superseded"] = "live"
    replaced_by: str | None = None
    """Key of the entry that took its place."""
    provenance: Provenance = field(default_factory=Provenance)
    original: str | None = None
    """The file's text, where a note of its annotators was cut off; it may betray the role."""


@dataclass(frozen=True, slots=True)
class Use:
    """How a reference reply uses an entry."""

    entry: str
    role: Role
    how: Literal["detail", "followed"]
    span: str
    """The words of the reply that carry it."""
    detail: str


@dataclass(frozen=True, slots=True)
class Expected:
    """The figures that a careful judge should find for a reference reply."""

    rho: Mapping[Role, float | None]
    smc: int
    pes_eligible: bool
    """Read literally: every must entry is used, or there is none."""
    pes_eligible_nice_available: bool
    pes: int | None
    cir_eligible: bool
    cir: int | None
    miq: tuple[int, int]
    """Inclusive range in 1..5."""
    failures: tuple[str, ...] = ()
    aspects: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Inclusive ranges in 0..3 by aspect; empty where none is given."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reply that comes with the instance, to be pasted and judged."""

    name: str
    main: bool
    """Whether every instance of its collection has one of this name."""
    text: str
    used: tuple[Use, ...]
    violates: tuple[str, ...]
    expected: Expected
    why: str


@dataclass(frozen=True, slots=True)
class Instance:
    """A test case. What only a judge may see stands last and is left out of `repr`."""

    id: str
    source: str
    """What the format is called."""
    title: str
    language: str
    persona: Persona
    human: Human
    history: tuple[Said, ...]
    query: str
    time: str | None
    """The session's date and time (ISO, with offset); null where none is told."""
    emotion: str | None
    scene: Scene | None
    pool: tuple[PoolEntry, ...]
    """In the file's order, which may betray roles: show `listed()`."""
    notes: tuple[str, ...] = field(default=(), repr=False)
    """Oddities of this instance, for whoever may see its roles."""
    recall: Literal["passive", "proactive"] | None = None
    situation: str | None = None
    """The situation of the ES guideline, where one is given."""
    dialogue: str = ""
    """What instances share that are turns of one dialogue, in order; empty for one by itself."""
    licence: str = ""
    """The license of its text; empty where the file tells none."""
    rankings: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """Released rankings of the pool's keys, best first, by the name of the run."""
    roles: Mapping[str, Role] = field(default_factory=dict, repr=False)
    """The role of every entry of the pool, by its key; empty where the file knows no roles."""
    golden: tuple[str, ...] = field(default=(), repr=False)
    """Keys of the entries that a reply should build on, the most suitable first; empty where the
    file names none. MADial-Bench's golden memories and DyadMem's supports; no roles."""
    reply: str | None = field(default=None, repr=False)
    """What the character says next in the file; null where it does not tell."""
    reasons: Mapping[str, str] = field(default_factory=dict, repr=False)
    replies: tuple[Reference, ...] = field(default=(), repr=False)
    probes: tuple[str, ...] = field(default=(), repr=False)
    try_next: tuple[str, ...] = field(default=(), repr=False)

    @property
    def seed(self) -> int:
        """Seed of the order in which the pool is listed: the same for the same instance id."""
        return int(digest("pool order", self.id)[:8], 16)

    def listed(self) -> tuple[PoolEntry, ...]:
        """The pool in an order that its seed alone decides."""
        order = list(self.pool)
        Random(self.seed).shuffle(order)
        return tuple(order)

    def having(self, role: Role) -> tuple[PoolEntry, ...]:
        """The entries with this role, in the file's order."""
        return tuple(entry for entry in self.pool if self.roles.get(entry.key) == role)

    @property
    def scenario(self) -> Scenario:
        """What kind of test it is. A pool without irr entries counts as one with them (ours)."""
        held = set(self.roles.values())
        if held >= {"must", "nice"}:
            return "must+nice"
        if "must" in held:
            return "must-only"
        return "nice-only" if "nice" in held else "none"


@dataclass(frozen=True, slots=True)
class InstanceRef:
    """Names an instance without telling anything of it: what a session remembers."""

    collection: str
    """The name of the collection's file."""
    sha256: str
    id: str


def made_persona(name: str, **fields: Any) -> Persona:
    """A character from a record that gives it no id: named by its name and what it says.

    The same character gets the same id, another one of the same name a different one.

    Raises:
        pydantic.ValidationError: if a field is not what a persona may have.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii").lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain)[:40].strip("-") or "character"
    known = digest("persona", canonical({"name": name} | fields))
    return Persona(id=f"{slug}-{known[:8]}", name=name, **fields)
