"""What a second annotator may see: the instance without anybody's word on what is gold."""

from dataclasses import dataclass
from random import Random

from memory_banks.entries import Scene, digest
from personas.persona import Persona
from sandbox.authoring.authored import Authored, Kind
from sandbox.instances import Human, PoolEntry, Said


@dataclass(frozen=True, slots=True)
class BlindView:
    """An instance without roles, golden entries, reference, key points, authors and history."""

    id: str
    kind: Kind
    title: str
    persona: Persona
    human: Human
    history: tuple[Said, ...]
    query: str
    time: str | None
    emotion: str | None
    scene: Scene | None
    pool: tuple[PoolEntry, ...]
    """In an order that the instance's id alone decides."""


def blind(authored: Authored) -> BlindView:
    """The instance as a second annotator sees it."""
    pool = [one.held for one in authored.pool]
    Random(digest("blind order", authored.id)).shuffle(pool)
    return BlindView(
        id=authored.id,
        kind=authored.kind,
        title=authored.title,
        persona=authored.persona,
        human=authored.human,
        history=authored.history,
        query=authored.query,
        time=authored.time,
        emotion=authored.emotion,
        scene=authored.scene,
        pool=tuple(pool),
    )
