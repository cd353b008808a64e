"""Where everything on the page is: the components, without what they do."""

from collections.abc import Sequence

import gradio as gr

from graphs import STRATEGIES
from memory_banks.entries import ENTRY_TYPES, SCENES
from sandbox.ui.chat_views import WINDOW
from sandbox.ui.entry_views import MEANINGS, TYPES
from sandbox.ui.parts import (
    CAPTURE,
    COPY,
    Doors,
    EntryForm,
    Inspector,
    Kept,
    Parts,
    Sidebar,
    Talk,
)
from sandbox.ui.scripts import CHAT, CLICKS
from sandbox.ui.views import door_title

SAMPLE = door_title("1", "Sample chat", "Speak as somebody a character knows well already.")
CHARACTER = door_title(
    "2",
    "Character",
    "Speak as yourself, with a bank that starts blank: your name, then a character.",
)
NO_SCENE = ("none", "")


def lay_out(models: Sequence[str]) -> Parts:
    """Every component in its place; `models` are the names to choose from, the default first."""
    kept = _kept()
    banner = _html("banner", None)
    timer = gr.Timer(1.5)
    with gr.Row(elem_id="columns", equal_height=True):
        with gr.Column(elem_id="side", min_width=0, scale=0):
            side = _sidebar(models)
        with gr.Column(elem_id="centre", min_width=0, scale=1):
            doors = _doors()
            talk = _talk()
        with gr.Column(elem_id="inspector", min_width=0, scale=0):
            inspector = _inspector()
    return Parts(banner, timer, kept, side, doors, talk, inspector)


def _kept() -> Kept:
    fields = {name: gr.Textbox(visible=False) for name in Kept.__annotations__ if name != "window"}
    return Kept(**fields, window=gr.Number(WINDOW, visible=False))


def _sidebar(models: Sequence[str]) -> Sidebar:
    with gr.Column(elem_classes="panel", min_width=0):
        persona = gr.Dropdown([], label="Character", interactive=True, elem_id="persona")
        user = gr.Dropdown(
            [], label="I speak as", allow_custom_value=True, interactive=True, elem_id="user"
        )
        profile = _html("profile", None)
        copy = gr.Button(COPY, visible=False, size="sm")
    with gr.Column(elem_classes="panel", min_width=0):
        clock = gr.Textbox(
            label="Session clock (empty: the real one)",
            placeholder="2026-03-26T11:05+03:00",
            elem_id="clock",
        )
        with gr.Row(elem_classes="pair"):
            emotion = gr.Textbox(label="Emotion", placeholder="now", min_width=0)
            scene = gr.Dropdown(_scenes(), value="", label="Scene", min_width=0)
        with gr.Row(elem_classes="pair"):
            strategy = gr.Dropdown(list(STRATEGIES), value="top_k", label="Strategy", min_width=0)
            model = gr.Dropdown(list(models), value=models[0], label="Model", min_width=0)
    with gr.Row(elem_classes="list-head"):
        _html("sessions-title", None, "<h3>Sessions</h3>")
        new = gr.Button("New session", size="sm", variant="primary", min_width=0, scale=0)
    sessions = _html("sessions", CLICKS)
    return Sidebar(
        persona, user, profile, copy, clock, emotion, scene, strategy, model, new, sessions
    )


def _doors() -> Doors:
    with gr.Column(visible=False, elem_id="doors") as column:
        _html("doors-title", None, "<h2>Three ways in</h2>")
        with gr.Column(elem_classes="door", min_width=0):
            _html("sample-title", None, SAMPLE.markup)
            sample = _html("sample-door", CLICKS)
        with gr.Column(elem_classes="door", min_width=0):
            _html("character-title", None, CHARACTER.markup)
            name = gr.Textbox(label="Your name", elem_id="your-name")
            characters = _html("character-door", CLICKS)
        with gr.Column(elem_classes="door", min_width=0):
            file = _html("file-door", None)
            upload = _upload("Choose a bank file", "door-upload")
    return Doors(column, sample, characters, name, file, upload)


