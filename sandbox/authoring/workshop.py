"""Everything that makes instances, in one place."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from graphs.chat_model import ChatModel
from memory_banks.embedding import Embedder
from sandbox.authoring.annotating import Annotating
from sandbox.authoring.authoring import Authoring
from sandbox.authoring.disputes import Disputes
from sandbox.authoring.looking import Looking
from sandbox.authoring.model_checks.checks import ModelChecks
from sandbox.authoring.model_checks.jobs import CheckJobs
from sandbox.authoring.publishing import Publishing
from sandbox.authoring.rechecking import Rechecking
from sandbox.evaluation.evaluating import Evaluating
from sandbox.judges.registry import AspectJudge
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
    checks: ModelChecks
    check_jobs: CheckJobs


def open_workshop(
    record: Record,
    instances: Instances,
    evaluating: Evaluating,
    sessions: Sessions,
    clock: Callable[[], datetime],
    new_id: Callable[[], str],
    ready: Callable[[], Embedder | None],
    get_model: Callable[[str | None], ChatModel],
    local: Callable[[], AspectJudge],
) -> Workshop:
    """The parts on one record; `ready` gives the embedder once it is loaded.

    `get_model` and `local` (the judge without a model) are for the checks that need a model.
    """
    authoring = Authoring(record, instances, evaluating, sessions, clock, new_id)
    annotating = Annotating(record, clock, new_id)
    rechecking = Rechecking(record, evaluating)
    checks = ModelChecks(record, get_model, local, clock, new_id)
    return Workshop(
        authoring=authoring,
        annotating=annotating,
        publishing=Publishing(record, instances, clock),
        rechecking=rechecking,
        looking=Looking(authoring, annotating, rechecking, checks, ready),
        disputes=Disputes(record, instances, clock, new_id),
        checks=checks,
        check_jobs=CheckJobs(checks),
    )
