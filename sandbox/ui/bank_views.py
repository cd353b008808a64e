"""The bank: three groups with counts, live entries, superseded ones where asked for."""

from collections.abc import Mapping, Sequence
from typing import get_args

from memory_banks.entries import Group, State
from sandbox.banks import BankView
from sandbox.ui.entry_views import AUTHORS, entry_head, entry_text
from sandbox.ui.markup import Html, element, joined, name_of, said

MOST = 150
"""Entries of one group on the screen; the newest where there are more."""
MEANINGS: dict[Group, str] = {
    "user-side": "profile and facts: every character of this user sees them",
    "URAM": "what only this character holds about its work for this user",
    "episodic": "what happened and was told",
}


def bank_list(view: BankView, user: str, persona: str, *, superseded: bool) -> Html:
    """The bank in its three groups, newest first."""
    if not view.states:
        return joined(_title(view, user, persona), _nothing(user))
    by_id = {state.entry.id: state for state in view.states}
    groups = [
        _group(
            group,
            [state for state in view.states if state.entry.group == group],
            by_id,
            persona,
            superseded,
        )
        for group in get_args(Group)
    ]
    return joined(_title(view, user, persona), *groups)


def _title(view: BankView, user: str, persona: str) -> Html:
    gone = len(view.states) - len(view.live)
    counts = f"{len(view.live)} live, {gone} superseded or deleted"
    return element(
        "p",
        "What ",
        element("strong", name_of(persona)),
        " holds for ",
        element("strong", name_of(user)),
        element("small", f"revision {view.revision} · {counts}", cls="revision"),
        cls="bank-title",
    )


def _nothing(user: str) -> Html:
    return element(
        "p",
        "This bank is empty: talk and end the session, capture an entry by hand from a reply, "
        "copy the character's sample bank, or import a bank file for ",
        name_of(user),
        ".",
        cls="empty",
    )


def _group(
    group: Group,
    states: Sequence[State],
    by_id: Mapping[str, State],
    persona: str,
    superseded: bool,
) -> Html:
    live = [state for state in states if state.live]
    wanted = states if superseded else live
    newest = sorted(wanted, key=lambda state: state.added, reverse=True)
    rows = [_row(state, by_id, persona) for state in newest[:MOST]]
    more = len(newest) - len(rows)
    return element(
        "section",
        element("h3", f"{group} ", element("span", str(len(live)), cls="count")),
        element("small", MEANINGS[group]),
        element("ul", *rows, cls="entries") if rows else element("p", "none yet", cls="empty"),
        element("p", f"… and {more} older ones.", cls="empty") if more else None,
    )


def _row(state: State, by_id: Mapping[str, State], persona: str) -> Html:
    added = f"{AUTHORS[state.entry.author]} at r{state.added}"
    revision = element("span", added, cls="by", title="By whom, and the revision that added it")
    return element(
        "li",
        element(
            "div",
            entry_head(state.entry, persona, revision),
            entry_text(state.entry),
            _gone(state, by_id),
            cls="entry",
        ),
        cls=None if state.live else "gone",
    )


def _gone(state: State, by_id: Mapping[str, State]) -> Html | None:
    """What took the entry's place, or why it was deleted; nothing for a live one."""
    if state.live:
        return None
    successor = by_id.get(state.replaced_by or "")
    at = f"r{state.deleted}"
    if successor:
        words = joined(f"↳ superseded at {at} by: ", said(successor.entry.text, "span"))
    else:
        words = joined(f"✕ deleted at {at}: ", said(state.reason or "no reason given", "span"))
    return element("p", words, cls="why")
