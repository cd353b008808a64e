"""The tab with one user's characters side by side: what it does."""

from typing import Any

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.inputs import BadInput
from sandbox.lifecycle.lens import Lens, Probe
from sandbox.transcripts import UnknownSession
from sandbox.ui.events import on, script, then
from sandbox.ui.lens_parts import LensParts
from sandbox.ui.lens_views import lens_view, probe_view

Updates = dict[Any, Any]
GO = """(session) => {
  if (session) window.location.assign('/session/' + encodeURIComponent(session));
}"""


class LensTab:
    """The dyad lens for one account."""

    def __init__(self, sandbox: Sandbox, account: str, parts: LensParts) -> None:
        self._sandbox = sandbox
        self._account = account
        self._parts = parts

    def connect(self, tab: gr.Tab, session: gr.Textbox, speaker: gr.Dropdown) -> None:
        """Connect the tab; `session` and `speaker` say whom the chat shows."""
        parts = self._parts
        asked = [parts.agent, parts.other_agent, parts.other_user, parts.text]
        shown = [parts.user, parts.shown, parts.found, *asked]
        on(tab.select, self.arrive, [session, speaker], shown)
        on(parts.user.input, self.look, [parts.user], shown, "always_last")
        on(parts.agent.input, self.pick, [parts.user, parts.agent], asked, "always_last")
        probe = [parts.user, parts.agent, parts.text]
        on(parts.by_agent.click, self.other_agent, [*probe, parts.other_agent], [parts.found])
        on(parts.by_user.click, self.other_user, [*probe, parts.other_user], [parts.found])
        chosen = on(parts.shown.select, self.session, [], [parts.opened])
        script(then(chosen, self.nothing, [], []), GO, [parts.opened])

    def arrive(self, session: str, speaker: str) -> Updates:
        """The lens on whoever speaks in the chat."""
        user = speaker or ""
        if session:
            try:
                user = self._sandbox.sessions.find(self._account, session).user
            except UnknownSession:
                session = ""
        return self.look(user)

    def look(self, user: str) -> Updates:
        """The lens on a user."""
        found = self._sandbox.banks.user(self._account, user) if user else None
        known = self._users(user)
        chosen = found.id if found else (known[0][1] if known else "")
        lens = self._sandbox.lenses.look(self._account, chosen) if chosen else Lens("", 0, (), ())
        holding = [one.agent for one in lens.columns if one.own]
        agent = next(iter([*holding, *(one.agent for one in lens.columns)]), "")
        parts = self._parts
        return {
            parts.user: gr.update(choices=known, value=chosen),
            parts.shown: lens_view(lens).markup,
            parts.found: "",
            **self._probes(lens, agent, known, chosen),
        }

    def pick(self, user: str, agent: str) -> Updates:
        """The probes of another character."""
        lens = self._sandbox.lenses.look(self._account, user)
        return self._probes(lens, agent, self._users(user), user)

    def other_agent(self, user: str, agent: str, text: str, other: str) -> Updates:
        """Recall a text with two characters of the user."""
        _must_have(other, "character")
        probe = self._sandbox.lenses.other_agent(self._account, user, agent, other, text)
        return self._told(probe)

    def other_user(self, user: str, agent: str, text: str, other: str) -> Updates:
        """Recall a text with one character and two users."""
        _must_have(other, "user")
        probe = self._sandbox.lenses.other_user(self._account, user, other, agent, text)
        return self._told(probe)

    def session(self, event: gr.EventData) -> str:
        """The session to open."""
        return self._sandbox.sessions.find(self._account, event.id).id

    def nothing(self) -> None:
        """Change nothing."""

    def _probes(self, lens: Lens, agent: str, known: list[tuple[str, str]], user: str) -> Updates:
        """What the probes begin with: what only `agent` holds, and the first others there are."""
        parts = self._parts
        cast = [(one.name, one.id) for one in self._sandbox.characters.all(self._account)]
        held = [(one.name, one.agent) for one in lens.columns]
        cast = [*held, *(one for one in cast if one not in held)]
        others = [one for one in cast if one[1] != agent]
        people = [one for one in known if one[1] != user]
        own = next((one.own for one in lens.columns if one.agent == agent), ())
        text = next((one.text for one in (*own, *lens.shared)), "")
        return {
            parts.agent: gr.update(choices=held, value=agent or None),
            parts.other_agent: gr.update(choices=others, value=others[0][1] if others else None),
            parts.other_user: gr.update(choices=people, value=people[0][1] if people else None),
            parts.text: text,
        }

    def _users(self, user: str) -> list[tuple[str, str]]:
        """Everybody to choose, as (name, id), whoever is looked at among them."""
        known = [(one.name, one.id) for one in self._sandbox.banks.users(self._account)]
        if user and user not in [one for _name, one in known]:
            found = self._sandbox.banks.user(self._account, user)
            if found and found.id not in [one for _name, one in known]:
                branch = self._sandbox.branches.of(self._account, found.id)
                name = f"{found.name} in branch {branch.name}" if branch else found.name
                known.append((name, found.id))
        return known

    def _told(self, probe: Probe) -> Updates:
        names = []
        for dyad in (probe.here, probe.there):
            known = self._sandbox.banks.user(self._account, dyad.user)
            persona = self._sandbox.characters.get(self._account, dyad.agent).name
            names.append(f"{known.name if known else dyad.user} and {persona}")
        return {self._parts.found: probe_view(probe, *names).markup}


def _must_have(other: str | None, what: str) -> None:
    if not other:
        raise BadInput(f"There is no other {what} to probe with: talk as or with another first.")
