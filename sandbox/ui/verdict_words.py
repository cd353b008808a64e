"""Roles and usages as people see them: a letter or mark, a word, and a colour for both."""

from collections.abc import Mapping

from sandbox.evaluation.evaluating import Judged
from sandbox.evaluation.roles import RoleTag
from sandbox.evaluation.verdicts import Subject
from sandbox.instances import Role
from sandbox.judges.verdict import EntryVerdict, RuleState, Usage
from sandbox.ui.markup import Html, element, joined

LETTERS: Mapping[Role, str] = {"must": "M", "nice": "N", "irr": "I"}
NO_ROLE = "·"
"""Stands where nobody gives a role."""
USAGES: Mapping[Usage, tuple[str, str]] = {
    "used": ("✓", "used"),
    "not used": ("–", "not used"),
    "already said": ("↺", "already said"),
    "unsure": ("?", "unsure"),
    "unscored": ("!", "unscored"),
}
USAGE_HINTS: Mapping[Usage, str] = {
    "used": "The reply brings in a detail that history, query and persona alone do not give.",
    "not used": "No use of memory: judged, and nothing of the entry is in the reply.",
    "already said": "Voiced earlier in this session: it leaves the pool.",
    "unsure": "The evidence is weak: figures show their bounds.",
    "unscored": "The judge gave nothing readable on this entry.",
}
RULES: Mapping[RuleState, tuple[str, str]] = {
    "followed": ("✓", "rule followed"),
    "violated": ("✕", "rule violated"),
    "not applicable": ("–", "rule not applicable"),
}
NOT_YET = ("○", "not judged yet")


def letter(role: Role | None) -> str:
    """The letter of a role; a dot for none."""
    return LETTERS[role] if role else NO_ROLE


def role_class(role: Role | None) -> str:
    """The style of a role's colour."""
    return f"role-{role or 'none'}"


def role_badge(role: Role | None) -> Html:
    """The role's letter in its colour, with its word beside."""
    return element(
        "span",
        element("strong", letter(role), hidden="true"),
        f" {role or 'no role'}",
        cls=f"role-tag {role_class(role)}",
    )


def role_source(tag: RoleTag | None) -> str:
    """Who gives the role, in words."""
    if tag is None:
        return "nobody gives a role"
    if tag.source == "gold":
        return "gold"
    if tag.source == "proposed":
        sure = "" if tag.probability is None else f" {tag.probability:.2f}"
        return f"proposed by {tag.by}{sure}"
    before = f", was {tag.instead_of}" if tag.instead_of else ""
    return f"corrected by {tag.by}{before}"


def usage_words(one: EntryVerdict | None) -> tuple[str, str]:
    """Mark and word of what a judge says of an entry; null: nothing yet."""
    if one is None:
        return NOT_YET
    mark, word = USAGES[one.usage]
    if one.usage == "unsure" and one.leaning is not None:
        word = f"unsure, leans {'used' if one.leaning else 'not used'}"
    return mark, word


def usage_mark(one: EntryVerdict | None) -> Html:
    """What a judge says of an entry, as mark and word."""
    mark, word = usage_words(one)
    return element(
        "span",
        element("span", mark, hidden="true"),
        f" {word}",
        cls=f"usage {usage_class(one)}",
    )


def usage_class(one: EntryVerdict | None) -> str:
    """The style of a usage."""
    return "u-pending" if one is None else f"u-{one.usage.replace(' ', '-')}"


def used_entries(judged: Judged) -> tuple[str, ...]:
    """Ids of the entries that count as used, a rule that is followed among them."""
    return tuple(
        one.entry for one in judged.verdict.entries if one.usage == "used" or one.rule == "followed"
    )


def both(mark: str, word: str) -> Html:
    """A mark for the eye and a word for everybody."""
    return joined(element("span", mark, hidden="true"), f" {word}")


def is_corrected(judged: Judged, subject: Subject, entry: str | None = None) -> bool:
    """Whether a person's correction of this part of the verdict counts now."""
    changes = [c for c in judged.corrections if (c.subject, c.entry) == (subject, entry)]
    return bool(changes) and changes[-1].value is not None
