"""Connects branches with what they do."""

from typing import TYPE_CHECKING

from sandbox.ui.branch_acts import BranchActs
from sandbox.ui.parts import Parts

if TYPE_CHECKING:
    from sandbox.ui.wiring import Wiring


def connect_branches(wiring: "Wiring", parts: Parts, act: BranchActs) -> None:
    """Fork, open, rename, delete, compare and merge."""
    panel, side, session = parts.branch, parts.side, parts.kept.session
    setup = [side.strategy, side.model, side.method]
    wiring.opens(parts.talk.bubbles.copy, act.fork, [session])
    for place in (panel.line, panel.listed):
        wiring.opens(place.select, act.go)
    wiring.opens(panel.listed.apply, act.open_in, setup)
    off = [*wiring.who, parts.kept.as_of, *setup]
    wiring.opens(parts.bank.entries.copy, act.branch_off, off)
    for click, do in (
        (panel.listed.edit, act.rename_branch),
        (panel.listed.delete, act.delete_branch),
        (panel.listed.undo, act.restore_branch),
    ):
        wiring.refresh(wiring.on(click, do, [], []))
    shown = [panel.compared]
    for place in (panel.listed, panel.compared):
        wiring.on(place.expand, act.compare_branch, [], shown)
    wiring.on(panel.compared.clear, act.close_comparison, [], shown)
    wiring.refresh(wiring.on(panel.compared.submit, act.merge_branch, [], shown))
