"""What happens when somebody has an instance checked by a model, and what shows how far it is."""

from collections.abc import Mapping
from typing import Any

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.authoring.model_checks.found import CHECK_KINDS
from sandbox.authoring.model_checks.planning import Wanted
from sandbox.inputs import BadInput
from sandbox.ui.branch_acts import form_values
from sandbox.ui.check_parts import CheckPanel
from sandbox.ui.check_views import SAVE_FIRST, check_view
from sandbox.ui.events import Updates, on
from sandbox.ui.markup import element
from sandbox.ui.save_parts import SavePanel
from sandbox.ui.save_views import badge_list

_OWN = "own "


class CheckActs:
    """The checks of one account, of the instance whose form is open."""

    def __init__(self, sandbox: Sandbox, account: str, save: SavePanel, panel: CheckPanel) -> None:
        self._shop = sandbox.workshop
        self._models = sandbox.models
        self._account = account
        self._save = save
        self._panel = panel

    def connect(self) -> None:
        """Wire everything. Use inside the page's Blocks."""
        save, panel = self._save, self._panel
        shown = [panel.place, panel.timer]
        on(save.badges.change, self.look, [save.source], shown, "always_last")
        on(panel.place.submit, self.run, [save.source], shown)
        on(panel.place.stop, self.stop, [save.source], shown)
        on(panel.place.clear, self.put_away, [save.source], shown)
        on(panel.timer.tick, self.follow, [save.source], [*shown, save.badges], "always_last")

    def look(self, source: str) -> Updates:
        """The form, or how far it is; nothing where no form is open."""
        panel = self._panel
        if not source:
            return {panel.place: "", panel.timer: gr.Timer(active=False)}
        if not source.startswith(_OWN):
            hint = element("p", SAVE_FIRST, cls="hint")
            return {panel.place: hint.markup, panel.timer: gr.Timer(active=False)}
        id_ = source.removeprefix(_OWN)
        progress = self._shop.check_jobs.of(self._account, id_)
        running = progress is not None and progress.running
        names = self._models.names() or (self._models.default,)
        view = check_view(id_, names, progress)
        return {panel.place: view.markup, panel.timer: gr.Timer(active=running)}

    def run(self, source: str, event: gr.EventData) -> Updates:
        """Begin with what the form holds."""
        id_ = _own(source)
        self._shop.check_jobs.start(self._account, id_, wanted_of(form_values(event)))
        return self.look(source)

    def stop(self, source: str, event: gr.EventData) -> Updates:
        """End it; what is whole is kept."""
        self._shop.check_jobs.stop(self._account, event.id)
        return self.look(source)

    def put_away(self, source: str, event: gr.EventData) -> Updates:
        """Show no more what came of it."""
        self._shop.check_jobs.put_away(self._account, event.id)
        return self.look(source)

    def follow(self, source: str) -> Updates:
        """How far it is; at its end the badges with what came of it."""
        shown = self.look(source)
        if not source.startswith(_OWN):
            return shown | {self._save.badges: gr.skip()}
        id_ = source.removeprefix(_OWN)
        progress = self._shop.check_jobs.of(self._account, id_)
        if progress is not None and progress.running:
            return shown | {self._save.badges: gr.skip()}
        authored = self._shop.authoring.get(self._account, id_).authored
        found = self._shop.looking.badges(self._account, authored)
        return shown | {self._save.badges: badge_list(found).markup}


def wanted_of(values: Mapping[str, Any]) -> Wanted:
    """What the form asks for.

    Raises:
        BadInput: if a number is none.
    """
    ticked = values.get("kinds") or []
    return Wanted(
        model=str(values.get("model") or ""),
        second=str(values.get("second") or ""),
        samples=_number(values.get("samples"), "The number of answers"),
        seed=_number(values.get("seed"), "The first seed"),
        kinds=tuple(one for one in CHECK_KINDS if one in ticked),
    )


def _own(source: str) -> str:
    if not source.startswith(_OWN):
        raise BadInput(SAVE_FIRST)
    return source.removeprefix(_OWN)


def _number(value: Any, what: str) -> int:
    text = str(value if value is not None else "").strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 11):
        raise BadInput(f"{what} must be a whole number, got {text[:40]!r}.")
    return int(text)
