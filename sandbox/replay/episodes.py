"""An episode replayed: its sessions held in the file's words, remembered by a model, asked about.

Each replay has a user of its own, so that the bank is what this method and model make of it. The
sessions stay on record as ordinary ones. Every utterance of the file stays one: where somebody
speaks twice running, or the character first, the other side is silent in that turn, and its text
empty.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection

from graphs.chat_model import ChatModel
from graphs.methods import MethodName
from memory_banks import ledger
from memory_banks.entries import Dyad, digest
from memory_banks.ledger import User
from sandbox.characters import Characters
from sandbox.clock import iso, parse_time
from sandbox.conversation import Conversation, TurnFailed
from sandbox.episode_produced import Names, produced
from sandbox.episodes import Episode, EpisodeQuestion, EpisodeSession, EpisodeTurn
from sandbox.inputs import BadInput, checked_method, checked_strategy
from sandbox.instances import INSTANCE_USER
from sandbox.lifecycle.remembering import CapturePending, Remembering
from sandbox.metrics.stage_matching import Matching
from sandbox.opening import Instances
from sandbox.record import Record
from sandbox.replay.episode_steps import (
    EpisodeStep,
    QuestionStep,
    SessionStep,
    first_stage,
    session_step,
    supports_of,
)
from sandbox.replay.grading import BY_WORDS, Grade, grader
from sandbox.replay.writing import Writer
from sandbox.sessions import store_session
from sandbox.transcripts import Session


@dataclass(frozen=True, slots=True)
class How:
    """What remembers and answers, and who grades."""

    method: MethodName = "typed"
    strategy: str = "top_k"
    model: str | None = None
    judge: str = BY_WORDS
    """Who grades the answers: `words`, or `llm:NAME`."""


@dataclass(slots=True)
class _Walk:
    """One replay on its way."""

    account: str
    episode: Episode
    user: str
    how: How
    turns: dict[str, str] = field(default_factory=dict)
    """The episode's turns by the ids of the utterances that they became."""
    sessions: dict[str, str] = field(default_factory=dict)
    """The episode's sessions by their ids on record."""

    @property
    def dyad(self) -> Dyad:
        """Whose bank it builds."""
        return Dyad(self.account, self.user, self.episode.persona.id)