def _talk() -> Talk:
    with gr.Column(visible=False, elem_id="conversation") as column:
        with gr.Row(elem_id="talk-head"):
            plates = _html("plates", CLICKS)
            end = gr.Button("End session", size="sm", min_width=0, scale=0)
            again = gr.Button("Continue", size="sm", variant="primary", min_width=0, scale=0)
        with gr.Column(elem_id="talk"):
            bubbles = _html("bubbles", CHAT)
            live = _html("live", None)
        with gr.Column(visible=False, elem_id="by-hand") as by_hand:
            written = gr.Textbox(label="The reply, written by you", lines=3, max_lines=10)
            with gr.Row():
                save = gr.Button("Save this reply", variant="primary", size="sm")
                cancel = gr.Button("Cancel", size="sm")
        with gr.Column(elem_id="composer") as composer, gr.Row(elem_classes="composer-row"):
            box = gr.Textbox(
                show_label=False,
                label="Message",
                lines=1,
                max_lines=8,
                elem_id="message",
                placeholder="Write a message. Enter sends, Shift+Enter starts a new line.",
            )
            with gr.Row(elem_classes="composer-buttons"):
                send = gr.Button("Send", variant="primary", size="sm", min_width=0)
                stop = gr.Button("Stop", size="sm", min_width=0, interactive=False)
    return Talk(
        column,
        plates,
        end,
        again,
        bubbles,
        live,
        composer,
        box,
        send,
        stop,
        by_hand,
        written,
        save,
        cancel,
    )


def _inspector() -> Inspector:
    with gr.Tabs(elem_id="tabs") as tabs:
        with gr.Tab("Reply", id="reply"):
            capture = gr.Button(CAPTURE, size="sm", visible=False)
            capture_form = _entry_form("Remember this", "capture-form")
            reply = _html("reply", CLICKS)
        with gr.Tab("Bank", id="bank"):
            with gr.Row(elem_classes="list-head"):
                superseded = gr.Checkbox(label="show superseded", container=False, min_width=0)
                upload = _upload("Import a file", "bank-upload")
            bank = _html("bank", None)
        with gr.Tab("Proposals", id="proposals") as proposals_tab:
            edit_form = _entry_form("Approve as edited", "edit-form")
            proposals = _html("proposals", CLICKS)
    return Inspector(
        tabs,
        reply,
        capture,
        capture_form,
        bank,
        superseded,
        upload,
        proposals_tab,
        proposals,
        edit_form,
    )


def _entry_form(save: str, elem_id: str) -> EntryForm:
    with gr.Column(visible=False, elem_id=elem_id, elem_classes="entry-form") as column:
        source = gr.Radio([], label="Said by")
        types = [(f"{TYPES[name][1]} · {MEANINGS[name]}", name) for name in ENTRY_TYPES]
        kind = gr.Dropdown(types, label="Type", interactive=True)
        text = gr.Textbox(label="What is to be remembered", lines=2, max_lines=6)
        with gr.Row(elem_classes="pair"):
            anchor = gr.Textbox(label="Date", placeholder="2026-03-26", min_width=0)
            emotion = gr.Textbox(label="Emotion", min_width=0)
            scene = gr.Dropdown(_scenes(), value="", label="Scene", min_width=0)
        with gr.Row():
            saved = gr.Button(save, variant="primary", size="sm", min_width=0)
            cancel = gr.Button("Cancel", size="sm", min_width=0)
    return EntryForm(column, source, kind, text, anchor, emotion, scene, saved, cancel)


def _upload(caption: str, elem_id: str) -> gr.UploadButton:
    return gr.UploadButton(
        caption, file_types=[".jsonl"], size="sm", elem_id=elem_id, min_width=0, scale=0
    )


def _html(elem_id: str, script: str | None, markup: str = "") -> gr.HTML:
    return gr.HTML(
        markup, elem_id=elem_id, js_on_load=script, apply_default_css=False, elem_classes="plain"
    )


def _scenes() -> list[tuple[str, str]]:
    return [NO_SCENE, *((scene, scene) for scene in SCENES)]
