"""One object of a StratMem-Bench file: its shape, and the instance that it makes."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, ValidationError

from memory_banks.entries import TurnRole
from personas.persona import Persona
from sandbox.formats.reading import Unfit, parse, shown, unfit_field, wrong
from sandbox.instances import ROLES, Human, Instance, PoolEntry, Role, Said, Scenario, made_persona

SOURCE = "StratMem-Bench"
ZONE_NOTE = "The file gives the time without a zone; it is taken as +00:00."
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
CODES: Mapping[Scenario, str | None] = {
    "must-only": "A",
    "nice-only": "B",
    "must+nice": "C",
    "none": None,
}
"""What the release's type codes mean: `inferred_type` is the scenario in all of its instances."""
_TIME = re.compile(r"(\d{1,2}):(\d\d) (am|pm) on (\d{1,2}) ([A-Z][a-z]+), (\d{4})")
_NOTED = re.compile(r"(?P<fact>.*[.!?])\s*\((?P<note>.*)\)\s*", re.DOTALL)
"""A note of the annotators behind a fact that is complete without it."""
_CODES = re.compile(r"given_type (\S+), inferred_type (\S+) \(codes that the release.*")
_DATE = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]
_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
_Texts = Annotated[
    list[_Text], BeforeValidator(lambda found: [found] if isinstance(found, str) else found)
]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Fact(_Form):
    fact: _Text


class _Memory(_Form):
    must: list[_Fact]
    nice: list[_Fact]
    irr: list[_Fact]


class _Roles(_Form):
    human: _Name
    virtual_person: _Name


class _Persona(_Form):
    virtual_person_name: _Name
    summary: _Texts
    traits: list[_Text]
    style: list[_Text]
    domains: list[_Text]
    values: list[_Text]


class Item(_Form):
    """An object of the array."""

    id: Annotated[str, StringConstraints(pattern=r"^[!-~]{1,100}$")]
    given_type: _Text | None = None
    inferred_type: _Text | None = None
    query: _Text
    query_time: _Text
    history: str
    roles: _Roles
    memory: _Memory
    virtual_person_persona: _Persona


def instance_of(item: Item, history: tuple[Said, ...]) -> Instance:
    """The instance that the object makes, with its history as `history_of` gives it.

    Raises:
        Unfit: if the object contradicts itself.
    """
    pool, roles = _pool(item.memory)
    return Instance(
        id=item.id,
        source=SOURCE,
        title=f"{item.roles.virtual_person} answers {item.roles.human}",
        language="en",
        persona=_persona(item),
        human=Human(item.roles.human),
        history=history,
        query=item.query,
        time=_time(item.query_time),
        emotion=None,
        scene=None,
        pool=pool,
        roles=roles,
        notes=_notes(item, pool),
    )


def _notes(item: Item, pool: Sequence[PoolEntry]) -> tuple[str, ...]:
    codes = f"given_type {item.given_type}, inferred_type {item.inferred_type}"
    notes = [ZONE_NOTE, f"{codes} (codes that the release does not explain)."]
    notes += [
        f"The text of {entry.key} ends with a note of the annotators: {entry.original!r}."
        for entry in pool
        if entry.original is not None
    ]
    return tuple(notes)


def codes_of(notes: Sequence[str]) -> tuple[str | None, str | None]:
    """The file's given and inferred type, which are kept as a note; null where it has none."""
    found = next(filter(None, map(_CODES.fullmatch, notes)), None)
    told = found.groups() if found else ("None", "None")
    given, inferred = (None if code == "None" else code for code in told)
    return given, inferred


def _pool(memory: _Memory) -> tuple[tuple[PoolEntry, ...], dict[str, Role]]:
    """The entries with keys by the file's order, which goes must, nice, irr; and their roles."""
    facts: list[tuple[Role, str]] = [
        (role, fact.fact) for role in ROLES for fact in getattr(memory, role)
    ]
    if not facts:
        raise Unfit("Its memory holds no fact at all.")
    twice = [fact for fact, count in Counter(fact for _role, fact in facts).items() if count > 1]
    if twice:
        raise Unfit(f"The fact {shown(twice[0])} is in its memory twice.")
    pool = tuple(_entry(f"m{index}", fact) for index, (_role, fact) in enumerate(facts, 1))
    return pool, {f"m{index}": role for index, (role, _fact) in enumerate(facts, 1)}


