"""A reply's prompt made again with other memories and nothing else changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from sqlalchemy import Connection

from graphs.chat_model import Message, Sampling
from graphs.given import build_given, composed
from graphs.state import PROTOCOLS, Context, ReplyProtocol, State, Stop
from memory_banks.entries import Entry
from memory_banks.ledger import entries_by_id
from sandbox.evaluation.cases import Judgeable
from sandbox.inputs import BadInput, checked_entry_text
from sandbox.reply_traces import Reply
from sandbox.replying import Replier
from sandbox.transcripts import transcript


@dataclass(frozen=True, slots=True)
class Switch:
    """What becomes of one entry."""

    entry: str
    text: str | None
    """What it says instead; null: it is off."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """Everything that a reply depended on, in its order, ready to be changed in one place."""

    context: Context
    state: State
    shown: tuple[Entry, ...]
    """What the prompt showed, in order; for a reply by hand, what one written now would show."""
    seed: int
    same_prompt: bool
    """Whether the prompt made again is the recorded one, letter by letter; true where the reply
    has none."""

    def switched(self, switches: Sequence[Switch], *, memory: bool = True) -> tuple[Entry, ...]:
        """The shown entries in their order, switched; none with `memory` off.

        Raises:
            BadInput: if a switch names an entry that is not shown, or its text cannot be taken.
        """
        texts = {one.entry: one.text for one in switches}
        if strange := set(texts) - {entry.id for entry in self.shown}:
            raise BadInput(f"The prompt does not show entry {min(strange)!r}: switch another one.")
        if not memory:
            return ()
        return tuple(_edited(entry, texts) for entry in self.shown if _is_on(entry, texts))

    def messages(self, entries: Sequence[Entry]) -> list[Message]:
        """The exact prompt with these entries."""
        return composed({**self.state, "injected": list(entries)}, self.context)["messages"]

    def write(self, entries: Sequence[Entry], seed: int) -> str:
        """A reply with these entries.

        Raises:
            ModelError: with a sentence for people.
        """
        sampling = replace(self.context.sampling, seed=seed)
        context = replace(self.context, sampling=sampling, seed=seed)
        final = build_given().invoke({**self.state, "injected": list(entries)}, context=context)
        return str(final["reply"])


def fixed(conn: Connection, replier: Replier, judged: Judgeable, stop: Stop) -> Fixed:
    """The reply as it can be made again.

    A reply written by hand had no prompt: its model, seed and order are those of one written now,
    over the entries that it is judged against.

    Raises:
        ModelNotReady, UnknownModel: if the reply's model cannot be had any more.
    """
    reply, session = judged.reply, replace(judged.session, model=_model(judged))
    context = replier.context(session, judged.turn, stop, reply.revision)
    seed = context.seed if reply.seed is None else reply.seed
    context = replace(
        context,
        seed=seed,
        sampling=_sampling(reply, context.sampling, seed),
        protocol=_protocol(reply, context.protocol),
    )
    history = transcript(conn, session.account, session.id).history(before=judged.turn.number)
    held = entries_by_id(conn, [item.id for item in judged.case.pool])
    shown = [held[one] for one in _order(judged, seed)]
    state: State = {"history": history, "query": judged.turn.text, "injected": shown}
    whole = composed(state, context)
    return Fixed(
        context=context,
        state=state,
        shown=tuple(whole["injected"]),
        seed=seed,
        same_prompt=not reply.messages or list(reply.messages) == whole["messages"],
    )


def _model(judged: Judgeable) -> str | None:
    """The reply's model, or the session's for one by hand."""
    return judged.reply.model or judged.session.model


def _protocol(reply: Reply, usual: ReplyProtocol) -> ReplyProtocol:
    """Whose prompts asked for the reply: a replay's gear may have changed since."""
    return next((one for one in PROTOCOLS if f"reply_{one}_system" in reply.prompts), usual)


def _order(judged: Judgeable, seed: int) -> list[str]:
    """Ids of the shown entries; for a reply by hand, shuffled as `full_pool` would."""
    if judged.reply.messages:
        return list(judged.reply.injected)
    order = [item.id for item in judged.case.pool if item.id in judged.injected]
    Random(seed).shuffle(order)
    return order


def _sampling(reply: Reply, usual: Sampling, seed: int) -> Sampling:
    told = {name: reply.sampling[name] for name in _DRAWN if name in reply.sampling}
    return replace(usual, **told, seed=seed)


_DRAWN = ("temperature", "top_p", "max_tokens")


def _is_on(entry: Entry, texts: Mapping[str, str | None]) -> bool:
    return texts.get(entry.id, entry.text) is not None


def _edited(entry: Entry, texts: Mapping[str, str | None]) -> Entry:
    text = texts.get(entry.id, entry.text)
    if text is None or text == entry.text:
        return entry
    # The key stays: the switched entry answers to the id of the one it stands for.
    return replace(entry, text=checked_entry_text(text))
