"""What is made here: the list, the form, badges, history; what a second annotator sees."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sandbox.authoring.authored import STAGES, Authored, Stage, Version
from sandbox.authoring.badge import Badge
from sandbox.authoring.episode_typed import Typed, typed_of
from sandbox.ui.episode_edit_questions import questions
from sandbox.ui.episode_edit_views import hidden, table
from sandbox.ui.markup import Html, button, element, fold, joined, name_of, said
from sandbox.ui.save_form import entry_rows, field, fields_of, labelled, tests_of
from sandbox.ui.save_values import OF
from sandbox.ui.times import short_time

NONE = (
    "Nothing is made here yet. Inspect a reply in the chat and press Save as instance, or press ✚ "
    "beside a session: its form opens here, filled."
)
STAGE_WORDS: Mapping[Stage, str] = {
    "draft": "draft",
    "annotated": "annotated",
    "second": "second annotator",
    "adjudicated": "adjudicated",
    "sampled": "second pass",
}
MARKS = {
    "ok": "✓",
    "warn": "!",
    "fail": "✗",
    "waiting": "…",
    "not run": "○",
    "not scored": "–",
}


def made_list(
    versions: Sequence[Version],
    deleted: Sequence[Version],
    changed: Mapping[str, str] | None = None,
) -> Html:
    """The instances that are made here, by collection, each with its state.

    `changed` tells by id what changed in the bank since.
    """
    if not versions and not deleted:
        return element("p", NONE, cls="empty")
    held: dict[str, list[Version]] = defaultdict(list)
    for one in versions:
        held[one.authored.collection].append(one)
    groups = [_group(name, found, changed or {}) for name, found in held.items()]
    back = [
        element(
            "li", one.authored.title, " ", button("Restore", "undo", one.authored.id, cls="small")
        )
        for one in deleted
    ]
    return joined(*groups, fold(f"Deleted ({len(back)})", element("ul", *back)) if back else None)


def _group(name: str, found: Sequence[Version], changed: Mapping[str, str]) -> Html:
    head = element(
        "div",
        element("strong", name_of(name)),
        " ",
        button("Publish", "apply", name, cls="small", label=f"Publish {name}"),
        button("Versions, export", "copy", name, cls="small", label=f"Versions of {name}"),
        button("Second pass", "retry", name, cls="small", label=f"Second pass over {name}"),
        cls="form-line",
    )
    rows = [_row(one, changed.get(one.authored.id)) for one in found]
    return element("section", head, element("ul", *rows, cls="instances"))


def _row(one: Version, changed: str | None) -> Html:
    id_ = one.authored.id
    since = element("span", "changed since", cls="doubt-mark", title=changed) if changed else None
    second = one.stage != "draft"
    decide = one.stage in ("second", "sampled")
    caption = joined(
        element("strong", one.authored.title, dir="auto"),
        element("small", f"{one.authored.kind} · {one.stage} · v{one.number}", since),
        stage_track(one.stage),
    )
    return element(
        "li",
        button(caption, "select", id_, cls="instance"),
        button("annotate", "edit", id_, cls="small") if second else None,
        button("differences", "expand", id_, cls="small") if decide else None,
        button("✕", "delete", id_, cls="quiet", label=f"Delete {one.authored.title}"),
    )


def stage_track(stage: Stage) -> Html:
    """How far an instance is, of all the stages that there are."""
    at = STAGES.index(stage)
    steps = [
        element("span", "●" if place <= at else "○", cls="done" if place <= at else None)
        for place, _one in enumerate(STAGES)
    ]
    return element("span", *steps, cls="stage-track", title=" → ".join(STAGES), hidden="true")


def stage_line(stage: Stage) -> Html:
    """The same in words, the present stage marked."""
    steps = [
        element(
            "strong" if one == stage else "span",
            STAGE_WORDS[one],
            current="step" if one == stage else None,
        )
        for one in STAGES
    ]
    shown = [part for step in steps for part in (" → ", step)][1:]
    return element("p", *shown, cls="hint stage-line")


def save_form(
    authored: Authored,
    history: Sequence[Version],
    collections: Iterable[str],
    typed: Typed | None = None,
) -> Html:
    """The form, with everything filled; its buttons keep a draft, or say that roles are checked.

    `typed` is what an episode's table holds, where that is not the gold itself.
    """
    number = history[-1].number if history else 0
    gold = {"dialogue": "golden entry", "episode": "memory"}.get(authored.kind, "role")
    return element(
        "div",
        element("h2", "Save as instance" if not history else authored.title),
        stage_line(history[-1].stage) if history else None,
        form_body(authored, collections, typed),
        hidden(OF, str(number)),
        labelled("Your name", field("author", "Your name", authored.author)),
        labelled("Why it is changed", field("reason", "Why it is changed", "")),
        element(
            "p",
            button("Save draft", "apply", cls="small"),
            button(f"Save, I looked at every {gold}", "submit", cls="small approve"),
            button("Close", "collapse", cls="small"),
            cls="form-line",
        ),
        _history(authored.id, history),
        form=f"save {authored.id} v{number}",
        cls="made-form human-form",
    )


def form_body(authored: Authored, collections: Iterable[str], typed: Typed | None = None) -> Html:
    """Everything of the form that is of the instance itself."""
    talk = authored.talk
    if authored.kind != "episode" or talk is None:
        gold = [element("h3", f"Pool ({len(authored.pool)})"), entry_rows(authored)]
    else:
        rows = typed or typed_of(authored)
        gold = [element("h3", "Memories, turn by turn"), table(talk, rows), questions(talk, rows)]
    return joined(_origin(authored), fields_of(authored, collections), tests_of(authored), *gold)


def old_version(version: Version, collections: Iterable[str]) -> Html:
    """A version as it was, to be looked at and taken back."""
    authored = version.authored
    name = f"{authored.id} {version.number}"
    return element(
        "div",
        element("h2", f"{authored.title}: version {version.number} as it was"),
        stage_line(version.stage),
        element("p", f"{version.author}, {short_time(version.created_at)}: ", cls="hint"),
        said(version.reason, "p"),
        element("fieldset", form_body(authored, collections), disabled=True, cls="as-it-was"),
        labelled("Your name", field("author", "Your name", "")),
        element(
            "p",
            button("Make this the next version", "undo", name, cls="small approve"),
            button("Back to the latest", "select", authored.id, cls="small"),
            cls="form-line",
        ),
        form=f"version {name}",
        cls="made-form human-form",
    )


def _origin(one: Authored) -> Html:
    said_ = fold(
        f"Said before ({len(one.history)})",
        *(said(f"{each.speaker}: {each.text}", "p") for each in one.history),
    )
    source = f" · from {one.origin.collection}" if one.origin.collection else ""
    facts = f"{one.persona.name} and {one.human.name} · {one.time or 'no clock'} · "
    facts += f"bank at revision {one.origin.revision}{source}"
    return joined(element("p", facts, cls="hint"), said_)


def _history(id_: str, history: Sequence[Version]) -> Html | None:
    """Every version; an earlier one can be looked at, and taken back there."""
    last = history[-1].number if history else 0
    rows = [
        element(
            "li",
            None
            if one.number == last
            else button(
                "look",
                "option_select",
                f"{id_} {one.number}",
                cls="small",
                label=f"Look at version {one.number}",
            ),
            f"v{one.number} {one.stage} · {one.author} · {short_time(one.created_at)} · ",
            said(one.reason, "span"),
        )
        for one in history
    ]
    return fold(f"History ({len(rows)})", element("ul", *rows, cls="notes")) if rows else None


def badge_list(badges: Sequence[Badge]) -> Html:
    """The checks with their numbers."""
    rows = [_badge(one) for one in badges]
    return joined(element("h3", "Quality"), element("ul", *rows, cls="notes badges"))


def _badge(one: Badge) -> Html:
    """One check: what it says, its numbers, and in a fold how they come about."""
    head = element(
        "div",
        element("strong", one.name),
        element("span", f"{MARKS[one.state]} {one.state}", cls="badge-state"),
        element("small", one.section),
        cls="badge-head",
    )
    numbers = [
        element("div", element("dt", name), " ", element("dd", told)) for name, told in one.numbers
    ]
    how = one.formula or bool(one.details)
    return element(
        "li",
        head,
        said(one.sentence, "p"),
        element("dl", *numbers, cls="badge-numbers") if numbers else None,
        _measured(one) if how else None,
        cls=f"badge badge-{one.state.replace(' ', '-')}{' wide' if one.formula else ''}",
    )


def _measured(one: Badge) -> Html:
    """The formula, and what the numbers are made of."""
    lines = [element("li", said(line, "span")) for line in one.details]
    return fold(
        "How it is measured",
        element("p", one.formula) if one.formula else None,
        element("ul", *lines) if lines else None,
        key=f"badge {one.name}",
    )
