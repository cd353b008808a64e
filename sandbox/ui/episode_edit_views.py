"""The table of an episode's gold, to be edited: turns with their memories, operations, the bank."""

from collections.abc import Iterable, Mapping, Sequence

from memory_banks.entries import ENTRY_TYPES, SCENES, TurnRole
from sandbox.authoring.episode_building import built, live_before
from sandbox.authoring.episode_typed import (
    JOINS,
    Typed,
    TypedChange,
    TypedEntry,
    numbers_of,
)
from sandbox.authoring.session_filling import ALLOWED
from sandbox.episodes import Episode, EpisodeSession, EpisodeTurn, gold_bank
from sandbox.ui.episode_edit_values import CHANGE, ENTRY, field_of
from sandbox.ui.markup import Html, button, element, fold, joined, said
from sandbox.ui.save_form import choice, field, labelled
from sandbox.ui.times import short_time

RULES = (
    "A memory stands at the turn that gives it and rests on that turn and earlier ones. What the "
    "user says gives episodic, user_profile or fact; what the character says gives episodic or an "
    "agent type. Memories enter the bank by themselves; operations say what takes the place of "
    "what, and what is to be forgotten."
)
_SHORT = 70


def table(talk: Episode, typed: Typed, *, blind: bool = False) -> Html:
    """Every session turn by turn; with `blind` what turns give alone, without operations."""
    numbers = numbers_of(talk)
    made = built(talk, typed)
    sections = [
        _session(made, typed, place, numbers, blind=blind)
        for place, _one in enumerate(made.sessions)
    ]
    return joined(element("p", RULES, cls="hint"), *sections)


def _session(
    made: Episode, typed: Typed, place: int, numbers: Mapping[str, str], *, blind: bool
) -> Html:
    session = made.sessions[place]
    time = f" · {short_time(session.at)}" if session.at else ""
    return element(
        "section",
        element("h3", f"Session {place + 1}{time}"),
        *(_turn(turn, typed.at(turn.id), numbers) for turn in session.turns),
        None if blind else _operations(made, session, typed, place),
        None if blind else _bank(made, place),
        cls="gold-session",
    )


def _turn(turn: EpisodeTurn, rows: Sequence[TypedEntry], numbers: Mapping[str, str]) -> Html:
    number = numbers[turn.id]
    add = button("+ memory", "expand", f"entry {turn.id}", cls="small", label=f"Add at {number}")
    return element(
        "article",
        element(
            "div",
            element("small", f"{number} {_speaks(turn.role)}"),
            said(f"{turn.speaker}: {turn.text}", "p"),
            add,
            cls="gold-turn",
        ),
        *(_entry(one, ALLOWED[turn.role], number) for one in rows),
        cls=f"turn-of-{turn.role}",
    )


def _speaks(role: TurnRole) -> str:
    return "user" if role == "user" else "character"


def _entry(one: TypedEntry, types: Iterable[str], where: str) -> Html:
    def name(part: str) -> str:
        return field_of(ENTRY, one.key, part)

    state = None if one.seen else tick_box(name("seen"), "proposed: I looked at it")
    return element(
        "fieldset",
        element("legend", f"Memory {where}"),
        hidden(name("session"), one.session),
        hidden(name("place"), one.place),
        element(
            "div",
            choice(name("type"), ("type: choose", *types), "Type", one.type),
            state,
            button("✕", "delete", one.key, cls="quiet", label=f"Drop this memory at {where}"),
            cls="form-line",
        ),
        element("textarea", one.text, field=name("text"), label="Memory", rows="2", dir="auto"),
        element(
            "div",
            labelled("Evidence turns", field(name("turns"), "Evidence turns", one.turns)),
            labelled("Day", field(name("anchor"), "Day", one.anchor)),
            labelled("Emotion", field(name("emotion"), "Emotion", one.emotion)),
            choice(name("scene"), ("scene: none", *SCENES), "Scene", one.scene),
            cls="form-line",
        ),
        cls="gold-memory" if one.seen else "gold-memory is-proposed",
    )


def _operations(made: Episode, session: EpisodeSession, typed: Typed, place: int) -> Html:
    own = [one for one in typed.entries if one.session == session.id]
    joins = [one for one in own if one.place == JOINS]
    rows = [_change(made, typed, one, own) for one in typed.changes if one.session == session.id]
    where = f"session {place + 1}"
    buttons = [
        button(
            "+ replace", "expand", f"replace {session.id}", cls="small", label=f"Replace in {where}"
        ),
        button(
            "+ forget", "expand", f"forget {session.id}", cls="small", label=f"Forget in {where}"
        ),
        button("+ add one that joins others", "expand", f"entry {session.id}", cls="small"),
    ]
    return element(
        "div",
        element("strong", f"Operations of {where}"),
        *rows,
        *(_entry(one, ENTRY_TYPES, f"joining others in {where}") for one in joins),
        element("p", *buttons, cls="form-line"),
        cls="gold-operations",
    )


def _change(made: Episode, typed: Typed, one: TypedChange, own: Sequence[TypedEntry]) -> Html:
    def name(part: str) -> str:
        return field_of(CHANGE, one.id, part)

    live = [(held.key, held.text) for held in live_before(made, typed, one)]
    old = options(name("old"), "what goes: choose", live, "What goes", one.old)
    if one.kind == "replace":
        fresh = [(row.key, row.text) for row in own]
        rest = options(name("new"), "what comes: choose", fresh, "What comes", one.new)
        line = (element("strong", "replace "), old, element("span", " → "), rest)
    else:
        asked = field(name("turns"), "Turns that ask to forget it", one.turns)
        line = (element("strong", "forget "), old, element("small", "because of turn"), asked)
    return element(
        "div",
        hidden(name("session"), one.session),
        hidden(name("kind"), one.kind),
        *line,
        button("✕", "delete", one.id, cls="quiet", label="Drop this operation"),
        cls="form-line gold-change",
    )


def _bank(made: Episode, place: int) -> Html:
    held = gold_bank(made, place + 1)
    rows = [element("li", f"{one.type} ", said(one.text, "span")) for one in held]
    return fold(
        f"Gold bank after session {place + 1} ({len(held)})",
        element("ul", *rows, cls="notes") if rows else element("p", "Empty.", cls="empty"),
        button("Work it out again", "release", cls="small"),
        key=f"gold bank {place}",
    )


def short(text: str) -> str:
    """The first words of a text, for a list to choose from."""
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else f"{line[: _SHORT - 1]}…"


def options(
    name: str, nothing: str, held: Iterable[tuple[str, str]], label: str, value: str
) -> Html:
    """A list of memories to choose from, by their keys; a chosen one that is gone is nothing."""
    rows = [element("option", nothing, value="")]
    rows += [
        element("option", short(text) or "(no text yet)", value=key, selected=key == value)
        for key, text in held
    ]
    return element("select", *rows, field=name, label=label)


def hidden(name: str, value: str) -> Html:
    """A field that nobody sees."""
    return element("input", type="hidden", field=name, value=value)


def tick_box(name: str, words: str) -> Html:
    """One tick, for yes or no."""
    box = element("input", type="checkbox", field=name)
    return element("label", box, element("span", words), cls="tick")
