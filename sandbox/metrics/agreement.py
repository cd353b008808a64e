"""How far a judge agrees with a gold standard: used, rules, roles, failures, MIQ, aspects.

The gold's open uses are skipped and counted. A judge's unsure one counts by its leaning, an
unscored one as not used; `decided` looks at those alone that it was sure of.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sandbox.instances import ROLES, Role
from sandbox.judges.verdict import (
    ASPECTS,
    FAILURES,
    Aspect,
    Failure,
    RecallKind,
    RuleState,
    Verdict,
)
from sandbox.metrics.measures import Scores, Tag, scores, tag
from sandbox.metrics.pairs import (
    Disagreement,
    Pair,
    is_sure,
    scored_pairs,
    told,
    uses,
    uses_any,
    worst_scores,
    worst_uses,
)
from sandbox.metrics.statistics import SEED

RECALLS: tuple[RecallKind, ...] = ("passive", "proactive")
RULES: tuple[RuleState, ...] = ("followed", "violated")


@dataclass(frozen=True, slots=True)
class Used:
    """Agreement on which entries a reply uses."""

    tag: Tag
    decided: Tag
    """Over the pairs that the judge was sure of."""
    coverage: float | None
    """Share of the pairs that the judge was sure of; null for no pair."""
    replies: int
    skipped: int
    """Pairs that the gold leaves open, or says were voiced earlier."""
    unsure: int
    unscored: int


@dataclass(frozen=True, slots=True)
class Roles:
    """Agreement of proposed roles with the gold ones."""

    tags: Mapping[Role, Tag]
    macro_f1: float | None
    """Mean F1 of the roles that occur in the gold; null where none does."""
    exact_must: float | None
    """Share of replies whose proposed must entries are exactly the gold's."""
    replies: int


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of the replies."""

    used: Used
    miq: Scores


@dataclass(frozen=True, slots=True)
class Agreement:
    """A judge against a gold standard."""

    used: Used
    miq: Scores
    """Over the replies that use something by the gold."""
    failures: Mapping[Failure, Tag]
    """Of those that either side names, over the replies that both score."""
    rules: Mapping[RuleState, Tag]
    """Empty where the gold has no rules."""
    recall: Mapping[RecallKind, Tag]
    """Of the entries that both call used and the gold tags; empty where it tags none."""
    roles: Roles | None
    """Null where the judge proposes none."""
    aspects: Mapping[Aspect, Scores]
    """Of those that the gold scores."""
    by_language: Mapping[str, Slice]
    by_group: Mapping[str, Slice]
    worst: tuple[Disagreement, ...]
    replies: int
    seed: int


def agreement(pairs: Iterable[Pair], worst: int = 10, seed: int = SEED) -> Agreement:
    """The agreement over all pairs, with up to `worst` disagreements each on use and on MIQ."""
    rows = list(pairs)
    scored = list(scored_pairs(rows))
    return Agreement(
        used=_used(rows, seed),
        miq=_miq(rows, seed),
        failures=_failures(scored, seed),
        rules=_rules(rows, seed),
        recall=_recall(rows, seed),
        roles=_roles(rows, seed),
        aspects=_aspects(rows, seed),
        by_language=_slices([(row.language, row) for row in rows], seed),
        by_group=_slices([(row.group, row) for row in rows if row.group], seed),
        worst=(*worst_uses(rows)[:worst], *worst_scores(scored)[:worst]),
        replies=len(rows),
        seed=seed,
    )


def _slices(named: Iterable[tuple[str | None, Pair]], seed: int) -> dict[str, Slice]:
    groups: dict[str, list[Pair]] = {}
    for name, row in named:
        groups.setdefault(name or "", []).append(row)
    return {
        name: Slice(_used(found, seed), _miq(found, seed)) for name, found in sorted(groups.items())
    }


def _used(rows: Sequence[Pair], seed: int) -> Used:
    judged = [list(uses(row)) for row in rows]
    every = [one for found in judged for one in found]
    sure = [[told(*one) for one in found if is_sure(one[1])] for found in judged]
    number = sum(len(found) for found in sure)
    return Used(
        tag=tag([[told(*one) for one in found] for found in judged], seed),
        decided=tag(sure, seed),
        coverage=number / len(every) if every else None,
        replies=len(rows),
        skipped=sum(len(row.gold.entries) for row in rows) - len(every),
        unsure=sum(judge.usage == "unsure" for _, judge in every),
        unscored=sum(judge.usage == "unscored" for _, judge in every),
    )


def _miq(rows: Sequence[Pair], seed: int) -> Scores:
    wanted = [row for row in rows if uses_any(row.gold) and row.gold.miq.score is not None]
    found = list(scored_pairs(wanted))
    missing = len(wanted) - len(found)
    return scores([gold for _, gold, _ in found], [judge for *_, judge in found], missing, seed)


def _failures(scored: Sequence[tuple[Pair, float, float]], seed: int) -> dict[Failure, Tag]:
    named = [(set(row.gold.miq.failures), set(row.judge.miq.failures)) for row, _, _ in scored]
    return {
        name: tag([[(name in gold, name in judge)] for gold, judge in named], seed)
        for name in FAILURES
        if any(name in gold | judge for gold, judge in named)
    }


def _rules(rows: Sequence[Pair], seed: int) -> dict[RuleState, Tag]:
    states = [
        [(one.rule, row.judge.of(one.entry).rule) for one in row.gold.entries if one.rule]
        for row in rows
    ]
    if not any(states):
        return {}
    return {
        name: tag(
            [[(gold == name, judge == name) for gold, judge in found] for found in states], seed
        )
        for name in RULES
    }


def _recall(rows: Sequence[Pair], seed: int) -> dict[RecallKind, Tag]:
    kinds = [
        [(gold.recall, judge.recall) for gold, judge in uses(row) if gold.recall and judge.recall]
        for row in rows
    ]
    if not any(kinds):
        return {}
    return {
        name: tag(
            [[(gold == name, judge == name) for gold, judge in found] for found in kinds], seed
        )
        for name in RECALLS
    }


def _roles(rows: Sequence[Pair], seed: int) -> Roles | None:
    proposed = [
        [(row.roles[key], one.role) for key, one in row.judge.roles.items() if key in row.roles]
        for row in rows
    ]
    proposed = [found for found in proposed if found]
    if not proposed:
        return None
    tags = {
        role: tag(
            [[(gold == role, judge == role) for gold, judge in found] for found in proposed], seed
        )
        for role in ROLES
    }
    f1s = [one.f1.value for one in tags.values() if one.gold and one.f1.value is not None]
    exact = [
        all((gold == "must") == (judge == "must") for gold, judge in found) for found in proposed
    ]
    return Roles(
        tags=tags,
        macro_f1=sum(f1s) / len(f1s) if f1s else None,
        exact_must=sum(exact) / len(exact),
        replies=len(proposed),
    )


def _aspects(rows: Sequence[Pair], seed: int) -> dict[Aspect, Scores]:
    found: dict[Aspect, Scores] = {}
    for name in ASPECTS:
        both = [(_aspect(row.gold, name), _aspect(row.judge, name)) for row in rows]
        wanted = [(gold, judge) for gold, judge in both if gold is not None]
        if wanted:
            scored = [(gold, judge) for gold, judge in wanted if judge is not None]
            left, right = [gold for gold, _ in scored], [judge for _, judge in scored]
            found[name] = scores(left, right, len(wanted) - len(scored), seed)
    return found


def _aspect(verdict: Verdict, name: Aspect) -> float | None:
    return next((one.score for one in verdict.aspects if one.aspect == name), None)
