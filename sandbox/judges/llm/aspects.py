"""From an answer about one MADial-Bench aspect to its three points.

A point is unscored, with the reason, where its value is not allowed, its quote is in none of the
replies, it has no reason or one that only repeats a reply, it is missing, or it is said twice and
differently. Support by the guideline is checked against the key points that the judge says are
followed: a point that contradicts them is unscored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sandbox.judges.case import Case
from sandbox.judges.guideline import SITUATIONS, Situation, find_situation, listed
from sandbox.judges.llm import values
from sandbox.judges.llm.forms import AspectForm, PointItem, SupportForm
from sandbox.judges.llm.miq import evidence_trouble
from sandbox.judges.verdict import Aspect, AspectVerdict, Point

Number = Literal[1, 2, 3]
NUMBERS: tuple[Number, ...] = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class AspectRead:
    """One draw: the aspect by its points, and what was left out."""

    verdict: AspectVerdict
    notes: tuple[str, ...] = ()
    situation: str | None = None
    """The situation that support was judged under; null for the other aspects."""


def situation_words(case: Case) -> str:
    """What the prompt says of the situation: the one of the case, else all of them to name one."""
    given = find_situation(case.situation or "")
    if given is not None:
        return f"The situation is: {_described(given)}"
    several = "\n\n".join(f"{one.name}\n{one.numbered()}{_noted(one)}" for one in SITUATIONS)
    return (
        f"Name the one situation that fits, or none of them:\n{listed()}\n\n"
        f"Key points by situation:\n\n{several}"
    )


def read_aspect(case: Case, aspect: Aspect, form: AspectForm | SupportForm) -> AspectRead:
    """The points of `form`."""
    notes = [
        f"The judge spoke of point {values.shown(one.number)} of {aspect}, which there is not."
        for one in form.points
        if values.read_number(one.number) not in NUMBERS
    ]
    points = [_point(case, aspect, number, form.points) for number in NUMBERS]
    if not isinstance(form, SupportForm):
        return AspectRead(AspectVerdict(aspect, tuple(points)), tuple(dict.fromkeys(notes)))
    situation = find_situation(case.situation or "") or find_situation(values.plain(form.situation))
    if situation is None:
        verdict = unscored(aspect, "The judge finds no situation of the guideline that fits.")
        return AspectRead(verdict, tuple(notes))
    checked = tuple(_supported(point, form, situation) for point in points)
    return AspectRead(AspectVerdict(aspect, checked), tuple(notes), situation.name)


def unscored(aspect: Aspect, why: str) -> AspectVerdict:
    """The aspect with no point scored, for one reason."""
    return AspectVerdict(aspect, tuple(Point(number, None, why) for number in NUMBERS))


def majority(drawn: Sequence[AspectVerdict]) -> AspectVerdict:
    """The value of each point that more than half of the draws with a value give, else unscored."""
    if len(drawn) == 1:
        return drawn[0]
    places = range(len(NUMBERS))
    points = tuple(_agreed([one.points[place] for one in drawn]) for place in places)
    return AspectVerdict(drawn[0].aspect, points)


def _agreed(points: Sequence[Point]) -> Point:
    valued = [point for point in points if point.value is not None]
    for point in valued:
        if 2 * sum(other.value == point.value for other in valued) > len(valued):
            return point
    if not valued:
        return points[0]
    given = ", ".join(f"{point.value:g}" for point in valued)
    return Point(points[0].number, None, f"The draws disagree: {given}.")


def _point(case: Case, aspect: Aspect, number: Number, items: Sequence[PointItem]) -> Point:
    mine = [one for one in items if values.read_number(one.number) == number]
    if not mine:
        return Point(number, None, "The judge left this point out.")
    half = aspect == "emotional_improvement" and number == 3
    found = [values.read_point(one.value, half) for one in mine]
    if len(set(found)) > 1:
        return Point(number, None, "The judge spoke of this point twice and contradicted itself.")
    if found[0] is None:
        said = values.shown(mine[0].value)
        return Point(number, None, f"The judge's value {said} is not allowed here.")
    quotes, reason = values.texts(mine[0].quote), values.words(mine[0].reason)
    if trouble := evidence_trouble((case.reply, *case.replies), quotes, reason):
        return Point(number, None, trouble)
    return Point(number, found[0], reason, "; ".join(quotes))


def _supported(point: Point, form: SupportForm, situation: Situation) -> Point:
    """The point, unless the key points that are said to be followed contradict it."""
    if point.value is None or point.number == 3 or not isinstance(form.key_points, list):
        return point
    followed = {values.read_number(one) for one in form.key_points} - {None}
    known = {number for number in followed if number and number <= len(situation.points)}
    met = (
        bool(known)
        if point.number == 1
        else situation.complete(known, values.read_flag(form.cause_said))
    )
    if met == bool(point.value):
        return point
    which = ", ".join(map(str, sorted(known))) or "none"
    why = f"The judge says {point.value:g} here and yet that key points {which} are followed."
    return Point(point.number, None, why)


def _described(one: Situation) -> str:
    return f"{one.name} ({one.when}). Its key points:\n{one.numbered()}{_noted(one)}"


def _noted(one: Situation) -> str:
    return f"\n{one.note}" if one.note else ""
