"""Experiments on one reply, on record: with other memories, and beside other replies."""

from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter
from sqlalchemy import Connection, select

from sandbox.evaluation.fixed import Switch
from sandbox.judges.llm.intimacy import Candidate, Comparison, Picked
from sandbox.judges.verdict import Verdict
from sandbox.numbering import append_numbered
from sandbox.tables import experiments


@dataclass(frozen=True, slots=True)
class Sample:
    """The same seed, with the memories as they were and switched."""

    seed: int
    before: str
    after: str
    before_verdict: Verdict | None
    """Null where no judge was asked, or it could not judge."""
    after_verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class Samples:
    """A reply written again n times, once with the memories as they were and once switched."""

    kind: Literal["samples"]
    switches: tuple[Switch, ...]
    memory: bool
    """False: no entry was shown at all."""
    wanted: int
    """How many samples were asked for; a stopped experiment has fewer."""
    samples: tuple[Sample, ...]
    model: str
    judge: str | None
    shown: tuple[str, ...]
    """Ids of the entries of the unswitched prompt, in order: the same in every sample."""
    same_prompt: bool
    """Whether the unswitched prompt is the recorded one, letter by letter."""
    repeats: bool | None
    """Whether the first sample with the memories as they were is the recorded reply again; null
    where a person wrote that."""
    trouble: str | None = None
    """Why it ended early, as a sentence."""

    @property
    def switched_share(self) -> float | None:
        """Share of the samples, 0..1, in which the reply's text changed; null without samples."""
        if not self.samples:
            return None
        return sum(one.before != one.after for one in self.samples) / len(self.samples)


@dataclass(frozen=True, slots=True)
class Effect:
    """What an entry adds to the probability of the reply."""

    entry: str
    drop: float
    """log p(reply | all entries) - log p(reply | all but this one), in nats; positive: the entry
    makes the reply more probable."""
    per_token: float
    """The drop by token of the reply, in nats."""


@dataclass(frozen=True, slots=True)
class Causal:
    """The causal table of a reply: leave one entry out, score the same reply."""

    kind: Literal["causal"]
    model: str
    tokens: int
    log_probability: float
    """Of the whole reply with every entry shown, in nats."""
    effects: tuple[Effect, ...]
    """In the order of the prompt."""
    noise: float
    """The largest change of the log-probability, in nats, over prompts that say the same: once
    more as it was, and with the entries in other orders."""
    orders: int
    """How many other orders the noise was measured over."""
    same_prompt: bool
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """A reply beside the one written without memory: which feels closer (MADial, intimacy)."""

    kind: Literal["compared"]
    without: str
    """The reply with the same seed and no entry shown."""
    seed: int
    voter: str
    """Name of the model that was asked."""
    comparison: Comparison
    same_prompt: bool
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class BestOf:
    """The best of several replies to the same words, by several voters (MADial, intimacy)."""

    kind: Literal["best"]
    candidates: tuple[Candidate, ...]
    picked: Picked
    trouble: str | None = None


Found = Samples | Causal | Compared | BestOf
_FOUND: TypeAdapter[Found] = TypeAdapter(Found)


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment on record."""

    id: str
    reply: str
    found: Found
    created_at: str


def add_experiment(conn: Connection, experiment: Experiment) -> None:
    """Store an experiment behind the reply's others."""
    append_numbered(
        conn,
        experiments,
        id=experiment.id,
        reply=experiment.reply,
        kind=experiment.found.kind,
        json=_FOUND.dump_json(experiment.found).decode(),
        created_at=experiment.created_at,
    )


def experiments_of(conn: Connection, reply: str) -> list[Experiment]:
    """Every experiment on a reply, oldest first."""
    query = select(experiments).where(experiments.c.reply == reply)
    rows = conn.execute(query.order_by(experiments.c.number))
    return [Experiment(r.id, r.reply, _FOUND.validate_json(r.json), r.created_at) for r in rows]
