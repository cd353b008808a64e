"""How a session is remembered: what the methods do, in words, and where one is chosen."""

from typing import TYPE_CHECKING

import gradio as gr

from graphs.methods import METHOD_NAMES, MethodName
from sandbox.assemble import Sandbox
from sandbox.inputs import checked_method
from sandbox.transcripts import Session
from sandbox.ui.events import Updates
from sandbox.ui.instances_parts import plain
from sandbox.ui.markup import Html, element, fold, joined

if TYPE_CHECKING:
    from sandbox.ui.parts import Parts, Sidebar
    from sandbox.ui.wiring import Wiring

DOES: dict[MethodName, str] = {
    "typed": (
        "What is worth keeping becomes an entry of one of six types and replaces what it outdates."
    ),
    "agent_only": (
        "Only what the character could use with anybody is kept; what you say is not read for it."
    ),
    "raw_turns": "Every turn is an entry, word for word; no model is asked, nothing is replaced.",
}
"""What each method does, as one sentence."""
LOCKED = "The session has ended: this stays. Read it again by another method under Branches."
"""Why the method of an ended session cannot be changed."""


def method_choice() -> gr.Dropdown:
    """The list to choose from."""
    names = list(METHOD_NAMES)
    return gr.Dropdown(
        names, value=names[0], label="Remember by", interactive=True, elem_id="method"
    )


def method_place() -> gr.HTML:
    """The place below it for what the methods do."""
    return plain("method-note", None, method_note(METHOD_NAMES[0]).markup)


def method_note(method: MethodName, locked: bool = False) -> Html:
    """What the method does, why it cannot be changed where it is `locked`, and the others."""
    rows = [element("p", element("strong", one), ": ", words) for one, words in DOES.items()]
    return joined(
        element("p", DOES[method], cls="hint"),
        element("p", LOCKED, cls="hint locked", role="note") if locked else None,
        fold("what each method does", *rows, key="methods", cls="origin"),
    )


def method_shown(side: "Sidebar", session: Session | None) -> Updates:
    """The method of a session, locked once it has ended; without one it can be chosen."""
    if session is None:
        return {side.method: gr.update(interactive=True)}
    ended = session.ended_at is not None
    return {
        side.method: gr.update(value=session.method, interactive=not ended),
        side.remembers: method_note(session.method, ended).markup,
    }


def method_mark(session: Session) -> str:
    """The method for a list of sessions; empty for the usual one."""
    return "" if session.method == METHOD_NAMES[0] else session.method


class MethodActs:
    """The choice of one account."""

    def __init__(self, sandbox: Sandbox, account: str) -> None:
        self._sandbox = sandbox
        self._account = account

    def remember_by(self, session: str, method: str) -> str:
        """Have an open session remembered by a method; what it does.

        Without a session it counts for the next one.
        """
        known = checked_method(method)
        if session:
            self._sandbox.sessions.adjust(self._account, session, method=known)
        return method_note(known).markup


def connect_method(wiring: "Wiring", parts: "Parts", act: MethodActs) -> None:
    """Connect the choice."""
    side = parts.side
    asked = [parts.kept.session, side.method]
    chosen = wiring.on(side.method.input, act.remember_by, asked, [side.remembers], "always_last")
    wiring.refresh(chosen, failed=True)
