"""From a card to a character that talks here, and back.

| card | persona |
|---|---|
| `nickname`, else `name` | `name` |
| `description` | `summary`, a paragraph each |
| `personality` | `traits`, a line each |
| `scenario` | `scenario` |
| `mes_example` | `examples`, one for each `<START>` |
| `first_mes` | `greeting` |

All other fields stay in the card. Macros stay as written. `style`, `domains`, `values` and `rules`
are told in the description for other tools; they and all that a card's text cannot hold are kept
in its `extensions` under our name, and count only while the text they belong to is unchanged. A
sample user is not exported: its bank belongs to this installation.
"""

import re
import unicodedata
from typing import Any, Literal

from pydantic import ValidationError

from personas.card_json import bad_card
from personas.cards import Card, CardError, as_v2, blank_data, with_fields
from personas.lorebook import NAMESPACE
from personas.persona import Persona, forbidden_character
from personas.persona_file import broken_rule

_GROUPS: dict[str, tuple[str, ...]] = {
    "description": ("summary", "style", "domains", "values", "rules"),
    "personality": ("traits",),
    "scenario": ("scenario",),
    "mes_example": ("examples",),
    "first_mes": ("greeting",),
}
"""Which of a persona's fields a field of the card tells; the first is always kept with the rest."""
_UNTOLD = ("openers", "language")
_MOST_ITEMS = 20
_LONGEST_ID = 63
_SUFFIX = re.compile(r"[a-z0-9-]{1,32}")
_BETWEEN = {
    "description": re.compile(r"\n[ \t]*\n"),
    "personality": re.compile(r"\n"),
    "mes_example": re.compile("<START>", re.IGNORECASE),
}
_JOINED = {"description": "\n\n", "personality": "\n", "mes_example": "\n<START>\n"}


def persona_id(name: str, suffix: str = "") -> str:
    """An id made from a name: `Mara Vel` -> `mara-vel`, or `mara-vel-2` with the suffix `2`.

    Names without Latin letters give `character`.

    Raises:
        ValueError: if the suffix is not made of a-z, 0-9 and hyphens, at most 32.
    """
    if suffix and not _SUFFIX.fullmatch(suffix):
        raise ValueError(f"suffix must be made of a-z, 0-9 and hyphens, got {suffix!r}")
    latin = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    slug = re.sub(r"[^a-z0-9]+", "-", latin.lower()).strip("-") or "character"
    tail = f"-{suffix}" if suffix else ""
    return slug[: _LONGEST_ID - len(tail)].rstrip("-") + tail


def persona_of(card: Card, suffix: str = "", name: str | None = None) -> Persona:
    """The character that a card describes.

    `suffix` makes its id unique: the caller knows which are taken. `name` replaces the card's; it
    is needed where the card has none.

    Raises:
        CardError: if there is no name, or a text is longer than a persona's may be.
    """
    called = name or card.name
    if not called:
        raise bad_card(card.file, card.path("name"), "must not be empty", called)
    told: dict[str, Any] = {"id": persona_id(called, suffix), "name": called}
    for field in _GROUPS:
        told |= _plain(field, card.text(field), called)
    try:
        return Persona.model_validate(told | _kept(card))
    except ValidationError as error:
        raise _unusable(card, error) from error


def card_with(card: Card, persona: Persona) -> Card:
    """The card that tells this persona; what the persona does not change stays as it was.

    The same card where nothing changes. A V1 card becomes V2 if the persona has something that V1
    cannot hold. `persona_of` the result gives the persona again, but for its id and sample user.
    """
    changes: dict[str, Any] = {}
    kept = _not_default({name: getattr(persona, name) for name in _UNTOLD})
    if persona.name != card.name:
        nickname = card.text("nickname").strip()
        changes["nickname" if nickname else "name"] = persona.name
    for field, names in _GROUPS.items():
        wanted = {name: getattr(persona, name) for name in names}
        if _plain(field, card.text(field), persona.name) != wanted:
            text = _text(field, persona)
            if text != card.text(field):
                changes[field] = text
            if _plain(field, text, persona.name) != wanted:
                kept |= _not_default(wanted)
    if kept:
        card = as_v2(card)
    if kept != _ours(card).get("persona", {}):
        changes["extensions"] = _extensions(card, kept)
    return with_fields(card, changes)


