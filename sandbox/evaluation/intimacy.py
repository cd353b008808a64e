"""Which reply feels closer: with memory beside without, and the best of siblings. Never a score."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from threading import Event

from graphs.chat_model import ChatModel
from graphs.state import Stop
from sandbox.clock import iso
from sandbox.evaluation.blind import PERSON, WITHOUT, blind_choices
from sandbox.evaluation.cases import Judgeable
from sandbox.evaluation.evaluating import Evaluating
from sandbox.evaluation.experiments import (
    BestOf,
    Compared,
    Experiment,
    Found,
    add_experiment,
    experiments_of,
)
from sandbox.evaluation.fixed import fixed
from sandbox.evaluation.judges import LOCAL, Asked, GetJudge
from sandbox.inputs import BadInput
from sandbox.judges.llm.intimacy import Candidate, Picked, Vote, compare, pick_best
from sandbox.judges.verdict import Call
from sandbox.lifecycle.meanwhile import must_be_current
from sandbox.opening import Instances
from sandbox.record import Record
from sandbox.reply_traces import find_reply
from sandbox.replying import Replier

GetModel = Callable[[str | None], ChatModel]
REFERENCE = "reference:"
"""How the ids of candidates begin that came with the instance."""


class Intimacy:
    """Blind comparisons on the replies of every account, which every method takes first."""

    def __init__(
        self,
        record: Record,
        replier: Replier,
        evaluating: Evaluating,
        instances: Instances,
        get_judge: GetJudge,
        get_model: GetModel,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        new_seed: Callable[[], int],
    ) -> None:
        self._record = record
        self._replier = replier
        self._evaluating = evaluating
        self._instances = instances
        self._get_judge = get_judge
        self._get_model = get_model
        self._clock = clock
        self._new_id = new_id
        self._new_seed = new_seed

    def beside_no_memory(
        self, account: str, reply_id: str, voter: str, stop: Event | None = None
    ) -> Experiment:
        """Write the reply once more without memory, same seed, and ask which feels closer.

        The model `voter` is asked twice, in swapped order, and sees neither the pool nor which
        reply is which.

        Raises:
            UnknownReply, ModelNotReady, UnknownModel, ModelError: and nothing is stored.
            JudgeStopped: if `stop` is set before it is done.
        """
        reply = self._evaluating.reply(account, reply_id)
        model = self._get_model(voter)
        with self._record.read() as conn:
            base = fixed(conn, self._replier, reply, Stop())
        without = base.write([], base.seed)
        comparison = compare(reply.case, reply.case.reply, without, model, stop)
        found = Compared("compared", without, base.seed, model.name, comparison, base.same_prompt)
        return self._kept(account, reply, found)

    def best_of(
        self,
        account: str,
        reply_id: str,
        voters: Sequence[str],
        references: Sequence[str] = (),
        stop: Event | None = None,
    ) -> Experiment:
        """Which of the turn's replies, and of the instance's `references` by name, is the best.

        Each voter sees an order of its own, by a recorded seed.

        Raises:
            BadInput: with fewer than two replies, no voter, or a reference that is not there.
            UnknownReply, ModelNotReady, UnknownModel: and nothing is stored.
            JudgeStopped: if `stop` is set before it is done.
        """
        reply = self._evaluating.reply(account, reply_id)
        candidates = [*self._siblings(account, reply), *self._references(reply, references)]
        if len(candidates) < 2:
            raise BadInput("There is one reply only: regenerate, write one, or add a reference.")
        if not voters:
            raise BadInput("Choose at least one model that votes.")
        models = [self._get_model(name) for name in dict.fromkeys(voters)]
        picked = pick_best(reply.case, candidates, models, self._new_seed(), stop)
        return self._kept(account, reply, BestOf("best", tuple(candidates), picked))

    def by_hand(self, account: str, reply_id: str, choice: str) -> Experiment:
        """What a person chose blind, of the turn's replies and the one written without memory.

        Raises:
            BadInput: if it is none of these, or there is nothing to choose between.
            UnknownReply: and nothing is stored.
        """
        reply = self._evaluating.reply(account, reply_id)
        with self._record.read() as conn:
            shown = blind_choices(reply.turn, experiments_of(conn, reply_id))
        order = tuple(one for one, _text in shown)
        if len(order) < 2 or choice not in order:
            raise BadInput("That is none of the replies to choose between: reload the page.")
        candidates = list(self._siblings(account, reply))
        candidates += [Candidate(one, text, False) for one, text in shown if one == WITHOUT]
        uses = {one.id: one.has_memory for one in candidates}
        call = Call("pick by hand", "", "", 0.0)
        vote = Vote(PERSON, order, choice, "Chosen blind.", call)
        counts = {one: int(one == choice) for one in order}
        picked = Picked((choice,), counts, float(uses[choice]), (vote,), 0)
        return self._kept(account, reply, BestOf("best", tuple(candidates), picked))

    def _siblings(self, account: str, reply: Judgeable) -> Iterator[Candidate]:
        for line in reply.turn.replies:
            sibling = self._evaluating.reply(account, line.id)
            yield Candidate(line.id, line.text, self._uses_memory(sibling))

    def _uses_memory(self, reply: Judgeable) -> bool:
        """By the local judge: an unsure entry as it leans."""
        judge = self._get_judge(LOCAL, reply, Asked(aspects=()))
        return any(one.guess for one in judge(reply.case).entries)

    def _references(self, reply: Judgeable, names: Sequence[str]) -> Iterator[Candidate]:
        instance = self._instances.of(reply.session)
        given = {one.name: one for one in instance.replies} if instance else {}
        for name in names:
            if name not in given:
                raise BadInput(f"This reply's instance has no reference reply {name[:60]!r}.")
            yield Candidate(f"{REFERENCE}{name}", given[name].text, bool(given[name].used))

    def _kept(self, account: str, reply: Judgeable, found: Found) -> Experiment:
        reply_id = reply.reply.line.id
        experiment = Experiment(self._new_id(), reply_id, found, iso(self._clock()))
        with self._record.write("judged") as conn:
            find_reply(conn, account, reply_id)
            must_be_current(conn, account, reply.forgettings)
            add_experiment(conn, experiment)
        return experiment
