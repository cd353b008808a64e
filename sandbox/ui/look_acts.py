"""What happens when somebody has a bank checked, or two of its revisions compared."""

from typing import Any

from memory_banks.branching import differences
from memory_banks.entries import State
from sandbox.assemble import Sandbox
from sandbox.banks import BankView
from sandbox.inputs import BadInput
from sandbox.ui.bank_diff import difference_list, revisions
from sandbox.ui.bank_views import Asked
from sandbox.ui.desk import Desk
from sandbox.ui.lint_views import remark_list
from sandbox.ui.parts import Parts

Updates = dict[Any, Any]


class LookActs:
    """Looks over the bank of the screen; changes nothing."""

    def __init__(self, sandbox: Sandbox, account: str, parts: Parts) -> None:
        self._sandbox = sandbox
        self._account = account
        self._parts = parts
        self._desk = Desk(sandbox, account)

    def check(self, session: str, persona: str, user: str) -> Updates:
        """The remarks on the bank as it is now."""
        dyad = self._desk.dyad(session, persona, user)
        found = self._sandbox.linting.remarks(self._account, dyad.user, dyad.agent)
        states = _by_id(self._sandbox.banks.view(self._account, dyad.user, dyad.agent))
        return {self._parts.look.remarks: remark_list(found, states).markup}

    def close_remarks(self) -> Updates:
        """Show them no more."""
        return {self._parts.look.remarks: ""}

    def reveal(self, session: str, persona: str, user: str) -> Updates:
        """The whole bank as it is now, so that an entry can be shown in it."""
        dyad = self._desk.dyad(session, persona, user)
        count = len(self._sandbox.banks.view(self._account, dyad.user, dyad.agent).states)
        kept, bank, all_ = self._parts.kept, self._parts.bank, Asked(state="all")
        return {
            bank.search: all_.text,
            bank.type: all_.type,
            bank.side: all_.side,
            bank.state: all_.state,
            kept.as_of: all_.as_of,
            kept.rows: max(count, all_.rows),
        }

    def compare(self, session: str, persona: str, user: str, first: str, last: str) -> Updates:
        """What changed from one revision to the other."""
        dyad = self._desk.dyad(session, persona, user)
        head = self._desk.head(dyad)
        ends = _revision(first, 0), _revision(last, head)
        views = [self._sandbox.banks.view(self._account, dyad.user, dyad.agent, at) for at in ends]
        name = self._sandbox.characters.get(self._account, dyad.agent).name
        shown = difference_list(
            differences(views[0].states, views[1].states),
            _by_id(views[0]),
            _by_id(views[1]),
            revisions(*ends),
            name,
        )
        return {self._parts.look.differences: shown.markup}


def fresh(parts: Parts) -> Updates:
    """What a screen begins with: nothing checked, nothing compared."""
    look = parts.look
    return {look.remarks: "", look.differences: "", look.first: "", look.last: ""}


def _by_id(view: BankView) -> dict[str, State]:
    return {state.entry.id: state for state in view.states}


def _revision(told: str, otherwise: int) -> int:
    """The revision in a field; `otherwise` where it is empty."""
    if not told.strip():
        return otherwise
    if not told.strip().isdecimal():
        raise BadInput(f"The revision must be a number, got {told[:20]!r}.")
    return int(told)
