"""What happens when somebody has sessions read again, and what shows how far it is."""

from typing import TYPE_CHECKING, Any

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.inputs import BadInput
from sandbox.ui.branch_acts import form_values
from sandbox.ui.branch_look import compare
from sandbox.ui.branch_views import branch_line, branch_list, comparison
from sandbox.ui.desk import Desk, Look
from sandbox.ui.events import Updates
from sandbox.ui.reingest_views import reingest_view

if TYPE_CHECKING:
    from sandbox.ui.parts import Parts
    from sandbox.ui.wiring import Wiring


def reingest_shown(parts: "Parts", look: Look) -> Updates:
    """The form or how far it is; the timer runs until the end of a reading was shown."""
    tree, agent = look.tree, look.people.persona.id
    view = reingest_view(tree, look.sessions, agent, look.held.whole.head)
    goes_on = tree.reading is not None and not tree.reading.seen
    panel = parts.reingest
    return {panel.place: view.markup, panel.timer: gr.Timer(active=goes_on)}


class ReingestActs:
    """Readings of one account."""

    def __init__(self, sandbox: Sandbox, account: str, parts: "Parts") -> None:
        self._sandbox = sandbox
        self._account = account
        self._parts = parts
        self._desk = Desk(sandbox, account)

    def read_sessions_again(
        self, session: str, persona: str, user: str, event: gr.EventData
    ) -> None:
        """Begin with what the form holds; a page that looks away stops nothing."""
        values = form_values(event)
        chosen = values.get("sessions") or []
        self._sandbox.reingest_jobs.start(
            self._desk.dyad(session, persona, user),
            [one for one in chosen if isinstance(one, str)],
            str(values.get("method", "")),
            revision=_revision(values.get("revision")),
            name=str(values.get("name") or ""),
            model=str(values.get("model") or "") or None,
        )

    def stop_reading(self, event: gr.EventData) -> None:
        """Read no further session."""
        self._sandbox.reingest_jobs.stop(event.id)

    def put_reading_away(self, event: gr.EventData) -> Updates:
        """Show no more what came of it."""
        self._sandbox.reingest_jobs.put_away(event.id)
        return {self._parts.branch.compared: ""}

    def look_at_reading(self, session: str, persona: str, user: str) -> Updates:
        """How far it is; at its end the branch beside what it was made of."""
        look = self._desk.look(session, persona, user)
        shown = reingest_shown(self._parts, look)
        reading, agent = look.tree.reading, look.people.persona.id
        if reading is None or reading.running:
            return shown
        self._sandbox.reingest_jobs.seen(reading.branch.id)
        shown[self._parts.reingest.timer] = gr.Timer(active=False)
        beside = compare(self._sandbox, self._account, reading.branch.id, agent)
        branch = self._parts.branch
        return shown | {
            branch.line: branch_line(look.tree).markup,
            branch.listed: branch_list(look.tree, agent).markup,
            branch.compared: comparison(beside).markup,
        }


def connect_reingest(wiring: "Wiring", parts: "Parts", act: ReingestActs) -> None:
    """Connect the form, Stop, and the timer."""
    panel, branch = parts.reingest, parts.branch
    begun = wiring.on(panel.place.submit, act.read_sessions_again, wiring.who)
    wiring.refresh(begun)
    wiring.refresh(wiring.on(panel.place.stop, act.stop_reading))
    away = wiring.on(panel.place.clear, act.put_reading_away, [], [branch.compared])
    wiring.refresh(away)
    shown = [panel.place, panel.timer, branch.line, branch.listed, branch.compared]
    wiring.on(panel.timer.tick, act.look_at_reading, wiring.who, shown)


def _revision(value: Any) -> int:
    """The revision that was typed; nothing is 0.

    Raises:
        BadInput: if it is no whole number.
    """
    text = str(value if value is not None else "").strip()
    if not text:
        return 0
    if not (text.isascii() and text.isdecimal()):
        raise BadInput(f"The revision must be a whole number from 0 on, got {text[:40]!r}.")
    return int(text)
