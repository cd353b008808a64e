"""Checks that no text tells what is gold, and that nothing was said already."""

import re
from collections.abc import Iterator
from itertools import groupby

from sandbox.authoring.authored import Authored
from sandbox.authoring.badge import OURS, STRATMEM, Badge, Look, counted
from sandbox.authoring.wording import folded

_NOTE = re.compile(
    r"[\(\[【（]\s*(?:must|nice|irr|irrelevant|relevant|required|supportive|supporting|optional|"
    r"distractor|decoy|gold|golden)\b|"
    r"\b(?:must|nice|irr)[- _](?:memory|memories|entry|entries|use|have)\b|"
    r"\b(?:role|label|gold)\s*[:=]\s*(?:must|nice|irr)\b",
    re.IGNORECASE,
)
_TELLING = re.compile(r"must|nice|irr|gold|distract|decoy", re.IGNORECASE)
_NUMBERED = re.compile(r"(?P<stem>\D*)(?P<number>\d{1,4})")
_LONG = 20
"""Characters from which a text that stands in another is no accident."""


def no_leak(look: Look) -> Badge:
    """No text holds a role or gold: notes of annotators, keys that tell, replies in the talk."""
    found = list(_leaks(look.authored))
    numbers = (("leaks", str(len(found))),)
    if not found:
        return Badge("no leak", "ok", "No text and no key tells what is gold.", STRATMEM, numbers)
    more = f" And {counted(len(found) - 1, 'more')}." if len(found) > 1 else ""
    return Badge("no leak", "fail", f"{found[0]}{more}", STRATMEM, numbers)


def _leaks(one: Authored) -> Iterator[str]:
    for where, text in _texts(one):
        if note := _NOTE.search(text):
            yield f"{where} holds {note[0]!r}, which tells a role."
    for entry in one.pool:
        if _TELLING.search(entry.held.key):
            yield f"The key {entry.held.key!r} tells a role."
    if _is_sorted(one):
        yield "The numbers of the keys follow the roles."
    yield from _given_away(one)


def _given_away(one: Authored) -> Iterator[str]:
    """Where the reference, or what is to be remembered, stands in what is shown anyway."""
    reference = folded(one.reference)
    talk = {"what was said before": [said.text for said in one.history]}
    talk["the pool"] = [entry.held.text for entry in one.pool]
    for where, texts in talk.items():
        if len(reference) >= _LONG and any(reference in folded(text) for text in texts):
            yield f"The reference stands word for word in {where}."
    for entry in (*one.having("must"), *one.having("nice")):
        words = folded(entry.held.text)
        if len(words) >= _LONG and words in folded(one.query):
            yield f"The query says {entry.held.text[:60]!r} itself: nothing has to be remembered."


def already_said(look: Look) -> Badge:
    """Whether an entry was voiced in the talk already: repeating it is no use of memory."""
    one = look.authored
    said = [folded(utterance.text) for utterance in one.history]
    echoed = [
        entry
        for entry in one.pool
        if len(entry.held.text) >= _LONG and any(folded(entry.held.text) in text for text in said)
    ]
    numbers = (("said before", str(len(echoed))),)
    if echoed:
        told = f"{echoed[0].held.text[:60]!r} was said in the talk: it leaves the pool when judged."
        return Badge("not said yet", "warn", told, OURS, numbers)
    return Badge("not said yet", "ok", "No entry was said word for word before.", OURS, numbers)


def _texts(one: Authored) -> Iterator[tuple[str, str]]:
    yield "The query", one.query
    for said in one.history:
        yield "The talk", said.text
    for entry in one.pool:
        yield "An entry", entry.held.text
    for text in (*one.persona.summary, *one.persona.traits, *one.persona.rules):
        yield "The character", text
    if one.talk:
        for turn in one.talk.turns():
            yield "The talk", turn.text
        for question in one.talk.questions:
            yield "A question", question.text


def _is_sorted(one: Authored) -> bool:
    """Whether numbered keys come in blocks of one role each, three entries or more."""
    numbered = []
    for entry in one.pool:
        match = _NUMBERED.fullmatch(entry.held.key)
        if match is None or entry.tag is None:
            return False
        numbered.append((match["stem"], int(match["number"]), entry.tag.role))
    roles = [role for _stem, _number, role in sorted(numbered)]
    blocks = [role for role, _group in groupby(roles)]
    return len(roles) > 3 and len(set(roles)) > 1 and len(blocks) == len(set(roles))
