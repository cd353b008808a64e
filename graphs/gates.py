"""What a captured item must satisfy before it may become an entry. DyadMem's gates, checked."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import cast

from graphs.forms import CapturedItem
from graphs.spoken import Spoken
from memory_banks.entries import (
    ENTRY_TYPES,
    SCENES,
    URAM_TYPES,
    USER_TYPES,
    Dyad,
    Entry,
    EntryType,
    Provenance,
    TurnRole,
    clean_text,
    digest,
    side_of,
)

ALLOWED: dict[TurnRole, frozenset[EntryType]] = {
    "user": USER_TYPES | {"episodic"},
    "assistant": URAM_TYPES | {"episodic"},
}
"""Which types an utterance of each role may support (DyadMem)."""
LONGEST_TEXT = 2000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A captured item: the entry it makes, or why it makes none."""

    item: CapturedItem
    entry: Entry | None
    utterance: str | None
    """Id of the utterance that supports it."""
    refused: str | None


def normal(text: str) -> str:
    """`text` without what does not tell entries apart: case, spacing, end punctuation."""
    return " ".join(text.casefold().split()).rstrip(".!?。！？ ")


def pass_gates(
    items: list[tuple[CapturedItem, range]],
    spoken: Spoken,
    dyad: Dyad,
    session: str,
    known: Collection[str],
) -> list[Candidate]:
    """Each item with its entry or the reason it was refused, in order.

    `items` come with the numbers of the utterances their part was asked about. `known` holds the
    normal texts of the bank and of what was injected: repeating them is no news. Of two items with
    the same text the last one stays (DyadMem: same-key dedup, last wins).
    """
    refusals = [_refusal(item, spoken, asked, known) for item, asked in items]
    last = {
        normal(item.text): index
        for index, (item, _asked) in enumerate(items)
        if refusals[index] is None
    }
    candidates: list[Candidate] = []
    for index, (item, _asked) in enumerate(items):
        refused = refusals[index]
        if refused is None and last[normal(item.text)] != index:
            refused = "Said again by a later entry of this capture."
        if refused:
            candidates.append(Candidate(item, None, None, refused))
            continue
        utterance = spoken.utterances[item.utterance - 1]
        entry = _entry(item, index, spoken, dyad, session)
        candidates.append(Candidate(item, entry, utterance.id, None))
    return candidates


def _refusal(
    item: CapturedItem, spoken: Spoken, asked: range, known: Collection[str]
) -> str | None:
    """Why the item cannot become an entry; None if it can."""
    if not 1 <= item.utterance <= len(spoken.utterances):
        return f"It names utterance {item.utterance} of {len(spoken.utterances)}."
    if item.utterance not in asked:
        return f"Utterance {item.utterance} belongs to another part of the session."
    role = spoken.utterances[item.utterance - 1].role
    if item.type not in ENTRY_TYPES:
        return f"{item.type!r} is none of the six types."
    if item.type not in ALLOWED[role]:
        return f"{item.type} cannot come from what the {role} says."
    return _refused_text(item.text, known)


def _refused_text(text: str, known: Collection[str]) -> str | None:
    if not normal(text):
        return "Its text is empty."
    if len(text) > LONGEST_TEXT:
        return f"Its text has {len(text)} characters; {LONGEST_TEXT} are the limit."
    try:
        clean_text(text)
    except ValueError as error:
        return f"{error}."
    if normal(text) in known:
        return "Already known: it repeats an entry of the bank."
    return None


def _entry(item: CapturedItem, index: int, spoken: Spoken, dyad: Dyad, session: str) -> Entry:
    utterance = spoken.utterances[item.utterance - 1]
    entry_type = cast(EntryType, item.type)
    return Entry(
        key=digest("captured", session, str(index), item.text),
        scope=dyad.scope(side_of(entry_type, utterance.role)),
        type=entry_type,
        text=" ".join(clean_text(item.text).split()),
        anchor=iso_date(item.anchor) or utterance.at[:10],
        emotion=_word(item.emotion),
        scene=item.scene if item.scene in SCENES else None,
        author="capture",
        provenance=Provenance(session, (utterance.id,), utterance.role),
    )


def iso_date(text: str | None) -> str | None:
    """`text` if it is an ISO date or date-time, else None: no date is invented from it."""
    if not text:
        return None
    for parse in (date.fromisoformat, datetime.fromisoformat):
        try:
            parse(text)
        except ValueError:
            continue
        return text
    return None


def _word(text: str | None) -> str | None:
    cleaned = " ".join((text or "").split())
    return cleaned if 0 < len(cleaned) <= 40 and cleaned.isprintable() else None
