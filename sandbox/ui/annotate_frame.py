"""What the forms of annotators begin and end with, whatever is annotated."""

from sandbox.authoring.authored import Annotation, Authored
from sandbox.authoring.blind import BlindView
from sandbox.ui.markup import Child, Html, button, element, said
from sandbox.ui.save_form import field, labelled


def blind_frame(view: BlindView, number: int, rule: str, *content: Html, state: str = "") -> Html:
    """A form of one annotator: `rule` says what is hidden, `content` asks.

    `number` is that of the version that is looked at: what one annotator typed is not the next's.
    `state` is the moment that is answered, in words; empty where there is none.
    """
    people = f"{view.persona.name} and {view.human.name}"
    return element(
        "div",
        element("h2", view.title),
        element("p", rule, cls="warning"),
        element("p", f"{people} · {state}" if state else people, cls="hint"),
        *(said(text, "p") for text in view.persona.summary),
        *content,
        labelled("Your name", field("author", "Your name", "")),
        labelled("A note", field("note", "A note", "")),
        element(
            "p",
            button("Save my annotation", "edit", view.id, cls="small approve"),
            button("Close", "collapse", cls="small"),
            cls="form-line",
        ),
        form=f"blind {view.id} v{number}",
        cls="made-form human-form",
    )


def decision_frame(first: Authored, second: Annotation, *content: Child) -> Html:
    """A form of whoever decides between two annotators; `content` shows where they differ."""
    return element(
        "div",
        element("h2", first.title),
        said(second.note, "p") if second.note else None,
        *content,
        labelled("Your name", field("author", "Your name", "")),
        labelled("Why", field("reason", "Why", "")),
        element(
            "p",
            button("Decide", "retry", first.id, cls="small approve"),
            button("Close", "collapse", cls="small"),
            cls="form-line",
        ),
        form=f"decide {first.id} {second.number}",
        cls="made-form human-form",
    )
