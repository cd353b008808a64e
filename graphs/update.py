"""Update: which held entries a session's new ones take the place of (DyadMem)."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from graphs.capture import Call, call_record
from graphs.chat_model import ChatModel, Sampling, UnreadableAnswer
from graphs.forms import MOST_ITEMS, ChangedItem, ForgottenItem, UpdateForm
from graphs.templates import fence, render
from graphs.wording import People, gist, loose, words
from memory_banks.entries import Entry

SAMPLING = Sampling(temperature=0.0, max_tokens=1000, seed=0)
MOST_DELETES = 5
"""More held entries than this for one new entry is taken for a mistake."""
_ALIKE = 2
FREE_DELETES, SHARE = 3, 3
"""So many deletions need no second look, or a third of what is held, whichever is more."""
_ASKS = re.compile(
    r"forget\b|delete|erase|remove|scratch|(?:do not|don't|stop) (?:remember|keep|store)|wipe|"
    r"vergiss|vergesse|vergessen|lösch|streich|vergeet|verwijder|wis\b|oublie|efface|supprime|"
    r"olvida|olvide|borra|elimina|esquece|apaga|dimentica|cancella|забудь|забыть|удали|сотри|"
    r"zapomnij|usuń|忘|删|刪|削除|消して|잊|지워|삭제|انس|احذف|امسح|שכח|מחק|भूल|हटा|मिटा",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"(?:not|n['’]t|never|nicht|nie|niet|nooit|n['’]|ne|no|nunca|não|non|не|别|不要)\s*"
    r"(?:\w+\s+)?(?:forget|vergiss|vergesse|vergeet|oublie|olvide|esqueça|dimentica|забудь|забы|忘)"
    r"|(?:vergiss|vergesse|vergeet)\s+(?:\w+\s+)?(?:nicht|nie|niet|nooit)",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s*[,;،、，]\s*|\s+(?:and|or|und|oder|et|ou|y|o|en|of|e|и|или)\s+")
_LINKS = frozenset({"and", "or", "und", "oder", "et", "ou", "y", "o", "en", "of", "e"})
UNREAD = "The update could not be read"
"""How the note begins of an update whose answer was no form."""
UNASKED = "The words do not plainly ask to forget it: look before it is deleted."


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asks to forget."""

    utterance: str
    """Id of the utterance that asks for it."""
    said: str
    """The utterance's words."""
    text: str
    """What is to be forgotten, as the capture understood it."""


@dataclass(frozen=True, slots=True)
class Change:
    """A new entry and the held ones it takes the place of; or held ones to forget, and no entry."""

    entry: Entry | None
    deletes: tuple[str, ...] = ()
    reason: str = ""
    evidence: str = ""
    """Id of the utterance that the change rests on."""
    doubt: str | None = None
    """Why a human must look before it is carried out, as a sentence; null where nothing is."""


@dataclass(frozen=True, slots=True)
class Updated:
    """One change a new entry, in their order; then what is to be forgotten."""

    changes: list[Change]
    calls: list[Call] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def update_bank(
    new: list[Entry],
    held: list[Entry],
    model: Callable[[], ChatModel],
    people: People,
    wishes: Sequence[Wish] = (),
    live: int | None = None,
) -> Updated:
    """Propose every new entry as an addition, and as a replacement where the model says so.

    Held entries go without a replacement only where the user asked to forget them. `live` is how
    many entries the bank holds, where `held` are not all; `model` is asked only where it must be.
    An answer that cannot be read costs no
    addition: they are proposed as they are, with a note.

    Raises:
        ModelError: if the model could not be asked.
    """
    added = added_only(new)
    if not held or not (new or wishes):
        return replace(added, notes=unmatched(wishes))
    prompt = render(
        "graphs", "update", held=_numbered(held), new=_numbered(new), forget=_listed(wishes)
    )
    try:
        asked = model()
        answer = asked.answer([{"role": "user", "content": prompt}], UpdateForm, SAMPLING)
    except UnreadableAnswer as error:
        note = f"{UNREAD}, so nothing is proposed for deletion: {error}"
        return replace(added, notes=[note])
    plan = _Plan(new, held, wishes, people)
    if len(answer.value.changes) > MOST_ITEMS:
        plan.notes.append(f"Only the first {MOST_ITEMS} changes of the answer were looked at.")
    for change in answer.value.changes[:MOST_ITEMS]:
        plan.change(change)
    for forgotten in answer.value.forget[:MOST_ITEMS]:
        plan.forget(forgotten)
    calls = [call_record("update", "update", asked, answer)]
    return Updated(plan.changes(live or len(held)), calls, plan.notes)


