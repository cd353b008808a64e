"""Connects the bank and the recall that is only looked at with what they do."""

from typing import TYPE_CHECKING, Any

from sandbox.ui.bank_acts import BankActs
from sandbox.ui.parts import Parts, all_of, values_of
from sandbox.ui.scripts import TO_FORM, TO_MOMENT

if TYPE_CHECKING:
    from sandbox.ui.wiring import Wiring


def connect_bank(wiring: "Wiring", parts: Parts, act: BankActs) -> None:
    """Connect everything of the two tabs."""
    _looks(wiring, parts, act)
    _changes(wiring, parts, act)
    _recall(wiring, parts, act)


def _looks(wiring: "Wiring", parts: Parts, act: BankActs) -> None:
    bank = parts.bank
    looked = [
        bank.search.change,
        bank.search.submit,
        bank.type.input,
        bank.side.input,
        bank.state.input,
    ]
    shown = [bank.entries, bank.add, parts.kept.seen]
    wiring.running.append(
        wiring.on(looked, act.find, [*wiring.who, *wiring.asked], shown, "always_last")
    )
    as_of, rows = [parts.kept.as_of], [parts.kept.rows]
    moved = wiring.on(
        bank.revision.input, act.travel, [*wiring.who, bank.revision], as_of, "always_last"
    )
    found = wiring.then(moved.then, act.find, [*wiring.who, *wiring.asked], shown)
    wiring.running.append(found)
    kept = parts.kept
    front = [parts.verdict.front, parts.verdict.shown]
    talk = [*wiring.who, kept.selected, kept.window, *front, kept.as_of]
    spoken = wiring.then(moved.then, act.talk, talk, [parts.talk.bubbles])
    spoken.then(None, None, None, js=TO_MOMENT, api_visibility="private")
    wiring.running.append(spoken)
    wiring.refresh(wiring.on(bank.timeline.select, act.travel_to, [], as_of))
    wiring.refresh(wiring.on(bank.entries.collapse, act.return_to_now, [], as_of))
    wiring.refresh(wiring.on(bank.entries.expand, act.more, rows, rows))


def _changes(wiring: "Wiring", parts: Parts, act: BankActs) -> None:
    kept, bank = parts.kept, parts.bank
    clicked = [kept.changing, kept.click]
    opened = [*all_of(bank.form), *clicked, bank.deletion]
    _to_form(wiring.on(bank.add.click, act.add, [], opened))
    _to_form(wiring.on(bank.entries.edit, act.edit, [], opened))
    fields = [bank.form.source, bank.form.reason, *values_of(bank.form)]
    saved = wiring.on(
        bank.form.save.click,
        act.save,
        [*clicked, *wiring.who, *fields],
        [bank.form.column, kept.deleted],
    )
    wiring.refresh(saved, failed=True)
    wiring.on(bank.form.cancel.click, act.unchanged, [], [bank.form.column])
    asked = [bank.deletion, bank.doomed, bank.reason, bank.form.column, *clicked]
    _to_form(wiring.on(bank.entries.delete, act.ask_delete, [], asked))
    gone = wiring.on(
        bank.delete.click,
        act.delete,
        [*clicked, *wiring.who, bank.reason],
        [bank.deletion, kept.deleted],
    )
    wiring.refresh(gone, failed=True)
    wiring.on(bank.keep.click, act.keep, [], [bank.deletion])
    undone = wiring.on(bank.entries.undo, act.undo, wiring.who, [kept.deleted])
    wiring.refresh(undone, failed=True)


def _recall(wiring: "Wiring", parts: Parts, act: BankActs) -> None:
    recall = parts.recall
    asked = [*wiring.who, recall.text, recall.revision, recall.history]
    triggers = [recall.ask.click, recall.text.submit]
    looked = wiring.on(triggers, act.preview, asked, [recall.found], "always_last")
    wiring.running.append(looked)


def _to_form(opened: Any) -> None:
    opened.then(None, None, None, js=TO_FORM, api_visibility="private")
