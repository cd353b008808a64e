"""Where a replay is taken over: the talk up to an utterance; the rest is withdrawn."""

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Connection, update

from sandbox.inputs import BadInput
from sandbox.instances import Said
from sandbox.replay.gears import Options
from sandbox.replay.protocols import protocol_of
from sandbox.replay.script import Stop
from sandbox.session_rows import kept_fields
from sandbox.tables import sessions
from sandbox.transcripts import Session, Transcript, Turn
from sandbox.turns import set_trouble, withdraw

WAITS = "It was taken over here: have the character answer, write the reply, or say another thing."
"""Why the person's last words are without a reply."""


def said_so_far(whole: Transcript) -> tuple[Said, ...]:
    """Every utterance that counts, oldest first, one without an answer at the end."""
    waiting = whole.open_turn
    last = [Said("user", whole.session.speaker, waiting.text)] if waiting else []
    return (*whole.said(), *last)


def cut(conn: Connection, whole: Transcript, at: int, say: Callable[[str], str]) -> None:
    """Let the talk end with its utterance number `at`, from 1; the record keeps what is withdrawn.

    Where the person's words come last, they wait for an answer, in a turn that `say` stores.

    Raises:
        BadInput: if there is no such utterance.
    """
    told = said_so_far(whole)
    if not 1 <= at <= len(told):
        raise BadInput(f"The utterance must be between 1 and {len(told)}, got {at}.")
    if at == len(told):
        return
    before = len(whole.session.prelude)
    kept = list(told[:at])
    waiting = _unanswered(kept)
    if at <= before:
        _shorten(conn, whole, kept)
    for turn, answered in _counted(whole.turns, before):
        if turn.status == "open" or answered > at:
            withdraw(conn, turn.id)
    if waiting:
        set_trouble(conn, say("\n".join(waiting)), WAITS)


def freed(session: Session, stop: Stop, *, waiting: bool) -> dict[str, Any]:
    """The columns of an ordinary session that goes on from a replay.

    `waiting`: the query of `stop` is in its box. Its prompts are those that its benchmark has for
    own recall: no gear hands out any more.
    """
    prompts = (session.replay or Options()).prompts
    return {
        "gear": None,
        "forcing": None,
        "replay": None,
        "protocol": protocol_of(stop.instance, None, prompts),
        "box": stop.query if waiting else None,
    }


def _unanswered(kept: list[Said]) -> list[str]:
    """What the person said last and nobody has answered, taken off `kept`."""
    words: list[str] = []
    while kept and kept[-1].role == "user":
        words.insert(0, kept.pop().text)
    return words


def _counted(turns: tuple[Turn, ...], before: int) -> Iterator[tuple[Turn, int]]:
    """Each turn with the number of its last utterance."""
    for turn in turns:
        before += bool(turn.text) + bool(turn.reply and turn.reply.text)
        yield turn, before


def _shorten(conn: Connection, whole: Transcript, kept: list[Said]) -> None:
    values = kept_fields({"prelude": tuple(kept)})
    conn.execute(update(sessions).where(sessions.c.id == whole.session.id).values(**values))
