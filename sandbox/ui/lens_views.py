"""One user's characters side by side, and what a probe found, as markup."""

from collections.abc import Sequence

from memory_banks.entries import Entry
from sandbox.lifecycle.lens import Column, Leak, Lens, Probe
from sandbox.previews import Previewed
from sandbox.ui.entry_views import circumstances, entry_text, type_badge
from sandbox.ui.markup import Html, button, element, fold, joined, name_of, said

MOST = 200
"""Entries of one column on the screen; the newest where there are more."""
FIRST = 8
"""Found entries that a probe lists on either side."""


def lens_view(lens: Lens) -> Html:
    """What every character holds for the user: what all share once, then each one's own."""
    if not lens.columns:
        words = "No character holds anything for this user yet, and none has talked with them."
        return element("p", words, cls="empty")
    shared = element(
        "section",
        element(
            "h3",
            "Every character sees ",
            element("span", str(len(lens.shared)), cls="count"),
        ),
        element("small", f"the user's own entries, at revision {lens.revision}"),
        _entries(lens.shared),
        cls="lens-shared",
    )
    columns = [_column(one) for one in lens.columns]
    return joined(
        element("h2", name_of(lens.user)), shared, element("div", *columns, cls="lens-columns")
    )


def _column(one: Column) -> Html:
    link = button("latest session", "select", one.session, cls="link") if one.session else None
    return element(
        "section",
        element(
            "h3",
            "Only ",
            name_of(one.name),
            " ",
            element("span", str(len(one.own)), cls="count"),
        ),
        element("small", "no other character sees these ", link),
        _entries(one.own),
        cls="lens-column",
    )


def _entries(found: Sequence[Entry]) -> Html:
    if not found:
        return element("p", "none", cls="empty")
    newest = list(reversed(found))[:MOST]
    rows = [
        element(
            "li",
            element(
                "div",
                element("div", type_badge(one.type), circumstances(one), cls="entry-head"),
                entry_text(one),
                cls="entry",
            ),
        )
        for one in newest
    ]
    hidden = len(found) - len(newest)
    more = element("p", f"… and {hidden} older ones", cls="empty") if hidden else None
    return joined(element("ul", *rows, cls="entries"), more)


def probe_view(probe: Probe, here: str, there: str) -> Html:
    """Whether anything came through, and what was searched; `here` and `there` name the dyads."""
    count = len(probe.leaks)
    verdict = "✓ No leak" if not count else f"✕ {count} {'leak' if count == 1 else 'leaks'}"
    return element(
        "div",
        element("h3", verdict, " · ", probe.kind),
        element(
            "p",
            "searched: ",
            said(f"“{probe.text}”", "span"),
            " with ",
            name_of(there),
            f", {len(probe.found_there)} found; and all {probe.held} entries held there, "
            "superseded and deleted ones too, were looked at",
            cls="why",
        ),
        element("ul", *(_leak(one) for one in probe.leaks), cls="entries leaks") if count else None,
        fold(
            "What each recall found",
            element(
                "div",
                _found(here, probe.found_here),
                _found(there, probe.found_there),
                cls="lens-columns",
            ),
            key="probe found",
        ),
        cls="notice probe leaking" if count else "notice probe",
        role="status",
    )


def _leak(one: Leak) -> Html:
    body = element(
        "div",
        element("div", type_badge(one.entry.type), cls="entry-head"),
        entry_text(one.entry),
        said(one.why, "p", "why"),
        cls="entry",
    )
    return element("li", body)


def _found(name: str, found: Sequence[Previewed]) -> Html:
    rows = [
        element(
            "li",
            element("span", f"{one.similarity:.3f}", cls="score"),
            " ",
            said(one.entry.text, "span"),
            "" if one.live else " (gone)",
        )
        for one in found[:FIRST]
    ]
    hidden = len(found) - len(rows)
    more = element("p", f"… and {hidden} more", cls="empty") if hidden > 0 else None
    none = element("p", "nothing", cls="empty")
    return element(
        "section",
        element("strong", name_of(name)),
        element("ul", *rows, cls="found-list") if rows else none,
        more,
    )
