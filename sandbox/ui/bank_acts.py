"""What happens when somebody looks into a bank or changes it by hand."""

from secrets import token_hex

import gradio as gr

from memory_banks.entries import Operation
from sandbox.assemble import Sandbox
from sandbox.edits import Edit
from sandbox.inputs import BadInput
from sandbox.ui.bank_views import ROWS, Asked
from sandbox.ui.desk import Desk
from sandbox.ui.parts import Parts
from sandbox.ui.show import Show, Updates
from sandbox.ui.timeline_views import previewed
from sandbox.ui.troubles import inform

NEW = "new"
"""What is being changed where an entry is being added."""


class BankActs:
    """Searches, changes and travels back in the bank of the screen."""

    def __init__(self, sandbox: Sandbox, account: str, parts: Parts) -> None:
        self._sandbox = sandbox
        self._account = account
        self._parts = parts
        self._desk = Desk(sandbox, account)
        self._show = Show(parts)

    def find(self, session: str, persona: str, user: str, *asked: str) -> Updates:
        """The bank as it is asked for; the rest of the screen stays."""
        wanted = Asked(*asked)  # type: ignore[arg-type]  # rows is a number already
        return self._show.bank(self._desk.bank(session, persona, user, wanted.revision), wanted)

    def catch_up(self, session: str, persona: str, user: str, seen: str, *asked: str) -> Updates:
        """The bank again, where something else was asked for while the screen was on its way."""
        if Asked(*asked).name == seen:  # type: ignore[arg-type]  # rows is a number already
            return {self._parts.kept.seen: seen}
        return self.find(session, persona, user, *asked)

    def travel(self, session: str, persona: str, user: str, revision: float | None) -> str:
        """The revision to look at; empty for the latest, which moves on with the bank."""
        dyad = self._desk.dyad(session, persona, user)
        latest = revision is None or revision >= self._desk.head(dyad)
        return "" if latest else str(int(revision or 0))

    def talk(
        self,
        session: str,
        persona: str,
        user: str,
        selected: str,
        window: float,
        judge: str,
        judging: str,
        as_of: str,
    ) -> Updates:
        """The talk as it stands at the revision that is shown."""
        if not session:
            return {self._parts.talk.bubbles: ""}
        look = self._desk.look(session, persona, user, selected, Asked(as_of=as_of).revision)
        same = look.inspection is not None and look.inspection.reply.line.id == judging
        shown = self._show.conversation(look, int(window), judge if same else "")
        return {self._parts.talk.bubbles: shown[self._parts.talk.bubbles]}

    def travel_to(self, event: gr.EventData) -> str:
        """The revision that was clicked in the timeline."""
        return str(event.id)

    def return_to_now(self) -> str:
        """The latest revision."""
        return ""

    def more(self, rows: float) -> float:
        """Show as many entries again."""
        return rows + ROWS

    def preview(
        self, session: str, persona: str, user: str, text: str, as_of: str, history: bool
    ) -> Updates:
        """What a recall would find for any text, at any revision."""
        dyad = self._desk.dyad(session, persona, user)
        asked = Asked(as_of=as_of).revision
        found = self._sandbox.previews.recall(
            self._account, dyad, text, revision=asked, history=history
        )
        revision = self._desk.head(dyad) if asked is None else asked
        name = self._sandbox.characters.get(self._account, dyad.agent).name
        view = previewed(found, text, revision, name)
        return {self._parts.recall.found: view.markup}

    def add(self) -> Updates:
        """Open the form for a new entry."""
        sides = [("the user's", "user"), ("only the character's", "dyad")]
        form = self._show.form(self._parts.bank.form, None, sides)
        return form | self._clicked(NEW) | self._show.kept_entry()

    def edit(self, event: gr.EventData) -> Updates:
        """Open the form of an entry."""
        entry = self._sandbox.banks.entries(self._account, [event.id]).get(event.id)
        if entry is None:
            raise BadInput("There is no such entry: reload the page.")
        form = self._show.form(self._parts.bank.form, entry, [])
        return form | self._clicked(entry.id) | self._show.kept_entry()

    def save(
        self,
        entry: str,
        draft: str,
        session: str,
        persona: str,
        user: str,
        side: str,
        reason: str,
        *fields: str,
    ) -> Updates:
        """Write what the form says: a new revision at once."""
        editing, dyad = self._sandbox.editing, self._desk.dyad(session, persona, user)
        edit = Edit(*fields)
        if entry == NEW:
            whose = "dyad" if side == "dyad" else "user"
            did = editing.add(dyad, edit, draft=draft, reason=reason, side=whose)  # type: ignore[arg-type]  # one of the two
        else:
            did = editing.change(dyad, entry, edit, draft=draft, reason=reason)
        inform(_words("Saved", did))
        return self.unchanged() | {self._parts.kept.deleted: ""}

    def ask_delete(self, event: gr.EventData) -> Updates:
        """Open the form that asks why an entry is to be deleted."""
        entry = self._sandbox.banks.entries(self._account, [event.id]).get(event.id)
        if entry is None:
            raise BadInput("There is no such entry: reload the page.")
        return (
            self._show.deletion(entry)
            | self._show.closed(self._parts.bank.form)
            | self._clicked(entry.id)
        )

    def delete(
        self, entry: str, draft: str, session: str, persona: str, user: str, reason: str
    ) -> Updates:
        """Delete an entry; its delete can be undone."""
        dyad = self._desk.dyad(session, persona, user)
        did = self._sandbox.editing.delete(dyad, entry, draft=draft, reason=reason)
        inform(_words("Deleted", did) + " Undo it in the bank.")
        return self._show.kept_entry() | {self._parts.kept.deleted: entry}

    def undo(self, session: str, persona: str, user: str, event: gr.EventData) -> str:
        """Make a deleted entry live again."""
        dyad = self._desk.dyad(session, persona, user)
        did = self._sandbox.editing.restore(dyad, event.id, draft=token_hex(8))
        inform(_words("Restored", did))
        return ""

    def unchanged(self) -> Updates:
        """Close the form of an entry."""
        return self._show.closed(self._parts.bank.form)

    def keep(self) -> Updates:
        """Close the form that asks why."""
        return self._show.kept_entry()

    def _clicked(self, entry: str) -> Updates:
        kept = self._parts.kept
        return {kept.changing: entry, kept.click: token_hex(8)}


def _words(what: str, did: list[Operation]) -> str:
    if not did:
        return "Nothing was changed."
    return f"{what}: the bank is at revision {did[-1].number}, and the next recall sees it."
