"""What the tab keeps, unseen, while a label is disputed."""

from dataclasses import dataclass

import gradio as gr


@dataclass(frozen=True, slots=True)
class DisputePanel:
    """Which form is open, and who disputed last."""

    entry: gr.Textbox
    """Key of the entry whose form is open; empty for none."""
    author: gr.Textbox


def dispute_panel() -> DisputePanel:
    """Two places for texts."""
    return DisputePanel(gr.Textbox("", visible=False), gr.Textbox("", visible=False))
