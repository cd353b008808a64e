"""The second part of the kill script: a branch, a merge, and three ways of forgetting.

It goes on from where the first part ends, with a stranger who is going to be forgotten. Steps look
at the record first, as those of the first part do.
"""

from collections.abc import Callable
from pathlib import Path

from memory_banks.entries import Dyad, State
from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.edits import Edit
from sandbox.folder import Layout, open_folder
from sandbox.lifecycle.branches import Branch
from sandbox.record import Watch, unwatched
from tests.kill_script import (
    PERSONA,
    STRANGER,
    STRANGERS_TALK,
    TALK,
    USER,
    Ack,
    assembled,
    find,
    run,
)

BRANCH, STAYS = "What if", "Noor keeps a boat."
MOVED, LIVES = "Noor moved to Tallinn.", "Noor lives in Tallinn now."
NOTE, BY_HAND = "Noor asked what Walid knows.", "Noor told Walid of Tallinn."
FORGOTTEN = {
    "forget entry": (BY_HAND, TALK[1][0][0]),
    "forget session": (*TALK[2][0], NOTE, "Walid answers in metric, and says so."),
    "forget user": (STRANGER, STRANGER.casefold(), *STRANGERS_TALK, "Omar Haddad dives at night."),
}
"""What no file may hold any more after a step, in any spelling."""


def prepare(folder: Path, ack: Ack) -> None:
    """Make the folder that the second part begins with."""
    run(folder, ack)
    with open_folder(folder) as layout:
        sandbox = assembled(layout, unwatched, None)
        told = sandbox.sessions.open(ACCOUNT, STRANGER, PERSONA)
        sandbox.conversation.ask(ACCOUNT, told.id, STRANGERS_TALK[0])
        sandbox.branches.fork(ACCOUNT, told.id)
        assert sandbox.remembering.end(ACCOUNT, told.id, "all").operations
        sandbox.close()


def leave_index(folder: Path, step: str) -> None:
    """Put into the folder what stands in for an index that holds what the step forgets."""
    leftover = Layout(folder).index / "g-0123456789abcdef"
    leftover.mkdir(parents=True)
    (leftover / "vectors").write_text("\n".join(FORGOTTEN[step]), encoding="utf-8")


def live_on(
    folder: Path,
    ack: Ack,
    watch: Watch = unwatched,
    *,
    before: Callable[[str, Sandbox], None] = lambda step, sandbox: None,
    until: str | None = None,
) -> None:
    """Take the steps from wherever the folder stands to the step `until`, or to the last."""
    with open_folder(folder) as layout:
        sandbox = assembled(layout, watch, None)
        for name, step in STEPS.items():
            before(name, sandbox)
            step(sandbox)
            ack.write(name)
            if name == until:
                break
        before("", sandbox)
        sandbox.close()


def life(sandbox: Sandbox) -> dict[str, list[str]]:
    """What the second part touches, without ids: the same for every run of it."""
    found = {
        "audit": [f"{kind} {counts}" for _at, kind, counts in sandbox.forgetting.audited(ACCOUNT)],
        "people": [f"{one.name} at {one.head}" for one in sandbox.banks.users(ACCOUNT)],
    }
    for user in (USER, STRANGER):
        known = sandbox.banks.dyad(ACCOUNT, user, PERSONA)
        found[f"bank of {user}"] = _bank(sandbox, known)
        for branch in sandbox.branches.all(ACCOUNT, known.user):
            dyad = Dyad(ACCOUNT, branch.user, PERSONA)
            found[f"bank of {branch.name}"] = _bank(sandbox, dyad)
            found[f"begin of {branch.name}"] = [f"{branch.revision} {branch.turn}"]
    return found


def _bank(sandbox: Sandbox, dyad: Dyad) -> list[str]:
    """The states of a bank, and what was said to its agent."""
    view = sandbox.banks.view(ACCOUNT, dyad.user, PERSONA)
    told = [
        f"said: {turn.text} -> {turn.reply.text if turn.reply else None}"
        for summary in sandbox.sessions.list(ACCOUNT, dyad.user, PERSONA)
        for turn in sandbox.sessions.transcript(ACCOUNT, summary.session.id).turns
    ]
    held = [f"{one.live} {one.added} {one.entry.text}" for one in view.states]
    return [str(view.head), *sorted(told), *sorted(held)]


def _fork(sandbox: Sandbox) -> None:
    told = find(sandbox, 2)
    if told is not None and _branch(sandbox) is None:
        sandbox.branches.fork(ACCOUNT, told.id, 1, name=BRANCH)


def _edit(sandbox: Sandbox) -> None:
    dyad = _in_branch(sandbox)
    sandbox.editing.change(dyad, _state(sandbox, dyad, MOVED), Edit("fact", LIVES), draft="lives")


def _add(sandbox: Sandbox) -> None:
    """What is not merged."""
    sandbox.editing.add(_in_branch(sandbox), Edit("fact", STAYS), draft="stays")


def _note(sandbox: Sandbox) -> None:
    branch = _branch(sandbox)
    if find(sandbox, 2) is not None and branch is not None:
        edit = Edit("episodic", NOTE)
        sandbox.banks.remember(ACCOUNT, f"{branch.copy}-1", edit, draft="note")


def _merge(sandbox: Sandbox) -> None:
    branch = _branch(sandbox)
    assert branch is not None
    if find(sandbox, 2) is None:
        return
    stays = _state(sandbox, _in_branch(sandbox), STAYS)
    own = sandbox.branches.operations(ACCOUNT, branch.id, PERSONA)
    chosen = [one.id for one in own if one.entry_id != stays]
    sandbox.branches.merge(ACCOUNT, branch.id, chosen)


def _forget_entry(sandbox: Sandbox) -> None:
    dyad = sandbox.banks.dyad(ACCOUNT, USER, PERSONA)
    found = [one.entry.id for one in _states(sandbox, dyad) if one.entry.text == BY_HAND]
    for entry in found:
        sandbox.forgetting.entry(ACCOUNT, dyad, entry, with_turns=True)


def _forget_session(sandbox: Sandbox) -> None:
    told = find(sandbox, 2)
    if told is not None:
        sandbox.forgetting.session(ACCOUNT, told.id)


def _forget_user(sandbox: Sandbox) -> None:
    if sandbox.banks.user(ACCOUNT, STRANGER) is not None:
        sandbox.forgetting.user(ACCOUNT, STRANGER)


STEPS: dict[str, Callable[[Sandbox], None]] = {
    "fork": _fork,
    "edit": _edit,
    "add": _add,
    "note": _note,
    "merge": _merge,
    "forget entry": _forget_entry,
    "forget session": _forget_session,
    "forget user": _forget_user,
}


def _branch(sandbox: Sandbox) -> Branch | None:
    user = sandbox.banks.dyad(ACCOUNT, USER, PERSONA).user
    return next(iter(sandbox.branches.all(ACCOUNT, user)), None)


def _in_branch(sandbox: Sandbox) -> Dyad:
    branch = _branch(sandbox)
    assert branch is not None
    return Dyad(ACCOUNT, branch.user, PERSONA)


def _states(sandbox: Sandbox, dyad: Dyad) -> tuple[State, ...]:
    return sandbox.banks.view(ACCOUNT, dyad.user, PERSONA).states


def _state(sandbox: Sandbox, dyad: Dyad, text: str) -> str:
    return next(one.entry.id for one in _states(sandbox, dyad) if one.entry.text == text)
