"""The part that all strategies share: compose the prompt, then write the reply."""

from collections.abc import Mapping
from datetime import datetime

from langgraph.graph import END, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from graphs.chat_model import Message, ModelError
from graphs.state import Candidate, Context, ReplyProtocol, State
from graphs.templates import fence, prompt_hash, render
from graphs.tokens import estimated_tokens
from memory_banks.entries import Entry
from personas.library import describe

_TOLD: Mapping[ReplyProtocol, tuple[str, ...]] = {
    "free": ("now", "speaker", "feeling"),
    "stratmem": (),
    "madial_1": ("date",),
    "madial_2_3": ("date",),
}
"""What a protocol's prompt tells of the moment."""
_OPENING: Message = {"role": "user", "content": "(The talk begins.)"}


class NoRoom(ModelError):
    """The character alone is more than the model reads."""


class NothingWritten(ModelError):
    """The reply was stopped before its first word."""


def with_reply(
    graph: StateGraph[State, Context, State, State], after: str
) -> CompiledStateGraph[State, Context, State, State]:
    """`graph` compiled, with the two last steps of every strategy behind the node `after`."""
    graph.add_node("compose", compose)
    graph.add_node("write", write)
    graph.add_edge(after, "compose")
    graph.add_edge("compose", "write")
    graph.add_edge("write", END)
    return graph.compile()


def compose(state: State, runtime: Runtime[Context]) -> State:
    """Make the exact messages: persona first, talk next, memories and the query last.

    The persona comes first and the memories last so that a server can reuse its work on what
    stays the same from turn to turn. What has no room is left out whole: the oldest utterances,
    and before them the entries injected last. Who the character is is never cut.

    Raises:
        NoRoom: if the character alone is more than the model reads.
    """
    context = runtime.context
    shown, crowded = _with_room(state, context)
    parts = ("system", "turn", "notes") if shown else ("system", "turn")
    used = [_file(context, part) for part in parts]
    system = _system(context)
    _check_room(context, system)
    earlier, waiting = _waiting(state["history"])
    notes = _notes(context, shown)
    turn = _turn(state, context, notes, waiting)
    room = _budget(context) - _size(system) - _size(turn)
    history = _latest(earlier, room)
    return {
        "messages": [
            {"role": "system", "content": system},
            *history,
            {"role": "user", "content": turn},
        ],
        "injected": shown,
        "candidates": [_fallen(candidate, crowded) for candidate in state["candidates"]],
        "sections": {
            "persona": len(system),
            "talk": sum(len(message["content"]) for message in history),
            "notes": len(notes),
            "query": len(turn) - len(notes),
        },
        "left_out": len(earlier) - sum(message is not _OPENING for message in history),
        "prompts": {name: prompt_hash("graphs", name) for name in used},
    }


def write(state: State, runtime: Runtime[Context]) -> State:
    """Stream the reply out of the graph, token by token, until it ends or is stopped."""
    context = runtime.context
    stream = context.model.stream(state["messages"], context.sampling)
    context.stop.closes(stream.close)
    pieces: list[str] = []
    try:
        for piece in stream:
            if context.stop.is_set():
                break
            pieces.append(piece)
            runtime.stream_writer({"kind": "token", "text": piece})
    except ModelError:
        if not context.stop.is_set():
            raise
    finally:
        stream.close()
    reply = "".join(pieces).strip()
    if not reply:
        raise NothingWritten("The reply was stopped before its first word; send again for another.")
    finish = "stopped" if context.stop.is_set() else stream.finish
    return {"reply": reply, "finish": finish, "usage": stream.usage}


def fence_entries(entries: list[Entry], *, dated: bool = False) -> str:
    """The entries as bare sentences, one a line, in a block that no entry can close.

    `dated`: each with its time, scene and emotion before it, as far as they are told.
    """
    return fence("\n".join(f"- {_sentence(entry, dated=dated)}" for entry in entries), "notes")


def _sentence(entry: Entry, *, dated: bool) -> str:
    text = " ".join(entry.text.split())
    told = [" ".join(one.split()) for one in (entry.anchor, entry.scene, entry.emotion) if one]
    return f"({', '.join(told)}) {text}" if dated and told else text


def _file(context: Context, part: str) -> str:
    """The name of a prompt file of the session's protocol."""
    return f"reply_{context.protocol}_{part}"


