"""What a quality check says of an instance, and what it is given to look at."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from sandbox.authoring.authored import Annotation, Authored, Stage
from sandbox.authoring.model_checks.found import Checked, CheckKind
from sandbox.authoring.rechecking import Change

State = Literal["ok", "warn", "fail", "waiting", "not run", "not scored"]
"""`waiting` for a person; `not run` by a model yet, or not on what it says now; `not scored`: there
is nothing to judge by, or what came could not be read."""
Cosine = Callable[[str, str], float]
"""Similarity of two texts in [-1, 1], the same both ways."""
STRATMEM = "StratMem-Bench"
MADIAL = "MADial-Bench"
UTILMEM = "UtilMem"
DYADMEM = "DyadMem"
OURS = "ours"


@dataclass(frozen=True, slots=True)
class Badge:
    """One check of one instance."""

    name: str
    state: State
    sentence: str
    """What was found, and where it is not well what to do."""
    section: str
    """Whose rule it is: a paper, or OURS."""
    numbers: tuple[tuple[str, str], ...] = ()
    """What was measured, by name, as it is shown."""
    formula: str = ""
    """How it is measured, and from when it is not well; empty where the sentence says it all."""
    details: tuple[str, ...] = ()
    """What the numbers are made of, a line each."""


@dataclass(frozen=True, slots=True)
class Look:
    """An instance with all that its checks look at."""

    authored: Authored
    stage: Stage = "draft"
    cosine: Cosine | None = None
    """Null while there is no embedder."""
    others: tuple[Authored, ...] = ()
    """The other instances of its collection."""
    changes: tuple[Change, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    differing: int = 0
    """On how many things the latest annotation differs from the first."""
    checks: Mapping[CheckKind, Checked] = field(default_factory=dict)
    """The latest of each check that needs a model."""


def counted(number: int, one: str, several: str | None = None) -> str:
    """`1 entry`, `2 entries`."""
    return f"{number} {one if number == 1 else several or one + 's'}"
