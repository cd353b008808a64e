"""Instances in the project's own format: what is written is read back as the same instances."""

import json
import re
from dataclasses import fields
from typing import Any

from personas.persona import Persona
from sandbox.collected import Collection
from sandbox.formats.demo import read
from sandbox.formats.demo_form import FORMAT
from sandbox.formats.reading import FormatError
from sandbox.instances import Instance, PoolEntry, Reference, Said

_NUMBERED = re.compile(r"s(0|[1-9]\d{0,8})")
_DERIVED = ("source", "notes")
"""Fields of an instance that its reader makes."""
_TOLD = ("traits", "style", "domains", "values", "rules", "examples")


def write(collection: Collection) -> dict[str, bytes]:
    """The collection as one file, by its name.

    Raises:
        FormatError: if there is no instance, or one holds something that the format cannot say.
    """
    name = collection.name if collection.name.endswith(".json") else f"{collection.name}.json"
    return {name: written(collection)}


def written(collection: Collection, about: str | None = None) -> bytes:
    """The file's bytes; `about` is for its readers. As `write`."""
    if collection.episodes:
        raise FormatError(f"{collection.name}: the format {FORMAT} holds no episodes")
    value: dict[str, Any] = {"format": FORMAT, "version": 1}
    if about:
        value["about"] = about
    value["scenarios"] = [_scenario(one) for one in collection.instances]
    _check(collection, value)
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def _check(collection: Collection, value: dict[str, Any]) -> None:
    found = read(value, collection.name, "")
    if found.refused:
        first = found.refused[0]
        raise FormatError(f"{collection.name}, instance {first.where}: {first.sentence}")
    for wanted, got in zip(collection.instances, found.instances, strict=True):
        for field in fields(Instance):
            ours, theirs = getattr(wanted, field.name), getattr(got, field.name)
            if field.name == "persona":
                ours, theirs = _said_of(ours), _said_of(theirs)
            if field.name not in _DERIVED and ours != theirs:
                raise FormatError(
                    f"{collection.name}, instance {wanted.id}: the format {FORMAT} cannot say its "
                    f"{field.name} as it is"
                )


def _said_of(persona: Persona) -> Persona:
    """The character without what the format leaves out: its id, its openers and its sample user.

    The reader names a character by what it says.
    """
    return persona.model_copy(update={"id": "any", "openers": (), "sample_user": None})


def _scenario(one: Instance) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": one.id,
        "title": one.title,
        "language": one.language,
        "persona": _character(one),
        "tester_speaks_as": _filled(name=one.human.name, profile=one.human.profile),
        "session_time": one.time,
        "user_state": _filled(emotion=one.emotion, scene=one.scene),
        "recall": one.recall,
        "es_situation": one.situation,
        "entries": [_entry(entry, one) for entry in one.pool],
        "history": [_utterance(said, one) for said in one.history],
        "query": one.query,
        "roles": [
            _filled(entry=key, role=role, reason=one.reasons.get(key))
            for key, role in one.roles.items()
        ],
        "golden": list(one.golden),
        "reference": one.reply,
        "dialogue": one.dialogue,
        "license": one.licence,
        "probes": list(one.probes),
        "replies": {reply.name: _reply(reply) for reply in one.replies if reply.main},
        "extra_replies": {reply.name: _reply(reply) for reply in one.replies if not reply.main},
        "try_next": list(one.try_next),
    }
    needed = ("entries", "history", "roles")
    return {name: value for name, value in found.items() if value or name in needed}


def _filled(**found: Any) -> dict[str, Any]:
    """What is there; empty texts and lists are left out."""
    return {name: value for name, value in found.items() if value not in (None, "", [], ())}


def _character(one: Instance) -> dict[str, Any]:
    persona = one.persona
    lists = {name: list(getattr(persona, name)) for name in _TOLD}
    return _filled(
        name=persona.name,
        summary=list(persona.summary),
        scenario=persona.scenario,
        greeting=persona.greeting,
        **lists,
    )


def _entry(entry: PoolEntry, one: Instance) -> dict[str, Any]:
    agent = one.persona.name if entry.side == "dyad" else None
    return _filled(
        id=entry.key,
        type=entry.type,
        scope=_filled(kind=entry.side, user=one.human.name, agent=agent),
        text=entry.text,
        date=entry.anchor,
        emotion=entry.emotion,
        scene=entry.scene,
        provenance=_provenance(entry),
        status=entry.status,
        replaced_by=entry.replaced_by,
    )


def _provenance(entry: PoolEntry) -> dict[str, Any] | None:
    told = entry.provenance
    session: str | int | None = told.session
    if told.session and _NUMBERED.fullmatch(told.session):
        session = int(told.session[1:])
    found: dict[str, Any] = {} if session is None else {"session": session}
    return (found | _filled(turns=list(told.turns), turn_role=told.role)) or None


def _utterance(said: Said, one: Instance) -> dict[str, Any]:
    """The speaker, and the role where the name does not tell it."""
    words = set(said.speaker.casefold().split())
    people = {"user": one.human.name, "assistant": one.persona.name}
    fitting = [role for role, name in people.items() if words <= set(name.casefold().split())]
    found = {"speaker": said.speaker, "text": said.text}
    return found if fitting == [said.role] else found | {"role": said.role}


def _reply(reply: Reference) -> dict[str, Any]:
    told = reply.expected
    return {
        "text": reply.text,
        "used": [
            {name: getattr(use, name) for name in ("entry", "role", "how", "span", "detail")}
            for use in reply.used
        ],
        "violates": list(reply.violates),
        "expected": {
            "rho": dict(told.rho),
            "SMC": told.smc,
            "PES": {
                "eligible": told.pes_eligible,
                "eligible_nice_available": told.pes_eligible_nice_available,
                "outcome": told.pes,
            },
            "CIR": {"eligible": told.cir_eligible, "outcome": told.cir},
            "MIQ": list(told.miq),
            "failures": list(told.failures),
            "aspects": {name: list(ends) for name, ends in told.aspects.items()},
        },
        "why": reply.why,
    }
