"""What happens when a person judges a reply by hand."""

from typing import Any

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.inputs import BadInput
from sandbox.judges.human import NAME, human_verdict
from sandbox.ui.human_views import filled, human_form
from sandbox.ui.troubles import inform
from sandbox.ui.verdict_look import assess
from sandbox.ui.verdict_parts import VerdictPanel
from sandbox.ui.verdict_show import unasked

Updates = dict[Any, Any]


class HumanActs:
    """The human judge's form for one account."""

    def __init__(self, sandbox: Sandbox, account: str, panel: VerdictPanel) -> None:
        self._sandbox = sandbox
        self._account = account
        self._panel = panel

    def judge_myself(self, reply: str) -> Updates:
        """Open the form, blank; what other judges say is hidden while it is open."""
        look = assess(self._sandbox, self._account, reply)
        if not look.items:
            raise BadInput("The reply's pool is empty: there is nothing whose use could be judged.")
        return unasked(self._panel) | {self._panel.form: human_form(look).markup}

    def save_mine(self, reply: str, event: gr.EventData) -> Updates:
        """Keep what the form says as the verdict of the judge `human`, and close it."""
        values = event.values
        form = filled(values if isinstance(values, dict) else {})
        judged = self._sandbox.evaluating.reply(self._account, reply)
        self._sandbox.evaluating.keep(self._account, judged, human_verdict(judged.case, form))
        inform("Your verdict is saved beside the others.")
        return {self._panel.form: "", self._panel.front: NAME}

    def close_mine(self) -> Updates:
        """Close the form."""
        return {self._panel.form: ""}
