"""Components that more than one part of the page has."""

import gradio as gr

from memory_banks.entries import ENTRY_TYPES, SCENES
from sandbox.ui.entry_views import MEANINGS, TYPES
from sandbox.ui.parts import EntryForm

NO_SCENE = ("none", "")


def entry_form(
    save: str, elem_id: str, source_label: str = "Said by", *, reason: bool = False
) -> EntryForm:
    """The fields of an entry, with the button `save`; hidden until it is asked for."""
    with gr.Column(visible=False, elem_id=elem_id, elem_classes="entry-form") as column:
        source = gr.Radio([], label=source_label)
        types = [(f"{TYPES[name][1]} · {MEANINGS[name]}", name) for name in ENTRY_TYPES]
        kind = gr.Dropdown(types, label="Type", interactive=True)
        text = gr.Textbox(label="What is to be remembered", lines=2, max_lines=6)
        with gr.Row(elem_classes="pair"):
            anchor = gr.Textbox(label="Date", placeholder="2026-03-26", min_width=0)
            emotion = gr.Textbox(label="Emotion", min_width=0)
            scene = gr.Dropdown(scenes(), value="", label="Scene", min_width=0)
        why = gr.Textbox(label="Why", placeholder="kept with the operation", visible=reason)
        with gr.Row():
            saved = gr.Button(save, variant="primary", size="sm", min_width=0)
            cancel = gr.Button("Cancel", size="sm", min_width=0)
    return EntryForm(column, source, kind, text, anchor, emotion, scene, why, saved, cancel)


def upload_button(caption: str, elem_id: str) -> gr.UploadButton:
    """A button that takes a bank file."""
    return gr.UploadButton(
        caption, file_types=[".jsonl"], size="sm", elem_id=elem_id, min_width=0, scale=0
    )


def html(elem_id: str, script: str | None, markup: str = "") -> gr.HTML:
    """A place for a view."""
    return gr.HTML(
        markup, elem_id=elem_id, js_on_load=script, apply_default_css=False, elem_classes="plain"
    )


def scenes() -> list[tuple[str, str]]:
    """The scenes to choose from, and none."""
    return [NO_SCENE, *((scene, scene) for scene in SCENES)]
