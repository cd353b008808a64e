"""What would the character have said without this memory? Everything else stays as it was."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random

from graphs.chat_model import ModelError
from graphs.state import Stop
from memory_banks.entries import Entry
from sandbox.clock import iso
from sandbox.evaluation.cases import Judgeable
from sandbox.evaluation.evaluating import Evaluating
from sandbox.evaluation.experiments import (
    Causal,
    Effect,
    Experiment,
    Found,
    Sample,
    Samples,
    add_experiment,
    experiments_of,
)
from sandbox.evaluation.fixed import Fixed, Switch, fixed
from sandbox.evaluation.judges import Asked, GetJudge
from sandbox.inputs import BadInput
from sandbox.judges.verdict import JudgeError, Verdict
from sandbox.lifecycle.meanwhile import must_be_current
from sandbox.record import Record
from sandbox.reply_traces import find_reply
from sandbox.replying import Replier

MOST_SAMPLES = 10
ORDERS = 2
"""Other orders of the same entries that the noise of the causal table is measured over."""


@dataclass(frozen=True, slots=True)
class Step:
    """Where an experiment is."""

    done: int
    of: int
    writing: str
    """What is being written or scored, in a few words."""
    experiment: Experiment | None = None
    """Stored, at the last step."""


class Switchboard:
    """Experiments on the replies of every account, which every method takes first."""

    def __init__(
        self,
        record: Record,
        replier: Replier,
        evaluating: Evaluating,
        get_judge: GetJudge,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._record = record
        self._replier = replier
        self._evaluating = evaluating
        self._get_judge = get_judge
        self._clock = clock
        self._new_id = new_id

    def of(self, account: str, reply_id: str) -> list[Experiment]:
        """The experiments on a reply, oldest first.

        Raises:
            UnknownReply: if the account has no such reply.
        """
        with self._record.read() as conn:
            find_reply(conn, account, reply_id)
            return experiments_of(conn, reply_id)

    def sample(
        self,
        account: str,
        reply_id: str,
        switches: Sequence[Switch],
        *,
        memory: bool = True,
        samples: int = 3,
        judge: str | None = "local",
        stop: Stop | None = None,
    ) -> Iterator[Step]:
        """Write the reply `samples` times as it was and as often switched; the last step stores it.

        Sample i has the seed of the reply plus i on both sides. Stopping keeps the whole samples.

        Raises:
            BadInput: if nothing is switched, a switch cannot be, or the number cannot be taken.
            UnknownReply, ModelNotReady, UnknownModel: and nothing is stored.
        """
        if not 1 <= samples <= MOST_SAMPLES:
            raise BadInput(f"The number of samples must be 1 to {MOST_SAMPLES}, got {samples}.")
        if memory and not switches:
            raise BadInput("Nothing is switched: turn an entry off, edit one, or turn memory off.")
        stop = stop or Stop()
        reply, base = self._fixed(account, reply_id, stop)
        after = base.switched(switches, memory=memory)
        found = Samples(
            kind="samples",
            switches=tuple(switches),
            memory=memory,
            wanted=samples,
            samples=(),
            model=base.context.model.name,
            judge=judge,
            shown=tuple(entry.id for entry in base.shown),
            same_prompt=base.same_prompt,
            repeats=None,
        )
        for number in range(samples):
            yield Step(number, samples, f"sample {number + 1} of {samples}")
            try:
                one = self._sample(base, after, number, reply, judge, stop)
            except ModelError as error:
                found = replace(found, trouble=str(error))
            if found.trouble or stop.is_set():
                break
            found = replace(
                found, samples=(*found.samples, one), repeats=_repeats(reply, one, found)
            )
        yield self._kept(account, reply, found, len(found.samples), samples)

    def causal(self, account: str, reply_id: str, stop: Stop | None = None) -> Iterator[Step]:
        """How much each shown entry adds to the probability of the reply, and the noise floor.

        Raises:
            BadInput: if no entry is shown, or the model does not tell probabilities.
            UnknownReply, ModelNotReady, UnknownModel, ModelError: and nothing is stored.
        """
        stop = stop or Stop()
        reply, base = self._fixed(account, reply_id, stop)
        if not base.shown:
            raise BadInput("The prompt shows no entry: there is nothing to leave out.")
        orders = [_shuffled(base.shown, base.seed + one) for one in range(ORDERS)]
        without = [[one for one in base.shown if one.id != gone.id] for gone in base.shown]
        prompts = [list(base.shown), list(base.shown), *orders, *without]
        scores: list[tuple[float, ...]] = []
        for number, entries in enumerate(prompts):
            yield Step(number, len(prompts), f"prompt {number + 1} of {len(prompts)}")
            if stop.is_set():
                return
            scores.append(_scored(base, entries, reply.reply.line.text))
        yield self._kept(account, reply, _causal(base, scores), len(prompts), len(prompts))

    def _fixed(self, account: str, reply_id: str, stop: Stop) -> tuple[Judgeable, Fixed]:
        reply = self._evaluating.reply(account, reply_id)
        with self._record.read() as conn:
            return reply, fixed(conn, self._replier, reply, stop)

    def _sample(
        self,
        base: Fixed,
        after: Sequence[Entry],
        number: int,
        reply: Judgeable,
        judge: str | None,
        stop: Stop,
    ) -> Sample:
        seed = base.seed + number
        texts = [base.write(shown, seed) for shown in (base.shown, after)]
        verdicts = [
            self._judged(reply, text, shown, judge) if not stop.is_set() else None
            for text, shown in zip(texts, (base.shown, after), strict=True)
        ]
        return Sample(seed, texts[0], texts[1], verdicts[0], verdicts[1])

    def _judged(
        self, reply: Judgeable, text: str, shown: Sequence[Entry], judge: str | None
    ) -> Verdict | None:
        """The verdict on a sample; an entry that was edited is judged by its new text."""
        if judge is None:
            return None
        texts = {entry.id: entry.text for entry in shown}
        pool = tuple(replace(item, text=texts.get(item.id, item.text)) for item in reply.case.pool)
        with suppress(JudgeError):
            case = replace(reply.case, reply=text, pool=pool)
            return self._get_judge(judge, reply, Asked(aspects=()))(case)
        return None

    def _kept(self, account: str, reply: Judgeable, found: Found, done: int, of: int) -> Step:
        reply_id = reply.reply.line.id
        experiment = Experiment(self._new_id(), reply_id, found, iso(self._clock()))
        with self._record.write("judged") as conn:
            find_reply(conn, account, reply_id)
            must_be_current(conn, account, reply.forgettings)
            add_experiment(conn, experiment)
        return Step(done, of, "done", experiment)


def _repeats(reply: Judgeable, one: Sample, found: Samples) -> bool | None:
    """Whether the first sample is the recorded reply again; null for one written by hand."""
    if found.samples:
        return found.repeats
    return one.before == reply.reply.line.text if reply.reply.messages else None


def _scored(base: Fixed, entries: Sequence[Entry], text: str) -> tuple[float, ...]:
    scores = base.context.model.log_probabilities(base.messages(entries), text)
    if scores is None:
        raise BadInput(
            f"Model {base.context.model.name!r} does not tell how probable a reply is: take the "
            "embedded one, a llama.cpp server (llama_cpp = true in models.toml), or write samples."
        )
    return scores


def _causal(base: Fixed, scores: Sequence[tuple[float, ...]]) -> Causal:
    whole, *same = (sum(one) for one in scores[: 2 + ORDERS])
    drops = [whole - sum(one) for one in scores[2 + ORDERS :]]
    tokens = len(scores[0])
    return Causal(
        kind="causal",
        model=base.context.model.name,
        tokens=tokens,
        log_probability=whole,
        effects=tuple(
            Effect(entry.id, drop, drop / tokens)
            for entry, drop in zip(base.shown, drops, strict=True)
        ),
        noise=max(abs(whole - one) for one in same),
        orders=ORDERS,
        same_prompt=base.same_prompt,
    )


def _shuffled(entries: Sequence[Entry], seed: int) -> list[Entry]:
    order = list(entries)
    Random(f"order {seed}").shuffle(order)
    return order
