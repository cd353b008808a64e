"""Connects the checking and comparing of a bank with what it does."""

from typing import TYPE_CHECKING

from sandbox.ui.bank_acts import BankActs
from sandbox.ui.look_acts import LookActs
from sandbox.ui.parts import Parts

if TYPE_CHECKING:
    from sandbox.ui.wiring import Wiring

TO_ENTRY = """() => {
  const wanted = window.wantedEntry;
  window.wantedEntry = null;
  if (!wanted) return;
  setTimeout(() => {
    const row = document.querySelector(`#bank li[data-id="${CSS.escape(wanted)}"]`);
    row?.scrollIntoView({block: 'center'});
    row?.classList.add('tied');
  }, 60);
}"""
"""Bring the entry that was asked for into view."""


def connect_look(wiring: "Wiring", parts: Parts, act: LookActs, banks: BankActs) -> None:
    """Check, show an entry, compare."""
    look, bank, kept = parts.look, parts.bank, parts.kept
    wiring.on(look.check.click, act.check, wiring.who, [look.remarks])
    wiring.on(look.remarks.clear, act.close_remarks, [], [look.remarks])
    filters = [bank.search, bank.type, bank.side, bank.state, kept.as_of, kept.rows]
    shown = wiring.on(look.remarks.select, act.reveal, wiring.who, filters)
    listed = [bank.entries, bank.add, kept.seen]
    found = wiring.then(shown.then, banks.find, [*wiring.who, *wiring.asked], listed)
    found.then(None, None, None, js=TO_ENTRY, api_visibility="private")
    wiring.refresh(found)
    ends = [*wiring.who, look.first, look.last]
    triggers = [look.compare.click, look.first.submit, look.last.submit]
    wiring.on(triggers, act.compare, ends, [look.differences], "always_last")
