r"""The bank file: a dyad's bank as JSON lines, in order of addition, live entries and dead ones.

UTF-8, one object a line, `\n` after each. As we write it (the canonical form) a line has all twelve
fields in this order, `", "` and `": "` between them, and no escapes but those that JSON demands and
U+0085, U+2028, U+2029 (some readers take them for line ends). One line, shown here in four pieces:

    {"id": "w-07", "side": "user", "type": "fact", "text": "The supper is in the hall in Salt.",
    "anchor": "2026-01-15", "emotion": "Sad", "scene": "Others", "author": "capture",
    "provenance": {"session": "s3", "turns": ["s3-2"], "role": "user"}, "replaces": ["w-01"],
    "reason": "The barn fell through.", "deleted": {"reason": "Moved to the courtyard."}}

`id` is the entry's portable key. `side` is `user` or `dyad`, never whose. `reason` says why it was
added. `deleted` is null for a live entry and says why for a dead one. Which entry took its place is
told there: `replaces` lists earlier, dead lines by id (by `user:ID` or `dyad:ID` where both sides
have that id). A line needs `id`, `side`, `type` and `text`; the rest may be left out.

The file holds states, not every operation: an entry that was deleted and added again stands where
it was added last, and what had taken its place before that no longer replaces it.
"""

import hashlib
import json
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from memory_banks.entries import Add, Delete, Dyad, Entry, ImportedFrom, Provenance, State
from memory_banks.forgetting import FORGOTTEN
from memory_banks.lines import (
    BankFileError,
    Deleted,
    Line,
    LineIndex,
    LineProvenance,
    read_bank_file,
)

__all__ = [
    "BankFileError",
    "Deleted",
    "ImportPlan",
    "Line",
    "LineProvenance",
    "export_lines",
    "imported_from",
    "packaged_seed",
    "packaged_seeds",
    "plan_import",
    "read_bank_file",
    "write_bank_file",
]

_ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in "\u0085\u2028\u2029"}


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What importing a file will do."""

    drafts: tuple[Add | Delete, ...]
    """Operations for `ledger.append`, in order; none if nothing is new."""
    new: int
    """Lines whose entry is added, also where the file says it is deleted since."""
    known: int
    """Lines left alone because the ledger has their entry already, live or deleted."""
    differing: tuple[str, ...]
    """Ids of the known lines that say something else than the ledger's entry of that id."""


def imported_from(data: bytes, name: str) -> ImportedFrom:
    """The name and fingerprint under which the import of `data` is logged."""
    return ImportedFrom(name, hashlib.sha256(data).hexdigest())


def plan_import(
    lines: Sequence[Line], dyad: Dyad, imported: ImportedFrom, known: Sequence[State]
) -> ImportPlan:
    """The operations that bring the lines of a bank file into the dyad's bank.

    `lines` come from `read_bank_file`; `known` is every state of the dyad's bank
    (`ledger.states`). An entry that the ledger has, live or deleted, is left alone: importing twice
    is importing once, and a deleted memory does not come back. One exception keeps a bank from
    holding both the old and the new: a new line that replaces a known, live entry deletes it.
    """
    plan = _Planner(lines, dyad, imported, known)
    for place in range(len(lines)):
        plan.add(place)
    for place in range(len(lines)):
        plan.delete_for_good(place)
    new = sum(isinstance(draft, Add) for draft in plan.drafts)
    return ImportPlan(tuple(plan.drafts), new, len(lines) - new, tuple(plan.differing))


def export_lines(states: Sequence[State]) -> bytes:
    """The bank file of `states` (from `ledger.states`, in order of addition); empty for none.

    What was forgotten is dead in it, also at a revision at which it was live. Says nothing of whose
    bank it is. Importing it into an empty bank and exporting that gives the same bytes.
    """
    taken = Counter(state.entry.key for state in states)
    earlier: dict[str, State] = {}
    lines: list[dict[str, Any]] = []
    for state in states:
        gone = [earlier[key] for key in dict.fromkeys(state.replaces) if key in earlier]
        replaced = [_reference(old.entry, taken) for old in gone if not _stays(old)]
        lines.append(_fields(state, replaced))
        earlier[state.entry.id] = state
    return _written(lines)


def write_bank_file(lines: Sequence[Line]) -> bytes:
    """The canonical bytes of `lines`."""
    return _written([line.model_dump() for line in lines])


def packaged_seeds() -> list[str]:
    """Names of the seed banks that ship with the project, in alphabetical order."""
    found = files("memory_banks").joinpath("seeds").iterdir()
    return sorted(file.name.removesuffix(".jsonl") for file in found if _is_seed(file.name))


