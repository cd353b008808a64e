"""Screens as updates of the components: which view goes where, what can be pressed.

A button loses its caption in an update without a value, so that every update gives it.
"""

from typing import Any

import gradio as gr

from memory_banks.entries import Entry
from personas.persona import Persona
from sandbox.live import Progress
from sandbox.ui.bank_views import Asked, bank_list
from sandbox.ui.branch_views import branch_line, branch_list
from sandbox.ui.chat_views import WINDOW, Shown, bubbles, growing, plates
from sandbox.ui.desk import Look
from sandbox.ui.held import Held
from sandbox.ui.look_acts import fresh as nothing_asked
from sandbox.ui.markup import element, joined, said
from sandbox.ui.method_parts import method_shown
from sandbox.ui.parts import ADD, CAPTURE, COPY, SAY, SEND, EntryForm, Parts
from sandbox.ui.people_views import choices, gone
from sandbox.ui.pick_views import pick_view
from sandbox.ui.proposal_views import proposal_list
from sandbox.ui.recall_views import inspector
from sandbox.ui.reingest_acts import reingest_shown
from sandbox.ui.switch_acts import switches
from sandbox.ui.timeline_views import timeline
from sandbox.ui.verdict_show import panel as verdict_panel
from sandbox.ui.verdict_spans import evidence
from sandbox.ui.views import (
    Machine,
    banner,
    character_door,
    file_door,
    profile,
    sample_door,
    session_list,
)

EVERYTHING = Asked()
Updates = dict[Any, Any]
"""Component to its new value or `gr.update`."""


