"""Collections and their instances: figures, a list to search in, one instance before it is opened.

Roles, reasons and what they make of an instance are shown where `gold` asks for them, and else not.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from personas.persona import Persona
from sandbox.formats import FORMATS
from sandbox.instances import Collection, Figures, Instance, PoolEntry, Quirk, Refused, Role
from sandbox.opening import Shelved
from sandbox.ui.entry_views import type_badge
from sandbox.ui.markup import Child, Html, button, element, fold, joined, name_of, said
from sandbox.ui.times import short_time, shown_time

MOST = 100
"""Instances on the screen; a search finds the others."""
MOST_NOTES = 200
LETTERS: dict[Role, str] = {"must": "M", "nice": "N", "irr": "I"}
GOLD = "Roles are now visible to you. No model ever gets them."


def shelf(shelved: Sequence[Shelved], current: str) -> Html:
    """The collections there are, the chosen one marked; imported ones can be removed."""
    return element("ul", *(_shelved(one, current) for one in shelved), cls="shelf")


def importable() -> Html:
    """What can be imported."""
    kinds = [element("li", kind.described) for kind in FORMATS]
    return fold(
        "What can I import?",
        element("p", "A JSON file of at most 5 MB that holds one of these:"),
        element("ul", *kinds),
        element(
            "p",
            "The file is kept with your data and read again when an instance is opened. A file "
            "that cannot be read changes nothing.",
            cls="hint",
        ),
        cls="fold importable",
    )


def figures(collection: Collection) -> Html:
    """A collection in numbers, with what was refused and what was odd."""
    told = collection.figures()
    rows = [
        ("Instances", f"{told.read} read, {told.refused} refused"),
        ("Scenarios", _counts(told.scenarios)),
        ("Pools", _pools(told)),
        ("Entries", f"{_total(told.roles):,}: {_counts(told.roles, ' / ')}"),
        ("Languages", _counts(told.languages)),
    ]
    table = [joined(element("dt", name), element("dd", value)) for name, value in rows]
    return joined(
        element("dl", *table, cls="figures"),
        _refused(collection.refused),
        _quirks(collection.quirks),
    )


def matching(collection: Collection, search: str) -> list[Instance]:
    """The instances whose id, title, people, language or query hold every word, in order.

    Roles, reasons and reference replies are not searched: a hit would betray them.
    """
    words = search.casefold().split()
    return [one for one in collection.instances if _holds(one, words)]


def instance_list(found: Sequence[Instance], all_: int, current: str, *, gold: bool) -> Html:
    """The first of the instances found, the chosen one marked."""
    if not found:
        return element("p", "No instance holds all of these words: search for fewer.", cls="empty")
    count = f"{len(found)} of {all_} instances" if len(found) < all_ else f"{all_} instances"
    more = len(found) - MOST
    rest = f"… and {more} more: search for a word of theirs." if more > 0 else None
    return joined(
        element("p", count, cls="hint"),
        element("ul", *(_row(one, current, gold) for one in found[:MOST]), cls="instances"),
        element("p", rest, cls="empty") if rest else None,
    )


def removal(name: str, opened: int) -> Html:
    """What removing a collection means, before it is done."""
    if opened:
        sessions = "1 session was" if opened == 1 else f"{opened} sessions were"
        words = f" stays: {sessions} opened from it, and roles are looked up in its file."
        return element("p", element("strong", name_of(name)), words, cls="warning")
    return element(
        "p",
        "Remove ",
        element("strong", name_of(name)),
        "? No session was opened from it, and its file can be imported again.",
        cls="warning",
    )


def preview(instance: Instance | None, *, gold: bool) -> Html:
    """One instance as its session will begin; without one, what to do."""
    if instance is None:
        return element(
            "p",
            "Choose an instance from the list: it is shown here before you open it.",
            cls="empty",
        )
    return element(
        "article",
        element("h2", instance.title, dir="auto"),
        element("p", element("code", instance.id), f" · {instance.language}", cls="hint"),
        element("p", GOLD, cls="warning") if gold else None,
        _people(instance),
        _history(instance),
        _section("Query, put into the box and not sent", said(instance.query, "p", "query said")),
        _pool(instance, gold),
        _only_gold(instance) if gold else None,
        cls="preview",
    )


def _shelved(one: Shelved, current: str) -> Html:
    here = one.sha256 == current
    when = f"imported {short_time(one.added)}" if one.added else "comes with the program"
    choose = button(
        joined(element("strong", name_of(one.name)), element("small", when)),
        "select",
        one.sha256,
        cls=f"collection{' here' if here else ''}",
        current="true" if here else None,
    )
    remove = button("Remove", "delete", one.sha256, cls="quiet", label=f"Remove {one.name}")
    return element("li", choose, remove if one.added else None)


def _total(counts: Mapping[Any, int]) -> int:
    return sum(counts.values())


def _counts(counts: Mapping[Any, int], between: str = ", ") -> str:
    """`15 must / 20 nice / 54 irr`; what does not occur is left out unless nothing does."""
    told = [f"{count} {name}" for name, count in counts.items() if count or between != ", "]
    return between.join(told) or "none"


def _pools(told: Figures) -> str:
    """The sizes with their counts: `7-8 entries (7 of 7, 5 of 8)`."""
    sizes = list(told.pools)
    span = f"{sizes[0]}-{sizes[-1]}" if len(sizes) > 1 else str(sizes[0])
    each = ", ".join(f"{count} of {size}" for size, count in told.pools.items())
    return f"{span} entries ({each})"


def _refused(refused: Sequence[Refused]) -> Html | None:
    rows = [_note(one.where, one.sentence) for one in refused[:MOST_NOTES]]
    return (
        fold(f"{len(refused)} refused", element("ul", *rows), cls="fold refused") if rows else None
    )


def _quirks(quirks: Sequence[Quirk]) -> Html | None:
    """Oddities with file and place, folded: some tell what a role is."""
    if not quirks:
        return None
    rows = [_note(f"{one.file}: {one.where}", one.sentence) for one in quirks[:MOST_NOTES]]
    more = len(quirks) - len(rows)
    count = f"{len(quirks)} {'oddity' if len(quirks) == 1 else 'oddities'}, read all the same"
    rest = element("p", f"… and {more} more.", cls="empty") if more else None
    return fold(count, element("ul", *rows), rest, cls="fold quirks")


def _note(place: str, sentence: str) -> Html:
    return element("li", element("code", place, dir="auto"), " ", said(sentence, "span"))


def _holds(one: Instance, words: Sequence[str]) -> bool:
    """Whether all words are in what is told of the instance."""
    told = (one.id, one.title, one.language, one.persona.name, one.human.name, one.query)
    text = "\n".join(told).casefold()
    return all(word in text for word in words)


def _row(one: Instance, current: str, gold: bool) -> Html:
    here = one.id == current
    facts = [one.id, one.language, f"pool {len(one.pool)}"]
    facts += [short_time(one.time)] if one.time else []
    facts += [one.scenario] if gold else []
    caption = joined(
        element("strong", one.title, dir="auto"),
        said(one.query, "span", "row-query said"),
        element("small", " · ".join(facts)),
    )
    return element(
        "li",
        button(
            caption,
            "select",
            one.id,
            cls=f"instance{' here' if here else ''}",
            current="true" if here else None,
        ),
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


def _pool(instance: Instance, gold: bool) -> Html:
    listed = instance.listed()
    role: Callable[[PoolEntry], Html | None] = (
        (lambda entry: _role(instance, entry)) if gold else (lambda _entry: None)
    )
    rows = [_entry(entry, role(entry)) for entry in listed]
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


def _entry(entry: PoolEntry, role: Html | None) -> Html:
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
    whole = element("div", head, said(entry.text, "p", "entry-text"), cls="entry")
    return element("li", whole, cls="gone" if old else None)


def _role(instance: Instance, entry: PoolEntry) -> Html:
    role = instance.roles[entry.key]
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
    facts = [f"Scenario: {instance.scenario}", *instance.notes]
    replies = [f"{one.name}: {one.text}" for one in instance.replies]
    pasted = fold(f"{len(replies)} reference replies", *(said(text, "p") for text in replies))
    return _section("Gold", *(said(text, "p") for text in facts), pasted if replies else None)


def _section(title: str, *children: Child) -> Html:
    return element("section", element("h3", title), *children)
