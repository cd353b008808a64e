"""The tab with the characters: its components, without what they do."""

from dataclasses import dataclass, fields

import gradio as gr

from sandbox.ui.characters_views import importable
from sandbox.ui.instances_parts import plain
from sandbox.ui.scripts import CLICKS


@dataclass(frozen=True, slots=True)
class FormParts:
    """The fields of `sandbox.character_forms`, in its order."""

    name: gr.Textbox
    language: gr.Textbox
    summary: gr.Textbox
    traits: gr.Textbox
    style: gr.Textbox
    domains: gr.Textbox
    values: gr.Textbox
    rules: gr.Textbox
    scenario: gr.Textbox
    examples: gr.Textbox
    greeting: gr.Textbox
    openers: gr.Textbox

    def all(self) -> list[gr.Textbox]:
        """Every field."""
        return [getattr(self, field.name) for field in fields(self)]


@dataclass(frozen=True, slots=True)
class CharactersParts:
    """Every component of the tab."""

    persona: gr.Textbox
    """Id of the chosen character."""
    base: gr.Textbox
    """Id of the character whose form is open; empty for a new one."""
    file: gr.Textbox
    """A file to take away, as JSON."""
    opened: gr.Textbox
    """The session to go to."""
    new: gr.Button
    upload: gr.UploadButton
    search: gr.Textbox
    listed: gr.HTML
    form: gr.Column
    title: gr.HTML
    fields: FormParts
    save: gr.Button
    cancel: gr.Button
    detail: gr.Column
    edit: gr.Button
    remove: gr.Button
    confirm: gr.Column
    """Asks whether the character is to be deleted."""
    question: gr.HTML
    delete: gr.Button
    keep: gr.Button
    user: gr.Dropdown
    talk: gr.Button
    lore: gr.Button
    book: gr.UploadButton
    """A lorebook that is a file of its own."""
    kind: gr.Dropdown
    with_bank: gr.Checkbox
    download: gr.Button
    sheet: gr.HTML


EDIT, COPY = "Edit", "Edit a copy"
REMOVE = "Delete"
TALK, LORE = "Talk", "Import the lorebook into the bank"


def lay_out_characters() -> CharactersParts:
    """Every component in its place."""
    with gr.Row(elem_id="characters-columns", elem_classes="tab-columns", equal_height=True):
        with gr.Column(elem_classes="tab-side", min_width=0, scale=0):
            with gr.Row(elem_classes="list-head"):
                plain("characters-title", markup="<h3>Characters</h3>")
                new = gr.Button("New character", size="sm", min_width=0, scale=0)
                upload = gr.UploadButton(
                    "Import a character",
                    file_types=[".yaml", ".yml", ".json", ".png"],
                    size="sm",
                    elem_id="character-upload",
                    min_width=0,
                    scale=0,
                )
            plain("character-importable", markup=importable().markup)
            search = gr.Textbox(
                "",
                show_label=False,
                label="Search characters",
                placeholder="Search name, id, description",
                elem_id="character-search",
                container=False,
                max_lines=1,
                min_width=0,
            )
            listed = plain("character-list", CLICKS)
        with gr.Column(elem_classes="tab-main", min_width=0, scale=1):
            with gr.Column(visible=False, elem_id="character-form") as form:
                title = plain("character-form-title")
                told = _form()
                with gr.Row(elem_classes="action-row"):
                    save = gr.Button("Save the character", variant="primary", size="sm")
                    cancel = gr.Button("Cancel", size="sm")
            with gr.Column(elem_id="character-detail") as detail:
                with gr.Row(elem_classes="action-row"):
                    user = gr.Dropdown(
                        [],
                        label="For (the person I speak as)",
                        allow_custom_value=True,
                        interactive=True,
                        min_width=0,
                        elem_id="character-user",
                    )
                    talk = gr.Button(TALK, variant="primary", size="sm", min_width=0)
                    edit = gr.Button(EDIT, size="sm", min_width=0)
                    remove = gr.Button(REMOVE, size="sm", min_width=0, visible=False)
                    lore = gr.Button(LORE, size="sm", min_width=0, visible=False)
                    book = gr.UploadButton(
                        "Import a lorebook file",
                        file_types=[".json"],
                        size="sm",
                        elem_id="book-upload",
                        min_width=0,
                    )
                with gr.Column(visible=False, elem_id="character-confirm") as confirm:
                    question = plain("character-question")
                    with gr.Row():
                        delete = gr.Button("Delete it", variant="stop", size="sm", min_width=0)
                        keep = gr.Button("Keep it", size="sm", min_width=0)
                with gr.Row(elem_classes="action-row"):
                    kind = gr.Dropdown(
                        [("YAML", "yaml")], value="yaml", label="Take away as", min_width=0
                    )
                    download = gr.Button("Download", size="sm", min_width=0)
                    with_bank = gr.Checkbox(
                        label="with what it holds for this person, as the card's lorebook",
                        container=False,
                        min_width=0,
                        elem_classes="wide",
                    )
                sheet = plain("character-sheet")
    return CharactersParts(
        persona=gr.Textbox("", visible=False),
        base=gr.Textbox("", visible=False),
        file=gr.Textbox("", visible=False),
        opened=gr.Textbox("", visible=False),
        new=new,
        upload=upload,
        search=search,
        listed=listed,
        form=form,
        title=title,
        fields=told,
        save=save,
        cancel=cancel,
        detail=detail,
        edit=edit,
        remove=remove,
        confirm=confirm,
        question=question,
        delete=delete,
        keep=keep,
        user=user,
        talk=talk,
        lore=lore,
        book=book,
        kind=kind,
        with_bank=with_bank,
        download=download,
        sheet=sheet,
    )


def _form() -> FormParts:
    with gr.Row(elem_classes="pair"):
        name = _text("Name", 1)
        language = gr.Textbox("en", label="Language (two letters)", min_width=0)
    return FormParts(
        name=name,
        language=language,
        summary=_text("Who it is (an empty line between paragraphs)", 4),
        traits=_text("Traits, one a line", 3),
        style=_text("Style, one a line", 2),
        domains=_text("Domains, one a line", 2),
        values=_text("Values, one a line", 2),
        rules=_text("Rules that it always follows, one a line", 2),
        scenario=_text("Scenario", 2),
        examples=_text("Examples of talk (a line --- between them)", 3),
        greeting=_text("Greeting", 2),
        openers=_text("Openers offered to the person, one a line", 2),
    )


def _text(label: str, lines: int) -> gr.Textbox:
    return gr.Textbox("", label=label, lines=lines, max_lines=12, min_width=0)
