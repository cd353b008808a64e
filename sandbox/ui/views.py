"""What frames the chat: the banner, the doors of the first view, people and sessions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from personas.persona import Persona
from sandbox.sessions import SessionSummary
from sandbox.ui.chat_views import initial
from sandbox.ui.markup import Html, button, element, fold, joined, name_of, said
from sandbox.ui.method_parts import method_mark
from sandbox.ui.times import short_time

Readiness = Literal["loading", "ready", "failed"]
MARKS: dict[Readiness, tuple[str, str]] = {
    "loading": ("◌", "loading"),
    "ready": ("●", "ready"),
    "failed": ("✕", "failed"),
}
MOST_SESSIONS = 100


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the machinery behind the page."""

    what: str
    name: str
    state: Readiness
    sentence: str = ""
    """More about it; empty where there is nothing to say."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What the banner tells."""

    parts: tuple[Part, ...]
    folder: str
    network: str
    """Which traffic there is."""
    warnings: tuple[str, ...]
    """Broken files and what happened to the index, one sentence each."""

    @property
    def settled(self) -> bool:
        """Whether nothing is loading any more."""
        return all(part.state != "loading" for part in self.parts)


def banner(machine: Machine) -> Html:
    """What runs, where the data lies, which traffic there is, and what is wrong."""
    parts = [_part(part) for part in machine.parts]
    count = len(machine.warnings)
    caption = f"⚠ {count} {'notice' if count == 1 else 'notices'}"
    rows = [said(warning, "li") for warning in machine.warnings]
    told = element("ul", *rows)
    warnings = fold(caption, told, cls="warnings", key="notices") if rows else None
    return element(
        "div",
        element("div", element("h2", "Strategic Memory Sandbox"), *parts, warnings, cls="machine"),
        element(
            "p",
            "data folder ",
            said(machine.folder, "code"),
            f" · {machine.network} · without logins isolation is memory scoping, not access "
            "control: everybody who opens this page can read every bank",
            cls="fine",
        ),
        cls="banner-lines",
    )


def _part(part: Part) -> Html:
    mark, word = MARKS[part.state]
    return element(
        "span",
        element("span", mark, cls="dot", hidden="true"),
        f"{part.what} ",
        element("strong", part.name, dir="auto"),
        f" {word}",
        element("small", part.sentence) if part.sentence else None,
        cls=f"part {part.state}",
    )


def door_title(number: str, title: str, words: str | Html) -> Html:
    """What stands above a door: its number, its name, what lies behind it."""
    return joined(
        element("h3", element("span", number, cls="number", hidden="true"), title),
        element("p", words, cls="hint"),
    )


def sample_door(personas: Sequence[Persona]) -> Html:
    """The sample chats: one button a character that has a sample user."""
    chats = [
        button(
            joined(name_of(persona.sample_user.name), " → ", element("strong", persona.name)),
            "select",
            persona.id,
            cls="door-button",
        )
        for persona in personas
        if persona.sample_user
    ]
    return element("div", *chats, cls="door-buttons")


def character_door(personas: Sequence[Persona], more: int = 0) -> Html:
    """The characters, each with a sentence; choosing one opens a session as yourself.

    `more` counts the characters that have no place behind the door.
    """
    cards = [
        button(
            joined(element("strong", persona.name, dir="auto"), said(persona.summary[0], "small")),
            "select",
            persona.id,
            cls="door-button",
        )
        for persona in personas
    ]
    words = f"{more} of your own {'is' if more == 1 else 'are'} in the list of characters."
    rest = element("p", words, cls="empty") if more else None
    return joined(element("div", *cards, cls="door-buttons"), rest)


def file_door(persona: str, user: str) -> Html:
    """What an import does, and for whom."""
    words = joined(
        "Import a bank file (JSON lines, at most 10 MB) into what ",
        element("strong", name_of(persona)),
        " holds for ",
        element("strong", name_of(user)),
        ".",
    )
    return door_title("3", "File", words)


def profile(name: str, text: str, instance: str = "") -> Html:
    """The short profile of the person the human speaks as; `instance`: whom they exist for."""
    if not name:
        return element("p", "Say who you speak as.", cls="empty")
    words = text or "Nothing is known about this person yet; their memory starts blank."
    line = element(
        "div",
        element("span", initial(name), cls="initial", hidden="true"),
        said(words, "p", "profile" if text else "profile empty"),
        element(
            "span",
            button("edit", "edit", cls="quiet", label="edit who I am"),
            button("forget", "delete", cls="quiet", label="forget this person"),
            cls="profile-actions",
        ),
        cls="profile-line",
    )
    return joined(_instance(instance), line) if instance else line


def _instance(name: str) -> Html:
    return element(
        "p",
        element("strong", "instance ", name_of(name)),
        " Its bank is its own: nobody else's memory is read or changed.",
        cls="instance-line",
    )


def session_list(
    sessions: Sequence[SessionSummary], current: str, forked: Mapping[str, str] | None = None
) -> Html:
    """The sessions of two people, newest first, the open one marked.

    `forked` says by session where a copy in a branch was forked.
    """
    if not sessions:
        return element("p", "No sessions yet: press New session.", cls="empty")
    marks = forked or {}
    rows = [
        _session(summary, current, marks.get(summary.session.id, ""))
        for summary in sessions[:MOST_SESSIONS]
    ]
    more = len(sessions) - len(rows)
    older = element("p", f"… and {more} older ones.", cls="empty") if more else None
    return joined(element("ul", *rows, cls="sessions"), older)


def _session(summary: SessionSummary, current: str, forked: str) -> Html:
    session = summary.session
    here = session.id == current
    state = "ended" if session.ended_at else "open"
    turns = f"{summary.turns} {'turn' if summary.turns == 1 else 'turns'}"
    continued = "continued" if session.continues else ""
    told = turns, state, method_mark(session), forked, continued
    caption = joined(
        element("time", short_time(session.clock or session.created_at)),
        element("small", " · ".join(part for part in told if part)),
    )
    line = button(
        caption,
        "select",
        session.id,
        cls=f"session {state}{' here' if here else ''}",
        current="true" if here else None,
    )
    kept = "save this session as an instance"
    save = button("✚", "apply", session.id, cls="quiet", label=kept, title=kept)
    away = button("✕", "delete", session.id, cls="quiet", label="forget this session")
    return element("li", line, save, away, cls="session-line")


def out_of_touch() -> Html:
    """What a tab says when the program behind it is gone or another; hidden until then."""
    return joined(
        element(
            "p",
            "The sandbox was restarted. ",
            button("Reload", "reload", cls="link"),
            " to go on where you were; what is in the box stays.",
            cls="notice restarted",
            role="status",
        ),
        element(
            "p",
            "The sandbox does not answer; this page will come back when it does.",
            cls="notice unanswered",
            role="status",
        ),
    )


def imported_words(new: int, known: int, differing: int = 0) -> str:
    """What an import did, as a sentence without anybody's text."""
    words = f"{new} added, {known} already known."
    if differing:
        words += f" {differing} of the known ones say something else in the file; left alone."
    return words