class EpisodeReplays:
    """The episodes of every account, which every method takes first."""

    def __init__(
        self,
        record: Record,
        instances: Instances,
        characters: Characters,
        conversation: Conversation,
        remembering: Remembering,
        matching: Callable[[], Matching],
        get_model: Callable[[str | None], ChatModel],
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._record = record
        self._instances = instances
        self._characters = characters
        self._conversation = conversation
        self._remembering = remembering
        self._matching = matching
        self._get_model = get_model
        self._clock = clock
        self._new_id = new_id

    def steps(self, account: str, sha256: str, episode_id: str, how: How) -> Iterator[EpisodeStep]:
        """Go through an episode: each session, then each question; stop whenever you like.

        What is proposed is approved, but for what is doubtful.

        Raises:
            BadInput: if there is no such collection, episode, method, strategy or judge.
        """
        checked_method(how.method)
        checked_strategy(how.strategy)
        grade = grader(how.judge, self._get_model)
        episode = self._episode(account, sha256, episode_id)
        user = INSTANCE_USER + digest("episode", sha256, episode.id, self._new_id())
        walk = _Walk(account, episode, user, how)
        for number in range(len(episode.sessions)):
            yield self._session(walk, number)
        for number, question in enumerate(episode.questions, start=1):
            yield self._question(walk, number, question, grade)

    def _episode(self, account: str, sha256: str, episode_id: str) -> Episode:
        collection = self._instances.collection(account, sha256)
        for one in collection.episodes:
            if one.id == episode_id:
                return one
        known = ", ".join(one.id for one in collection.episodes[:5]) or "none"
        raise BadInput(f"{collection.name} has no episode {episode_id!r}; it has {known}.")

    def _session(self, walk: _Walk, number: int) -> SessionStep:
        held = walk.episode.sessions[number]
        session, trouble = self._hold(walk, held), None
        try:
            ended = self._remembering.end(walk.account, session, "all", walk.how.model)
        except CapturePending as error:
            ended, trouble = self._remembering.outcome(walk.account, session), str(error)
        made = produced(ended, self._names(walk), done=True)
        return session_step(walk.episode, number, session, made, self._matching(), trouble)

    def _hold(self, walk: _Walk, held: EpisodeSession) -> str:
        """Put a session on record in the file's words; its id."""
        session = self._opened(walk, held.at)
        walk.sessions[session.id] = held.id
        with self._record.write("T1") as conn:
            self._store(conn, walk, session)
            writer = Writer(conn, session, self._revision(conn, walk), self._clock(), self._new_id)
            for asked, answered in _exchanges(held.turns):
                turn = writer.say(asked.text if asked else "", answered.text if answered else "")
                told = {turn: asked, f"{turn}.1": answered}
                walk.turns |= {name: one.id for name, one in told.items() if one}
        return session.id

    def _question(
        self, walk: _Walk, number: int, question: EpisodeQuestion, grade: Grade
    ) -> QuestionStep:
        last = walk.episode.sessions[-1].at if walk.episode.sessions else None
        session = self._opened(walk, question.at or last)
        with self._record.write("T1") as conn:
            self._store(conn, walk, session)
        answer: str | None = None
        injected: tuple[str, ...] = ()
        trouble: str | None = None
        try:
            reply = self._conversation.ask(walk.account, session.id, question.text)
            answer, injected = reply.line.text, reply.injected
        except TurnFailed as error:
            trouble = str(error)
        with self._record.read() as conn:
            states = ledger.states(conn, walk.dyad)
        texts = {state.entry.id: state.entry.text for state in states}
        shown = tuple(texts[one] for one in injected if one in texts)
        supports = supports_of(
            walk.episode,
            question,
            states,
            injected,
            self._names(walk),
            walk.sessions,
            self._matching(),
        )
        graded = None if answer is None else grade(question, answer, shown)
        return QuestionStep(
            number=number,
            id=question.id,
            session=session.id,
            text=question.text,
            supports=supports,
            shown=shown,
            gold=question.answer,
            model=answer,
            graded=graded,
            differs=first_stage(supports, graded.correct if graded else None),
            trouble=trouble,
        )

    def _opened(self, walk: _Walk, at: str | None) -> Session:
        episode, how = walk.episode, walk.how
        return Session(
            id=self._new_id(),
            account=walk.account,
            user=walk.user,
            agent=episode.persona.id,
            persona=episode.persona,
            speaker=" ".join(episode.human.name.split()),
            clock=iso(parse_time(at, "time")) if at else None,
            emotion=None,
            scene=None,
            strategy=how.strategy,
            model=how.model,
            continues=None,
            created_at=iso(self._clock()),
            ended_at=None,
            method=how.method,
        )

    def _store(self, conn: Connection, walk: _Walk, session: Session) -> None:
        human = walk.episode.human
        self._characters.keep(conn, walk.account, walk.episode.persona)
        owner = User(walk.account, walk.user, session.speaker, human.profile, 0)
        store_session(conn, session, owner)

    def _revision(self, conn: Connection, walk: _Walk) -> int:
        return ledger.head(conn, walk.account, walk.user)

    def _names(self, walk: _Walk) -> Names:
        with self._record.read() as conn:
            states = ledger.states(conn, walk.dyad)
        return Names(walk.turns, {one.entry.id: one.entry for one in states}, {})


def _exchanges(
    turns: Sequence[EpisodeTurn],
) -> Iterator[tuple[EpisodeTurn | None, EpisodeTurn | None]]:
    """What the person says with the answer, every turn of the file once; null: silent."""
    waiting: EpisodeTurn | None = None
    for turn in turns:
        if turn.role == "assistant":
            yield waiting, turn
        elif waiting:
            yield waiting, None
        waiting = turn if turn.role == "user" else None
    if waiting:
        yield waiting, None
