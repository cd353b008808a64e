"""Update: which held entries a session's new ones take the place of (DyadMem)."""

from dataclasses import dataclass, field

from graphs.capture import Call, call_record
from graphs.chat_model import ChatModel, Sampling, UnreadableAnswer
from graphs.forms import ChangedItem, UpdateForm
from graphs.templates import fence, render
from memory_banks.entries import Entry

SAMPLING = Sampling(temperature=0.0, max_tokens=1000, seed=0)
MOST_DELETES = 5
"""More held entries than this for one new entry is taken for a mistake."""


@dataclass(frozen=True, slots=True)
class Change:
    """A new entry and the held ones it takes the place of."""

    entry: Entry
    deletes: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Updated:
    """One change a new entry, in their order."""

    changes: list[Change]
    calls: list[Call] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def update_bank(new: list[Entry], held: list[Entry], model: ChatModel) -> Updated:
    """Propose every new entry as an addition, and as a replacement where the model says so.

    An answer that cannot be read costs no addition: they are proposed as they are, with a note.

    Raises:
        ModelError: if the model could not be asked.
    """
    if not new or not held:
        return Updated([Change(entry) for entry in new])
    prompt = render("graphs", "update", held=_numbered(held), new=_numbered(new))
    try:
        answer = model.answer([{"role": "user", "content": prompt}], UpdateForm, SAMPLING)
    except UnreadableAnswer as error:
        note = f"The update could not be read, so nothing is proposed for deletion: {error}"
        return Updated([Change(entry) for entry in new], notes=[note])
    notes: list[str] = []
    changes = _changes(answer.value.changes, new, held, notes)
    return Updated(changes, [call_record("update", "update", model, answer)], notes)


def _numbered(entries: list[Entry]) -> str:
    rows = (
        f"{number}. ({entry.type}, {entry.anchor or 'no date'}) {' '.join(entry.text.split())}"
        for number, entry in enumerate(entries, start=1)
    )
    return fence("\n".join(rows), "entries")


def _changes(
    items: list[ChangedItem], new: list[Entry], held: list[Entry], notes: list[str]
) -> list[Change]:
    deletes: dict[int, list[str]] = {number: [] for number in range(1, len(new) + 1)}
    reasons: dict[int, str] = {}
    taken: set[str] = set()
    for item in items:
        refused = _refusal(item, new, held)
        if refused:
            notes.append(refused)
            continue
        fresh = [held[number - 1].id for number in dict.fromkeys(item.held)]
        deletes[item.new] += [entry_id for entry_id in fresh if entry_id not in taken]
        taken.update(fresh)
        reasons[item.new] = " ".join(item.reason.split())[:300]
    return [
        Change(entry, tuple(deletes[number]), reasons.get(number, ""))
        for number, entry in enumerate(new, start=1)
    ]


def _refusal(item: ChangedItem, new: list[Entry], held: list[Entry]) -> str | None:
    """Why the change is refused, as a note; None if it can be proposed."""
    if not 1 <= item.new <= len(new):
        return f"A change for new entry {item.new} of {len(new)} was refused."
    if wrong := [number for number in item.held if not 1 <= number <= len(held)]:
        return f"A change that deletes held entry {wrong[0]} of {len(held)} was refused."
    if len(item.held) > MOST_DELETES:
        return (
            f"A change that deletes {len(item.held)} entries for one new entry was refused: "
            f"{MOST_DELETES} are the limit."
        )
    return None
