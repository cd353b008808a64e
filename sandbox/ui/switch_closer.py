"""Which reply feels closer (MADial-Bench, intimacy): replies beside one another, never a score."""

from sandbox.evaluation.experiments import BestOf, Compared
from sandbox.evaluation.intimacy import REFERENCE
from sandbox.evaluation.judges import LLM
from sandbox.ui.markup import Html, button, element, fold, joined, said
from sandbox.ui.verdict_look import Assessed

HINT = (
    "Which reply feels closer? A model votes blind: it sees neither the memory nor which reply is "
    "which. Intimacy is never a score."
)
OUTCOMES = {
    "win": "With memory feels closer",
    "lose": "Without memory feels closer",
    "tie": "A tie",
}
UNREADABLE = "No outcome: an answer could not be read"


def closer_form(look: Assessed) -> Html | None:
    """Who votes, on what; nothing where no model can."""
    voters = [name.removeprefix(LLM) for name in look.judges if name.startswith(LLM)]
    if not voters:
        return None
    count = len(look.evaluation.reply.turn.replies)
    own = f"the {count} replies of this turn" if count > 1 else "this reply"
    return element(
        "fieldset",
        element("legend", "Intimacy"),
        element("p", HINT, cls="hint"),
        _ticks("voters", "Voters", voters, first=True),
        _ticks("references", "Reference replies", look.references) if look.references else None,
        element(
            "p",
            button("With or without memory", "retry", look.reply, cls="small"),
            button("Pick the best", "expand", look.reply, cls="small"),
            element("small", f"of {own} and the references that are ticked"),
            cls="form-line",
        ),
    )


def closer_title(found: Compared | BestOf) -> str:
    """What was compared, in one line."""
    if isinstance(found, Compared):
        return f"With or without memory · {found.voter}"
    return f"The best of {len(found.candidates)} replies · {_votes(len(found.picked.votes))}"


def closer_view(look: Assessed, found: Compared | BestOf) -> Html:
    """The outcome with its reasons and the texts."""
    return _compared(look, found) if isinstance(found, Compared) else _best(found)


def _compared(look: Assessed, found: Compared) -> Html:
    outcome = found.comparison.outcome
    words = UNREADABLE if outcome is None else OUTCOMES[outcome]
    return joined(
        element("p", element("strong", f"{words}.")),
        said(found.comparison.why, "p", "why"),
        element("p", "Asked twice, in swapped order; the same seed without memory.", cls="fine"),
        fold("The reply without memory", said(found.without), key=f"without {look.reply}"),
    )


def _best(found: BestOf) -> Html:
    picked, share = found.picked, found.picked.share_with_memory
    rows = [
        element(
            "li",
            element("strong", _votes(picked.counts.get(one.id, 0))),
            " ★ best" if one.id in picked.winners else "",
            " · uses memory" if one.has_memory else " · uses no memory",
            f" · {one.id.removeprefix(REFERENCE)}" if one.id.startswith(REFERENCE) else "",
            said(one.text, "p", "why"),
        )
        for one in found.candidates
    ]
    votes = [
        element("li", said(one.voter, "strong"), " ", said(one.why, "span")) for one in picked.votes
    ]
    told = "No vote could be read." if share is None else f"{share:.0%} of the best use a memory."
    return joined(
        element("p", told),
        element("ul", *rows, cls="changes"),
        fold("Every vote's reason", element("ul", *votes, cls="changes")),
    )


def _votes(count: int) -> str:
    return f"{count} {'vote' if count == 1 else 'votes'}"


def _ticks(field: str, title: str, names: list[str] | tuple[str, ...], first: bool = False) -> Html:
    boxes = [
        element(
            "label",
            element(
                "input",
                type="checkbox",
                field=field,
                value=name,
                id="many",
                checked=first and at == 0,
            ),
            said(name, "span"),
            cls="tick",
        )
        for at, name in enumerate(names)
    ]
    return element("p", element("small", title), *boxes, cls="form-line")
