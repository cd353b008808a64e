"""The verdict card: figures, the reply with its evidence, the table, MIQ, aspects, history."""

from sandbox.evaluation.evaluating import Judged
from sandbox.ui.markup import Html, element, joined
from sandbox.ui.verdict_figures import figure_rows
from sandbox.ui.verdict_look import Assessed, given
from sandbox.ui.verdict_notes import aspects_view, history, made_by, miq_view
from sandbox.ui.verdict_spans import marked
from sandbox.ui.verdict_table import usage_table
from sandbox.ui.verdict_words import LETTERS, role_badge, usage_mark, used_entries

NOTHING = (
    "Not judged yet. Choose a judge and press Evaluate: what of the memory the reply uses, and "
    "how well, is shown here with its evidence."
)
BLIND = (
    "Blind: while your own form is open, what other judges say of this reply is hidden. Save or "
    "close the form to see it."
)


def card(look: Assessed | None, judge: str = "") -> Html:
    """Everything that judges and people say of the reply; what to do where nobody has yet."""
    if look is None:
        return Html("")
    front = look.front(judge)
    if front is None:
        return element("p", NOTHING, cls="empty unjudged")
    return joined(
        element("p", BLIND, cls="notice blind", role="status"),
        element(
            "article",
            _legend(look, front),
            figure_rows(look, front),
            marked(look, front, "div", "said evidence-text"),
            usage_table(look, front),
            miq_view(look, front),
            aspects_view(front),
            made_by(front),
            history(look),
            cls="verdict judged",
        ),
    )


def _legend(look: Assessed, front: Judged) -> Html:
    """Whose verdict it is, and what letters and colours mean."""
    verdict = front.kept.verdict
    keys = [
        element(
            "span", element("strong", letter, hidden="true"), f" {role}", cls=f"role role-{role}"
        )
        for role, letter in LETTERS.items()
    ]
    return element(
        "p",
        element("span", "Verdict of ", element("strong", verdict.judge, dir="auto")),
        element("small", look.trust.get(verdict.judge, ""), cls="trust"),
        *keys,
        cls="verdict-legend",
    )


def used_stage(look: Assessed | None, judge: str) -> Html | None:
    """The funnel's last number: how many entries are used; null where nobody has judged."""
    front = look.front(judge) if look else None
    if look is None or front is None:
        return None
    return element(
        "span",
        element("small", "used"),
        " ",
        element("strong", str(len(used_entries(front))), cls="judged"),
        element("strong", "hidden", cls="unknown blinded"),
        element("small", f"by {front.kept.verdict.judge}", cls="judged"),
        cls="stage used",
    )


def use_of(look: Assessed | None, judge: str, entry: str) -> Html | None:
    """An entry's role and use, as the judge in front has it; null where nobody has judged."""
    front = look.front(judge) if look else None
    if look is None or front is None or entry not in look.labels:
        return None
    return element(
        "span",
        role_badge(look.role(entry)),
        " ",
        usage_mark(given(front, entry)),
        cls="use-of judged",
    )
