"""What happens when somebody acts on the page: plain values to the sandbox, ids and screens back.

A deed changes the record and says nothing; the screen is then read from the record.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

import gradio as gr

from memory_banks.captures import Verdict
from sandbox.assemble import Sandbox
from sandbox.edits import Edit
from sandbox.remembering import CapturePending
from sandbox.ui.chat_views import WINDOW
from sandbox.ui.desk import Desk
from sandbox.ui.machine import machine
from sandbox.ui.parts import Parts
from sandbox.ui.show import Show, Updates
from sandbox.ui.troubles import inform
from sandbox.ui.views import imported_words

PATIENCE = 0.5
"""Seconds that a second send waits for the first, to see whether they are the same."""


class Acts:
    """What changes the record, and what shows it again."""

    def __init__(self, sandbox: Sandbox, account: str, parts: Parts) -> None:
        self._sandbox = sandbox
        self._account = account
        self._parts = parts
        self._desk = Desk(sandbox, account)
        self._show = Show(parts)

    def refresh(
        self,
        session: str,
        persona: str,
        user: str,
        selected: str,
        window: float,
        superseded: bool,
        editing: str,
    ) -> Updates:
        """Everything that the record decides; what a person may be typing stays."""
        look = self._desk.look(session, persona, user, selected)
        return self._show.screen(look, machine(self._sandbox), int(window), superseded, editing)

    def tick(self) -> Updates:
        """The banner while something is loading."""
        return self._show.banner(machine(self._sandbox))

    def adjust(
        self, session: str, clock: str, emotion: str, scene: str, strategy: str, model: str
    ) -> None:
        """Bring an open session's settings to what is set on the left."""
        if not session or self._sandbox.sessions.find(self._account, session).ended_at:
            return
        self._sandbox.sessions.adjust(
            self._account,
            session,
            clock=clock,
            emotion=emotion,
            scene=scene,
            strategy=strategy,
            model=model,
        )

    def send(self, session: str, text: str, draft: str, *settings: str) -> Updates:
        """Put the text on record; what was sent, so that the box can be emptied of it."""
        self.adjust(session, *settings)
        self._sandbox.conversation.send(
            self._account, session, text, draft=draft or None, wait=PATIENCE
        )
        return {self._parts.kept.sent: text, self._parts.kept.selected: ""}

    def retry(self, session: str, event: gr.EventData, *settings: str) -> str:
        """Another reply to a turn, or the first one to an interrupted turn; inspect the latest."""
        self.adjust(session, *settings)
        self._sandbox.conversation.retry(self._account, event.id)
        return ""

    def follow(
        self, session: str, persona: str, user: str, selected: str, window: float
    ) -> Iterator[Updates]:
        """The reply that is being written, as it grows; nothing where none is."""
        if not session or self._sandbox.conversation.live(self._account, session) is None:
            return
        look = self._desk.look(session, persona, user, selected)
        yield self._show.conversation(look, int(window))
        for progress in self._sandbox.conversation.follow(self._account, session):
            yield self._show.growing(look, progress)

    def stop(self, session: str) -> None:
        """Stop the reply; what there is is saved."""
        self._sandbox.conversation.stop(self._account, session)

    def select(self, event: gr.EventData) -> str:
        """Inspect another reply."""
        return str(event.id)

    def choose(self, event: gr.EventData) -> str:
        """Make another sibling count; it is the latest, and inspected as such."""
        self._sandbox.conversation.choose(self._account, event.id)
        return ""

    def answer(self, event: gr.EventData) -> Updates:
        """Open the form for a reply written by hand."""
        talk = self._parts.talk
        return {self._parts.kept.answering: event.id, talk.by_hand: gr.update(visible=True)}

    def write(self, turn: str, text: str) -> Updates:
        """Save a reply written by hand; inspect the latest."""
        self._sandbox.conversation.write_reply(self._account, turn, text)
        return self.unwritten() | {self._parts.kept.selected: ""}

    def unwritten(self) -> Updates:
        """Close the form for a reply written by hand."""
        return self._show.unwritten()

    def close(self, session: str) -> gr.Tabs:
        """End the session, and turn to the proposals; reading it takes a while and comes next."""
        self._sandbox.remembering.close(self._account, session)
        return gr.Tabs(selected="proposals")

    def read(self, session: str, model: str) -> None:
        """Read an ended session; the proposals say it where that could not be done."""
        with suppress(CapturePending):
            self._sandbox.remembering.end(self._account, session, model=model)

    def nothing(self) -> None:
        """Change nothing: the screen is shown again."""

    def read_again(self, model: str, event: gr.EventData) -> None:
        """Try a capture again, with the model that is chosen now."""
        self.read(event.id, model)

    def approve(self, event: gr.EventData) -> None:
        """Take a proposal as it is."""
        self._decide(event.id, "approved")

    def reject(self, event: gr.EventData) -> None:
        """Turn a proposal down."""
        self._decide(event.id, "rejected")

    def approve_all(self, event: gr.EventData) -> None:
        """Take every open proposal of a session as it is."""
        for proposal in self._sandbox.remembering.outcome(self._account, event.id).undecided:
            self._decide(proposal.id, "approved")

    def edit(self, event: gr.EventData) -> Updates:
        """Open the form of a proposal; nothing where it was decided elsewhere."""
        entry = self._desk.proposed(event.id)
        if entry is None:
            return {self._parts.kept.editing: ""}
        form = self._show.form(self._parts.inspector.edit_form, entry, [])
        return form | {self._parts.kept.editing: event.id}

    def save_edit(self, proposal: str, *fields: str) -> Updates:
        """Take a proposal as it was edited."""
        self._decide(proposal, "approved", Edit(*fields))
        return self.unedited()

    def unedited(self) -> Updates:
        """Close the form of a proposal."""
        closed = self._show.closed(self._parts.inspector.edit_form)
        return closed | {self._parts.kept.editing: ""}

    def capture(self, session: str, selected: str) -> Updates:
        """Open the form for an entry captured by hand from the inspected turn."""
        sources = self._desk.utterances(session, selected)
        form = self._show.form(self._parts.inspector.capture_form, None, sources)
        return form | {self._parts.kept.capturing: token_hex(8)}

    def save_capture(self, draft: str, utterance: str, *fields: str) -> Updates:
        """Remember what the form says."""
        self._sandbox.banks.remember(self._account, utterance, Edit(*fields), draft)
        inform("Remembered: it counts from the next reply on.")
        return self.uncaptured()

    def uncaptured(self) -> Updates:
        """Close the form for an entry captured by hand."""
        return self._show.closed(self._parts.inspector.capture_form)

    def import_file(self, file: str, session: str, persona: str, user: str) -> None:
        """Import a bank file for the two people on the left."""
        path = Path(file)
        dyad = self._desk.dyad(session, persona, user)
        whose = dyad.user if session else user
        did = self._sandbox.banks.import_file(
            self._account, whose, dyad.agent, path.read_bytes(), path.name
        )
        inform(imported_words(did.new, did.known, len(did.differing)))

    def copy_sample(self, session: str, persona: str, user: str) -> None:
        """Import the character's sample bank for whoever speaks."""
        dyad = self._desk.dyad(session, persona, user)
        whose = dyad.user if session else user
        did = self._sandbox.banks.copy_sample(self._account, whose, dyad.agent)
        inform(imported_words(did.new, did.known))

    def earlier(self, window: float) -> float:
        """Show as many turns again."""
        return window + WINDOW

    def _decide(self, proposal: str, verdict: Verdict, edit: Edit | None = None) -> None:
        self._sandbox.remembering.decide(self._account, proposal, verdict, edit)
