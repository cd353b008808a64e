"""What looks over a bank: the remarks on it, and the difference of two revisions."""

from dataclasses import dataclass

import gradio as gr

from sandbox.ui.instances_parts import plain
from sandbox.ui.scripts import CLICKS

WANTED = """
element.addEventListener('click', (event) => {
  const target = event.target.closest('[data-on="select"]');
  if (target) window.wantedEntry = target.dataset.id;
});
"""
"""Remember which entry is to be shown, until it is there."""


@dataclass(frozen=True, slots=True)
class LookPanel:
    """Remarks and differences, asked for with a click."""

    check: gr.Button
    remarks: gr.HTML
    first: gr.Textbox
    last: gr.Textbox
    compare: gr.Button
    differences: gr.HTML


def look_panel() -> LookPanel:
    """The panel, between what finds entries and the entries."""
    with gr.Accordion("Check, compare revisions", open=False, elem_id="bank-look"):
        check = gr.Button("Look for duplicates, contradictions, echoes …", size="sm")
        remarks = plain("remarks", WANTED + CLICKS)
        with gr.Row(elem_classes="pair"):
            first = gr.Textbox(label="From", placeholder="0", min_width=0)
            last = gr.Textbox(label="to", placeholder="the latest", min_width=0)
            compare = gr.Button("Compare", size="sm", min_width=0)
        differences = plain("bank-diff", CLICKS)
    return LookPanel(check, remarks, first, last, compare, differences)
