"""What happens when somebody has an entry, a session or a person forgotten."""

from typing import Any

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.inputs import BadInput
from sandbox.lifecycle.forgetting import Forgotten
from sandbox.ui.desk import Desk
from sandbox.ui.forget_parts import FORGET, KEEP, ForgetPanel
from sandbox.ui.forget_views import foreseen, forgotten
from sandbox.ui.parts import Parts
from sandbox.ui.times import short_time

Updates = dict[Any, Any]
WORDS = {"entry": "entry", "session": "session", "user": "person"}


class ForgetActs:
    """Forgetting for one account; asked for first, then done."""

    def __init__(self, sandbox: Sandbox, account: str, parts: Parts) -> None:
        self._sandbox = sandbox
        self._account = account
        self._parts = parts
        self._panel: ForgetPanel = parts.forget
        self._desk = Desk(sandbox, account)

    def ask_entry(self, session: str, persona: str, user: str, event: gr.EventData) -> Updates:
        """Ask about an entry of the bank."""
        return self._asked(session, persona, user, f"entry {event.id}", False)

    def ask_session(self, session: str, persona: str, user: str, event: gr.EventData) -> Updates:
        """Ask about a session of the list."""
        return self._asked(session, persona, user, f"session {event.id}", False)

    def ask_person(self, session: str, persona: str, user: str) -> Updates:
        """Ask about whoever speaks."""
        root = self._root(self._desk.dyad(session, persona, user).user)
        return self._asked(session, persona, user, f"user {root}", False)

    def ask_again(self, session: str, persona: str, user: str, target: str, turns: bool) -> Updates:
        """The same, with or without the turns."""
        return self._asked(session, persona, user, target, turns)

    def keep_all(self) -> Updates:
        """Close the form."""
        return {self._panel.column: gr.update(visible=False), self._panel.target: ""}

    def forget(self, session: str, persona: str, user: str, target: str, turns: bool) -> Updates:
        """Do what was asked; the screen that is left, and what was forgotten."""
        kind, _, name = target.partition(" ")
        if not name:
            raise BadInput("Nothing was chosen to be forgotten: reload the page.")
        self._must_be_quiet({session, name} if kind != "entry" else {session})
        told = self._told(session, persona, user, target, turns, foresee=False)
        panel, kept = self._panel, self._parts.kept
        left = user
        if kind == "user":
            left = self._desk.sample_user(persona)
        return {
            panel.words: forgotten(WORDS[kind], told).markup,
            panel.target: "",
            panel.turns: gr.update(visible=False),
            panel.confirm: gr.update(value=FORGET, visible=False),
            panel.keep: gr.update(value="Close"),
            kept.session: "" if self._gone(session) else session,
            kept.deleted: "",
            self._parts.side.user: left if kind == "user" else gr.update(),
        }

    def _asked(self, session: str, persona: str, user: str, target: str, turns: bool) -> Updates:
        kind, _, name = target.partition(" ")
        told = self._told(session, persona, user, target, turns, foresee=True)
        shown, with_turns = self._name(kind, name)
        panel = self._panel
        return {
            panel.column: gr.update(visible=True),
            panel.target: target,
            panel.words: foreseen(WORDS[kind], shown, told).markup,
            panel.turns: gr.update(visible=with_turns, value=turns),
            panel.confirm: gr.update(value=FORGET, visible=True),
            panel.keep: gr.update(value=KEEP),
        }

    def _told(
        self, session: str, persona: str, user: str, target: str, turns: bool, *, foresee: bool
    ) -> Forgotten:
        kind, _, name = target.partition(" ")
        forgetting, account = self._sandbox.forgetting, self._account
        if kind == "entry":
            dyad = self._desk.dyad(session, persona, user)
            return forgetting.entry(account, dyad, name, with_turns=turns, foresee=foresee)
        if kind == "session":
            return forgetting.session(account, name, foresee=foresee)
        return forgetting.user(account, name, foresee=foresee)

    def _name(self, kind: str, name: str) -> tuple[str, bool]:
        """What it is called, and whether there are turns that may go with it."""
        if kind == "entry":
            entry = self._sandbox.banks.entries(self._account, [name])[name]
            return entry.text, bool(entry.provenance.turns)
        if kind == "session":
            found = self._sandbox.sessions.find(self._account, name)
            when = short_time(found.clock or found.created_at)
            return f"{found.speaker} with {found.persona.name}, {when}", False
        known = self._sandbox.banks.user(self._account, name)
        return (known.name if known else name), False

    def _root(self, user: str) -> str:
        """The person behind a branch."""
        while (branch := self._sandbox.branches.of(self._account, user)) is not None:
            user = branch.origin
        return user

    def _must_be_quiet(self, sessions: set[str]) -> None:
        """Refuse while a reply is being written there."""
        for one in sessions - {""}:
            if self._sandbox.conversation.live(self._account, one) is not None:
                raise BadInput("A reply is being written: wait for it, or stop it, then forget.")

    def _gone(self, session: str) -> bool:
        """Whether the session on the screen went too."""
        known = {one.session.id for one in self._sandbox.sessions.list(self._account)}
        return session not in known
