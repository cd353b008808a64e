"""What the tab with the instances does: choose, import, remove, look, open."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.collected import Collection, UnknownInstance
from sandbox.inputs import BadInput
from sandbox.instances import Instance
from sandbox.ui.collection_acts import CollectionActs
from sandbox.ui.dispute_acts import DisputeActs, Doubted, Form, around_it
from sandbox.ui.events import Updates, on, script, then
from sandbox.ui.instance_views import preview
from sandbox.ui.instances_parts import InstancesParts
from sandbox.ui.instances_views import (
    figures,
    fitting,
    instance_list,
    matching,
    removal,
    shelf,
)
from sandbox.ui.troubles import inform

TAB = "instances"
GO = """(session) => {
  if (session) window.location.assign('/session/' + encodeURIComponent(session));
}"""
"""Go to the session that was opened; the address does the rest."""
ADDRESS = """(instance, collection) => {
  const url = new URL(window.location.href);
  const told = {instance, collection: instance ? collection : ''};
  for (const [name, value] of Object.entries(told))
    if (value) url.searchParams.set(name, value); else url.searchParams.delete(name);
  if (url.href !== window.location.href) window.history.replaceState(null, '', url);
}"""
"""Keep the address of the instance that is shown, so that a reload finds it."""
BEGUN = "() => { window.instancesBegun = true; }"
LEAVE = f"() => {{ if (window.instancesBegun) ({ADDRESS})('', ''); }}"
"""Another tab is in front: the address names no instance any more.

