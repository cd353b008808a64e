"""What would be forgotten for good, and what was: counts, never the words."""

from sandbox.lifecycle.forgetting import Forgotten
from sandbox.ui.markup import Html, element, joined, said

COUNTED = {
    "entries": ("memory", "memories"),
    "utterances": ("utterance it comes from", "utterances it comes from"),
    "replies": ("reply", "replies"),
    "replies elsewhere": ("reply of another session", "replies of other sessions"),
    "sessions": ("session", "sessions"),
    "turns": ("turn", "turns"),
    "users": ("ledger", "ledgers"),
    "instances": ("instance made of it", "instances made of it"),
}
"""What is counted, as people call it; anything else is called as it is."""
AUDIT = "An audit line with these counts stays, without the words. This cannot be undone."
MARKED = (
    "Replies whose prompt held the words are kept without them and marked: no longer reproducible."
)


def foreseen(what: str, name: str, told: Forgotten) -> Html:
    """What would go, what stays; `name` is the text, the session or the person."""
    title = element("h3", f"Forget this {what} for good?")
    marked = what == "entry" and told.counts.get("replies")
    return joined(
        title,
        said(name, "p", "evidence"),
        element("p", "What goes, here and in every branch:"),
        counted(told),
        element("p", MARKED, cls="why") if marked or told.counts.get("replies elsewhere") else None,
        element("p", "What is not covered:"),
        element("ul", *(element("li", one) for one in told.left), cls="notes"),
        element("p", AUDIT, cls="why"),
    )


def forgotten(what: str, told: Forgotten) -> Html:
    """What was forgotten."""
    return joined(
        element("h3", f"The {what} is forgotten."),
        counted(told),
        element("ul", *(element("li", one) for one in told.left), cls="notes"),
    )


def counted(told: Forgotten) -> Html:
    """The counts as a list; nothing counted is said, too."""
    rows = [element("li", _count(name, count)) for name, count in told.counts.items() if count]
    if not rows:
        return element("p", "nothing", cls="empty")
    return element("ul", *rows, cls="notes counts")


def _count(name: str, count: int) -> str:
    one, several = COUNTED.get(name, (name, name))
    return f"{count} {one if count == 1 else several}"
