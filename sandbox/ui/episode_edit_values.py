"""What the table of an episode's gold tells with a click: named fields, read as typed rows."""

from collections.abc import Mapping
from typing import Any

from sandbox.authoring.episode_typed import Typed, TypedChange, TypedEntry, TypedQuestion

ENTRY, CHANGE, QUESTION = "e", "c", "q"
"""How the names of a memory's, an operation's and a question's fields begin."""
SUPPORT, DECOY = "support", "decoy"
MORE = "more"
"""The field of a question that names one support more."""
_Rows = dict[str, dict[str, Any]]


def field_of(row: str, id_: str, name: str) -> str:
    """The name of a row's field."""
    return f"{row}|{id_}|{name}"


def typed_values(values: Mapping[str, Any]) -> Typed:
    """The rows, in the order of the page."""
    rows: dict[str, _Rows] = {ENTRY: {}, CHANGE: {}, QUESTION: {}}
    for name, value in values.items():
        row, _, rest = name.partition("|")
        id_, _, part = rest.partition("|")
        if row in rows and part:
            rows[row].setdefault(id_, {})[part] = value
    return Typed(
        entries=tuple(_entry(id_, told) for id_, told in rows[ENTRY].items()),
        changes=tuple(_change(id_, told) for id_, told in rows[CHANGE].items()),
        questions=tuple(_question(id_, told) for id_, told in rows[QUESTION].items()),
    )


def _entry(key: str, told: Mapping[str, Any]) -> TypedEntry:
    return TypedEntry(
        key=key,
        session=_text(told, "session"),
        place=_text(told, "place"),
        type=_text(told, "type"),
        text=_text(told, "text"),
        turns=_text(told, "turns"),
        emotion=_text(told, "emotion"),
        scene=_text(told, "scene"),
        anchor=_text(told, "anchor"),
        seen=told.get("seen", True) is True,
    )


def _change(id_: str, told: Mapping[str, Any]) -> TypedChange:
    return TypedChange(
        id=id_,
        session=_text(told, "session"),
        kind="replace" if told.get("kind") == "replace" else "forget",
        old=_text(told, "old"),
        new=_text(told, "new"),
        turns=_text(told, "turns"),
    )


def _question(id_: str, told: Mapping[str, Any]) -> TypedQuestion:
    named = {key.removeprefix("of|"): value for key, value in told.items() if key[:3] == "of|"}
    techniques = told.get("techniques")
    supports = [key for key, value in named.items() if value == SUPPORT]
    supports += [more] if (more := _text(told, MORE)) and more not in supports else []
    return TypedQuestion(
        id=id_,
        unit=_text(told, "unit"),
        text=_text(told, "text"),
        answer=_text(told, "answer"),
        kind=_text(told, "kind"),
        centre=_text(told, "centre"),
        phrasing=_text(told, "phrasing"),
        techniques=tuple(map(str, techniques)) if isinstance(techniques, list) else (),
        supports=tuple(supports),
        decoys=tuple(key for key, value in named.items() if value == DECOY),
    )


def _text(told: Mapping[str, Any], name: str) -> str:
    value = told.get(name, "")
    return value if isinstance(value, str) else ""
