"""What a memory must be after whatever is done to it: lists and dicts, nothing of the product's.

A user's *story* is the list of everything done to their memory, and so is a branch's. An entry is
known by its *name*: the agent whose it is ("" where it is the user's) and a handle that a branch,
a copy and a file keep.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

FORGOTTEN = "[forgotten]"
FORGETTING = "forgotten"
"""What asks for a deletion by which something is forgotten."""
USER_TYPES = ("fact", "user_profile")
AGENT_TYPES = ("agent_identity", "agent_method")
Name = tuple[str, str]


class Refused(Exception):
    """It cannot be done, and nothing of it is."""


@dataclass(frozen=True, slots=True)
class Note:
    """What an entry says."""

    type: str
    text: str


@dataclass(frozen=True, slots=True)
class Op:
    """One thing that was done; `token` is what asked for it: the same twice is once."""

    kind: str
    name: Name
    token: str
    replaces: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """An entry in the history of a bank."""

    name: Name
    note: Note
    added: int
    deleted: int | None
    replaces: tuple[Name, ...]
    replaced_by: Name | None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a bank file."""

    side: str
    handle: str
    note: Note
    replaces: tuple[tuple[str, str], ...] = ()
    """Side and handle of earlier lines."""
    dead: bool = False

    def name(self, agent: str) -> Name:
        return (agent if self.side == "dyad" else "", self.handle)


@dataclass
class Story:
    """Everything that was done to one user's memory, the first of it numbered 1."""

    ops: list[Op] = field(default_factory=list)
    notes: dict[Name, Note] = field(default_factory=dict)
    """What every entry that was ever added says."""
    blanked: set[Name] = field(default_factory=set)
    """What was forgotten in it."""
    origin: str | None = None
    start: int = 0
    """Of a branch: whose it is, and how many of its operations are the origin's."""

    @property
    def head(self) -> int:
        return len(self.ops)

    def own(self) -> list[int]:
        """The numbers of what a branch did itself, and what of it can be done elsewhere; none where
        this is no branch."""
        later = enumerate(self.ops[self.start :], self.start + 1) if self.origin else ()
        return [number for number, op in later if op.token != FORGETTING]

    def seen(self, agent: str, until: int) -> list[tuple[int, Op]]:
        """What an agent sees of it, with the numbers."""
        numbered = enumerate(self.ops[:until], 1)
        return [(number, op) for number, op in numbered if op.name[0] in ("", agent)]

    def live(self) -> set[Name]:
        """Whatever is there now, of every agent."""
        found: set[Name] = set()
        for op in self.ops:
            (found.add if op.kind == "add" else found.discard)(op.name)
        return found

    def bank(self, agent: str, until: int) -> list[Held]:
        """Every entry that an agent has seen, live or not, in the order of its last addition."""
        found: dict[Name, Held] = {}
        for number, op in self.seen(agent, until):
            if op.kind == "delete":
                found[op.name] = replace(found[op.name], deleted=number)
                continue
            found.pop(op.name, None)
            for old in set(op.replaces) & found.keys():
                found[old] = replace(found[old], replaced_by=op.name)
            note = self.notes[op.name]
            found[op.name] = Held(op.name, note, number, None, op.replaces, None)
        return list(found.values())

    def write(self, drafts: Sequence[Op], notes: dict[Name, Note]) -> int:
        """Do `drafts` in order, all or none; how many were new."""
        live, told = self.live(), dict(self.notes)
        done = {(op.kind, op.name, op.token) for op in self.ops}
        new = [op for op in drafts if (op.kind, op.name, op.token) not in done]
        for op in new:
            if (op.kind == "add") == (op.name in live) or live & set(op.replaces):
                raise Refused(op)
            if op.kind == "delete":
                live.discard(op.name)
            elif told.setdefault(op.name, notes[op.name]) != notes[op.name]:
                raise Refused(op)
            else:
                live.add(op.name)
        self.ops += new
        self.notes = told
        return len(new)


