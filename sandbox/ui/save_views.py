"""What is made here: the list, the form, badges, history; what a second annotator sees."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sandbox.authoring.authored import Authored, Version
from sandbox.authoring.badge import Badge
from sandbox.episodes import GoldAdd
from sandbox.ui.markup import Html, button, element, fold, joined, name_of, said
from sandbox.ui.save_form import entry_rows, field, fields_of, labelled, tests_of
from sandbox.ui.times import short_time

NONE = (
    "Nothing is made here yet. Inspect a reply in the chat and press Save as instance: its form "
    "opens here, filled."
)
MARKS = {"ok": "✓", "warn": "!", "fail": "✗", "waiting": "…", "not run": "○"}


def made_list(versions: Sequence[Version], deleted: Sequence[Version]) -> Html:
    """The instances that are made here, by collection, each with its state."""
    if not versions and not deleted:
        return element("p", NONE, cls="empty")
    held: dict[str, list[Version]] = defaultdict(list)
    for one in versions:
        held[one.authored.collection].append(one)
    groups = [_group(name, found) for name, found in held.items()]
    back = [
        element(
            "li", one.authored.title, " ", button("Restore", "undo", one.authored.id, cls="small")
        )
        for one in deleted
    ]
    return joined(*groups, fold(f"Deleted ({len(back)})", element("ul", *back)) if back else None)


def _group(name: str, found: Sequence[Version]) -> Html:
    head = element(
        "div",
        element("strong", name_of(name)),
        " ",
        button("Publish", "apply", name, cls="small", label=f"Publish {name}"),
        cls="form-line",
    )
    return element("section", head, element("ul", *(_row(one) for one in found), cls="instances"))


def _row(one: Version) -> Html:
    id_ = one.authored.id
    second = one.stage in ("annotated", "second", "adjudicated") and one.authored.kind != "episode"
    decide = one.stage in ("second", "sampled")
    caption = joined(
        element("strong", one.authored.title, dir="auto"),
        element("small", f"{one.authored.kind} · {one.stage} · v{one.number}"),
    )
    return element(
        "li",
        button(caption, "select", id_, cls="instance"),
        button("annotate", "edit", id_, cls="small") if second else None,
        button("differences", "expand", id_, cls="small") if decide else None,
        button("✕", "delete", id_, cls="quiet", label=f"Delete {one.authored.title}"),
    )


def save_form(authored: Authored, history: Sequence[Version], collections: Iterable[str]) -> Html:
    """The form, with everything filled; its buttons keep a draft, or say that roles are checked."""
    number = history[-1].number if history else 0
    gold = {"dialogue": "golden entry", "episode": "memory"}.get(authored.kind, "role")
    episode = authored.kind == "episode"
    return element(
        "div",
        element("h2", "Save as instance" if not history else authored.title),
        _origin(authored),
        fields_of(authored, collections),
        tests_of(authored),
        element("h3", "Memories, turn by turn" if episode else f"Pool ({len(authored.pool)})"),
        _memories(authored) if episode else entry_rows(authored),
        labelled("Your name", field("author", "Your name", authored.author)),
        labelled("Why it is changed", field("reason", "Why it is changed", "")),
        element(
            "p",
            button("Save draft", "apply", cls="small"),
            button(f"Save, I looked at every {gold}", "submit", cls="small approve"),
            button("Close", "collapse", cls="small"),
            cls="form-line",
        ),
        _history(history),
        form=f"save {authored.id} v{number}",
        cls="made-form human-form",
    )


def _memories(authored: Authored) -> Html:
    """What was said, and under each utterance the memories that it supports; then what went."""
    rows = []
    for session in authored.talk.sessions if authored.talk else ():
        adds = session.gold.adds if session.gold else ()
        for turn in session.turns:
            held = [add for add in adds if add.entry.turns[:1] == (turn.id,)]
            told = [
                element("li", f"{add.entry.type}: ", said(add.entry.text, "span"), _instead(add))
                for add in held
            ]
            words = said(f"{turn.speaker}: {turn.text}", "p")
            rows.append(element("li", words, element("ul", *told, cls="notes") if told else None))
        known = {turn.id for turn in session.turns}
        adrift = [add for add in adds if not known & set(add.entry.turns[:1])]
        rows += [element("li", "No turn here: ", said(add.entry.text, "span")) for add in adrift]
        gone = len(session.gold.deletes) if session.gold else 0
        rows += [element("li", f"{gone} memories were deleted.", cls="why")] if gone else []
    return element("ul", *rows, cls="notes")


def _instead(add: GoldAdd) -> Html | None:
    """How many memories it takes the place of."""
    count = len(add.replaces)
    return element("small", f" in place of {count}") if count else None


def _origin(one: Authored) -> Html:
    said_ = fold(
        f"Said before ({len(one.history)})",
        *(said(f"{each.speaker}: {each.text}", "p") for each in one.history),
    )
    source = f" · from {one.origin.collection}" if one.origin.collection else ""
    facts = f"{one.persona.name} and {one.human.name} · {one.time or 'no clock'} · "
    facts += f"bank at revision {one.origin.revision}{source}"
    return joined(element("p", facts, cls="hint"), said_)


def _history(history: Sequence[Version]) -> Html | None:
    rows = [
        element(
            "li",
            f"v{one.number} {one.stage} · {one.author} · {short_time(one.created_at)} · ",
            said(one.reason, "span"),
        )
        for one in history
    ]
    return fold(f"History ({len(rows)})", element("ul", *rows, cls="notes")) if rows else None


def badge_list(badges: Sequence[Badge]) -> Html:
    """The checks with their numbers."""
    rows = [
        element(
            "li",
            element("strong", f"{MARKS[one.state]} {one.name}"),
            element("small", f" {one.state} · {one.section}"),
            said(one.sentence, "p"),
            element("small", " · ".join(f"{name} {told}" for name, told in one.numbers)),
            cls=f"badge badge-{one.state.replace(' ', '-')}",
        )
        for one in badges
    ]
    return joined(element("h3", "Quality"), element("ul", *rows, cls="notes badges"))
