"""The strip of a replay as the record says, and what stands there for a session taken over."""

from contextlib import suppress
from typing import TYPE_CHECKING

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.collected import UnknownInstance
from sandbox.inputs import BadInput
from sandbox.replay.gears import Options, kind_of, runs, takes_k
from sandbox.replay.protocols import prompts_as, prompts_of
from sandbox.replay.taking_over import said_so_far
from sandbox.transcripts import Session, Transcript
from sandbox.ui.events import Updates
from sandbox.ui.replay_parts import (
    BACK,
    FROM_HERE,
    HALT,
    HERE,
    OVER,
    OWN_RECALL,
    PLAY,
    PROMPTED,
    REVEAL,
    STEP,
    ReplayPanel,
)
from sandbox.ui.replay_views import Going, replay_head, replay_left

if TYPE_CHECKING:
    from sandbox.ui.parts import Parts


def replay_shown(
    sandbox: Sandbox, account: str, parts: "Parts", session: Session | None
) -> Updates:
    """The strip of a replay; without one it is hidden, and an ordinary session may be played in."""
    panel, open_ = parts.replay, session is not None and session.ended_at is None
    if session is None or session.gear is None:
        hidden = {panel.column: gr.update(visible=False), panel.head: ""}
        taken = session if open_ and session and session.instance else None
        return hidden | {panel.timer: gr.Timer(active=False)} | _person(sandbox, panel, taken)
    going = read_going(sandbox, account, session)
    playing = sandbox.playing.is_playing(session.id)
    busy = playing or sandbox.conversation.live(account, session.id) is not None
    shown = {
        panel.column: gr.update(visible=True),
        panel.person: gr.update(visible=False),
        panel.head: replay_head(going).markup,
        panel.timer: gr.Timer(active=playing),
    }
    said = sandbox.sessions.transcript(account, session.id)
    ready = bool(open_ and not busy)
    return shown | _settings(panel, going) | _buttons(panel, going, said, ready=ready, busy=busy)


def _settings(panel: ReplayPanel, going: Going) -> Updates:
    """What the replay goes on under; only what there is to choose is shown."""
    session, first = going.session, going.place.stops[0].instance
    options, stop = session.replay or Options(), going.place.stop or going.place.stops[0]
    among = session.gear == "distractors"
    choices = [(PROMPTED[one], one) for one in prompts_of(first)]
    return {
        panel.gear: gr.update(value=session.gear),
        panel.negatives: gr.update(
            value=options.negatives, visible=among and kind_of(first) == "ranked"
        ),
        panel.k: gr.update(value=options.k, visible=among and takes_k(first)),
        panel.run: gr.update(
            choices=[OWN_RECALL, *runs(first)],
            value=options.run or OWN_RECALL,
            visible=session.gear == "pipeline" and bool(runs(first)),
        ),
        panel.seed: gr.update(
            value="" if options.seed is None else str(options.seed),
            placeholder=f"its own: {stop.instance.seed}",
            visible=among or (session.gear == "gold" and kind_of(first) != "ranked"),
        ),
        panel.prompts: gr.update(choices=choices, value=options.prompts, visible=len(choices) > 1),
        panel.forcing: gr.update(value=session.forcing, visible=len(going.place.stops) > 1),
    }


def _buttons(
    panel: ReplayPanel, going: Going, said: Transcript, *, ready: bool, busy: bool
) -> Updates:
    """What can be done where it stands."""
    place = going.place
    waiting = place.turn is not None and place.turn.status == "open"
    on = ready and (place.next is not None or waiting)
    numbers = [str(stop.number) for stop in place.stops]
    return {
        panel.jump: gr.update(
            choices=numbers,
            value=str(place.number) if place.number else None,
            visible=ready and len(numbers) > 1,
        ),
        panel.step: gr.update(value=STEP, interactive=on),
        panel.back: gr.update(value=BACK, interactive=ready and place.number > 0),
        panel.play: gr.update(value=PLAY, interactive=on),
        panel.halt: gr.update(value=HALT, interactive=busy),
        panel.reveal: gr.update(value=REVEAL, interactive=place.number > 0),
        panel.over: gr.update(value=OVER, interactive=ready),
        panel.where: gr.update(choices=_places(said), value=HERE, visible=ready),
    }


def _places(said: Transcript) -> list[tuple[str, str]]:
    """Where it can be taken over: here, or behind an earlier utterance, the latest first."""
    told = list(enumerate(said_so_far(said), start=1))
    earlier = [
        (f"after {number}, {one.speaker}: {_line(one.text)}", str(number)) for number, one in told
    ]
    return [(FROM_HERE, HERE), *reversed(earlier[:-1])]


def _line(text: str, most: int = 50) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[: most - 1].rstrip()}…"


def _person(sandbox: Sandbox, panel: ReplayPanel, session: Session | None) -> Updates:
    """How a session that was opened from an instance goes on."""
    instance = None
    if session is not None:
        with suppress(BadInput, UnknownInstance):  # The talk is shown all the same.
            instance = sandbox.instances.of(session)
    if session is None or instance is None:
        return {panel.person: gr.update(visible=False)}
    choices = [(PROMPTED[one], one) for one in prompts_of(instance)]
    return {
        panel.person: gr.update(visible=True),
        panel.told: replay_left(session).markup,
        panel.own: gr.update(
            choices=choices,
            value=prompts_as(instance, session.protocol),
            visible=len(choices) > 1,
        ),
    }


def read_going(sandbox: Sandbox, account: str, session: Session) -> Going:
    """Where the replay stands, and what its last answer was shown."""
    place = sandbox.replays.place(account, session.id)
    going = Going(session, place, None, sandbox.playing.trouble(session.id))
    if (answer := going.answer) is None or answer.author != "model":
        return going
    keys = sandbox.replays.keys(session)
    injected = sandbox.conversation.reply(account, answer.id).injected
    shown = [keys.get(one, one) for one in injected]
    return Going(session, place, shown, going.trouble)
