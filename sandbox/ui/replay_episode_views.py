"""The steps of an episode: what the gold has beside what the model made."""

from collections import Counter
from collections.abc import Sequence

from sandbox.metrics.stage_episode import Captured, Changes
from sandbox.replay.episode_steps import EpisodeStep, QuestionStep, SessionStep, TurnBeside
from sandbox.replay.grading import BY_WORDS, UNKNOWN, Graded
from sandbox.ui.markup import Html, element, fold, joined, name_of, said

FATES = {
    "shown": "shown to the model",
    "not recalled": "in the bank, not recalled",
    "lost": "was in the bank, deleted since",
    "never captured": "never captured",
}


def episode_steps(steps: Sequence[EpisodeStep], count: int, *, gold: bool) -> Html:
    """Every step so far, of `count`; gold and differences only where they were asked for."""
    told = f"{len(steps)} of {count} steps{_answers(steps) if gold else ''}"
    head = element("p", told, cls="hint", role="status")
    return joined(head, *(_step(one, gold=gold) for one in steps))


def _answers(steps: Sequence[EpisodeStep]) -> str:
    """How many answers were found right; what was not graded is counted beside it."""
    grades = Counter(_grade(one.graded) for one in steps if isinstance(one, QuestionStep))
    told = ", ".join(f"{grades[one]} {one}" for one in ("right", "wrong", "not graded"))
    return f" · answers: {told}" if grades else ""


def _step(step: EpisodeStep, *, gold: bool) -> Html:
    if isinstance(step, SessionStep):
        return _card(step, f"Session {step.id}", _session(step, gold=gold), gold=gold)
    return _card(step, f"Question {step.id}", _question(step, gold=gold), gold=gold)


def _card(step: EpisodeStep, title: str, body: Html, *, gold: bool) -> Html:
    told = element("small", _verdict(step), cls="differs") if gold else None
    trouble = element("p", step.trouble, cls="notice") if step.trouble else None
    return fold(joined(element("strong", name_of(title)), " ", told), trouble, body, key=step.id)


def _verdict(step: EpisodeStep) -> str:
    if step.differs:
        return f"first differs at {step.differs}"
    if isinstance(step, SessionStep):
        return "as the gold" if step.annotated else "the file has no gold for it"
    return f"every support is shown, the answer is {_grade(step.graded)}"


def _session(step: SessionStep, *, gold: bool) -> Html:
    return joined(
        *(_turn(one, gold=gold) for one in step.turns),
        element("h3", "Update"),
        _beside(_changes(step.gold), _changes(step.model), gold=gold),
    )


def _turn(turn: TurnBeside, *, gold: bool) -> Html:
    words = element("p", element("strong", name_of(turn.speaker), ": "), said(turn.text, "span"))
    if not turn.model and not (gold and turn.gold):
        return words
    return joined(words, _beside(_captured(turn.gold), _captured(turn.model), gold=gold))


def _question(step: QuestionStep, *, gold: bool) -> Html:
    shown = element("ol", *(element("li", said(one, "span")) for one in step.shown))
    supports = [
        element("li", element("small", FATES[one.fate]), " ", said(one.text, "span"))
        for one in step.supports
    ]
    answer = said(UNKNOWN if step.gold is None else step.gold)
    made = said(step.model) if step.model else element("p", "no answer", cls="empty")
    return joined(
        said(step.text),
        _beside(answer, made, gold=gold),
        _graded(step.graded) if gold and step.graded else None,
        element("ul", *supports) if gold else None,
        fold(f"in the prompt: {len(step.shown)}", shown, key=f"{step.id} shown"),
    )


def _grade(graded: Graded | None) -> str:
    """What was found of an answer, in two words at most."""
    if graded is None or graded.correct is None:
        return "not graded"
    return "right" if graded.correct else "wrong"


def _graded(graded: Graded) -> Html:
    """The grade, who gave it, why, and how far the words agree."""
    by = "by its words alone" if graded.by == BY_WORDS else f"by {graded.by}"
    facts = [f"{_grade(graded)}, {by}: "]
    numbers = []
    if graded.words is not None:
        words = graded.words
        numbers.append(f"token F1 {words.f1:.2f}")
        numbers.append("exact" if words.exact else f"reference contained: {_yes(words.contained)}")
    if graded.supported is not None:
        numbers.append(f"grounded in what was shown: {_yes(graded.supported)}")
    told = element("small", " · ".join(numbers)) if numbers else None
    return element(
        "p", element("strong", *facts), said(graded.why, "span"), " ", told, cls="graded"
    )


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _beside(wanted: Html, made: Html, *, gold: bool) -> Html:
    """The gold and the model side by side; the model alone where gold was not asked for."""
    sides = [("gold", wanted), ("model", made)] if gold else [("model", made)]
    columns = [element("section", element("small", title), one) for title, one in sides]
    return element("div", *columns, cls="beside")


def _captured(found: Sequence[Captured]) -> Html:
    rows = [
        element("li", element("small", one.type or ""), " ", said(one.text, "span"))
        for one in found
    ]
    return element("ul", *rows) if rows else element("p", "nothing", cls="empty")


def _changes(changes: Changes) -> Html:
    rows = [element("li", "+ ", said(one.text, "span")) for one in changes.adds]
    rows += [element("li", "- ", said(one.text, "span")) for one in changes.deletes]
    return element("ul", *rows) if rows else element("p", "no change", cls="empty")
