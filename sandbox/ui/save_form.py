"""The form of an instance that is being made: a view, read back as plain values."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from memory_banks.entries import SCENES
from sandbox.authoring.authored import PHRASINGS, Authored, AuthoredEntry
from sandbox.authoring.episode_edits import as_typed, with_gold
from sandbox.authoring.tagging import corrected
from sandbox.inputs import BadInput
from sandbox.instances import ROLES
from sandbox.judges.guideline import SITUATIONS
from sandbox.ui.episode_edit_values import typed_values
from sandbox.ui.instance_views import LETTERS
from sandbox.ui.markup import Child, Html, element, fold, joined, said

_TEXTS = ("collection", "title", "query", "reference", "emotion", "scene", "licence", "situation")


def entry_rows(authored: Authored) -> Html:
    """One fieldset an entry: its role with letter and colour, its golden place, its evidence."""
    return joined(*(_entry(authored, one) for one in authored.pool))


def _entry(authored: Authored, one: AuthoredEntry) -> Html:
    key, tag = one.held.key, one.tag
    role = tag.role if tag else ""
    badge = element("span", "no role", cls="role role-none")
    if tag:
        letter = element("strong", LETTERS[tag.role], hidden="true")
        badge = element("span", letter, f" {tag.role}", cls=f"role role-{tag.role}")
    source = f"{tag.source} by {tag.by}" if tag else "nobody has given a role"
    place = str(authored.golden.index(key) + 1) if key in authored.golden else ""
    turns = one.held.provenance.turns
    evidence = f"evidence: {', '.join(turns)}" if turns else "no evidence turns"
    line = [choice(f"role|{key}", ("role: open", *ROLES), "Role of this entry", role)]
    if authored.kind == "dialogue":
        line = [element("small", "golden place"), field(f"golden|{key}", "Golden place", place)]
    shown = "" if key in authored.shown or authored.kind == "reply" else " · not among those shown"
    return element(
        "fieldset",
        element("legend", badge if authored.kind == "reply" else "entry"),
        said(one.held.text, "p", "entry-text"),
        element("div", *line, element("small", source), cls="form-line"),
        element("small", f"{evidence}{shown}", cls="why"),
    )


def fields_of(authored: Authored, collections: Iterable[str]) -> Html:
    """Everything else: where it belongs, what is asked, the reference, the license."""
    known = ", ".join(dict.fromkeys(collections)) or "none yet"
    kept = " (inherited: it stays)" if authored.licence_kept else ""
    license_ = said(authored.licence, "p") if authored.licence_kept else None
    return joined(
        labelled("Collection", field("collection", "Collection", authored.collection)),
        element("small", f"Made here already: {known}", cls="hint"),
        labelled("Title", field("title", "Title", authored.title)),
        None if authored.kind == "episode" else _asked(authored),
        labelled(f"License{kept}", license_ or field("licence", "License", authored.licence)),
        None if authored.kind == "episode" else _guideline(authored),
    )


def _asked(authored: Authored) -> Html:
    """What is asked and what should be said; an episode has questions of its own instead."""
    return joined(
        labelled("Query", area("query", "Query", authored.query)),
        labelled("Reference reply", area("reference", "Reference reply", authored.reference)),
        element(
            "p",
            element("small", "Emotion "),
            field("emotion", "Emotion", authored.emotion or ""),
            choice("scene", ("scene: none", *SCENES), "Scene", authored.scene or ""),
            choice("phrasing", ("phrasing: open", *PHRASINGS[1:]), "Phrasing", authored.phrasing),
            cls="form-line",
        ),
    )


def _guideline(authored: Authored) -> Html:
    names = tuple(one.name for one in SITUATIONS)
    known = next((one for one in SITUATIONS if one.name == authored.situation), None)
    ticks = [
        tick("points", f"{number}. {text}", str(number), checked=number in authored.points)
        for number, text in enumerate(known.points if known else (), start=1)
    ]
    return fold(
        "ES guideline",
        choice("situation", ("situation: none", *names), "Situation", authored.situation or ""),
        element("div", *ticks, cls="ticks") if ticks else None,
        key="save guideline",
    )


def tests_of(authored: Authored) -> Html | None:
    """Of a dialogue: the turns of the user to be tested at."""
    if authored.kind != "dialogue" or authored.talk is None:
        return None
    asked = [one for one in authored.talk.turns() if one.role == "user"]
    ticks = [tick("tests", one.text, one.id, checked=one.id in authored.tests) for one in asked]
    return element("div", element("strong", "Tested at"), *ticks, cls="ticks")


def applied(base: Authored, values: Mapping[str, Any], author: str) -> Authored:
    """The form with what was typed into it; roles that changed are `author`'s.

    Raises:
        BadInput: if a role or a golden place is none, or an episode's gold does not fit.
    """
    found = _told(base, values)
    if base.kind == "dialogue":
        return found
    if base.kind == "episode":
        return with_gold(found, typed_values(values))
    roles = {
        key.removeprefix("role|"): value
        for key, value in values.items()
        if key.startswith("role|") and isinstance(value, str)
    }
    return corrected(found, roles, author, only=True)


def previewed(base: Authored, values: Mapping[str, Any], author: str) -> Authored:
    """The same for checks while it is typed: an episode's gold need not fit yet."""
    if base.kind == "episode":
        return as_typed(_told(base, values), typed_values(values))
    return applied(base, values, author)


