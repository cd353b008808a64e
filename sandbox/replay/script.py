"""A dialogue as a list of stops: what is said on the way to each, and where a session stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from sandbox.collected import Collection
from sandbox.instances import Instance, Said
from sandbox.transcripts import ReplyLine, Transcript, Turn


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the person says, and what the file has the character answer."""

    user: str
    reply: str


@dataclass(frozen=True, slots=True)
class Stop:
    """A test turn of a dialogue: the model answers here."""

    number: int
    """From 1."""
    instance: Instance
    between: tuple[Exchange, ...]
    """What is said after the answer to the stop before, in the file's words."""
    query: str
    """What the person says, with what they said unanswered right before it."""
    gold: str | None
    """The file's reply; null where it tells none. Hidden until it is asked for."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a replay stands."""

    stops: tuple[Stop, ...]
    turns: tuple[Turn, ...]
    """The talk's turns, those of stops and those between them."""

    @property
    def turn(self) -> Turn | None:
        """The turn of the stop that was reached last; None before the first."""
        reached = (one for one in reversed(self.turns) if _number(one))
        return next(reached, None)

    @property
    def number(self) -> int:
        """Number of the stop that was reached last; 0 before the first."""
        return _number(self.turn) if self.turn else 0

    @property
    def stop(self) -> Stop | None:
        """The stop that was reached last; None before the first."""
        return self.stops[self.number - 1] if self.number else None

    @property
    def next(self) -> Stop | None:
        """The stop that comes next; None behind the last."""
        return self.stops[self.number] if self.number < len(self.stops) else None

    def turn_of(self, number: int) -> Turn | None:
        """The turn of a stop, where the talk has come to it."""
        return next((one for one in self.turns if _number(one) == number), None)


def script_of(collection: Collection, instance: Instance) -> tuple[Stop, ...]:
    """The stops from `instance` on to the end of its dialogue; one for an instance by itself.

    Instances of one dialogue whose talk does not go on from each other, such as the questions about
    an episode, are no script: each is one by itself.
    """
    named = [one for one in collection.instances if one.dialogue == instance.dialogue]
    place = named.index(instance)
    found = [instance]
    for one in named[place + 1 :] if instance.dialogue else []:
        if not _goes_on(found[-1], one):
            break
        found.append(one)
    return tuple(_stop(number, found) for number in range(1, len(found) + 1))


def place_of(stops: Sequence[Stop], whole: Transcript) -> Place:
    """Where the talk stands in the script."""
    return Place(tuple(stops), whole.turns)


def of_model(turn: Turn) -> ReplyLine | None:
    """The latest reply that was made here and not by the file: by the model, or by hand."""
    return next((line for line in reversed(turn.replies) if line.author != "file"), None)


def of_file(turn: Turn) -> ReplyLine | None:
    """The file's reply, where it stands in the talk."""
    return next((line for line in turn.replies if line.author == "file"), None)


def _number(turn: Turn) -> int:
    """Number of the stop that a turn is; 0 for what is said between stops."""
    return turn.origin.stop or 0 if turn.origin and turn.origin.kind == "stop" else 0


def _goes_on(one: Instance, later: Instance) -> bool:
    """Whether the later talk begins with the earlier one, of the same people and memories."""
    asked, length = later.history[len(one.history) :], len(one.history)
    return (
        later.history[:length] == one.history
        and bool(asked)
        and asked[0].text == one.query
        and (later.pool, later.persona, later.human) == (one.pool, one.persona, one.human)
    )


def _stop(number: int, instances: Sequence[Instance]) -> Stop:
    instance = instances[number - 1]
    between: tuple[Exchange, ...] = ()
    waiting = ""
    if number > 1:
        between, waiting = _between(instances[number - 2], instance)
    gold = instance.reply
    if number < len(instances):
        gold = _answered(instance, instances[number]) or gold
    query = f"{waiting}\n{instance.query}" if waiting else instance.query
    return Stop(number, instance, between, query, gold)


def _after(one: Instance, later: Instance) -> list[Said]:
    """What the later history holds behind the earlier query."""
    return list(later.history[len(one.history) + 1 :])


def _answered(one: Instance, later: Instance) -> str:
    """What the character says to the earlier query before the person speaks; empty for nothing."""
    said = _after(one, later)
    if said and said[0].role == "user" and said[0].text == one.reply:
        return said[0].text  # In some dialogues the test turn is the person's own utterance.
    texts: list[str] = []
    for utterance in said:
        if utterance.role != "assistant":
            break
        texts.append(utterance.text)
    return "\n".join(texts)


def _between(one: Instance, later: Instance) -> tuple[tuple[Exchange, ...], str]:
    """The exchanges behind the earlier answer, and what the person says last without an answer."""
    said = _after(one, later)
    if said and said[0].text == one.reply:
        said = said[1:]
    while said and said[0].role == "assistant":
        said = said[1:]
    groups = [
        "\n".join(utterance.text for utterance in together)
        for _role, together in groupby(said, key=lambda one: one.role)
    ]
    pairs = tuple(Exchange(*pair) for pair in zip(groups[::2], groups[1::2], strict=False))
    return pairs, groups[-1] if len(groups) % 2 else ""
