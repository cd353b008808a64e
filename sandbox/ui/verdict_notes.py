"""The rest of a verdict: MIQ with its failures, aspects by points, calls, corrections."""

from collections.abc import Sequence

from sandbox.evaluation.evaluating import Evaluation, Judged
from sandbox.evaluation.verdicts import Correction
from sandbox.judges.failures import MEANINGS
from sandbox.judges.guideline import find_situation
from sandbox.judges.verdict import Aspect, AspectVerdict, Failure, Point
from sandbox.ui.markup import Html, button, element, fold, joined, said
from sandbox.ui.times import shown_time
from sandbox.ui.verdict_look import Assessed
from sandbox.ui.verdict_table import tag_id
from sandbox.ui.verdict_words import is_corrected

ASPECT_WORDS: dict[Aspect, tuple[str, tuple[str, str, str]]] = {
    "naturalness": (
        "Naturalness",
        ("grammar and reference", "tied to the context", "oral, short, simple"),
    ),
    "style": ("Style coherence", ("concise", "not AI-like", "not preachy")),
    "injection": (
        "Memory injection",
        ("appropriate and relevant", "no mistake or invention", "not introduced again"),
    ),
    "es_proficiency": (
        "ES proficiency",
        ("follows one key point", "follows all that apply", "spread over the turns or in one"),
    ),
    "emotional_improvement": (
        "Emotional improvement",
        ("does not hurt", "understands", "improves the emotion"),
    ),
}
"""MADial-Bench's five, each with its three points in short."""


def miq_view(look: Assessed, judged: Judged) -> Html:
    """MIQ, its reason, its failures with what they mean."""
    verdict, figure = judged.verdict, judged.pool["miq"]
    score = "unscored" if figure.value is None else f"{figure.value:g} of 5"
    changed = is_corrected(judged, "miq")
    tag = button(
        joined(element("strong", score), element("small", " corrected") if changed else None),
        "edit",
        tag_id("miq", judged.kept.id),
        cls="usage tag-button miq",
        title="Press to correct.",
    )
    why = figure.reason or verdict.miq.why
    failures = [failure_tag(one) for one in verdict.miq.failures]
    return element(
        "section",
        element("h3", "MIQ ", tag),
        said(look.named(why), "p", "why") if why else None,
        element("div", *failures, cls="failures") if failures else None,
        cls="miq-row",
    )


def failure_tag(name: Failure) -> Html:
    """A failure whose meaning and source show on hover, focus and tap."""
    meaning = MEANINGS[name]
    words = name.replace("_", " ")
    return element(
        "button",
        element("span", f"⚠ {words}"),
        element(
            "span",
            element("span", meaning.text, cls="tip-line"),
            element("span", f"Named by: {meaning.source}.", cls="tip-line"),
            cls="tip",
            role="tooltip",
        ),
        type="button",
        cls="failure",
    )


def aspects_view(judged: Judged) -> Html | None:
    """The aspects by their points, with the situation and its key points; nothing without any."""
    verdict = judged.verdict
    if not verdict.aspects:
        return None
    rows = [_aspect(one) for one in verdict.aspects]
    return element(
        "section",
        element("h3", "Aspects, 0 to 3 by points"),
        _situation(verdict.situation),
        element("div", *rows, cls="aspects"),
    )


def _situation(name: str | None) -> Html | None:
    if not name:
        return None
    found = find_situation(name)
    if found is None:
        return element("p", "Situation: ", said(name, "span"), cls="fine")
    points = [element("li", text) for text in found.points]
    return joined(
        element("p", "Situation: ", element("strong", found.name), f" · {found.when}", cls="fine"),
        element("ol", *points, cls="key-points"),
        element("p", found.note, cls="fine") if found.note else None,
    )


def _aspect(one: AspectVerdict) -> Html:
    name, short = ASPECT_WORDS[one.aspect]
    score = "unscored" if one.score is None else f"{one.score:g} of 3"
    points = [_point(point, short[point.number - 1]) for point in one.points]
    marks = " ".join(_mark(point) for point in one.points)
    summary = joined(
        element("strong", name), f" {score} ", element("span", marks, cls="point-marks")
    )
    return fold(summary, element("ol", *points), cls="fold aspect", key=f"aspect {one.aspect}")


def _mark(point: Point) -> str:
    return {None: "?", 0.0: "○", 0.5: "◐", 1.0: "●"}.get(point.value, "?")


def _point(point: Point, short: str) -> Html:
    value = "unscored" if point.value is None else f"{point.value:g}"
    quote = joined(" ", said(f"“{point.quote}”", "span")) if point.quote else None
    return element("li", element("strong", value), f" {short}. ", said(point.why, "span"), quote)


def made_by(judged: Judged) -> Html:
    """When the verdict was given, what lowers its weight, and the model's raw answers."""
    verdict, kept = judged.kept.verdict, judged.kept
    warnings = [element("p", "⚠ ", said(text, "span"), cls="warning") for text in verdict.warnings]
    took = f" · {verdict.seconds:.1f} s" if verdict.seconds >= 0.05 else ""
    calls = [
        element(
            "div",
            element("small", f"{call.purpose} · prompt {call.prompt[:12]} · {call.seconds:.1f} s"),
            said(call.trouble, "p", "why") if call.trouble else None,
            said(call.raw, "pre"),
            cls="message",
        )
        for call in verdict.calls
    ]
    count = f"{len(calls)} {'answer' if len(calls) == 1 else 'answers'} as they came"
    return joined(
        *warnings,
        element(
            "p",
            f"judged {shown_time(kept.created_at)}{took} · version {verdict.version[:12]}",
            cls="fine",
        ),
        fold(count, *calls, key=f"calls {kept.id}") if calls else None,
    )


def history(look: Assessed) -> Html | None:
    """Every correction: when, who, what, why; those that count can be taken back."""
    found = changes_of(look.evaluation)
    if not found:
        return None
    judges = {one.kept.id: one.kept.verdict.judge for one in look.judged}
    last = {(one.subject, one.entry, one.verdict): one.id for one in found}
    rows = [
        _change(look, one, judges, one.id in last.values() and one.value is not None)
        for one in reversed(found)
    ]
    count = f"History: {len(found)} {'correction' if len(found) == 1 else 'corrections'}"
    return fold(count, element("ul", *rows, cls="changes"), key="history")


def changes_of(evaluation: Evaluation) -> Sequence[Correction]:
    """Every correction on the reply and its latest verdicts, oldest first."""
    found = [*evaluation.corrections, *(c for one in evaluation.judged for c in one.corrections)]
    return sorted(found, key=_when)


def _when(change: Correction) -> str:
    return change.created_at


def _change(look: Assessed, one: Correction, judges: dict[str, str], counts: bool) -> Html:
    about = {"wanted": "should have come"}.get(one.subject, one.subject)
    entry = f" of {look.label(one.entry)}" if one.entry else ""
    by = f" by {judges[one.verdict]}" if one.verdict in judges else ""
    became = "taken back" if one.value is None else f"now {one.value}"
    back = button(
        "take back", "clear", tag_id(one.subject, one.verdict or "", one.entry or ""), cls="link"
    )
    return element(
        "li",
        element("small", shown_time(one.created_at), " · ", said(one.author, "span")),
        element("span", f" {about}{entry}{by}: ", element("strong", became), ". "),
        said(one.reason, "span"),
        joined(" ", back) if counts else None,
    )
