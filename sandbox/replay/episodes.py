"""An episode replayed: its sessions held in the file's words, remembered by a model, asked about.

Each replay has a user of its own, so that the bank is what this method and model make of it. The
sessions stay on record as ordinary ones. What the file has the person say twice running is one
turn, and goes by the first of its turns; what the character says before the person speaks stands
before the session and is not read.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from sqlalchemy import Connection

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
from sandbox.instances import INSTANCE_USER, Said
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
from sandbox.replay.writing import Writer
from sandbox.sessions import store_session
from sandbox.transcripts import Session

Grade = Callable[[EpisodeQuestion, str], bool | None]
"""(question, answer) to whether it says what the reference says; None: not judged."""


def ungraded(_question: EpisodeQuestion, _answer: str) -> bool | None:
    """No judge of answers: what the model says stands beside the reference."""
    return None


@dataclass(frozen=True, slots=True)
class How:
    """What remembers and answers."""

    method: MethodName = "typed"
    strategy: str = "top_k"
    model: str | None = None


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
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._record = record
        self._instances = instances
        self._characters = characters
        self._conversation = conversation
        self._remembering = remembering
        self._matching = matching
        self._clock = clock
        self._new_id = new_id

    def steps(
        self,
        account: str,
        sha256: str,
        episode_id: str,
        how: How,
        grade: Grade = ungraded,
    ) -> Iterator[EpisodeStep]:
        """Go through an episode: each session, then each question; stop whenever you like.

        What is proposed is approved, but for what is doubtful.

        Raises:
            BadInput: if there is no such collection, episode, method or strategy.
        """
        checked_method(how.method)
        checked_strategy(how.strategy)
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
        groups = [list(told) for _role, told in groupby(held.turns, key=lambda one: one.role)]
        before = groups.pop(0) if groups and groups[0][0].role == "assistant" else []
        prelude = tuple(Said("assistant", one.speaker, one.text) for one in before)
        session = self._opened(walk, held.at, prelude)
        walk.sessions[session.id] = held.id
        with self._record.write("T1") as conn:
            self._store(conn, walk, session)
            writer = Writer(conn, session, self._revision(conn, walk), self._clock(), self._new_id)
            for place in range(0, len(groups), 2):
                _exchange(walk, writer, groups[place : place + 2])
        return session.id

    def _question(
        self, walk: _Walk, number: int, question: EpisodeQuestion, grade: Grade
    ) -> QuestionStep:
        last = walk.episode.sessions[-1].at if walk.episode.sessions else None
        session = self._opened(walk, question.at or last, ())
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
        supports = supports_of(
            walk.episode,
            question,
            states,
            injected,
            self._names(walk),
            walk.sessions,
            self._matching(),
        )
        correct = None if answer is None else grade(question, answer)
        return QuestionStep(
            number=number,
            id=question.id,
            session=session.id,
            text=question.text,
            supports=supports,
            shown=tuple(texts[one] for one in injected if one in texts),
            gold=question.answer,
            model=answer,
            differs=first_stage(supports, correct),
            trouble=trouble,
        )

    def _opened(self, walk: _Walk, at: str | None, prelude: tuple[Said, ...]) -> Session:
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
            prelude=prelude,
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


def _exchange(walk: _Walk, writer: Writer, groups: list[list[EpisodeTurn]]) -> None:
    """Place what the person says, and the answer where the file has one."""
    words = ["\n".join(turn.text for turn in group) for group in groups]
    turn = writer.say(words[0], words[1] if len(words) > 1 else None)
    walk.turns[turn] = groups[0][0].id
    if len(groups) > 1:
        walk.turns[f"{turn}.1"] = groups[1][0].id
