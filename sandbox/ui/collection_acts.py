"""What the page of a collection does: tells, publishes, exports, patches."""

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.authoring.exporting import Exported, exported, zipped
from sandbox.authoring.rechecking import Change
from sandbox.collected import Collection
from sandbox.inputs import BadInput
from sandbox.ui.collection_parts import CAPPED, CollectionPanel
from sandbox.ui.collection_views import Page, collection_page, export_told
from sandbox.ui.events import Updates, on, script
from sandbox.ui.scripts import DOWNLOAD
from sandbox.ui.times import short_time
from sandbox.ui.troubles import inform

if TYPE_CHECKING:
    from sandbox.ui.instances_tab import InstancesTab


class CollectionActs:
    """The handlers for one account."""

    def __init__(self, sandbox: Sandbox, account: str, panel: CollectionPanel) -> None:
        self._instances = sandbox.instances
        self._shop = sandbox.workshop
        self._account = account
        self._panel = panel

    def connect(self, tab: "InstancesTab") -> None:
        """Wire everything. Use inside the page's Blocks."""
        panel, ids, sha256 = self._panel, tab.ids, tab.collection
        of = [sha256, panel.made]
        for event in (
            on(panel.page.expand, self.look, [], [*ids, panel.made]),
            on(panel.page.apply, self.publish, [], [*ids, panel.made]),
            on(panel.page.copy, self.correct, [sha256], [*ids, panel.made]),
            on(panel.patch.upload, self.apply, [panel.patch, sha256], [*ids, panel.made]),
            on(panel.page.select, self.open, [], [tab.instance]),
            on(panel.page.undo, self.withdraw, []),
        ):
            tab.shown_after(event)
        wanted = [*of, panel.kind, panel.seed]
        told = [panel.told, panel.download, panel.seed]
        on(panel.kind.input, self.tell, wanted, told, "always_last")
        on(panel.seed.change, self.tell, wanted, told, "always_last")
        asked = on(panel.page.download, self.patch, [sha256], [panel.file])
        made = on(panel.download.click, self.export, wanted, [panel.file])
        for event in (asked, made):
            script(event, DOWNLOAD, [panel.file], [panel.file])

    def hidden(self) -> Updates:
        """No page, while an instance is chosen."""
        return {self._panel.column: gr.update(visible=False)}

    def shown(
        self,
        collection: Collection,
        made: str,
        changes: Mapping[str, Sequence[Change]],
        *,
        gold: bool,
    ) -> Updates:
        """The page of a collection that is made here, or else of the file with its `changes`."""
        panel = self._panel
        page = self._made(made) if made else self._file(collection, changes)
        return {
            panel.column: gr.update(visible=True),
            panel.page: collection_page(page, gold=gold).markup,
            panel.kind: gr.update(value=None),
            panel.seed: gr.update(visible=False),
            panel.told: export_told(None).markup,
            panel.download: gr.update(interactive=False),
            panel.patch: gr.update(visible=not made),
        }

    @property
    def every(self) -> list[Any]:
        """The components that `shown` changes."""
        panel = self._panel
        shown = [panel.column, panel.page, panel.kind, panel.seed, panel.told]
        return [*shown, panel.download, panel.patch]

    @property
    def published(self) -> frozenset[str]:
        """Fingerprints of the files that were made here."""
        return self._shop.publishing.fingerprints(self._account)

    def look(self, event: gr.EventData) -> tuple[str, str, str, str]:
        """A version that was published."""
        return _chosen(event.id)

    def publish(self, event: gr.EventData) -> tuple[str, str, str, str]:
        """Put the collection on the shelf; its page stays in front."""
        done = self._shop.publishing.publish(self._account, event.id)
        left = f" Left out: {len(done.left_out)}." if done.left_out else ""
        inform(f"{done.name}: {done.instances} published.{left}")
        return done.sha256, "", "", event.id

    def correct(self, sha256: str) -> tuple[str, str, str, str]:
        """A corrected copy by what is disputed here, chosen."""
        copy = self._shop.disputes.correct(self._account, sha256)
        inform(f"{copy.name} is on the shelf: export it to have the file.")
        return _chosen(copy.sha256)

    def apply(self, file: str, sha256: str) -> tuple[str, str, str, str]:
        """A corrected copy by a patch that somebody gave, chosen."""
        copy = self._shop.disputes.correct(self._account, sha256, Path(file).read_bytes())
        inform(f"{copy.name} is on the shelf: export it to have the file.")
        return _chosen(copy.sha256)

    def open(self, event: gr.EventData) -> str:
        """An instance of the file."""
        return str(event.id)

    def withdraw(self, event: gr.EventData) -> None:
        """Take a dispute back."""
        self._shop.disputes.withdraw(self._account, event.id)
        inform("The dispute is withdrawn.")

    def patch(self, sha256: str) -> str:
        """What is disputed, as a file."""
        name = self._instances.collection(self._account, sha256).name
        data = self._shop.disputes.patch(self._account, sha256)
        return _handed(f"{_stem(name)} labels.patch.json", "application/json", data)

    def tell(self, sha256: str, made: str, kind: str | None, seed: float | None) -> Updates:
        """What an export in this format would not say; it can be downloaded where it can be."""
        panel, wrong, found = self._panel, "", None
        try:
            found = self._exported(sha256, made, kind, seed) if kind else None
        except BadInput as error:
            wrong = str(error)
        return {
            panel.told: export_told(found, wrong).markup,
            panel.download: gr.update(interactive=found is not None),
            panel.seed: gr.update(visible=kind == CAPPED),
        }

    def export(self, sha256: str, made: str, kind: str | None, seed: float | None) -> str:
        """The files as a zip."""
        if not kind:
            raise BadInput("No format is chosen: choose one from the list.")
        found = self._exported(sha256, made, kind, seed)
        name = found.about_name.removesuffix(".about.txt")
        what = f"{CAPPED} {int(seed or 0)}" if kind == CAPPED else found.kind
        return _handed(f"{name} {what}.zip", "application/zip", zipped(found))

    def _exported(self, sha256: str, made: str, kind: str, seed: float | None) -> Exported:
        number = int(seed or 0) if kind == CAPPED else None
        plain = "stratmem" if kind == CAPPED else kind
        if made:
            return self._shop.publishing.export(self._account, made, plain, number)
        return exported(self._instances.collection(self._account, sha256), plain, seed=number)

    def _made(self, name: str) -> Page:
        ready = self._shop.publishing.ready(self._account, name)
        return Page(
            name=name,
            origin="Made here, as it is now.",
            collection=ready.collection,
            made=name,
            making=ready.making,
            versions=self._shop.publishing.versions(self._account, name),
        )

    def _file(self, collection: Collection, changes: Mapping[str, Sequence[Change]]) -> Page:
        sha256 = collection.sha256
        version = self._shop.publishing.shelved(self._account, sha256)
        held = self._instances.all(self._account)
        added = next((one.added for one in held if one.sha256 == sha256), None)
        origin = f"Imported {short_time(added)}." if added else "Comes with the program."
        if version is not None:
            when = short_time(version.created_at)
            origin = f"Version {version.number} of {version.collection}, published {when}."
        return Page(
            name=collection.name,
            origin=f"{origin} Fingerprint {sha256[:12]}.",
            collection=collection,
            blanked_at=version.blanked_at if version else None,
            disputes=self._shop.disputes.all(self._account, sha256),
            changes=changes,
        )


def _chosen(sha256: str) -> tuple[str, str, str, str]:
    """A file is shown, and nothing of it is chosen yet."""
    return sha256, "", "", ""


def _stem(name: str) -> str:
    return name.removesuffix(".json")


def _handed(name: str, mime: str, data: bytes) -> str:
    """A file as the page's script takes it."""
    told = {"name": name, "mime": mime, "data": base64.b64encode(data).decode("ascii")}
    return json.dumps(told)
