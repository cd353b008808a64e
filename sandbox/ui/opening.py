"""What leads to another screen: ways to a session, and the screen itself."""

from html import escape

import gradio as gr

from graphs import STRATEGIES
from sandbox.assemble import Sandbox
from sandbox.inputs import BadInput
from sandbox.transcripts import UnknownSession
from sandbox.ui.desk import Desk
from sandbox.ui.machine import machine
from sandbox.ui.parts import Parts
from sandbox.ui.replay_show import replay_shown
from sandbox.ui.show import Show, Updates


class Opening:
    """The page's handlers that give a session's id, and the one that shows it."""

    def __init__(self, sandbox: Sandbox, account: str, parts: Parts) -> None:
        self._sandbox = sandbox
        self._account = account
        self._parts = parts
        self._desk = Desk(sandbox, account)
        self._show = Show(parts)

    def load(self, request: gr.Request) -> Updates:
        """The session that the address names, or the first character's doors."""
        personas = self._sandbox.characters.packaged()
        first = personas[0].id if personas else ""
        asked = str(dict(request.query_params).get("session", ""))
        return {
            self._parts.kept.session: self._known(asked),
            self._parts.side.persona: gr.update(choices=[first], value=first),
            self._parts.side.user: self._desk.sample_user(first),
        }

    def character(self, session: str, persona: str, user: str) -> Updates:
        """Another character, and no session is open; whoever speaks as themselves goes on so.

        The new character's sample user takes over from another sample user or from the person of
        an instance, and the default strategy from the instance's.
        """
        opened = self._sandbox.sessions.find(self._account, session) if session else None
        if opened and opened.agent == persona:
            return {self._parts.kept.session: session}
        instance = opened is not None and opened.instance is not None
        sample = self._desk.sample_user(persona)
        stays = not sample or not (instance or self._desk.is_sample(user))
        return {
            self._parts.kept.session: "",
            self._parts.side.user: gr.update() if stays else sample,
            self._parts.side.strategy: next(iter(STRATEGIES)) if instance else gr.update(),
        }

    def speaker(self, session: str, user: str) -> str:
        """Another person speaks: no session is open. The same one changes nothing."""
        if not session:
            return ""
        speaker = self._sandbox.sessions.find(self._account, session).speaker
        return session if speaker == " ".join(user.split()) else ""

    def session(self, event: gr.EventData) -> str:
        """A session of the list."""
        return self._sandbox.sessions.find(self._account, event.id).id

    def new(
        self,
        session: str,
        persona: str,
        user: str,
        clock: str,
        emotion: str,
        scene: str,
        strategy: str,
        model: str,
        knows: bool,
        method: str,
    ) -> str:
        """A new session with what is set on the left; of an instance, the instance once more."""
        opened = self._sandbox.sessions.find(self._account, session) if session else None
        if opened and opened.instance:
            ref = opened.instance
            return self._sandbox.instances.open(
                self._account, ref.sha256, ref.id, strategy=strategy, model=model
            ).id
        branch = opened is not None and self._sandbox.branches.of(self._account, opened.user)
        return self._sandbox.sessions.open(
            self._account,
            opened.user if branch and opened else user,
            persona,
            speaker=user,
            strategy=strategy,
            model=model,
            clock=clock,
            emotion=emotion,
            scene=scene or None,  # type: ignore[arg-type]  # checked where it goes in
            profile=self._desk.profile(user) if knows else None,
            method=method,
        ).id

    def sample(self, strategy: str, model: str, method: str, event: gr.EventData) -> str:
        """A new session of the character's sample user, at the time the openers make sense."""
        sample = self._sandbox.characters.get(self._account, event.id).sample_user
        if sample is None:
            raise BadInput(f"{event.id} has no sample user: choose it behind the second door.")
        opened = self._sandbox.sessions.open(
            self._account,
            sample.name,
            event.id,
            strategy=strategy,
            model=model,
            clock=sample.clock,
            method=method,
        )
        return opened.id

    def yourself(
        self, name: str, strategy: str, model: str, method: str, event: gr.EventData
    ) -> str:
        """A new session of yourself with the character that was clicked."""
        if not name.strip():
            raise BadInput("Your name is empty: write it above the characters.")
        opened = self._sandbox.sessions.open(
            self._account, name, event.id, strategy=strategy, model=model, method=method
        )
        return opened.id

    def continued(self, session: str) -> str:
        """A session linked to the ended one."""
        return self._sandbox.sessions.continue_from(self._account, session).id

    def screen(self, session: str, persona: str, user: str, shown: str) -> Updates:
        """The whole screen, settings included; forms closed, the latest reply inspected.

        Nothing changes where this screen is `shown` already: a list that was merely looked into
        says that something was chosen.
        """
        wanted = session or f"{persona}\n{user}"
        if shown == wanted:
            return {self._parts.kept.shown: wanted}
        look = self._desk.look(session, persona, user)
        cast, account = self._sandbox.characters, self._account
        return (
            self._show.people(look, cast.packaged(), cast.own(account), cast.deleted(account))
            | self._show.screen(look, machine(self._sandbox))
            | self._show.fresh()
            | self._show.tab(look)
            | replay_shown(self._sandbox, account, self._parts, look.session)
            | {self._parts.kept.shown: wanted}
        )

    def _known(self, session: str) -> str:
        """The session's id if the account has it; a notice and nothing if not."""
        if not session:
            return ""
        try:
            return self._sandbox.sessions.find(self._account, session).id
        except UnknownSession as error:
            gr.Warning(escape(str(error)))
            return ""
