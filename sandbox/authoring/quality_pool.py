"""Checks of a pool: at most two nice entries, no duplicate, distractors that are hard enough."""

from itertools import combinations
from statistics import mean

from sandbox.authoring.authored import Authored, AuthoredEntry
from sandbox.authoring.badge import DYADMEM, OURS, STRATMEM, Badge, Cosine, Look, counted
from sandbox.authoring.wording import folded
from sandbox.formats.stratmem_write import MOST_NICE

NEAR = 0.9
"""Cosine from which two entries count as saying nearly the same (ours)."""
EASY = 0.1
"""How far the hardest distractor may stay below what is wanted, on average (ours)."""


def roles(look: Look) -> Badge:
    """Whether every entry has a role that a person stands behind."""
    found = look.authored
    counts = [(role, str(len(found.having(role)))) for role in ("must", "nice", "irr")]
    numbers = tuple(counts)
    bare = sum(one.tag is None for one in found.pool)
    proposed = len(found.proposals)
    if bare or proposed:
        left = [counted(bare, "entry has no role", "entries have no role")] if bare else []
        if proposed:
            left.append(counted(proposed, "role is a proposal", "roles are proposals"))
        told = f"{' and '.join(left)}: a person must look at each."
        return Badge("roles", "waiting", told, STRATMEM, numbers)
    if not found.having("irr"):
        return Badge("roles", "warn", "No entry is irr: nothing tempts.", STRATMEM, numbers)
    if not (found.having("must") or found.having("nice")):
        told = "Neither must nor nice: it tests over-sharing alone; SMC, PES and CIR leave it out."
        return Badge("roles", "warn", told, STRATMEM, numbers)
    return Badge("roles", "ok", "A person stands behind every role.", STRATMEM, numbers)


def two_nice(look: Look) -> Badge:
    """At most two nice entries."""
    nice = len(look.authored.having("nice"))
    numbers = (("nice", str(nice)),)
    if nice > MOST_NICE:
        told = f"{nice} nice entries: a capped export keeps two, drawn by a seed."
        return Badge("at most two nice", "warn", told, STRATMEM, numbers)
    return Badge(
        "at most two nice",
        "ok",
        f"{counted(nice, 'nice entry', 'nice entries')}.",
        STRATMEM,
        numbers,
    )


def no_duplicate(look: Look) -> Badge:
    """No two live entries that say the same, and no other instance that asks the same."""
    name, live = "no duplicate", [one for one in look.authored.pool if one.held.status == "live"]
    pairs = list(combinations(live, 2))
    exact = [pair for pair in pairs if folded(pair[0].held.text) == folded(pair[1].held.text)]
    twins = sum(_asked(one) == _asked(look.authored) for one in look.others)
    numbers = [("exact", str(len(exact))), ("same instance", str(twins))]
    if exact:
        told = "Two entries say the same: take one out."
        return Badge(name, "fail", told, STRATMEM, tuple(numbers))
    if twins:
        told = f"{counted(twins, 'other instance asks', 'other instances ask')} the same."
        return Badge(name, "fail", told, OURS, tuple(numbers))
    if look.cosine is None:
        told = "No exact one; near ones are not looked for without an embedder."
        return Badge(name, "not run", told, OURS, tuple(numbers))
    closest = max((_cosine(look.cosine, *pair) for pair in pairs), default=0.0)
    near = sum(_cosine(look.cosine, *pair) >= NEAR for pair in pairs)
    numbers += [("near", str(near)), ("closest", f"{closest:.2f}")]
    if near:
        told = f"{counted(near, 'pair says', 'pairs say')} nearly the same (cosine {closest:.2f})."
        return Badge(name, "warn", f"{told} Is only one of each needed?", OURS, tuple(numbers))
    return Badge(name, "ok", f"The closest two are at {closest:.2f}.", OURS, tuple(numbers))


def hard_distractors(look: Look) -> Badge:
    """How close irr entries come to the query, beside what is wanted."""
    name, found = "distractors", look.authored
    tempting, wanted = found.having("irr"), (*found.having("must"), *found.having("nice"))
    if not tempting or not wanted:
        return Badge(name, "not run", "It needs irr entries beside must or nice ones.", OURS)
    if look.cosine is None:
        return Badge(name, "not run", "It is not measured without an embedder.", OURS)
    cosine, query = look.cosine, found.query
    far = [cosine(query, one.held.text) for one in tempting]
    near = [cosine(query, one.held.text) for one in wanted]
    numbers = (
        ("irr mean", f"{mean(far):.2f}"),
        ("irr max", f"{max(far):.2f}"),
        ("must and nice mean", f"{mean(near):.2f}"),
    )
    if max(far) < mean(near) - EASY:
        told = "Even the closest irr entry is far from the query: add one that tempts."
        return Badge(name, "warn", told, DYADMEM, numbers)
    return Badge(
        name, "ok", "At least one irr entry is as close as what is wanted.", DYADMEM, numbers
    )


def _asked(one: Authored) -> tuple[str, ...]:
    return folded(one.query), *(folded(said.text) for said in one.history)


def _cosine(cosine: Cosine, one: AuthoredEntry, other: AuthoredEntry) -> float:
    return cosine(one.held.text, other.held.text)
