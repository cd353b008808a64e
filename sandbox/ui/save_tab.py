"""What happens when instances are made: forms opened and saved, annotations, publishing."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.authoring.authored import Authored, Kind, Version
from sandbox.authoring.episode_edits import as_typed, dropped
from sandbox.authoring.episode_typed import Typed, typed_of
from sandbox.evaluation.evaluating import Evaluating
from sandbox.evaluation.judges import LOCAL
from sandbox.inputs import BadInput
from sandbox.judges.verdict import JudgeError
from sandbox.ui.annotate_tab import AnnotateTab
from sandbox.ui.branch_acts import form_values
from sandbox.ui.episode_edit_acts import added
from sandbox.ui.episode_edit_questions import gold_checks
from sandbox.ui.episode_edit_values import typed_values
from sandbox.ui.events import Event, Updates, on, then
from sandbox.ui.instances_tab import TAB, InstancesTab
from sandbox.ui.parts import Parts
from sandbox.ui.save_form import applied, previewed
from sandbox.ui.save_parts import SavePanel
from sandbox.ui.save_values import author_of, must_be_of
from sandbox.ui.save_views import badge_list, made_list, old_version, save_form
from sandbox.ui.troubles import inform

_KINDS: Mapping[str, Kind] = {"dialogue": "dialogue", "episode": "episode"}


class SaveTab:
    """The handlers for one account; `areas` are the page's tabs."""

    def __init__(self, sandbox: Sandbox, account: str, panel: SavePanel, areas: gr.Tabs) -> None:
        self._shop = sandbox.workshop
        self._evaluating = sandbox.evaluating
        self._account = account
        self._panel = panel
        self._areas = areas
        self._others = AnnotateTab(sandbox, account, panel)

    def connect(self, page: gr.Blocks, parts: Parts, instances: InstancesTab) -> None:
        """Wire everything. Use inside the page's Blocks."""
        panel, door, kept = self._panel, parts.save, parts.kept
        form = [panel.source, panel.blind, panel.form, panel.badges, panel.gold]
        front = [self._areas, *form]
        on(page.load, self.list_made, [], [panel.made])
        on(door.reply.click, self.from_reply, [parts.verdict.shown], front)
        on(door.dialogue.click, self.from_dialogue, [kept.session], front)
        on(door.episode.click, self.from_episode, [kept.session], front)
        on(parts.side.sessions.apply, self.from_listed, [], front)
        self._connect_form(form)
        self._connect_made(form, instances)

    def _connect_form(self, form: Sequence[Any]) -> None:
        """What a form tells; `form` is what shows one."""
        panel, told = self._panel, self._panel.form
        opened = [panel.source, panel.blind]
        on(told.input, self.check, [panel.source], [panel.badges, panel.gold], "always_last")
        on(told.collapse, self.close, [], form)
        on(told.expand, self.add, opened, form)
        on(told.delete, self.drop, opened, form)
        on(told.release, self.again, opened, form)
        on(told.option_select, self.look_back, [], form)
        on(told.select, self.look, [], form)
        on(told.play, self._others.blind, [], form)
        on(told.tick, self._others.draw, [], form)
        self._listed_after(on(told.apply, self.save_draft, [panel.source], form))
        self._listed_after(on(told.submit, self.save_checked, [panel.source], form))
        self._listed_after(on(told.undo, self.take_back, [], form))
        self._listed_after(on(told.edit, self._others.annotate, [], form))
        self._listed_after(on(told.retry, self.decide, [], form))

    def _connect_made(self, form: Sequence[Any], instances: InstancesTab) -> None:
        """What the list of what is made here tells."""
        panel, made = self._panel, self._panel.made
        on(made.select, self.look, [], form)
        on(made.edit, self._others.blind, [], form)
        on(made.expand, self._others.differences, [], form)
        on(made.retry, self._others.pass_over, [], form)
        self._listed_after(on(made.delete, self.delete, [panel.source], form))
        self._listed_after(on(made.undo, self.restore, [], []))
        instances.shown_after(on(made.apply, self.publish, [], instances.ids))
        shelf = [instances.instance, instances.made]
        instances.shown_after(on(made.copy, instances.show_made, [], shelf))

    def _listed_after(self, event: Event) -> None:
        then(event, self.list_made, [], [self._panel.made])

    def list_made(self) -> str:
        """What is made here."""
        shop = self._shop.authoring
        changed = self._shop.rechecking.changed(self._account)
        return made_list(shop.all(self._account), shop.deleted(self._account), changed).markup

    def from_reply(self, reply: str) -> Updates:
        """The form for the inspected reply, filled; roles are proposed where nobody gives any."""
        if not reply:
            raise BadInput("No reply is inspected: choose one in the chat.")
        if not self._evaluating.evaluation(self._account, reply).roles:
            inform(proposing(self._evaluating, self._account, reply))
        return self._front(f"turn {reply} {secrets.token_hex(6)}")

    def from_dialogue(self, session: str) -> Updates:
        """The form for the session as a dialogue."""
        return self._front(f"dialogue {_open(session)} {secrets.token_hex(6)}")

    def from_listed(self, event: gr.EventData) -> Updates:
        """The form for a session of the list, as a dialogue."""
        return self._front(f"dialogue {event.id} {secrets.token_hex(6)}")

    def from_episode(self, session: str) -> Updates:
        """The form for the session and those before it as an episode."""
        return self._front(f"episode {_open(session)} {secrets.token_hex(6)}")

    def look(self, event: gr.EventData) -> Updates:
        """The form of what was saved."""
        return self._shown(f"own {event.id}")

    def look_back(self, event: gr.EventData) -> Updates:
        """An earlier version, as it was."""
        version = self._version(event.id)
        names = self._shop.authoring.collections(self._account)
        return self._others.closed() | {self._panel.form: old_version(version, names).markup}

    def take_back(self, event: gr.EventData) -> Updates:
        """Make an earlier version the next one."""
        version, values = self._version(event.id), form_values(event)
        why = f"Version {version.number} again."
        found = version.authored
        self._shop.authoring.save(self._account, found, author_of(values), why)
        inform(f"Version {version.number} is the latest again.")
        return self._shown(f"own {found.id}")

    def check(self, source: str, event: gr.EventData) -> Updates:
        """The checks of what is in the form now; of nothing else than that form."""
        panel = self._panel
        if not source:
            return {panel.badges: "", panel.gold: ""}
        values, base = form_values(event), self._base(source)
        found = previewed(base, values, author_of(values))
        badges = self._shop.looking.badges(self._account, found)
        return {
            panel.badges: badge_list(badges).markup,
            panel.gold: self._gold(base, found, typed_values(values)),
        }

    def add(self, source: str, blind: str, event: gr.EventData) -> Updates:
        """One more row in the open table of an episode."""
        if blind:
            return self._others.add(blind, event)
        base = self._base(source)
        if base.talk is None:
            raise BadInput("No table is open: reload the page.")
        typed = added(base.talk, typed_values(form_values(event)), event.id)
        return self._table(source, base, form_values(event), typed)

    def drop(self, source: str, blind: str, event: gr.EventData) -> Updates:
        """One row fewer."""
        if blind:
            return self._others.drop(blind, event)
        values = form_values(event)
        typed = dropped(typed_values(values), event.id)
        return self._table(source, self._base(source), values, typed)

    def again(self, source: str, blind: str, event: gr.EventData) -> Updates:
        """The table as it is typed: what is live where, and what can be chosen."""
        if blind:
            return self._others.again(blind, event)
        values = form_values(event)
        return self._table(source, self._base(source), values, typed_values(values))

    def save_draft(self, source: str, event: gr.EventData) -> Updates:
        """Keep the form."""
        return self._saved(source, form_values(event), looked_at=False)

    def save_checked(self, source: str, event: gr.EventData) -> Updates:
        """Keep the form, its roles looked at."""
        return self._saved(source, form_values(event), looked_at=True)

    def close(self) -> Updates:
        """Close the form."""
        return self._others.closed()

    def delete(self, source: str, event: gr.EventData) -> Updates:
        """Delete an instance; it can be restored."""
        self._shop.authoring.delete(self._account, event.id)
        inform("It is deleted. Restore takes that back.")
        return self.close() if source == f"own {event.id}" else {self._panel.source: source}

    def restore(self, event: gr.EventData) -> None:
        """Take a deletion back."""
        self._shop.authoring.restore(self._account, event.id)

    def decide(self, event: gr.EventData) -> Updates:
        """Keep the decisions."""
        return self._shown(f"own {self._others.decide(event)}")

    def publish(self, event: gr.EventData) -> tuple[str, str, str]:
        """Put a collection on the shelf, and choose it."""
        done = self._shop.publishing.publish(self._account, event.id)
        left = f" Left out: {len(done.left_out)}." if done.left_out else ""
        inform(f"{done.name}: {done.instances} published.{left}")
        return done.sha256, "", ""

    def _saved(self, source: str, values: Mapping[str, Any], *, looked_at: bool) -> Updates:
        author, authoring = author_of(values), self._shop.authoring
        if history := self._history(source):
            must_be_of(values, history[-1].number)
        found = applied(self._base(source), values, author)
        why = str(values.get("reason", ""))
        keep = authoring.save if source.startswith("own ") else authoring.start
        keep(self._account, found, author, why, looked_at=looked_at)
        inform(f"Saved in {found.collection}.")
        return self._shown(f"own {found.id}")

    def _front(self, source: str) -> Updates:
        return {self._areas: gr.Tabs(selected=TAB)} | self._shown(source)

    def _shown(self, source: str) -> Updates:
        base = self._base(source)
        return self._table(source, base, {}, typed_of(base))

    def _table(
        self, source: str, base: Authored, values: Mapping[str, Any], typed: Typed
    ) -> Updates:
        """The form of `base` with the rows that are typed, and its checks."""
        panel = self._panel
        found = base
        if base.kind == "episode" and values:
            found = as_typed(previewed(base, values, author_of(values)), typed)
        names = self._shop.authoring.collections(self._account)
        shown = save_form(base, self._history(source), names, typed)
        badges = self._shop.looking.badges(self._account, found)
        return {
            panel.source: source,
            panel.blind: "",
            panel.form: shown.markup,
            panel.badges: badge_list(badges).markup,
            panel.gold: self._gold(base, found, typed),
        }

    def _gold(self, base: Authored, found: Authored, typed: Typed) -> str:
        """What an episode's table holds; empty for other kinds."""
        if base.kind != "episode" or base.talk is None:
            return ""
        cosine = self._shop.looking.look(self._account, found).cosine
        return gold_checks(found, base.talk, typed, cosine).markup

    def _version(self, name: str) -> Version:
        """The version that is named by an instance's id and its number."""
        id_, _, number = name.rpartition(" ")
        for version in self._shop.authoring.history(self._account, id_):
            if str(version.number) == number:
                return version
        raise BadInput(f"There is no version {number[:20]!r}: reload the page.")

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


def proposing(evaluating: Evaluating, account: str, reply: str) -> str:
    """Have the judge without a model propose the roles of a reply's pool; what came of it."""
    try:
        roles = evaluating.evaluate(account, reply, LOCAL).roles
    except JudgeError as error:
        return f"No roles are proposed: {error}"
    if not roles:
        return "No roles are proposed: give them yourself."
    return f"{LOCAL} proposes the roles: look at each, a proposal is no gold."


def _open(session: str) -> str:
    if not session:
        raise BadInput("No session is open: open one in the chat.")
    return session
