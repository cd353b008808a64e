"""The components for sessions that are read again, without what they do."""

from dataclasses import dataclass

import gradio as gr

from sandbox.ui.instances_parts import plain
from sandbox.ui.scripts import FORM

EVERY = 0.7
"""Seconds between two looks at sessions that are being read."""


@dataclass(frozen=True, slots=True)
class ReingestPanel:
    """The form, or how far the reading is, and what looks after it."""

    place: gr.HTML
    timer: gr.Timer
    """Runs only while sessions are read."""


def reingest_panel() -> ReingestPanel:
    """The panel, above the list of branches."""
    return ReingestPanel(plain("reingest", FORM), gr.Timer(EVERY, active=False))
