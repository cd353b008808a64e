"""Banks as people handle them: looked at, added to by hand, imported, exported, seeded."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_banks import ledger
from memory_banks.branching import BRANCH_USER
from memory_banks.entries import (
    Add,
    Dyad,
    Entry,
    ImportedFrom,
    Operation,
    Provenance,
    Scope,
    State,
    TurnRole,
    digest,
)
from memory_banks.files import (
    export_lines,
    imported_from,
    packaged_seed,
    packaged_seeds,
    plan_import,
    read_bank_file,
)
from memory_banks.lines import Line
from sandbox.characters import Characters
from sandbox.clock import iso
from sandbox.edits import Edit, written_entry
from sandbox.inputs import BadInput, checked_profile, checked_user
from sandbox.instances import INSTANCE_USER
from sandbox.record import Record
from sandbox.transcripts import find_turn

_NOBODYS = (INSTANCE_USER, BRANCH_USER)
"""How the ids of users begin whom nobody chooses to speak as."""


@dataclass(frozen=True, slots=True)
class BankView:
    """A bank at one revision."""

    dyad: Dyad
    revision: int
    head: int
    """The latest revision there is."""
    states: tuple[State, ...]
    """Every entry it has held, in order of addition."""

    @property
    def live(self) -> list[Entry]:
        """The entries it holds."""
        return [state.entry for state in self.states if state.live]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    operations: tuple[Operation, ...]
    new: int
    """Entries added."""
    known: int
    """Lines whose entry the ledger knew already, live or deleted; they were left alone."""
    differing: tuple[str, ...]
    """Ids of those known lines that say something else than the ledger."""


class Banks:
    """The banks of every account. Every method takes the account first."""

    def __init__(
        self,
        record: Record,
        characters: Characters,
        clock: Callable[[], datetime],
        changed: Callable[[Sequence[Scope]], None],
    ) -> None:
        self._record = record
        self._characters = characters
        self._clock = clock
        self._changed = changed

    def dyad(self, account: str, user: str, persona: str) -> Dyad:
        """The dyad of the person called `user` and the character `persona`.

        Raises:
            BadInput: if the name cannot be taken.
            UnknownPersona: if there is no such character.
        """
        return Dyad(account, checked_user(user), self._characters.get(account, persona).id)

    def view(self, account: str, user: str, persona: str, as_of: int | None = None) -> BankView:
        """The dyad's bank at revision `as_of` (the latest if None); empty for an unknown user.

        Raises:
            BadInput: if there is no such revision.
        """
        dyad = self.dyad(account, user, persona)
        with self._record.read() as conn:
            head = ledger.head(conn, account, dyad.user)
            revision = head if as_of is None else as_of
            if not 0 <= revision <= head:
                raise BadInput(f"The revision must be 0 to {head}, got {revision}.")
            return BankView(dyad, revision, head, tuple(ledger.states(conn, dyad, revision)))

    def entries(self, account: str, ids: Iterable[str]) -> dict[str, Entry]:
        """The account's entries with these ids, live or not; ids it does not have are left out."""
        with self._record.read() as conn:
            found = ledger.entries_by_id(conn, ids)
        return {key: entry for key, entry in found.items() if entry.scope.account == account}

    def operations(
        self, account: str, user: str, persona: str, as_of: int | None = None
    ) -> list[Operation]:
        """The operations this dyad sees, oldest first."""
        dyad = self.dyad(account, user, persona)
        with self._record.read() as conn:
            return ledger.operations_of(conn, dyad, until=as_of)

    def remember(self, account: str, utterance: str, edit: Edit, draft: str) -> list[Operation]:
        """Add an entry by hand from what was said (a turn's or a reply's id); it counts at once.

        `draft` names the click: the same one twice is one entry.

        Raises:
            BadInput: if a field cannot be taken, or the entry is in the bank.
            UnknownReply: if nothing was said under that id.
        """
        with self._record.write("T6") as conn:
            session, turn = find_turn(conn, account, utterance)
            role: TurnRole = "user" if utterance == turn.id else "assistant"
            provenance = Provenance(session.id, (utterance,), role)
            key = digest("by hand", session.id, draft)
            entry = written_entry(session.dyad, edit, key, provenance)
            add = Add(entry, f"by hand:{draft}", "Captured by hand.")
            written = ledger.append(conn, [add], iso(self._clock()))
        self._tell(written)
        return written

    def import_file(
        self, account: str, user: str, persona: str, data: bytes, name: str
    ) -> Imported:
        """Add the entries of a bank file to the dyad's bank; the user is created where unknown.

        Raises:
            BankFileError: if the file cannot be read; nothing is imported then.
        """
        lines = read_bank_file(data, name)
        return self.import_lines(account, user, persona, lines, imported_from(data, name))

    def import_lines(
        self, account: str, user: str, persona: str, lines: Sequence[Line], imported: ImportedFrom
    ) -> Imported:
        """Add entries that were read from some file, `imported`, as `import_file` does."""
        dyad = self.dyad(account, user, persona)
        now = iso(self._clock())
        with self._record.write("import") as conn:
            shown = " ".join(user.split())
            ledger.ensure_user(conn, self._owner(dyad, shown), now)
            plan = plan_import(lines, dyad, imported, ledger.states(conn, dyad))
            written = ledger.append(conn, plan.drafts, now)
        self._tell(written)
        return Imported(tuple(written), plan.new, plan.known, plan.differing)

    def export(self, account: str, user: str, persona: str, as_of: int | None = None) -> bytes:
        """The dyad's bank as a bank file, history included."""
        return export_lines(self.view(account, user, persona, as_of).states)

    def copy_sample(self, account: str, user: str, persona: str) -> Imported:
        """Import the character's sample bank for this user.

        Raises:
            BadInput: if the character has none.
        """
        sample = self._characters.get(account, persona).sample_user
        if sample is None or sample.bank not in packaged_seeds():
            raise BadInput(f"{persona} has no sample bank: import a bank file instead.")
        name = f"{sample.bank}.jsonl"
        return self.import_file(account, user, persona, packaged_seed(sample.bank), name)

    def seed(self, account: str) -> None:
        """Give every character's sample user the sample bank, once."""
        for persona in self._characters.packaged():
            if persona.sample_user is not None:
                self.copy_sample(account, persona.sample_user.name, persona.id)

    def users(self, account: str) -> list[ledger.User]:
        """Everybody this account has spoken as, by name; not those of instances and branches."""
        with self._record.read() as conn:
            found = ledger.list_users(conn, account)
        return [user for user in found if not user.id.startswith(_NOBODYS)]

    def user(self, account: str, user: str) -> ledger.User | None:
        """The user with this name or id, also one of an instance; None where nobody is known.

        Raises:
            BadInput: if the name cannot be taken.
        """
        with self._record.read() as conn:
            return ledger.find_user(conn, account, checked_user(user))

    def describe(self, account: str, user: str, profile: str) -> None:
        """Store the short profile shown for the user with this name or id, created if unknown.

        Raises:
            BadInput: if the name or the profile cannot be taken.
        """
        shown, known = " ".join(user.split()), checked_user(user)
        text = checked_profile(profile) or ""
        with self._record.write("derived") as conn:
            blank = ledger.User(account, known, shown, "", 0)
            found = ledger.ensure_user(conn, blank, iso(self._clock()))
            ledger.describe_user(conn, account, known, found.name, text)

    def _owner(self, dyad: Dyad, shown: str) -> ledger.User:
        sample = self._characters.get(dyad.account, dyad.agent).sample_user
        profile = sample.profile if sample and checked_user(sample.name) == dyad.user else ""
        return ledger.User(dyad.account, dyad.user, shown, profile, 0)

    def _tell(self, written: Sequence[Operation]) -> None:
        if written:
            self._changed(sorted({o.scope for o in written}, key=lambda scope: scope.key))
