"""A second annotator's table of an episode, blind, and where two annotators of one differ."""

from collections.abc import Mapping, Sequence

from sandbox.authoring.authored import Annotation, Authored
from sandbox.authoring.badge import counted
from sandbox.authoring.blind import BlindView
from sandbox.authoring.differences import Agreed
from sandbox.authoring.episode_building import built
from sandbox.authoring.episode_differences import GoldAgreed, GoldDifference, What
from sandbox.authoring.episode_edits import asked_by
from sandbox.authoring.episode_typed import Typed
from sandbox.episodes import Episode, EpisodeQuestion
from sandbox.metrics.statistics import Estimate
from sandbox.ui.annotate_frame import blind_frame, decision_frame
from sandbox.ui.episode_edit_questions import needs
from sandbox.ui.episode_edit_values import QUESTION, field_of
from sandbox.ui.episode_edit_views import hidden, table
from sandbox.ui.markup import Html, button, element, said

BLIND = (
    "Blind: nobody's memories, answers or supports are shown. Say yourself what each turn gives, "
    "and which of that each question needs."
)
_WORDS: Mapping[What, str] = {
    "capture": "one of you finds no memory here",
    "type": "you give other types",
    "evidence": "you name other evidence",
    "wording": "the words differ",
    "supports": "you name other supports (shown: the turns that they rest on)",
}


def blind_episode(view: BlindView, talk: Episode, typed: Typed, number: int) -> Html:
    """The talk to be annotated; `number` is that of the version that is looked at."""
    whole = asked_by(talk, typed)
    made = built(talk, whole)
    return blind_frame(
        view,
        number,
        BLIND,
        table(talk, whole, blind=True),
        element("h3", f"Questions ({len(talk.questions)})"),
        button("Offer what I have written as supports", "release", cls="small"),
        *(_asked(one, whole, made) for one in talk.questions),
    )


def _asked(one: EpisodeQuestion, typed: Typed, made: Episode) -> Html:
    row = next(held for held in typed.questions if held.id == one.id)
    rows = list(needs(row, made, decoys=False))
    nothing = element("p", "Write memories first: they are offered here.", cls="empty")
    return element(
        "fieldset",
        hidden(field_of(QUESTION, one.id, "unit"), one.unit),
        said(one.text, "p", "query said"),
        element("small", "What does its answer need?"),
        *(rows or [nothing]),
        cls="gold-question",
    )


def gold_decisions(
    first: Authored, second: Annotation, found: Sequence[GoldDifference], agreed: Agreed
) -> Html:
    """The differences of an episode, each to be decided."""
    return decision_frame(
        first,
        second,
        element("p", gold_agreement(agreed.gold), cls="hint") if agreed.gold else None,
        element("p", f"{counted(len(found), 'difference')}: {first.author} and {second.author}.")
        if found
        else element("p", "The two agree on everything.", cls="empty"),
        *(_difference(one, first.author, second.author) for one in found),
    )


def _difference(one: GoldDifference, first: str, second: str) -> Html:
    kept = "first" if one.what == "wording" else ""
    options = [element("option", "open", value="")]
    options += [
        element("option", words, value=value, selected=value == kept)
        for value, words in (
            ("first", f"as {first} has it"),
            ("second", f"as {second} has it"),
            ("both", "both together"),
        )
    ]
    return element(
        "fieldset",
        said(one.text, "p", "query said"),
        element("small", _WORDS[one.what]),
        _side(first, one.first),
        _side(second, one.second),
        element("select", *options, field=f"role|{one.key}", label="It is"),
        cls="gold-difference",
    )


def _side(author: str, lines: Sequence[str]) -> Html:
    rows = [said(line, "li") for line in lines] or [element("li", "nothing", cls="empty")]
    return element("div", element("strong", author), element("ul", *rows, cls="notes"))


def gold_agreement(agreed: GoldAgreed) -> str:
    """How far first and second annotators of episodes agree, with what was counted."""
    same = "-" if agreed.same is None else f"{agreed.same:.0%}"
    supports = "-" if agreed.supports is None else f"{agreed.supports:.2f}"
    return (
        f"{counted(agreed.episodes, 'episode')} annotated twice. Memory or none, by turn: kappa "
        f"{_shown(agreed.capture)}, same {same} (n = {agreed.turns} turns). Types where both give "
        f"one: kappa {_shown(agreed.types)} (n = {agreed.typed} turns). Supports: mean Jaccard of "
        f"the turns that they rest on {supports} (n = {agreed.questions} questions)."
    )


def _shown(found: Estimate) -> str:
    if found.value is None:
        return "undefined"
    if found.low is None or found.high is None:
        return f"{found.value:.2f}"
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"
