"""The strip above the chat of a replay, and its door among the instances; without what they do."""

from collections.abc import Sequence
from dataclasses import dataclass

import gradio as gr

from sandbox.replay.gears import FORCINGS, GEARS, NEGATIVES
from sandbox.ui.places import plain
from sandbox.ui.scripts import CLICKS

STEP, BACK, PLAY, HALT = "Step", "Back", "Play", "Stop playing"
REVEAL, OVER = "Reveal gold", "Take over"
NO_JUDGE = "nobody"
OWN_RECALL = "own recall"
EVERY = 1.0
"""Seconds between two looks at a replay that plays."""
FORCED = {"teacher": "the file's replies", "free": "the model's own replies"}
_GEARS = "gold: what a good reply builds on · distractors: among others · pipeline: own recall"


@dataclass(frozen=True, slots=True)
class ReplayPanel:
    """The strip."""

    column: gr.Column
    head: gr.HTML
    """Where the replay stands, and what the model was shown."""
    gear: gr.Dropdown
    negatives: gr.Dropdown
    run: gr.Dropdown
    forcing: gr.Dropdown
    judge: gr.Dropdown
    """Who judges each answer."""
    step: gr.Button
    back: gr.Button
    jump: gr.Dropdown
    play: gr.Button
    halt: gr.Button
    reveal: gr.Button
    over: gr.Button
    revealed: gr.Textbox
    """The stop whose gold is shown, as the session's id and its number; empty for none."""
    gold: gr.HTML
    timer: gr.Timer
    """Runs only while the replay plays."""
    person: gr.Row
    """For a session that was taken over."""
    speak: gr.Button
    """Has the model speak as the person."""


@dataclass(frozen=True, slots=True)
class ReplayDoor:
    """What opens an instance as a replay."""

    gear: gr.Dropdown
    forcing: gr.Dropdown
    open: gr.Button


def replay_strip(models: Sequence[str]) -> ReplayPanel:
    """The strip, hidden until a replay is open."""
    with gr.Column(visible=False, elem_id="replay", elem_classes="panel", min_width=0) as column:
        head = plain("replay-head", CLICKS)
        with gr.Row(elem_id="replay-settings"):
            gear = _choice("Gear", GEARS, "replay-gear")
            negatives = _choice("Negatives", NEGATIVES, "replay-negatives")
            run = _choice("Run", (OWN_RECALL,), "replay-run")
            forcing = _forcing()
            judges = (NO_JUDGE, "local", *(f"llm:{name}" for name in models))
            judge = _choice("Judged by", judges, "replay-judge")
        with gr.Row(elem_id="replay-buttons"):
            step = gr.Button(STEP, variant="primary", size="sm", min_width=0)
            back = gr.Button(BACK, size="sm", min_width=0)
            jump = _choice("Go to stop", (), "replay-jump")
            play = gr.Button(PLAY, size="sm", min_width=0)
            halt = gr.Button(HALT, size="sm", min_width=0)
            reveal = gr.Button(REVEAL, size="sm", min_width=0)
            over = gr.Button(OVER, size="sm", min_width=0)
        revealed = gr.Textbox("", visible=False)
        gold = plain("replay-gold")
        timer = gr.Timer(EVERY, active=False)
    with gr.Row(visible=False, elem_id="play-person") as person:
        speak = gr.Button("Have the model speak for the person", size="sm", min_width=0, scale=0)
    return ReplayPanel(
        column,
        head,
        gear,
        negatives,
        run,
        forcing,
        judge,
        step,
        back,
        jump,
        play,
        halt,
        reveal,
        over,
        revealed,
        gold,
        timer,
        person,
        speak,
    )


def replay_door() -> ReplayDoor:
    """The door, in the row of the instance that is shown."""
    gear = gr.Dropdown(
        list(GEARS), value="pipeline", label="Gear", info=_GEARS, min_width=0, elem_id="door-gear"
    )
    forcing = _forcing("door-forcing")
    return ReplayDoor(gear, forcing, gr.Button("Replay", min_width=0, elem_id="replay-instance"))


def _forcing(elem_id: str = "replay-forcing") -> gr.Dropdown:
    names = [(FORCED[one], one) for one in FORCINGS]
    return gr.Dropdown(
        names, value="teacher", label="Later stops see", min_width=0, elem_id=elem_id
    )


def _choice(label: str, names: Sequence[str], elem_id: str) -> gr.Dropdown:
    value = names[0] if names else None
    return gr.Dropdown(list(names), value=value, label=label, min_width=0, elem_id=elem_id)
