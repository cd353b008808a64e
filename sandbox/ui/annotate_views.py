"""The second annotator's form, blind, and the differences to be decided."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sandbox.authoring.authored import STAGES, Annotation, Authored, Stage
from sandbox.authoring.blind import BlindView
from sandbox.authoring.differences import GOLDEN, Agreed, Difference
from sandbox.instances import ROLES
from sandbox.ui.annotate_frame import blind_frame, decision_frame
from sandbox.ui.episode_edit_blind import gold_agreement
from sandbox.ui.markup import Html, button, element, said
from sandbox.ui.save_form import choice, field, labelled

PASS = (
    "A sample of what is adjudicated is annotated once more, blind, by somebody who has not worked "
    "on it. The same share and seed draw the same."
)
BLIND = "Blind: nobody's roles, golden entries or reference are shown. Say what you think yourself."


@dataclass(frozen=True, slots=True)
class Drawn:
    """An instance of a sample."""

    id: str
    title: str
    stage: Stage


def blind_form(view: BlindView, number: int = 0) -> Html:
    """The instance without anybody's word on what is gold, to be annotated.

    `number` is that of the version that is looked at: what one annotator typed is not the next's.
    """
    rows = []
    for held in view.pool:
        asked = choice(f"role|{held.key}", ("role: open", *ROLES), "Role of this entry")
        if view.kind == "dialogue":
            asked = field(f"golden|{held.key}", "Golden place", "")
        rows.append(element("fieldset", said(held.text, "p", "entry-text"), asked))
    before = [said(f"{one.speaker}: {one.text}", "p") for one in view.history]
    state = " / ".join(told for told in (view.time, view.emotion, view.scene) if told)
    return blind_frame(
        view,
        number,
        BLIND,
        element("section", element("h3", f"Said before ({len(before)})"), *before),
        element("section", element("h3", "Query"), said(view.query, "p", "query said")),
        *rows,
        state=state,
    )


def decision_form(
    first: Authored, second: Annotation, found: Sequence[Difference], agreed: Agreed
) -> Html:
    """The differences side by side, to be decided; how far the two agree over the collection."""
    head = element(
        "tr",
        *(element("th", name) for name in ("Entry", first.author, second.author, "It is")),
    )
    rows = [_difference(one) for one in found]
    return decision_frame(
        first,
        second,
        element("p", agreement(agreed), cls="hint"),
        element("table", element("thead", head), element("tbody", *rows))
        if rows
        else element("p", "The two agree on everything.", cls="empty"),
    )


def _difference(one: Difference) -> Html:
    decided = choice(f"role|{one.key}", ("open", *ROLES), "It is")
    if one.key == GOLDEN:
        decided = field("golden", "Golden keys, in order", one.first)
    cells = (said(one.text or "golden entries", "span"), one.first or "-", one.second or "-")
    return element("tr", *(element("td", cell) for cell in (*cells, decided)))


def agreement(agreed: Agreed) -> str:
    """How far first and second annotators agree over the collection, in one line."""
    if agreed.gold and not agreed.entries:
        return gold_agreement(agreed.gold)
    told = f"{agreed.instances} annotated twice, {agreed.entries} entries"
    if agreed.exact is not None:
        told += f"; same role: {agreed.exact:.0%}"
    if agreed.roles:
        kappas = {role: tag.kappa.value for role, tag in agreed.roles.tags.items()}
        shown = ", ".join(f"{r} {'-' if k is None else f'{k:.2f}'}" for r, k in kappas.items())
        told += f"; kappa {shown}"
    if agreed.golden is not None:
        told += f"; same first golden entry: {agreed.golden:.0%}"
    return f"{told}. {gold_agreement(agreed.gold)}" if agreed.gold else told


def second_pass(
    name: str,
    stages: Sequence[Stage],
    told: str,
    share: str,
    seed: str,
    drawn: Sequence[Drawn],
) -> Html:
    """A collection's stages and agreement, and a sample of it to be drawn for a second pass."""
    counts = Counter(stages)
    numbers = " → ".join(f"{counts[one]} {one}" for one in STAGES)
    return element(
        "div",
        element("h2", f"Second pass over {name}"),
        element("p", numbers, cls="hint"),
        element("p", f"Agreement: {told}", cls="hint"),
        element("p", PASS, cls="hint"),
        element(
            "div",
            labelled("Share", field("share", "Share", share)),
            labelled("Seed", field("seed", "Seed", seed)),
            button("Draw", "tick", name, cls="small approve"),
            button("Close", "collapse", cls="small"),
            cls="form-line",
        ),
        _drawn(drawn) if drawn else None,
        form=f"pass {name}",
        cls="made-form human-form",
    )


def _drawn(found: Sequence[Drawn]) -> Html:
    rows = [
        element(
            "li",
            said(one.title, "span"),
            element("small", f" {one.stage} "),
            button("annotate blind", "play", one.id, cls="small", label=f"Annotate {one.title}"),
        )
        for one in found
    ]
    head = element("strong", f"Drawn: {len(rows)}")
    return element("div", head, element("ul", *rows, cls="notes"))
