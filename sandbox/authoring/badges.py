"""All checks of an instance, in the order in which they are shown. Each is a pure function."""

from sandbox.authoring.badge import Badge, Look
from sandbox.authoring.quality_episode import annotation, questions
from sandbox.authoring.quality_leaks import already_said, no_leak
from sandbox.authoring.quality_models import closed_book, evidence_removal
from sandbox.authoring.quality_persona import persona_consistency
from sandbox.authoring.quality_pool import hard_distractors, no_duplicate, roles, two_nice
from sandbox.authoring.quality_state import (
    golden,
    licence,
    phrasing,
    reference,
    second_annotator,
    up_to_date,
)


def badges(look: Look) -> tuple[Badge, ...]:
    """What every check says, of those that concern an instance of its kind."""
    kind = look.authored.kind
    found: list[Badge | None] = []
    if kind == "reply":
        found += [roles(look), two_nice(look)]
    if kind == "dialogue":
        found.append(golden(look))
    if kind == "episode":
        found += [annotation(look), *questions(look)]
    else:
        found += [no_duplicate(look), already_said(look), reference(look)]
    if kind == "reply":
        found.append(hard_distractors(look))
    found += [phrasing(look), no_leak(look), persona_consistency(look)]
    found += [closed_book(look), evidence_removal(look)]
    found += [up_to_date(look), licence(look), second_annotator(look)]
    return tuple(badge for badge in found if badge)
