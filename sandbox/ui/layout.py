"""Where everything on the page is: the components, without what they do."""

from collections.abc import Sequence

import gradio as gr

from graphs import STRATEGIES
from sandbox.ui.bank_layout import bank_panel, recall_panel
from sandbox.ui.bank_views import ROWS
from sandbox.ui.branch_parts import BranchPanel, branch_line_place, branch_panel
from sandbox.ui.chat_views import WINDOW
from sandbox.ui.fields import entry_form, html, scenes, upload_button
from sandbox.ui.forget_parts import ForgetPanel, forget_panel
from sandbox.ui.look_parts import LookPanel
from sandbox.ui.method_parts import method_choice, method_place
from sandbox.ui.parts import (
    CAPTURE,
    COPY,
    KNOWS,
    SAY,
    SEND,
    BankPanel,
    Doors,
    Inspector,
    Kept,
    Parts,
    RecallPanel,
    Sidebar,
    Talk,
)
from sandbox.ui.pick_parts import PickPanel, pick_panel
from sandbox.ui.reingest_parts import ReingestPanel, reingest_panel
from sandbox.ui.replay_parts import replay_strip
from sandbox.ui.save_parts import SaveDoor, save_door
from sandbox.ui.scripts import CHAT, CLICKS
from sandbox.ui.switch_parts import SwitchPanel, switch_panel
from sandbox.ui.verdict_parts import VerdictPanel, verdict_panel
from sandbox.ui.views import door_title

SAMPLE = door_title("1", "Sample chat", "Speak as somebody a character knows well already.")
CHARACTER = door_title(
    "2",
    "Character",
    "Speak as yourself, with a bank that starts blank: your name, then a character.",
)

Panels = tuple[
    Inspector,
    BankPanel,
    RecallPanel,
    VerdictPanel,
    SwitchPanel,
    BranchPanel,
    ForgetPanel,
    LookPanel,
    PickPanel,
    ReingestPanel,
    SaveDoor,
]
"""What stands beside the chat, in the order of `Parts`."""


def lay_out(models: Sequence[str]) -> Parts:
    """Every component in its place; `models` are the names to choose from, the default first."""
    kept = _kept()
    banner = html("banner", None)
    timer = gr.Timer(1.5)
    with gr.Row(elem_id="columns", equal_height=True):
        with gr.Column(elem_id="side", min_width=0, scale=0):
            side, line = _sidebar(models), branch_line_place()
        with gr.Column(elem_id="centre", min_width=0, scale=1):
            doors = _doors()
            strip = replay_strip(models)
            talk = _talk()
        with gr.Column(elem_id="inspector", min_width=0, scale=0):
            panels = _inspector(line)
    return Parts(banner, timer, kept, side, doors, talk, *panels, strip)


def _kept() -> Kept:
    texts = [name for name in Kept.__annotations__ if name not in ("window", "rows")]
    return Kept(
        **{name: gr.Textbox(visible=False) for name in texts},
        window=gr.Number(WINDOW, visible=False),
        rows=gr.Number(ROWS, visible=False),
    )


def _sidebar(models: Sequence[str]) -> Sidebar:
    with gr.Column(elem_classes="panel", min_width=0):
        persona = gr.Dropdown([], label="Character", interactive=True, elem_id="persona")
        user = gr.Dropdown(
            [], label="I speak as", allow_custom_value=True, interactive=True, elem_id="user"
        )
        profile = html("profile", CLICKS)
        with gr.Column(visible=False, elem_id="about", min_width=0) as about:
            self_text = gr.Textbox(label="Who I am", lines=2, max_lines=6)
            with gr.Row():
                describe = gr.Button("Save", variant="primary", size="sm", min_width=0)
                leave = gr.Button("Cancel", size="sm", min_width=0)
        knows = gr.Checkbox(label=KNOWS, container=False, elem_id="knows", min_width=0)
        copy = gr.Button(COPY, visible=False, size="sm")
    with gr.Column(elem_classes="panel", min_width=0):
        clock = gr.Textbox(
            label="Session clock (empty: the real one)",
            placeholder="2026-03-26T11:05+03:00",
            elem_id="clock",
        )
        with gr.Row(elem_classes="pair"):
            emotion = gr.Textbox(label="Emotion", placeholder="now", min_width=0)
            scene = gr.Dropdown(scenes(), value="", label="Scene", min_width=0)
        with gr.Row(elem_classes="pair"):
            strategy = gr.Dropdown(list(STRATEGIES), value="top_k", label="Strategy", min_width=0)
            model = gr.Dropdown(list(models), value=models[0], label="Model", min_width=0)
        method, remembers = method_choice(), method_place()
    with gr.Row(elem_classes="list-head"):
        html("sessions-title", None, "<h3>Sessions</h3>")
        new = gr.Button("New session", size="sm", variant="primary", min_width=0, scale=0)
    sessions = html("sessions", CLICKS)
    return Sidebar(
        persona,
        user,
        profile,
        about,
        self_text,
        describe,
        leave,
        knows,
        copy,
        clock,
        emotion,
        scene,
        strategy,
        model,
        method,
        remembers,
        new,
        sessions,
    )


