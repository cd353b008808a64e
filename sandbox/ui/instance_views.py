"""One instance as its session will begin; roles and reasons are shown only where asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from personas.persona import Persona
from sandbox.instances import Instance, PoolEntry, Role
from sandbox.ui.entry_views import type_badge
from sandbox.ui.markup import Child, Html, element, fold, joined, name_of, said
from sandbox.ui.times import shown_time

LETTERS: dict[Role, str] = {"must": "M", "nice": "N", "irr": "I"}
GOLD = "Roles are now visible to you. No model ever gets them."


@dataclass(frozen=True, slots=True)
class Around:
    """What else stands in a preview."""

    head: Html | None = None
    """Above all."""
    under: Mapping[str, Html] = field(default_factory=dict)
    """Under an entry, by its key; shown with its role alone."""
    form: str | None = None
    """Names the form that the preview is, where it holds fields."""


def preview(instance: Instance | None, *, gold: bool, around: Around | None = None) -> Html:
    """One instance as its session will begin; without one, what to do."""
    if instance is None:
        return element(
            "p",
            "Choose an instance from the list: it is shown here before you open it.",
            cls="empty",
        )
    around = around or Around()
    return element(
        "article",
        element("h2", instance.title, dir="auto"),
        element("p", element("code", instance.id), f" · {instance.language}", cls="hint"),
        element("p", GOLD, cls="warning") if gold else None,
        around.head,
        _people(instance),
        _history(instance),
        _section("Query, put into the box and not sent", said(instance.query, "p", "query said")),
        _pool(instance, gold, around.under),
        _only_gold(instance) if gold else None,
        cls="preview",
        form=around.form,
    )


def _people(instance: Instance) -> Html:
    persona, human = instance.persona, instance.human
    state = " / ".join(told for told in (instance.emotion, instance.scene) if told)
    facts: list[tuple[str, Child]] = [
        ("Character", joined(element("strong", name_of(persona.name)), _traits(persona))),
        (
            "I speak as",
            joined(
                element("strong", name_of(human.name)),
                said(human.profile, "p") if human.profile else None,
            ),
        ),
        ("Clock", shown_time(instance.time) if instance.time else "the real one"),
        ("State", state or "none told"),
    ]
    return element(
        "dl",
        *(joined(element("dt", name), element("dd", value)) for name, value in facts),
        cls="facts-list",
    )


def _traits(persona: Persona) -> Html:
    topics: dict[str, tuple[str, ...]] = {
        "traits": persona.traits,
        "style": persona.style,
        "domains": persona.domains,
        "values": persona.values,
        "rules": persona.rules,
    }
    lines = [said(f"{name}: {'; '.join(told)}", "p") for name, told in topics.items() if told]
    about = [said(text, "p") for text in persona.summary]
    return joined(*about, fold("more", *lines) if lines else None)


def _history(instance: Instance) -> Html:
    names = {"user": instance.human.name, "assistant": instance.persona.name}
    lines = [
        element("li", element("strong", name_of(names[one.role])), " ", said(one.text, "span"))
        for one in instance.history
    ]
    count = f"Said before ({len(lines)})"
    nothing = element("p", "Nothing was said before.", cls="empty")
    return _section(count, element("ul", *lines, cls="history") if lines else nothing)


def _pool(instance: Instance, gold: bool, under: Mapping[str, Html]) -> Html:
    def row(entry: PoolEntry) -> Html:
        if not gold:
            return _entry(entry, None)
        return _entry(entry, _role(instance, entry), under.get(entry.key))

    rows = [row(entry) for entry in instance.listed()]
    return _section(
        f"Pool ({len(rows)})",
        element(
            "p",
            f"In an order that only the seed {instance.seed} decides"
            f"{'.' if gold else '; roles are hidden.'}",
            cls="hint",
        ),
        element("ul", *rows, cls="entries"),
    )


def _entry(entry: PoolEntry, role: Html | None, under: Html | None = None) -> Html:
    side = "user" if entry.side == "user" else "only this character"
    old = entry.status == "superseded"
    head = element(
        "div",
        role,
        type_badge(entry.type) if entry.type else None,
        element("span", side, cls="side"),
        element("time", entry.anchor) if entry.anchor else None,
        element("span", entry.emotion, cls="mood", dir="auto") if entry.emotion else None,
        element("span", entry.scene, cls="mood") if entry.scene else None,
        element("span", "superseded", cls="by") if old else None,
        cls="entry-head",
    )
    whole = element("div", head, said(entry.text, "p", "entry-text"), under, cls="entry")
    return element("li", whole, cls="gone" if old else None)


def _role(instance: Instance, entry: PoolEntry) -> Html | None:
    role = instance.roles.get(entry.key)
    if role is None:
        place = instance.golden.index(entry.key) + 1 if entry.key in instance.golden else 0
        return element("span", f"golden {place}", cls="role golden") if place else None
    reason = instance.reasons.get(entry.key)
    return element(
        "span",
        element("strong", LETTERS[role], hidden="true"),
        f" {role}",
        cls=f"role role-{role}",
        title=reason,
    )


def _only_gold(instance: Instance) -> Html:
    """What whoever may see the roles may see as well."""
    facts = [f"Scenario: {instance.scenario}"] if instance.roles else []
    if instance.golden:
        facts += [f"Golden, the most suitable first: {', '.join(instance.golden)}"]
    facts += [f"Recall: {instance.recall}"] if instance.recall else []
    facts += [f"Reply in the file: {instance.reply}"] if instance.reply is not None else []
    facts += instance.notes
    replies = [f"{one.name}: {one.text}" for one in instance.replies]
    pasted = fold(f"{len(replies)} reference replies", *(said(text, "p") for text in replies))
    return _section("Gold", *(said(text, "p") for text in facts), pasted if replies else None)


def _section(title: str, *children: Child) -> Html:
    return element("section", element("h3", title), *children)
