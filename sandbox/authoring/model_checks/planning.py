"""What is to be checked, by whom, how many calls of a model it takes, and what cannot be done."""

from dataclasses import dataclass

from sandbox.authoring.authored import Authored, Version
from sandbox.authoring.model_checks import evidence, persona
from sandbox.authoring.model_checks.asking import Asking, askings
from sandbox.authoring.model_checks.closed_book import scorable
from sandbox.authoring.model_checks.found import CHECK_KINDS, CheckKind
from sandbox.inputs import BadInput

MOST_SAMPLES = 10
SAMPLES = 3
_MOST_SEED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be checked, and by whom."""

    model: str
    """Writes the answers, judges pairs of them, and looks at the character."""
    second: str = ""
    """The second judge of evidence removal; empty: that check is left out."""
    samples: int = SAMPLES
    """Answers to each thing that is asked, 1..MOST_SAMPLES."""
    seed: int = 1
    """Of the first one; each further one has the next."""
    kinds: tuple[CheckKind, ...] = CHECK_KINDS

    @property
    def seeds(self) -> range:
        """One a sample."""
        return range(self.seed, self.seed + self.samples)


@dataclass(frozen=True, slots=True)
class Planned:
    """What is going to be done."""

    account: str
    version: Version
    wanted: Wanted
    kinds: tuple[CheckKind, ...]
    """The checks that can be done."""
    askings: tuple[Asking, ...]
    calls: int
    """How many calls of a model it takes."""
    left_out: tuple[str, ...]
    """Why other checks are left out, a sentence each."""


def checked_wanted(wanted: Wanted) -> Wanted:
    """The same, where its numbers can be taken.

    Raises:
        BadInput: where one cannot.
    """
    if not 1 <= wanted.samples <= MOST_SAMPLES:
        raise BadInput(f"The number of answers must be 1 to {MOST_SAMPLES}, got {wanted.samples}.")
    if not 0 <= wanted.seed <= _MOST_SEED - MOST_SAMPLES:
        raise BadInput(f"The first seed must be 0 to {_MOST_SEED - MOST_SAMPLES:,}.")
    return wanted


def planned(account: str, version: Version, wanted: Wanted) -> Planned:
    """What would be done with a version.

    Raises:
        BadInput: if nothing can be.
    """
    asked = askings(version.authored)
    why_not = _why_not(version.authored, asked, wanted)
    kinds = tuple(kind for kind in CHECK_KINDS if kind in wanted.kinds and not why_not[kind])
    left_out = tuple(why_not[kind] for kind in wanted.kinds if why_not[kind])
    if not kinds:
        raise BadInput(" ".join(left_out) or "No check is chosen: tick at least one.")
    calls = sum(_calls(kind, version.authored, asked, wanted) for kind in kinds)
    return Planned(account, version, wanted, kinds, asked, calls, left_out)


def _why_not(authored: Authored, asked: tuple[Asking, ...], wanted: Wanted) -> dict[CheckKind, str]:
    """Why each check cannot be done; empty where it can."""
    found: dict[CheckKind, str] = dict.fromkeys(CHECK_KINDS, "")
    if not scorable(asked):
        found["closed book"] = "Closed book: nobody has said what a good answer needs."
    if not evidence.testable(asked):
        found["evidence removal"] = "Evidence removal: nobody has said what the evidence is."
    elif wanted.second in ("", wanted.model):
        found["evidence removal"] = "Evidence removal needs two different models: choose a second."
    if not persona.told_of(authored):
        found["persona"] = "Persona: there is no text that could contradict the character."
    return found


def _calls(kind: CheckKind, authored: Authored, asked: tuple[Asking, ...], wanted: Wanted) -> int:
    if kind == "persona":
        return persona.calls(authored)
    if kind == "closed book":
        return len(scorable(asked)) * wanted.samples
    return sum(evidence.calls(one) for one in evidence.testable(asked)) * wanted.samples
