"""Who says what of an instance's gold: people take proposals over, or change them."""

from dataclasses import dataclass, replace

from sandbox.authoring.authored import Authored, Tag
from sandbox.inputs import BadInput
from sandbox.instances import ROLES


@dataclass(frozen=True, slots=True)
class Gold:
    """What of an instance is gold."""

    roles: tuple[tuple[str, str], ...]
    golden: tuple[str, ...]
    memories: str
    """Of an episode: its sessions and questions, as text."""


def gold_of(authored: Authored) -> Gold:
    """The gold of an instance, whoever said it."""
    roles = tuple((one.held.key, one.tag.role) for one in authored.pool if one.tag)
    talk = authored.talk
    told = repr([(one.id, one.gold) for one in talk.sessions]) if talk else ""
    return Gold(roles, authored.golden, told + repr(talk.questions if talk else ""))


def accepted(authored: Authored, author: str) -> Authored:
    """The form with every proposal looked at and kept by `author`: a person."""
    pool = tuple(
        replace(one, tag=Tag(one.tag.role, "checked", author))
        if one.tag and not one.tag.is_gold
        else one
        for one in authored.pool
    )
    return replace(authored, pool=pool, unchecked=())


def corrected(
    authored: Authored, roles: dict[str, str], author: str, *, only: bool = False
) -> Authored:
    """The form with the roles that a person chose; a role that stays keeps who said it.

    An entry that `roles` does not name loses its role; with `only` it stays as it is.

    Raises:
        BadInput: for a role that there is not.
    """
    pool = []
    for one in authored.pool:
        if only and one.held.key not in roles:
            pool.append(one)
            continue
        chosen = roles.get(one.held.key, "")
        before = one.tag.role if one.tag else ""
        pool.append(one if chosen == before else replace(one, tag=_tag(chosen, author)))
    return replace(authored, pool=tuple(pool))


def _tag(role: str, author: str) -> Tag | None:
    for known in ROLES:
        if role == known:
            return Tag(known, "corrected", author)
    if role:
        raise BadInput(f"role must be one of {', '.join(ROLES)}, got {role[:40]!r}.")
    return None
