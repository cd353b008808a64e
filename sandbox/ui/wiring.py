"""Connects the components with what they do; every chain ends in a screen read from the record."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import gradio as gr

from sandbox.ui.acts import Acts
from sandbox.ui.bank_acts import BankActs
from sandbox.ui.bank_wiring import connect_bank
from sandbox.ui.branch_acts import BranchActs
from sandbox.ui.branch_wiring import connect_branches
from sandbox.ui.events import AT_ONCE, Event, Mode, page_event, ways_on
from sandbox.ui.forget_acts import ForgetActs
from sandbox.ui.forget_wiring import connect_forgetting
from sandbox.ui.opening import Opening
from sandbox.ui.parts import EntryForm, Parts, all_of
from sandbox.ui.profile_wiring import connect_profile
from sandbox.ui.proposal_wiring import connect_proposals
from sandbox.ui.replay_acts import ReplayActs
from sandbox.ui.replay_wiring import connect_replay
from sandbox.ui.scripts import ADDRESS, DRAFT, FIRST_DRAFT, OFFER, SENT, SWAP
from sandbox.ui.switch_wiring import connect_switches
from sandbox.ui.troubles import told
from sandbox.ui.verdict_acts import VerdictActs
from sandbox.ui.verdict_wiring import connect_verdict

FOLLOWERS = 24
"""How many tabs follow a reply at once; each holds a thread, of which there are 40."""


class Wiring:
    """The events of one page. Use inside its Blocks."""

    def __init__(
        self,
        page: gr.Blocks,
        parts: Parts,
        opening: Opening,
        acts: Acts,
        bank: BankActs,
        verdict: VerdictActs,
        branch: BranchActs,
        forget: ForgetActs,
        replay: ReplayActs,
    ) -> None:
        self._page = page
        self._parts = parts
        self._opening = opening
        self._acts = acts
        self._bank = bank
        self._verdict = verdict
        self._branch = branch
        self._forget = forget
        self._replay = replay
        self.running: list[Event] = []
        """Events that show one session: ended when another is opened."""
        self._openers: list[Any] = []
        """Triggers that open another session."""

    def connect(self) -> None:
        """Connect everything."""
        self._connect_openings()
        self._connect_turns()
        self._connect_replies()
        self._connect_settings()
        self._connect_end()
        self._connect_banks()
        connect_proposals(self, self._parts, self._acts)
        connect_bank(self, self._parts, self._bank)
        connect_verdict(self, self._parts, self._verdict)
        connect_switches(self, self._parts, self._verdict.switch)
        connect_branches(self, self._parts, self._branch)
        connect_forgetting(self, self._parts, self._forget)
        connect_replay(self, self._parts, self._replay)
        gr.on(self._openers, None, cancels=self.running, api_visibility="private")

    def _connect_openings(self) -> None:
        side, doors, opening = self._parts.side, self._parts.doors, self._opening
        session = self._parts.kept.session
        setup = [side.strategy, side.model, side.method]
        load = self.on(self._page.load, opening.load, [], [session, side.persona, side.user])
        self._screen(load)
        load.then(None, None, self._parts.kept.draft, js=FIRST_DRAFT, api_visibility="private")
        people = [session, side.persona, side.user]
        met = [session, side.user, side.strategy]
        self.opens(side.persona.input, opening.character, people, met)
        self.opens(side.user.input, opening.speaker, [session, side.user])
        self.opens(side.new.click, opening.new, [*people, *self._settings, side.method])
        for chosen in (
            side.sessions.select,
            self._parts.talk.plates.select,
            self._parts.inspector.proposals.select,
            self._parts.inspector.reply.select,
        ):
            self.opens(chosen, opening.session)
        self.opens(doors.sample.select, opening.sample, setup)
        self.opens(doors.characters.select, opening.yourself, [doors.name, *setup])
        self.opens(self._parts.talk.again.click, opening.continued, [session])

    def _connect_turns(self) -> None:
        kept, talk, acts = self._parts.kept, self._parts.talk, self._acts
        said = [kept.session, talk.box, kept.draft, talk.swap, *self._settings]
        sent = self.on(
            [talk.box.submit, talk.send.click], acts.send, said, [kept.sent, kept.selected]
        )
        sent.success(
            None,
            [talk.box, kept.sent, kept.draft],
            [talk.box, kept.draft],
            js=SENT,
            api_visibility="private",
        )
        self.follow(sent, failed=True)
        asked = [kept.session, *self._settings]
        again = self.on(talk.bubbles.retry, acts.retry, asked, [kept.selected])
        self.again = self.follow(again, failed=True)
        """Ends with another reply to a turn."""
        self.on(talk.stop.click, acts.stop, [kept.session])
        swapped = [kept.session, talk.swap]
        turned = self.on(talk.swap.input, acts.swap, swapped, [talk.box, talk.send], "always_last")
        self._script(turned, SWAP, [talk.box, kept.offered, talk.swap], talk.box)

    def _connect_replies(self) -> None:
        kept, talk, acts = self._parts.kept, self._parts.talk, self._acts
        selected, form = [kept.selected], [kept.answering, talk.by_hand, talk.written]
        self.refresh(self.on(talk.bubbles.select, acts.select, [], selected, "multiple"))
        chosen = self.on(talk.bubbles.option_select, acts.choose, [], selected)
        self.refresh(chosen, failed=True)
        self.refresh(self.on(talk.bubbles.expand, acts.earlier, [kept.window], [kept.window]))
        self.on(talk.bubbles.edit, acts.answer, [], form)
        written = [kept.answering, talk.written]
        self.refresh(self.on(talk.save.click, acts.write, written, [*form, kept.selected]))
        self.on(talk.cancel.click, acts.unwritten, [], form)

    def _connect_settings(self) -> None:
        side = self._parts.side
        changes = [
            side.clock.blur,
            side.clock.submit,
            side.emotion.blur,
            side.emotion.submit,
            side.scene.input,
            side.strategy.input,
            side.model.input,
        ]
        asked = [self._parts.kept.session, *self._settings]
        self.refresh(self.on(changes, self._acts.adjust, asked, [], "always_last"))
        connect_profile(self, self._parts, self._acts, asked)

    def _connect_end(self) -> None:
        kept, talk, panel = self._parts.kept, self._parts.talk, self._parts.inspector
        closed = self.on(talk.end.click, self._acts.close, [kept.session], [panel.tabs])
        self.refresh(closed, failed=True)
        asked = [kept.session, self._parts.side.model]
        read = self.then(closed.then, self._acts.read, asked, [])
        self.refresh(read, failed=True)

    def _connect_banks(self) -> None:
        parts = self._parts
        for upload in (parts.bank.upload, parts.doors.upload):
            self.refresh(self.on(upload.upload, self._acts.import_file, [upload, *self.who]))
        self.refresh(self.on(parts.side.copy.click, self._acts.copy_sample, self.who))
        self.on(parts.timer.tick, self._acts.tick, [], [parts.banner, parts.timer])

    @property
    def who(self) -> list[Any]:
        """Whose screen it is."""
        return [self._parts.kept.session, self._parts.side.persona, self._parts.side.user]

    @property
    def asked(self) -> list[Any]:
        """What of the bank is wanted, in the order of `Asked`."""
        kept, bank = self._parts.kept, self._parts.bank
        filters = [bank.search, bank.type, bank.side, bank.state]
        return [*filters, kept.as_of, kept.rows, kept.deleted]

    @property
    def _settings(self) -> list[Any]:
        side = self._parts.side
        return [side.clock, side.emotion, side.scene, side.strategy, side.model, side.knows]

    def opens(
        self,
        trigger: Any,
        act: Callable[..., Any],
        inputs: Sequence[Any] = (),
        outputs: Sequence[Any] | None = None,
    ) -> None:
        """`act` gives the session to show; an error leaves the screen as it is."""
        self._openers.append(trigger)
        self._screen(self.on(trigger, act, inputs, outputs or [self._parts.kept.session]))

    def _screen(self, opened: Event) -> None:
        """Show the whole screen, keep its address, follow what is being written there."""
        side, kept = self._parts.side, self._parts.kept
        inputs = [kept.session, side.persona, side.user, kept.shown]
        shown = self.then(opened.then, self._opening.screen, inputs, self._every)
        shown.then(None, [kept.session], None, js=ADDRESS, api_visibility="private")
        box = self._parts.talk.box
        self._script(shown, DRAFT, [kept.session, box], box)
        self.follow(shown)

    def follow(self, before: Event, *, failed: bool = False) -> Event:
        """Show the reply that is being written, then the screen; `failed`: also after an error.

        The event is the one that ends with the reply; there is none after an error.
        """
        kept, side, talk = self._parts.kept, self._parts.side, self._parts.talk
        inputs = [kept.session, side.persona, side.user, kept.selected, kept.window]
        form = [kept.answering, talk.by_hand, talk.written]
        shown = [talk.plates, talk.bubbles, talk.live, talk.composer, kept.offered]
        outputs = [*shown, talk.stop, talk.end, talk.again, *form]
        followings = [
            self.then(after, self._acts.follow, inputs, outputs, FOLLOWERS)
            for after in ways_on(before, failed)
        ]
        for following in followings:
            self.running.append(following)
            self.refresh(following)
        return followings[0]

    def refresh(self, before: Event, *, failed: bool = False) -> None:
        """Show what the record says now, and offer the text of an interrupted turn."""
        kept, box = self._parts.kept, self._parts.talk.box
        inputs = [*self.who, kept.selected, kept.window, kept.editing]
        inputs += [self._parts.verdict.front, self._parts.verdict.shown, *self.asked]
        for after in ways_on(before, failed):
            shown = self.then(after, self._acts.refresh, inputs, self._every)
            self.running.append(shown)
            bank = self._parts.bank
            self.then(
                shown.then,
                self._bank.catch_up,
                [*self.who, kept.seen, *self.asked],
                [bank.entries, bank.add, kept.seen],
            )
            offered = [box, kept.offered, self._parts.talk.swap]
            self._script(shown, OFFER, offered, box)

    @property
    def _every(self) -> list[Any]:
        """Every component that a screen may change."""
        parts = self._parts
        names = (field.name for field in fields(Parts) if field.name not in ("banner", "timer"))
        groups = [getattr(parts, name) for name in names]
        flat = [getattr(group, field.name) for group in groups for field in fields(group)]
        every = [
            each
            for part in flat
            for each in (all_of(part) if isinstance(part, EntryForm) else [part])
        ]
        return [parts.banner, parts.timer, *every]

    def _script(self, before: Event, js: str, inputs: Sequence[Any], output: Any) -> None:
        before.then(None, list(inputs), output, js=js, api_visibility="private")

    def on(
        self,
        triggers: Any,
        act: Callable[..., Any],
        inputs: Sequence[Any] = (),
        outputs: Sequence[Any] = (),
        mode: Mode = "once",
    ) -> Event:
        """Call `act` when something happens."""
        return gr.on(
            triggers, told(act), list(inputs), list(outputs), trigger_mode=mode, **page_event(act)
        )

    def then(
        self,
        after: Callable[..., Event],
        act: Callable[..., Any],
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        limit: int = AT_ONCE,
    ) -> Event:
        """Call `act` after something else happened."""
        return after(
            told(act),
            list(inputs),
            list(outputs),
            trigger_mode="always_last",
            **page_event(act, limit),
        )
