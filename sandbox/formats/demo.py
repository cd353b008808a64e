"""The project's own format: scenarios with personas, entries, roles, replies and expected tags.

`sandbox.formats.demo_form` is its shape. What only a judge may see (roles, reasons, replies) stays
apart from the entries here as there.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from memory_banks.entries import Provenance, TurnRole, side_of
from personas.persona import Persona
from sandbox.collected import Collection, Quirk, Refused
from sandbox.formats.demo_form import (
    FORMAT,
    DemoFile,
    EntryForm,
    ExpectedForm,
    ProvenanceForm,
    ReplyForm,
    SaidForm,
    ScenarioForm,
)
from sandbox.formats.reading import FormatError, Unfit, called, invalid, shown, unfit_field, wrong
from sandbox.instances import (
    Expected,
    Human,
    Instance,
    PoolEntry,
    Reference,
    Role,
    Said,
    Use,
    made_persona,
)

SOURCE = "Strategic Memory Sandbox"


def recognises(value: Any) -> bool:
    """Whether this JSON value calls itself such a file, sound or not."""
    return isinstance(value, dict) and value.get("format") == FORMAT


def read(value: Mapping[str, Any], file: str, sha256: str) -> Collection:
    """The file's scenarios as instances, in its order.

    Raises:
        FormatError: if the file has not the format's shape, or an id comes twice.
    """
    try:
        form = DemoFile.model_validate(value)
    except ValidationError as error:
        raise _misshapen(error, value, file) from error
    _check_ids(form, file)
    instances: list[Instance] = []
    refused: list[Refused] = []
    quirks: list[Quirk] = []
    for place, scenario in enumerate(form.scenarios):
        path = ("scenarios", place)
        try:
            instance = _instance(scenario, form.license or "")
        except Unfit as error:
            refused.append(Refused(scenario.id, str(error), file, path))
            continue
        instances.append(instance)
        quirks += [Quirk(file, scenario.id, note, path) for note in instance.notes]
    return Collection(file, sha256, tuple(instances), tuple(quirks), tuple(refused))


def _misshapen(error: ValidationError, value: Mapping[str, Any], file: str) -> FormatError:
    """The error, which names the scenario by its id or else its place, where it is in one."""
    place = error.errors(include_url=False)[0]["loc"]
    if len(place) < 2 or place[0] != "scenarios":
        return invalid(error, file, above=())
    scenario = value["scenarios"][place[1]]
    name = scenario.get("id") if isinstance(scenario, dict) else None
    where = f"{file}, instance {called(name, int(place[1]))}"
    return invalid(error, where, within=2, above=())


def _check_ids(form: DemoFile, file: str) -> None:
    seen: set[str] = set()
    for place, scenario in enumerate(form.scenarios):
        where = f"{file}, instance {scenario.id}"
        path = ("scenarios", place)
        if scenario.id in seen:
            raise wrong(where, "id", "must be used once", scenario.id, (*path, "id"))
        seen.add(scenario.id)
        keys: set[str] = set()
        for index, entry in enumerate(scenario.entries):
            if entry.id in keys:
                inner = ("entries", index, "id")
                told = ".".join(map(str, inner))
                raise wrong(where, told, "must be used once", entry.id, (*path, *inner))
            keys.add(entry.id)


def _instance(scenario: ScenarioForm, licence: str) -> Instance:
    roles = _roles(scenario)
    return Instance(
        id=scenario.id,
        source=SOURCE,
        title=scenario.title,
        language=scenario.language,
        persona=_persona(scenario),
        human=Human(scenario.tester_speaks_as.name, scenario.tester_speaks_as.profile),
        history=tuple(_said(said, scenario) for said in scenario.history),
        query=scenario.query,
        time=scenario.session_time,
        emotion=scenario.user_state.emotion,
        scene=scenario.user_state.scene,
        pool=_pool(scenario),
        notes=tuple(_notes(scenario, roles)),
        recall=scenario.recall,
        situation=scenario.es_situation,
        dialogue=scenario.dialogue or "",
        licence=scenario.license or licence,
        roles=roles,
        golden=_golden(scenario),
        reply=scenario.reference,
        reasons={given.entry: given.reason for given in scenario.roles if given.reason},
        replies=tuple(_replies(scenario, roles)),
        probes=tuple(scenario.probes),
        try_next=tuple(scenario.try_next),
    )


def _roles(scenario: ScenarioForm) -> dict[str, Role]:
    """The role of every entry, in the order of the entries; none where golden ones are given."""
    given = {told.entry: told.role for told in scenario.roles}
    if len(given) < len(scenario.roles):
        raise Unfit("An entry is given two roles.")
    keys = [entry.id for entry in scenario.entries]
    if not given and scenario.golden:
        return {}
    for key in given.keys() - set(keys):
        raise Unfit(f"A role is given to the entry {key!r}, which there is not.")
    for key in keys:
        if key not in given:
            raise Unfit(f"The entry {key!r} has no role.")
    return {key: given[key] for key in keys}


def _golden(scenario: ScenarioForm) -> tuple[str, ...]:
    known = {entry.id for entry in scenario.entries}
    for key in scenario.golden:
        if key not in known:
            raise Unfit(f"The entry {key!r} is golden, and there is no such entry.")
    if len(set(scenario.golden)) < len(scenario.golden):
        raise Unfit("An entry is golden twice.")
    return tuple(scenario.golden)


def _persona(scenario: ScenarioForm) -> Persona:
    told = scenario.persona.model_dump()
    # A character's id is made of what it says: what it does not say must not change it.
    told = {name: value for name, value in told.items() if value or name not in _LATER}
    try:
        return made_persona(told.pop("name"), language=scenario.language, **told)
    except ValidationError as error:
        raise unfit_field(error, "persona") from error


_LATER = ("scenario", "examples", "greeting")
"""Fields of a character that the format did not have from the first."""


def _said(said: SaidForm, scenario: ScenarioForm) -> Said:
    """Whose words they are: the speaker's name, or a part of it, must fit one of the two people."""
    if said.role is not None:
        return Said(said.role, said.speaker, said.text)
    people: dict[TurnRole, str] = {
        "user": scenario.tester_speaks_as.name,
        "assistant": scenario.persona.name,
    }
    words = set(said.speaker.casefold().split())
    fitting = [role for role, name in people.items() if words <= set(name.casefold().split())]
    if len(fitting) != 1:
        names = " or ".join(repr(name) for name in people.values())
        raise Unfit(f"In its history speaks {said.speaker!r}, which must be {names}.")
    return Said(fitting[0], said.speaker, said.text)


