"""The tab with the instances: its components, without what they do."""

from collections.abc import Sequence
from dataclasses import dataclass

import gradio as gr

from graphs import STRATEGIES
from sandbox.ui.check_parts import CheckPanel, check_panel
from sandbox.ui.collection_parts import CollectionPanel, collection_panel
from sandbox.ui.dispute_parts import DisputePanel, dispute_panel
from sandbox.ui.instances_views import importable
from sandbox.ui.places import plain as plain
from sandbox.ui.replay_episode import EpisodePanel, episode_panel
from sandbox.ui.replay_parts import ReplayDoor, replay_door
from sandbox.ui.save_parts import SavePanel, made_place, save_panel
from sandbox.ui.scripts import CLICKS, FORM

FIRST = "full_pool"
"""The strategy that a pool is made for."""


@dataclass(frozen=True, slots=True)
class InstancesParts:
    """Every component of the tab."""

    collection: gr.Textbox
    """Fingerprint of the chosen collection."""
    instance: gr.Textbox
    """Id of the chosen instance; empty for none."""
    removing: gr.Textbox
    """Fingerprint of the collection that may be removed; empty for none."""
    opened: gr.Textbox
    """The session to go to."""
    upload: gr.UploadButton
    shelf: gr.HTML
    confirm: gr.Column
    question: gr.HTML
    remove: gr.Button
    keep: gr.Button
    figures: gr.HTML
    search: gr.Textbox
    gold: gr.Checkbox
    listed: gr.HTML
    preview: gr.HTML
    row: gr.Row
    strategy: gr.Dropdown
    model: gr.Dropdown
    open: gr.Button
    page: CollectionPanel
    """Of the chosen collection, while no instance is chosen."""
    dispute: DisputePanel
    save: SavePanel
    check: CheckPanel
    replay: ReplayDoor
    episode: EpisodePanel
    """What is made here."""


def lay_out_instances(models: Sequence[str]) -> InstancesParts:
    """Every component in its place; `models` are the names to choose from, the default first."""
    with gr.Row(elem_id="instances-columns", elem_classes="tab-columns", equal_height=True):
        with gr.Column(elem_classes="tab-side", min_width=0, scale=0):
            with gr.Row(elem_classes="list-head"):
                plain("collections-title", markup="<h3>Collections</h3>")
                upload = gr.UploadButton(
                    "Import a collection",
                    file_types=[".json", ".jsonl", ".zip"],
                    file_count="multiple",
                    size="sm",
                    elem_id="collection-upload",
                    min_width=0,
                    scale=0,
                )
            shelf = plain("shelf", CLICKS)
            with gr.Column(visible=False, elem_id="collection-confirm") as confirm:
                question = plain("collection-question")
                with gr.Row():
                    remove = gr.Button("Remove it", variant="stop", size="sm", min_width=0)
                    keep = gr.Button("Keep it", size="sm", min_width=0)
            made = made_place()
            plain("importable", markup=importable().markup)
            figures = plain("figures")
            search = gr.Textbox(
                "",
                show_label=False,
                label="Search instances",
                placeholder="Search id, title, people, language, query",
                elem_id="instance-search",
                container=False,
                max_lines=1,
                min_width=0,
            )
            gold = gr.Checkbox(
                label="show gold (roles become visible to you, never to the model)",
                container=False,
                min_width=0,
            )
            listed = plain("instance-list", CLICKS)
        with gr.Column(elem_classes="tab-main", min_width=0, scale=1):
            with gr.Row(visible=False, elem_id="open-row") as row:
                strategy = gr.Dropdown(
                    _strategies(), value=FIRST, label="Strategy", min_width=0, elem_id="open-with"
                )
                model = gr.Dropdown(list(models), value=models[0], label="Model", min_width=0)
                opener = gr.Button("Open", variant="primary", min_width=0, elem_id="open-instance")
                door = replay_door()
            save = save_panel(made)
            check = check_panel()
            episode = episode_panel(models)
            page = collection_panel()
            preview = plain("instance-preview", FORM)
    return InstancesParts(
        collection=gr.Textbox("", visible=False),
        instance=gr.Textbox("", visible=False),
        removing=gr.Textbox("", visible=False),
        opened=gr.Textbox("", visible=False),
        upload=upload,
        shelf=shelf,
        confirm=confirm,
        question=question,
        remove=remove,
        keep=keep,
        figures=figures,
        search=search,
        gold=gold,
        listed=listed,
        preview=preview,
        row=row,
        strategy=strategy,
        model=model,
        open=opener,
        page=page,
        dispute=dispute_panel(),
        save=save,
        check=check,
        replay=door,
        episode=episode,
    )


def _strategies() -> list[str]:
    return [FIRST, *(name for name in STRATEGIES if name != FIRST)]
