"""Where a replay stands, and, once it is asked for, what the file holds for the stop."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sandbox.replay.gears import TOLD, gold_keys, kind_of
from sandbox.replay.protocols import ASKED
from sandbox.replay.script import Place, Stop, of_model
from sandbox.transcripts import ReplyLine, Session
from sandbox.ui.markup import Html, button, element, joined, name_of, said
from sandbox.ui.replay_parts import FORCED

NOT_HERE = "first golden not here"


@dataclass(frozen=True, slots=True)
class Going:
    """A replay as the strip shows it."""

    session: Session
    place: Place
    shown: Sequence[str] | None
    """Keys of the entries in the prompt of the last stop's answer; None where there is none."""
    trouble: str | None
    """Why it stopped playing."""

    @property
    def answer(self) -> ReplyLine | None:
        """The last stop's answer that was made here."""
        return of_model(self.place.turn) if self.place.turn else None


def replay_head(going: Going) -> Html:
    """Where it stands; nothing of the gold."""
    place, session = going.place, going.session
    assert session.gear is not None
    first = place.stops[0].instance
    told = TOLD[kind_of(first)][session.gear]
    name = first.dialogue or first.id
    at = f"stop {place.number} of {len(place.stops)}" if place.number else "before the first stop"
    forced = f" · later stops see {FORCED[session.forcing or 'teacher']}"
    return joined(
        element(
            "p",
            element("strong", "Replay of ", name_of(name)),
            f" · {at}{forced if len(place.stops) > 1 else ''}",
            cls="replay-line",
        ),
        element(
            "p",
            told.sentence,
            " ",
            element("small", f"({told.section})"),
            f" Asked with {ASKED[session.protocol]}.",
            cls="hint",
        ),
        element("ol", *(_stop(one, place) for one in place.stops), cls="stops"),
        _shown(going),
        _next(place),
        element("p", going.trouble, cls="notice", role="status") if going.trouble else None,
    )


def replay_left(session: Session) -> Html:
    """How a session goes on that was opened from an instance, or taken over from a replay."""
    told = f"It goes on by itself now: {session.strategy} recalls from its own bank, asked with "
    return element("p", told, ASKED[session.protocol], ".", cls="hint", role="status")


def replay_gold(going: Going) -> Html:
    """What the file holds for the stop that was reached last, beside what was made here."""
    stop = going.place.stop
    if stop is None:
        return element("p", "No stop is reached yet: step first.", cls="empty")
    answer = going.answer
    return joined(
        element(
            "div",
            _column("The answer", said(answer.text) if answer else None),
            _column("The file's reply", said(stop.gold) if stop.gold else None),
            cls="beside",
        ),
        _golden(stop, going.shown),
    )


def _stop(stop: Stop, place: Place) -> Html:
    turn = place.turn_of(stop.number)
    answer = of_model(turn) if turn else None
    current = stop.number == place.number
    mark = "answered" if answer else ("placed" if turn and turn.reply else "")
    waiting = "no reply yet" if turn and not turn.reply else "to come"
    inspect = button("inspect", "select", answer.id, cls="quiet") if answer else None
    return element(
        "li",
        element("span", name_of(stop.instance.id), " "),
        element("small", mark or waiting),
        inspect,
        cls="current" if current else None,
    )


def _shown(going: Going) -> Html | None:
    if going.shown is None:
        return None
    keys = ", ".join(going.shown) or "nothing"
    return element("p", f"shown to the model, in order: {keys}", cls="replay-shown")


def _next(place: Place) -> Html:
    if place.next is None:
        return element("p", "That was the last stop.", cls="hint")
    speaker = place.next.instance.human.name
    words = f"next, {speaker} says: "
    return element("p", words, said(place.next.query, "span"), cls="hint")


def _column(title: str, text: Html | None) -> Html:
    return element("section", element("h3", title), text or element("p", "none", cls="empty"))


def _golden(stop: Stop, shown: Sequence[str] | None) -> Html:
    keys = gold_keys(stop.instance)
    if not keys:
        return element("p", "The file names no gold memories.", cls="empty")
    texts = {one.key: one.text for one in stop.instance.pool}
    missing = bool(stop.instance.golden) and shown is not None and keys[0] not in shown
    return joined(
        element("p", f"✕ {NOT_HERE}", cls="notice", role="status") if missing else None,
        element("ol", *(_memory(key, texts, shown) for key in keys), cls="golden"),
    )


def _memory(key: str, texts: Mapping[str, str], shown: Sequence[str] | None) -> Html:
    mark = None
    if shown is not None:
        mark = element("small", " shown" if key in shown else " not shown")
    return element("li", element("strong", key, " "), said(texts.get(key, ""), "span"), mark)
