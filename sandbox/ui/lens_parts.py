"""The tab with one user's characters side by side: its components, without what they do."""

from dataclasses import dataclass

import gradio as gr

from sandbox.ui.instances_parts import plain
from sandbox.ui.scripts import CLICKS


@dataclass(frozen=True, slots=True)
class LensParts:
    """Every component of the tab."""

    user: gr.Dropdown
    shown: gr.HTML
    opened: gr.Textbox
    """The session to go to."""
    text: gr.Textbox
    agent: gr.Dropdown
    other_agent: gr.Dropdown
    by_agent: gr.Button
    other_user: gr.Dropdown
    by_user: gr.Button
    found: gr.HTML


def lay_out_lens() -> LensParts:
    """Every component in its place."""
    with gr.Row(elem_id="lens-columns", elem_classes="tab-columns", equal_height=True):
        with gr.Column(elem_classes="tab-side", min_width=0, scale=0):
            user = gr.Dropdown([], label="User", interactive=True, elem_id="lens-user")
            plain("probe-title", markup="<h3>Probes</h3>")
            text = gr.Textbox(label="Recall this text in both", lines=2, max_lines=4)
            agent = _choice("Of this character", "probe-agent")
            other_agent = _choice("… does this one see it?", "probe-other-agent")
            by_agent = gr.Button("Same user, other character", size="sm", variant="primary")
            other_user = _choice("… or the same one, with this user?", "probe-other-user")
            by_user = gr.Button("Same character, other user", size="sm", variant="primary")
        with gr.Column(elem_id="lens", min_width=0):
            found = plain("probe", CLICKS)
            shown = plain("lens-shown", CLICKS)
            opened = gr.Textbox(visible=False)
    return LensParts(
        user, shown, opened, text, agent, other_agent, by_agent, other_user, by_user, found
    )


def _choice(label: str, elem_id: str) -> gr.Dropdown:
    return gr.Dropdown([], label=label, interactive=True, elem_id=elem_id)
