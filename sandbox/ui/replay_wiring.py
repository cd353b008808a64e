"""Connects the strip of a replay, and its door, with what they do."""

from typing import TYPE_CHECKING

from sandbox.ui.events import on, script
from sandbox.ui.instances_parts import InstancesParts
from sandbox.ui.instances_tab import GO
from sandbox.ui.replay_acts import ReplayActs

if TYPE_CHECKING:
    from sandbox.ui.parts import Parts
    from sandbox.ui.wiring import Wiring


def connect_door(instances: InstancesParts, act: ReplayActs) -> None:
    """Connect what opens an instance as a replay."""
    door, opened = instances.replay, [instances.opened]
    chosen = [instances.collection, instances.instance, instances.strategy, instances.model]
    asked = [*chosen, door.gear, door.forcing]
    script(on(door.open.click, act.open_replay, asked, opened), GO, opened)


def connect_replay(wiring: "Wiring", parts: "Parts", act: ReplayActs) -> None:
    """Connect the strip, and what looks after a replay that plays."""
    panel, session = parts.replay, parts.kept.session
    selected = [parts.kept.selected]
    going = [*selected, panel.halt]
    lists = [panel.gear, panel.negatives, panel.run, panel.prompts, panel.forcing]
    settings = [panel.gear, panel.negatives, panel.k, panel.run, panel.seed]
    settings += [panel.prompts, panel.forcing]
    typed = [panel.k.blur, panel.k.submit, panel.seed.blur, panel.seed.submit]
    chosen = [*(one.input for one in lists), *typed]
    changed = wiring.on(chosen, act.set_replay, [session, *settings], [], "always_last")
    wiring.refresh(changed, failed=True)
    stepped = wiring.on(panel.step.click, act.step_replay, [session, *settings], going)
    jumping = [session, panel.jump, *settings]
    jumped = wiring.on(panel.jump.input, act.jump_replay, jumping, going)
    followed = [wiring.follow(event, failed=True) for event in (stepped, jumped)]
    for answered in (*followed, wiring.again):
        judged = wiring.then(answered.then, act.judge_replay, [session, panel.judge], [])
        wiring.refresh(judged, failed=True)
    wiring.refresh(wiring.on(panel.back.click, act.back_replay, [session], selected))
    shown = [*going, panel.timer]
    played = [session, panel.judge, *settings]
    playing = wiring.on(panel.play.click, act.play_replay, played, shown)
    wiring.refresh(playing, failed=True)
    wiring.follow(wiring.on(panel.timer.tick, act.look_on))
    wiring.refresh(wiring.on(panel.halt.click, act.halt_replay, [session]))
    revealed = [panel.revealed, panel.gold]
    wiring.refresh(wiring.on(panel.reveal.click, act.reveal_replay, [session], revealed))
    gone = [session, panel.revealed]
    wiring.on(panel.head.change, act.gold_of, gone, [panel.gold], "always_last")
    wiring.refresh(wiring.on(panel.over.click, act.take_over, [session, panel.where]))
    wiring.refresh(wiring.on(panel.own.input, act.ask_by, [session, panel.own]), failed=True)
    wiring.follow(wiring.on(panel.speak.click, act.speak_for_person, [session], selected))
    wiring.refresh(wiring.on(panel.head.select, act.inspect_answer, [], selected, "multiple"))