Gradio says so of the first tab, too, before anybody could read the address.
"""


class InstancesTab:
    """The tab's handlers for one account; `areas` are the tabs that it is one of."""

    def __init__(
        self, sandbox: Sandbox, account: str, parts: InstancesParts, areas: gr.Tabs
    ) -> None:
        self._instances = sandbox.instances
        self._account = account
        self._parts = parts
        self._areas = areas
        self._page = CollectionActs(sandbox, account, parts.page)
        self._disputes = DisputeActs(sandbox, account, parts.dispute)

    def connect(self, page: gr.Blocks) -> None:
        """Wire everything. Use inside the page's Blocks."""
        parts, ids = self._parts, self.ids
        script(self.shown_after(on(page.load, self.begin, [], [*ids, self._areas])), BEGUN, [])
        chosen = [*ids, parts.search, parts.page.made]
        self.shown_after(on(parts.shelf.select, self.choose, [], chosen))
        imported = on(parts.upload.upload, self.import_files, [parts.upload], chosen)
        self.shown_after(imported)
        self.shown_after(on(parts.shelf.delete, self.ask, [], [parts.removing]))
        self.shown_after(on(parts.keep.click, self.keep, [], [parts.removing]))
        removing = [parts.removing, parts.collection]
        self.shown_after(on(parts.remove.click, self.remove, removing, chosen))
        looked = on(parts.listed.select, self.look, [], [parts.instance, parts.dispute.entry])
        script(self.shown_after(looked), ADDRESS, [parts.instance, parts.collection])
        self.shown_after(on(parts.gold.input, self.nothing))
        asked = [parts.collection, parts.instance, parts.search, parts.gold]
        on(parts.search.change, self.search, asked, [parts.listed], "always_last")
        self._page.connect(self)
        self._disputes.connect(self, parts.preview)
        setup = [parts.collection, parts.instance, parts.strategy, parts.model]
        script(on(parts.open.click, self.open, setup, [parts.opened]), GO, [parts.opened])

    def begin(self, request: gr.Request) -> Updates:
        """The instance that the address names, with this tab in front; else the shipped file."""
        asked = {name: str(value) for name, value in dict(request.query_params).items()}
        name = asked.get("instance", "")
        if not name:
            return self._chosen(self._instances.shipped.sha256)
        front: Updates = {self._areas: gr.Tabs(selected=TAB)}
        sha256 = self._holder(name, asked.get("collection", ""))
        if sha256 is None:
            gr.Warning(escape(f"There is no instance {name!r}: choose one, or import its file."))
            return front | self._chosen(self._instances.shipped.sha256)
        return front | self._chosen(sha256, self._collection(sha256).find(name).id)

    def choose(self, event: gr.EventData) -> Updates:
        """Another collection: nothing of it is chosen yet."""
        return self._chosen(event.id) | self._fresh

    def import_files(self, files: Sequence[str]) -> Updates:
        """Import files that belong together as one collection and choose it."""
        paths = [Path(file) for file in files]
        found = self._instances.add(self._account, [(one.name, one.read_bytes()) for one in paths])
        told = found.figures()
        inform(f"{found.name}: {told.read} read, {told.refused} refused.")
        return self._chosen(found.sha256) | self._fresh

    def ask(self, event: gr.EventData) -> str:
        """Whether a collection is to be removed."""
        return str(event.id)

    def keep(self) -> str:
        """It stays."""
        return ""

    def remove(self, sha256: str, current: str) -> Updates:
        """Remove a collection; the shipped one is shown where it was the chosen one."""
        self._instances.remove(self._account, sha256)
        if sha256 != current:
            return {self._parts.removing: ""}
        return self._chosen(self._instances.shipped.sha256) | self._fresh

    def look(self, event: gr.EventData) -> tuple[str, str]:
        """Another instance is shown; no form of it is open."""
        return str(event.id), ""

    def nothing(self) -> None:
        """Change nothing: the screen is shown again."""

    def search(self, sha256: str, name: str, text: str, gold: bool) -> str:
        """The list alone."""
        collection = self._collection(sha256)
        return self._listed(collection, name, text, gold, self._disputes.doubted(collection))

    def open(self, sha256: str, name: str, strategy: str, model: str) -> str:
        """Open the shown instance as a session."""
        if not name:
            raise BadInput("No instance is chosen: choose one from the list.")
        opened = self._instances.open(self._account, sha256, name, strategy=strategy, model=model)
        return opened.id

    def show_made(self, event: gr.EventData) -> tuple[str, str]:
        """The page of a collection that is made here, as it is now."""
        return "", event.id

    def screen(
        self,
        sha256: str,
        name: str,
        removing: str,
        text: str,
        gold: bool,
        strategy: str,
        made: str,
        entry: str,
        author: str,
    ) -> Updates:
        """The whole tab as the record says."""
        parts, shelved = self._parts, self._instances.all(self._account)
        collection = self._collection(sha256)
        shown = self._instance(collection, name)
        found = self._disputes.doubted(collection)
        around = around_it(shown, found, Form(entry, author), gold=gold)
        page: Updates = self._page.hidden()
        if shown is None:
            page = self._page.shown(collection, made, found.changes, gold=gold)
        return (
            page
            | self._asked(removing)
            | {
                parts.shelf: shelf(shelved, sha256, self._page.published).markup,
                parts.figures: figures(collection).markup,
                parts.listed: self._listed(collection, name, text, gold, found),
                parts.preview: preview(shown, gold=gold, around=around).markup,
                parts.row: gr.update(visible=shown is not None),
                parts.strategy: fitting(shown, strategy),
            }
        )

    @property
    def ids(self) -> list[Any]:
        """What says which collection and instance are shown."""
        return [self._parts.collection, self._parts.instance, self._parts.removing]

    def shown_after(self, before: Any) -> Any:
        """Show the whole tab again after `before`."""
        parts = self._parts
        asked = [parts.confirm, parts.question, parts.remove]
        shown = [parts.shelf, parts.figures, parts.listed, parts.preview, parts.row]
        told = [*self.ids, parts.search, parts.gold, parts.strategy, parts.page.made]
        told += [parts.dispute.entry, parts.dispute.author]
        every = [*asked, *shown, parts.strategy, *self._page.every]
        return then(before, self.screen, told, every)

    @property
    def collection(self) -> gr.Textbox:
        """Which collection is chosen."""
        return self._parts.collection

    @property
    def made(self) -> gr.Textbox:
        """Which collection that is made here is shown; empty for the chosen file."""
        return self._parts.page.made

    @property
    def instance(self) -> gr.Textbox:
        """Which instance is chosen."""
        return self._parts.instance

    @property
    def _fresh(self) -> Updates:
        """Nothing is searched, and the collection's own page is in front."""
        return {self._parts.search: "", self._parts.page.made: ""}

    def _chosen(self, sha256: str, instance: str = "") -> Updates:
        parts = self._parts
        return {parts.collection: sha256, parts.instance: instance, parts.removing: ""}

    def _asked(self, removing: str) -> Updates:
        """The question whether to remove a collection; nothing where none is asked about."""
        parts = self._parts
        if not removing:
            return {parts.confirm: gr.update(visible=False)}
        name = next(
            (one.name for one in self._instances.all(self._account) if one.sha256 == removing), ""
        )
        opened = self._instances.opened(self._account, removing)
        return {
            parts.confirm: gr.update(visible=bool(name)),
            parts.question: removal(name, opened).markup,
            parts.remove: gr.update(value="Remove it", visible=not opened),
        }

    def _listed(
        self, collection: Collection, name: str, text: str, gold: bool, doubted: Doubted
    ) -> str:
        return instance_list(
            matching(collection, text),
            len(collection.instances),
            name,
            gold=gold,
            disputed={one: len(found) for one, found in doubted.disputes.items()},
            changed=doubted.changes.keys(),
        ).markup

    def _collection(self, sha256: str) -> Collection:
        return self._instances.collection(self._account, sha256 or self._instances.shipped.sha256)

    def _instance(self, collection: Collection, name: str) -> Instance | None:
        """The instance with this id; none where nothing is chosen, or it went with its file."""
        return next((one for one in collection.instances if one.id == name), None)

    def _holder(self, name: str, sha256: str) -> str | None:
        """The collection that an instance is of: the one that is named, else the first."""
        try:
            self._collection(sha256).find(name)
        except (BadInput, UnknownInstance):
            return self._instances.having(self._account, name)
        return sha256 or self._instances.shipped.sha256
