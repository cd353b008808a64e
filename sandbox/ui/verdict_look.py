"""What is known of the inspected reply's use of memory, with what the views need to name it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from memory_banks.entries import State
from sandbox.assemble import Sandbox
from sandbox.evaluation.evaluating import Evaluation, Judged
from sandbox.evaluation.experiments import Experiment
from sandbox.evaluation.judges import FILE, Asked, asked_aspects
from sandbox.evaluation.roles import RoleTag
from sandbox.instances import Instance, Role
from sandbox.judges.case import PoolItem
from sandbox.judges.verdict import Aspect, EntryVerdict
from sandbox.ui.verdict_trust import measured


@dataclass(frozen=True)
class Assessed:
    """A reply's evaluation, as one screen shows it."""

    evaluation: Evaluation
    judges: tuple[str, ...] = ()
    """Names of those who can be asked about this reply."""
    trust: Mapping[str, str] = field(default_factory=dict)
    """How far a judge is measured, in words, by its name."""
    missing: tuple[tuple[str, str], ...] = ()
    """Entries of the bank that are not in the pool, as (shown, id)."""
    experiments: tuple[Experiment, ...] = ()
    references: tuple[str, ...] = ()
    """Names of the reference replies that the reply's instance came with."""
    disputed: Mapping[str, str] = field(default_factory=dict)
    """What somebody disputes of the file's labels, in words, by entry."""
    covered: bool = False
    """Whether the gold is hidden: no role of the file is told, no entry listed for being gold."""

    @property
    def reply(self) -> str:
        """Id of the reply."""
        return self.evaluation.reply.reply.line.id

    @property
    def judged(self) -> tuple[Judged, ...]:
        """Every judge's latest verdict, in order of its first one."""
        return self.evaluation.judged

    @property
    def roles(self) -> Mapping[str, RoleTag]:
        """By entry; without the file's while they are hidden."""
        roles = self.evaluation.roles
        if not self.covered:
            return roles
        return {one: tag for one, tag in roles.items() if tag.source != "gold"}

    @property
    def default(self) -> str:
        """The judge that is offered first: the file's verdict where there is one."""
        names = self.judges or ("",)
        return FILE if FILE in names else names[0]

    @property
    def aspects(self) -> tuple[Aspect, ...]:
        """Those that are judged by default, by the scene of the talk."""
        return asked_aspects(self.evaluation.reply.case, Asked())

    @cached_property
    def items(self) -> tuple[PoolItem, ...]:
        """The pool: what the prompt showed in its order, then the rest; without hidden gold."""
        reply = self.evaluation.reply
        hidden = reply.unrecalled if self.covered else frozenset()
        held = {item.id: item for item in reply.case.pool if item.id not in hidden}
        order = [*(one for one in reply.reply.injected if one in held), *held]
        return tuple(held[one] for one in dict.fromkeys(order))

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """A short name of each entry of the pool: its key in the file, else its place."""
        keys = self.evaluation.reply.keys
        return {item.id: keys.get(item.id, str(n)) for n, item in enumerate(self.items, 1)}

    def label(self, entry: str) -> str:
        """The entry's short name; its id where it is not in the pool any more."""
        return self.labels.get(entry, entry)

    def role(self, entry: str) -> Role | None:
        """The entry's role; null where nobody gives one."""
        tag = self.roles.get(entry)
        return tag.role if tag else None

    def front(self, judge: str) -> Judged | None:
        """The verdict that the bubble and the funnel show: that judge's, else the latest."""
        if not self.judged:
            return None
        named = [one for one in self.judged if one.kept.verdict.judge == judge]
        return named[0] if named else max(reversed(self.judged), key=_when)

    def named(self, text: str) -> str:
        """`text` with the entries' ids told by their labels."""
        for entry, label in self.labels.items():
            text = text.replace(entry, label)
        return text


def _when(judged: Judged) -> str:
    return judged.kept.created_at


def given(judged: Judged, entry: str) -> EntryVerdict | None:
    """What the verdict says of an entry; null where it was given before the entry came in."""
    if entry not in {one.entry for one in judged.kept.verdict.entries}:
        return None
    return judged.verdict.of(entry)


def assess(sandbox: Sandbox, account: str, reply_id: str, states: Sequence[State] = ()) -> Assessed:
    """Everything about a reply's use of memory; `states` is its whole bank.

    Raises:
        UnknownReply: if the account has no such reply.
    """
    evaluation = sandbox.evaluating.evaluation(account, reply_id)
    judges = tuple(sandbox.judges.names(evaluation.reply))
    instance = sandbox.instances.of(evaluation.reply.session)
    covered = sandbox.revealing.covers(evaluation.reply.session, evaluation.reply.turn)
    names = dict.fromkeys([*judges, *(one.kept.verdict.judge for one in evaluation.judged)])
    return Assessed(
        evaluation=evaluation,
        judges=judges,
        trust={name: measured(name, evaluation.reply.case.language) for name in names},
        missing=_missing(evaluation, states),
        experiments=tuple(sandbox.switchboard.of(account, reply_id)),
        references=tuple(one.name for one in instance.replies) if instance else (),
        disputed={} if covered else _disputed(sandbox, account, evaluation, instance),
        covered=covered,
    )


def _disputed(
    sandbox: Sandbox, account: str, evaluation: Evaluation, instance: Instance | None
) -> Mapping[str, str]:
    of = evaluation.reply.session.instance
    if of is None or instance is None:
        return {}
    collection = sandbox.instances.collection(account, of.sha256)
    held = sandbox.workshop.disputes.by_instance(account, collection).get(instance.id, [])
    told = {one.entry: f"{one.was} → {one.wanted}: {one.reason} ({one.author})" for one in held}
    return {id_: told[key] for id_, key in evaluation.reply.keys.items() if key in told}


def _missing(evaluation: Evaluation, states: Sequence[State]) -> tuple[tuple[str, str], ...]:
    """What the bank held live when the reply was written, and the pool does not have."""
    reply = evaluation.reply
    pool, then = {item.id for item in reply.case.pool}, reply.reply.revision
    return tuple(
        (one.entry.text, one.entry.id)
        for one in states
        if one.entry.id not in pool
        and one.added <= then
        and (one.deleted is None or one.deleted > then)
    )
