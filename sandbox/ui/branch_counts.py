"""Two banks side by side in numbers."""

from collections.abc import Sequence

from sandbox.lifecycle.side_by_side import Count
from sandbox.ui.entry_views import side_words
from sandbox.ui.markup import Html, element, name_of


def count_table(counts: Sequence[Count], before: str, after: str, persona: str) -> Html:
    """Live entries by type and scope in both banks, with their sums; says so where there are none.

    `before` and `after` are how the banks are called.
    """
    if not counts:
        return element("p", "Neither holds anything.", cls="empty")
    sums = str(sum(one.before for one in counts)), str(sum(one.after for one in counts))
    heads = [element("th", name_of(word), scope="col") for word in (before, after)]
    return element(
        "table",
        element("caption", "Live entries"),
        element("thead", element("tr", element("th", "type and scope", scope="col"), *heads)),
        element("tbody", *(_row(one, persona) for one in counts), _sums(*sums)),
        cls="counts",
    )


def alike_words(count: int) -> Html | None:
    """How many entries say the same on both sides and are not listed; nothing for none."""
    if not count:
        return None
    words = "1 entry says" if count == 1 else f"{count} entries say"
    return element("p", f"{words} the same on both sides and are not listed below.", cls="hint")


def _row(one: Count, persona: str) -> Html:
    return element(
        "tr",
        element("th", one.type, " · ", side_words(one.side, persona), scope="row"),
        element("td", str(one.before)),
        element("td", str(one.after)),
    )


def _sums(before: str, after: str) -> Html:
    cells = (element("td", element("strong", one)) for one in (before, after))
    return element("tr", element("th", "all", scope="row"), *cells)
