"""What a judge says of one reply: use by entry, rules, MIQ, aspects; with its evidence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from sandbox.instances import Role
from sandbox.judges.case import Case

Usage = Literal["used", "not used", "already said", "unsure", "unscored"]
"""`already said`: voiced earlier in this session, so it is in h and leaves the pool (PROTOCOLS 1,
rule 1). `unsure`: the evidence is weak. `unscored`: the judge gave nothing readable."""
RuleState = Literal["followed", "violated", "not applicable"]
RecallKind = Literal["passive", "proactive"]
"""Passive: the user mentioned it. Proactive: the user's emotion or scene called for it."""
Failure = Literal[
    "awkward",
    "offensive",
    "incoherent",
    "contradictory",
    "distorted",
    "dumped",
    "off_goal",
    "private",
    "stale",
    "rule_broken",
    "reopens_hurt",
    "timeline_confusion",
    "adjacent_rule_leakage",
    "incomplete_set",
    "bridging_failure",
    "entity_substitution",
    "mixed",
]
"""How an integration can fail. The first three are StratMem-Bench's, the last six DyadMem's."""
FAILURES: tuple[Failure, ...] = get_args(Failure)
Aspect = Literal["naturalness", "style", "injection", "es_proficiency", "emotional_improvement"]
"""MADial-Bench's five, 0..3 each, three points of 0 or 1 (the last point of emotional improvement
may be 0.5)."""
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` up to `end` of the reply's text; never empty."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EntryVerdict:
    """What a judge says of one entry of the pool."""

    entry: str
    usage: Usage
    leaning: bool | None = None
    """The better guess where `usage` is `unsure`; null otherwise."""
    spans: tuple[Span, ...] = ()
    """Where the reply carries it, in order, without overlap; empty where it is not used."""
    detail: str = ""
    """The detail of the entry that the reply brings in."""
    why: str = ""
    """One or two sentences: why history, query and persona do not give it, or why it is no use."""
    rule: RuleState | None = None
    """Null where the entry is no rule. `followed` counts as used."""
    recall: RecallKind | None = None
    """Of a used entry only."""
    shared_with: tuple[str, ...] = ()
    """Entries that carry the same detail and are credited too."""
    probability: float | None = None
    """The judge's own, 0..1, that the entry is used; null where it gives none."""
    flips: float | None = None
    """Share of the draws, 0..1, that differ from `usage`; null with one draw."""

    @property
    def guess(self) -> bool | None:
        """Used or not, an unsure one by its leaning; null for `already said` and `unscored`."""
        if self.usage == "unsure":
            return self.leaning
        return {"used": True, "not used": False}.get(self.usage)


@dataclass(frozen=True, slots=True)
class RoleProposal:
    """A role that a judge proposes where there is no gold; never averaged with gold."""

    role: Role
    probabilities: Mapping[Role, float] | None = None
    """Sum to 1; null where the judge gives none."""


@dataclass(frozen=True, slots=True)
class Miq:
    """Memory Integration Quality of one reply."""

    score: float | None
    """1..5; null where unscored."""
    why: str
    """The reason, or why it is unscored."""
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """One of an aspect's three points."""

    number: Literal[1, 2, 3]
    value: float | None
    """0, 0.5 or 1; null where unscored."""
    why: str
    quote: str = ""
    """Words of the reply that the judge leans on."""


@dataclass(frozen=True, slots=True)
class AspectVerdict:
    """One MADial-Bench aspect by its points."""

    aspect: Aspect
    points: tuple[Point, ...]

    @property
    def score(self) -> float | None:
        """Sum of the points, 0..3; null where one of them is unscored."""
        values = [point.value for point in self.points]
        known = [value for value in values if value is not None]
        return sum(known) if len(known) == len(values) == 3 else None


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a model: what was asked by hash, and what came back as it was."""

    purpose: str
    prompt: str
    """Hash of the prompt file."""
    raw: str
    seconds: float
    tokens_in: int | None = None
    tokens_out: int | None = None
    trouble: str | None = None
    """Why the answer could not be used; null where it was."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one judge says of one reply."""

    judge: str
    """The name people choose it by, such as `local` or `llm:NAME`."""
    version: str
    """What would have to be the same for the same verdict: a hash of parameters or prompts."""
    entries: tuple[EntryVerdict, ...]
    """One for each entry of the pool, in the pool's order."""
    miq: Miq
    aspects: tuple[AspectVerdict, ...] = ()
    """Of the requested aspects; one that was not asked for is not there."""
    situation: str | None = None
    """The ES situation that the aspects were judged under."""
    roles: Mapping[str, RoleProposal] = field(default_factory=dict)
    """Proposals by entry; empty where the judge makes none."""
    warnings: tuple[str, ...] = ()
    """What lowers its weight, such as a judge that is the character's own model."""
    calls: tuple[Call, ...] = ()
    seconds: float = 0.0

    def of(self, entry: str) -> EntryVerdict:
        """What it says of `entry`.

        Raises:
            KeyError: if the pool had no such entry.
        """
        return next((one for one in self.entries if one.entry == entry), None) or _missing(entry)


class Judge(Protocol):
    """Anything that turns a case into a verdict."""

    @property
    def name(self) -> str:
        """The name people choose it by."""

    def judge(self, case: Case) -> Verdict:
        """The verdict; what could not be scored is said in it, never guessed.

        Raises:
            JudgeError: if it cannot judge at all; the message says why and what to do.
        """


class JudgeError(Exception):
    """A judge cannot judge this reply; one sentence says why and what to do."""


def _missing(entry: str) -> EntryVerdict:
    raise KeyError(entry)
