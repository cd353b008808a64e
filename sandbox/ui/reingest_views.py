"""Sessions read again by another method: the form, how far it is, what came of it."""

from collections.abc import Sequence

from graphs.methods import METHOD_NAMES
from sandbox.lifecycle.reingest_jobs import Reading
from sandbox.sessions import SessionSummary
from sandbox.ui.branch_look import Tree
from sandbox.ui.markup import Html, button, element, fold, joined, name_of
from sandbox.ui.method_parts import DOES, method_mark
from sandbox.ui.times import short_time

HINT = (
    "The ended sessions that are ticked are read once more, oldest first, into a new branch: what "
    "would be held if they had been remembered by that method. The sessions and their bank stay."
)
NONE = "No session has ended yet: what is to be read again must have ended."
TITLE = "Read sessions again by another method"


def reingest_view(tree: Tree, sessions: Sequence[SessionSummary], agent: str, head: int) -> Html:
    """How far it is while sessions are read; else what came of it, and the form."""
    reading = tree.reading
    if reading is not None and reading.running:
        return _progress(reading)
    ended = [one for one in reversed(sessions) if one.session.ended_at]
    over = _over(reading, agent) if reading else None
    form = _form(tree, ended, agent, head) if ended else element("p", NONE, cls="empty")
    return joined(over, fold(TITLE, form, key="reingest"))


def _progress(reading: Reading) -> Html:
    """Which session is read, and Stop."""
    stopping = reading.status == "stopping"
    return element(
        "section",
        element(
            "p",
            f"Reading session {max(reading.number, 1)} of {reading.count} by {reading.method} "
            "into branch ",
            _branch(reading),
            ".",
        ),
        element("progress", value=str(max(reading.number - 1, 0)), most=str(reading.count)),
        element(
            "p",
            button(
                "Stopping behind this session" if stopping else "Stop",
                "stop",
                reading.branch.id,
                cls="small",
                disabled=stopping,
            ),
            cls="form-line",
        ),
        cls="reading",
        role="status",
        form=f"reading {reading.branch.id}",
    )


def _over(reading: Reading, agent: str) -> Html:
    """What came of it, and the ways on."""
    failed = reading.status == "failed"
    return element(
        "section",
        element("p", reading.trouble, role="alert") if failed else _done(reading),
        element(
            "p",
            button("show side by side", "expand", f"{reading.branch.id} {agent}", cls="small"),
            button("put away", "clear", reading.branch.id, cls="quiet"),
            cls="form-line",
        ),
        cls=f"reading {reading.status}",
        role="status",
        form=f"read {reading.branch.id}",
    )


def _done(reading: Reading) -> Html:
    done = reading.done
    read = len(done.sessions) if done else 0
    stopped = "Stopped: " if reading.status == "stopped" else ""
    waiting = done.waiting if done else 0
    wait = f" {waiting} {'proposal waits' if waiting == 1 else 'proposals wait'} there."
    return element(
        "p",
        f"{stopped}{read} of {reading.count} sessions read by {reading.method} into branch ",
        _branch(reading),
        ".",
        wait if waiting else None,
        " Reading again in the same way goes on there." if stopped else None,
    )


def _branch(reading: Reading) -> Html:
    return element("strong", name_of(reading.branch.name))


def _form(tree: Tree, ended: Sequence[SessionSummary], agent: str, head: int) -> Html:
    methods = [element("option", f"{one}: {DOES[one]}", value=one) for one in METHOD_NAMES]
    own = element("option", "the sessions' own models", value="")
    models = [element("option", one, value=one) for one in tree.models]
    first = element("input", type="number", field="revision", value="0", least="0", most=str(head))
    name = element("input", type="text", field="name", value="")
    whose = tree.here.id if tree.here else "main"
    return element(
        "div",
        element("p", HINT, cls="hint"),
        element(
            "fieldset",
            element("legend", "Ended sessions, oldest first"),
            element("div", *(_session(one, tree) for one in ended), cls="session-ticks"),
        ),
        _field("Remember by", element("select", *methods, field="method")),
        _field("Model that reads", element("select", own, *models, field="model")),
        _field(f"Begin at revision (0 is an empty bank, {head} today's)", first),
        _field("Name of the branch (may be empty)", name),
        element("p", button("Read again", "submit", cls="small"), cls="form-line"),
        cls="made-form",
        form=f"reingest {whose} {agent} {tree.user}",
    )


def _session(summary: SessionSummary, tree: Tree) -> Html:
    session = summary.session
    turns = f"{summary.turns} {'turn' if summary.turns == 1 else 'turns'}"
    parts = turns, tree.forked.get(session.id, ""), method_mark(session)
    told = " · ".join(part for part in parts if part)
    box = element(
        "input", type="checkbox", field="sessions", value=session.id, id="many", checked=True
    )
    words = element("span", short_time(session.clock or session.created_at), f" · {told}")
    return element("label", box, words, cls="tick")


def _field(words: str, field: Html) -> Html:
    return element("label", element("small", words), field, cls="form-block")
