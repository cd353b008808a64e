"""Judging replies on demand: verdicts by several judges, corrections, roles, and their figures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sandbox.clock import iso
from sandbox.evaluation.cases import Judgeable, judgeable
from sandbox.evaluation.judges import Asked, GetJudge
from sandbox.evaluation.roles import RoleTag, roles_of
from sandbox.evaluation.verdicts import (
    ALLOWED,
    OF_A_VERDICT,
    Correction,
    Kept,
    Subject,
    add_correction,
    add_verdict,
    corrected,
    corrections_of,
    latest_of_reply,
    verdicts_of,
)
from sandbox.inputs import BadInput, checked_line
from sandbox.judges.verdict import EntryVerdict, Verdict
from sandbox.lifecycle.meanwhile import must_be_current
from sandbox.metrics.figures import ReplyFigures, reply_figures
from sandbox.opening import Instances
from sandbox.record import Record
from sandbox.reply_traces import find_reply
from sandbox.transcripts import find_turn

_USUAL = Asked()


@dataclass(frozen=True, slots=True)
class Judged:
    """One judge's latest verdict on a reply, as corrected, with its figures."""

    kept: Kept
    verdict: Verdict
    """With corrections; `kept.verdict` is what the judge said."""
    corrections: tuple[Correction, ...]
    """Of this verdict, oldest first."""
    pool: ReplyFigures
    """Over the whole pool: recalled, and what should have been."""
    injected: ReplyFigures
    """Over what the prompt showed."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything that is known about a reply's use of memory."""

    reply: Judgeable
    roles: dict[str, RoleTag]
    """By entry id, of the entries that have one."""
    wanted: tuple[str, ...]
    """Ids of entries that a researcher says should have been recalled."""
    judged: tuple[Judged, ...]
    """The latest verdict of each judge, in order of its first one."""
    corrections: tuple[Correction, ...]
    """Of roles and pool, oldest first."""


