"""What the stage metrics compare: captures, operations, rankings and answers, each with its gold.

A row is one output of a model: a session's capture or update, a question's ranking or answer. A
row whose output failed stays in every denominator and earns nothing (DyadMem, section 3.3).
"""

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from memory_banks.entries import URAM_TYPES, EntryType

StageFailure = Literal["truncated", "unparseable", "empty", "failed"]
"""Why an output cannot be used. `empty` is no output at all; a readable list of nothing is a valid
capture or update, and no failure."""
Centre = Literal["user", "agent"]
STAGE_FAILURES: tuple[StageFailure, ...] = get_args(StageFailure)


class Row(Protocol):
    """One output of a model."""

    @property
    def name(self) -> str:
        """What it is an output for, the same for every variant of a system."""

    @property
    def unit(self) -> str:
        """What is resampled: the episode, or, outside of one, the instance itself."""

    @property
    def failure(self) -> StageFailure | None:
        """Why it cannot be used; null where it can."""


def identity(row: Row) -> tuple[str, str]:
    """What tells the row from others, across episodes that use the same names."""
    return row.unit, row.name


class Compared(Protocol):
    """A text that is matched with others by what it says."""

    @property
    def text(self) -> str:
        """What it says."""

    @property
    def type(self) -> EntryType | None:
        """Its entry type; null where none of the six was named."""

    @property
    def turns(self) -> tuple[str, ...]:
        """Ids of the turns that it goes back to."""


@dataclass(frozen=True, slots=True)
class Captured:
    """A memory that was captured, or is in a bank, as a text."""

    text: str
    type: EntryType | None
    turn: str = ""
    """The turn that supports it; empty where none is told."""
    key: str = ""
    """Its id in a bank; empty for none."""

    @property
    def turns(self) -> tuple[str, ...]:
        """The supporting turn."""
        return (self.turn,) if self.turn else ()


@dataclass(frozen=True, slots=True)
class Added:
    """An operation that adds an entry."""

    text: str
    type: EntryType | None
    replaces: tuple[str, ...] = ()
    """Ids of the entries that it absorbs, supersedes or corrects."""
    turns: tuple[str, ...] = ()
    """Its lineage: the turns that it goes back to."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """An operation that deletes an entry."""

    key: str
    """The id that it names, whether or not an entry has it."""
    text: str = ""
    """The text of that entry; empty where no entry has the id."""
    type: EntryType | None = None
    turns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """The operations of one session; captures are not among them, they enter the pool by itself."""

    adds: tuple[Added, ...] = ()
    deletes: tuple[Deleted, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionCapture:
    """What was captured from one session."""

    name: str
    gold: tuple[Captured, ...]
    output: tuple[Captured, ...] = ()
    episode: str = ""
    domain: str = ""
    failure: StageFailure | None = None

    @property
    def unit(self) -> str:
        """The episode, or else the session."""
        return self.episode or self.name


@dataclass(frozen=True, slots=True)
class SessionUpdate:
    """How a bank was changed after one session."""

    name: str
    gold: Changes
    output: Changes = Changes()
    episode: str = ""
    domain: str = ""
    failure: StageFailure | None = None

    @property
    def unit(self) -> str:
        """The episode, or else the session."""
        return self.episode or self.name


@dataclass(frozen=True, slots=True)
class Support:
    """An entry of the gold bank that a question needs."""

    key: str
    type: EntryType


@dataclass(frozen=True, slots=True)
class Question:
    """A question about an episode, with the entries that support its answer."""

    name: str
    supports: tuple[Support, ...]
    episode: str = ""
    domain: str = ""
    centre: Centre | None = None
    """Whom it is about; null where the data do not say."""

    @property
    def unit(self) -> str:
        """The episode, or else the question."""
        return self.episode or self.name

    @property
    def keys(self) -> frozenset[str]:
        """Ids of its supports."""
        return frozenset(one.key for one in self.supports)

    @property
    def uram_only(self) -> bool:
        """Whether it has supports, all of the three URAM types."""
        return bool(self.supports) and all(one.type in URAM_TYPES for one in self.supports)


@dataclass(frozen=True, slots=True)
class Ranking:
    """What recall returned for a question, best first, by id in the gold bank."""

    question: Question
    ranked: tuple[str, ...] = ()
    failure: StageFailure | None = None

    @property
    def name(self) -> str:
        """The question's."""
        return self.question.name

    @property
    def unit(self) -> str:
        """The question's."""
        return self.question.unit


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as a judge sees it."""

    question: Question
    correct: bool | None
    """Whether it says what the reference says; null where the judge could not be read."""
    supported: bool | None
    """Whether the supplied memories support it; null where the judge could not be read."""
    refused: bool = False
    supplied: int | None = None
    """How many memories it was given; null where that is not told."""
    failure: StageFailure | None = None

    @property
    def name(self) -> str:
        """The question's."""
        return self.question.name

    @property
    def unit(self) -> str:
        """The question's."""
        return self.question.unit


@dataclass(frozen=True, slots=True)
class BankSize:
    """How many live entries an episode ends with: the model's own bank and the gold one."""

    name: str
    own: int
    gold: int
    failure: StageFailure | None = None

    @property
    def unit(self) -> str:
        """The episode."""
        return self.name
