"""The checks that need a model: planned, run one after the other, kept with what they are of."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from graphs.chat_model import ChatModel
from sandbox.authoring.authored import Authored
from sandbox.authoring.model_checks import evidence, persona
from sandbox.authoring.model_checks.answering import Answering
from sandbox.authoring.model_checks.closed_book import closed_book
from sandbox.authoring.model_checks.found import (
    Checked,
    CheckKind,
    ClosedBook,
    EvidenceRemoval,
    Found,
    PersonaFlags,
    inputs_of,
)
from sandbox.authoring.model_checks.pace import Pace
from sandbox.authoring.model_checks.planning import Planned, Wanted, checked_wanted, planned
from sandbox.authoring.model_checks.scoring import JudgeIt
from sandbox.authoring.model_checks.store import add_check, checks_of, latest_checks
from sandbox.authoring.store import UnknownAuthored, latest, must_own, versions_of
from sandbox.clock import iso
from sandbox.judges.case import Case
from sandbox.judges.registry import LOCAL, AspectJudge
from sandbox.judges.verdict import Verdict
from sandbox.record import Record

FORGOTTEN_MEANWHILE = "Something that it cites was forgotten meanwhile: run it again."


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of it."""

    kept: tuple[Checked, ...]
    troubles: tuple[str, ...]
    """Why a check has no result, a sentence each."""


class ModelChecks:
    """Checks for every account, which every method takes first."""

    def __init__(
        self,
        record: Record,
        get_model: Callable[[str | None], ChatModel],
        local: Callable[[], AspectJudge],
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._record = record
        self._get_model = get_model
        self._local = local
        self._clock = clock
        self._new_id = new_id

    def all(self, account: str, id_: str) -> list[Checked]:
        """Every check of an instance, oldest first; none of one that is not kept yet."""
        with self._record.read() as conn:
            return checks_of(conn, id_) if _owns(conn, account, id_) else []

    def latest(self, account: str, id_: str) -> dict[CheckKind, Checked]:
        """The latest check of each kind; none of one that is not kept yet."""
        with self._record.read() as conn:
            return latest_checks(conn, id_) if _owns(conn, account, id_) else {}

    def plan(self, account: str, id_: str, wanted: Wanted) -> Planned:
        """What would be done with the latest version; no model is asked.

        Raises:
            BadInput: if nothing can be done, or a number cannot be taken.
            UnknownAuthored: if the account makes no such instance.
        """
        checked_wanted(wanted)
        with self._record.read() as conn:
            version = latest(conn, account, id_)
        return planned(account, version, wanted)

    def run(self, plan: Planned, pace: Pace) -> Ran:
        """Do it, and keep each result as it comes; stopping keeps what is whole.

        A check of which a model answered nothing at all leaves no result, only its trouble.

        Raises:
            ModelNotReady, UnknownModel: if a model cannot be had; nothing is done then.
            UnknownAuthored: if the instance went away meanwhile.
        """
        wanted = plan.wanted
        models = [self._get_model(wanted.model)]
        if "evidence removal" in plan.kinds:
            models.append(self._get_model(wanted.second))
        kept: list[Checked] = []
        troubles: list[str] = []
        for kind in plan.kinds:
            pace.failed = 0
            found = self._found(kind, plan, models, pace)
            if trouble := _trouble(found, pace):
                troubles.append(f"{kind}: {trouble}")
            elif _measured(found) and (checked := self._kept(plan, found)):
                kept.append(checked)
            elif _measured(found):
                troubles.append(f"{kind}: {FORGOTTEN_MEANWHILE}")
            if pace.stop.is_set():
                break
        return Ran(tuple(kept), tuple(troubles))

    def _found(self, kind: CheckKind, plan: Planned, models: list[ChatModel], pace: Pace) -> Found:
        authored, asked, seeds = plan.version.authored, plan.askings, plan.wanted.seeds
        if kind == "persona":
            return persona.persona_flags(authored, models[0], pace)
        judge: JudgeIt | None = None if authored.kind == "episode" else self._judge
        book = kind == "closed book"
        answering = Answering(models[0], judge, self._clock(), pace, closed_book=book)
        notes = _notes(authored)
        if book:
            return replace(closed_book(asked, answering, LOCAL, seeds), notes=notes)
        own = f"{models[0].name} judged answers that it wrote itself."
        removed = evidence.evidence_removal(asked, answering, models, LOCAL, seeds)
        return replace(removed, notes=(*notes, own))

    def _judge(self, case: Case) -> Verdict:
        return self._local().judge(case)

    def _kept(self, plan: Planned, found: Found) -> Checked | None:
        """The check, now on record; null where words that it may hold were forgotten meanwhile."""
        version = plan.version
        checked = Checked(
            id=self._new_id(),
            authored=version.authored.id,
            version=version.number,
            inputs=inputs_of(version.authored),
            found=found,
            created_at=iso(self._clock()),
        )
        with self._record.write("authored") as conn:
            must_own(conn, plan.account, version.authored.id)
            if version not in versions_of(conn, version.authored.id):
                return None
            add_check(conn, checked)
        return checked


def _owns(conn: Connection, account: str, id_: str) -> bool:
    try:
        must_own(conn, account, id_)
    except UnknownAuthored:
        return False
    return True


def _notes(authored: Authored) -> tuple[str, ...]:
    if authored.kind == "episode" or authored.language == "en":
        return ()
    return (f"The local judge reads English; not measured for {authored.language}.",)


def _trouble(found: Found, pace: Pace) -> str:
    """Why nothing at all came of it; empty where something did, or where it was stopped."""
    if isinstance(found, PersonaFlags):
        return found.troubles[-1] if pace.failed and not found.looked else ""
    if isinstance(found, ClosedBook):
        answers = found.answers
    else:
        answers = tuple(one for path in found.paths for one in path.answers)
    if answers and not any(one.text for one in answers):
        return answers[-1].trouble
    if isinstance(found, EvidenceRemoval) and pace.failed:
        verdicts = [one for path in found.paths for one in path.verdicts]
        unread = all(one.worse is None for one in verdicts)
        return verdicts[-1].why if verdicts and unread else ""
    return ""


def _measured(found: Found) -> bool:
    """Whether there is anything to keep."""
    if isinstance(found, ClosedBook):
        return bool(found.answers)
    if isinstance(found, EvidenceRemoval):
        return bool(found.paths)
    return bool(found.looked or found.troubles)
