"""The questions of an episode, to be edited, and what its checks say while it is typed."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from sandbox.authoring.authored import PHRASINGS, Authored
from sandbox.authoring.badge import Cosine
from sandbox.authoring.episode_building import built
from sandbox.authoring.episode_faults import faults_of
from sandbox.authoring.episode_typed import Typed, TypedQuestion, numbers_of
from sandbox.authoring.quality_episode import lineages
from sandbox.authoring.question_rules import Check, Told, checklist
from sandbox.authoring.wording import shared
from sandbox.episodes import Episode, gold_bank, told_entries
from sandbox.formats.episode_form import TECHNIQUES
from sandbox.ui.episode_edit_values import DECOY, MORE, QUESTION, SUPPORT, field_of
from sandbox.ui.episode_edit_views import hidden, options, short
from sandbox.ui.markup import Html, button, element, fold, joined, said
from sandbox.ui.save_form import area, choice, field, labelled, tick

ASKS = "Supports can only be memories that are live at the end; decoys look as if they mattered."
UNITS = {"entry": "memories", "turn": "turns", "session": "whole sessions"}
MOST_ROWS = 30
"""How many memories are listed below a question; of more, the others are in a list."""
_MOST_FAULTS = 6
_Candidate = tuple[str, str, bool]
"""Key, text, and whether it can be a support."""


def questions(talk: Episode, typed: Typed) -> Html:
    """Every question with what it needs, and buttons for more."""
    made = built(talk, typed)
    more = [
        button(f"+ question about {words}", "expand", f"question {unit}", cls="small")
        for unit, words in UNITS.items()
    ]
    return element(
        "section",
        element("h3", f"Questions ({len(typed.questions)})"),
        element("p", ASKS, cls="hint"),
        *(_question(one, number, made) for number, one in enumerate(typed.questions, start=1)),
        element("p", *more, button("Work it out again", "release", cls="small"), cls="form-line"),
        cls="gold-questions",
    )


def _question(one: TypedQuestion, number: int, made: Episode) -> Html:
    def name(part: str) -> str:
        return field_of(QUESTION, one.id, part)

    ways = [
        tick(name("techniques"), told, told, checked=told in one.techniques) for told in TECHNIQUES
    ]
    return element(
        "fieldset",
        element("legend", f"Question {number} · {one.id}"),
        hidden(name("unit"), one.unit),
        button("✕", "delete", one.id, cls="quiet", label=f"Drop question {number}"),
        labelled("Question", area(name("text"), f"Question {number}", one.text)),
        labelled(
            "Answer (empty: the right act is to say that it is not known)",
            area(name("answer"), f"Answer {number}", one.answer),
        ),
        element(
            "div",
            choice(
                name("centre"), ("about: open", "user", "agent"), "Whom it is about", one.centre
            ),
            choice(
                name("phrasing"),
                ("wording: open", *PHRASINGS[1:]),
                "How its words should stand to its memories'",
                one.phrasing,
            ),
            labelled("Kind", field(name("kind"), "Kind", one.kind)),
            cls="form-line",
        ),
        element("small", "How it is hard: at least two"),
        element("div", *ways, cls="ticks"),
        fold(
            f"Supports ({len(one.supports)}) and decoys ({len(one.decoys)})",
            *needs(one, made),
            key=f"needs {one.id}",
        ),
        cls="gold-question",
    )


def needs(one: TypedQuestion, made: Episode, *, decoys: bool = True) -> Iterator[Html]:
    """Everything that a question could need, each to be called a support, a decoy, or neither."""
    shown, rest = _offered(one, list(_candidates(one.unit, made)))
    for key, text, can_support in shown:
        value = SUPPORT if key in one.supports else DECOY if key in one.decoys else ""
        offered = ["–"]
        offered += [SUPPORT] if can_support or value == SUPPORT else []
        offered += [DECOY] if decoys else []
        gone = None if can_support else element("small", " no longer live")
        yield element(
            "div",
            choice(field_of(QUESTION, one.id, f"of|{key}"), offered, f"{short(text)}", value),
            said(short(text), "span"),
            gone,
            cls="form-line gold-need",
        )

    if rest:
        fitting = [(key, text) for key, text, can_support in rest if can_support]
        more = field_of(QUESTION, one.id, MORE)
        yield element(
            "div",
            options(more, "one more support: choose", fitting, "One more support", ""),
            button("Take it", "release", cls="small"),
            cls="form-line",
        )


def _offered(
    one: TypedQuestion, held: list[_Candidate]
) -> tuple[list[_Candidate], list[_Candidate]]:
    """What is listed, and what a list to choose from holds: few are listed all, in their order.

    Of many, what is named already comes first, then what shares most words with the question.
    """
    if len(held) <= MOST_ROWS:
        return held, []
    named = {*one.supports, *one.decoys}
    asked = f"{one.text} {one.answer}"
    ranked = sorted(held, key=lambda told: (told[0] not in named, -shared(asked, told[1])))
    most = max(MOST_ROWS, len(named))
    return ranked[:most], ranked[most:]


def _candidates(unit: str, made: Episode) -> Iterator[_Candidate]:
    if unit == "turn":
        numbers = numbers_of(made)
        yield from ((t.id, f"{numbers[t.id]} {t.speaker}: {t.text}", True) for t in made.turns())
    elif unit == "session":
        for place, session in enumerate(made.sessions, start=1):
            first = next(iter(session.turns), None)
            yield session.id, f"Session {place}: {first.text if first else ''}", True
    else:
        live = gold_bank(made)
        yield from ((entry.key, entry.text, True) for entry in live)
        keys = {entry.key for entry in live}
        told = (entry for session in made.sessions for entry in told_entries(session))
        gone = {entry.key: entry.text for entry in told if entry.key not in keys}
        yield from ((key, text, False) for key, text in gone.items())


def gold_checks(authored: Authored, base: Episode, typed: Typed, cosine: Cosine | None) -> Html:
    """What cannot be saved yet, the checklist question by question, and the bank at the end.

    `authored` holds what is typed, `base` what it was made of.
    """
    return joined(_faults(faults_of(base, typed)), checklists(authored, cosine), _banks(authored))


def _faults(found: Iterator[str]) -> Html | None:
    rows = [said(one, "li") for one in islice(found, _MOST_FAULTS)]
    if not rows:
        return None
    head = element("strong", "Cannot be saved like this yet")
    return element("div", head, element("ul", *rows, cls="notes"), cls="warning")


def checklists(authored: Authored, cosine: Cosine | None) -> Html | None:
    """The checklist of every question, with numbers."""
    talk = authored.talk
    if talk is None or not talk.questions:
        return None
    told = Told(talk, cosine)
    rows = [
        element(
            "section",
            element("strong", f"Question {number} · {one.id}"),
            element("ul", *_checks(checklist(authored, one, told)), cls="notes"),
        )
        for number, one in enumerate(talk.questions, start=1)
    ]
    return joined(element("h3", "Checklist by question"), *rows)


def _checks(checks: Sequence[Check]) -> Iterable[Html]:
    for one in checks:
        told = f" {one.number}" + (f" · {one.sentence}" if one.sentence else "")
        mark = "✓" if one.good else "✗"
        yield element("li", f"{mark} {one.rule}", element("small", told))


def _banks(authored: Authored) -> Html | None:
    talk = authored.talk
    if talk is None:
        return None
    sizes = [len(gold_bank(talk, place + 1)) for place in range(len(talk.sessions))]
    told = " → ".join(map(str, sizes)) or "0"
    texts = {one.key: one.text for held in talk.sessions for one in told_entries(held)}
    chains = [
        said(" → ".join(short(texts.get(key, "?")) for key in chain), "li")
        for chain in lineages(talk)
    ]
    return joined(
        element("p", f"Live memories in the gold bank after each session: {told}", cls="hint"),
        fold(f"What took whose place ({len(chains)})", element("ul", *chains, cls="notes"))
        if chains
        else None,
    )
