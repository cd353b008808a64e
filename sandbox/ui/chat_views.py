"""The chat: two name plates, the bubbles, and the reply that is being written."""

from collections.abc import Sequence
from dataclasses import dataclass

from personas import expanded
from sandbox.instances import Said
from sandbox.live import Progress
from sandbox.transcripts import ReplyLine, Session, Turn
from sandbox.ui.branch_views import FORK
from sandbox.ui.markup import Html, button, element, joined, name_of, said
from sandbox.ui.times import shown_time

WINDOW = 30
"""Turns shown at first: about sixty messages."""
FINISHES = {
    "stop": None,
    "length": "cut at the token limit",
    "stopped": "stopped by you",
    "written": "written by hand",
    "given": "from the file",
}
EVALUATE = "What of the memory does this reply use, and how well? A judge says so beside the chat."
INTERRUPTED = "The reply was interrupted before it was saved."


@dataclass(frozen=True, slots=True)
class Later:
    """What of a talk had not been said yet at a revision of the bank."""

    revision: int
    turns: frozenset[str]
    """Ids of the turns."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What of a session is on the screen."""

    session: Session
    turns: Sequence[Turn]
    selected: str
    """Id of the reply that the inspector shows; empty for none."""
    writing: str
    """Id of the turn whose reply is being written; empty for none."""
    window: int = WINDOW
    """How many of the last turns are shown."""
    evidence: Html | None = None
    """The selected reply's text with what it uses of memory underlined; null where not judged."""
    later: Later | None = None
    """What was said after the revision the bank is shown at; null where that is the latest."""


def plates(session: Session) -> Html:
    """Who answers, who speaks, when, and whether the session is open."""
    return element(
        "div",
        _plate(session.persona.name, "character", "agent"),
        element("span", "with", cls="with"),
        _plate(session.speaker, "I speak as", "user"),
        element("span", *_facts(session), cls="facts"),
        cls="plates",
    )


def bubbles(shown: Shown) -> Html:
    """The last turns as bubbles, the oldest first; a greeting and openers before the first."""
    hidden = max(0, len(shown.turns) - shown.window)
    visible = shown.turns[hidden:]
    earlier = None
    if hidden:
        caption = f"Show earlier ({hidden} more {'turn' if hidden == 1 else 'turns'})"
        earlier = button(caption, "expand", cls="quiet earlier")
    opening = None if hidden else _opening(shown)
    turns = [_at_revision(shown, turn) for turn in visible]
    return element(
        "div",
        earlier,
        opening,
        *turns,
        cls="turns",
        role="log",
        label="Conversation",
        session=shown.session.id,
    )


def growing(session: Session, progress: Progress | None) -> Html:
    """The reply that is being written; nothing where none is."""
    if progress is None or progress.status != "writing":
        return Html("")
    text = progress.text or "recalling and thinking…"
    return element(
        "article",
        _head(session.persona.name, "writing, not saved yet"),
        said(text, cls="said" if progress.text else "said thinking"),
        cls="bubble agent live",
    )


def _plate(name: str, what: str, kind: str) -> Html:
    return element(
        "span",
        element("span", initial(name), cls="initial", hidden="true"),
        element("span", element("small", what), element("strong", name, dir="auto"), cls="who"),
        cls=f"plate {kind}",
    )


def initial(name: str) -> str:
    """The letter that stands for a name; a dot where it has none."""
    return next((character.upper() for character in name if character.isalnum()), "·")


def _facts(session: Session) -> list[Html]:
    clock = f"clock {shown_time(session.clock)}" if session.clock else "real clock"
    facts = [element("span", clock)]
    if session.instance:
        facts.insert(0, element("span", "instance ", name_of(session.instance.id)))
    if session.emotion or session.scene:
        moment = " / ".join(told for told in (session.emotion, session.scene) if told)
        facts.append(element("span", moment, dir="auto", title="Emotion and scene of the moment"))
    if session.profile:
        facts.append(element("span", "knows who I am", title=session.profile))
    if session.continues:
        link = button("the one before", "select", session.continues, cls="link")
        facts.append(element("span", "continues ", link))
    if session.ended_at:
        facts.append(element("span", f"ended {shown_time(session.ended_at)}, read-only", cls="end"))
    return facts


def _opening(shown: Shown) -> Html:
    """What stands before the first turn: the greeting, and openers while nothing is said.

    A session that was opened in the middle of a talk begins with what was said before instead.
    """
    session = shown.session
    if session.prelude:
        return joined(*(_before(session, one) for one in session.prelude))
    greeting = expanded(session.persona, session.speaker, seed=session.id).greeting
    bubble = _earlier("agent", session.persona.name, "greeting", greeting) if greeting else None
    return joined(bubble, None if shown.turns else _openers(session))


def _before(session: Session, one: Said) -> Html:
    """Something that was said before the session."""
    if one.role == "user":
        return _earlier("user", session.speaker, "said before", one.text)
    return _earlier("agent", session.persona.name, "said before", one.text)


