"""Connects the switchboard with what it does."""

from typing import TYPE_CHECKING

from sandbox.ui.parts import Parts
from sandbox.ui.switch_acts import SwitchActs

if TYPE_CHECKING:
    from sandbox.ui.wiring import Wiring


def connect_switches(wiring: "Wiring", parts: Parts, act: SwitchActs) -> None:
    """Run, stop, and show what came of it."""
    panel = parts.switch
    shown = [panel.busy, panel.stop, panel.found]
    for click, run in (
        (panel.form.submit, act.run_samples),
        (panel.form.apply, act.run_causal),
        (panel.form.retry, act.compare_closer),
        (panel.form.expand, act.pick_closest),
    ):
        running = wiring.on(click, run, [], shown)
        wiring.then(running.failure, act.stopped, [], shown)
    wiring.on(panel.stop.click, act.stop_running, [parts.verdict.shown], [panel.stop])
