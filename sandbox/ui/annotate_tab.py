"""What second annotators and those who decide do: look blind, say, compare, decide, draw again."""

from collections.abc import Sequence

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.authoring.differences import GOLDEN, Difference
from sandbox.authoring.episode_differences import GoldDifference
from sandbox.authoring.episode_edits import dropped
from sandbox.authoring.episode_typed import Typed
from sandbox.inputs import BadInput
from sandbox.ui.annotate_views import (
    Drawn,
    agreement,
    blind_form,
    decision_form,
    second_pass,
)
from sandbox.ui.branch_acts import form_values
from sandbox.ui.episode_edit_acts import added
from sandbox.ui.episode_edit_blind import blind_episode, gold_decisions
from sandbox.ui.episode_edit_values import typed_values
from sandbox.ui.events import Updates
from sandbox.ui.save_parts import SavePanel
from sandbox.ui.save_values import author_of, golden_of, parts_of
from sandbox.ui.troubles import inform


class AnnotateTab:
    """The handlers of one account's second annotators."""

    def __init__(self, sandbox: Sandbox, account: str, panel: SavePanel) -> None:
        self._shop = sandbox.workshop
        self._account = account
        self._panel = panel

    def blind(self, event: gr.EventData) -> Updates:
        """What a second annotator sees."""
        view = self._shop.annotating.view(self._account, event.id)
        if view.talk is not None:
            return self._table(event.id, Typed())
        number = self._shop.authoring.get(self._account, event.id).number
        return self._alone(blind_form(view, number).markup)

    def add(self, blind: str, event: gr.EventData) -> Updates:
        """One more row in a blind table."""
        bare = self._shop.annotating.view(self._account, blind)
        if bare.talk is None:
            raise BadInput("No table is open: reload the page.")
        return self._table(blind, added(bare.talk, typed_values(form_values(event)), event.id))

    def drop(self, blind: str, event: gr.EventData) -> Updates:
        """One row fewer."""
        return self._table(blind, dropped(typed_values(form_values(event)), event.id))

    def again(self, blind: str, event: gr.EventData) -> Updates:
        """The table as it is typed, with what can be chosen now."""
        return self._table(blind, typed_values(form_values(event)))

    def annotate(self, event: gr.EventData) -> Updates:
        """Keep a second annotation."""
        values, annotating = form_values(event), self._shop.annotating
        note, author = str(values.get("note", "")), author_of(values)
        view = annotating.view(self._account, event.id, author)
        if view.talk is not None:
            annotating.annotate_episode(self._account, event.id, author, typed_values(values), note)
        else:
            roles, golden = parts_of(values, "role"), golden_of(values)
            annotating.annotate(self._account, event.id, author, roles, golden, note)
        inform("Your annotation is saved.")
        return self.closed()

    def differences(self, event: gr.EventData) -> Updates:
        """The differences, side by side."""
        annotating = self._shop.annotating
        told, found = annotating.differences(self._account, event.id)
        first = self._shop.authoring.history(self._account, event.id)[told.of - 1].authored
        agreed = annotating.agreement(self._account, first.collection)
        if first.kind == "episode":
            gold = [one for one in found if isinstance(one, GoldDifference)]
            return self._alone(gold_decisions(first, told, gold, agreed).markup)
        rest = [one for one in found if isinstance(one, Difference)]
        return self._alone(decision_form(first, told, rest, agreed).markup)

    def decide(self, event: gr.EventData) -> str:
        """Keep the decisions; the id of what was decided."""
        values = form_values(event)
        golden = values.get(GOLDEN)
        chosen = {key: role for key, role in parts_of(values, "role").items() if role}
        self._shop.annotating.adjudicate(
            self._account,
            event.id,
            author_of(values),
            chosen,
            str(values.get("reason", "")),
            golden.split() if isinstance(golden, str) else None,
        )
        return str(event.id)

    def pass_over(self, event: gr.EventData) -> Updates:
        """The second pass over a collection: agreement so far, and what to draw."""
        return self._pass(event.id, "0.2", "1", ())

    def draw(self, event: gr.EventData) -> Updates:
        """Draw the sample."""
        values = form_values(event)
        share, seed = str(values.get("share", "")), str(values.get("seed", ""))
        found = self._shop.annotating.drawn(self._account, event.id, _share(share), _seed(seed))
        drawn = [Drawn(one.authored.id, one.authored.title, one.stage) for one in found]
        return self._pass(event.id, share, seed, drawn)

    def closed(self) -> Updates:
        """Nothing is open."""
        return self._alone("")

    def _pass(self, name: str, share: str, seed: str, drawn: Sequence[Drawn]) -> Updates:
        held = self._shop.authoring.all(self._account, name)
        told = agreement(self._shop.annotating.agreement(self._account, name))
        stages = [one.stage for one in held]
        return self._alone(second_pass(name, stages, told, share, seed, drawn).markup)

    def _table(self, id_: str, typed: Typed) -> Updates:
        view = self._shop.annotating.view(self._account, id_)
        number = self._shop.authoring.get(self._account, id_).number
        if view.talk is None:
            raise BadInput("No table is open: reload the page.")
        shown = blind_episode(view, view.talk, typed, number)
        return self._alone(shown.markup) | {self._panel.blind: id_}

    def _alone(self, markup: str) -> Updates:
        """A form that is not that of an author: no checks beside it, which would tell of gold."""
        panel = self._panel
        return {
            panel.source: "",
            panel.blind: "",
            panel.form: markup,
            panel.badges: "",
            panel.gold: "",
        }


def _share(text: str) -> float:
    try:
        return float(text.strip().removesuffix("%")) / (100 if "%" in text else 1)
    except ValueError:
        raise BadInput(f"The share must be a number such as 0.2, got {text[:20]!r}.") from None


def _seed(text: str) -> int:
    line = text.strip()
    if not line.isascii() or not line.isdigit() or len(line) > 12:
        raise BadInput(f"The seed must be a whole number such as 42, got {text[:20]!r}.")
    return int(line)
