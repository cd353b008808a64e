"""What the checks that need a model say of a collection, for whoever gets its file: numbers alone.

It stands in the page about a collection, which no character ever sees; nothing of it quotes.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from sandbox.authoring.authored import Version
from sandbox.authoring.badge import Badge, Look
from sandbox.authoring.making import instance_id
from sandbox.authoring.model_checks.found import CHECK_KINDS, Checked, CheckKind
from sandbox.authoring.quality_models import closed_book, evidence_removal
from sandbox.authoring.quality_persona import persona_consistency

MOST = 10_000
"""Characters that the lines of single instances may take."""
_BADGES: Mapping[CheckKind, Callable[[Look], Badge]] = {
    "closed book": closed_book,
    "evidence removal": evidence_removal,
    "persona": persona_consistency,
}


def validity(
    made_of: Sequence[Version], checks: Callable[[str], Mapping[CheckKind, Checked]]
) -> tuple[str, ...]:
    """How many instances are in which state, then the numbers of each that was checked.

    `checks` gives the latest checks of the instance with an id. Empty for no instance.
    """
    looks = [Look(one.authored, checks=checks(one.authored.id)) for one in made_of]
    if not looks:
        return ()
    lines = [*_lines(looks)]
    shown: list[str] = []
    for line in lines:
        if sum(map(len, shown)) + len(line) > MOST:
            shown.append(f"And {len(lines) - len(shown)} more that were checked.")
            break
        shown.append(line)
    return (_counted(looks), *shown)


def _counted(looks: Sequence[Look]) -> str:
    told = []
    for kind in CHECK_KINDS:
        states = Counter(_BADGES[kind](look).state for look in looks)
        counts = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
        told.append(f"{kind} {counts}")
    return f"Checks that need a model: {'; '.join(told)}."


def _lines(looks: Sequence[Look]) -> Iterator[str]:
    for look in looks:
        told = [_told(_BADGES[kind](look)) for kind in CHECK_KINDS if kind in look.checks]
        if told:
            yield f"{instance_id(look.authored)}: {'; '.join(told)}."


def _told(badge: Badge) -> str:
    numbers = ", ".join(f"{name} {value}" for name, value in badge.numbers)
    return f"{badge.name} {badge.state} ({numbers})"
