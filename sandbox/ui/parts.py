"""The components of the page, by name."""

from dataclasses import dataclass

import gradio as gr

from sandbox.ui.branch_parts import BranchPanel
from sandbox.ui.forget_parts import ForgetPanel
from sandbox.ui.look_parts import LookPanel
from sandbox.ui.pick_parts import PickPanel
from sandbox.ui.reingest_parts import ReingestPanel
from sandbox.ui.replay_parts import ReplayPanel
from sandbox.ui.save_parts import SaveDoor
from sandbox.ui.switch_parts import SwitchPanel
from sandbox.ui.verdict_parts import VerdictPanel

ADD = "Add an entry"
KNOWS = "the character knows my profile"
SEND = "Send"
SAY = "Write a message. Enter sends, Shift+Enter starts a new line."
COPY = "Copy the sample bank"
CAPTURE = "Capture by hand from this turn"


@dataclass(frozen=True, slots=True)
class Kept:
    """What the tab itself keeps, unseen."""

    session: gr.Textbox
    shown: gr.Textbox
    """Which screen it is: a session, or two people without one."""
    draft: gr.Textbox
    """Names the text in the box: sent twice, it is one turn."""
    sent: gr.Textbox
    """The text that was sent last."""
    offered: gr.Textbox
    """Text of a turn that was interrupted."""
    selected: gr.Textbox
    """The reply that is inspected; empty for the latest."""
    editing: gr.Textbox
    """The proposal whose form is open."""
    answering: gr.Textbox
    """The turn whose reply is being written by hand."""
    capturing: gr.Textbox
    """Names the entry that is being captured by hand."""
    changing: gr.Textbox
    """The entry of the bank that is being changed or deleted."""
    click: gr.Textbox
    """Names the change: sent twice, it is one."""
    deleted: gr.Textbox
    """The entry that was deleted last, so that it can be undone."""
    seen: gr.Textbox
    """What of the bank was asked for when it was last shown."""
    as_of: gr.Textbox
    """The bank's revision that is shown; empty for the latest."""
    window: gr.Number
    """How many turns are shown."""
    rows: gr.Number
    """How many entries of the bank are shown."""


@dataclass(frozen=True, slots=True)
class Sidebar:
    """Who talks, how, and their sessions."""

    persona: gr.Dropdown
    user: gr.Dropdown
    profile: gr.HTML
    about: gr.Column
    """The form for who one is."""
    self_text: gr.Textbox
    describe: gr.Button
    leave: gr.Button
    knows: gr.Checkbox
    """Whether the character is told the profile."""
    copy: gr.Button
    clock: gr.Textbox
    emotion: gr.Textbox
    scene: gr.Dropdown
    strategy: gr.Dropdown
    model: gr.Dropdown
    method: gr.Dropdown
    """How the session is remembered."""
    remembers: gr.HTML
    """What that does."""
    new: gr.Button
    sessions: gr.HTML


@dataclass(frozen=True, slots=True)
class Doors:
    """The first view: three ways in."""

    column: gr.Column
    sample: gr.HTML
    characters: gr.HTML
    name: gr.Textbox
    file: gr.HTML
    upload: gr.UploadButton


@dataclass(frozen=True, slots=True)
class Talk:
    """The chat and what is written into it."""

    column: gr.Column
    plates: gr.HTML
    end: gr.Button
    again: gr.Button
    """Continue an ended session."""
    bubbles: gr.HTML
    live: gr.HTML
    composer: gr.Column
    swap: gr.Checkbox
    """Whether what is sent is the character's reply, written by hand."""
    box: gr.Textbox
    send: gr.Button
    stop: gr.Button
    by_hand: gr.Column
    written: gr.Textbox
    save: gr.Button
    cancel: gr.Button


@dataclass(frozen=True, slots=True)
class EntryForm:
    """The fields of one entry."""

    column: gr.Column
    source: gr.Radio
    """Which utterance supports it; in the bank, whose it is."""
    type: gr.Dropdown
    text: gr.Textbox
    anchor: gr.Textbox
    emotion: gr.Textbox
    scene: gr.Dropdown
    reason: gr.Textbox
    save: gr.Button
    cancel: gr.Button


@dataclass(frozen=True, slots=True)
class BankPanel:
    """The bank, with what finds and changes entries."""

    search: gr.Textbox
    type: gr.Dropdown
    side: gr.Dropdown
    state: gr.Dropdown
    add: gr.Button
    upload: gr.UploadButton
    form: EntryForm
    deletion: gr.Column
    doomed: gr.HTML
    """The entry that is about to be deleted."""
    reason: gr.Textbox
    delete: gr.Button
    keep: gr.Button
    revision: gr.Slider
    entries: gr.HTML
    timeline: gr.HTML


@dataclass(frozen=True, slots=True)
class RecallPanel:
    """A recall that is only looked at."""

    text: gr.Textbox
    revision: gr.Textbox
    history: gr.Checkbox
    ask: gr.Button
    found: gr.HTML


@dataclass(frozen=True, slots=True)
class Inspector:
    """The selected reply and the proposals."""

    tabs: gr.Tabs
    reply: gr.HTML
    capture: gr.Button
    capture_form: EntryForm
    proposals_tab: gr.Tab
    proposals: gr.HTML
    edit_form: EntryForm


@dataclass(frozen=True, slots=True)
class Parts:
    """Every component of the page."""

    banner: gr.HTML
    timer: gr.Timer
    kept: Kept
    side: Sidebar
    doors: Doors
    talk: Talk
    inspector: Inspector
    bank: BankPanel
    recall: RecallPanel
    verdict: VerdictPanel
    switch: SwitchPanel
    branch: BranchPanel
    forget: ForgetPanel
    look: LookPanel
    pick: PickPanel
    reingest: ReingestPanel
    save: SaveDoor
    replay: ReplayPanel


def all_of(form: EntryForm) -> list[gr.blocks.Block]:
    """The form's column and fields, without its buttons."""
    return [form.column, form.source, form.reason, *values_of(form)]


def values_of(form: EntryForm) -> list[gr.blocks.Block]:
    """The fields that an edit is made of, in its order."""
    return [form.type, form.text, form.anchor, form.emotion, form.scene]
