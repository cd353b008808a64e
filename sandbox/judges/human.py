"""The judge `human`: a verdict made of what a person filled into a form."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, get_args

from sandbox.judges.case import Case, PoolItem
from sandbox.judges.file import located
from sandbox.judges.guideline import SITUATIONS, find_situation
from sandbox.judges.verdict import (
    ASPECTS,
    FAILURES,
    Aspect,
    AspectVerdict,
    EntryVerdict,
    Failure,
    JudgeError,
    Miq,
    Point,
    RuleState,
    Usage,
    Verdict,
)

T = TypeVar("T", bound=str)
NAME = "human"
VERSION = "form 1"
USAGES: tuple[Usage, ...] = ("used", "not used", "already said", "unsure")
"""What a person can say of an entry; one that is left open is an error unless the rest is told."""
RULE_STATES: tuple[RuleState, ...] = get_args(RuleState)
SCORES = ("1", "2", "3", "4", "5")
NOTHING_USED = "The reply uses nothing."
NO_SCORE = "Left open by the person."
_LONGEST = 4000
"""Characters of a note."""


@dataclass(frozen=True, slots=True)
class HumanForm:
    """What a form holds, as plain values; an empty text is a field that was left open."""

    usages: Mapping[str, str] = field(default_factory=dict)
    """By entry: one of USAGES."""
    words: Mapping[str, str] = field(default_factory=dict)
    """By entry: the words of the reply that carry it."""
    rules: Mapping[str, str] = field(default_factory=dict)
    """By entry that is a rule: one of RULE_STATES."""
    rest: bool = False
    """Whether entries that were left open are not used."""
    miq: str = ""
    failures: Sequence[str] = ()
    points: Mapping[tuple[str, int], str] = field(default_factory=dict)
    """By aspect and number of the point: `0`, `0.5` or `1`."""
    situation: str = ""
    note: str = ""


def human_verdict(case: Case, form: HumanForm) -> Verdict:
    """The verdict that the form gives on `case`.

    An aspect is in it where at least one of its points is filled in; a point left open beside it
    is unscored.

    Raises:
        JudgeError: if a field holds something that it cannot, or an entry was left open; the
            message says which and what to do.
    """
    entries = tuple(_entries(case, form))
    note = " ".join(form.note.split())
    if len(note) > _LONGEST:
        raise JudgeError(f"The note has {len(note)} characters: shorten it to {_LONGEST}.")
    return Verdict(
        judge=NAME,
        version=VERSION,
        entries=entries,
        miq=_miq(form, entries, note),
        aspects=tuple(_aspects(form)),
        situation=_situation(form.situation),
    )


def _entries(case: Case, form: HumanForm) -> Iterator[EntryVerdict]:
    open_ = [n for n, item in enumerate(case.pool, 1) if not _answered(item, form)]
    if open_ and not form.rest:
        raise JudgeError(
            f"{len(open_)} of {len(case.pool)} entries are left open: answer them, or tick that "
            "the rest is not used."
        )
    for item in case.pool:
        yield _entry(case, item, form)


def _answered(item: PoolItem, form: HumanForm) -> bool:
    """Whether the form says anything of use; a rule that is followed or violated says it too."""
    return bool(form.usages.get(item.id)) or (item.is_rule and bool(form.rules.get(item.id)))


def _entry(case: Case, item: PoolItem, form: HumanForm) -> EntryVerdict:
    rule = _rule(item, form)
    usage = _usage(form.usages.get(item.id, ""), rule)
    words = form.words.get(item.id, "").strip()
    used = usage == "used"
    spans = located(words, case.reply) if used or usage == "unsure" else ()
    if words and used and not spans:
        raise JudgeError(
            f"The reply does not hold the words {_short(words)!r}: copy them from the reply."
        )
    return EntryVerdict(item.id, usage, spans=spans, rule=rule)


def _rule(item: PoolItem, form: HumanForm) -> RuleState | None:
    if not item.is_rule:
        return None
    told = form.rules.get(item.id) or "not applicable"
    return _one_of(told, RULE_STATES, "A rule")


def _usage(told: str, rule: RuleState | None) -> Usage:
    if rule == "followed":
        return "used"
    return _one_of(told, USAGES, "The use of an entry") if told else "not used"


def _miq(form: HumanForm, entries: Sequence[EntryVerdict], note: str) -> Miq:
    failures: tuple[Failure, ...] = tuple(
        _one_of(one, FAILURES, "A failure") for one in dict.fromkeys(form.failures)
    )
    may_use = any(one.usage in ("used", "unsure") for one in entries)
    if not may_use and (form.miq or failures):
        raise JudgeError(
            "MIQ rates how used memories are woven in, and no entry is used: leave MIQ and its "
            "failures open, or say which entry is used."
        )
    if not form.miq:
        return Miq(None, note or (NO_SCORE if may_use else NOTHING_USED), failures)
    return Miq(float(_one_of(form.miq, SCORES, "MIQ")), note, failures)


def _aspects(form: HumanForm) -> Iterator[AspectVerdict]:
    for aspect in ASPECTS:
        told = [form.points.get((aspect, number), "") for number in (1, 2, 3)]
        if any(told):
            points = (_point(aspect, 1, told[0]), _point(aspect, 2, told[1]))
            yield AspectVerdict(aspect, (*points, _point(aspect, 3, told[2])))


def _point(aspect: Aspect, number: int, told: str) -> Point:
    halves = aspect == "emotional_improvement" and number == 3
    allowed = ("0", "0.5", "1") if halves else ("0", "1")
    value = float(_one_of(told, allowed, f"Point {number} of {aspect}")) if told else None
    return Point(number, value, "" if told else NO_SCORE)  # type: ignore[arg-type]  # 1, 2 or 3


def _situation(name: str) -> str | None:
    if not name:
        return None
    found = find_situation(name)
    if found is None:
        known = ", ".join(one.name for one in SITUATIONS)
        raise JudgeError(f"The situation must be one of {known}; got {_short(name)!r}.")
    return found.name


def _one_of(told: str, allowed: Sequence[T], what: str) -> T:
    for one in allowed:
        if one == told:
            return one
    raise JudgeError(f"{what} must be one of {', '.join(allowed)}; got {_short(told)!r}.")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
