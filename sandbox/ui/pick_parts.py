"""Where a person chooses the reply that feels closest, and what the choice does."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.inputs import BadInput
from sandbox.ui.instances_parts import plain
from sandbox.ui.scripts import CLICKS

if TYPE_CHECKING:
    from sandbox.ui.parts import Parts
    from sandbox.ui.wiring import Wiring


@dataclass(frozen=True, slots=True)
class PickPanel:
    """The replies to choose between."""

    shown: gr.HTML


def pick_panel() -> PickPanel:
    """The panel, below the inspected reply."""
    return PickPanel(plain("closer", CLICKS))


class PickActs:
    """Choices made by hand for one account."""

    def __init__(self, sandbox: Sandbox, account: str) -> None:
        self._sandbox = sandbox
        self._account = account

    def pick_closer(self, reply: str, event: gr.EventData) -> None:
        """Keep what was chosen for the inspected reply."""
        if not reply:
            raise BadInput("No reply is inspected: reload the page.")
        self._sandbox.intimacy.by_hand(self._account, reply, event.id)


def connect_pick(wiring: "Wiring", parts: "Parts", act: PickActs) -> None:
    """Connect the panel."""
    chosen = wiring.on(parts.pick.shown.apply, act.pick_closer, [parts.verdict.shown], [])
    wiring.refresh(chosen)
