"""Connects the verdict panel with what it does."""

from typing import TYPE_CHECKING, Any

from sandbox.ui.human_wiring import connect_human
from sandbox.ui.parts import Parts
from sandbox.ui.scripts import TO_FORM
from sandbox.ui.verdict_acts import VerdictActs

if TYPE_CHECKING:
    from sandbox.ui.wiring import Wiring


def connect_verdict(wiring: "Wiring", parts: Parts, act: VerdictActs) -> None:
    """Connect everything of the panel."""
    _judging(wiring, parts, act)
    _corrections(wiring, parts, act)
    connect_human(wiring, parts.verdict, act.human)


def _judging(wiring: "Wiring", parts: Parts, act: VerdictActs) -> None:
    panel, kept = parts.verdict, parts.kept
    state = [panel.busy, panel.stop, panel.evaluate, panel.front]
    asked = [panel.shown, panel.judge, panel.draws, panel.aspects]
    judged = wiring.on(panel.evaluate.click, act.have_judged, asked, state)
    _ends(wiring, act, judged, state)
    chosen = wiring.on(
        parts.talk.bubbles.apply, act.look_at, [], [kept.selected, parts.inspector.tabs]
    )
    wiring.refresh(chosen)
    at_once = wiring.then(chosen.success, act.have_judged_at_once, [kept.selected], state)
    _ends(wiring, act, at_once, state)
    wiring.on(panel.stop.click, act.stop_judging, [panel.shown], [panel.stop])
    front = wiring.on(panel.card.select, act.put_in_front, [], [panel.front], "multiple")
    wiring.refresh(front)


def _ends(wiring: "Wiring", act: VerdictActs, judging: Any, state: list[Any]) -> None:
    """What follows a verdict: the screen, and a button that can be pressed after an error too."""
    wiring.refresh(judging, failed=True)
    wiring.then(judging.failure, act.unjudging, [], state)


def _corrections(wiring: "Wiring", parts: Parts, act: VerdictActs) -> None:
    panel = parts.verdict
    closed = [panel.correction, panel.correcting, panel.reason]
    form = [*closed, panel.question, panel.value, panel.save]
    opened = wiring.on(panel.card.edit, act.asked_to_correct, [panel.shown], form, "multiple")
    opened.success(None, None, None, js=TO_FORM, api_visibility="private")
    told = [panel.shown, panel.correcting, panel.value, panel.reason]
    wiring.refresh(wiring.on([panel.save.click, panel.reason.submit], act.correct, told, closed))
    wiring.on(panel.cancel.click, act.uncorrect, [], closed)
    wiring.refresh(wiring.on(panel.card.clear, act.take_back, [panel.shown]))
    missed = [panel.shown, panel.wanted, panel.wanted_reason]
    outputs = [panel.wanted, panel.wanted_reason]
    wiring.refresh(wiring.on(panel.want.click, act.want, missed, outputs))
