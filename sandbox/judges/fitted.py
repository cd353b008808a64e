"""Judges that were fitted on labelled replies, and how they are measured on those."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sandbox.judges.verdict import Judge

CROSS_VALIDATED = "cross-validated (the judge was fitted on this file)"


@runtime_checkable
class Fitted(Protocol):
    """A judge whose parameters stem from labelled replies; what it says of those flatters it."""

    def out_of_fold(self, sha256: str) -> Judge | None:
        """A judge of the replies in the file with this hash that was not fitted on them.

        Its verdict on each of them comes from a fit that left out the reply's fold; JudgeError for
        any other reply. Null where the judge was not fitted on that file.
        """


@dataclass(frozen=True, slots=True)
class Measured:
    """The judge that a file's replies are to be put to."""

    judge: Judge
    cross_validated: bool

    @property
    def label(self) -> str:
        """What figures on this file are to be called; empty where there is nothing to say."""
        return CROSS_VALIDATED if self.cross_validated else ""


def measured_on(judge: Judge, sha256: str) -> Measured:
    """The judge itself, or out of fold where it was fitted on the file with this hash."""
    fair = judge.out_of_fold(sha256) if isinstance(judge, Fitted) else None
    return Measured(judge, False) if fair is None else Measured(fair, True)
