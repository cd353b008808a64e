"""Which reply feels closer? A person chooses blind, before any vote is shown."""

from sandbox.evaluation.blind import PERSON, WITHOUT, blind_choices, picked_by_hand
from sandbox.evaluation.experiments import BestOf, Compared
from sandbox.ui.markup import Html, button, element, fold, joined, said
from sandbox.ui.switch_closer import closer_title, closer_view
from sandbox.ui.verdict_look import Assessed

HINT = (
    "Unnamed and in no known order. Choose before you see what models say; your choice is kept as "
    "one vote."
)
ALONE = (
    "There is one reply only: regenerate it, write one by hand, or have it written without memory "
    "under What if."
)


def pick_view(look: Assessed | None) -> Html:
    """The replies to choose between, or what was chosen and what the voters say; folded."""
    if look is None:
        return Html("")
    choices = blind_choices(look.evaluation.reply.turn, look.experiments)
    picked = picked_by_hand(look.experiments)
    if picked is not None:
        body: Html | None = joined(_chosen(look, picked), _votes(look))
    elif len(choices) < 2:
        body = element("p", ALONE, cls="empty")
    else:
        rows = [_choice(place, one, text) for place, (one, text) in enumerate(choices, start=1)]
        body = joined(
            element("p", HINT, cls="hint"),
            element("ol", *rows, cls="entries"),
            fold("Show the votes without choosing", _votes(look)) if _past(look) else None,
        )
    return fold("Which feels closer?", body, key="closer")


def _choice(place: int, one: str, text: str) -> Html:
    body = element("div", said(text), button("this one", "apply", one, cls="small"), cls="entry")
    return element("li", element("span", str(place), cls="order"), body)


def _chosen(look: Assessed, picked: str) -> Html:
    turn = look.evaluation.reply.turn
    texts = dict(blind_choices(turn, look.experiments))
    name = "the one written without memory" if picked == WITHOUT else "one of the turn's replies"
    if picked == look.reply:
        name = "the inspected reply"
    return joined(
        element("p", "Chosen by a person, blind: ", element("strong", name)),
        said(texts.get(picked, ""), "p", "evidence"),
    )


def _votes(look: Assessed) -> Html:
    past = _past(look)
    if not past:
        return element("p", "No model has voted yet: ask some under What if.", cls="empty")
    return joined(
        *(
            element("section", element("strong", closer_title(one)), closer_view(look, one))
            for one in reversed(past)
        )
    )


def _past(look: Assessed) -> list[Compared | BestOf]:
    found = [one.found for one in look.experiments if isinstance(one.found, Compared | BestOf)]
    return [one for one in found if not _by_hand(one)]


def _by_hand(one: Compared | BestOf) -> bool:
    return isinstance(one, BestOf) and {vote.voter for vote in one.picked.votes} == {PERSON}
