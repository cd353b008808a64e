"""Replies as a gold standard and a judge see them, and where the two are furthest apart."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from sandbox.instances import Role
from sandbox.judges.verdict import EntryVerdict, Verdict
from sandbox.metrics.measures import Told
from sandbox.metrics.tally import is_used


@dataclass(frozen=True, slots=True)
class Pair:
    """One reply as the gold and as a judge see it."""

    instance: str
    reply: str
    language: str
    gold: Verdict
    judge: Verdict
    roles: Mapping[str, Role]
    """Gold roles by entry; empty where there are none."""
    texts: Mapping[str, str]
    """What the entries say, by entry."""
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where the judge is far from the gold, in words."""

    about: Literal["used", "miq"]
    instance: str
    reply: str
    entry: str | None
    """Null for MIQ."""
    text: str
    """What the entry says; empty for MIQ."""
    gold: str
    judge: str
    why: str
    """The judge's reason."""
    weight: float
    """How sure it was (0..1), or how many points it is off."""


def uses(row: Pair) -> Iterator[tuple[EntryVerdict, EntryVerdict]]:
    """The entries on which the gold says used or not, by gold and judge."""
    for gold in row.gold.entries:
        if gold.usage in ("used", "not used"):
            yield gold, row.judge.of(gold.entry)


def told(gold: EntryVerdict, judge: EntryVerdict) -> Told:
    """Whether each says used; a judge's unsure one by its leaning, its unscored one not."""
    return is_used(gold), is_used(judge) or judge.guess is True


def is_sure(judge: EntryVerdict) -> bool:
    """Whether the judge has decided."""
    return judge.usage not in ("unsure", "unscored")


def uses_any(verdict: Verdict) -> bool:
    """Whether some entry is surely used."""
    return any(is_used(one) for one in verdict.entries)


def scored_pairs(rows: Iterable[Pair]) -> Iterator[tuple[Pair, float, float]]:
    """The replies that use something by the gold, and that both sides score."""
    for row in rows:
        gold, judge = row.gold.miq.score, row.judge.miq.score
        if uses_any(row.gold) and gold is not None and judge is not None:
            yield row, gold, judge


def worst_uses(rows: Iterable[Pair]) -> list[Disagreement]:
    """The uses that the judge has wrong, the surest first."""
    wrong = [
        Disagreement(
            about="used",
            instance=row.instance,
            reply=row.reply,
            entry=gold.entry,
            text=row.texts.get(gold.entry, ""),
            gold=gold.usage,
            judge=judge.usage,
            why=judge.why,
            weight=_sureness(judge),
        )
        for row in rows
        for gold, judge in uses(row)
        if len(set(told(gold, judge))) == 2
    ]
    return sorted(wrong, key=lambda one: -one.weight)


def _sureness(judge: EntryVerdict) -> float:
    if judge.probability is not None:
        return abs(2 * judge.probability - 1)
    return float(is_sure(judge))


def worst_scores(scored: Iterable[tuple[Pair, float, float]]) -> list[Disagreement]:
    """The scores that are off, the farthest first."""
    off = [
        Disagreement(
            about="miq",
            instance=row.instance,
            reply=row.reply,
            entry=None,
            text="",
            gold=f"{gold:g}",
            judge=f"{judge:.2f}".removesuffix(".00"),
            why=row.judge.miq.why,
            weight=abs(gold - judge),
        )
        for row, gold, judge in scored
        if gold != judge
    ]
    return sorted(off, key=lambda one: -one.weight)
