"""Everything that makes instances, in one place."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from memory_banks.embedding import Embedder
from sandbox.authoring.annotating import Annotating
from sandbox.authoring.authoring import Authoring
from sandbox.authoring.disputes import Disputes
from sandbox.authoring.looking import Looking
from sandbox.authoring.publishing import Publishing
from sandbox.authoring.rechecking import Rechecking
from sandbox.evaluation.evaluating import Evaluating
from sandbox.opening import Instances
from sandbox.record import Record
from sandbox.sessions import Sessions


@dataclass(frozen=True, slots=True)
class Workshop:
    """The parts that make instances."""

    authoring: Authoring
    annotating: Annotating
    publishing: Publishing
    rechecking: Rechecking
    looking: Looking
    disputes: Disputes


def open_workshop(
    record: Record,
    instances: Instances,
    evaluating: Evaluating,
    sessions: Sessions,
    clock: Callable[[], datetime],
    new_id: Callable[[], str],
    ready: Callable[[], Embedder | None],
) -> Workshop:
    """The parts on one record; `ready` gives the embedder once it is loaded."""
    authoring = Authoring(record, instances, evaluating, sessions, clock, new_id)
    annotating = Annotating(record, clock, new_id)
    rechecking = Rechecking(record, evaluating)
    return Workshop(
        authoring=authoring,
        annotating=annotating,
        publishing=Publishing(record, instances, clock),
        rechecking=rechecking,
        looking=Looking(authoring, annotating, rechecking, ready),
        disputes=Disputes(record, instances, clock, new_id),
    )
