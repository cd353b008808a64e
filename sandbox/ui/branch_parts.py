"""The components for branches and for forgetting, without what they do."""

from dataclasses import dataclass

import gradio as gr

from sandbox.ui.instances_parts import plain
from sandbox.ui.scripts import CLICKS, FORM


@dataclass(frozen=True, slots=True)
class BranchPanel:
    """Where one is, the list of branches, and one beside its origin."""

    line: gr.HTML
    listed: gr.HTML
    compared: gr.HTML


def branch_line_place() -> gr.HTML:
    """The place in the left panel."""
    return plain("branch", CLICKS)


def branch_panel(line: gr.HTML) -> BranchPanel:
    """The tab beside the bank; `line` is the place in the left panel."""
    compared = plain("compared", FORM)
    return BranchPanel(line, plain("branches", FORM), compared)
