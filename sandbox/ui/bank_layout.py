"""Where everything of the bank and of a recall is."""

import gradio as gr

from memory_banks.entries import ENTRY_TYPES
from sandbox.ui.entry_views import TYPES
from sandbox.ui.fields import entry_form, html, upload_button
from sandbox.ui.look_parts import LookPanel, look_panel
from sandbox.ui.parts import ADD, BankPanel, RecallPanel
from sandbox.ui.scripts import CLICKS


def bank_panel() -> tuple[BankPanel, LookPanel]:
    """The bank, what finds entries in it and what changes them; and what looks over it."""
    with gr.Row(elem_classes="list-head"):
        add = gr.Button(ADD, size="sm", variant="primary", min_width=0)
        upload = upload_button("Import a file", "bank-upload")
    form = entry_form("Save", "bank-form", "Whose (where it is episodic)", reason=True)
    with gr.Column(visible=False, elem_id="delete-form", elem_classes="entry-form") as deletion:
        doomed = html("doomed", None)
        reason = gr.Textbox(label="Why", placeholder="kept with the operation")
        with gr.Row():
            delete = gr.Button("Delete it", variant="stop", size="sm", min_width=0)
            keep = gr.Button("Keep it", size="sm", min_width=0)
    with gr.Column(elem_id="bank-filter", min_width=0):
        search = gr.Textbox(
            show_label=False,
            label="Search the bank",
            placeholder="Search the bank",
            container=False,
        )
        with gr.Row(elem_classes="pair"):
            kinds = [("every type", ""), *((TYPES[name][1], name) for name in ENTRY_TYPES)]
            kind = _choice("Type", kinds)
            side = _choice(
                "Side", [("both sides", ""), ("user's", "user"), ("character's", "dyad")]
            )
            state = _choice(
                "State",
                [("live", "live"), ("superseded, deleted", "gone"), ("all", "all")],
            )
        revision = gr.Slider(
            0, 1, value=1, step=1, label="Revision", elem_id="revision", visible=False
        )
    timeline = html("timeline", CLICKS)
    look = look_panel()
    entries = html("bank", CLICKS)
    panel = BankPanel(
        search,
        kind,
        side,
        state,
        add,
        upload,
        form,
        deletion,
        doomed,
        reason,
        delete,
        keep,
        revision,
        entries,
        timeline,
    )
    return panel, look


def recall_panel() -> RecallPanel:
    """A recall that is only looked at."""
    html(
        "recall-words",
        None,
        "<p class='hint'>What would be found for a text? Nothing is said, nothing is saved.</p>",
    )
    with gr.Column(elem_id="recall-form", min_width=0):
        text = gr.Textbox(label="Text", lines=1, max_lines=4, elem_id="recall-text")
        with gr.Row(elem_classes="pair"):
            revision = gr.Textbox(label="At revision", placeholder="the latest", min_width=0)
            history = gr.Checkbox(label="with superseded and deleted", min_width=0)
        ask = gr.Button("Recall", variant="primary", size="sm")
    return RecallPanel(text, revision, history, ask, html("recall-found", None))


def _choice(label: str, choices: list[tuple[str, str]]) -> gr.Dropdown:
    return gr.Dropdown(
        choices, value=choices[0][1], label=label, show_label=False, container=False, min_width=0
    )
