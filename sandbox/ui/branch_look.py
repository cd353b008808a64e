"""What the page shows of a user's branches, read from the record."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from memory_banks.branching import Difference, differences
from memory_banks.entries import Dyad, Entry, Operation, State
from sandbox.assemble import Sandbox
from sandbox.inputs import checked_user
from sandbox.lifecycle.branches import Branch
from sandbox.lifecycle.reingest_jobs import Reading
from sandbox.lifecycle.side_by_side import Count, counted, paired
from sandbox.sessions import SessionSummary
from sandbox.transcripts import Session, UnknownSession

MERGED = "merged:"
"""How the cause of an operation begins that was done in a branch first."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A branch with its sessions."""

    branch: Branch
    depth: int
    """0 for a branch of the user, 1 for a branch of such a branch, and so on."""
    sessions: tuple[SessionSummary, ...]
    """Of every character in it, newest first."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A user's branches, the branches of those, and where the screen is."""

    user: str
    """The user's name."""
    here: Branch | None
    """The branch that the screen is in; null on main."""
    leaves: tuple[Leaf, ...]
    """Each behind the one it is a branch of; oldest first."""
    sources: Mapping[str, Session]
    """The sessions that were forked, by id, as far as they are on record."""
    main: str = ""
    """A session on main, to go back to; empty for none."""
    cast: Sequence[tuple[str, str]] = ()
    """Characters that can be talked to, as (name, id)."""
    models: Sequence[str] = ()
    """Models that can read, the default one first."""
    reading: Reading | None = None
    """Sessions of these two, or of the bank this branch was made of, that are read again."""

    @property
    def present(self) -> list[Leaf]:
        """Those that are not deleted."""
        return [leaf for leaf in self.leaves if leaf.branch.deleted_at is None]

    @property
    def forked(self) -> dict[str, str]:
        """Where each copied session was forked, by its id."""
        made = [leaf.branch for leaf in self.leaves]
        return {one.copy: f"fork after turn {one.turn}" for one in made if one.copy}

    def origin(self, branch: Branch) -> str:
        """What a branch was made of, for people: main, or the name of another branch."""
        by_user = {leaf.branch.user: leaf.branch.name for leaf in self.leaves}
        return by_user.get(branch.origin, "main")


def read_tree(sandbox: Sandbox, account: str, user: str, name: str, agent: str) -> Tree:
    """The branches around `user`, an id or a name, who is shown as `name`."""
    known = checked_user(user)
    here = sandbox.branches.of(account, known)
    root, line = known, [Dyad(account, known, agent)]
    while (branch := sandbox.branches.of(account, root)) is not None:
        root = branch.origin
        line.append(Dyad(account, root, agent))
    leaves = tuple(_leaves(sandbox, account, root, 0))
    main = ""
    if here is not None:
        on_main = sandbox.sessions.list(account, root, agent)
        main = (here.session or "") if here.origin == root else ""
        main = main or (on_main[0].session.id if on_main else "")
    cast = [(one.name, one.id) for one in sandbox.characters.all(account)] if leaves else []
    sources = _sources(sandbox, account, leaves)
    reading = sandbox.reingest_jobs.of(line)
    return Tree(name, here, leaves, sources, main, cast, sandbox.models.names(), reading)


def _leaves(sandbox: Sandbox, account: str, origin: str, depth: int) -> list[Leaf]:
    found: list[Leaf] = []
    for branch in sandbox.branches.all(account, origin, deleted=True):
        told = tuple(sandbox.sessions.list(account, branch.user))
        found.append(Leaf(branch, depth, told))
        found += _leaves(sandbox, account, branch.user, depth + 1)
    return found


def _sources(sandbox: Sandbox, account: str, leaves: Sequence[Leaf]) -> dict[str, Session]:
    found: dict[str, Session] = {}
    for session in {leaf.branch.session for leaf in leaves if leaf.branch.session}:
        with suppress(UnknownSession):
            found[session] = sandbox.sessions.find(account, session)
    return found


@dataclass(frozen=True, slots=True)
class Compared:
    """A branch beside what it was made of, for one character."""

    branch: Branch
    origin: str
    """What it was made of, for people."""
    agent: str
    persona: str
    """The character's name."""
    agents: Sequence[tuple[str, str]]
    """Everybody it can be compared for, as (name, id)."""
    found: Sequence[Difference]
    before: Mapping[str, State]
    """What the origin has held, by id."""
    after: Mapping[str, State]
    """What the branch has held, by id."""
    own: Sequence[Operation]
    """The branch's own operations that the character sees, oldest first."""
    merged: frozenset[str]
    """Ids of those that the origin has done too."""
    counts: Sequence[Count] = ()
    """Live entries by type and scope, there and here."""
    alike: int = 0
    """Entries that say the same on both sides, though they came by other ways."""

    @property
    def entries(self) -> dict[str, Entry]:
        """The branch's entries, by id."""
        return {key: state.entry for key, state in self.after.items()}


def compare(sandbox: Sandbox, account: str, branch_id: str, agent: str) -> Compared:
    """Read a comparison.

    Raises:
        BadInput, UnknownPersona: if there is no such branch or character.
    """
    branch = sandbox.branches.find(account, branch_id)
    parent = sandbox.branches.of(account, branch.origin)
    before = sandbox.banks.view(account, branch.origin, agent).states
    after = sandbox.banks.view(account, branch.user, agent).states
    origin = sandbox.banks.operations(account, branch.origin, agent)
    causes = (one.cause for one in origin)
    done = (cause.removeprefix(MERGED) for cause in causes if cause.startswith(MERGED))
    both = paired(differences(before, after))
    live = ([state.entry for state in side if state.live] for side in (before, after))
    return Compared(
        branch=branch,
        origin=parent.name if parent else "main",
        agent=agent,
        persona=sandbox.characters.get(account, agent).name,
        agents=_agents(sandbox, account, branch, agent),
        found=both.found,
        before={state.entry.id: state for state in before},
        after={state.entry.id: state for state in after},
        own=sandbox.branches.operations(account, branch_id, agent),
        merged=frozenset(done),
        counts=counted(*live),
        alike=both.alike,
    )


def _agents(sandbox: Sandbox, account: str, branch: Branch, agent: str) -> list[tuple[str, str]]:
    told = [
        one.session.agent
        for user in (branch.user, branch.origin)
        for one in sandbox.sessions.list(account, user)
    ]
    ids = dict.fromkeys([agent, *told])
    return [(sandbox.characters.get(account, one).name, one) for one in ids]
