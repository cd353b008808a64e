"""The form of the human judge: made by a view, read back as plain values."""

from collections.abc import Iterable, Mapping
from typing import Any

from sandbox.judges.case import PoolItem
from sandbox.judges.failures import MEANINGS
from sandbox.judges.guideline import SITUATIONS
from sandbox.judges.human import NAME, RULE_STATES, SCORES, USAGES, HumanForm
from sandbox.judges.verdict import ASPECTS, FAILURES, Aspect
from sandbox.ui.markup import Child, Html, button, element, fold, joined, said
from sandbox.ui.verdict_look import Assessed
from sandbox.ui.verdict_notes import ASPECT_WORDS

BLIND = (
    "Blind: until you save or close this form, what other judges say of this reply is hidden, in "
    "the chat and in the lists too."
)
OPEN = ""
POINTS = ("0", "0.5", "1")


def human_form(look: Assessed) -> Html:
    """The form for the reply: use of each entry, rules, MIQ, failures, aspects, a note."""
    mine = [one.kept.id for one in look.judged if one.kept.verdict.judge == NAME]
    return element(
        "div",
        element("h3", "Your verdict"),
        element("p", BLIND, cls="hint"),
        *(_entry(look, item) for item in look.items),
        element("p", _tick("rest", "every entry that I leave open is not used"), cls="form-line"),
        _miq(),
        _aspects(look),
        _labelled("A note", element("textarea", "", field="note", rows="2", label="A note")),
        element(
            "p",
            button("Save my verdict", "submit", cls="small approve"),
            button("Close without saving", "collapse", cls="small"),
            cls="form-line",
        ),
        form=f"human {look.reply} {' '.join(mine)}",
        cls="made-form human-form",
    )


def filled(values: Mapping[str, Any]) -> HumanForm:
    """What a form sends, as plain values; whatever is not text, a list of it or a tick is open."""
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    listed = values.get("failures")
    chosen = listed if isinstance(listed, list) else []
    return HumanForm(
        usages=_part(texts, "usage"),
        words=_part(texts, "words"),
        rules=_part(texts, "rule"),
        rest=values.get("rest") is True,
        miq=texts.get("miq", ""),
        failures=[one for one in chosen if isinstance(one, str)],
        points={
            (aspect, number): texts.get(f"point|{aspect}|{number}", "")
            for aspect in ASPECTS
            for number in (1, 2, 3)
        },
        situation=texts.get("situation", ""),
        note=texts.get("note", ""),
    )


def _part(texts: Mapping[str, str], name: str) -> dict[str, str]:
    start = f"{name}|"
    return {key.removeprefix(start): told for key, told in texts.items() if key.startswith(start)}


def _entry(look: Assessed, item: PoolItem) -> Html:
    rule = None
    if item.is_rule:
        rule = _choice(f"rule|{item.id}", ("rule: open", *RULE_STATES), "Rule")
    use = _choice(f"usage|{item.id}", ("use: open", *USAGES), "Use of this entry")
    words = element(
        "input",
        type="text",
        field=f"words|{item.id}",
        label="The words of the reply that carry it",
        title="The words of the reply that carry it, copied",
    )
    return element(
        "fieldset",
        element("legend", look.labels[item.id]),
        said(item.text, "p", "entry-text"),
        element(
            "div",
            use,
            rule,
            element("label", element("small", "by the words"), words, cls="words"),
            cls="form-line",
        ),
        entries=item.id,
    )


def _choice(field: str, options: Iterable[str], label: str) -> Html:
    """A list to choose from; its first option is a word for nothing."""
    first, *rest = options
    chosen = [element("option", one, value=one) for one in rest]
    return element(
        "select", element("option", first, value=OPEN), *chosen, field=field, label=label
    )


def _tick(field: str, words: Child, value: str | None = None) -> Html:
    many = "many" if value is not None else None
    box = element("input", type="checkbox", field=field, value=value, id=many)
    return element("label", box, element("span", words), cls="tick")


def _labelled(words: str, field: Html) -> Html:
    return element("label", element("small", words), field, cls="form-block")


def _miq() -> Html:
    ticks = [
        element("span", _tick("failures", name.replace("_", " "), name), title=MEANINGS[name].text)
        for name in FAILURES
    ]
    return joined(
        element(
            "p",
            element("strong", "MIQ "),
            _choice("miq", ("open", *SCORES), "MIQ, 1 to 5"),
            element("small", "how well the used memories are woven in"),
            cls="form-line",
        ),
        fold("Failures", element("div", *ticks, cls="ticks"), key="human failures"),
    )


def _aspects(look: Assessed) -> Html:
    names = tuple(one.name for one in SITUATIONS)
    case = look.evaluation.reply.case
    hint = f"the talk's: {case.situation}" if case.situation else "of the ES guideline"
    situation = element(
        "p",
        element("small", "Situation "),
        _choice("situation", ("open", *names), "Situation of the ES guideline"),
        element("small", hint),
        cls="form-line",
    )
    points = [
        element("li", element("strong", one.name), f" ({one.when}): {'; '.join(one.points)}")
        for one in SITUATIONS
    ]
    guideline = fold("The guideline", element("ul", *points, cls="notes"), key="human guideline")
    rows = [_aspect(one) for one in ASPECTS]
    return fold("Aspects, by points", situation, guideline, *rows, key="human aspects")


def _aspect(aspect: Aspect) -> Html:
    name, short = ASPECT_WORDS[aspect]
    lines = []
    for number, words in enumerate(short, 1):
        halves = aspect == "emotional_improvement" and number == 3
        values = POINTS if halves else ("0", "1")
        choice = _choice(f"point|{aspect}|{number}", ("open", *values), f"{name}, point {number}")
        lines.append(element("p", choice, element("small", f"{number}. {words}"), cls="form-line"))
    return element("div", element("strong", name), *lines)
