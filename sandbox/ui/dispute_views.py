"""What is disputed of an instance: marks at its entries, the form of a dispute, the list of a file.

All but the mark tells what a label is: it is shown to whoever may see roles.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sandbox.authoring.disputes import Dispute
from sandbox.authoring.labels import label_of, other_labels
from sandbox.authoring.rechecking import Change
from sandbox.instances import Instance
from sandbox.ui.instance_views import Around
from sandbox.ui.markup import Html, button, element, joined, said
from sandbox.ui.save_form import choice, labelled
from sandbox.ui.save_form import field as line
from sandbox.ui.times import short_time

MARK = "disputed"
NOTHING = (
    "No label of it is disputed. Choose an instance, show gold, and press dispute at an entry."
)


@dataclass(frozen=True, slots=True)
class Doubts:
    """What is doubted of one instance, and which entry's form is open."""

    disputes: Sequence[Dispute] = ()
    changes: Sequence[Change] = ()
    """What changed since it was published."""
    asked: str = ""
    """Key of the entry whose form is open; empty for none."""
    author: str = ""
    """Who disputed last."""


def dispute_mark(count: int) -> Html | None:
    """The mark of an instance some of whose labels are disputed; nothing for none."""
    return element("span", f"{MARK} {count}", cls="doubt-mark") if count else None


def around(instance: Instance, doubts: Doubts, *, gold: bool) -> Around:
    """What a preview shows of the doubts: labels, reasons and the form only with gold."""
    head = _head(doubts, gold=gold)
    if not gold:
        return Around(head)
    under = {one.key: _under(instance, one.key, doubts) for one in instance.pool}
    return Around(head, under, f"doubt {instance.id} {doubts.asked}")


def _head(doubts: Doubts, *, gold: bool) -> Html | None:
    """What changed, and how much is disputed; roles that changed only with gold."""
    changes = [one for one in doubts.changes if gold or one.what != "role"]
    told = _changed(changes) if changes else None
    if doubts.disputes and not gold:
        words = f"{_count(doubts.disputes)}: show gold to read why."
        told = joined(told, element("p", words, cls="warning"))
    return told


def _changed(changes: Sequence[Change]) -> Html:
    rows = [
        element("li", element("code", one.key), " ", said(one.sentence, "span")) for one in changes
    ]
    title = element("strong", "Changed since it was published")
    return element("div", title, element("ul", *rows), cls="warning")


def _under(instance: Instance, key: str, doubts: Doubts) -> Html:
    """What is disputed of an entry, and the button or the form for another dispute."""
    others = other_labels(instance, key)
    told = [_told(one) for one in doubts.disputes if one.entry == key]
    if doubts.asked == key and others:
        return joined(*told, _form(instance, key, others, doubts.author))
    ask = button("dispute", "edit", key, cls="link ask-doubt", label=f"Dispute the label of {key}")
    return joined(*told, ask if others else None)


def dispute_list(disputes: Sequence[Dispute], *, gold: bool) -> Html:
    """What is disputed of a file, by instance, with the way to a patch and to a corrected copy."""
    title = element("h3", f"Disputed labels ({len(disputes)})")
    if not disputes:
        return joined(title, element("p", NOTHING, cls="empty"))
    if not gold:
        hidden = element("p", f"{_count(disputes)}: show gold to read them.", cls="hint")
        return joined(title, hidden, _doors())
    by_name: dict[str, list[Dispute]] = {}
    for one in disputes:
        by_name.setdefault(one.instance, []).append(one)
    rows = [_of_instance(name, found) for name, found in by_name.items()]
    return joined(title, element("ul", *rows, cls="doubts"), _doors())


def _count(disputes: Sequence[Dispute]) -> str:
    return "1 label is disputed" if len(disputes) == 1 else f"{len(disputes)} labels are disputed"


def _doors() -> Html:
    return element(
        "p",
        button("Download the patch", "download", cls="small"),
        button("Make a corrected copy", "copy", cls="small"),
        cls="form-line",
    )


def _of_instance(name: str, disputes: Sequence[Dispute]) -> Html:
    told = [joined(element("code", one.entry), _told(one)) for one in disputes]
    rows = [element("li", one) for one in told]
    return element("li", button(name, "select", name, cls="link"), element("ul", *rows))


def _told(one: Dispute) -> Html:
    """One dispute with who says so, and its withdrawal."""
    return element(
        "div",
        element("span", MARK, cls="doubt-mark"),
        element("span", f"{one.was} → {one.wanted}", cls="doubt-labels"),
        said(one.reason, "span"),
        element("small", f"{one.author} · {short_time(one.created_at)}"),
        button("withdraw", "undo", one.id, cls="link"),
        cls="doubt",
    )


def _form(instance: Instance, key: str, others: Sequence[str], author: str) -> Html:
    now = label_of(instance, key)
    return element(
        "div",
        element("p", f"The file says {now}. It should be", cls="hint"),
        choice("wanted", ("choose a label", *others), "It should be"),
        labelled("Why", line("reason", "Why", "")),
        labelled("Your name", line("author", "Your name", author)),
        element(
            "p",
            button("Dispute it", "submit", key, cls="small approve"),
            button("Cancel", "collapse", cls="small"),
            cls="form-line",
        ),
        element("p", "The file stays as it is: a patch of it can be downloaded.", cls="hint"),
        cls="doubt-form",
    )
