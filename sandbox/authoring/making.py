"""What is made of a finished form: instances that judges and files understand, or an episode."""

from collections.abc import Iterator
from dataclasses import replace

from memory_banks.entries import digest
from sandbox.authoring.authored import UNSPECIFIED, Authored, Source
from sandbox.episodes import Episode, EpisodeTurn
from sandbox.formats.demo import SOURCE
from sandbox.formats.episode_checks import check_episode
from sandbox.formats.reading import Unfit
from sandbox.inputs import BadInput
from sandbox.instances import Instance, Said

_WORDS: dict[Source, str] = {
    "given": "given with",
    "corrected": "corrected by",
    "checked": "proposed, and checked by",
    "proposed": "proposed by",
}


def instance_id(authored: Authored) -> str:
    """The id under which its collections publish it.

    It is the same in every version, and the seed of the order of its pool with it.
    """
    return f"own-{digest('own instance', authored.id)[:12]}"


def instances_of(authored: Authored, *, proposals: bool = False) -> tuple[Instance, ...]:
    """The instances that it makes: one, or one for each turn that a dialogue is tested at.

    An episode makes none: see `episode_of`. `proposals` makes them while roles are still proposed,
    for checks alone.

    Raises:
        BadInput: if a role is only proposed, or an entry has none.
    """
    if authored.kind == "episode":
        return ()
    if not proposals:
        must_be_checked(authored)
    base = _instance(authored)
    if authored.kind == "reply":
        return (base,)
    return tuple(_tests(authored, base))


def episode_of(authored: Authored) -> Episode:
    """The episode that it makes.

    Raises:
        BadInput: if it is no episode, or a gold memory of it is only proposed.
    """
    if authored.kind != "episode" or authored.talk is None:
        raise BadInput(f"{authored.title!r} is a {authored.kind}, which makes no episode.")
    must_be_checked(authored)
    return replace(authored.talk, id=instance_id(authored), licence=_licence(authored))


def must_be_checked(authored: Authored) -> None:
    """Refuse what no person stands behind.

    Raises:
        BadInput: if a role or a gold memory is only proposed, an entry of a pool has no role, or an
            episode's gold contradicts itself.
    """
    if waiting := len(authored.proposals):
        what = "gold memories" if authored.kind == "episode" else "roles"
        raise BadInput(
            f"{waiting} {what} of {authored.title!r} are only proposed: look at each, then save it "
            "as checked."
        )
    bare = [one for one in authored.pool if one.tag is None]
    if authored.kind == "reply" and bare:
        raise BadInput(
            f"{len(bare)} entries of {authored.title!r} have no role: give each must, nice or irr."
        )
    if authored.kind == "episode" and authored.talk is not None:
        _must_hold_together(authored.talk)
    if authored.kind == "dialogue" and not authored.golden:
        raise BadInput(f"{authored.title!r} has no golden entry: choose at least one.")


def _must_hold_together(talk: Episode) -> None:
    try:
        check_episode(talk)
    except Unfit as error:
        raise BadInput(str(error)) from error


def _licence(authored: Authored) -> str:
    return "" if authored.licence == UNSPECIFIED else authored.licence


def _instance(authored: Authored) -> Instance:
    tags = {one.held.key: one.tag for one in authored.pool if one.tag}
    with_roles = authored.kind == "reply"
    return Instance(
        id=instance_id(authored),
        source=SOURCE,
        title=authored.title,
        language=authored.language,
        persona=authored.persona,
        human=authored.human,
        history=authored.history,
        query=authored.query,
        time=authored.time,
        emotion=authored.emotion,
        scene=authored.scene,
        pool=tuple(one.held for one in authored.pool),
        situation=authored.situation,
        licence=_licence(authored),
        roles={key: tag.role for key, tag in tags.items()} if with_roles else {},
        golden=authored.golden,
        reply=authored.reference or None,
        reasons=(
            {key: f"{_WORDS[tag.source]} {tag.by}" for key, tag in tags.items()}
            if with_roles
            else {}
        ),
    )


def _tests(authored: Authored, base: Instance) -> Iterator[Instance]:
    """One instance a tested turn, what was said before as its history."""
    turns = list(authored.talk.turns()) if authored.talk else []
    for number, test in enumerate(authored.tests, start=1):
        place = next(place for place, one in enumerate(turns) if one.id == test)
        asked, rest = turns[place], turns[place + 1 :]
        answer = next((one.text for one in rest[:1] if one.role == "assistant"), None)
        yield replace(
            base,
            id=f"{base.id}-{number}",
            history=tuple(said_of(one) for one in turns[:place]),
            query=asked.text,
            time=asked.at or authored.time,
            emotion=asked.emotion,
            scene=asked.scene,
            dialogue=base.id,
            reply=authored.reference if number == 1 and authored.reference else answer,
        )


def said_of(turn: EpisodeTurn) -> Said:
    """The utterance without its place in an episode."""
    return Said(turn.role, turn.speaker, turn.text)