class World:
    """All users and all branches of theirs."""

    def __init__(self) -> None:
        self.stories: dict[str, Story] = {}
        self.forgotten: set[str] = set()
        """Every text that was to be forgotten."""
        self.gone: set[str] = set()
        """Every user who was forgotten, also those who began anew."""

    def add(self, user: str, agent: str, side: str, note: Note, click: str) -> None:
        name = (agent if side == "dyad" else "", f"added {click}")
        self.stories[user].write([Op("add", name, click)], {name: note})

    def change(self, user: str, old: Name, note: Note, click: str) -> None:
        """The same change of the same entry gives the same entry."""
        story = self.stories[user]
        if story.notes[old] == note:
            return
        new = (old[0], f"({old[1]}) now {note.type} {note.text}")
        drafts = [Op("delete", old, click), Op("add", new, click, (old,))]
        story.write(drafts, {new: note})

    def delete(self, user: str, name: Name, click: str) -> None:
        self.stories[user].write([Op("delete", name, click)], {})

    def restore(self, user: str, name: Name, click: str) -> None:
        story = self.stories[user]
        if story.notes[name].text == FORGOTTEN:
            raise Refused(name)
        story.write([Op("add", name, click)], story.notes)

    def branch(self, user: str, revision: int, branch: str) -> None:
        origin = self.stories[user]
        ops = origin.ops[:revision]
        notes = {op.name: origin.notes[op.name] for op in ops}
        made = self.stories[branch] = Story(ops, notes, origin=user, start=revision)
        for name in made.live():
            if made.notes[name].text == FORGOTTEN:
                made.write([Op("delete", name, FORGETTING)], {})

    def merge(self, branch: str, numbers: Collection[int]) -> int:
        """Do a branch's operations with these numbers again on its origin; how many were new."""
        story = self.stories[branch]
        origin = self.stories[story.origin or ""]
        known, drafts = set(origin.notes), []
        done = {op.token for op in origin.ops}
        for number, op in enumerate(story.ops, 1):
            token = f"merged {branch} {number}"
            if number not in numbers or token in done:
                continue
            if op.kind == "add" and story.notes[op.name].text == FORGOTTEN:
                raise Refused(op)
            replaces = tuple(old for old in op.replaces if old in known)
            drafts.append(Op(op.kind, op.name, token, replaces))
            known.add(op.name)
        return origin.write(drafts, story.notes)

    def bring(self, user: str, agent: str, rows: Sequence[Row], file: str) -> int:
        """Import a file; how many operations were new.

        What the bank knows, dead or alive, is left alone; but what a new line replaces dies.
        """
        story = self.stories[user]
        known = {held.name: held.note for held in story.bank(agent, story.head)}
        notes = {row.name(agent): row.note for row in rows}
        dead = {row.name(agent) for row in rows if row.dead} - known.keys()
        live, drafts, token = story.live(), [], f"import {file} {agent}"

        def kill(name: Name) -> None:
            if name in live:
                drafts.append(Op("delete", name, token))
                live.discard(name)

        for row in rows:
            name = row.name(agent)
            if name in known:
                continue
            old = [(agent if side == "dyad" else "", handle) for side, handle in row.replaces]
            old = [one for one in old if known.get(one, notes[one]) == notes[one]]
            for one in old:
                kill(one)
            drafts.append(Op("add", name, token, tuple(old)))
            live.add(name)
        for row in rows:
            if row.name(agent) in dead:
                kill(row.name(agent))
        return story.write(drafts, notes)

    def export(self, user: str, agent: str, until: int) -> list[Row]:
        """A bank as the lines of a file."""
        rows: dict[Name, Row] = {}
        for held in self.stories[user].bank(agent, until):
            side = "dyad" if held.name[0] else "user"
            gone = [rows[one] for one in held.replaces if one in rows and rows[one].dead]
            replaces = tuple((one.side, one.handle) for one in gone)
            dead = held.deleted is not None or held.note.text == FORGOTTEN
            rows[held.name] = Row(side, held.name[1], held.note, replaces, dead)
        return list(rows.values())

    def forget(self, user: str, name: Name) -> None:
        """An entry and its copies in every branch die, and say nothing any more."""
        self.forgotten.add(self.stories[user].notes[name].text)
        for other in self.line(user):
            story = self.stories[other]
            if name in story.live():
                story.write([Op("delete", name, FORGETTING)], {})
            if name in story.notes:
                story.notes[name] = Note(story.notes[name].type, FORGOTTEN)
                story.blanked.add(name)

    def forget_user(self, user: str) -> list[str]:
        """A user and all their branches are gone; who that was."""
        gone = self.below([user])
        for one in gone:
            self.forgotten |= {note.text for note in self.stories[one].notes.values()}
            del self.stories[one]
        self.gone |= set(gone)
        return gone

    def line(self, user: str) -> list[str]:
        """The person a user is or is a branch of, and all branches."""
        root = user
        while (origin := self.stories[root].origin) is not None:
            root = origin
        return self.below([root])

    def below(self, users: list[str]) -> list[str]:
        """These users, their branches, and the branches of those."""
        found = list(users)
        for one in found:
            found += [user for user, story in self.stories.items() if story.origin == one]
        return found

    def said(self) -> set[str]:
        """Every text that somebody's memory still holds."""
        told = (note.text for story in self.stories.values() for note in story.notes.values())
        return set(told) - {FORGOTTEN}

    def lost(self) -> set[str]:
        """Every text that must be nowhere any more."""
        return self.forgotten - self.said() - {FORGOTTEN}
