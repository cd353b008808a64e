"""The components around the verdict card, without what they do."""

from dataclasses import dataclass

import gradio as gr

from sandbox.judges.verdict import ASPECTS
from sandbox.ui.instances_parts import plain
from sandbox.ui.scripts import CLICKS, FORM, TIES
from sandbox.ui.verdict_notes import ASPECT_WORDS

EVALUATE = "Evaluate"
MYSELF = "Judge it myself"
MOST_DRAWS = 5


@dataclass(frozen=True, slots=True)
class VerdictPanel:
    """Who judges the inspected reply, the card, and what changes it."""

    front: gr.Textbox
    """The judge whose verdict the chat shows; empty for the latest."""
    shown: gr.Textbox
    """The reply that the controls are set for."""
    correcting: gr.Textbox
    """The tag that is being corrected."""
    column: gr.Column
    judge: gr.Dropdown
    evaluate: gr.Button
    stop: gr.Button
    myself: gr.Button
    options: gr.Accordion
    draws: gr.Slider
    aspects: gr.CheckboxGroup
    busy: gr.HTML
    form: gr.HTML
    """The human judge's form; empty where it is closed."""
    correction: gr.Column
    question: gr.HTML
    value: gr.Radio
    reason: gr.Textbox
    save: gr.Button
    cancel: gr.Button
    card: gr.HTML
    wanting: gr.Accordion
    wanted: gr.Dropdown
    wanted_reason: gr.Textbox
    want: gr.Button


def verdict_panel() -> VerdictPanel:
    """The panel, hidden until a reply is inspected."""
    front, shown, correcting = (gr.Textbox("", visible=False) for _ in range(3))
    with gr.Column(visible=False, elem_id="verdict", min_width=0) as column:
        with gr.Row(elem_id="judge-row"):
            judge = gr.Dropdown(
                [],
                label="Judge",
                show_label=False,
                container=False,
                interactive=True,
                elem_id="judge",
                min_width=0,
            )
            evaluate = gr.Button(
                EVALUATE, variant="primary", size="sm", elem_id="evaluate", min_width=0, scale=0
            )
            stop = gr.Button(
                "Stop", size="sm", visible=False, elem_id="judge-stop", min_width=0, scale=0
            )
            myself = gr.Button(MYSELF, size="sm", elem_id="judge-myself", min_width=0, scale=0)
        with gr.Accordion("Options", open=False, elem_id="judge-options") as options:
            draws = gr.Slider(
                1, MOST_DRAWS, value=1, step=1, label="Draws (of an llm judge)", elem_id="draws"
            )
            names = [(ASPECT_WORDS[one][0], one) for one in ASPECTS]
            aspects = gr.CheckboxGroup(names, label="Aspects", elem_id="aspects")
        busy, form = plain("judge-busy"), plain("human", FORM)
        with gr.Column(visible=False, elem_id="correction", elem_classes="entry-form") as changing:
            question = plain("correction-question")
            value = gr.Radio([], label="It is", elem_id="correction-value")
            reason = gr.Textbox(label="Why", placeholder="kept with the correction", max_lines=3)
            with gr.Row():
                save = gr.Button("Save", variant="primary", size="sm", min_width=0)
                cancel = gr.Button("Cancel", size="sm", min_width=0)
        card = plain("card", TIES + CLICKS)
        with gr.Accordion("This should have come", open=False, elem_id="wanting") as wanting:
            wanted = gr.Dropdown(
                [], value=None, label="Entry of the bank", interactive=True, elem_id="wanted"
            )
            why = gr.Textbox(label="Why", placeholder="kept with it", max_lines=3)
            want = gr.Button("Add it to the pool", size="sm", min_width=0)
    return VerdictPanel(
        front=front,
        shown=shown,
        correcting=correcting,
        column=column,
        judge=judge,
        evaluate=evaluate,
        stop=stop,
        myself=myself,
        options=options,
        draws=draws,
        aspects=aspects,
        busy=busy,
        form=form,
        correction=changing,
        question=question,
        value=value,
        reason=reason,
        save=save,
        cancel=cancel,
        card=card,
        wanting=wanting,
        wanted=wanted,
        wanted_reason=why,
        want=want,
    )
