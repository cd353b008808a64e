"""A reply to an instance as a judge's case, without a session."""

from personas import expanded
from personas.library import describe
from sandbox.instances import Instance, PoolEntry
from sandbox.judges.case import Case, PoolItem


def case_of(instance: Instance, reply: str, *, failed: bool = False) -> Case:
    """The case of `reply` as an answer to the instance's query; the pool as `listed()` shows it.

    The ids of its pool are the instance's keys. The human's profile is left out: it enters a prompt
    only where a session says so.
    """
    human = instance.human
    persona = expanded(instance.persona, human.name, seed=instance.id)
    said = tuple(one.text for one in instance.history if one.role == "assistant")
    return Case(
        character=instance.persona.name,
        human=human.name,
        persona=describe(persona),
        history=instance.history,
        query=instance.query,
        reply=reply,
        pool=tuple(_item(entry) for entry in instance.listed()),
        language=instance.language,
        now=instance.time,
        emotion=instance.emotion,
        scene=instance.scene,
        situation=instance.situation,
        failed=failed,
        replies=said[-2:],
    )


def _item(entry: PoolEntry) -> PoolItem:
    return PoolItem(
        id=entry.key,
        text=entry.text,
        type=entry.type,
        side=entry.side,
        anchor=entry.anchor,
        emotion=entry.emotion,
        scene=entry.scene,
        live=entry.status == "live",
    )
