"""Connects forgetting for good with what it does."""

from typing import TYPE_CHECKING

from sandbox.ui.forget_acts import ForgetActs
from sandbox.ui.parts import Parts

if TYPE_CHECKING:
    from sandbox.ui.wiring import Wiring

FOCUS = """() => setTimeout(() => {
  const buttons = document.querySelectorAll('#forget-form button');
  buttons[buttons.length - 1]?.focus();
}, 80)"""
"""The way out has the focus: Enter forgets nothing."""


def connect_forgetting(wiring: "Wiring", parts: Parts, act: ForgetActs) -> None:
    """Ask, then forget."""
    panel, kept = parts.forget, parts.kept
    form = [panel.column, panel.target, panel.words, panel.turns, panel.confirm, panel.keep]
    asked = [*wiring.who, panel.target, panel.turns]
    for click, ask in (
        (parts.bank.entries.clear, act.ask_entry),
        (parts.side.sessions.delete, act.ask_session),
        (parts.side.profile.delete, act.ask_person),
    ):
        opened = wiring.on(click, ask, wiring.who, form)
        opened.then(None, None, None, js=FOCUS, api_visibility="private")
    wiring.on(panel.turns.input, act.ask_again, asked, form, "always_last")
    wiring.on(panel.keep.click, act.keep_all, [], [panel.column, panel.target])
    left = [*form, kept.session, kept.deleted, parts.side.user]
    wiring.opens(panel.confirm.click, act.forget, asked, left)
