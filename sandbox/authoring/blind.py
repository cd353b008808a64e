"""What a second annotator may see: the instance without anybody's word on what is gold."""

from dataclasses import dataclass, replace
from random import Random

from memory_banks.entries import Scene, digest
from personas.persona import Persona
from sandbox.authoring.authored import Authored, Kind
from sandbox.episodes import Episode, EpisodeQuestion
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
    talk: Episode | None = None
    """Of an episode: what was said, and what is asked, without memories, answers and supports."""


def blind(authored: Authored) -> BlindView:
    """The instance as a second annotator sees it."""
    episode = authored.kind == "episode"
    pool = [one.held for one in authored.pool]
    Random(digest("blind order", authored.id)).shuffle(pool)
    return BlindView(
        id=authored.id,
        kind=authored.kind,
        title=authored.title,
        persona=authored.persona,
        human=authored.human,
        history=() if episode else authored.history,
        query="" if episode else authored.query,
        time=authored.time,
        emotion=None if episode else authored.emotion,
        scene=None if episode else authored.scene,
        pool=() if episode else tuple(pool),
        talk=bare_talk(authored.talk) if episode and authored.talk else None,
    )


def bare_talk(talk: Episode) -> Episode:
    """What was said and what is asked, without anybody's word on what is gold."""
    return replace(
        talk,
        sessions=tuple(replace(one, gold=None) for one in talk.sessions),
        questions=tuple(
            EpisodeQuestion(one.id, one.text, None, one.unit, at=one.at) for one in talk.questions
        ),
        notes=(),
    )
