"""What two banks hold differently: two revisions of one, or a branch beside its origin."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_banks.branching import Difference
from memory_banks.entries import State
from sandbox.ui.chain_views import LONGEST, chain_of
from sandbox.ui.entry_views import entry_head, entry_text
from sandbox.ui.markup import Html, element, fold, name_of, said

KINDS = ("only before", "only after", "superseded", "deleted", "restored")


@dataclass(frozen=True, slots=True)
class Sides:
    """How the two banks are called, and how each kind of difference is."""

    before: str
    after: str
    titles: Mapping[str, str]
    """A title by kind; `{before}` and `{after}` are filled in."""


def revisions(first: int, last: int) -> Sides:
    """Two revisions of one bank."""
    return Sides(
        before=f"revision {first}",
        after=f"revision {last}",
        titles={
            "only before": "only at {before}",
            "only after": "added by {after}",
            "superseded": "superseded by {after}",
            "deleted": "deleted by {after}",
            "restored": "gone at {before}, live at {after}",
        },
    )


def branched(origin: str, branch: str) -> Sides:
    """A branch beside what it was made of."""
    return Sides(
        before=origin,
        after=branch,
        titles={
            "only before": "only in {before}",
            "only after": "only in {after}",
            "superseded": "live in {before}, superseded in {after}",
            "deleted": "live in {before}, deleted in {after}",
            "restored": "gone in {before}, live in {after}",
        },
    )


def difference_list(
    found: Sequence[Difference],
    before: Mapping[str, State],
    after: Mapping[str, State],
    sides: Sides,
    persona: str,
) -> Html:
    """The differences by kind, each entry with its chain of states on both sides."""
    if not found:
        words = (f"The two hold the same: {sides.before} and {sides.after}.",)
        return element("p", *words, cls="empty")
    sections = []
    for kind in KINDS:
        rows = [_row(one, before, after, sides, persona) for one in found if one.kind == kind]
        if rows:
            title = sides.titles[kind].format(before=sides.before, after=sides.after)
            sections.append(
                element(
                    "section",
                    element(
                        "h3", name_of(title), " ", element("span", str(len(rows)), cls="count")
                    ),
                    element("ul", *rows, cls="entries"),
                    cls=f"difference {kind.replace(' ', '-')}",
                )
            )
    return element("div", *sections, cls="differences")


def _row(
    one: Difference,
    before: Mapping[str, State],
    after: Mapping[str, State],
    sides: Sides,
    persona: str,
) -> Html:
    chains = fold(
        _chain_words(one, before, after),
        _side(sides.before, one.before, before),
        _side(sides.after, one.after, after),
        cls="origin both",
    )
    gone = one.after is None or not one.after.live
    return element(
        "li",
        element("div", entry_head(one.entry, persona), entry_text(one.entry), chains, cls="entry"),
        id=one.entry.id,
        cls="gone" if gone and one.kind != "only before" else None,
    )


def _chain_words(one: Difference, before: Mapping[str, State], after: Mapping[str, State]) -> str:
    counts = [
        len(chain_of(state.entry.id, states)) if state else 0
        for state, states in ((one.before, before), (one.after, after))
    ]
    return f"states on both sides: {counts[0]} and {counts[1]}"


def _side(name: str, state: State | None, states: Mapping[str, State]) -> Html:
    """The chain of an entry on one side."""
    head = element("strong", name_of(name))
    if state is None:
        return element("div", head, element("p", "never held", cls="empty"), cls="chain-side")
    chain = chain_of(state.entry.id, states)[-LONGEST:]
    return element(
        "div",
        head,
        element("ol", *(_step(one, state) for one in chain), cls="chain"),
        cls="chain-side",
    )


def _step(state: State, here: State) -> Html:
    gone = "" if state.live else f" · gone at r{state.deleted}"
    return element(
        "li",
        element("small", f"r{state.added}{gone or ' · live'}"),
        said(state.entry.text, "p", "entry-text"),
        cls="here" if state.entry.id == here.entry.id else None,
    )
