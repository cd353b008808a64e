"""The aspect points of MADial-Bench that rules can check; every other point is left unscored.

A rule that only sees trouble scores 0 where it sees some and nothing otherwise: no trouble found is
no proof. Memory injection is the one aspect that comes out whole, and the one that looks at
`Case.replies` too. In languages other than English only sentences are counted.
"""

from collections.abc import Callable, Mapping, Sequence

from sandbox.judges.case import Case
from sandbox.judges.local.injection import injection
from sandbox.judges.local.manner import emotional_improvement, naturalness, style
from sandbox.judges.local.points import UNCHECKED, Number, unscored
from sandbox.judges.local.role_features import Embed
from sandbox.judges.verdict import Aspect, AspectVerdict, EntryVerdict, Point

_NUMBERS: tuple[Number, ...] = (1, 2, 3)
_MANNERS: Mapping[Aspect, Callable[[Case], tuple[Point, ...]]] = {
    "naturalness": naturalness,
    "style": style,
    "emotional_improvement": emotional_improvement,
}


def judge_aspects(
    case: Case,
    used: Sequence[EntryVerdict],
    aspects: Sequence[Aspect],
    embed: Embed | None = None,
) -> tuple[AspectVerdict, ...]:
    """One verdict of three points for each of `aspects`, in their order.

    `used` is what the same judge says of the pool's entries; memory injection follows it. Without
    `embed` (unit vectors of the packaged MiniLM) nothing is said about closeness in meaning.
    """
    if case.failed or not case.reply.strip():
        nothing = tuple(unscored(number, "There is no usable reply.") for number in _NUMBERS)
        return tuple(AspectVerdict(aspect, nothing) for aspect in aspects)
    return tuple(AspectVerdict(aspect, _points(case, used, aspect, embed)) for aspect in aspects)


def _points(
    case: Case, used: Sequence[EntryVerdict], aspect: Aspect, embed: Embed | None
) -> tuple[Point, ...]:
    if case.language != "en" and aspect != "naturalness":
        why = f"The local judge reads English; not measured in {case.language!r}."
        return tuple(unscored(number, why) for number in _NUMBERS)
    if aspect == "injection":
        return injection(case, used, embed)
    rules = _MANNERS.get(aspect)
    if rules is None:
        return tuple(unscored(number, UNCHECKED) for number in _NUMBERS)
    return rules(case)
