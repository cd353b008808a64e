"""The components of the page, by name."""

from dataclasses import dataclass

import gradio as gr

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
    window: gr.Number
    """How many turns are shown."""


@dataclass(frozen=True, slots=True)
class Sidebar:
    """Who talks, how, and their sessions."""

    persona: gr.Dropdown
    user: gr.Dropdown
    profile: gr.HTML
    copy: gr.Button
    clock: gr.Textbox
    emotion: gr.Textbox
    scene: gr.Dropdown
    strategy: gr.Dropdown
    model: gr.Dropdown
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
    """Which utterance supports it."""
    type: gr.Dropdown
    text: gr.Textbox
    anchor: gr.Textbox
    emotion: gr.Textbox
    scene: gr.Dropdown
    save: gr.Button
    cancel: gr.Button


@dataclass(frozen=True, slots=True)
class Inspector:
    """The selected reply, the bank, and the proposals."""

    tabs: gr.Tabs
    reply: gr.HTML
    capture: gr.Button
    capture_form: EntryForm
    bank: gr.HTML
    superseded: gr.Checkbox
    upload: gr.UploadButton
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
