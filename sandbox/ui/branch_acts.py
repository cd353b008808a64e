"""What happens when somebody forks, looks at branches or merges them."""

from typing import Any

import gradio as gr

from sandbox.assemble import Sandbox
from sandbox.inputs import BadInput
from sandbox.ui.branch_look import compare
from sandbox.ui.branch_parts import BranchPanel
from sandbox.ui.branch_views import comparison, merged_words
from sandbox.ui.desk import Desk
from sandbox.ui.troubles import inform

Updates = dict[Any, Any]


class BranchActs:
    """The branches of one account's users."""

    def __init__(self, sandbox: Sandbox, account: str, panel: BranchPanel) -> None:
        self._sandbox = sandbox
        self._account = account
        self._panel = panel
        self._desk = Desk(sandbox, account)

    def fork(self, session: str, event: gr.EventData) -> str:
        """Branch off behind a turn; the session to open."""
        whole = self._sandbox.sessions.transcript(self._account, session)
        number = next((turn.number for turn in whole.turns if turn.id == event.id), None)
        if number is None:
            raise BadInput("That turn is not of this session: reload the page.")
        branch, forked = self._sandbox.branches.fork(self._account, session, number)
        inform(f"Branch “{branch.name}”: what happens here changes nothing on the other side.")
        return forked.id

    def branch_off(
        self,
        session: str,
        persona: str,
        user: str,
        as_of: str,
        strategy: str,
        model: str,
        method: str,
    ) -> str:
        """Branch off at the bank's revision that is shown; a session in the branch."""
        dyad = self._desk.dyad(session, persona, user)
        revision = int(as_of) if as_of.isdecimal() else self._desk.head(dyad)
        branch = self._sandbox.branches.make(self._account, dyad, revision)
        return self._open(branch.id, dyad.agent, strategy, model, method)

    def open_in(self, strategy: str, model: str, method: str, event: gr.EventData) -> str:
        """A session in a branch with the character that is picked there."""
        return self._open(
            event.id, str(form_values(event).get("persona", "")), strategy, model, method
        )

    def go(self, event: gr.EventData) -> str:
        """A session of some branch, or of main."""
        return self._sandbox.sessions.find(self._account, event.id).id

    def rename_branch(self, event: gr.EventData) -> None:
        """Give a branch another name."""
        name = str(form_values(event).get("name", ""))
        self._sandbox.branches.rename(self._account, event.id, name)

    def delete_branch(self, event: gr.EventData) -> None:
        """Take a branch out of the lists."""
        branch = self._sandbox.branches.delete(self._account, event.id)
        inform(f"Branch “{branch.name}” is deleted: restore it at the end of the list.")

    def restore_branch(self, event: gr.EventData) -> None:
        """Bring a branch back."""
        self._sandbox.branches.restore(self._account, event.id)

    def compare_branch(self, event: gr.EventData) -> Updates:
        """Show a branch beside what it was made of."""
        return self._compared(event.id)

    def close_comparison(self) -> Updates:
        """Show it no more."""
        return {self._panel.compared: ""}

    def merge_branch(self, event: gr.EventData) -> Updates:
        """Do the ticked operations again on the origin: all or none."""
        branch, _, agent = event.id.partition(" ")
        chosen = form_values(event).get("chosen")
        wanted = [one for one in chosen if isinstance(one, str)] if chosen else []
        if not wanted:
            raise BadInput("Nothing is ticked: choose the operations to merge.")
        done = self._sandbox.branches.merge(self._account, branch, wanted)
        inform(merged_words(len(done), compare(self._sandbox, self._account, branch, agent).origin))
        return self._compared(event.id)

    def _compared(self, wanted: str) -> Updates:
        branch, _, agent = wanted.partition(" ")
        look = compare(self._sandbox, self._account, branch, agent)
        return {self._panel.compared: comparison(look).markup}

    def _open(self, branch_id: str, agent: str, strategy: str, model: str, method: str) -> str:
        """A session in a branch, at the clock of the session it was forked into."""
        branch = self._sandbox.branches.find(self._account, branch_id)
        owner = self._sandbox.banks.user(self._account, branch.user)
        others = self._sandbox.sessions.list(self._account, branch.user)
        return self._sandbox.sessions.open(
            self._account,
            branch.user,
            agent,
            speaker=owner.name if owner else None,
            strategy=strategy,
            model=model,
            clock=others[0].session.clock if others else None,
            method=method,
        ).id


def form_values(event: gr.EventData) -> dict[str, Any]:
    """What the form around the button holds, by the names of its fields."""
    return event.values if isinstance(event.values, dict) else {}
