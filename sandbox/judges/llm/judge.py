"""The `llm` judge: any configured model, asked in two rounds, checked against its own evidence."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event
from typing import Any

from graphs.chat_model import ChatModel
from sandbox.judges.case import Case
from sandbox.judges.llm.asking import Asked, Question, ask, at_once
from sandbox.judges.llm.aspects import AspectRead, majority, read_aspect, unscored
from sandbox.judges.llm.draws import merged
from sandbox.judges.llm.forms import MiqForm, UsageForm
from sandbox.judges.llm.miq import FAILED, NOTHING_USED, median_miq, read_miq
from sandbox.judges.llm.questions import Questions, make_questions, version
from sandbox.judges.llm.usage import UsageRead, all_unscored, read_usage
from sandbox.judges.verdict import (
    ASPECTS,
    Aspect,
    AspectVerdict,
    Call,
    EntryVerdict,
    JudgeError,
    Miq,
    Verdict,
)

OWN_MODEL = "The judge is the character's own model."
MOST_DRAWS = 20


@dataclass(slots=True)
class _Ledger:
    """What the calls of one verdict took, and what lowers its weight."""

    calls: list[Call] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class LlmJudge:
    """Judges replies by a chat model; safe to use from several threads.

    Use of entries first; then, in parallel, MIQ (where something is used) and each aspect: at most
    seven calls a draw, in two rounds.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        draws: int = 1,
        aspects: Sequence[Aspect] = (),
        character_model: str | None = None,
        parallel: int = 6,
    ) -> None:
        """Ask nothing yet.

        `aspects` are off by default: they are meant for emotional support. `character_model` is
        the name of the model that wrote the replies; null for replies written by hand. `parallel`
        is how many calls run at a time: 1 for a model with one slot.

        Raises:
            ValueError: if draws or parallel are out of range or an aspect is unknown.
        """
        if not 1 <= draws <= MOST_DRAWS:
            raise ValueError(f"draws must be 1 to {MOST_DRAWS}, got {draws}")
        if parallel < 1:
            raise ValueError(f"parallel must be at least 1, got {parallel}")
        if unknown := [one for one in aspects if one not in ASPECTS]:
            raise ValueError(f"aspects must be among {', '.join(ASPECTS)}, got {unknown[0]!r}")
        self._model = model
        self._draws = draws
        self._aspects = tuple(one for one in ASPECTS if one in aspects)
        self._own = character_model == model.name
        self._parallel = parallel

    @property
    def name(self) -> str:
        """`llm:` and the model's name."""
        return f"llm:{self._model.name}"

    @property
    def version(self) -> str:
        """A hash of the model's name, the draws and the prompt files."""
        return version(self._model.name, self._draws)

    def judge(self, case: Case, stop: Event | None = None) -> Verdict:
        """The verdict; what the model did not answer readably is unscored, with the reason.

        A failed or empty reply is not shown to the model: nothing is used, nothing is rated.

        Raises:
            JudgeError: if the model cannot be asked which entries are used.
            JudgeStopped: if `stop` is set before it is done.
        """
        began = time.monotonic()
        if case.failed or not case.reply.strip():
            return self._of_nothing(case)
        ledger = _Ledger(warnings=[OWN_MODEL] if self._own else [])
        questions = make_questions(case, self._model, self._draws)
        for name in questions.blocks.cut:
            ledger.warnings.append(f"The {name} was too long for the judge's model and was cut.")
        read = self._usage(questions, ledger, stop)
        miq, aspects = self._second_round(questions, read, ledger, stop)
        ledger.warnings += [*read.notes, *(note for one in aspects for note in one.notes)]
        return Verdict(
            self.name,
            self.version,
            read.entries,
            miq,
            tuple(one.verdict for one in aspects),
            next((one.situation for one in aspects if one.situation), None),
            warnings=tuple(dict.fromkeys(ledger.warnings)),
            calls=tuple(ledger.calls),
            seconds=time.monotonic() - began,
        )

    def _of_nothing(self, case: Case) -> Verdict:
        entries = tuple(
            EntryVerdict(
                item.id,
                "not used",
                why="There is no usable reply.",
                rule="not applicable" if item.is_rule else None,
            )
            for item in case.pool
        )
        aspects = tuple(unscored(aspect, FAILED) for aspect in self._aspects)
        return Verdict(self.name, self.version, entries, Miq(None, FAILED), aspects)

    def _usage(self, questions: Questions, ledger: _Ledger, stop: Event | None) -> UsageRead:
        """Round one: the draws about use, made one."""
        case = questions.case
        if not case.pool:
            return UsageRead(())
        asked = self._ask([questions.usage(draw) for draw in range(self._draws)], stop)
        ledger.calls += [one.call for one in asked]
        if all(one.unreachable for one in asked):
            raise JudgeError(asked[0].call.trouble)
        cut = "reply" in questions.blocks.cut
        drawn = [_read_draw(case, one, cut) for one in asked]
        return merged(drawn)

    def _second_round(
        self, questions: Questions, read: UsageRead, ledger: _Ledger, stop: Event | None
    ) -> tuple[Miq, list[AspectRead]]:
        """Round two, all at once: MIQ and the aspects."""
        used = [at for at, one in enumerate(read.entries) if one.guess is True]
        draws = range(self._draws)
        for_miq: list[Question[Any]] = [questions.miq(draw, used) for draw in draws if used]
        for_aspects: list[Question[Any]] = [
            questions.aspect(aspect, draw) for aspect in self._aspects for draw in draws
        ]
        asked = self._ask([*for_miq, *for_aspects], stop)
        rated, rest = asked[: len(for_miq)], asked[len(for_miq) :]
        aspects = [
            _aspect(questions.case, aspect, rest[at * self._draws : (at + 1) * self._draws])
            for at, aspect in enumerate(self._aspects)
        ]
        scores = [_miq(questions.case, one) for one in rated]
        ledger.calls += [_miq_call(one, score) for one, score in zip(rated, scores, strict=True)]
        ledger.calls += [one.call for one in rest]
        return median_miq(scores) if scores else Miq(None, _why_no_miq(read)), aspects

    def _ask(self, questions: Sequence[Question[Any]], stop: Event | None) -> list[Asked[Any]]:
        jobs = [partial(ask, self._model, question) for question in questions]
        return at_once(jobs, self._parallel, stop)


