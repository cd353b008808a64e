"""What happens when a label of an instance is disputed in its preview."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.authoring.disputes import Dispute
from sandbox.authoring.rechecking import Change
from sandbox.collected import Collection
from sandbox.instances import Instance
from sandbox.ui.branch_acts import form_values
from sandbox.ui.dispute_parts import DisputePanel
from sandbox.ui.dispute_views import Doubts, around
from sandbox.ui.events import on
from sandbox.ui.instance_views import Around
from sandbox.ui.troubles import inform

if TYPE_CHECKING:
    from sandbox.ui.instances_tab import InstancesTab


@dataclass(frozen=True, slots=True)
class Doubted:
    """What is doubted of a whole collection, by the ids of its instances."""

    disputes: Mapping[str, Sequence[Dispute]]
    changes: Mapping[str, Sequence[Change]]


@dataclass(frozen=True, slots=True)
class Form:
    """Which entry's form is open, and who disputed last."""

    entry: str
    author: str


class DisputeActs:
    """The handlers for one account."""

    def __init__(self, sandbox: Sandbox, account: str, panel: DisputePanel) -> None:
        self._shop = sandbox.workshop
        self._account = account
        self._panel = panel

    def connect(self, tab: "InstancesTab", preview: gr.HTML) -> None:
        """Wire everything. Use inside the page's Blocks."""
        panel = self._panel
        of = [tab.collection, tab.instance, panel.author]
        for event in (
            on(preview.edit, self.ask, [], [panel.entry]),
            on(preview.collapse, self.close, [], [panel.entry]),
            on(preview.submit, self.dispute, of, [panel.entry, panel.author]),
            on(preview.undo, self.withdraw, []),
        ):
            tab.shown_after(event)

    def ask(self, event: gr.EventData) -> str:
        """Open the form of an entry."""
        return str(event.id)

    def close(self) -> str:
        """Close the form."""
        return ""

    def dispute(
        self, sha256: str, instance: str, before: str, event: gr.EventData
    ) -> tuple[str, str]:
        """Keep the dispute; the name stays for the next one."""
        values = form_values(event)
        told = {name: str(values.get(name, "")) for name in ("wanted", "reason", "author")}
        made = self._shop.disputes.dispute(
            self._account,
            sha256,
            instance,
            event.id,
            told["wanted"],
            told["reason"],
            told["author"],
        )
        inform(f"Disputed: {made.was} should be {made.wanted}.")
        return "", told["author"] or before

    def withdraw(self, event: gr.EventData) -> None:
        """Take a dispute back."""
        self._shop.disputes.withdraw(self._account, event.id)
        inform("The dispute is withdrawn.")

    def doubted(self, collection: Collection) -> Doubted:
        """What is disputed of a collection, and what changed since it was published."""
        return Doubted(
            disputes=self._shop.disputes.by_instance(self._account, collection),
            changes=self._shop.rechecking.of_file(self._account, collection),
        )


def around_it(shown: Instance | None, found: Doubted, form: Form, *, gold: bool) -> Around | None:
    """What stands around the preview of an instance."""
    if shown is None:
        return None
    doubts = Doubts(
        disputes=found.disputes.get(shown.id, ()),
        changes=found.changes.get(shown.id, ()),
        asked=form.entry,
        author=form.author,
    )
    return around(shown, doubts, gold=gold)
