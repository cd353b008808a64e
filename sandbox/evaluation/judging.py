"""Judging a file of replies, and holding a judge against a gold file. Nothing is kept on record."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sandbox.evaluation.judged_files import JudgedFile
from sandbox.judges.case import Case
from sandbox.judges.file import Given
from sandbox.judges.fitted import Measured, measured_on, roles_measured_on
from sandbox.judges.registry import JudgeOf
from sandbox.judges.verdict import ASPECTS, Aspect, EntryVerdict, Judge, JudgeError, Miq, Verdict
from sandbox.metrics.agreement import Agreement, agreement
from sandbox.metrics.figures import ReplyFigures, reply_figures
from sandbox.metrics.pairs import Pair
from sandbox.metrics.totals import Judged, Totals, totals

Told = Callable[[int, int], None]
"""Is told after each reply how many of how many are done."""
MOST_IN_A_ROW = 3
"""Replies that a judge may fail to judge one after the other before it is given up."""
UNGROUPED = "replies"
"""What replies are called whose file names no group."""


@dataclass(frozen=True, slots=True)
class Row:
    """One judged reply."""

    given: Given
    """The reply; its verdict is the judge's."""
    figures: ReplyFigures


@dataclass(frozen=True, slots=True)
class Judging:
    """A file of replies as one judge sees it."""

    file: JudgedFile
    rows: tuple[Row, ...]
    totals: Totals
    groups: dict[str, Totals]
    """The same by group, in order of appearance."""
    fitted: bool
    """Whether the judge was fitted on this very file, which flatters it."""
    troubles: tuple[str, ...]
    """Why replies could not be judged; they are unscored."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A judge held against a gold file."""

    file: JudgedFile
    judge: str
    version: str
    label: str
    """`cross-validated ...` where the judge was fitted on this file; else empty."""
    roles_measured: Mapping[str, Any] | None
    """The cross-validated agreement of its roles, where those were fitted on these instances: what
    it proposes for them flatters it and is not counted."""
    agreement: Agreement
    troubles: tuple[str, ...]
    """Why replies could not be judged; they are unscored."""


@dataclass(slots=True)
class _Asking:
    """Asks judges about replies, and lets single ones fail."""

    troubles: list[str] = field(default_factory=list)
    judged: int = 0
    in_a_row: int = 0

    def ask(self, judge: Judge, case: Case) -> Verdict:
        """The verdict; all unscored where the judge cannot judge this reply."""
        try:
            verdict = judge.judge(case)
        except JudgeError as error:
            self.in_a_row += 1
            if not self.judged or self.in_a_row == MOST_IN_A_ROW:
                raise
            self.troubles.append(str(error))
            return _unscored(judge, case, str(error))
        self.judged += 1
        self.in_a_row = 0
        return verdict


def _unscored(judge: Judge, case: Case, why: str) -> Verdict:
    entries = tuple(EntryVerdict(item.id, "unscored", why=why) for item in case.pool)
    return Verdict(judge.name, "", entries, Miq(None, why))


def quiet(done: int, total: int) -> None:
    """Tell nobody."""


def judge_file(file: JudgedFile, judge_of: JudgeOf, told: Told = quiet) -> Judging:
    """Every reply of the file, judged, in its order; a failed reply is judged too.

    Raises:
        JudgeError: if the judge cannot judge the first reply, or MOST_IN_A_ROW after each other.
    """
    rows: list[Row] = []
    asking = _Asking()
    for given in file.given:
        verdict = asking.ask(judge_of(given.instance), file.case(given))
        roles = file.instance(given).roles
        found = replace(given, verdict=verdict)
        rows.append(Row(found, reply_figures(verdict, roles, failed=given.failed)))
        told(len(rows), len(file.given))
    names = dict.fromkeys(row.given.group or UNGROUPED for row in rows)
    return Judging(
        file=file,
        rows=tuple(rows),
        totals=_totals(rows),
        groups={
            name: _totals([row for row in rows if (row.given.group or UNGROUPED) == name])
            for name in names
        },
        fitted=measured_on(judge_of(file.given[0].instance), file.sha256).cross_validated,
        troubles=tuple(asking.troubles),
    )


def gold_aspects(file: JudgedFile) -> tuple[Aspect, ...]:
    """The aspects that the file scores, and that a judge must be asked for."""
    scored = {
        one.aspect for given in file.given for one in given.verdict.aspects if one.score is not None
    }
    return tuple(name for name in ASPECTS if name in scored)


def compare(gold: JudgedFile, judge_of: JudgeOf, told: Told = quiet) -> Compared:
    """The agreement of a judge with the file's verdicts, which count as gold.

    On the file that the judge was fitted on, its out-of-fold verdicts count.

    Raises:
        JudgeError: if the judge cannot judge the first reply, or MOST_IN_A_ROW after each other.
    """
    pairs: list[Pair] = []
    asking = _Asking()
    label = ""
    known = roles_measured_on(judge_of(gold.given[0].instance), gold.instances.sha256)
    for given, measured in _measured(gold, judge_of):
        verdict = asking.ask(measured.judge, gold.case(given))
        fair = verdict if known is None else replace(verdict, roles={})
        pairs.append(_pair(gold, given, fair))
        label = label or measured.label
        told(len(pairs), len(gold.given))
    verdicts = [pair.judge for pair in pairs]
    return Compared(
        file=gold,
        judge=verdicts[0].judge,
        version=verdicts[0].version,
        label=label,
        roles_measured=known,
        agreement=agreement(pairs),
        troubles=tuple(asking.troubles),
    )


def _measured(gold: JudgedFile, judge_of: JudgeOf) -> Iterator[tuple[Given, Measured]]:
    """Each reply, with the judge that it is fair to put it to."""
    judge: Judge | None = None
    measured: Measured | None = None
    for given in gold.given:
        asked = judge_of(given.instance)
        if measured is None or asked is not judge:
            judge, measured = asked, measured_on(asked, gold.sha256)
        yield given, measured


def _pair(gold: JudgedFile, given: Given, verdict: Verdict) -> Pair:
    instance = gold.instance(given)
    return Pair(
        instance=given.instance,
        reply=given.reply,
        language=instance.language,
        gold=given.verdict,
        judge=verdict,
        roles=instance.roles,
        texts={entry.key: entry.text for entry in instance.pool},
        group=given.group,
    )


def _totals(rows: Sequence[Row]) -> Totals:
    return totals(Judged(row.given.instance, row.figures) for row in rows)
