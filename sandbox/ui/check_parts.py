"""The components for checks that need a model, without what they do."""

from dataclasses import dataclass

import gradio as gr

from sandbox.ui.places import plain
from sandbox.ui.scripts import FORM

EVERY = 0.7
"""Seconds between two looks at checks that are going on."""


@dataclass(frozen=True, slots=True)
class CheckPanel:
    """The form, or how far the checks are, and what looks after them."""

    place: gr.HTML
    timer: gr.Timer
    """Runs only while checks do."""


def check_panel() -> CheckPanel:
    """The panel, below the badges."""
    return CheckPanel(plain("save-checks", FORM), gr.Timer(EVERY, active=False))