def card_of(persona: Persona, spec: Literal["V2", "V3"] = "V3") -> Card:
    """A new card for a persona that never had one."""
    return card_with(Card(spec, blank_data(spec), f"{persona.id}.json"), persona)


def _plain(field: str, text: str, name: str) -> dict[str, Any]:
    """What a card's text says of a persona, taken by itself; never an empty summary."""
    clean = text.replace("\r\n", "\n").replace("\r", "\n")
    clean = "".join(mark for mark in clean if not forbidden_character(mark)).strip()
    if field in ("scenario", "first_mes"):
        return {_GROUPS[field][0]: clean or None}
    items = _items(field, clean) or ((name,) if field == "description" else ())
    return dict.fromkeys(_GROUPS[field], ()) | {_GROUPS[field][0]: items}


def _items(field: str, text: str) -> tuple[str, ...]:
    """The pieces of a text, stripped, empty ones left out; the last takes what is too many."""
    pieces = [piece.strip() for piece in _BETWEEN[field].split(text) if piece.strip()]
    if len(pieces) > _MOST_ITEMS:
        pieces[_MOST_ITEMS - 1 :] = [_JOINED[field].join(pieces[_MOST_ITEMS - 1 :])]
    return tuple(pieces)


def _text(field: str, persona: Persona) -> str:
    """How a card's field tells the persona."""
    if field == "description":
        return "\n\n".join((*persona.summary, *_topics(persona)))
    if field == "mes_example":
        return "\n".join(f"<START>\n{example}" for example in persona.examples)
    if field == "personality":
        return "\n".join(persona.traits)
    return (persona.scenario if field == "scenario" else persona.greeting) or ""


def _topics(persona: Persona) -> list[str]:
    """What the standards have no field for, as paragraphs of a description."""
    topics = {"Style": persona.style, "Domains": persona.domains, "Values": persona.values}
    told = [f"{topic}: {'; '.join(lines)}" for topic, lines in topics.items() if lines]
    if persona.rules:
        told.append("\n".join(("Rules:", *(f"- {rule}" for rule in persona.rules))))
    return told


def _kept(card: Card) -> dict[str, Any]:
    """The persona's fields that our extension tells; none where it is broken or out of date."""
    ours = _ours(card).get("persona")
    kept = ours if isinstance(ours, dict) else {}
    names = (*_UNTOLD, *(name for group in _GROUPS.values() for name in group))
    told = {name: kept[name] for name in names if name in kept}
    try:
        persona = Persona.model_validate({"id": "a", "name": "a", "summary": ["a"]} | told)
    except ValidationError:
        return {}
    valid = {name: getattr(persona, name) for name in _UNTOLD if name in kept}
    for field, group in _GROUPS.items():
        if group[0] in kept and _text(field, persona) == card.text(field):
            valid |= {name: getattr(persona, name) for name in group}
    return valid


def _ours(card: Card) -> dict[str, Any]:
    """What stands under our name in the card's extensions."""
    extensions = card.fields.get("extensions")
    ours = extensions.get(NAMESPACE) if isinstance(extensions, dict) else None
    return ours if isinstance(ours, dict) else {}


def _extensions(card: Card, kept: dict[str, Any]) -> dict[str, Any]:
    """The card's extensions with `kept` as what we say of the persona."""
    ours = {name: value for name, value in _ours(card).items() if name != "persona"}
    others = {k: v for k, v in (card.fields.get("extensions") or {}).items() if k != NAMESPACE}
    if kept:
        ours["persona"] = kept
    return others | ({NAMESPACE: ours} if ours else {})


def _not_default(told: dict[str, Any]) -> dict[str, Any]:
    """The fields that say something, as JSON has them."""
    said = {k: v for k, v in told.items() if v != Persona.model_fields[k].default}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in said.items()}


def _unusable(card: Card, error: ValidationError) -> CardError:
    """The sentence for a card that tells more than a persona may hold."""
    broken = broken_rule(error)
    if not broken.field:
        return CardError(f"{card.file}: a character {broken.must}")
    persona_field = broken.field.partition(".")[0]
    field = next((name for name, group in _GROUPS.items() if persona_field in group), "name")
    return bad_card(card.file, card.path(field), broken.must, broken.value)
