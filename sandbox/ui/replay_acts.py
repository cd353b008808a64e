"""What happens in the strip of a replay, and at its door."""

from typing import TYPE_CHECKING, cast

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.inputs import BadInput
from sandbox.replay.gears import Forcing, Gear, Negatives, Options, runs
from sandbox.replay.replayed import Replayed
from sandbox.transcripts import Session
from sandbox.ui.events import Updates
from sandbox.ui.replay_parts import BACK, HALT, NO_JUDGE, OVER, OWN_RECALL, PLAY, REVEAL, STEP
from sandbox.ui.replay_views import Going, replay_gold, replay_head

if TYPE_CHECKING:
    from sandbox.ui.parts import Parts


def replay_shown(
    sandbox: Sandbox, account: str, parts: "Parts", session: Session | None
) -> Updates:
    """The strip of a replay; without one it is hidden, and an ordinary session may be played in."""
    panel, open_ = parts.replay, session is not None and session.ended_at is None
    if session is None or session.gear is None:
        taken = session is not None and session.instance is not None and open_
        return {
            panel.column: gr.update(visible=False),
            panel.person: gr.update(visible=taken),
            panel.head: "",
            panel.timer: gr.Timer(active=False),
        }
    going = read_going(sandbox, account, session)
    playing = sandbox.playing.is_playing(session.id)
    busy = playing or sandbox.conversation.live(account, session.id) is not None
    ready, first = bool(open_ and not busy), going.place.stops[0].instance
    options = session.replay or Options()
    more = going.place.next is not None
    waiting = going.place.turn is not None and going.place.turn.status == "open"
    numbers = [str(stop.number) for stop in going.place.stops]
    return {
        panel.column: gr.update(visible=True),
        panel.person: gr.update(visible=False),
        panel.head: replay_head(going).markup,
        panel.gear: gr.update(value=session.gear),
        panel.negatives: gr.update(
            value=options.negatives, visible=session.gear == "distractors" and not first.roles
        ),
        panel.run: gr.update(
            choices=[OWN_RECALL, *runs(first)],
            value=options.run or OWN_RECALL,
            visible=session.gear == "pipeline" and bool(runs(first)),
        ),
        panel.forcing: gr.update(value=session.forcing),
        panel.jump: gr.update(
            choices=numbers,
            value=str(going.place.number) if going.place.number else None,
            visible=ready,
        ),
        panel.step: gr.update(value=STEP, interactive=ready and (more or waiting)),
        panel.back: gr.update(value=BACK, interactive=ready and going.place.number > 0),
        panel.play: gr.update(value=PLAY, interactive=ready and (more or waiting)),
        panel.halt: gr.update(value=HALT, interactive=busy),
        panel.reveal: gr.update(value=REVEAL, interactive=going.place.number > 0),
        panel.over: gr.update(value=OVER, interactive=ready),
        panel.timer: gr.Timer(active=playing),
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


class ReplayActs:
    """The replays of one account."""

    def __init__(self, sandbox: Sandbox, account: str, parts: "Parts") -> None:
        self._sandbox = sandbox
        self._account = account
        self._panel = parts.replay
        self._selected = parts.kept.selected

    def open_replay(
        self, sha256: str, name: str, strategy: str, model: str, gear: str, forcing: str
    ) -> str:
        """Open the instance that is shown as a replay of its dialogue from there on."""
        if not name:
            raise BadInput("No instance is chosen: choose one from the list.")
        replayed = Replayed(cast(Gear, gear), cast(Forcing, forcing))
        return self._sandbox.replays.open(
            self._account, sha256, name, replayed, strategy=strategy, model=model
        ).id

    def set_replay(self, session: str, gear: str, negatives: str, run: str, forcing: str) -> None:
        """Go on under what is chosen in the strip."""
        found = self._sandbox.sessions.find(self._account, session)
        chosen = Options(
            cast(Negatives, negatives),
            None if run == OWN_RECALL or gear != "pipeline" else run,
            *((found.replay.k, found.replay.seed) if found.replay else ()),
        )
        self._sandbox.replays.change(
            self._account,
            session,
            gear=cast(Gear, gear),
            forcing=cast(Forcing, forcing),
            options=chosen,
        )

    def step_replay(self, session: str) -> Updates:
        """Have the next stop answered."""
        self._sandbox.replays.step(self._account, session)
        return self._fresh()

    def back_replay(self, session: str) -> Updates:
        """Take the last stop out of the talk."""
        self._sandbox.replays.back(self._account, session)
        return self._fresh()

    def jump_replay(self, session: str, number: str | None) -> Updates:
        """Go to a stop."""
        if number:
            self._sandbox.replays.jump(self._account, session, int(number))
        return self._fresh()

    def play_replay(self, session: str, judge: str) -> Updates:
        """Answer every stop from here on."""
        self._sandbox.playing.play(self._account, session, judge="" if judge == NO_JUDGE else judge)
        return self._fresh() | {self._panel.timer: gr.Timer(active=True)}

    def halt_replay(self, session: str) -> None:
        """Stop playing, and what is being written."""
        self._sandbox.playing.stop(self._account, session)
        self._sandbox.conversation.stop(self._account, session)

    def judge_replay(self, session: str, judge: str) -> None:
        """Have the answer of a step judged, where somebody is chosen to."""
        place = self._sandbox.replays.place(self._account, session)
        if judge == NO_JUDGE or place.turn is None or place.turn.reply is None:
            return
        self._sandbox.playing.judge(self._account, session, judge)

    def reveal_replay(self, session: str) -> Updates:
        """Show what the file holds for this stop."""
        number = self._sandbox.replays.place(self._account, session).number
        wanted = f"{session} {number}"
        return {self._panel.revealed: wanted, self._panel.gold: self.gold_of(session, wanted)}

    def gold_of(self, session: str, revealed: str) -> str:
        """The gold of the stop where it was asked for; nothing of any other one."""
        if not session or not revealed.startswith(f"{session} "):
            return ""
        found = self._sandbox.sessions.find(self._account, session)
        if found.gear is None:
            return ""
        going = read_going(self._sandbox, self._account, found)
        return replay_gold(going).markup if revealed == f"{session} {going.place.number}" else ""

    def take_over(self, session: str) -> None:
        """Make an ordinary session of it."""
        self._sandbox.replays.take_over(self._account, session)

    def speak_for_person(self, session: str) -> Updates:
        """Have the model say the person's next words."""
        self._sandbox.user_writer.speak(self._account, session)
        return {self._selected: ""}

    def inspect_answer(self, event: gr.EventData) -> str:
        """Inspect the answer to a stop, though another reply may count."""
        return str(event.id)

    def look_on(self) -> None:
        """Look again at a replay that plays."""

    def _fresh(self) -> Updates:
        """The latest reply is inspected."""
        return {self._selected: ""}