def _pool(scenario: ScenarioForm) -> tuple[PoolEntry, ...]:
    entries = {entry.id: entry for entry in scenario.entries}
    for entry in scenario.entries:
        _check_scope(entry, scenario)
        _check_chain(entry, entries)
    return tuple(_entry(entry) for entry in scenario.entries)


def _entry(entry: EntryForm) -> PoolEntry:
    return PoolEntry(
        key=entry.id,
        type=entry.type,
        side=entry.scope.kind,
        text=entry.text,
        anchor=entry.date,
        emotion=entry.emotion,
        scene=entry.scene,
        status=entry.status,
        replaced_by=entry.replaced_by,
        provenance=_provenance(entry.provenance),
    )


def _provenance(told: ProvenanceForm | None) -> Provenance:
    if told is None:
        return Provenance()
    session = f"s{told.session}" if isinstance(told.session, int) else told.session
    return Provenance(session, tuple(told.turns), told.turn_role)


def _check_scope(entry: EntryForm, scenario: ScenarioForm) -> None:
    scope = entry.scope
    agent = scenario.persona.name if scope.kind == "dyad" else None
    if (scope.user, scope.agent) != (scenario.tester_speaks_as.name, agent):
        raise Unfit(f"The scope of the entry {entry.id!r} names somebody else.")
    if entry.type is None or entry.type == "episodic":
        return
    told = entry.provenance.turn_role if entry.provenance else None
    if scope.kind != side_of(entry.type, told or "user"):
        raise Unfit(
            f"The entry {entry.id!r} is in the scope of the {scope.kind}, where no {entry.type} is."
        )


def _check_chain(entry: EntryForm, entries: Mapping[str, EntryForm]) -> None:
    """A superseded entry names what took its place, and no chain goes in a circle."""
    if (entry.status == "superseded") != (entry.replaced_by is not None):
        raise Unfit(f"The entry {entry.id!r} must be superseded and name replaced_by, or neither.")
    if entry.replaces and getattr(entries.get(entry.replaces), "replaced_by", None) != entry.id:
        raise Unfit(f"The entry {entry.id!r} replaces {entry.replaces!r}, which says otherwise.")
    passed = {entry.id}
    step = entry.replaced_by
    while step is not None:
        if step not in entries:
            raise Unfit(f"The entry {entry.id!r} is replaced by {step!r}, which there is not.")
        if step in passed:
            raise Unfit(f"The entry {entry.id!r} is replaced by itself in the end.")
        passed.add(step)
        step = entries[step].replaced_by


def _notes(scenario: ScenarioForm, roles: Mapping[str, Role]) -> Iterator[str]:
    """What is odd and can be read all the same."""
    for name, reply in (scenario.replies | scenario.extra_replies).items():
        for use in reply.used:
            if use.span not in reply.text:
                words = shown(use.span)
                yield f"The reply {name!r} does not hold the words {words} it is tagged with."
    used = set(roles.values())
    if used and "irr" not in used:
        yield "It has no irr entry; it stays in its scenario."


def _replies(scenario: ScenarioForm, roles: Mapping[str, Role]) -> Iterator[Reference]:
    named = [*((True, one) for one in scenario.replies.items())]
    named += [(False, one) for one in scenario.extra_replies.items()]
    for main, (name, reply) in named:
        _check_reply(name, reply, roles)
        yield Reference(
            name=name,
            main=main,
            text=reply.text,
            used=tuple(Use(u.entry, u.role, u.how, u.span, u.detail) for u in reply.used),
            violates=tuple(reply.violates),
            expected=_expected(reply.expected),
            why=reply.why,
        )


def _check_reply(name: str, reply: ReplyForm, roles: Mapping[str, Role]) -> None:
    for use in reply.used:
        if roles.get(use.entry) != use.role:
            raise Unfit(
                f"The reply {name!r} uses {use.entry!r} as {use.role}, and its role is "
                f"{roles.get(use.entry, 'not told')}."
            )
    for key in reply.violates:
        if key not in roles:
            raise Unfit(f"The reply {name!r} violates {key!r}, which there is not.")


def _expected(told: ExpectedForm) -> Expected:
    return Expected(
        rho={"must": told.rho.must, "nice": told.rho.nice, "irr": told.rho.irr},
        smc=told.SMC,
        pes_eligible=told.PES.eligible,
        pes_eligible_nice_available=told.PES.eligible_nice_available,
        pes=told.PES.outcome,
        cir_eligible=told.CIR.eligible,
        cir=told.CIR.outcome,
        miq=(told.MIQ[0], told.MIQ[1]),
        failures=tuple(told.failures),
        aspects={name: (low, high) for name, (low, high) in told.aspects.items()},
    )
