"""Sessions, turns and replies as the record holds them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Literal

from sqlalchemy import Connection, Row, select

from graphs.chat_model import Message
from graphs.methods import MethodName
from graphs.state import ReplyProtocol
from memory_banks.entries import Dyad, Scene, TurnRole
from personas.persona import Persona
from sandbox.instances import InstanceRef, Said
from sandbox.replay.gears import Forcing, Gear, Options
from sandbox.replay.origin import Origin, origin_from
from sandbox.session_rows import kept_fields, read_fields
from sandbox.tables import replies, sessions, turns

TurnStatus = Literal["open", "answered", "withdrawn"]
"""`open`: no reply yet. `withdrawn`: another text took its place."""
ReplyAuthor = Literal["model", "human", "file"]
"""`file`: it stands in the file that the session replays, and nobody wrote it here."""
ReplyFinish = Literal["stop", "length", "stopped", "written", "given"]


class UnknownSession(Exception):
    """There is no such session for this account."""


class UnknownReply(Exception):
    """There is no such turn or reply for this account."""


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation between a user and an agent."""

    id: str
    account: str
    user: str
    agent: str
    persona: Persona
    """The character as it was when the session was opened."""
    speaker: str
    """Name of the person the human speaks as."""
    clock: str | None
    """The session's date and time (ISO, with offset); null: it follows the real clock."""
    emotion: str | None
    scene: Scene | None
    strategy: str
    model: str | None
    """Name of the model; null: the default one."""
    continues: str | None
    created_at: str
    ended_at: str | None
    prelude: tuple[Said, ...] = ()
    """What was said before it began, where it was opened from an instance."""
    instance: InstanceRef | None = None
    """The instance it was opened from; what only a judge may see stays in the collection."""
    box: str | None = None
    """A text that is offered to be sent as the first turn."""
    profile: str | None = None
    """The speaker's profile as it enters the prompt; null where it does not."""
    method: MethodName = "typed"
    """How it is remembered when it ends."""
    protocol: ReplyProtocol = "free"
    """Whose prompts ask for its replies."""
    gear: Gear | None = None
    """What a replay hands to the model; null: it is no replay, and so are the next two."""
    forcing: Forcing | None = None
    replay: Options | None = None

    @property
    def dyad(self) -> Dyad:
        """Whose bank it reads and feeds."""
        return Dyad(self.account, self.user, self.agent)

    def now(self, real: datetime) -> datetime:
        """The session's time: its clock where one is set, else `real`."""
        return datetime.fromisoformat(self.clock) if self.clock else real


@dataclass(frozen=True, slots=True)
class ReplyLine:
    """A reply without its trace."""

    id: str
    turn: str
    ordinal: int
    author: ReplyAuthor
    text: str
    finish: ReplyFinish


@dataclass(frozen=True, slots=True)
class Turn:
    """What the person said, and the replies to it."""

    id: str
    session: str
    number: int
    text: str
    at: str
    emotion: str | None
    scene: Scene | None
    status: TurnStatus
    trouble: str | None
    """Why an open turn has no reply, as a sentence; null while it is being written."""
    chosen: str | None
    """Id of the reply that counts."""
    replies: tuple[ReplyLine, ...]
    origin: Origin | None = None
    """Null: a person said it."""

    @property
    def reply(self) -> ReplyLine | None:
        """The chosen reply."""
        return next((reply for reply in self.replies if reply.id == self.chosen), None)


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session with its turns in order, withdrawn ones left out."""

    session: Session
    turns: tuple[Turn, ...]

    @property
    def open_turn(self) -> Turn | None:
        """The turn that waits for a reply."""
        return next((turn for turn in self.turns if turn.status == "open"), None)

    def history(self, before: int | None = None) -> list[Message]:
        """The prelude, then answered turns with a number below `before`; oldest first.

        What one side said twice running is one message: some chat templates demand turns.
        """
        return _taking_turns((one.role, one.text) for one in self.said(before))

    def said(self, before: int | None = None) -> Iterator[Said]:
        """Every utterance of the prelude and of answered turns with a number below `before`.

        In a file one side may speak twice running: then the other's words are empty in a turn.
        """
        yield from self.session.prelude
        for turn in self.turns:
            if turn.reply and (before is None or turn.number < before):
                if turn.text:
                    yield Said("user", self.session.speaker, turn.text)
                if turn.reply.text:
                    yield Said("assistant", self.session.persona.name, turn.reply.text)


def find_session(conn: Connection, account: str, session_id: str) -> Session:
    """The session with this id.

    Raises:
        UnknownSession: if the account has none.
    """
    query = select(sessions).where(sessions.c.id == session_id, sessions.c.account == account)
    if (row := conn.execute(query).one_or_none()) is None:
        raise UnknownSession(f"There is no session {session_id!r}: open one, or pick another.")
    return session_from(row)


def transcript(conn: Connection, account: str, session_id: str) -> Transcript:
    """The session with this id and its turns.

    Raises:
        UnknownSession: if the account has none.
    """
    session = find_session(conn, account, session_id)
    lines: dict[str, list[ReplyLine]] = defaultdict(list)
    names = ("id", "turn", "ordinal", "author", "text", "finish")
    query = select(*(replies.c[name] for name in names)).select_from(replies.join(turns))
    query = query.where(turns.c.session == session_id)
    for row in conn.execute(query.order_by(replies.c.ordinal)):
        lines[row.turn].append(ReplyLine(*row))
    shown = turns.c.session == session_id, turns.c.status != "withdrawn"
    rows = conn.execute(select(turns).where(*shown).order_by(turns.c.number))
    return Transcript(session, tuple(_turn(row, lines[row.id]) for row in rows))


def find_turn(conn: Connection, account: str, turn_id: str) -> tuple[Session, Turn]:
    """A turn and its session; a reply's id finds the turn it answers.

    Raises:
        UnknownReply: if the account has none.
    """
    owner = conn.execute(
        select(turns.c.session, turns.c.id)
        .select_from(turns.join(sessions).outerjoin(replies))
        .where(sessions.c.account == account)
        .where((turns.c.id == turn_id) | (replies.c.id == turn_id))
        .limit(1)
    ).one_or_none()
    if owner is None:
        raise UnknownReply(f"There is no turn {turn_id!r}: reload the page and try again.")
    whole = transcript(conn, account, owner.session)
    found = next((turn for turn in whole.turns if turn.id == owner.id), None)
    if found is None:
        raise UnknownReply(f"Turn {turn_id!r} was withdrawn.")
    return whole.session, found


def session_from(row: Row[Any]) -> Session:
    """The session that a row of `sessions` holds."""
    names = Session.__dataclass_fields__
    return Session(**read_fields({name: getattr(row, name) for name in names}))


def session_row(session: Session) -> dict[str, Any]:
    """The row of `sessions` that holds `session`."""
    names = session.__dataclass_fields__
    return kept_fields({name: getattr(session, name) for name in names})


def _taking_turns(said: Iterable[tuple[TurnRole, str]]) -> list[Message]:
    return [
        {"role": role, "content": "\n".join(text for _role, text in together)}
        for role, together in groupby(said, key=lambda one: one[0])
    ]


def _turn(row: Row[Any], lines: list[ReplyLine]) -> Turn:
    return Turn(
        id=row.id,
        session=row.session,
        number=row.number,
        text=row.text,
        at=row.at,
        emotion=row.emotion,
        scene=row.scene,
        status=row.status,
        trouble=row.trouble,
        chosen=row.chosen,
        replies=tuple(lines),
        origin=origin_from(row.origin),
    )
