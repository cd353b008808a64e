"""Recall for any text, at any revision, without saying anything: what would be found?"""

from dataclasses import dataclass

from memory_banks import ledger
from memory_banks.entries import Dyad, Entry
from sandbox.inputs import BadInput, checked_text
from sandbox.record import Record
from sandbox.replying import OpenBank


@dataclass(frozen=True, slots=True)
class Previewed:
    """An entry as a recall at one revision would find it."""

    entry: Entry
    similarity: float
    """Cosine similarity to the text, in [-1, 1]."""
    live: bool
    replaced_by: str | None
    """Id of the entry that took its place by that revision."""


class Previews:
    """Recalls that leave no trace. Every method takes the account first."""

    def __init__(self, record: Record, open_bank: OpenBank) -> None:
        self._record = record
        self._open_bank = open_bank

    def recall(
        self,
        account: str,
        dyad: Dyad,
        text: str,
        *,
        revision: int | None = None,
        history: bool = False,
        n: int = 20,
    ) -> list[Previewed]:
        """The `n` entries closest to `text` at `revision` (the latest if None), closest first.

        With `history` also those that were superseded or deleted by then, marked.

        Raises:
            BadInput: if the text, the number or the revision cannot be taken.
            RecallUnavailable: if there is no embedder.
        """
        asked = checked_text(text)
        if dyad.account != account:
            raise BadInput("This bank belongs to another account.")
        if n < 1:
            raise BadInput(f"The number of entries must be at least 1, got {n}.")
        with self._record.read() as conn:
            latest = ledger.head(conn, dyad.account, dyad.user)
            at = latest if revision is None else revision
            if not 0 <= at <= latest:
                raise BadInput(f"The revision must be 0 to {latest}, got {at}.")
            states = {state.entry.id: state for state in ledger.states(conn, dyad, at)}
        found = self._open_bank(dyad, at, history).recall(asked, n)
        return [
            Previewed(
                one.entry,
                one.similarity or 0.0,
                states[one.entry.id].live,
                states[one.entry.id].replaced_by,
            )
            for one in found.candidates
        ]
