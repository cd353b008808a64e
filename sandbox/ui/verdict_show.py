"""The verdict panel's components as updates, from what was read of the inspected reply."""

from typing import Any

import gradio as gr

from sandbox.evaluation.judges import LLM
from sandbox.evaluation.verdicts import ALLOWED, Subject
from sandbox.ui.markup import element, joined, said
from sandbox.ui.verdict_card import card
from sandbox.ui.verdict_look import Assessed, given
from sandbox.ui.verdict_parts import EVALUATE, MOST_DRAWS, MYSELF, VerdictPanel
from sandbox.ui.verdict_table import SEPARATOR

Updates = dict[Any, Any]
TITLES: dict[str, str] = {"usage": "Use", "rule": "Rule", "miq": "MIQ", "role": "Role"}


def panel(parts: VerdictPanel, look: Assessed | None, judge: str = "", shown: str = "") -> Updates:
    """The panel for the inspected reply; `shown` is the one its controls are set for."""
    if look is None:
        return {parts.column: gr.update(visible=False), parts.card: "", parts.shown: ""} | shut(
            parts
        )
    updates: Updates = {
        parts.column: gr.update(visible=True),
        parts.card: card(look, judge).markup,
        parts.wanted: gr.update(choices=[(_short(text), one) for text, one in look.missing]),
        parts.wanting: gr.update(visible=bool(look.missing)),
    }
    return updates if shown == look.reply else updates | fresh(parts, look)


def fresh(parts: VerdictPanel, look: Assessed) -> Updates:
    """The controls for another reply: its judges, nothing open."""
    names = [(_choice(look, name), name) for name in look.judges]
    aspects = list(look.aspects)
    default = "the five, as the talk is one of support" if aspects else "none in this scene"
    return shut(parts) | {
        parts.shown: look.reply,
        parts.front: "",
        parts.judge: gr.update(choices=names, value=look.default),
        parts.evaluate: gr.update(value=EVALUATE, interactive=True),
        parts.myself: gr.update(value=MYSELF, interactive=True),
        parts.stop: gr.update(value="Stop", visible=False),
        parts.aspects: gr.update(value=aspects, label=f"Aspects (by default {default})"),
        parts.draws: gr.update(value=1, maximum=MOST_DRAWS),
        parts.busy: "",
        parts.wanted: gr.update(
            choices=[(_short(text), one) for text, one in look.missing], value=None
        ),
        parts.wanted_reason: "",
    }


def shut(parts: VerdictPanel) -> Updates:
    """Both forms closed."""
    return {parts.form: ""} | unasked(parts)


def unasked(parts: VerdictPanel) -> Updates:
    """The form of a correction, closed."""
    return {parts.correction: gr.update(visible=False), parts.correcting: "", parts.reason: ""}


def asked(parts: VerdictPanel, look: Assessed, tag: str) -> Updates:
    """The form of a correction, opened for a tag, with what it is now."""
    subject, verdict, entry = split(tag)
    of = f" of {look.labels.get(entry, '')}" if entry else ""
    judges = {one.kept.id: one.kept.verdict.judge for one in look.judged}
    by = f" by {judges[verdict]}" if verdict in judges else ""
    text = next((one.text for one in look.items if one.id == entry), "")
    question = joined(
        element("p", element("strong", f"{TITLES[subject]}{of}{by}")),
        said(text, "p", "entry-text") if text else None,
    )
    return {
        parts.correcting: tag,
        parts.correction: gr.update(visible=True),
        parts.question: question.markup,
        parts.value: gr.update(choices=list(ALLOWED[subject]), value=_now(look, tag)),
        parts.reason: "",
        parts.save: gr.update(value="Save", interactive=True),
    }


def split(tag: str) -> tuple[Subject, str, str]:
    """Subject, verdict and entry that a tag's button tells.

    Raises:
        ValueError: if it tells something else.
    """
    told, verdict, entry = tag.split(SEPARATOR)
    for subject in ALLOWED:
        if subject == told:
            return subject, verdict, entry
    raise ValueError(f"a tag must be about one of {', '.join(ALLOWED)}, got {told!r}")


def busy(parts: VerdictPanel, judge: str, seconds: float) -> Updates:
    """While a judge judges: what is waited for, and Stop where it can be stopped."""
    can_stop = judge.startswith(LLM)
    words = f"{judge} is judging"
    more = f" · {seconds:.0f} s" if seconds >= 1 else ""
    line = element("p", "◌ ", said(words, "span"), f"{more} …", cls="busy", role="status")
    return {
        parts.busy: line.markup,
        parts.stop: gr.update(value="Stop", visible=can_stop, interactive=can_stop),
        parts.evaluate: gr.update(value=EVALUATE, interactive=False),
    }


def ready(parts: VerdictPanel, judge: str = "") -> Updates:
    """No judge is judging any more; `judge`'s verdict is in front."""
    return {
        parts.busy: "",
        parts.stop: gr.update(value="Stop", visible=False),
        parts.evaluate: gr.update(value=EVALUATE, interactive=True),
    } | ({parts.front: judge} if judge else {})


def _choice(look: Assessed, name: str) -> str:
    short = look.trust.get(name, "").partition(" (")[0].partition(",")[0]
    return f"{name} · {short}" if short else name


def _short(text: str, most: int = 110) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _now(look: Assessed, tag: str) -> str | None:
    """The tag's value as it is now, where it is one that can be chosen."""
    subject, verdict, entry = split(tag)
    if subject == "role":
        return look.role(entry)
    judged = next((one for one in look.judged if one.kept.id == verdict), None)
    if judged is None:
        return None
    if subject == "miq":
        score = judged.verdict.miq.score
        value = "unscored" if score is None else f"{score:g}"
        return value if value in ALLOWED["miq"] else None
    one = given(judged, entry)
    value = "" if one is None else (one.rule or "") if subject == "rule" else one.usage
    return value if value in ALLOWED[subject] else None