def _read_draw(case: Case, asked: Asked[UsageForm], cut: bool) -> UsageRead:
    if asked.value is None:
        return all_unscored(case, asked.call.trouble or "")
    return read_usage(case, asked.value, cut)


def _why_no_miq(read: UsageRead) -> str:
    """Why there is nothing to rate."""
    unknown = sum(one.usage == "unscored" for one in read.entries)
    if not unknown:
        return NOTHING_USED
    return f"No entry is known to be used; {unknown} of {len(read.entries)} are unscored."


def _miq(case: Case, asked: Asked[MiqForm]) -> Miq:
    if asked.value is None:
        return Miq(None, asked.call.trouble or "")
    return read_miq(case, asked.value)


def _miq_call(asked: Asked[MiqForm], read: Miq) -> Call:
    """The call, with the trouble of an answer that was in the form and yet of no use."""
    of_no_use = asked.value is not None and read.score is None
    return replace(asked.call, trouble=read.why) if of_no_use else asked.call


def _aspect(case: Case, aspect: Aspect, asked: Sequence[Asked[Any]]) -> AspectRead:
    drawn = [
        AspectRead(unscored(aspect, one.call.trouble or ""))
        if one.value is None
        else read_aspect(case, aspect, one.value)
        for one in asked
    ]
    verdict: AspectVerdict = majority([one.verdict for one in drawn])
    notes = tuple(dict.fromkeys(note for one in drawn for note in one.notes))
    situation = next((one.situation for one in drawn if one.situation), None)
    return AspectRead(verdict, notes, situation)
