"""What happens when instances are made: forms opened and saved, annotations, publishing."""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.authoring.authored import Authored, Kind, Version
from sandbox.authoring.differences import GOLDEN
from sandbox.inputs import BadInput
from sandbox.ui.annotate_views import blind_form, decision_form
from sandbox.ui.events import Updates, on, then
from sandbox.ui.instances_tab import TAB, InstancesTab
from sandbox.ui.parts import Parts
from sandbox.ui.save_form import applied
from sandbox.ui.save_parts import SavePanel
from sandbox.ui.save_views import badge_list, made_list, save_form
from sandbox.ui.troubles import inform

_KINDS: Mapping[str, Kind] = {"dialogue": "dialogue", "episode": "episode"}


class SaveTab:
    """The handlers for one account; `areas` are the page's tabs."""

    def __init__(self, sandbox: Sandbox, account: str, panel: SavePanel, areas: gr.Tabs) -> None:
        self._shop = sandbox.workshop
        self._account = account
        self._panel = panel
        self._areas = areas

    def connect(self, page: gr.Blocks, parts: Parts, instances: InstancesTab) -> None:
        """Wire everything. Use inside the page's Blocks."""
        panel, door, kept = self._panel, parts.save, parts.kept
        form = [panel.source, panel.form, panel.badges]
        front = [self._areas, *form]
        on(page.load, self.list_made, [], [panel.made])
        on(door.reply.click, self.from_reply, [parts.verdict.shown], front)
        on(door.dialogue.click, self.from_dialogue, [kept.session], front)
        on(door.episode.click, self.from_episode, [kept.session], front)
        on(panel.form.input, self.check, [panel.source], [panel.badges], "always_last")
        on(panel.form.collapse, self.close, [], form)
        listed = [
            on(panel.form.apply, self.save_draft, [panel.source], form),
            on(panel.form.submit, self.save_checked, [panel.source], form),
            on(panel.form.edit, self.annotate, [panel.source], form),
            on(panel.form.retry, self.decide, [panel.source], form),
            on(panel.made.delete, self.delete, [panel.source], form),
            on(panel.made.undo, self.restore, [], []),
        ]
        for event in listed:
            then(event, self.list_made, [], [panel.made])
        on(panel.made.select, self.look, [], form)
        on(panel.made.edit, self.blind, [], form)
        on(panel.made.expand, self.differences, [], form)
        instances.shown_after(on(panel.made.apply, self.publish, [], instances.ids))

    def list_made(self) -> str:
        """What is made here."""
        shop = self._shop.authoring
        return made_list(shop.all(self._account), shop.deleted(self._account)).markup

    def from_reply(self, reply: str) -> Updates:
        """The form for the inspected reply, filled."""
        if not reply:
            raise BadInput("No reply is inspected: choose one in the chat.")
        return self._front(f"turn {reply} {secrets.token_hex(6)}")

    def from_dialogue(self, session: str) -> Updates:
        """The form for the session as a dialogue."""
        return self._front(f"dialogue {_open(session)} {secrets.token_hex(6)}")

    def from_episode(self, session: str) -> Updates:
        """The form for the session and those before it as an episode."""
        return self._front(f"episode {_open(session)} {secrets.token_hex(6)}")

    def look(self, event: gr.EventData) -> Updates:
        """The form of what was saved."""
        return self._shown(f"own {event.id}")

    def check(self, source: str, event: gr.EventData) -> str:
        """The checks of what is in the form now; of nothing else than that form."""
        if not source:
            return ""
        values = _values(event)
        found = applied(self._base(source), values, _author(values))
        return badge_list(self._shop.looking.badges(self._account, found)).markup

    def save_draft(self, source: str, event: gr.EventData) -> Updates:
        """Keep the form."""
        return self._saved(source, _values(event), looked_at=False)

    def save_checked(self, source: str, event: gr.EventData) -> Updates:
        """Keep the form, its roles looked at."""
        return self._saved(source, _values(event), looked_at=True)

    def close(self) -> Updates:
        """Close the form."""
        panel = self._panel
        return {panel.source: "", panel.form: "", panel.badges: ""}

    def delete(self, source: str, event: gr.EventData) -> Updates:
        """Delete an instance; it can be restored."""
        self._shop.authoring.delete(self._account, event.id)
        inform("It is deleted. Restore takes that back.")
        return self.close() if source == f"own {event.id}" else {self._panel.source: source}

    def restore(self, event: gr.EventData) -> None:
        """Take a deletion back."""
        self._shop.authoring.restore(self._account, event.id)

    def blind(self, event: gr.EventData) -> Updates:
        """What a second annotator sees."""
        view = self._shop.annotating.view(self._account, event.id)
        panel = self._panel
        return {panel.source: "", panel.form: blind_form(view).markup, panel.badges: ""}

    def annotate(self, _source: str, event: gr.EventData) -> Updates:
        """Keep a second annotation."""
        values = _values(event)
        self._shop.annotating.annotate(
            self._account,
            event.id,
            _author(values),
            _part(values, "role"),
            _golden(values),
            str(values.get("note", "")),
        )
        inform("Your annotation is saved.")
        return self.close()

    def differences(self, event: gr.EventData) -> Updates:
        """The differences, side by side."""
        annotating, panel = self._shop.annotating, self._panel
        told, found = annotating.differences(self._account, event.id)
        first = self._shop.authoring.history(self._account, event.id)[told.of - 1].authored
        agreed = annotating.agreement(self._account, first.collection)
        shown = decision_form(first, told, found, agreed)
        return {panel.source: "", panel.form: shown.markup, panel.badges: ""}

    def decide(self, _source: str, event: gr.EventData) -> Updates:
        """Keep the decisions."""
        values = _values(event)
        golden = values.get(GOLDEN)
        decided = {key: role for key, role in _part(values, "role").items() if role}
        self._shop.annotating.adjudicate(
            self._account,
            event.id,
            _author(values),
            decided,
            str(values.get("reason", "")),
            golden.split() if isinstance(golden, str) else None,
        )
        return self._shown(f"own {event.id}")

    def publish(self, event: gr.EventData) -> tuple[str, str, str]:
        """Put a collection on the shelf, and choose it."""
        done = self._shop.publishing.publish(self._account, event.id)
        left = f" Left out: {len(done.left_out)}." if done.left_out else ""
        inform(f"{done.name}: {done.instances} published.{left}")
        return done.sha256, "", ""

    def _saved(self, source: str, values: Mapping[str, Any], *, looked_at: bool) -> Updates:
        author, authoring = _author(values), self._shop.authoring
        found = applied(self._base(source), values, author)
        why = str(values.get("reason", ""))
        keep = authoring.save if source.startswith("own ") else authoring.start
        keep(self._account, found, author, why, looked_at=looked_at)
        inform(f"Saved in {found.collection}.")
        return self._shown(f"own {found.id}")

    def _front(self, source: str) -> Updates:
        return {self._areas: gr.Tabs(selected=TAB)} | self._shown(source)

    def _shown(self, source: str) -> Updates:
        base, panel = self._base(source), self._panel
        names = self._shop.authoring.collections(self._account)
        badges = self._shop.looking.badges(self._account, base)
        shown = save_form(base, self._history(source), names)
        return {
            panel.source: source,
            panel.form: shown.markup,
            panel.badges: badge_list(badges).markup,
        }

    def _base(self, source: str) -> Authored:
        """What the open form is of: filled anew from the record, or as it was saved."""
        kind, _, rest = source.partition(" ")
        authoring = self._shop.authoring
        if kind == "own":
            return authoring.get(self._account, rest).authored
        name, _, new = rest.partition(" ")
        if kind == "turn":
            return replace(authoring.from_turn(self._account, name), id=new)
        if kind not in _KINDS:
            raise BadInput("No form is open: choose a reply or an instance.")
        found = authoring.from_session(self._account, name, _KINDS[kind])
        return replace(found, id=new)

    def _history(self, source: str) -> list[Version]:
        if not source.startswith("own "):
            return []
        return self._shop.authoring.history(self._account, source.removeprefix("own "))


def _open(session: str) -> str:
    if not session:
        raise BadInput("No session is open: open one in the chat.")
    return session


def _values(event: gr.EventData) -> Mapping[str, Any]:
    values = event.values
    return values if isinstance(values, dict) else {}


def _author(values: Mapping[str, Any]) -> str:
    return str(values.get("author", "")).strip()


def _part(values: Mapping[str, Any], name: str) -> dict[str, str]:
    start = f"{name}|"
    return {
        key.removeprefix(start): told
        for key, told in values.items()
        if key.startswith(start) and isinstance(told, str)
    }


def _golden(values: Mapping[str, Any]) -> list[str]:
    places = {key: place.strip() for key, place in _part(values, "golden").items() if place.strip()}
    if bad := [place for place in places.values() if not (place.isascii() and place.isdigit())]:
        raise BadInput(f"A golden place must be a number such as 1, got {bad[0][:20]!r}.")
    return sorted(places, key=lambda key: int(places[key]))