def _doors() -> Doors:
    with gr.Column(visible=False, elem_id="doors") as column:
        html("doors-title", None, "<h2>Three ways in</h2>")
        with gr.Column(elem_classes="door", min_width=0):
            html("sample-title", None, SAMPLE.markup)
            sample = html("sample-door", CLICKS)
        with gr.Column(elem_classes="door", min_width=0):
            html("character-title", None, CHARACTER.markup)
            name = gr.Textbox(label="Your name", elem_id="your-name")
            characters = html("character-door", CLICKS)
        with gr.Column(elem_classes="door", min_width=0):
            file = html("file-door", None)
            upload = upload_button("Choose a bank file", "door-upload")
    return Doors(column, sample, characters, name, file, upload)


def _talk() -> Talk:
    with gr.Column(visible=False, elem_id="conversation") as column:
        with gr.Row(elem_id="talk-head"):
            plates = html("plates", CLICKS)
            end = gr.Button("End session", size="sm", min_width=0, scale=0)
            again = gr.Button("Continue", size="sm", variant="primary", min_width=0, scale=0)
        with gr.Column(elem_id="talk"):
            bubbles = html("bubbles", CHAT)
            live = html("live", None)
        with gr.Column(visible=False, elem_id="by-hand") as by_hand:
            written = gr.Textbox(label="The reply, written by you", lines=3, max_lines=10)
            with gr.Row():
                save = gr.Button("Save this reply", variant="primary", size="sm")
                cancel = gr.Button("Cancel", size="sm")
        with gr.Column(elem_id="composer") as composer:
            swap = gr.Checkbox(label="speak as the character", container=False, elem_id="swap")
            with gr.Row(elem_classes="composer-row"):
                box = gr.Textbox(
                    show_label=False,
                    label="Message",
                    lines=1,
                    max_lines=8,
                    elem_id="message",
                    placeholder=SAY,
                )
                with gr.Row(elem_classes="composer-buttons"):
                    send = gr.Button(SEND, variant="primary", size="sm", min_width=0)
                    stop = gr.Button("Stop", size="sm", min_width=0, interactive=False)
    return Talk(
        column,
        plates,
        end,
        again,
        bubbles,
        live,
        composer,
        swap,
        box,
        send,
        stop,
        by_hand,
        written,
        save,
        cancel,
    )


def _inspector(line: gr.HTML) -> Panels:
    with gr.Tabs(elem_id="tabs") as tabs:
        with gr.Tab("Reply", id="reply"):
            capture = gr.Button(CAPTURE, size="sm", visible=False)
            capture_form = entry_form("Remember this", "capture-form")
            verdict = verdict_panel()
            reply = html("reply", CLICKS)
            pick = pick_panel()
            door = save_door()
        with gr.Tab("What if", id="switches"):
            switch = switch_panel()
        with gr.Tab("Bank", id="bank"):
            bank, look = bank_panel()
        with gr.Tab("Recall", id="recall"):
            recall = recall_panel()
        with gr.Tab("Proposals", id="proposals") as proposals_tab:
            edit_form = entry_form("Approve as edited", "edit-form")
            proposals = html("proposals", CLICKS)
        with gr.Tab("Branches", id="branches"):
            again = reingest_panel()
            branch = branch_panel(line)
    inspector = Inspector(tabs, reply, capture, capture_form, proposals_tab, proposals, edit_form)
    beside = (forget_panel(), look, pick, again, door)
    return (inspector, bank, recall, verdict, switch, branch, *beside)
