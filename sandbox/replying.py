"""One reply: the bank at its revision, the strategy's graph, and everything that is kept of it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection

from graphs import STRATEGIES
from graphs.chat_model import ChatModel, Message, ModelError, Sampling
from graphs.given import build_given
from graphs.state import Context, RefusedStrategy, State, Stop
from memory_banks.bank import Bank, Recall, RecallUnavailable
from memory_banks.entries import Dyad, Entry
from memory_banks.ledger import head
from personas import expanded
from sandbox.lifecycle.meanwhile import ForgottenMeanwhile, forgettings
from sandbox.live import LiveReply
from sandbox.models import ModelNotReady, UnknownModel
from sandbox.record import Record, RecordError
from sandbox.transcripts import (
    ReplyAuthor,
    ReplyFinish,
    Session,
    Turn,
    UnknownSession,
    transcript,
)

OpenBank = Callable[[Dyad, int, bool], Bank]
"""(dyad, revision, whether dead entries are listed too) to the bank a graph sees."""
GetModel = Callable[[str | None], ChatModel]
TROUBLES = (
    ModelError,
    RecallUnavailable,
    RefusedStrategy,
    ModelNotReady,
    UnknownModel,
    ForgottenMeanwhile,
    UnknownSession,
    RecordError,
)
"""What may go wrong with a reply without being a bug; their messages are for people."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a gear hands to the model in place of recall."""

    entries: tuple[Entry, ...] | None
    """In the order in which the prompt shows them; null: the strategy recalls as usual."""
    told: dict[str, Any]
    """The gear and what it was chosen with, for the record."""


Give = Callable[[Session, Turn], Given | None]
"""What the model is given for a turn; None for a turn of no replay."""
GIVEN = "given"
"""What the strategy is called where nothing is recalled, because a gear gives the entries."""


def nothing_given(_session: Session, _turn: Turn) -> None:
    """No gear: every turn is answered by its session's strategy."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A reply before it is stored, with its trace."""

    author: ReplyAuthor
    text: str
    finish: ReplyFinish
    revision: int
    strategy: str | None = None
    model: str | None = None
    seed: int | None = None
    sampling: dict[str, Any] = field(default_factory=dict)
    recalled: dict[str, Any] = field(default_factory=lambda: _trace({}))
    injected: list[str] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    prompts: dict[str, str] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    forgettings: int = 0
    """How often something had been forgotten when it was begun."""

    @classmethod
    def by_hand(cls, text: str, revision: int) -> "Draft":
        """A reply that a person wrote: nothing was recalled for it."""
        return cls("human", text, "written", revision)

    @classmethod
    def of_file(cls, text: str, revision: int) -> "Draft":
        """A reply that stands in the replayed file: nobody wrote it here."""
        return cls("file", text, "given", revision)


class Replier:
    """Writes replies with a strategy's graph."""

    def __init__(
        self,
        record: Record,
        open_bank: OpenBank,
        get_model: GetModel,
        clock: Callable[[], datetime],
        new_seed: Callable[[], int],
        give: Give = nothing_given,
    ) -> None:
        self._record = record
        self._open_bank = open_bank
        self._get_model = get_model
        self._clock = clock
        self._new_seed = new_seed
        self._give = give
        self._graphs = {name: build() for name, build in STRATEGIES.items()} | {
            GIVEN: build_given()
        }

    def revision(self, conn: Connection, session: Session) -> int:
        """The revision a reply written now would see."""
        return head(conn, session.account, session.user)

    def write(self, session: Session, turn: Turn, live: LiveReply) -> Draft:
        """Write a reply to `turn`, showing it on `live` as it grows.

        Raises:
            TROUBLES: with a sentence for people.
        """
        with self._record.read() as conn:
            history = transcript(conn, session.account, session.id).history(before=turn.number)
            revision = self.revision(conn, session)
            forgotten = forgettings(conn, session.account)
        context = self.context(session, turn, live.stop, revision)
        start: State = {"history": history, "query": turn.text}
        given, strategy = self._give(session, turn), session.strategy
        if given is not None and given.entries is not None:
            start, strategy = {**start, "injected": list(given.entries)}, GIVEN
        final = self._run(strategy, start, context, live)
        draft = replace(_draft(strategy, context, final, revision), forgettings=forgotten)
        return replace(draft, sampling=draft.sampling | given.told) if given else draft

    def context(self, session: Session, turn: Turn, stop: Stop, revision: int) -> Context:
        """What a reply to `turn` written now would depend on, with a new seed.

        Raises:
            ModelNotReady, UnknownModel: if the session's model cannot be had.
        """
        seed = self._new_seed()
        return Context(
            persona=expanded(session.persona, session.speaker, seed=session.id),
            speaker=session.speaker,
            bank=self._open_bank(session.dyad, revision, session.instance is not None),
            model=self._get_model(session.model),
            now=datetime.fromisoformat(turn.at),
            sampling=Sampling(seed=seed),
            seed=seed,
            emotion=turn.emotion,
            scene=turn.scene,
            profile=session.profile,
            protocol=session.protocol,
            stop=stop,
        )

    def _run(self, strategy: str, start: State, context: Context, live: LiveReply) -> State:
        final: State = start
        stream = self._graphs[strategy].stream(
            start, context=context, stream_mode=["custom", "values"], version="v2"
        )
        for part in stream:
            if part["type"] == "custom":
                live.add(part["data"]["text"])
            elif part["type"] == "values":
                final = part["data"]
        return final


def _draft(strategy: str, context: Context, final: State, revision: int) -> Draft:
    return Draft(
        author="model",
        text=final["reply"],
        finish=final["finish"],
        revision=revision,
        strategy=strategy,
        model=context.model.name,
        seed=context.seed,
        sampling=asdict(replace(context.sampling, seed=None)) | {"k": context.k},
        recalled=_trace(final),
        injected=[entry.id for entry in final["injected"]],
        messages=final["messages"],
        prompts=final["prompts"],
        usage=asdict(final["usage"])
        | {"left_out": final["left_out"], "sections": final["sections"]},
    )


def _trace(final: State) -> dict[str, Any]:
    """What was recalled: the query, how it was searched, every candidate with scores and fate."""
    recall = final.get("recall") or Recall("", (), "listed")
    searched: Literal["index", "exact", "listed"] = recall.searched
    return {
        "query": recall.query,
        "searched": searched,
        "candidates": [
            {"entry": candidate.entry.id, "scores": candidate.scores, "fell": candidate.fell}
            for candidate in final.get("candidates", [])
        ],
    }
