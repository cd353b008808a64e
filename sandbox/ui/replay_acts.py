"""What happens in the strip of a replay, and at its door."""

from typing import TYPE_CHECKING, Any, cast

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.inputs import BadInput
from sandbox.replay.gears import BESIDE, Forcing, Gear, Negatives, Options
from sandbox.replay.protocols import Prompts
from sandbox.replay.replayed import Replayed
from sandbox.ui.events import Updates
from sandbox.ui.replay_parts import HERE, NO_JUDGE, OWN_RECALL
from sandbox.ui.replay_show import read_going
from sandbox.ui.replay_views import replay_gold

if TYPE_CHECKING:
    from sandbox.ui.parts import Parts


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

    def set_replay(
        self,
        session: str,
        gear: str,
        negatives: str,
        k: float | None,
        run: str,
        seed: str,
        prompts: str | None,
        forcing: str,
    ) -> None:
        """Go on under what is chosen in the strip."""
        found = self._sandbox.sessions.find(self._account, session)
        # A ranking that negatives are taken from is chosen elsewhere, and stays.
        kept = found.replay.run if found.replay and found.gear == gear else None
        named = None if run == OWN_RECALL else run
        chosen = Options(
            negatives=cast(Negatives, negatives),
            run=named if gear == "pipeline" else kept,
            k=BESIDE if k is None else int(k),
            seed=_seed(seed),
            prompts=cast(Prompts, prompts or "file"),
        )
        if (found.gear, found.forcing, found.replay) != (gear, forcing, chosen):
            self._sandbox.replays.change(
                self._account,
                session,
                gear=cast(Gear, gear),
                forcing=cast(Forcing, forcing),
                options=chosen,
            )

    def step_replay(self, session: str, *settings: Any) -> Updates:
        """Have the next stop answered, under what the strip says at this moment."""
        self.set_replay(session, *settings)
        self._sandbox.replays.step(self._account, session)
        return self._fresh()

    def back_replay(self, session: str) -> Updates:
        """Take the last stop out of the talk."""
        self._sandbox.replays.back(self._account, session)
        return {self._selected: ""}

    def jump_replay(self, session: str, number: str | None, *settings: Any) -> Updates:
        """Go to a stop."""
        if number:
            self.set_replay(session, *settings)
            self._sandbox.replays.jump(self._account, session, int(number))
        return self._fresh()

    def play_replay(self, session: str, judge: str, *settings: Any) -> Updates:
        """Answer every stop from here on."""
        self.set_replay(session, *settings)
        self._sandbox.playing.play(self._account, session, judge="" if judge == NO_JUDGE else judge)
        return self._fresh() | {self._panel.timer: gr.Timer(active=True)}

    def halt_replay(self, session: str) -> None:
        """Stop playing, and what is being written."""
        self._sandbox.playing.stop(self._account, session)
        self._sandbox.conversation.stop(self._account, session)

    def judge_replay(self, session: str, judge: str) -> None:
        """Have the answer of a stop judged, where somebody is chosen to."""
        found = self._sandbox.sessions.find(self._account, session)
        if judge == NO_JUDGE or found.gear is None:
            return
        place = self._sandbox.replays.place(self._account, session)
        if place.turn is None or place.turn.reply is None:
            return
        self._sandbox.playing.judge(self._account, session, judge)

    def reveal_replay(self, session: str) -> Updates:
        """Show what the file holds for this stop."""
        number = self._sandbox.replays.place(self._account, session).number
        wanted = f"{session} {number}"
        self._sandbox.revealing.ask(session, number)
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

    def take_over(self, session: str, where: str | None) -> None:
        """Make an ordinary session of it, from where it stands or from an earlier utterance."""
        at = None if where in (None, "", HERE) else int(where)
        self._sandbox.replays.take_over(self._account, session, at)

    def ask_by(self, session: str, prompts: str) -> None:
        """Choose whose prompts ask for the replies of a session that was taken over."""
        self._sandbox.replays.ask_by(self._account, session, cast(Prompts, prompts))

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
        """The latest reply is inspected, and what is written can be stopped at once."""
        return {self._selected: "", self._panel.halt: gr.update(interactive=True)}


def _seed(text: str) -> int | None:
    """A seed as it was typed; none for an empty one."""
    if not text.strip():
        return None
    if not text.strip().isdecimal():
        raise BadInput(
            f"The seed must be a whole number, or empty for the usual one, got {text!r}."
        )
    return int(text)
