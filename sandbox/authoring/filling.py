"""The form for an instance, filled from a reply on record: nothing is asked that is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memory_banks.entries import State, digest
from personas.persona import Persona
from sandbox.authoring.authored import (
    SHOWN,
    UNSPECIFIED,
    Authored,
    AuthoredEntry,
    Origin,
    Source,
    Tag,
)
from sandbox.authoring.licences import inherited
from sandbox.evaluation.cases import Judgeable
from sandbox.evaluation.roles import RoleTag
from sandbox.instances import Human, Instance, PoolEntry
from sandbox.transcripts import Session, Transcript

_SOURCES: Mapping[str, Source] = {
    "gold": "given",
    "proposed": "proposed",
    "corrected": "corrected",
}
_TITLE = 80


@dataclass(frozen=True, slots=True)
class Seen:
    """A reply with all that a form is filled from."""

    reply: Judgeable
    roles: Mapping[str, RoleTag]
    """By entry id."""
    whole: Transcript
    states: Mapping[str, State]
    """The bank at the reply's revision, by entry id."""
    instance: Instance | None
    """What the session was opened from."""
    source: Instance | None
    """The same, or what a session that it continues was opened from."""
    collection: str | None
    """The file of `source`."""


def authored_from_turn(seen: Seen, new: str, author: str) -> Authored:
    """The form for the inspected reply; `new` is the id of what is being made.

    The pool is the judges', at the reply's revision; roles are the file's, a person's, or a
    judge's proposals, and say which. The reference is the reply itself.
    """
    session, turn, reply = seen.reply.session, seen.reply.turn, seen.reply.reply
    pool = authored_pool(seen)
    licence = inherited(seen.source)
    return Authored(
        id=new,
        kind="reply",
        collection=own_name(session),
        title=title_of(turn.text),
        language=session.persona.language,
        persona=bare(session.persona),
        human=_human(session, seen.instance),
        query=turn.text.strip(),
        origin=Origin(
            account=session.account,
            session=session.id,
            turn=turn.id,
            reply=reply.line.id,
            revision=reply.revision,
            collection=seen.collection,
            instance=seen.source.id if seen.source else None,
        ),
        author=author,
        history=tuple(
            replace(one, text=one.text.strip())
            for one in seen.whole.said(before=turn.number)
            if one.text.strip()
        ),
        time=turn.at,
        emotion=turn.emotion,
        scene=turn.scene,
        pool=pool,
        golden=_golden(seen),
        shown=_shown(seen),
        reference=reply.line.text.strip(),
        reference_by="" if reply.line.author == "file" else reply.line.author,
        situation=seen.reply.case.situation,
        licence=licence or UNSPECIFIED,
        licence_kept=licence is not None,
    )


def key_of(entry: str) -> str:
    """The key of a copied entry: it tells nothing, and neither does the order of such keys."""
    return digest("authored", entry)[:10]


def authored_pool(seen: Seen) -> tuple[AuthoredEntry, ...]:
    """The pool in the order of its keys."""
    ids = [item.id for item in seen.reply.case.pool]
    made = [_entry(seen.states[one], ids, seen) for one in ids if one in seen.states]
    return tuple(sorted(made, key=lambda one: one.held.key))


def _entry(state: State, ids: Sequence[str], seen: Seen) -> AuthoredEntry:
    entry = state.entry
    later = _later(state, ids, seen.states)
    told = seen.roles.get(entry.id)
    held = PoolEntry(
        key=key_of(entry.id),
        type=entry.type,
        side=entry.scope.side,
        text=entry.text.strip(),
        anchor=entry.anchor[:10] if entry.anchor else None,
        emotion=entry.emotion,
        scene=entry.scene,
        status="superseded" if later else "live",
        replaced_by=key_of(later) if later else None,
        provenance=entry.provenance,
    )
    tag = Tag(told.role, _SOURCES[told.source], told.by) if told else None
    return AuthoredEntry(held, entry.id, tag)


def _later(state: State, ids: Sequence[str], states: Mapping[str, State]) -> str | None:
    """Id of the entry of the pool that took this one's place, at once or in the end."""
    step = state.replaced_by
    passed: set[str] = set()
    while step is not None and step not in passed:
        if step in ids:
            return step
        passed.add(step)
        step = states[step].replaced_by if step in states else None
    return None


def _shown(seen: Seen) -> tuple[str, ...]:
    """The recalled entries of the pool, best first; where nothing was recalled, its first ones."""
    ids = [item.id for item in seen.reply.case.pool]
    recalled = [one.entry for one in seen.reply.reply.recalled if one.entry in ids]
    return tuple(key_of(one) for one in (recalled or ids)[:SHOWN])


def _golden(seen: Seen) -> tuple[str, ...]:
    """What the file calls golden, where the reply answers the file's query and no later words."""
    if seen.instance is None or seen.reply.elsewhere:
        return ()
    ids = {key: one for one, key in seen.reply.keys.items()}
    held = {item.id for item in seen.reply.case.pool}
    golden = [ids[key] for key in seen.instance.golden if ids.get(key) in held]
    return tuple(key_of(one) for one in golden)


def _human(session: Session, instance: Instance | None) -> Human:
    if instance is not None:
        return replace(instance.human, name=session.speaker)
    return Human(session.speaker, session.profile or "")


def bare(persona: Persona) -> Persona:
    """The character without what only its own library page needs."""
    return persona.model_copy(update={"openers": (), "sample_user": None})


def own_name(session: Session) -> str:
    """A name for the collection, to be changed: the character's."""
    return f"own {session.persona.name}"[:80]


def title_of(text: str) -> str:
    """The first words of a text."""
    line = " ".join(text.split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1]}…"
