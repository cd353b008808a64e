"""The bank of a screen, read once: as it is, as it is asked for, and how it came about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_banks.entries import Operation, State
from sandbox.assemble import Sandbox
from sandbox.banks import BankView


@dataclass(frozen=True, slots=True)
class Held:
    """What a character holds for a user."""

    user: str
    """The person's name, as it is shown."""
    persona: str
    """The character's name."""
    bank: BankView
    """The bank as it is asked for, perhaps at an earlier revision."""
    whole: BankView
    """The bank at its latest revision."""
    operations: Sequence[Operation]
    """Everything that happened to it, oldest first."""

    @property
    def states(self) -> Mapping[str, State]:
        """Everything that it has held up to now, by id."""
        return {state.entry.id: state for state in self.whole.states}

    @property
    def times(self) -> Mapping[int, str]:
        """When each revision was written."""
        return {operation.number: operation.at for operation in self.operations}


def read_held(
    sandbox: Sandbox,
    account: str,
    user: str,
    persona: str,
    name: str,
    as_of: int | None,
    *,
    history: bool = True,
) -> Held:
    """The bank of `user`, shown as `name`, and a character; `as_of` null is the latest revision.

    Without `history` no operation is read.

    Raises:
        BadInput, UnknownPersona: if there is no such bank or revision.
    """
    whole = sandbox.banks.view(account, user, persona)
    past = as_of is not None and as_of != whole.head
    return Held(
        user=" ".join(name.split()),
        persona=sandbox.characters.get(account, persona).name,
        bank=sandbox.banks.view(account, user, persona, as_of) if past else whole,
        whole=whole,
        operations=sandbox.banks.operations(account, user, persona) if history else (),
    )
