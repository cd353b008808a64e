"""A character as texts that a person can edit, and back; what nobody touched stays as it was."""

from collections.abc import Mapping

from pydantic import ValidationError

from personas.card_persona import persona_id
from personas.persona import Persona
from personas.persona_file import broken_rule, shown
from sandbox.characters import Characters
from sandbox.inputs import BadInput

_BLANK, _RULE = "\n\n", "\n---\n"
SEPARATORS: dict[str, str] = {
    "summary": _BLANK,
    "traits": "\n",
    "style": "\n",
    "domains": "\n",
    "values": "\n",
    "rules": "\n",
    "examples": _RULE,
    "openers": "\n",
}
"""What stands between the items of a list."""
FIELDS: tuple[str, ...] = (
    "name",
    "language",
    "summary",
    "traits",
    "style",
    "domains",
    "values",
    "rules",
    "scenario",
    "examples",
    "greeting",
    "openers",
)
"""The fields of the form, in its order."""


def form_of(persona: Persona | None) -> dict[str, str]:
    """The texts of the form; a blank one where there is no character yet."""
    if persona is None:
        return dict.fromkeys(FIELDS, "") | {"language": "en"}
    return {field: _text(field, getattr(persona, field)) for field in FIELDS}


def edited(persona: Persona, form: Mapping[str, str]) -> Persona:
    """`persona` as the form says; an equal one where nothing was touched.

    Raises:
        BadInput: if a field cannot be taken.
    """
    before = form_of(persona)
    changed = {name: _value(name, form[name]) for name in FIELDS if form[name] != before[name]}
    return _checked(persona.model_dump() | changed)


def written(form: Mapping[str, str], known_as: str) -> Persona:
    """A new character as the form says.

    Raises:
        BadInput: if a field cannot be taken.
    """
    told = {name: _value(name, form[name]) for name in FIELDS}
    return _checked(told | {"id": known_as})


def save_form(characters: Characters, account: str, base: str, form: Mapping[str, str]) -> Persona:
    """Keep what the form says: of the account's own character `base`, changed, with its card.

    A packaged one is copied under an id of its own; without a base a new character is made.

    Raises:
        BadInput: if a field cannot be taken.
        UnknownPersona: if there is no such character.
    """
    if not base:
        persona = written(form, free_id(characters, account, form["name"]))
        characters.save(account, persona)
        return persona
    known = characters.get(account, base)
    persona = edited(known, form)
    if packaged(characters, base):
        copy = persona.model_copy(update={"id": free_id(characters, account, persona.name)})
        characters.save(account, copy)
        return copy
    characters.save(account, persona, characters.card(account, base))
    return persona


def packaged(characters: Characters, known: str) -> bool:
    """Whether a character ships with the project."""
    return any(persona.id == known for persona in characters.packaged())


def free_id(characters: Characters, account: str, name: str) -> str:
    """An id made from `name` that no character of the account has."""
    taken = {persona.id for persona in characters.all(account)}
    found, number = persona_id(name), 1
    while found in taken:
        number += 1
        found = persona_id(name, str(number))
    return found


def _text(field: str, value: str | tuple[str, ...] | None) -> str:
    return SEPARATORS[field].join(value) if isinstance(value, tuple) else value or ""


def _value(field: str, text: str) -> str | tuple[str, ...] | None:
    plain = text.replace("\r\n", "\n")
    if field in SEPARATORS:
        return tuple(piece.strip() for piece in _pieces(field, plain) if piece.strip())
    return plain.strip() or ("" if field in ("name", "language") else None)


def _pieces(field: str, text: str) -> list[str]:
    """The items of a list; a line of spaces is as good as an empty one."""
    tidy = "\n".join(line.rstrip() for line in text.split("\n"))
    return f"\n{tidy}\n".split(SEPARATORS[field])


def _checked(told: Mapping[str, object]) -> Persona:
    try:
        return Persona.model_validate(told)
    except ValidationError as error:
        broken = broken_rule(error)
        what = f"The character's {broken.field}" if broken.field else "A character"
        raise BadInput(f"{what} {broken.must}, got {shown(broken.value)}.") from error