class Evaluating:
    """Verdicts on the replies of every account, which every method takes first."""

    def __init__(
        self,
        record: Record,
        instances: Instances,
        get_judge: GetJudge,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._record = record
        self._instances = instances
        self._get_judge = get_judge
        self._clock = clock
        self._new_id = new_id

    def evaluate(
        self, account: str, reply_id: str, judge: str, asked: Asked = _USUAL
    ) -> Evaluation:
        """Have the judge of that name judge a reply, and keep its verdict.

        The same verdict as the judge's last one is not kept twice, so that its corrections stay.

        Raises:
            UnknownReply: if the account has no such reply.
            JudgeError: if there is no such judge, or it cannot judge this reply.
        """
        reply = self.reply(account, reply_id)
        return self.keep(account, reply, self._get_judge(judge, reply, asked)(reply.case))

    def keep(self, account: str, reply: Judgeable, verdict: Verdict) -> Evaluation:
        """Keep a verdict that was given elsewhere, as a human's form does."""
        reply_id = reply.reply.line.id
        kept = Kept(self._new_id(), reply_id, verdict, iso(self._clock()))
        with self._record.write("judged") as conn:
            find_reply(conn, account, reply_id)
            must_be_current(conn, account, reply.forgettings)
            mine = [
                one for one in verdicts_of(conn, reply_id) if one.verdict.judge == verdict.judge
            ]
            if not mine or not _same(mine[-1].verdict, verdict):
                add_verdict(conn, kept)
        return self.evaluation(account, reply_id)

    def reply(self, account: str, reply_id: str) -> Judgeable:
        """The reply as a case, with what a researcher says should have come in its pool.

        Raises:
            UnknownReply: if the account has no such reply.
        """
        with self._record.read() as conn:
            find_reply(conn, account, reply_id)
            session, _turn = find_turn(conn, account, reply_id)
        instance = self._instances.of(session)
        with self._record.read() as conn:
            wanted = latest_of_reply(corrections_of(conn, reply_id), "wanted")
            return judgeable(conn, account, reply_id, instance, wanted)

    def evaluation(self, account: str, reply_id: str) -> Evaluation:
        """What judges and people have said of a reply; no verdicts where nobody has judged it.

        Raises:
            UnknownReply: if the account has no such reply.
        """
        reply = self.reply(account, reply_id)
        with self._record.read() as conn:
            kept = verdicts_of(conn, reply_id)
            changes = corrections_of(conn, reply_id)
        latest = list({one.verdict.judge: one for one in kept}.values())
        wanted = tuple(latest_of_reply(changes, "wanted"))
        roles = roles_of(reply, kept, changes)
        return Evaluation(
            reply=reply,
            roles=roles,
            wanted=wanted,
            judged=tuple(_judged(one, changes, roles, reply) for one in latest),
            corrections=tuple(one for one in changes if one.verdict is None),
        )

    def correct(
        self,
        account: str,
        reply_id: str,
        subject: Subject,
        value: str | None,
        *,
        entry: str | None = None,
        verdict: str | None = None,
        reason: str = "",
    ) -> Evaluation:
        """Change one tag, with a reason; `value` null takes the latest change back.

        Raises:
            BadInput: if the value is none that the subject takes, or what it is about is not there.
            UnknownReply: if the account has no such reply.
        """
        before = self.evaluation(account, reply_id)
        why = checked_line(reason, "the reason")
        if value is not None and not why:
            raise BadInput("A correction needs a reason: say why in a few words.")
        _check(before, subject, value, entry, verdict)
        correction = Correction(
            id=self._new_id(),
            reply=reply_id,
            verdict=verdict,
            subject=subject,
            entry=entry,
            value=value,
            author=account,
            reason=why or "Taken back.",
            created_at=iso(self._clock()),
        )
        with self._record.write("judged") as conn:
            add_correction(conn, correction)
        return self.evaluation(account, reply_id)


def _judged(
    kept: Kept, changes: Sequence[Correction], roles: dict[str, RoleTag], reply: Judgeable
) -> Judged:
    verdict = _whole(corrected(kept, changes), reply)
    pool = {entry: tag.role for entry, tag in roles.items()}
    shown = {entry: role for entry, role in pool.items() if entry in reply.injected}
    return Judged(
        kept=kept,
        verdict=verdict,
        corrections=tuple(one for one in changes if one.verdict == kept.id),
        pool=reply_figures(verdict, pool, failed=reply.case.failed),
        injected=reply_figures(verdict, shown, failed=reply.case.failed),
    )


def _whole(verdict: Verdict, reply: Judgeable) -> Verdict:
    """The verdict over the pool as it is now: an entry that came in later is unscored."""
    said = {one.entry: one for one in verdict.entries}
    late = "It came into the pool after this verdict: evaluate again."
    entries = tuple(
        said.get(item.id, EntryVerdict(item.id, "unscored", why=late)) for item in reply.case.pool
    )
    return replace(verdict, entries=entries)


def _same(one: Verdict, other: Verdict) -> bool:
    """Whether two verdicts say the same, however long they took; a model's never do."""
    if one.calls or other.calls:
        return False
    said = [(v.version, v.entries, v.miq, v.aspects, dict(v.roles)) for v in (one, other)]
    return said[0] == said[1]


def _check(
    known: Evaluation, subject: Subject, value: str | None, entry: str | None, verdict: str | None
) -> None:
    if value is not None and value not in ALLOWED[subject]:
        allowed = ", ".join(ALLOWED[subject])
        raise BadInput(f"{subject} must be one of {allowed}; got {value[:40]!r}.")
    if (subject in OF_A_VERDICT) != (verdict is not None):
        raise BadInput(f"A correction of {subject} must name {_WHAT[subject in OF_A_VERDICT]}.")
    if verdict is not None and verdict not in {one.kept.id for one in known.judged}:
        raise BadInput("There is no such verdict any more: evaluate again.")
    pool = {item.id for item in known.reply.case.pool}
    if subject == "miq":
        return
    if entry is None or (subject != "wanted" and entry not in pool):
        raise BadInput("The entry is not in this reply's pool: reload the page.")


_WHAT = {True: "the verdict it changes", False: "no verdict: it belongs to the reply"}