def _entry(key: str, fact: str) -> PoolEntry:
    noted = _NOTED.fullmatch(fact)
    text = noted["fact"] if noted else fact
    return PoolEntry(
        key=key,
        type=None,
        side="user",
        text=text,
        anchor=_anchor(text),
        original=fact if noted else None,
    )


def _anchor(text: str) -> str | None:
    """The one ISO date in `text`; null for none or several."""
    found = {written for written in _DATE.findall(text) if _is_date(written)}
    return found.pop() if len(found) == 1 else None


def _is_date(written: str) -> bool:
    try:
        date.fromisoformat(written)
    except ValueError:
        return False
    return True


def _persona(item: Item) -> Persona:
    told = item.virtual_person_persona
    if item.roles.human == item.roles.virtual_person:
        raise Unfit(f"Both of its roles are called {item.roles.human!r}.")
    if told.virtual_person_name != item.roles.virtual_person:
        raise Unfit(
            f"roles.virtual_person is {item.roles.virtual_person!r} and the persona is "
            f"{told.virtual_person_name!r}."
        )
    fields = told.model_dump(exclude={"virtual_person_name"})
    try:
        return made_persona(told.virtual_person_name, **fields)
    except ValidationError as error:
        raise unfit_field(error, "virtual_person_persona") from error


def history_of(item: Item, where: str) -> tuple[Said, ...]:
    """What was said before the query, oldest first; empty where the file has nothing.

    Raises:
        FormatError: unless it is empty or a JSON list of `Name: words` inside a string.
    """
    if not item.history:
        return ()
    told = parse(item.history, f"{where}, field 'history'")
    if not isinstance(told, list):
        raise wrong(where, "history", "must be empty or a JSON list inside a string", told)
    return tuple(_said(line, item, index, where) for index, line in enumerate(told))


def _said(line: Any, item: Item, index: int, where: str) -> Said:
    names: dict[str, TurnRole] = {
        item.roles.human: "user",
        item.roles.virtual_person: "assistant",
    }
    if isinstance(line, str):
        name, _, text = line.partition(":")
        if name in names and text.strip():
            return Said(names[name], name, text.strip())
    who = " or ".join(shown(f"{name}: ...") for name in names)
    raise wrong(where, f"history.{index}", f"must be text such as {who}", line)


def _time(told: str) -> str:
    moment = time_of(told)
    if moment is None:
        raise Unfit(f"Its query_time must be such as '1:56 pm on 8 May, 2023', got {shown(told)}.")
    return moment


def time_of(told: str) -> str | None:
    """The ISO date and time of one such as `1:56 pm on 8 May, 2023`, with the offset +00:00.

    Null where it is no such time. LoCoMo, which StratMem-Bench is made of, tells time alike.
    """
    found = _TIME.fullmatch(told)
    if found and found[5] in _MONTHS and 1 <= int(found[1]) <= 12:
        hour = int(found[1]) % 12 + (12 if found[3] == "pm" else 0)
        month = _MONTHS.index(found[5]) + 1
        try:
            moment = datetime(int(found[6]), month, int(found[4]), hour, int(found[2]), tzinfo=UTC)
        except ValueError:
            return None
        return moment.isoformat(timespec="seconds")
    return None


def time_told(moment: datetime) -> str:
    """A date and time in the file's own form, such as `1:56 pm on 8 May, 2023`."""
    half = "am" if moment.hour < 12 else "pm"
    month = _MONTHS[moment.month - 1]
    clock = f"{(moment.hour - 1) % 12 + 1}:{moment.minute:02d} {half}"
    return f"{clock} on {moment.day} {month}, {moment.year:04d}"
