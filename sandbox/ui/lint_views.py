"""What in a bank a person should look at: remarks by kind, each with its entries."""

from collections.abc import Mapping, Sequence

from memory_banks.entries import State
from sandbox.lifecycle.lint import KINDS, Kind, Remark
from sandbox.ui.entry_views import type_badge
from sandbox.ui.markup import Html, button, element, joined, said

MEANINGS: dict[Kind, str] = {
    "duplicate": "say nearly the same",
    "contradiction": "perhaps cannot both be true",
    "echo": "repeat what memory had put into the prompt",
    "unsupported": "are hardly found in the talk they come from",
    "wrong owner": "seem to be about somebody else",
    "dangling date": "lean on a day that is not named",
    "never recalled": "were shown to no reply so far",
}
HINT = "Candidates, no verdicts: nothing is changed. Look at each, then edit, delete or leave it."
SHOWN = 25
"""Remarks of one kind on the screen."""


def remark_list(found: Sequence[Remark], states: Mapping[str, State]) -> Html:
    """The remarks by kind; `states` holds the bank's entries by id."""
    close = button("close", "clear", cls="quiet")
    if not found:
        words = "Nothing to remark: no duplicates, contradictions, echoes or dangling dates."
        return element("p", words, " ", close, cls="notice", role="status")
    count = f"{len(found)} {'remark' if len(found) == 1 else 'remarks'}"
    kinds = [(kind, [one for one in found if one.kind == kind]) for kind in KINDS]
    return element(
        "div",
        element("div", element("h3", count), close, cls="outcome-title"),
        element("p", HINT, cls="hint"),
        *(_kind(kind, some, states) for kind, some in kinds if some),
        cls="remarks",
    )


def _kind(kind: Kind, found: Sequence[Remark], states: Mapping[str, State]) -> Html:
    hidden = len(found) - SHOWN
    more = element("p", f"… and {hidden} more", cls="empty") if hidden > 0 else None
    return element(
        "section",
        element("h3", kind, " ", element("span", str(len(found)), cls="count")),
        element("small", f"entries that {MEANINGS[kind]}"),
        element("ul", *(_remark(one, states) for one in found[:SHOWN]), cls="entries"),
        more,
        cls="remark-kind",
    )


def _remark(one: Remark, states: Mapping[str, State]) -> Html:
    held = [states[entry] for entry in one.entries if entry in states]
    return element(
        "li",
        element("div", *(_entry(state) for state in held), said(one.why, "p", "why"), cls="entry"),
    )


def _entry(state: State) -> Html:
    entry = state.entry
    show = button("show", "select", entry.id, cls="link", label=f"show in the bank: {entry.text}")
    line = joined(type_badge(entry.type), " ", said(entry.text, "span"), " ", show)
    return element("p", line, cls="remark-entry")