def _system(context: Context) -> str:
    return _rendered(
        _file(context, "system"),
        name=context.persona.name,
        description=describe(context.persona),
        speaker=context.speaker,
        known=_known(context),
    )


def _known(context: Context) -> str:
    """What the persona is told about the person, on one line; empty for nothing."""
    if context.profile is None:
        return ""
    return f" About {context.speaker} you know: {' '.join(context.profile.split())}"


def _waiting(history: list[Message]) -> tuple[list[Message], list[str]]:
    """The history, and apart from it the person's last words where nobody has answered them.

    They go before the query into its message: the chat templates of some models demand that the
    roles take turns.
    """
    if history and history[-1]["role"] == "user":
        return history[:-1], [history[-1]["content"]]
    return history, []


def _notes(context: Context, shown: list[Entry]) -> str:
    """The injected entries as the prompt shows them, with the line ends behind; empty for none."""
    if not shown:
        return ""
    dated = context.protocol in ("madial_1", "madial_2_3")
    bank = fence_entries(shown, dated=dated)
    # Under MADial-Bench the events are the user's; elsewhere they are what the character remembers.
    whose = context.speaker if dated else context.persona.name
    return _rendered(_file(context, "notes"), name=whose, entries=bank) + "\n\n"


def _turn(state: State, context: Context, notes: str, waiting: list[str]) -> str:
    moment = {
        "now": _spoken(context.now),
        "date": f"{context.now:%Y-%m-%d}",
        "speaker": context.speaker,
        "feeling": _feeling(context),
    }
    return _rendered(
        _file(context, "turn"),
        notes=notes,
        text="\n".join([*waiting, state["query"]]),
        **{name: moment[name] for name in _TOLD[context.protocol]},
    )


def _rendered(prompt: str, **values: str) -> str:
    """A prompt without the line end that closes its file."""
    return render("graphs", prompt, **values).removesuffix("\n")


def _spoken(moment: datetime) -> str:
    return f"{moment:%A} {moment:%Y-%m-%d %H:%M}, UTC{moment.isoformat()[-6:]}"


def _feeling(context: Context) -> str:
    told = [
        f" {context.speaker} feels {context.emotion.lower()}." if context.emotion else "",
        f" The moment belongs to {context.scene.lower()}." if context.scene else "",
    ]
    return "".join(told)


def _budget(context: Context) -> int:
    """Tokens for the prompt: what the reply and a reserve of a tenth leave."""
    return context.model.context_tokens * 9 // 10 - context.sampling.max_tokens


def _check_room(context: Context, system: str) -> None:
    """Refuse a character that surely has no room; what may have is for the server to say."""
    needed = estimated_tokens(system)
    room = context.model.context_tokens - context.sampling.max_tokens
    if needed > room:
        raise NoRoom(
            f"{context.persona.name} takes about {needed} tokens to describe, and "
            f"{context.model.name} has room for {room}: shorten the character, or choose a model "
            "that reads more."
        )


def _size(text: str) -> int:
    """Tokens of `text`, estimated high: about three bytes a token, and the message's frame."""
    return len(text.encode("utf-8")) // 3 + 8


def _with_room(state: State, context: Context) -> tuple[list[Entry], set[str]]:
    """The injected entries that fit half of the prompt, whole, and the ids of the rest."""
    room = _budget(context) // 2
    shown: list[Entry] = []
    crowded: set[str] = set()
    for entry in state["injected"]:
        room -= _size(entry.text)
        if room < 0:
            crowded.add(entry.id)
        else:
            shown.append(entry)
    return shown, crowded


def _fallen(candidate: Candidate, crowded: set[str]) -> Candidate:
    if candidate.entry.id not in crowded:
        return candidate
    return Candidate(candidate.entry, candidate.scores, "No room in the prompt.")


def _latest(history: list[Message], room: int) -> list[Message]:
    """The latest messages that fit `room` tokens, with a user's message first.

    Where the character speaks first, a bare opening stands for the user: the chat templates of
    some models demand that the user begins.
    """
    kept: list[Message] = []
    for message in reversed(history):
        room -= _size(message["content"])
        if room < 0:
            break
        kept.insert(0, message)
    if kept and kept[0]["role"] != "user":
        whole = len(kept) == len(history)
        kept = [_OPENING, *kept] if whole else kept[1:]
    return kept
