"""What a bank holds: entries, the scopes they belong to, and the operations that put them there."""

import hashlib
import json
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

EntryType = Literal[
    "user_profile", "fact", "agent_identity", "agent_method", "agent_knowledge", "episodic"
]
"""The six entry types of DyadMem."""
Side = Literal["user", "dyad"]
"""Whose an entry is: the user's (every agent sees it) or one dyad's."""
TurnRole = Literal["user", "assistant"]
Author = Literal["character", "capture", "human", "import"]
Scene = Literal["Disease", "Emotions", "Preferences", "Activities", "Others"]
"""The five scenes of MADial-Bench."""
OperationKind = Literal["add", "delete"]
Group = Literal["user-side", "URAM", "episodic"]

ENTRY_TYPES: tuple[EntryType, ...] = get_args(EntryType)
SCENES: tuple[Scene, ...] = get_args(Scene)
AUTHORS: tuple[Author, ...] = get_args(Author)
USER_TYPES: frozenset[EntryType] = frozenset({"user_profile", "fact"})
URAM_TYPES: frozenset[EntryType] = frozenset({"agent_identity", "agent_method", "agent_knowledge"})


_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def canonical(value: Any) -> str:
    """`value` as JSON with sorted keys and no spaces: equal values give equal bytes."""
    return _ENCODER.encode(value)


def digest(*parts: str) -> str:
    """32 hexadecimal digits that name `parts`, the same on every machine and day."""
    return hashlib.sha256(canonical(parts).encode("utf-8")).hexdigest()[:32]


def valid_text(text: str, what: str = "text") -> str:
    """`text`, unchanged.

    Raises:
        ValueError: if it holds NUL or a lone surrogate, which no database keeps.
    """
    if "\x00" in text:
        raise ValueError(f"{what} must not hold the character NUL")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(f"{what} must be valid Unicode; it holds a lone surrogate")
    return text


def clean_text(text: str, what: str = "text") -> str:
    """`text` in NFC, or ValueError as `valid_text`."""
    return unicodedata.normalize("NFC", valid_text(text, what))


def user_id(name: str) -> str:
    """The id of the user called `name`: NFC, casefolded, trimmed, spaces single.

    Raises:
        ValueError: if nothing is left, or it is over 200 characters or holds control characters.
    """
    folded = " ".join(clean_text(name, "user").split()).casefold()
    folded = unicodedata.normalize("NFC", folded)
    if not folded:
        raise ValueError("user must not be empty")
    if len(folded) > 200:
        raise ValueError(f"user must be at most 200 characters, got {len(folded)}")
    if any(unicodedata.category(character) in ("Cc", "Cf") for character in folded):
        raise ValueError("user must not hold control or invisible formatting characters")
    return folded


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose an entry is: a user's, or (with an agent) a dyad's."""

    account: str
    user: str
    agent: str = ""
    """The persona's id; empty for the user's own scope."""

    @property
    def side(self) -> Side:
        """`user` or `dyad`."""
        return "dyad" if self.agent else "user"

    @property
    def key(self) -> str:
        """A name for the scope that reveals no name (32 hexadecimal digits)."""
        return digest("scope", self.account, self.user, self.agent)


@dataclass(frozen=True, slots=True)
class Dyad:
    """A user and an agent: what a conversation is between."""

    account: str
    user: str
    agent: str

    @property
    def scopes(self) -> tuple[Scope, Scope]:
        """The two scopes this dyad sees: the user's and its own."""
        return self.scope("user"), self.scope("dyad")

    def scope(self, side: Side) -> Scope:
        """The scope on `side`."""
        return Scope(self.account, self.user, self.agent if side == "dyad" else "")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an entry comes from."""

    session: str | None = None
    turns: tuple[str, ...] = ()
    """Ids of the utterances that support it, in order."""
    role: TurnRole | None = None
    """Who spoke the supporting utterance."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored memory. Immutable: an edit is a delete and an add that names what it replaces."""

    key: str
    """Its portable name: what an exported file calls it, the same in every scope."""
    scope: Scope
    type: EntryType
    text: str
    anchor: str | None = None
    """The ISO date or date-time the text is about or was told; null where none is known."""
    emotion: str | None = None
    """The user's emotion when the memory was made; null where none was told."""
    scene: Scene | None = None
    author: Author = "human"
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def id(self) -> str:
        """The entry's id: a digest of its scope and key."""
        return digest("entry", self.scope.account, self.scope.user, self.scope.agent, self.key)

    @property
    def group(self) -> Group:
        """The group of the bank panel it is shown in."""
        if self.type in USER_TYPES:
            return "user-side"
        return "URAM" if self.type in URAM_TYPES else "episodic"


def side_of(entry_type: EntryType, role: TurnRole) -> Side:
    """The side an entry of this type belongs to when an utterance of `role` supports it.

    User types are the user's, agent types the dyad's (DyadMem). Ours: an episodic entry is the
    user's when the user told it, the dyad's when the agent did.
    """
    if entry_type == "episodic":
        return "user" if role == "user" else "dyad"
    return "user" if entry_type in USER_TYPES else "dyad"


@dataclass(frozen=True, slots=True)
class ImportedFrom:
    """The file an operation came from."""

    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Add:
    """An entry to be added, and why."""

    entry: Entry
    cause: str
    """What asked for it (a proposal, an import, a click): makes the operation's id repeatable."""
    reason: str = ""
    replaces: tuple[str, ...] = ()
    """Ids of the entries it replaces; each is deleted by an operation of its own."""
    imported: ImportedFrom | None = None

    @property
    def id(self) -> str:
        """The operation's id."""
        return digest("add", self.entry.id, self.cause)


@dataclass(frozen=True, slots=True)
class Delete:
    """An entry to be deleted, and why."""

    entry_id: str
    scope: Scope
    cause: str
    reason: str = ""
    imported: ImportedFrom | None = None

    @property
    def id(self) -> str:
        """The operation's id."""
        return digest("delete", self.entry_id, self.cause)


@dataclass(frozen=True, slots=True)
class Operation:
    """One line of the ledger."""

    id: str
    scope: Scope
    number: int
    """Its revision: the user's counter after it, from 1."""
    kind: OperationKind
    entry_id: str
    replaces: tuple[str, ...]
    reason: str
    cause: str
    at: str
    """When it was written (ISO, UTC)."""
    imported: ImportedFrom | None


@dataclass(frozen=True, slots=True)
class State:
    """An entry with its place in the history of a bank at one revision."""

    entry: Entry
    added: int
    """The revision that added it (its latest add)."""
    deleted: int | None
    """The revision that deleted it; null while it is live."""
    replaces: tuple[str, ...]
    replaced_by: str | None
    reason: str
    """Why it was deleted, or else why it was added."""
    add_reason: str = ""
    """Why it was added, also once it is deleted."""

    @property
    def live(self) -> bool:
        """Whether it is recalled by default."""
        return self.deleted is None