def added_only(new: list[Entry]) -> Updated:
    """Every new entry as an addition that touches nothing."""
    return Updated([Change(entry, evidence=_evidence(entry)) for entry in new])


class _Plan:
    """Changes in the making: what the model may not do is refused, and said."""

    def __init__(
        self, new: list[Entry], held: list[Entry], wishes: Sequence[Wish], people: People
    ) -> None:
        self.notes: list[str] = []
        self._new, self._held, self._wishes = new, held, wishes
        self._said = {one.id: _words(one, people) for one in [*new, *held]}
        self._changes = dict(enumerate(added_only(new).changes, start=1))
        self._forgotten: dict[int, Change] = {}
        self._taken: set[str] = set()

    def change(self, item: ChangedItem) -> None:
        """Have a new entry take the place of held ones."""
        if refused := self._refusal(item):
            self.notes.append(refused)
            return
        change = self._changes[item.new]
        assert change.entry is not None
        fresh = self._related(change.entry, self._fresh(item.held), item.new)
        if len(change.deletes + fresh) > MOST_DELETES:
            self.notes.append(_too_many(len(change.deletes + fresh)))
            return
        self._taken.update(fresh)
        self._note_lost_parts(item.new, change.entry, fresh)
        self._changes[item.new] = replace(
            change,
            deletes=change.deletes + fresh,
            reason=_line(item.reason) or change.reason,
        )

    def forget(self, item: ForgottenItem) -> None:
        """Have held entries go that the user asked to forget."""
        if item.fault or not 1 <= item.request <= len(self._wishes):
            why = item.fault or f"it names request {item.request} of {len(self._wishes)}."
            self.notes.append(
                f"A deletion without a new entry was refused, since nobody asked for it: {why}"
            )
            return
        if wrong := _outside(item.held, len(self._held)):
            self.notes.append(
                f"A change that forgets held entry {wrong} of {len(self._held)} was refused."
            )
            return
        fresh = self._fresh(item.held)
        wish = self._wishes[item.request - 1]
        before = self._forgotten.get(item.request, Change(None, evidence=wish.utterance))
        self._taken.update(fresh)
        self._forgotten[item.request] = replace(
            before,
            deletes=before.deletes + fresh,
            reason=_line(item.reason) or before.reason or "The user asked to forget it.",
            doubt=None if _plainly_asks(wish.said) else UNASKED,
        )

    def changes(self, live: int) -> list[Change]:
        """Every change, held for a human where together they would delete much of the bank."""
        forgotten = [one for _n, one in sorted(self._forgotten.items()) if one.deletes]
        met = {number for number, one in self._forgotten.items() if one.deletes}
        self.notes += unmatched(self._wishes, met)
        every = [*self._changes.values(), *forgotten]
        if len(self._taken) <= max(FREE_DELETES, live // SHARE):
            return every
        told = (
            f"Together these changes would delete {len(self._taken)} of {live} entries: look at "
            "each before it is carried out."
        )
        self.notes.append(told)
        return [replace(one, doubt=one.doubt or told) if one.deletes else one for one in every]

    def _refusal(self, item: ChangedItem) -> str | None:
        """Why the change is refused, as a note; None if it can be proposed."""
        if item.fault or item.new == 0:
            return (
                "A deletion without a new entry was refused, since nobody asked for it: "
                f"{item.fault or 'it names none.'}"
            )
        if not 1 <= item.new <= len(self._new):
            return f"A change for new entry {item.new} of {len(self._new)} was refused."
        if wrong := _outside(item.held, len(self._held)):
            return f"A change that deletes held entry {wrong} of {len(self._held)} was refused."
        if len(item.held) > MOST_DELETES:
            return _too_many(len(item.held))
        return None

    def _note_lost_parts(self, number: int, entry: Entry, ids: tuple[str, ...]) -> None:
        """Say where a new entry has some parts of a list and not others: they may still hold."""
        for held in self._held:
            if held.id in ids and _loses_parts(held.text, self._said[entry.id]):
                self.notes.append(
                    f"New entry {number} leaves out parts of a list that it takes the place of: "
                    "look whether they still hold."
                )

    def _fresh(self, numbers: list[int]) -> tuple[str, ...]:
        named = [self._held[number - 1].id for number in dict.fromkeys(numbers)]
        return tuple(entry for entry in named if entry not in self._taken)

    def _related(self, entry: Entry, ids: tuple[str, ...], number: int) -> tuple[str, ...]:
        """Those of the held entries that the new one can be about.

        One that shares no word with it is the wrong one where another of its type shares two.
        Else it may be right: "lives in Tallinn" and "moved to Riga" share none.
        """
        mine = self._said[entry.id]
        shared = {one.id: len(mine & self._said[one.id]) for one in self._held}
        strange = [one for one in ids if not shared[one]]
        alike = [shared[one.id] for one in self._held if one.type == entry.type]
        if not strange or max(alike, default=0) < _ALIKE:
            return ids
        self.notes.append(
            f"New entry {number} was to take the place of a held one with which it shares no "
            "word, while another is about the same: it is only added."
        )
        return tuple(one for one in ids if shared[one])


def _words(entry: Entry, people: People) -> set[str]:
    """The words that carry an entry, to find others on the same subject."""
    return {loose(word) for word in gist(entry.text, people).words}


def _loses_parts(text: str, kept: set[str]) -> bool:
    parts = [{loose(word) for word in words(part)} - _LINKS for part in _PARTS.split(text)]
    told = [bool(part & kept) for part in parts if part]
    return len(told) > 2 and any(told) and not all(told)


def _too_many(count: int) -> str:
    return (
        f"A change that deletes {count} entries for one new entry was refused: {MOST_DELETES} are "
        "the limit."
    )


def _plainly_asks(said: str) -> bool:
    return bool(_ASKS.search(said)) and not _DENIES.search(said)


def _outside(numbers: list[int], most: int) -> str:
    """The first number that names nothing, as text; empty where all name something."""
    return next((str(number) for number in numbers if not 1 <= number <= most), "")


def unmatched(wishes: Sequence[Wish], met: Collection[int] = ()) -> list[str]:
    """A note a wish to forget for which nothing was found; `met` are the numbers of the others."""
    return [
        f"What the user asked to forget (request {number}) is in no held entry that was found."
        for number in range(1, len(wishes) + 1)
        if number not in met
    ]


def _line(text: str) -> str:
    return " ".join(text.split())[:300]


def _evidence(entry: Entry) -> str:
    return entry.provenance.turns[0] if entry.provenance.turns else ""


def _numbered(entries: list[Entry]) -> str:
    rows = (
        f"{number}. ({entry.type}, {entry.anchor or 'no date'}) {' '.join(entry.text.split())}"
        for number, entry in enumerate(entries, start=1)
    )
    return fence("\n".join(rows), "entries")


def _listed(wishes: Sequence[Wish]) -> str:
    rows = (
        f"{number}. {' '.join(wish.text.split())}" for number, wish in enumerate(wishes, start=1)
    )
    return fence("\n".join(rows), "requests")
