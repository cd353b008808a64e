"""What annotators and those who decide between them say, carried over to values."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sandbox.authoring.authored import Annotation, Authored
from sandbox.authoring.blind import bare_talk
from sandbox.authoring.episode_deciding import decided
from sandbox.authoring.episode_edits import gold_of_typed
from sandbox.authoring.episode_typed import Typed
from sandbox.authoring.tagging import corrected
from sandbox.episodes import told_entries
from sandbox.inputs import BadInput
from sandbox.instances import ROLES, Role


def settled(
    authored: Authored,
    told: Annotation,
    decisions: Mapping[str, str],
    golden: Sequence[str] | None,
    author: str,
) -> Authored:
    """The instance with the decisions carried out.

    Raises:
        BadInput: if one of them cannot be.
    """
    if authored.kind == "episode" and authored.talk is not None:
        return replace(authored, talk=decided(authored.talk, told, decisions))
    found = corrected(authored, dict(decisions), author, only=True)
    return found if golden is None else replace(found, golden=listed_golden(found, golden))


def noted(authored: Authored, told: Annotation, typed: Typed) -> Annotation:
    """The annotation with what is typed of an episode.

    Raises:
        BadInput: if it is none, or at the first row that cannot be.
    """
    if authored.kind != "episode" or authored.talk is None:
        raise BadInput(
            f"{authored.title!r} is a {authored.kind}: give its roles or golden entries."
        )
    made = gold_of_typed(bare_talk(authored.talk), typed)
    return replace(
        told,
        memories=tuple(one for session in made.sessions for one in told_entries(session)),
        supports={one.id: one.supports for one in made.questions},
    )


def complete(authored: Authored, roles: Mapping[str, str]) -> dict[str, Role]:
    """A role for each entry of the pool, where the instance has roles.

    Raises:
        BadInput: if an entry has none.
    """
    if authored.kind != "reply":
        return {}
    found: dict[str, Role] = {}
    for one in authored.pool:
        for role in ROLES:
            if roles.get(one.held.key) == role:
                found[one.held.key] = role
    if left := len(authored.pool) - len(found):
        raise BadInput(f"{left} of {len(authored.pool)} entries have no role: give each one.")
    return found


def listed_golden(authored: Authored, golden: Sequence[str]) -> tuple[str, ...]:
    """Golden keys, each of the pool and once.

    Raises:
        BadInput: if one is not of the pool, or a dialogue has none.
    """
    keys = {one.held.key for one in authored.pool}
    found = tuple(dict.fromkeys(golden))
    if unknown := [key for key in found if key not in keys]:
        raise BadInput(f"The entry {unknown[0]!r} is not in the pool: reload the page.")
    if authored.kind == "dialogue" and not found:
        raise BadInput("No entry is golden: choose at least one.")
    return found
