"""What a captured item must satisfy before it may become an entry. DyadMem's gates, checked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime

from graphs.echoes import Known, Twins
from graphs.forms import MOST_ITEMS, CapturedItem, ForgetItem
from graphs.spoken import Spoken, Utterance
from graphs.support import only_later
from graphs.wording import People, first_person, gist, main_script, scripts
from graphs.wording import words as words_of
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

Allowed = Mapping[TurnRole, frozenset[EntryType]]
"""Which types an utterance of each role may support."""
ALLOWED: Allowed = {
    "user": USER_TYPES | {"episodic"},
    "assistant": URAM_TYPES | {"episodic"},
}
"""DyadMem's own."""
LONGEST_TEXT = 2000
TOO_MANY = f"More than {MOST_ITEMS} entries were given: it comes after them."


@dataclass(frozen=True, slots=True)
class Candidate:
    """A captured item: the entry it makes, or why it makes none."""

    item: CapturedItem
    entry: Entry | None
    utterance: str | None
    """Id of the utterance that supports it; null where it names none."""
    refused: str | None
    doubt: str | None = None
    """Why a human must look at the entry, as a sentence; null where nothing is doubtful."""
    note: str | None = None
    """What was changed of the item, as a sentence; never its words."""


@dataclass(frozen=True, slots=True)
class Request:
    """A wish that something be forgotten: whose words say it, or why it is none."""

    item: ForgetItem
    utterance: str | None
    refused: str | None


@dataclass(frozen=True, slots=True)
class Gated:
    """What passed the gates and what did not, in the order of the answer."""

    candidates: list[Candidate]
    requests: list[Request]


def pass_gates(
    items: list[tuple[CapturedItem, range]],
    spoken: Spoken,
    dyad: Dyad,
    session: str,
    known: Known,
    forget: list[tuple[ForgetItem, range]] = [],  # noqa: B006  # it is read only
    allowed: Allowed = ALLOWED,
) -> Gated:
    """Each item with its entry or the reason it was refused, in order.

    `items` come with the numbers of the utterances their part was asked about. Of two that say the
    same, a long-term type stays (DyadMem), else the last one (same-key dedup, last wins).
    """
    gates = _Gates(spoken, known, allowed)
    requests = [gates.request(item, asked) for item, asked in forget]
    gates.forget(requests)
    twins = Twins(gates.people)
    candidates: list[Candidate] = []
    for index, (item, asked) in enumerate(items):
        found = gates.candidate(item, asked, dyad, digest("captured", session, str(index)), session)
        if index >= MOST_ITEMS:
            found = replace(found, entry=None, refused=TOO_MANY)
        candidates.append(found)
        if found.entry is not None:
            twins.add(index, found.entry, item.anchor)
    for index, why in twins.losers().items():
        candidates[index] = replace(candidates[index], entry=None, refused=why, note=None)
    return Gated(candidates, requests)


