"""Judges that were fitted on labelled replies, and how they are measured on those."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from sandbox.judges.verdict import Judge

CROSS_VALIDATED = "cross-validated (the judge was fitted on this file)"
ROLES_CROSS_VALIDATED = "cross-validated (the judge's roles were fitted on these instances)"


@runtime_checkable
class Fitted(Protocol):
    """A judge whose parameters stem from labelled replies; what it says of those flatters it."""

    def out_of_fold(self, sha256: str) -> Judge | None:
        """A judge of the replies in the file with this hash that was not fitted on them.

        Its verdict on each of them comes from a fit that left out the reply's fold; JudgeError for
        any other reply. Null where the judge was not fitted on that file.
        """


@runtime_checkable
class FittedRoles(Protocol):
    """A judge whose role proposals were fitted on a file of instances."""

    def roles_measured_on(self, sha256: str) -> Mapping[str, Any] | None:
        """The cross-validated agreement of its roles on the instances in the file with this hash.

        Null where its roles were not fitted on that file.
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


def roles_measured_on(judge: Judge, sha256: str) -> Mapping[str, Any] | None:
    """The judge's cross-validated roles on this file of instances; null where it was not fitted."""
    return judge.roles_measured_on(sha256) if isinstance(judge, FittedRoles) else None
