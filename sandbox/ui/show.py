"""Screens as updates of the components: which view goes where, what can be pressed.

A button loses its caption in an update without a value, so that every update gives it.
"""

from typing import Any

import gradio as gr

from memory_banks.entries import Entry
from personas.persona import Persona
from sandbox.live import Progress
from sandbox.ui.bank_views import bank_list
from sandbox.ui.chat_views import WINDOW, Shown, bubbles, growing, plates
from sandbox.ui.desk import Look
from sandbox.ui.parts import CAPTURE, COPY, EntryForm, Parts
from sandbox.ui.proposal_views import proposal_list
from sandbox.ui.recall_views import inspector
from sandbox.ui.views import (
    Machine,
    banner,
    character_door,
    file_door,
    profile,
    sample_door,
    session_list,
)

Updates = dict[Any, Any]
"""Component to its new value or `gr.update`."""


class Show:
    """Turns what was read into updates of the page's components."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def people(self, look: Look, personas: list[Persona]) -> Updates:
        """Who talks, and the settings of their session: what a person may be changing."""
        side, people = self._parts.side, look.people
        updates: Updates = {
            side.persona: gr.update(
                choices=[(persona.name, persona.id) for persona in personas],
                value=people.persona.id,
            ),
            side.user: gr.update(choices=list(people.known), value=people.user),
            self._parts.doors.sample: sample_door(personas).markup,
            self._parts.doors.characters: character_door(personas).markup,
        }
        return updates | self.settings(look)

    def settings(self, look: Look) -> Updates:
        """The settings of the session; without one the clock of the sample bank."""
        side, session = self._parts.side, look.session
        if session is None:
            sample = look.people.persona.sample_user
            ours = sample is not None and sample.name == look.people.user
            clock = sample.clock if ours and sample else None
            return {side.clock: clock or "", side.emotion: "", side.scene: ""}
        return {
            side.clock: session.clock or "",
            side.emotion: session.emotion or "",
            side.scene: session.scene or "",
            side.strategy: session.strategy,
            side.model: session.model or gr.update(),
        }

    def screen(
        self,
        look: Look,
        machine: Machine,
        window: int = WINDOW,
        superseded: bool = False,
        editing: str = "",
    ) -> Updates:
        """Everything that follows from the record alone."""
        return (
            self._around(look, machine)
            | self.conversation(look, window)
            | self._inspected(look)
            | self.bank(look, superseded)
            | self.proposals(look, editing)
        )

    def conversation(self, look: Look, window: int) -> Updates:
        """The chat of the session; nothing of it where none is open."""
        talk, kept, session = self._parts.talk, self._parts.kept, look.session
        if session is None:
            return {talk.bubbles: "", talk.live: "", kept.offered: ""}
        writing = look.live.turn if look.live else ""
        selected = look.inspection.reply.line.id if look.inspection else ""
        shown = Shown(session, look.turns, selected, writing, window)
        closed = self.unwritten() if session.ended_at else {}
        return closed | {
            talk.plates: plates(session).markup,
            talk.bubbles: bubbles(shown).markup,
            talk.live: growing(session, look.live).markup,
            talk.stop: gr.update(value="Stop", interactive=look.live is not None),
            talk.end: gr.update(
                visible=session.ended_at is None, value="End session", interactive=True
            ),
            talk.again: gr.update(value="Continue", visible=session.ended_at is not None),
            talk.composer: gr.update(visible=session.ended_at is None),
            kept.offered: look.offered,
        }

    def growing(self, look: Look, progress: Progress) -> Updates:
        """The reply that is being written, and nothing else."""
        assert look.session is not None
        return {self._parts.talk.live: growing(look.session, progress).markup}

    def bank(self, look: Look, superseded: bool) -> Updates:
        """The bank of these two."""
        people = look.people
        view = bank_list(look.bank, people.user, people.persona.name, superseded=superseded)
        return {self._parts.inspector.bank: view.markup}

    def proposals(self, look: Look, editing: str = "") -> Updates:
        """What waits for a decision, with its count on the tab."""
        inspector_ = self._parts.inspector
        waiting = sum(len(outcome.remembered.undecided) for outcome in look.outcomes)
        label = f"Proposals ({waiting})" if waiting else "Proposals"
        return {
            inspector_.proposals: proposal_list(look.outcomes, editing).markup,
            inspector_.proposals_tab: gr.update(label=label),
        }

    def fresh(self) -> Updates:
        """What a screen begins with: nothing selected, no form open."""
        kept, panel = self._parts.kept, self._parts.inspector
        closed = self.closed(panel.capture_form) | self.closed(panel.edit_form) | self.unwritten()
        return closed | {kept.selected: "", kept.editing: "", kept.window: WINDOW}

    def tab(self, look: Look) -> Updates:
        """The inspector of a session's replies; without a session the bank."""
        chosen = "reply" if look.session else "bank"
        return {self._parts.inspector.tabs: gr.Tabs(selected=chosen)}

    def unwritten(self) -> Updates:
        """The form for a reply written by hand, closed and empty."""
        talk, kept = self._parts.talk, self._parts.kept
        return {talk.by_hand: gr.update(visible=False), talk.written: "", kept.answering: ""}

    def banner(self, machine: Machine) -> Updates:
        """The banner; the timer goes on while something is loading."""
        return {
            self._parts.banner: banner(machine).markup,
            self._parts.timer: gr.Timer(active=not machine.settled),
        }

    def form(self, form: EntryForm, entry: Entry | None, sources: list[tuple[str, str]]) -> Updates:
        """An entry's form, opened: with the entry's values, or blank."""
        return {
            form.column: gr.update(visible=True),
            form.source: gr.update(
                choices=sources, value=sources[0][1] if sources else None, visible=bool(sources)
            ),
            form.type: entry.type if entry else "fact",
            form.text: entry.text if entry else "",
            form.anchor: (entry.anchor or "") if entry else "",
            form.emotion: (entry.emotion or "") if entry else "",
            form.scene: (entry.scene or "") if entry else "",
        }

    def closed(self, form: EntryForm) -> Updates:
        """An entry's form, closed."""
        return {form.column: gr.update(visible=False)}

    def _around(self, look: Look, machine: Machine) -> Updates:
        parts, people = self._parts, look.people
        current = look.session.id if look.session else ""
        instance = look.session.instance.id if look.session and look.session.instance else ""
        empty = not look.bank.states and people.persona.sample_user is not None
        return self.banner(machine) | {
            parts.side.profile: profile(people.user, people.profile, instance).markup,
            parts.side.copy: gr.update(value=COPY, visible=empty),
            parts.side.sessions: session_list(look.sessions, current).markup,
            parts.doors.column: gr.update(visible=look.session is None),
            parts.doors.file: file_door(people.persona.name, people.user).markup,
            parts.talk.column: gr.update(visible=look.session is not None),
        }

    def _inspected(self, look: Look) -> Updates:
        panel = self._parts.inspector
        view = inspector(look.inspection)
        return {
            panel.reply: view.markup,
            panel.capture: gr.update(value=CAPTURE, visible=look.inspection is not None),
        }