def _earlier(kind: str, name: str, mark: str, text: str) -> Html:
    """A bubble that belongs to no turn."""
    return element("article", _head(name, mark), said(text), cls=f"bubble {kind} before")


def _openers(session: Session) -> Html:
    """Texts of the sample user that go into the box with one click; a hint for anybody else."""
    sample = session.persona.sample_user
    if sample is None or " ".join(sample.name.split()) != session.speaker:
        return element("p", "Say the first word below.", cls="hint")
    chips = [
        button(said(text, "span"), "opener", text=text, cls="opener")
        for text in session.persona.openers
    ]
    hint = element("p", "Say something of your own, or start with one of these:", cls="hint")
    return element("div", hint, *chips, cls="openers")


def _at_revision(shown: Shown, turn: Turn) -> Html:
    """A turn; greyed where it is later than the bank that is shown."""
    later, view = shown.later, _turn(shown, turn)
    if later is None or turn.id not in later.turns:
        return view
    first = next(one.id for one in shown.turns if one.id in later.turns)
    words = f"Not said yet at revision {later.revision}, where the bank is shown:"
    line = element("p", words, cls="later-line", role="status") if turn.id == first else None
    return joined(line, element("div", view, cls="later"))


def _turn(shown: Shown, turn: Turn) -> Html:
    reply = turn.reply if turn.reply and turn.reply.text else None
    return joined(
        _user_bubble(shown.session, turn) if turn.text else None,
        _reply_bubble(shown, turn, reply) if reply else None,
        _waiting(shown, turn) if turn.status == "open" and turn.id != shown.writing else None,
    )


def _user_bubble(session: Session, turn: Turn) -> Html:
    told = [shown_time(turn.at), turn.emotion, turn.scene, _origin(turn)]
    return element(
        "article",
        _head(session.speaker, " · ".join(part for part in told if part)),
        said(turn.text),
        cls="bubble user",
    )


def _origin(turn: Turn) -> str | None:
    """Who said it, if no person did."""
    if turn.origin is None:
        return None
    return f"by {turn.origin.model}" if turn.origin.kind == "model" else "from the file"


def _reply_bubble(shown: Shown, turn: Turn, reply: ReplyLine) -> Html:
    selected = reply.id == shown.selected
    marks = [FINISHES[reply.finish], "saved"]
    return element(
        "article",
        _head(shown.session.persona.name, " · ".join(mark for mark in marks if mark)),
        shown.evidence if selected and shown.evidence else said(reply.text),
        element("footer", *_reply_actions(shown, turn, reply)),
        on="select",
        id=reply.id,
        cls="bubble agent selected" if selected else "bubble agent",
    )


def _reply_actions(shown: Shown, turn: Turn, reply: ReplyLine) -> list[Html]:
    inspected = reply.id == shown.selected
    caption = "inspected" if inspected else "inspect"
    pressed = "true" if inspected else "false"
    actions = [button(caption, "select", reply.id, cls="quiet", pressed=pressed)]
    actions.append(button("evaluate", "apply", reply.id, cls="quiet", title=EVALUATE))
    changeable = turn is shown.turns[-1] and not shown.session.ended_at and not shown.writing
    actions += _siblings(turn, reply, changeable)
    if changeable:
        actions.append(button("regenerate", "retry", turn.id, cls="quiet"))
        actions.append(button("write the reply myself", "edit", turn.id, cls="quiet"))
    actions.append(button("fork here", "copy", turn.id, cls="quiet", title=FORK))
    return actions


def _siblings(turn: Turn, reply: ReplyLine, changeable: bool) -> list[Html]:
    """Which of the turn's replies this is, with a way to choose another."""
    if len(turn.replies) < 2:
        return []
    place = next(index for index, line in enumerate(turn.replies) if line.id == reply.id)
    words = element("span", f"reply {place + 1} of {len(turn.replies)}", cls="sibling")
    if not changeable:
        return [words]
    before = turn.replies[place - 1].id if place > 0 else ""
    after = turn.replies[place + 1].id if place + 1 < len(turn.replies) else ""
    return [_step("‹", "reply before", before), words, _step("›", "reply after", after)]


def _step(mark: str, label: str, reply: str) -> Html:
    return button(mark, "option_select", reply, cls="quiet", label=label, disabled=not reply)


def _waiting(shown: Shown, turn: Turn) -> Html:
    """An open turn that nobody is answering: why, and what can be done."""
    again = button("Try again", "retry", turn.id, cls="small")
    by_hand = button("write the reply myself", "edit", turn.id, cls="quiet")
    actions = None if shown.session.ended_at else element("footer", again, by_hand)
    return element(
        "article",
        element("p", element("strong", "No reply. "), said(turn.trouble or INTERRUPTED, "span")),
        actions,
        cls="bubble trouble",
        role="status",
    )


def _head(name: str, mark: str) -> Html:
    return element(
        "header", element("strong", name_of(name)), element("small", mark, dir="auto"), cls="head"
    )
