"""The form that asks before something is forgotten for good: its components."""

from dataclasses import dataclass

import gradio as gr

from sandbox.ui.instances_parts import plain

FORGET = "Forget for good"
KEEP = "Keep it"
WITH_TURNS = "with what was said in the turns it comes from"


@dataclass(frozen=True, slots=True)
class ForgetPanel:
    """What is about to be forgotten, and what was."""

    column: gr.Column
    target: gr.Textbox
    """What it is: a kind and an id; empty while the form is closed."""
    words: gr.HTML
    turns: gr.Checkbox
    confirm: gr.Button
    keep: gr.Button


def forget_panel() -> ForgetPanel:
    """The form, over the page; hidden until it is asked for."""
    with gr.Column(visible=False, elem_id="forget-form", elem_classes="entry-form") as column:
        target = gr.Textbox(visible=False)
        words = plain("forget-words")
        turns = gr.Checkbox(label=WITH_TURNS, container=False, elem_id="forget-turns")
        with gr.Row():
            confirm = gr.Button(FORGET, variant="stop", size="sm", min_width=0)
            keep = gr.Button(KEEP, size="sm", min_width=0)
    return ForgetPanel(column, target, words, turns, confirm, keep)
