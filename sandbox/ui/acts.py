"""What happens when somebody acts on the page: plain values to the sandbox, ids and screens back.

A deed changes the record and says nothing; the screen is then read from the record.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

import gradio as gr

from memory_banks.captures import Verdict
from sandbox.assemble import Sandbox
from sandbox.edits import Edit
from sandbox.lifecycle.remembering import CapturePending
from sandbox.ui.bank_views import Asked
from sandbox.ui.chat_views import WINDOW
from sandbox.ui.desk import Desk
from sandbox.ui.machine import machine
from sandbox.ui.parts import Parts
from sandbox.ui.replay_show import replay_shown
from sandbox.ui.rescue import is_rescue, refused_entry, rescue
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
        editing: str,
        judge: str,
        judging: str,
        *asked: str,
    ) -> Updates:
        """Everything that the record decides; what a person may be typing stays.

        `judge` is the one whose verdict is in front, `judging` the reply that the panel of the
        verdict is set for, and `asked` is what of the bank is wanted, in the order of `Asked`.
        """
        wanted = Asked(*asked)  # type: ignore[arg-type]  # rows is a number already
        look = self._desk.look(session, persona, user, selected, wanted.revision)
        front = judge, judging
        around = machine(self._sandbox)
        shown = self._show.screen(look, around, int(window), wanted, editing, front)
        return shown | replay_shown(self._sandbox, self._account, self._parts, look.session)

    def tick(self) -> Updates:
        """The banner while something is loading."""
        return self._show.banner(machine(self._sandbox))

    def adjust(
        self,
        session: str,
        clock: str,
        emotion: str,
        scene: str,
        strategy: str,
        model: str,
        knows: bool,
    ) -> None:
        """Bring an open session's settings to what is set on the left."""
        if not session:
            return
        found = self._sandbox.sessions.find(self._account, session)
        if found.ended_at:
            return
        self._sandbox.sessions.adjust(
            self._account,
            session,
            clock=clock,
            emotion=emotion,
            scene=scene,
            strategy=strategy,
            model=model,
            profile=self._desk.profile(found.user) if knows else None,
        )

    def know(self, session: str, persona: str, user: str, knows: bool) -> bool:
        """Whether the character is told the profile: not where there is none."""
        dyad = self._desk.dyad(session, persona, user)
        if knows and not self._desk.profile(dyad.user):
            inform("There is no profile to know: edit who you are first.")
            return False
        return knows

    def describing(self, session: str, persona: str, user: str) -> Updates:
        """Open the form for who one is."""
        dyad = self._desk.dyad(session, persona, user)
        side = self._parts.side
        text = self._desk.profile(dyad.user)
        return {side.about: gr.update(visible=True), side.self_text: text}

    def describe(self, session: str, persona: str, user: str, text: str) -> Updates:
        """Store the profile of whoever speaks."""
        dyad = self._desk.dyad(session, persona, user)
        self._sandbox.banks.describe(self._account, dyad.user if session else user, text)
        return self.described()

    def described(self) -> Updates:
        """Close that form."""
        return {self._parts.side.about: gr.update(visible=False)}

    def swap(self, session: str, swapped: bool) -> Updates:
        """Let the box say who speaks in it."""
        found = self._sandbox.sessions.find(self._account, session)
        return self._show.swapped(found.persona.name if swapped else "")

    def send(self, session: str, text: str, draft: str, swapped: bool, *settings: Any) -> Updates:
        """Put the text on record; what was sent, so that the box can be emptied of it.

        `swapped`: it is what the character says to the last turn, a sibling of its replies.
        """
        self.adjust(session, *settings)
        if swapped:
            turn = self._desk.last_turn(session)
            self._sandbox.conversation.write_reply(self._account, turn, text)
            return {self._parts.kept.sent: text, self._parts.kept.selected: ""}
        waiting = self._desk.waiting(session)
        self._sandbox.conversation.send(
            self._account, session, text, draft=draft or None, wait=PATIENCE
        )
        if waiting and waiting != text.strip() and self._desk.waiting(session) != waiting:
            inform("The message without a reply was withdrawn: the record keeps it, the talk not.")
        return {self._parts.kept.sent: text, self._parts.kept.selected: ""}

    def retry(self, session: str, event: gr.EventData, *settings: Any) -> str:
        """Another reply to a turn, or the first one to an interrupted turn; inspect the latest."""
        self.adjust(session, *settings)
        self._sandbox.conversation.retry(self._account, event.id)
        return ""

    def follow(
        self, session: str, persona: str, user: str, selected: str, window: float
    ) -> Iterator[Updates]:
        """The reply that is being written, as it grows; nothing where none is."""
        if not session or self._sandbox.conversation.live(self._account, session) is None:
            yield {self._parts.talk.live: ""}  # A generator that yields nothing blanks its outputs.
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
        """Take every open proposal of a session as it is, but for the doubtful ones."""
        for proposal in self._sandbox.remembering.outcome(self._account, event.id).plain:
            self._decide(proposal.id, "approved")

    def edit(self, event: gr.EventData) -> Updates:
        """Open the form of a proposal, or of what was refused; nothing where that has gone."""
        if is_rescue(event.id):
            entry = refused_entry(self._sandbox, self._account, event.id)
        else:
            entry = self._desk.proposed(event.id)
        if entry is None:
            return {self._parts.kept.editing: ""}
        form = self._show.form(self._parts.inspector.edit_form, entry, [])
        return form | {self._parts.kept.editing: event.id}

    def save_edit(self, proposal: str, *fields: str) -> Updates:
        """Take a proposal, or what was refused, as it was edited."""
        if is_rescue(proposal):
            rescue(self._sandbox, self._account, proposal, Edit(*fields))
        else:
            self._decide(proposal, "approved", Edit(*fields))
        return self.unedited()

    def unedited(self) -> Updates:
        """Close the form of a proposal."""
        closed = self._show.closed(self._parts.inspector.edit_form)
        return closed | {self._parts.kept.editing: ""}

    def capture(self, session: str, selected: str) -> Updates:
        """Open the form for an entry captured by hand from the inspected turn."""
        sources = self._desk.utterances(session, selected)
        capture = self._parts.inspector.capture_form
        form = self._show.form(capture, None, sources)
        form[capture.anchor] = self._desk.told_on(session, selected)
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
