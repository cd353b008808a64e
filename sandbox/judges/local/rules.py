"""Whether a reply follows a rule of the pool, by the parts of the rule that can be checked.

A rule applies where its condition (`when ...`, `in shopping lists`) is met. Followed: the reply
visibly obeys a part that would not be there by default. Violated: it does what the rule forbids, or
lacks what it asks for. A rule of which nothing can be checked is left open, honestly. English.
"""

import re
from dataclasses import dataclass

from sandbox.judges.local.reading import Reading
from sandbox.judges.local.rule_checks import CHECKS, Sight
from sandbox.judges.local.words import alike, content_stems
from sandbox.judges.verdict import RuleState, Span

_CONDITION = re.compile(
    r"\b(?:when(?:ever)?|if|in|for|during|about|on|while)\s+(?P<what>[^,.;]+)", re.IGNORECASE
)
_LATER = re.compile(r"\b(?:when(?:ever)?|if|during|while)\s+(?P<what>[^,.;]+)", re.IGNORECASE)
_SUBJECT = re.compile(r"^(?P<what>.+?)\s(?:is|are|must|should|has|have)\b", re.IGNORECASE)
"""`Notices to passengers are ...` is about notices to passengers."""
_OTHER = 4
"""Content words beside what was checked, from which a rule has a part that was not."""
_MOODS = (
    frozenset({"anxiou", "nervou", "afraid", "worri", "scar", "tens"}),
    frozenset({"sad", "upset", "down", "cri", "grief"}),
    frozenset({"disappoint", "frustrat", "let"}),
    frozenset({"happi", "glad", "excit", "joi"}),
)
"""Stems that name one state of the user."""
_NEAR = 0.4
"""Cosine of rule and query from which the rule is about what was asked."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of checking a rule."""

    state: RuleState | None
    """Null where nothing of it could be checked."""
    why: str
    spans: tuple[Span, ...] = ()
    part: str = ""
    """The part of the rule that decided."""


def check_rule(reading: Reading, number: int) -> Finding:
    """What the reply does with rule `number` of the pool."""
    rule = alike(reading.case.pool[number].text)
    if reading.case.language != "en":
        return Finding(None, "The local judge checks rules in English only.")
    met = _applies(reading, number, rule)
    sights = [sight for check in CHECKS if (sight := check(rule, reading.case.reply)) is not None]
    broken = [sight for sight in sights if sight.obeyed is False]
    kept = [sight for sight in sights if sight.obeyed]
    if not met and not kept:
        return Finding("not applicable", "What was asked does not meet the rule's condition.")
    if met and broken:
        lacks_a_way = reading.case.pool[number].type == "agent_method" and not broken[0].spans
        return _finding("not applicable" if lacks_a_way else "violated", broken[0])
    if kept and not broken:
        return _finding("followed", kept[0])
    if met and any(sight.obeyed is None for sight in sights) and not _more(rule, sights):
        return Finding(
            "not applicable", "The reply keeps clear of it, which shows nothing by itself."
        )
    return Finding(None, "No part of this rule can be checked by the local judge.")


def _finding(state: RuleState, sight: Sight) -> Finding:
    return Finding(state, sight.why, sight.spans, sight.part)


def _more(rule: str, sights: list[Sight]) -> bool:
    """Whether the rule says more than what was checked."""
    checked = frozenset[str]().union(*(content_stems(sight.part) for sight in sights))
    condition = _CONDITION.search(rule)
    checked |= content_stems(condition["what"]) if condition else frozenset()
    return len(content_stems(rule) - checked) >= _OTHER


def _applies(reading: Reading, number: int, rule: str) -> bool:
    """Whether the moment meets the rule's condition; a rule without one always applies."""
    match = _CONDITION.match(rule) or _SUBJECT.search(rule) or _LATER.search(rule)
    if match is None:
        return True
    case = reading.case
    moment = set(reading.context.query.stems) | content_stems(case.emotion or "")
    for said in reading.context.history[-2:]:
        moment |= said.stems
    for mood in _MOODS:
        moment |= mood if moment & mood else frozenset()
    names = {part.lower() for part in f"{case.character} {case.human}".split()}
    asked = {stem for stem in content_stems(match["what"]) if stem not in names}
    if not asked:
        return True
    close = float(reading.entries[number].sentence @ reading.context.query.sentence)
    return bool(asked & moment) or close >= _NEAR
