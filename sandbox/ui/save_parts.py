"""Where instances are made: the buttons in the chat, the list and the form among the instances."""

from dataclasses import dataclass

import gradio as gr

from sandbox.ui.scripts import CLICKS, FORM

LIVE = """
element.addEventListener('change', (event) => {
  const form = event.target.closest('[data-form]');
  if (form) trigger('input', {id: '', values: values(form)});
});
"""
"""Tell what the form holds when something in it changed, for the checks beside it."""


@dataclass(frozen=True, slots=True)
class SaveDoor:
    """The buttons below an inspected reply."""

    row: gr.Row
    reply: gr.Button
    dialogue: gr.Button
    episode: gr.Button


@dataclass(frozen=True, slots=True)
class SavePanel:
    """The list and the form."""

    source: gr.Textbox
    """What the open form is of: `turn`, `dialogue`, `episode` with two ids, or `own` with one."""
    made: gr.HTML
    form: gr.HTML
    badges: gr.HTML
    blind: gr.Textbox
    """Id of the episode that is being annotated blind; empty for none."""
    gold: gr.HTML
    """Of an episode: what its form holds now, looked at while it is typed."""


def save_door() -> SaveDoor:
    """The buttons."""
    with gr.Row(elem_id="save-door") as row:
        reply = gr.Button("Save as instance", size="sm", min_width=0, elem_id="save-reply")
        dialogue = gr.Button("Session as dialogue", size="sm", min_width=0)
        episode = gr.Button("Sessions as episode", size="sm", min_width=0)
    return SaveDoor(row, reply, dialogue, episode)


def made_place() -> gr.HTML:
    """The place for the list."""
    _plain("made-title", markup="<h3>Made here</h3>")
    return _plain("made", CLICKS)


def save_panel(made: gr.HTML) -> SavePanel:
    """The form and its checks; empty until it is asked for."""
    source = gr.Textbox("", visible=False)
    form, gold = _plain("save-form", FORM + LIVE), _plain("save-gold")
    blind = gr.Textbox("", visible=False)
    return SavePanel(source, made, form, _plain("save-badges"), blind, gold)


def _plain(elem_id: str, script: str | None = None, markup: str = "") -> gr.HTML:
    return gr.HTML(
        markup, elem_id=elem_id, js_on_load=script, apply_default_css=False, elem_classes="plain"
    )
