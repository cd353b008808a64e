"""Where two annotators differ, and how far they agree over a collection."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sandbox.authoring.authored import Annotation, Authored, Version
from sandbox.authoring.episode_differences import (
    GoldAgreed,
    GoldDifference,
    gold_agreed,
    gold_differences,
)
from sandbox.instances import Role
from sandbox.judges.verdict import Miq, RoleProposal, Verdict
from sandbox.metrics.agreement import Roles, agreement
from sandbox.metrics.pairs import Pair

GOLDEN = "golden"


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that two annotators see differently."""

    key: str
    """The entry's key; GOLDEN for the list of golden entries."""
    text: str
    """What the entry says; empty for the list."""
    first: str
    """What the first says: a role, or keys with spaces between them."""
    second: str


def roles_by_key(authored: Authored) -> dict[str, Role]:
    """The roles, proposed ones left out."""
    return {one.held.key: one.tag.role for one in authored.pool if one.tag and one.tag.is_gold}


def differences(first: Authored, second: Annotation) -> tuple[Difference | GoldDifference, ...]:
    """Where the two differ, in the order of the pool, or of an episode's turns and questions."""
    if first.kind == "episode" and first.talk is not None:
        return gold_differences(first.talk, second)
    roles = roles_by_key(first)
    found: list[Difference | GoldDifference] = [
        Difference(key, one.held.text, roles.get(key, ""), second.roles[key])
        for one in first.pool
        if (key := one.held.key) in second.roles and second.roles[key] != roles.get(key, "")
    ]
    if first.kind == "dialogue" and second.golden != first.golden:
        found.append(Difference(GOLDEN, "", " ".join(first.golden), " ".join(second.golden)))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Agreed:
    """How far two annotators agree."""

    instances: int
    entries: int
    exact: float | None
    """Share of entries with the same role; null where no instance was annotated twice."""
    roles: Roles | None
    """Kappa, precision, recall by role, with intervals by instance; as of a judge."""
    golden: float | None
    """Share of dialogues with the same first golden entry; null where there is none."""
    gold: GoldAgreed | None = None
    """Of episodes; null where none was annotated twice."""


def agreed(pairs: Iterable[tuple[Version, Annotation]]) -> Agreed:
    """Agreement of first annotators, as they stood then, with second ones who did not see that."""
    told = [(first.authored, second) for first, second in pairs]
    rows = [_pair(first, second) for first, second in told if first.kind == "reply"]
    both = [
        (role, second.roles[key])
        for first, second in told
        for key, role in roles_by_key(first).items()
        if key in second.roles
    ]
    tops = [
        first.golden[:1] == second.golden[:1] for first, second in told if first.kind == "dialogue"
    ]
    talks = [(one.talk, second) for one, second in told if one.kind == "episode" and one.talk]
    return Agreed(
        instances=len(told),
        entries=len(both),
        exact=_share(one == other for one, other in both),
        roles=agreement(rows).roles if rows else None,
        golden=_share(tops),
        gold=gold_agreed(talks) if talks else None,
    )


def _share(told: Iterable[bool]) -> float | None:
    found = list(told)
    return sum(found) / len(found) if found else None


def _pair(first: Authored, second: Annotation) -> Pair:
    """The two as a gold standard and a judge of roles; neither says anything of a reply."""
    proposed: Mapping[str, RoleProposal] = {
        key: RoleProposal(role, None) for key, role in second.roles.items()
    }
    blank = Miq(None, "Not asked.")
    return Pair(
        instance=first.id,
        reply="",
        language=first.language,
        gold=Verdict("first annotator", "1", (), blank),
        judge=Verdict("second annotator", "1", (), blank, roles=proposed),
        roles=roles_by_key(first),
        texts={one.held.key: one.held.text for one in first.pool},
    )
