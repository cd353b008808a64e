"""The figures of a verdict in rows; every one explains itself on hover, focus and tap."""

from collections.abc import Sequence

from sandbox.evaluation.evaluating import Judged
from sandbox.instances import Role
from sandbox.metrics.figures import Figure, ReplyFigures
from sandbox.metrics.formulas import FigureKey
from sandbox.ui.markup import Html, element, joined
from sandbox.ui.verdict_look import Assessed
from sandbox.ui.verdict_words import LETTERS

SHOWN: Sequence[FigureKey] = (
    "rho_must",
    "rho_nice",
    "rho_irr",
    "smc",
    "pes_literal",
    "pes_nice",
    "cir",
    "miq",
)
ABREAST = 4
"""Figures in one line; what explains one is shown below its line."""
RHO: dict[FigureKey, Role] = {"rho_must": "must", "rho_nice": "nice", "rho_irr": "irr"}
SAME = "The same over what was injected alone."
OVERSHARING = "Nothing here is needed or nice: only over-sharing can be told."
PROPOSED = (
    "≈ No gold here: the roles are proposals of {}, often wrong where a memory matters by "
    "implication. All figures but MIQ are as good as those: correct a role by its letter below."
)
RULES = "Rules are in this pool: one that is followed counts as used."


def figure_rows(look: Assessed, judged: Judged) -> Html:
    """The figures over the whole pool and over what was injected; one row where they agree."""
    whole = joined(_row(look, judged.pool, _pool_title(look)), _proposed(look))
    if _told(judged.pool) == _told(judged.injected):
        return joined(whole, element("p", SAME, cls="fine"), _notes(judged.pool))
    shown = _row(look, judged.injected, "Over what was injected")
    return joined(whole, shown, _notes(judged.pool))


def _proposed(look: Assessed) -> Html | None:
    """A warning where figures rest on roles that a judge proposes."""
    by = {tag.by for tag in look.evaluation.roles.values() if tag.source == "proposed"}
    if not by:
        return None
    return element("p", PROPOSED.format(", ".join(sorted(by))), cls="differing", dir="auto")


def shown_value(figure: Figure) -> str:
    """What stands in the row: `1/2`, `0 to 1`, or `-`."""
    if figure.key not in RHO or not figure.parts or figure.value is None:
        return figure.shown()
    part = figure.parts[0]
    return f"{part.used}/{part.total}"


def _told(figures: ReplyFigures) -> list[str]:
    return [figure.shown() + shown_value(figure) for figure in figures.figures.values()]


def _pool_title(look: Assessed) -> str:
    wanted = len(look.evaluation.wanted)
    more = f" and {wanted} that should have come" if wanted else ""
    if look.covered:
        return f"With the file's gold{more}, which is hidden until you reveal it"
    if look.evaluation.reply.gold:
        return f"Over the instance's pool{more}"
    unrecalled = len(look.evaluation.reply.unrecalled)
    golden = f" and {unrecalled} golden that {'was' if unrecalled == 1 else 'were'} not"
    return f"Over what was recalled{golden if unrecalled else ''}{more}"


def _row(look: Assessed, figures: ReplyFigures, title: str) -> Html:
    shown = [key for key in SHOWN if figures.scenario != "none" or key in ("rho_irr", "miq")]
    cells = [_figure(look, figures[key]) for key in shown]
    grids = [
        element("div", *cells[at : at + ABREAST], cls="figure-grid")
        for at in range(0, len(cells), ABREAST)
    ]
    over = element("p", OVERSHARING, cls="fine") if figures.scenario == "none" else None
    kind = "no claim" if figures.scenario == "none" else figures.scenario
    return element(
        "section",
        element("h3", title, " ", element("small", kind)),
        *grids,
        over,
        cls="figure-row",
    )


def _figure(look: Assessed, figure: Figure) -> Html:
    value = shown_value(figure)
    told = [element("span", line, cls="tip-line") for line in _lines(look, figure)]
    failing = figure.failing if figure.value is not None else ""
    state = "failed" if failing else "open" if not figure.decided else "held"
    role = RHO.get(figure.key)
    mark = element("span", LETTERS[role], cls=f"tag role-{role}", hidden="true") if role else None
    share = element("small", f"= {figure.shown()}") if value != figure.shown() else None
    failed = element("span", "✕", cls="cross", hidden="true") if failing else None
    return element(
        "button",
        element("small", mark, figure.formula.title, cls="figure-name"),
        element("strong", element("span", value, cls="figure-value"), failed, share),
        element("span", *told, cls="tip", role="tooltip"),
        type="button",
        cls=f"figure {state}",
    )


def _lines(look: Assessed, figure: Figure) -> list[str]:
    return look.named(figure.explain()).split("\n")


def _notes(figures: ReplyFigures) -> Html | None:
    """What is to be known of the row: rules in the pool, and those that were violated."""
    notes = [element("p", RULES, cls="fine")] if figures.has_rules else []
    if figures.violated:
        count = len(figures.violated)
        words = f"✕ {count} {'rule' if count == 1 else 'rules'} violated"
        notes.append(element("p", words, cls="violated"))
    if figures.already_said:
        words = f"{len(figures.already_said)} already said in this session, out of the pool"
        notes.append(element("p", words, cls="fine"))
    return joined(*notes)
