"""The bank: three groups with counts, searched and filtered, at the latest revision or before."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import get_args

from memory_banks.entries import Group, State, canonical
from memory_banks.forgetting import FORGOTTEN
from sandbox.banks import BankView
from sandbox.inputs import BadInput
from sandbox.ui.entry_views import AUTHORS, TYPES, entry_head, entry_text
from sandbox.ui.markup import Html, button, element, joined, name_of, said

ROWS = 100
"""Entries on the screen at first; the newest where there are more."""
MEANINGS: dict[Group, str] = {
    "user-side": "profile and facts: every character of this user sees them",
    "URAM": "what only this character holds about its work for this user",
    "episodic": "what happened and was told",
}


SCOPES = (
    "Scope says who sees an entry: every character of this user, or this one alone. "
    "The groups below go by its type."
)


FORGET = "Take its words out of everything for good; delete keeps them in the history"
BRANCH_OFF = "A branch whose memory is as it was at this revision, with a session of its own"


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a bank a person wants to see."""

    text: str = ""
    """Words that must all occur; empty for any."""
    type: str = ""
    side: str = ""
    state: str = "live"
    """`live`, `gone` (superseded or deleted), or `all`."""
    as_of: str = ""
    """A revision; empty for the latest."""
    rows: float = ROWS
    deleted: str = ""
    """Id of the entry that was deleted last, whose delete can be undone."""

    @property
    def revision(self) -> int | None:
        """The revision asked for, null for the latest.

        Raises:
            BadInput: if it is not a number.
        """
        if not self.as_of.strip():
            return None
        if not self.as_of.strip().isdecimal():
            raise BadInput(f"The revision must be a number, got {self.as_of!r}.")
        return int(self.as_of)

    @property
    def name(self) -> str:
        """Tells it from everything else that may be asked for."""
        return canonical(asdict(self) | {"rows": int(self.rows)})

    @property
    def narrowed(self) -> bool:
        """Whether some live entries may be left out."""
        return bool(self.text.strip() or self.type or self.side)

    def takes(self, state: State) -> bool:
        """Whether an entry is wanted."""
        entry = state.entry
        if self.state != "all" and state.live is (self.state == "gone"):
            return False
        if self.type not in ("", entry.type) or self.side not in ("", entry.scope.side):
            return False
        told = (entry.text, TYPES[entry.type][1], entry.anchor, entry.emotion, entry.scene)
        held = " ".join(part for part in told if part).casefold()
        return all(word in held for word in self.text.casefold().split())


def bank_list(view: BankView, user: str, persona: str, asked: Asked) -> Html:
    """The wanted entries of the bank in its three groups, newest first."""
    if not view.states:
        return joined(_title(view, user, persona), _nothing(view, user))
    by_id = {state.entry.id: state for state in view.states}
    newest = sorted(filter(asked.takes, view.states), key=lambda one: one.added, reverse=True)
    shown = newest[: int(asked.rows)]
    past = view.revision < view.head
    groups = [
        _group(
            group,
            shown,
            newest,
            view.states,
            asked,
            [_row(state, by_id, persona, past) for state in shown if state.entry.group == group],
        )
        for group in get_args(Group)
    ]
    return joined(
        _title(view, user, persona),
        _undo(by_id.get(asked.deleted)) if not past else None,
        *groups,
        _more(len(newest) - len(shown)),
    )


def _title(view: BankView, user: str, persona: str) -> Html:
    past = None
    if view.revision < view.head:
        past = element(
            "p",
            f"As it was at revision {view.revision} of {view.head}: read-only. ",
            button("back to now", "collapse", cls="link"),
            " · ",
            button("branch off here", "copy", cls="link", title=BRANCH_OFF),
            cls="notice past",
            role="status",
        )
    line = element(
        "p",
        "What ",
        element("strong", name_of(persona)),
        " holds for ",
        element("strong", name_of(user)),
        element(
            "small",
            f"revision {view.revision} · {_counts(view.states)}",
            cls="revision",
            title=SCOPES,
        ),
        cls="bank-title",
    )
    return joined(line, past)


def _counts(states: Sequence[State]) -> str:
    """How many entries are in whose scope, and how many of them are live."""
    users = sum(state.entry.scope.side == "user" for state in states)
    live = sum(state.live for state in states)
    superseded = sum(not state.live and state.replaced_by is not None for state in states)
    deleted = len(states) - live - superseded
    told = [f"{live} live", f"{superseded} superseded", f"{deleted} deleted" if deleted else ""]
    scopes = f"user scope {users} · dyad scope {len(states) - users}"
    return f"{scopes} · {', '.join(part for part in told if part)}"


def _nothing(view: BankView, user: str) -> Html:
    if view.revision < view.head:
        return element("p", "Nothing was in this bank yet.", cls="empty")
    return element(
        "p",
        "This bank is empty: talk and end the session, add an entry, capture one by hand from a "
        "reply, copy the character's sample bank, or import a bank file for ",
        name_of(user),
        ".",
        cls="empty",
    )


def _undo(state: State | None) -> Html | None:
    """The way back from the last delete."""
    if state is None or state.live:
        return None
    return element(
        "div",
        element("p", "Deleted: ", said(f"“{state.entry.text}”", "span")),
        button("Undo", "undo", state.entry.id, cls="small"),
        cls="notice",
        role="status",
    )


def _more(hidden: int) -> Html | None:
    if not hidden:
        return None
    return button(
        f"Show {min(ROWS, hidden)} more of {hidden} older ones", "expand", cls="small more"
    )


def _group(
    group: Group,
    shown: Sequence[State],
    wanted: Sequence[State],
    states: Sequence[State],
    asked: Asked,
    rows: Sequence[Html],
) -> Html:
    all_ = sum(state.entry.group == group for state in states)
    live = sum(state.live and state.entry.group == group for state in states)
    found = sum(state.entry.group == group for state in wanted)
    count = f"{all_}" if live == all_ else f"{all_}, {live} live"
    if asked.narrowed or asked.state != "live":
        count = f"{found} found, {live} live"
    none = "none of what you look for" if asked.narrowed else "none yet"
    if found and not rows:
        none = "older ones only: show more below"
    return element(
        "section",
        element("h3", f"{group} ", element("span", count, cls="count")),
        element("small", MEANINGS[group]),
        element("ul", *rows, cls="entries") if rows else element("p", none, cls="empty"),
    )


def _row(state: State, by_id: Mapping[str, State], persona: str, past: bool) -> Html:
    added = f"{AUTHORS[state.entry.author]} at r{state.added}"
    revision = element("span", added, cls="by", title="By whom, and the revision that added it")
    return element(
        "li",
        element(
            "div",
            entry_head(state.entry, persona, revision),
            entry_text(state.entry),
            _gone(state, by_id),
            None if past else _actions(state),
            cls="entry",
        ),
        id=state.entry.id,
        cls=_row_class(state),
    )


def _row_class(state: State) -> str | None:
    if state.entry.text == FORGOTTEN:
        return "gone forgotten"
    return None if state.live else "gone"


def _actions(state: State) -> Html | None:
    entry = state.entry.id
    if state.entry.text == FORGOTTEN:
        return None
    forget = button("forget", "clear", entry, cls="quiet", title=FORGET)
    if state.live:
        edit = button("edit", "edit", entry, cls="quiet")
        away = button("delete", "delete", entry, cls="quiet")
        return element("div", edit, away, forget, cls="row-actions")
    restore = button("restore", "undo", entry, cls="quiet") if not state.replaced_by else None
    return element("div", restore, forget, cls="row-actions")


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
