"""Connects proposals, and entries captured by hand, with what they do."""

from typing import TYPE_CHECKING

from sandbox.ui.acts import Acts
from sandbox.ui.parts import Parts, all_of, values_of

if TYPE_CHECKING:
    from sandbox.ui.wiring import Wiring


def connect_proposals(wiring: "Wiring", parts: Parts, act: Acts) -> None:
    """Decide, edit, read again; capture by hand."""
    _connect_decisions(wiring, parts, act)
    _connect_captures(wiring, parts, act)


def _connect_decisions(wiring: "Wiring", parts: Parts, act: Acts) -> None:
    kept, panel = parts.kept, parts.inspector
    listed, form = panel.proposals, panel.edit_form
    wiring.refresh(wiring.on(listed.retry, act.read_again, [parts.side.model]))
    for click, do in (
        (listed.apply, act.approve),
        (listed.delete, act.reject),
        (listed.submit, act.approve_all),
    ):
        wiring.refresh(wiring.on(click, do, [], [], "multiple"), failed=True)
    closed = [form.column, kept.editing]
    wiring.refresh(wiring.on(listed.edit, act.edit, [], [*all_of(form), kept.editing]))
    edited = [kept.editing, *values_of(form)]
    wiring.refresh(wiring.on(form.save.click, act.save_edit, edited, closed))
    wiring.refresh(wiring.on(form.cancel.click, act.unedited, [], closed))


def _connect_captures(wiring: "Wiring", parts: Parts, act: Acts) -> None:
    kept, panel = parts.kept, parts.inspector
    form = panel.capture_form
    opened = [*all_of(form), kept.capturing]
    wiring.on(panel.capture.click, act.capture, [kept.session, kept.selected], opened)
    captured = [kept.capturing, form.source, *values_of(form)]
    wiring.refresh(wiring.on(form.save.click, act.save_capture, captured, [form.column]))
    wiring.on(form.cancel.click, act.uncaptured, [], [form.column])