class Show:
    """Turns what was read into updates of the page's components."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def people(
        self, look: Look, packaged: list[Persona], own: list[Persona], deleted: list[Persona]
    ) -> Updates:
        """Who talks, and the settings of their session: what a person may be changing.

        The doors lead to the `packaged` characters; the account's `own` ones, of which every
        opened instance brings one, are in the list, and so are `deleted` ones that have sessions.
        """
        side, people = self._parts.side, look.people
        updates: Updates = {
            side.persona: gr.update(
                choices=[*choices([*packaged, *own]), *gone(deleted)],
                value=people.persona.id,
            ),
            side.user: gr.update(choices=list(people.known), value=people.user),
            self._parts.talk.swap: gr.update(label=f"speak as {people.persona.name}", value=False),
            self._parts.doors.sample: sample_door(packaged).markup,
            self._parts.doors.characters: character_door(packaged, len(own)).markup,
        }
        return updates | self.settings(look)

    def settings(self, look: Look) -> Updates:
        """The settings of the session; without one the clock of the sample bank."""
        side, session = self._parts.side, look.session
        if session is None:
            sample = look.people.persona.sample_user
            ours = sample is not None and sample.name == look.people.user
            clock = sample.clock if ours and sample else None
            return {side.clock: clock or "", side.emotion: "", side.scene: "", side.knows: False}
        return {
            side.clock: session.clock or "",
            side.emotion: session.emotion or "",
            side.scene: session.scene or "",
            side.knows: session.profile is not None,
            side.strategy: session.strategy,
            side.model: session.model or gr.update(),
        }

    def screen(
        self,
        look: Look,
        machine: Machine,
        window: int = WINDOW,
        asked: Asked = EVERYTHING,
        editing: str = "",
        front: tuple[str, str] = ("", ""),
    ) -> Updates:
        """Everything that follows from the record alone.

        `front` is the judge whose verdict is shown, and the reply that it was asked for.
        """
        judge = front[0] if look.inspection and front[1] == look.inspection.reply.line.id else ""
        return (
            self._around(look, machine)
            | self.conversation(look, window, judge)
            | self._inspected(look, judge, front[1])
            | self.bank(look.held, asked)
            | self._travel(look.held)
            | self.proposals(look, editing)
        )

    def conversation(self, look: Look, window: int, judge: str = "") -> Updates:
        """The chat of the session, as `judge` marks it; nothing of it where none is open."""
        talk, kept, session = self._parts.talk, self._parts.kept, look.session
        if session is None:
            return {talk.bubbles: "", talk.live: "", kept.offered: ""}
        writing = look.live.turn if look.live else ""
        selected = look.inspection.reply.line.id if look.inspection else ""
        text = evidence(look.inspection.assessed if look.inspection else None, judge)
        shown = Shown(session, look.turns, selected, writing, window, text, look.later)
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
            talk.composer: gr.update(visible=not session.ended_at and not session.gear),
            kept.offered: look.offered,
        }

    def growing(self, look: Look, progress: Progress) -> Updates:
        """The reply that is being written, and Stop: a refresh that began before may come late."""
        assert look.session is not None
        shown: Updates = {self._parts.talk.live: growing(look.session, progress).markup}
        if progress.status == "writing":
            shown[self._parts.talk.stop] = gr.update(value="Stop", interactive=True)
        return shown

    def bank(self, held: Held, asked: Asked) -> Updates:
        """The bank of these two, and how it came about."""
        panel = self._parts.bank
        past = held.bank.revision < held.bank.head
        return {
            panel.entries: bank_list(held.bank, held.user, held.persona, asked).markup,
            panel.add: gr.update(value=ADD, interactive=not past),
            self._parts.kept.seen: asked.name,
        }

    def _travel(self, held: Held) -> Updates:
        """What happened to the bank, and the slider over it; none where nothing has yet."""
        head = held.whole.head
        slider = gr.update(
            maximum=max(head, 1),
            value=held.bank.revision,
            visible=head > 0,
            label=f"Revision, of {head}",
        )
        told = timeline(held.operations, held.states, held.persona)
        return {self._parts.bank.revision: slider, self._parts.bank.timeline: told.markup}

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
        chosen = {kept.selected: "", kept.editing: "", kept.window: WINDOW}
        closed |= {self._parts.side.about: gr.update(visible=False)}
        return closed | chosen | self._fresh_bank() | self.swapped("")

    def swapped(self, name: str) -> Updates:
        """The box as the character called `name` speaks in it; as the user for an empty name."""
        talk = self._parts.talk
        words = f"Write what {name} says. It is saved as a reply by hand." if name else SAY
        caption = "Reply" if name else SEND
        return {talk.box: gr.update(placeholder=words), talk.send: gr.update(value=caption)}

    def _fresh_bank(self) -> Updates:
        """The whole bank as it is now, and no recall looked at."""
        kept, bank, recall = self._parts.kept, self._parts.bank, self._parts.recall
        asked = Asked()
        return (
            self.closed(bank.form)
            | self.kept_entry()
            | {kept.as_of: asked.as_of, kept.rows: asked.rows, kept.deleted: asked.deleted}
            | {bank.search: asked.text, bank.type: asked.type, bank.side: asked.side}
            | {bank.state: asked.state, recall.found: "", recall.revision: ""}
            | {self._parts.branch.compared: ""}
            | nothing_asked(self._parts)
        )

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
            form.reason: "",
        }

    def deletion(self, entry: Entry) -> Updates:
        """The form that asks why an entry is to be deleted."""
        bank = self._parts.bank
        words = joined("Delete ", said(f"“{entry.text}”", "span"), "? Its history stays.")
        return {
            bank.deletion: gr.update(visible=True),
            bank.doomed: element("p", words).markup,
            bank.reason: "",
        }

    def kept_entry(self) -> Updates:
        """That form, closed."""
        return {self._parts.bank.deletion: gr.update(visible=False)}

    def closed(self, form: EntryForm) -> Updates:
        """An entry's form, closed."""
        return {form.column: gr.update(visible=False)}

    def _around(self, look: Look, machine: Machine) -> Updates:
        parts, people = self._parts, look.people
        current = look.session.id if look.session else ""
        instance = look.session.instance.id if look.session and look.session.instance else ""
        empty = not look.held.whole.states and people.persona.sample_user is not None
        return self.banner(machine) | {
            parts.side.profile: profile(people.user, people.profile, instance).markup,
            parts.side.copy: gr.update(value=COPY, visible=empty),
            parts.side.sessions: session_list(look.sessions, current, look.tree.forked).markup,
            parts.branch.line: branch_line(look.tree).markup,
            parts.branch.listed: branch_list(look.tree, people.persona.id).markup,
            parts.doors.column: gr.update(visible=look.session is None),
            parts.doors.file: file_door(people.persona.name, people.user).markup,
            parts.talk.column: gr.update(visible=look.session is not None),
            **method_shown(parts.side, look.session),
            **reingest_shown(parts, look),
        }

    def _inspected(self, look: Look, judge: str, shown: str) -> Updates:
        panel = self._parts.inspector
        view = inspector(look.inspection, judge)
        assessed = look.inspection.assessed if look.inspection else None
        same = assessed is not None and assessed.reply == shown
        judged = verdict_panel(self._parts.verdict, assessed, judge, shown)
        return (
            judged
            | switches(self._parts.switch, assessed, same)
            | {
                panel.reply: view.markup,
                self._parts.pick.shown: pick_view(assessed).markup,
                panel.capture: gr.update(value=CAPTURE, visible=look.inspection is not None),
            }
        )
