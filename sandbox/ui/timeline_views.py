"""What happened to a bank, operation by operation, and what a recall would find in it."""

from collections.abc import Mapping, Sequence

from memory_banks.entries import Operation, State
from sandbox.previews import Previewed
from sandbox.ui.entry_views import entry_head, entry_text, type_badge
from sandbox.ui.markup import Html, button, element, fold, joined, said
from sandbox.ui.times import shown_time

MOST = 100
"""Operations on the screen; the newest where there are more."""
KINDS = {"add": "+ add", "delete": "− delete"}


def timeline(operations: Sequence[Operation], states: Mapping[str, State], persona: str) -> Html:
    """The operations, newest first, folded; `states` holds the bank's entries by id."""
    if not operations:
        return Html("")
    newest = list(reversed(operations))[:MOST]
    rows = [_operation(one, states.get(one.entry_id), persona) for one in newest]
    hidden = len(operations) - len(rows)
    more = element("li", f"… and {hidden} older ones", cls="empty") if hidden else None
    words = f"Timeline: {len(operations)} operations"
    return fold(words, element("ol", *rows, more, cls="timeline"), key="timeline")


def previewed(found: Sequence[Previewed], text: str, revision: int, persona: str) -> Html:
    """The entries that a recall would find, closest first."""
    if not found:
        return element("p", f"Nothing: the bank was empty at revision {revision}.", cls="empty")
    rows = [_found(place, one, persona) for place, one in enumerate(found, start=1)]
    head = element(
        "p",
        "closest to ",
        said(f"“{text}”", "span"),
        element("small", f"at revision {revision}; nothing was said or saved"),
        cls="query",
    )
    return joined(head, element("ol", *rows, cls="entries previewed"))


def cause_words(operation: Operation) -> str:
    """What asked for an operation, for people."""
    if operation.imported:
        return f"file {operation.imported.file} ({operation.imported.sha256[:8]})"
    return "by hand" if operation.cause.startswith("by hand") else "an approved proposal"


def _operation(operation: Operation, state: State | None, persona: str) -> Html:
    kind = element("strong", KINDS[operation.kind], cls=f"kind {operation.kind}")
    entry = state.entry if state else None
    replaces = f" in place of {len(operation.replaces)}" if operation.replaces else ""
    return element(
        "li",
        element(
            "div",
            button(f"r{operation.number}", "select", str(operation.number), cls="link"),
            kind,
            type_badge(entry.type) if entry else None,
            element("time", shown_time(operation.at)),
            cls="entry-head",
        ),
        entry_text(entry) if entry else None,
        said(operation.reason, "p", "why") if operation.reason else None,
        element("small", cause_words(operation) + replaces, dir="auto"),
    )


def _found(place: int, one: Previewed, persona: str) -> Html:
    gone = None
    if not one.live:
        words = "superseded" if one.replaced_by else "deleted"
        gone = element("p", f"✕ {words} by that revision", cls="why")
    return element(
        "li",
        element(
            "div",
            element("span", str(place), cls="order"),
            element("span", f"dense {one.similarity:.3f}", cls="score"),
            cls="measure",
        ),
        element("div", entry_head(one.entry, persona), entry_text(one.entry), gone, cls="entry"),
        id=one.entry.id,
        cls=None if one.live else "gone",
    )
