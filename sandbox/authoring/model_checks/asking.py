"""What an authored instance asks a model, and what a good answer needs."""

from collections.abc import Iterator
from dataclasses import dataclass

from sandbox.authoring.authored import Authored
from sandbox.authoring.making import instances_of
from sandbox.episode_instances import question_instances
from sandbox.instances import Instance


@dataclass(frozen=True, slots=True)
class Asking:
    """One thing that is asked."""

    name: str
    """Which turn or question it is; empty where there is one only."""
    instance: Instance
    """Holds gold: what of it reaches a prompt is the character, the talk, the query, the texts."""
    needed: tuple[str, ...]
    """Keys of the pool that a good answer builds on; empty where nobody has said which."""
    gold: str | None = None
    """The reference answer, of a question about an episode."""
    any_of: bool = False
    """Whether one of the needed entries is enough (a dialogue's golden ones)."""
    by_words: bool = False
    """Whether an answer is held against `gold` and nothing else; null there: against nothing."""

    @property
    def scorable(self) -> bool:
        """Whether an answer can be held against something."""
        return self.gold is not None if self.by_words else bool(self.needed)


def askings(authored: Authored) -> tuple[Asking, ...]:
    """What is asked: one thing of a reply, one a tested turn, or one a question of an episode.

    Needed are the must entries, or where there is none the nice ones; the golden ones of a
    dialogue; the supports of a question.
    """
    if authored.kind == "episode":
        return tuple(_questions(authored))
    made = instances_of(authored, proposals=True)
    if authored.kind == "reply":
        return tuple(Asking("", one, _wanted(one)) for one in made)
    names = ["" if len(made) == 1 else f"turn {number}" for number in range(1, len(made) + 1)]
    return tuple(
        Asking(name, one, authored.golden, any_of=True)
        for name, one in zip(names, made, strict=True)
    )


def _questions(authored: Authored) -> Iterator[Asking]:
    talk = authored.talk
    if talk is None:
        return
    for question, one in zip(talk.questions, question_instances(talk), strict=True):
        pool = {entry.key for entry in one.pool}
        needed = tuple(key for key in question.supports if key in pool)
        yield Asking(question.id, one, needed, gold=question.answer, by_words=True)


def _wanted(one: Instance) -> tuple[str, ...]:
    must, nice = one.having("must"), one.having("nice")
    return tuple(entry.key for entry in must or nice)
