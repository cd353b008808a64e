"""The strip above the chat of a replay, and its door among the instances; without what they do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from sandbox.replay.gears import BESIDE, FORCINGS, GEARS, NEGATIVES
from sandbox.ui.markup import Html, element, fold, joined
from sandbox.ui.places import plain
from sandbox.ui.scripts import CLICKS

STEP, BACK, PLAY, HALT = "Step", "Back", "Play", "Stop playing"
REVEAL, OVER = "Reveal gold", "Take over"
NO_JUDGE = "nobody"
OWN_RECALL = "own recall"
HERE, FROM_HERE = "here", "from here"
"""Where a replay is taken over unless an earlier place is chosen."""
EVERY = 1.0
"""Seconds between two looks at a replay that plays."""
FORCED = {"teacher": "the file's replies", "free": "the model's own replies"}
PROMPTED = {
    "file": "the file's own",
    "benchmark": "StratMem-Bench's",
    "sandbox": "the sandbox's own",
}
_HELP = (
    (
        "Gear",
        "how much of the gold the model is handed: what a good reply builds on, that among others, "
        "or nothing, so that it recalls by itself with the strategy on the left. Press regenerate "
        "below the answer to have one stop answered under another gear.",
    ),
    (
        "Negatives",
        "of MADial-Bench's setting 2: the four that a released ranking has at its top (hardest, as "
        "in its Chinese files; usual here) or at its bottom (easiest, as in its English ones).",
    ),
    (
        "k",
        "how many other sessions, or entries of a file that names no decoys, stand beside the "
        "evidence. 4 unless changed: in UtilMem most of the harm is done between 2 and 8.",
    ),
    (
        "Run",
        "whose ranking the gear pipeline shows the top five of, where released rankings were "
        "imported with the file; else own recall.",
    ),
    (
        "Seed",
        "decides in which order entries are shown and which are drawn; empty: the instance's own, "
        "so that everybody who replays it shows the same.",
    ),
    (
        "Prompts",
        "a released benchmark is asked with its own prompts; what was made here, and the shipped "
        "collection, with the sandbox's, as it was found. StratMem-Bench's show the entries' texts "
        "alone and tell no date: choose them for figures beside that paper's.",
    ),
    (
        "Later stops see",
        "the file's replies (teacher-forced: every stop is met as the file tells it) or the "
        "model's own (free-running: its faults have consequences).",
    ),
    (
        "Judged by",
        "who judges each answer as soon as it is there; the verdict stands on the right.",
    ),
    (
        "Take over",
        "makes an ordinary session of it, from here or from an earlier utterance: talk on as the "
        "person, write the character's reply, or have the model speak for either. Prompts, clock "
        "and profile stay; memories come by own recall.",
    ),
)


@dataclass(frozen=True, slots=True)
class ReplayPanel:
    """The strip."""

    column: gr.Column
    head: gr.HTML
    """Where the replay stands, and what the model was shown."""
    gear: gr.Dropdown
    negatives: gr.Dropdown
    run: gr.Dropdown
    k: gr.Number
    seed: gr.Textbox
    """Empty: the instance's own."""
    prompts: gr.Dropdown
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
    where: gr.Dropdown
    """The utterance behind which it is taken over."""
    revealed: gr.Textbox
    """The stop whose gold is shown, as the session's id and its number; empty for none."""
    gold: gr.HTML
    timer: gr.Timer
    """Runs only while the replay plays."""
    person: gr.Column
    """For a session that goes on from an instance."""
    told: gr.HTML
    """How it goes on."""
    own: gr.Dropdown
    """Whose prompts ask for its replies."""
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
    with gr.Column(
        visible=False, elem_id="replay", elem_classes="panel", min_width=0, scale=0
    ) as column:
        head = plain("replay-head", CLICKS)
        with gr.Row(elem_id="replay-buttons"):
            buttons = _buttons()
        with gr.Row(elem_id="replay-settings"):
            settings = _settings(models)
        revealed = gr.Textbox("", visible=False)
        gold = plain("replay-gold")
        plain("replay-help", markup=_help().markup)
        timer = gr.Timer(EVERY, active=False)
    with gr.Column(visible=False, elem_id="play-person", min_width=0, scale=0) as person:
        told = plain("play-told")
        with gr.Row():
            own = _choice("Prompts", (), "play-prompts")
            speak = gr.Button("Have the model speak for the person", size="sm", min_width=0)
    return ReplayPanel(
        column=column,
        head=head,
        **settings,
        **buttons,
        revealed=revealed,
        gold=gold,
        timer=timer,
        person=person,
        told=told,
        own=own,
        speak=speak,
    )


def _settings(models: Sequence[str]) -> dict[str, Any]:
    """What the replay goes on under, by the panel's names."""
    judges = (NO_JUDGE, "local", *(f"llm:{name}" for name in models))
    return {
        "gear": _choice("Gear", GEARS, "replay-gear"),
        "negatives": _choice("Negatives", NEGATIVES, "replay-negatives"),
        "k": gr.Number(
            BESIDE, label="k", precision=0, minimum=0, min_width=0, elem_id="replay-k", step=1
        ),
        "run": _choice("Run", (OWN_RECALL,), "replay-run"),
        "seed": gr.Textbox("", label="Seed", max_lines=1, min_width=0, elem_id="replay-seed"),
        "prompts": _choice("Prompts", (), "replay-prompts"),
        "forcing": _forcing(),
        "judge": _choice("Judged by", judges, "replay-judge"),
    }


def _buttons() -> dict[str, Any]:
    """What makes it go, by the panel's names."""
    made: dict[str, Any] = {
        "step": gr.Button(STEP, variant="primary", size="sm", min_width=0),
        "back": gr.Button(BACK, size="sm", min_width=0),
        "play": gr.Button(PLAY, size="sm", min_width=0),
        "halt": gr.Button(HALT, size="sm", min_width=0),
        "reveal": gr.Button(REVEAL, size="sm", min_width=0),
        "jump": _choice("Go to stop", (), "replay-jump"),
        "where": _choice("Take over", (HERE,), "replay-where"),
    }
    return made | {"over": gr.Button(OVER, size="sm", min_width=0)}


def _help() -> Html:
    """What every setting means, and what it is unless somebody changes it."""
    rows = [joined(element("dt", name), element("dd", words)) for name, words in _HELP]
    return fold("what these mean", element("dl", *rows), key="replay-help")


def replay_door() -> ReplayDoor:
    """The door, in the row of the instance that is shown."""
    gear = gr.Dropdown(
        list(GEARS), value="pipeline", label="Gear", min_width=0, elem_id="door-gear"
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
