"""Checks that need a model: the form, how far they are, what came of them."""

from collections.abc import Sequence

from sandbox.authoring.model_checks.found import CHECK_KINDS, CheckKind
from sandbox.authoring.model_checks.jobs import Progress
from sandbox.authoring.model_checks.planning import MOST_SAMPLES, SAMPLES
from sandbox.ui.markup import Html, button, element, joined

TITLE = "Run the checks that need a model"
SAVE_FIRST = (
    "Closed book, evidence removal and the look at the character need a model. Save the instance "
    "first: their numbers are kept with the version that they are of."
)
HINT = (
    "They look at the instance as it was saved last. Models measure and flag here; they write no "
    "gold. Closing the page stops nothing."
)
ALONE = "There is one model only: evidence removal needs two, and is left out."
_DOES: dict[CheckKind, str] = {
    "closed book": "closed book: it is answered without memory",
    "evidence removal": "evidence removal: it is answered with less and less, two models compare",
    "persona": "persona: what contradicts the character is flagged",
}


def check_view(id_: str, models: Sequence[str], progress: Progress | None) -> Html:
    """How far the checks of a kept instance are; else what came of them, and the form."""
    if progress is not None and progress.running:
        return _progress(progress)
    return joined(_over(progress) if progress else None, _form(id_, models))


def _progress(now: Progress) -> Html:
    stopping = now.status == "stopping"
    caption = "Stopping" if stopping else "Stop"
    return element(
        "section",
        element("p", f"Call {min(now.done + 1, now.calls)} of {now.calls}: {now.doing}."),
        element("progress", value=str(now.done), most=str(now.calls)),
        element(
            "p",
            button(caption, "stop", now.id, cls="small", disabled=stopping),
            cls="form-line",
        ),
        cls="reading",
        role="status",
        form=f"checking {now.id}",
    )


def _over(now: Progress) -> Html:
    told = _told(now)
    bad = now.status == "failed" or bool(now.ran and now.ran.troubles)
    return element(
        "section",
        *(element("p", one, role="alert" if bad else None) for one in told),
        element("p", button("put away", "clear", now.id, cls="quiet"), cls="form-line"),
        cls="reading failed" if bad else "reading",
        role="status",
        form=f"checked {now.id}",
    )


def _told(now: Progress) -> list[str]:
    """What came of it, a sentence each."""
    if now.trouble or now.ran is None:
        return [now.trouble]
    kept = ", ".join(one.found.kind for one in now.ran.kept) or "nothing"
    how = "Stopped" if now.status == "stopped" else "Done"
    return [f"{how}: {kept} on the badges now.", *now.ran.troubles, *now.left_out]


def _form(id_: str, models: Sequence[str]) -> Html:
    others = [*models[1:], *models[:1]] if len(models) > 1 else []
    ticks = [
        element(
            "label",
            element("input", type="checkbox", field="kinds", value=one, id="many", checked=True),
            element("span", _DOES[one]),
            cls="tick",
        )
        for one in CHECK_KINDS
    ]
    return element(
        "div",
        element("strong", "Checks that need a model"),
        element("p", HINT, cls="hint"),
        element("div", *ticks, cls="check-ticks"),
        element(
            "div",
            _field("Model", _choice("model", models)),
            _field("Second judge", _choice("second", others)) if others else None,
            _field("Answers", _number("samples", SAMPLES, 1, MOST_SAMPLES)),
            _field("First seed", _number("seed", 1, 0, None)),
            cls="check-fields",
        ),
        None if others else element("p", ALONE, cls="hint"),
        element("p", button(TITLE, "submit", id_, cls="small approve"), cls="form-line"),
        cls="made-form",
        form=f"check {id_}",
    )


def _field(words: str, inside: Html) -> Html:
    return element("label", element("small", words), inside, cls="form-block")


def _choice(name: str, options: Sequence[str]) -> Html:
    return element("select", *(element("option", one, value=one) for one in options), field=name)


def _number(name: str, value: int, least: int, most: int | None) -> Html:
    top = None if most is None else str(most)
    return element("input", type="number", field=name, value=str(value), least=str(least), most=top)
