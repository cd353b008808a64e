"""What a reply graph remembers while it runs (State) and what it depends on (Context)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import Event, Lock
from typing import Literal, TypedDict, get_args

from graphs.chat_model import ChatModel, Finish, Message, Sampling, Usage
from memory_banks.bank import Bank, Recall
from memory_banks.entries import Entry
from personas.persona import Persona


class Stop:
    """A person's wish to stop a reply, which also ends what the reply is waiting for."""

    def __init__(self) -> None:
        self._event = Event()
        self._lock = Lock()
        self._closes: list[Callable[[], None]] = []

    def set(self) -> None:
        """Stop: close everything that was given to `closes`."""
        with self._lock:
            self._event.set()
            closing, self._closes = self._closes, []
        for close in closing:
            close()

    def is_set(self) -> bool:
        """Whether the person has asked to stop."""
        return self._event.is_set()

    def closes(self, close: Callable[[], None]) -> None:
        """Have `close` called on stop; at once where stop was asked for already."""
        with self._lock:
            if not self._event.is_set():
                self._closes.append(close)
                return
        close()


ReplyProtocol = Literal["free", "stratmem", "madial_1", "madial_2_3"]
"""Whose words ask for a reply: the sandbox's own, or those of a benchmark's setting."""
PROTOCOLS: tuple[ReplyProtocol, ...] = get_args(ReplyProtocol)

Choose = Callable[[str, Sequence[Entry]], Sequence[str]]
"""A choice from outside: (query, candidates) to the ids to inject."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a reply depends on. Holds no clock, no roles and no gold labels."""

    persona: Persona
    speaker: str
    """Name of the person the human speaks as."""
    bank: Bank
    model: ChatModel
    now: datetime
    """The turn's time, with its offset."""
    sampling: Sampling = field(default_factory=Sampling)
    k: int = 8
    """How many entries `top_k` injects."""
    candidates: int = 50
    """How many candidates recall keeps for the trace."""
    seed: int = 0
    """Seed of the order in which `full_pool` shows the pool."""
    choose: Choose | None = None
    emotion: str | None = None
    """The person's present emotion, where told."""
    scene: str | None = None
    profile: str | None = None
    """What the persona is told about the person; null: nothing."""
    protocol: ReplyProtocol = "free"
    """Which prompt files ask for the reply."""
    stop: Stop = field(default_factory=Stop)
    """Set by the person to stop the reply."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A recalled entry with every stage's score and its fate."""

    entry: Entry
    scores: dict[str, float | None]
    """Score by stage name, e.g. `{"dense": 0.41}`."""
    fell: str | None
    """Why it was not injected, as a sentence; null for an injected entry."""


class State(TypedDict, total=False):
    """One reply in the making. Never checkpointed."""

    history: list[Message]
    """The chosen utterances so far, oldest first, without the query."""
    query: str
    """What the person said."""
    recall: Recall
    candidates: list[Candidate]
    """Everything recalled, in order of recall, with fates."""
    injected: list[Entry]
    """What the prompt shows, in the order shown; entries without room leave the list."""
    messages: list[Message]
    """Exactly what is sent."""
    sections: dict[str, int]
    """Characters of the prompt by section, in order: persona, talk, notes, query."""
    prompts: dict[str, str]
    """sha256 of each prompt file used, by name."""
    left_out: int
    """How many of the oldest utterances had no room in the prompt."""
    reply: str
    finish: Finish
    usage: Usage


class TokenEvent(TypedDict):
    """A piece of the reply, streamed out of the graph."""

    kind: Literal["token"]
    text: str


class StepEvent(TypedDict):
    """A step of the graph that a person should see while they wait."""

    kind: Literal["step"]
    text: str


class RefusedStrategy(Exception):
    """The strategy cannot run on this bank or model; the message says why and what to do."""