def _told(base: Authored, values: Mapping[str, Any]) -> Authored:
    """The form with what was typed, without roles and an episode's gold."""
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    told = {name: texts[name] for name in _TEXTS if name in texts}
    if base.licence_kept:
        told.pop("licence", None)
    changes: dict[str, Any] = {
        **told,
        "phrasing": texts.get("phrasing", base.phrasing),
        "points": tuple(int(one) for one in _listed(values, "points") if one.isdigit()),
    }
    for name in ("emotion", "scene", "situation"):
        if name in changes:
            changes[name] = changes[name] or None
    if changes.get("reference", base.reference) != base.reference:
        changes["reference_by"] = "human"
    if base.kind == "dialogue":
        changes |= {"golden": _golden(texts), "tests": tuple(_listed(values, "tests"))}
    return replace(base, **changes)


def _golden(texts: Mapping[str, str]) -> tuple[str, ...]:
    places = {
        key.removeprefix("golden|"): value.strip()
        for key, value in texts.items()
        if key.startswith("golden|") and value.strip()
    }
    if bad := [one for one in places.values() if not one.isascii() or not one.isdigit()]:
        raise BadInput(f"A golden place must be a number such as 1, got {bad[0][:20]!r}.")
    return tuple(sorted(places, key=lambda key: int(places[key])))


def _listed(values: Mapping[str, Any], name: str) -> list[str]:
    found = values.get(name)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def field(name: str, label: str, value: str) -> Html:
    """A line of text."""
    return element("input", type="text", field=name, label=label, value=value)


def area(name: str, label: str, value: str) -> Html:
    """Several lines of text."""
    return element("textarea", value, field=name, label=label, rows="3")


def choice(name: str, options: Iterable[str], label: str, value: str = "") -> Html:
    """A list to choose from; its first option is a word for nothing."""
    first, *rest = options
    chosen = [element("option", first, value="", selected=not value)]
    chosen += [element("option", one, value=one, selected=one == value) for one in rest]
    return element("select", *chosen, field=name, label=label)


def tick(name: str, words: Child, value: str, *, checked: bool) -> Html:
    """One tick of several that go by the same name."""
    box = element("input", type="checkbox", field=name, value=value, id="many", checked=checked)
    return element("label", box, element("span", words), cls="tick")


def labelled(words: str, inside: Html) -> Html:
    """A field under its name."""
    return element("label", element("small", words), inside, cls="form-block")
