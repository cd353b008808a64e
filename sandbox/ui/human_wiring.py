"""Connects the human judge's form."""

from typing import TYPE_CHECKING

from sandbox.ui.human_acts import HumanActs
from sandbox.ui.verdict_parts import VerdictPanel

if TYPE_CHECKING:
    from sandbox.ui.wiring import Wiring


def connect_human(wiring: "Wiring", panel: VerdictPanel, act: HumanActs) -> None:
    """Open, save and close the form."""
    opened = [panel.form, panel.correction, panel.correcting, panel.reason]
    wiring.on(panel.myself.click, act.judge_myself, [panel.shown], opened)
    saved = wiring.on(panel.form.submit, act.save_mine, [panel.shown], [panel.form, panel.front])
    wiring.refresh(saved)
    wiring.on(panel.form.collapse, act.close_mine, [], [panel.form])