def packaged_seed(name: str) -> bytes:
    """The bank file of the seed bank called `name`.

    Raises:
        ValueError: if none of that name ships with the project.
    """
    known = packaged_seeds()
    if name not in known:
        raise ValueError(f"seed bank must be one of {', '.join(known)}, got {name!r}")
    return files("memory_banks").joinpath("seeds", f"{name}.jsonl").read_bytes()


def _is_seed(name: str) -> bool:
    return name.endswith(".jsonl") and not name.startswith(".")


class _Planner:
    """Follows which entries are live while the drafts of one import are made."""

    def __init__(
        self, lines: Sequence[Line], dyad: Dyad, imported: ImportedFrom, known: Sequence[State]
    ) -> None:
        self.drafts: list[Add | Delete] = []
        self.differing: list[str] = []
        self._lines = lines
        self._index = LineIndex(lines)
        self._entries = [_entry(line, dyad) for line in lines]
        self._known = {state.entry.id: state for state in known}
        self._live = {state.entry.id for state in known if state.live}
        self._imported = imported
        self._cause = f"import:{imported.sha256}"

    def add(self, place: int) -> None:
        """Draft the deletion of what the line replaces, then its addition, if it is new."""
        line, entry = self._lines[place], self._entries[place]
        if entry.id in self._known:
            if self._differs(entry):
                self.differing.append(line.id)
            return
        old = [self._index.find(reference)[0] for reference in line.replaces]
        old = [earlier for earlier in old if not self._differs(self._entries[earlier])]
        for earlier in old:
            self._delete(earlier, entry.id)
        replaced = tuple(self._entries[earlier].id for earlier in old)
        self.drafts.append(Add(entry, self._cause, line.reason, replaced, self._imported))
        self._live.add(entry.id)

    def delete_for_good(self, place: int) -> None:
        """Draft the deletion of a new line that is dead and that no new line has replaced."""
        if self._lines[place].deleted and self._entries[place].id not in self._known:
            self._delete(place)

    def _delete(self, place: int, by: str = "") -> None:
        entry, deleted = self._entries[place], self._lines[place].deleted
        if entry.id not in self._live:
            return
        reason = deleted.reason if deleted else ""
        # The file may have deleted a known entry before, which was restored since.
        cause = f"{self._cause}:{by}" if entry.id in self._known else self._cause
        self.drafts.append(Delete(entry.id, entry.scope, cause, reason, self._imported))
        self._live.discard(entry.id)

    def _differs(self, entry: Entry) -> bool:
        """Whether the ledger has another entry under this entry's id."""
        held = self._known.get(entry.id)
        return held is not None and _normal(held.entry) != entry


def _entry(line: Line, dyad: Dyad) -> Entry:
    told = line.provenance
    return Entry(
        key=line.id,
        scope=dyad.scope(line.side),
        type=line.type,
        text=line.text,
        anchor=line.anchor,
        emotion=line.emotion,
        scene=line.scene,
        author=line.author,
        provenance=Provenance(told.session, told.turns, told.role),
    )


def _normal(entry: Entry) -> Entry:
    """The entry as a bank file would bring it back: its words in NFC."""
    return replace(entry, text=_nfc(entry.text), emotion=entry.emotion and _nfc(entry.emotion))


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _reference(entry: Entry, taken: Counter[str]) -> str:
    return entry.key if taken[entry.key] == 1 else f"{entry.scope.side}:{entry.key}"


def _fields(state: State, replaced: list[str]) -> dict[str, Any]:
    entry = _normal(state.entry)
    told = entry.provenance
    return {
        "id": entry.key,
        "side": entry.scope.side,
        "type": entry.type,
        "text": entry.text,
        "anchor": entry.anchor,
        "emotion": entry.emotion,
        "scene": entry.scene,
        "author": entry.author,
        "provenance": {"session": told.session, "turns": list(told.turns), "role": told.role},
        "replaces": replaced,
        "reason": _nfc(state.add_reason),
        "deleted": None if _stays(state) else {"reason": _nfc(state.reason)},
    }


def _stays(state: State) -> bool:
    """Whether it is live where its bank is brought in again."""
    return state.live and state.entry.text != FORGOTTEN


def _written(lines: list[dict[str, Any]]) -> bytes:
    texts = (json.dumps(line, ensure_ascii=False).translate(_ESCAPES) for line in lines)
    return "".join(f"{text}\n" for text in texts).encode("utf-8")