class _Gates:
    """The gates of one session."""

    def __init__(self, spoken: Spoken, known: Known, allowed: Allowed) -> None:
        self.people = People(spoken.user, spoken.agent)
        self._spoken = spoken
        self._known = known.listening(self.people, spoken.agent, spoken.persona)
        self._allowed = allowed
        self._forgotten: list[tuple[int, frozenset[str]]] = []

    def request(self, item: ForgetItem, asked: range) -> Request:
        """The wish to forget with what the user said; refused where the user did not say it."""
        utterance, refused = self._heard(item.utterance, asked)
        refused = item.fault or refused
        if not refused and utterance and utterance.role != "user":
            refused = "Only the user can ask for something to be forgotten."
        if not refused and not " ".join(item.text.split()):
            refused = "It does not say what is to be forgotten."
        return Request(item, utterance.id if utterance else None, refused)

    def forget(self, requests: list[Request]) -> None:
        """Have nothing captured that the user asks to forget, up to where it is asked."""
        self._forgotten = [
            (one.item.utterance, gist(one.item.text, self.people).words)
            for one in requests
            if one.refused is None
        ]

    def candidate(
        self, item: CapturedItem, asked: range, dyad: Dyad, key: str, session: str
    ) -> Candidate:
        """The item with the entry it makes, or why it makes none."""
        utterance, refused = self._heard(item.utterance, asked)
        refused = item.fault or refused
        if refused or utterance is None:
            return Candidate(item, None, utterance.id if utterance else None, refused)
        fitting = self._fitting(item, utterance.role)
        refused = self._misfit(item, fitting, utterance.role)
        refused = refused or _unusable(item.text) or self._untrue(item, fitting, utterance.role)
        if refused or fitting is None:
            return Candidate(item, None, utterance.id, refused)
        entry = _entry(item, fitting, utterance, dyad, digest(key, item.text), session)
        doubt = _DOUBTED if first_person(item.text) else None
        note = _changed(item, entry, utterance.text)
        return Candidate(item, entry, utterance.id, None, doubt, note)

    def _heard(self, number: int, asked: range) -> tuple[Utterance | None, str | None]:
        """The utterance with this number, and why nothing may rest on it."""
        said = self._spoken.utterances
        if not 1 <= number <= len(said):
            return None, f"It names utterance {number} of {len(said)}."
        if number not in asked:
            return said[number - 1], f"Utterance {number} belongs to another part of the session."
        return said[number - 1], None

    def _fitting(self, item: CapturedItem, role: TurnRole) -> EntryType | None:
        """The type the entry gets: a forbidden one becomes episodic where it tells one event."""
        if item.type not in ENTRY_TYPES:
            return None
        if item.type in self._allowed[role]:
            return item.type
        return "episodic" if item.event and "episodic" in self._allowed[role] else None

    def _misfit(self, item: CapturedItem, fitting: EntryType | None, role: TurnRole) -> str | None:
        if fitting is not None:
            return None
        if item.type not in ENTRY_TYPES:
            return f"{item.type[:40]!r} is none of the six types."
        whose = f"{item.type} cannot come from what the {role} says"
        if item.type in URAM_TYPES and role == "user" and self._allowed["assistant"]:
            whose += ": a rule belongs to the agent's words that take it on"
        return f"{whose}, and it tells no single event."

    def _untrue(
        self, item: CapturedItem, entry_type: EntryType | None, role: TurnRole
    ) -> str | None:
        """Why the text is not what its utterance brought up: owner, echo, later words."""
        if entry_type in USER_TYPES and self._about_agent(item.text):
            return f"It is about the agent, and {entry_type} tells of the user or of other things."
        if self._is_forgotten(item):
            return "It repeats what the user asks to forget."
        day = iso_date(item.anchor) if entry_type == "episodic" else None
        if self._known.holds(item.text, role, day):
            return "Already known: it repeats an entry of the bank, or the character's description."
        if only_later(item.text, item.utterance, self._spoken):
            return f"It fills in utterance {item.utterance} with what was said only later."
        return None

    def _about_agent(self, text: str) -> bool:
        """Whether the text begins with the agent's name and does not name the user."""
        told = gist(text, self.people).speakers
        first = words_of(text)[:1]
        named = set(first) & set(words_of(self._spoken.agent))
        return bool(named) and "user" not in told

    def _is_forgotten(self, item: CapturedItem) -> bool:
        said = gist(item.text, self.people).words
        return any(
            item.utterance <= number and (words <= said or said <= words)
            for number, words in self._forgotten
            if words and said
        )


_DOUBTED = "It says I or my outside quotation marks: edit it so that it names whose it is."


def _unusable(text: str) -> str | None:
    if not " ".join(text.split()).strip(".!?。！？ "):
        return "Its text is empty."
    if len(text) > LONGEST_TEXT:
        return f"Its text has {len(text)} characters; {LONGEST_TEXT} are the limit."
    try:
        clean_text(text)
    except ValueError as error:
        return f"{error}."
    return None


def _changed(item: CapturedItem, entry: Entry, said: str) -> str | None:
    """What of the item was not taken as it was given, or looks translated."""
    notes: list[str] = []
    if entry.type != item.type:
        notes.append(
            f"{item.type} cannot come from what the {entry.provenance.role} says, and it tells "
            "one event: it is episodic."
        )
    if item.anchor and iso_date(item.anchor) is None:
        notes.append("Its date is no ISO date and was dropped: the day it was told stands instead.")
    if (script := main_script(said)) and script not in scripts(item.text):
        notes.append(f"It has no {script.lower()} letter, unlike its utterance: is it translated?")
    return " ".join(notes) or None


def _entry(
    item: CapturedItem,
    entry_type: EntryType,
    utterance: Utterance,
    dyad: Dyad,
    key: str,
    session: str,
) -> Entry:
    return Entry(
        key=key,
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
