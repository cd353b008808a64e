"""Whether anything contradicts the character: as far as words tell, and as a model says."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sandbox.authoring.authored import Authored
from sandbox.authoring.badge import OURS, Badge, Look, State, counted
from sandbox.authoring.model_checks.found import CheckKind, PersonaFlags
from sandbox.authoring.model_checks.numbers import aged
from sandbox.authoring.model_checks.persona import told_of
from sandbox.authoring.wording import content_words, is_negated, numbers_in, shared

_SAME = 0.5
"""Share of a character's words from which a sentence is about the same thing (ours)."""
_SENTENCE = re.compile(r"[.!?。！？\n]+")
PERSONA_FORMULA = (
    "A model quotes words of a text and the words of the card that they contradict; a flag whose "
    "quotes do not stand there is dropped and counted. It only flags: people decide."
)


def persona_consistency(look: Look) -> Badge:
    """Whether the reference or a live entry contradicts the character: by words, by a model."""
    said = [sentence for text in _character(look.authored) for sentence in _sentences(text)]
    clashes = [
        f"{text[:80]!r} may contradict the character, which says {fact[:80]!r}."
        for fact in said
        for told in told_of(look.authored)
        for text in _sentences(told.item.text)
        if _clash(fact, text)
    ]
    return _flagged(look, clashes)


def _flagged(look: Look, clashes: Sequence[str]) -> Badge:
    """What words alone (`clashes`, a sentence each) and a model find against the character."""
    name: CheckKind = "persona"
    words = (("clashes by words", str(len(clashes))),)
    kept = look.checks.get(name)
    if kept is None or not isinstance(kept.found, PersonaFlags):
        if clashes:
            return Badge(name, "warn", clashes[0], OURS, words, PERSONA_FORMULA, tuple(clashes))
        told = "No words clash; no model has looked whether the meanings do."
        return Badge(name, "not run", told, OURS, words, PERSONA_FORMULA)
    found = kept.found
    state, told = _persona_state(found, clashes)
    numbers = (
        *words,
        ("flagged", str(len(found.flags))),
        ("looked at", f"{found.looked} of {found.wanted}"),
        ("dropped", str(found.strange)),
        ("by", found.model),
    )
    flags = tuple(
        f"{one.where}: “{one.quote}” against “{one.against}”. {one.why}".strip()
        for one in found.flags
    )
    details = (*clashes, *flags, *found.troubles)
    badge = Badge(name, state, told, OURS, numbers, PERSONA_FORMULA, details)
    now = aged(badge, kept, look)
    if clashes and now.state == "not run":
        return replace(now, state="warn", sentence=f"{clashes[0]} {now.sentence}")
    return now


def _persona_state(found: PersonaFlags, clashes: Sequence[str]) -> tuple[State, str]:
    if clashes:
        return "warn", clashes[0]
    if found.flags:
        one = found.flags[0]
        more = f" And {counted(len(found.flags) - 1, 'more')}." if len(found.flags) > 1 else ""
        told = f"{found.model} says that {one.where} contradicts the character: “{one.quote}”"
        return "warn", f"{told} against “{one.against}”.{more}"
    if found.looked < found.wanted:
        why = f" {found.troubles[0]}" if found.troubles else ""
        return "not scored", f"Read {found.looked} of {found.wanted} texts.{why}"
    return "ok", f"{found.model} finds nothing that contradicts the character."


def _character(one: Authored) -> Iterator[str]:
    persona = one.persona
    yield from (*persona.summary, *persona.traits, *persona.style, *persona.values, *persona.rules)
    yield one.human.profile


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def _clash(fact: str, text: str) -> bool:
    """About the same thing, and one is denied, or the numbers are others."""
    if len(content_words(fact)) < 2 or shared(text, fact) < _SAME:
        return False
    told, other = numbers_in(fact), numbers_in(text)
    return is_negated(fact) != is_negated(text) or bool(told and other and told.isdisjoint(other))
