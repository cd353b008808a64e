"""What checks that need a model found, as it is kept on record. Numbers are made of it later."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from pydantic import TypeAdapter

from memory_banks.entries import canonical, digest
from sandbox.authoring.authored import AUTHORED, Authored

CheckKind = Literal["closed book", "evidence removal", "persona"]
CHECK_KINDS: tuple[CheckKind, ...] = get_args(CheckKind)
_LOOKED_AT = (
    "kind",
    "language",
    "persona",
    "human",
    "query",
    "history",
    "time",
    "emotion",
    "scene",
    "golden",
    "reference",
    "tests",
    "talk",
)
"""Fields of an instance that a check looks at; of its pool the entries and their roles."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer that a model wrote, and how much of what is needed it holds."""

    question: str
    """The turn or question that it answers; empty where an instance asks one thing only."""
    seed: int
    text: str
    """Empty where it failed."""
    score: float | None
    """0..1; null where it could not be told."""
    trouble: str = ""
    """Why it failed, or why it has no score, as a sentence."""


@dataclass(frozen=True, slots=True)
class ClosedBook:
    """What was answered without any memory."""

    kind: Literal["closed book"]
    model: str
    scored_by: str
    """The judge of use, or the words of the reference answer."""
    wanted: int
    """How many answers were asked for; a check that was stopped has fewer."""
    answers: tuple[Answered, ...]
    notes: tuple[str, ...] = ()
    """What lowers its weight."""
    prompts: dict[str, str] = field(default_factory=dict)
    """sha256 of each prompt file, by name."""


@dataclass(frozen=True, slots=True)
class Pairwise:
    """What one judge says of two answers that follow one another on a path."""

    judge: str
    level: int
    """Of the one with less evidence, from 1."""
    worse: bool | None
    """Whether that one is the worse one; null where the judge could not be read."""
    why: str
    poorer_first: bool
    """Whether the judge saw it first; it was not told which is which."""


@dataclass(frozen=True, slots=True)
class Path:
    """One sampled way of taking evidence away, with an answer at each level."""

    question: str
    seed: int
    kept: tuple[tuple[str, ...], ...]
    """Keys of the evidence that is left at each level, all of it first."""
    answers: tuple[Answered, ...]
    """One a level; the same seed at each."""
    verdicts: tuple[Pairwise, ...]

    @property
    def holds(self) -> bool | None:
        """Whether every verdict says that less evidence is worse; null where one is unreadable."""
        told = [one.worse for one in self.verdicts]
        if False in told:
            return False
        return True if told and None not in told else None


@dataclass(frozen=True, slots=True)
class EvidenceRemoval:
    """UtilMem's degradation test."""

    kind: Literal["evidence removal"]
    model: str
    """Wrote the answers."""
    judges: tuple[str, ...]
    scored_by: str
    wanted: int
    """How many paths were asked for."""
    paths: tuple[Path, ...]
    notes: tuple[str, ...] = ()
    prompts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Flag:
    """A sentence that a model says contradicts the character."""

    where: str
    """`reference`, or which memory or answer it is."""
    quote: str
    """Its words."""
    against: str
    """Words of the character's card."""
    why: str


@dataclass(frozen=True, slots=True)
class PersonaFlags:
    """What a model flagged."""

    kind: Literal["persona"]
    model: str
    wanted: int
    """How many texts were to be looked at."""
    looked: int
    """How many were, in a form that could be read."""
    flags: tuple[Flag, ...]
    strange: int = 0
    """Flags that were dropped: their quotes stand nowhere, or they are of no text of the list."""
    troubles: tuple[str, ...] = ()
    """Why texts were not looked at."""
    prompts: dict[str, str] = field(default_factory=dict)


Found = ClosedBook | EvidenceRemoval | PersonaFlags
FOUND: TypeAdapter[Found] = TypeAdapter(Found)


@dataclass(frozen=True, slots=True)
class Checked:
    """A check on record."""

    id: str
    authored: str
    version: int
    """Number of the version that it looked at."""
    inputs: str
    """Names what it looked at: see `inputs_of`."""
    found: Found
    created_at: str

    def is_of(self, authored: Authored) -> bool:
        """Whether nothing that it looked at is different in `authored`."""
        return self.inputs == inputs_of(authored)


def inputs_of(authored: Authored) -> str:
    """32 hexadecimal digits that name all that a check looks at."""
    value = AUTHORED.dump_python(authored, mode="json")
    pool = [(one["held"], (one["tag"] or {}).get("role")) for one in value["pool"]]
    return digest("checked", canonical([[value[name] for name in _LOOKED_AT], pool]))
