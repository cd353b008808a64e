"""The page of a collection among the instances: its components, without what they do."""

from dataclasses import dataclass

import gradio as gr

from sandbox.authoring.exporting import WRITERS
from sandbox.formats.stratmem_write import SEED
from sandbox.ui.places import plain
from sandbox.ui.scripts import CLICKS

CAPPED = "stratmem capped"
"""What the page calls StratMem-Bench's format with capped pools."""


@dataclass(frozen=True, slots=True)
class CollectionPanel:
    """The page, what it exports, and the patch that is applied."""

    column: gr.Column
    made: gr.Textbox
    """The collection made here that is shown as it is now; empty for the file that is chosen."""
    page: gr.HTML
    kind: gr.Dropdown
    seed: gr.Number
    told: gr.HTML
    """What the export would not say."""
    download: gr.Button
    patch: gr.UploadButton
    file: gr.Textbox
    """A file to be handed over."""


def collection_panel() -> CollectionPanel:
    """The page, shown while no instance is chosen."""
    with gr.Column(visible=False, elem_id="collection-page", min_width=0) as column:
        page = plain("collection", CLICKS)
        patch = gr.UploadButton(
            "Apply a patch of labels",
            file_types=[".json"],
            size="sm",
            min_width=0,
            elem_id="apply-patch",
        )
        plain("export-title", markup="<h3>Export</h3>")
        with gr.Row(elem_id="export-row"):
            kind = gr.Dropdown(
                _kinds(), value=None, label="Format", elem_id="export-format", min_width=0
            )
            seed = gr.Number(
                SEED,
                label="Seed of the cap",
                precision=0,
                visible=False,
                min_width=0,
                elem_id="export-seed",
            )
            download = gr.Button(
                "Download", variant="primary", interactive=False, elem_id="export-download"
            )
        told = plain("export-told")
    made, file = gr.Textbox("", visible=False), gr.Textbox("", visible=False)
    return CollectionPanel(column, made, page, kind, seed, told, download, patch, file)


def _kinds() -> list[tuple[str, str]]:
    """The formats that can be written; StratMem-Bench's with full pools and with capped ones."""
    found = []
    for name, one in WRITERS.items():
        if name == "stratmem":
            found += [(f"{one.title}, full pools", name), (f"{one.title}, capped pools", CAPPED)]
        else:
            found.append((one.title, name))
    return found
