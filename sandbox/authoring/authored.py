"""An instance that is being made, as a value: what it says, who said so, and where it is from.

A role is a *proposal* until a person has looked at it. Models propose and flag; gold is what a file
gave or a person said, and nothing else is published.
"""

from dataclasses import dataclass, field
from typing import Literal, get_args

from pydantic import TypeAdapter

from memory_banks.entries import Scene, canonical
from personas.persona import Persona
from sandbox.episodes import Episode, GoldEntry
from sandbox.instances import Human, PoolEntry, Role, Said

Kind = Literal["reply", "dialogue", "episode"]
"""One reply with roles (as StratMem-Bench), a dialogue with golden memories (as MADial-Bench), or
sessions with gold memories and questions (as DyadMem and UtilMem)."""
Stage = Literal["draft", "annotated", "second", "adjudicated", "sampled"]
Source = Literal["given", "proposed", "corrected", "checked"]
"""`given` with the file it was opened from; `proposed` by a judge; `corrected` or `checked` (looked
at and kept) by a person."""
Phrasing = Literal["", "lexical gap", "exact phrases"]
"""How a question's words should stand to its entries'; empty where the author does not say."""
KINDS: tuple[Kind, ...] = get_args(Kind)
STAGES: tuple[Stage, ...] = get_args(Stage)
PHRASINGS: tuple[Phrasing, ...] = get_args(Phrasing)
SHOWN = 20
"""How many recalled entries the golden ones are chosen from (MADial-Bench)."""
UNSPECIFIED = "unspecified"


@dataclass(frozen=True, slots=True)
class Tag:
    """A role, and who says so."""

    role: Role
    source: Source
    by: str
    """The collection, the judge, or the person."""

    @property
    def is_gold(self) -> bool:
        """Whether a person or the file stands behind it."""
        return self.source != "proposed"


@dataclass(frozen=True, slots=True)
class AuthoredEntry:
    """An entry of the pool, with its role and the entry of the bank that it copies."""

    held: PoolEntry
    """`provenance.turns` are the evidence turns."""
    cites: str | None = None
    """Id of the bank's entry."""
    tag: Tag | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an instance was taken from."""

    account: str
    session: str
    turn: str | None = None
    """Null for a whole session."""
    reply: str | None = None
    revision: int = 0
    """The bank's revision that the pool is taken at."""
    collection: str | None = None
    """The file that the session was opened from, or the one that it continues was."""
    instance: str | None = None


@dataclass(frozen=True, slots=True)
class Authored:
    """An instance that is being made."""

    id: str
    kind: Kind
    collection: str
    """The name of the collection that it belongs to."""
    title: str
    language: str
    persona: Persona
    human: Human
    query: str
    origin: Origin
    author: str
    history: tuple[Said, ...] = ()
    time: str | None = None
    emotion: str | None = None
    scene: Scene | None = None
    pool: tuple[AuthoredEntry, ...] = ()
    """In an order that its keys alone decide; none of them says anything of a role."""
    golden: tuple[str, ...] = ()
    """Keys of the golden entries, the most suitable first."""
    shown: tuple[str, ...] = ()
    """Keys of the up to SHOWN entries, best first, that the golden ones were chosen from."""
    reference: str = ""
    """What the character should say; empty where none was written."""
    reference_by: Literal["", "model", "human"] = ""
    situation: str | None = None
    """The situation of the ES guideline."""
    points: tuple[int, ...] = ()
    """Numbers of its key points that the author finds in the reference."""
    licence: str = UNSPECIFIED
    licence_kept: bool = False
    """Whether the licence was inherited, so that it cannot be chosen."""
    phrasing: Phrasing = ""
    tests: tuple[str, ...] = ()
    """Of a dialogue: ids of the turns of the user that a reply is tested at, in order."""
    talk: Episode | None = None
    """Of a dialogue or an episode: the sessions turn by turn, gold memories and questions."""
    citations: tuple[tuple[str, str], ...] = ()
    """Of an episode: key of a gold memory, and the id of the bank's entry that it copies."""
    unchecked: tuple[str, ...] = ()
    """Of an episode: keys of gold memories that no person has looked at yet."""
    forgotten: int = 0
    """How often something that it cites was forgotten since it was made."""
    phrasings: tuple[tuple[str, Phrasing], ...] = ()
    """Of an episode: id of a question, and how its words should stand to its memories'; `phrasing`
    is for those that are not named."""

    @property
    def cites(self) -> frozenset[str]:
        """Ids of every entry of a bank that it copies."""
        pool = (one.cites for one in self.pool if one.cites)
        return frozenset([*pool, *(entry for _key, entry in self.citations)])

    @property
    def proposals(self) -> tuple[str, ...]:
        """Keys whose role or memory is still only proposed."""
        pool = (one.held.key for one in self.pool if one.tag and not one.tag.is_gold)
        return (*pool, *self.unchecked)

    def entry(self, key: str) -> AuthoredEntry | None:
        """The pool's entry with this key."""
        return next((one for one in self.pool if one.held.key == key), None)

    def having(self, role: Role) -> tuple[AuthoredEntry, ...]:
        """The pool's entries with this role, proposed ones too."""
        return tuple(one for one in self.pool if one.tag and one.tag.role == role)


@dataclass(frozen=True, slots=True)
class Version:
    """One state of an instance that is being made; none is ever changed."""

    number: int
    """From 1."""
    author: str
    stage: Stage
    reason: str
    created_at: str
    authored: Authored


@dataclass(frozen=True, slots=True)
class Annotation:
    """What somebody said of an instance without seeing what others had said."""

    author: str
    number: int
    """From 1; the first is the second annotator's."""
    purpose: Literal["second", "sampled"]
    roles: dict[str, Role]
    """By the keys of the pool."""
    golden: tuple[str, ...]
    done_at: str
    note: str = ""
    of: int = 0
    """Number of the version that was looked at."""
    memories: tuple[GoldEntry, ...] = ()
    """Of an episode: what its turns give, with keys of the annotator's own."""
    supports: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Of an episode: by question, keys of those `memories` that its answer needs."""


AUTHORED: TypeAdapter[Authored] = TypeAdapter(Authored)


def authored_json(authored: Authored) -> str:
    """Canonical JSON: equal values give equal text."""
    return canonical(AUTHORED.dump_python(authored, mode="json"))
