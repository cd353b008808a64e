"""An answer to an instance with exactly these entries, written as any reply is written here."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from graphs.chat_model import ChatModel, ModelError, Sampling
from graphs.given import build_given
from graphs.state import Context, State, Stop
from memory_banks.bank import Recall
from memory_banks.entries import Entry, Scope
from personas import expanded
from sandbox.instances import Instance, PoolEntry


@dataclass(frozen=True, slots=True)
class Written:
    """An answer."""

    text: str
    prompts: dict[str, str]
    """sha256 of each prompt file, by name."""


class NoRoomForEvidence(ModelError):
    """The model cannot read all that was to be shown to it."""


class _NoBank:
    """A bank that holds nothing: what is shown is given."""

    revision = 0

    def count(self) -> int:
        return 0

    def entries(self) -> list[Entry]:
        return []

    def recall(self, query: str, n: int) -> Recall:
        return Recall(query, (), "listed")


def write(
    instance: Instance,
    keys: Collection[str],
    model: ChatModel,
    seed: int,
    now: datetime,
    stop: Stop,
) -> Written:
    """The answer of the character, shown the entries with these keys in the order of `listed()`.

    Nothing that tells a role, a reason or a reference is part of the prompt.

    Raises:
        NoRoomForEvidence: if an entry had no room in the prompt.
        ModelError: with a sentence for people; also where it was stopped before its first word.
    """
    shown = [_entry(one) for one in instance.listed() if one.key in keys]
    moment = datetime.fromisoformat(instance.time) if instance.time else now
    context = Context(
        persona=expanded(instance.persona, instance.human.name, seed=instance.id),
        speaker=instance.human.name,
        bank=_NoBank(),
        model=model,
        now=moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo),
        sampling=Sampling(seed=seed),
        seed=seed,
        emotion=instance.emotion,
        scene=instance.scene,
        stop=stop,
    )
    start: State = {
        "history": [{"role": said.role, "content": said.text} for said in instance.history],
        "query": instance.query,
        "injected": shown,
    }
    final = build_given().invoke(start, context=context)
    if len(final["injected"]) < len(shown):
        raise NoRoomForEvidence(
            f"Model {model.name!r} has no room for all of the {len(shown)} memories that are "
            "needed: choose one with a larger context."
        )
    return Written(str(final["reply"]), dict(final["prompts"]))


def _entry(one: PoolEntry) -> Entry:
    scope = Scope("check", "check", "" if one.side == "user" else "check")
    return Entry(
        one.key, scope, one.type or "episodic", one.text, one.anchor, one.emotion, one.scene
    )
