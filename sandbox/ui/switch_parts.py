"""The components of the switchboard, without what they do."""

from dataclasses import dataclass

import gradio as gr

from sandbox.ui.instances_parts import plain
from sandbox.ui.scripts import CLICKS, FORM


@dataclass(frozen=True, slots=True)
class SwitchPanel:
    """What is switched, and what came of it."""

    form: gr.HTML
    stop: gr.Button
    busy: gr.HTML
    found: gr.HTML


def switch_panel() -> SwitchPanel:
    """The panel, in a tab of its own beside the inspected reply."""
    with gr.Column(elem_id="switch-progress", min_width=0):
        busy = plain("switch-busy")
        stop = gr.Button("Stop", size="sm", visible=False, elem_id="switch-stop", min_width=0)
    return SwitchPanel(plain("switches", FORM), stop, busy, plain("experiments", CLICKS))
