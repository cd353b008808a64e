"""What a judge is given: a reply and everything that could have fed it. No roles, no gold."""

from dataclasses import dataclass

from memory_banks.entries import EntryType, Scene, Side
from sandbox.instances import Said

RULE_TYPES: tuple[EntryType, ...] = ("agent_identity", "agent_method")
"""Entries of these types are rules: a reply follows or violates them (PROTOCOLS 1, rule 4)."""


@dataclass(frozen=True, slots=True)
class PoolItem:
    """An entry that the reply is judged against."""

    id: str
    """The entry's id in a bank, or its key in an instance."""
    text: str
    type: EntryType | None = None
    """Null where the source knows no types."""
    side: Side = "user"
    anchor: str | None = None
    emotion: str | None = None
    scene: Scene | None = None
    live: bool = True
    """False where a later entry took its place."""

    @property
    def is_rule(self) -> bool:
        """Whether it is followed or violated rather than told."""
        return self.type in RULE_TYPES


@dataclass(frozen=True, slots=True)
class Case:
    """One reply to be judged: y, h, q, P and M of StratMem-Bench, and the state of the moment."""

    character: str
    """Name of who wrote the reply."""
    human: str
    """Name of who asked."""
    persona: str
    """What the prompt says of the character, as plain text; with the human's profile where the
    prompt has it."""
    history: tuple[Said, ...]
    """All utterances up to the query, from both sides, oldest first, the query left out."""
    query: str
    reply: str
    pool: tuple[PoolItem, ...]
    """In the order the judge is to see; ids are unique."""
    language: str = "en"
    """BCP 47 primary tag of the reply."""
    now: str | None = None
    """The session's date and time (ISO, with offset)."""
    emotion: str | None = None
    scene: Scene | None = None
    situation: str | None = None
    """The situation of the ES guideline, where one is given."""
    failed: bool = False
    """Whether the model gave no usable reply: SMC 0, MIQ not in N."""
    replies: tuple[str, ...] = ()
    """The one or two replies of the character before this one, oldest first, where aspects are to
    be judged over up to three consecutive replies; they are part of `history` too."""
