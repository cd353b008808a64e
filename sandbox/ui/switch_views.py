"""The switchboard's form: entries on, off or edited; and how far an experiment is."""

from collections.abc import Mapping
from typing import Any

from sandbox.evaluation.fixed import Switch
from sandbox.evaluation.switchboard import MOST_SAMPLES, Step
from sandbox.ui.markup import Html, button, element, joined
from sandbox.ui.switch_closer import closer_form
from sandbox.ui.verdict_look import Assessed

NOTHING = (
    "Nothing to switch yet: send a message, and the entries of its reply's prompt can be turned "
    "off or edited here."
)
HINT = (
    "What would the character have said without this memory? Turn entries off or change what they "
    "say; everything else stays as it was."
)
NO_JUDGE = ""


def switch_form(look: Assessed | None) -> Html:
    """What can be switched, for the inspected reply."""
    if look is None:
        return element("p", NOTHING, cls="empty")
    shown = [item for item in look.items if item.id in look.evaluation.reply.injected]
    if not shown:
        words = "This reply's prompt showed no entry: there is nothing to switch."
        return element("p", words, cls="empty")
    rows = [
        element(
            "fieldset",
            element(
                "label",
                element("input", type="checkbox", field=f"on|{item.id}", checked=True),
                element("strong", look.labels[item.id]),
                element("span", "on", cls="hint when-on"),
                element("span", "off", cls="hint when-off"),
                cls="tick",
            ),
            element(
                "textarea",
                item.text,
                field=f"text|{item.id}",
                rows="2",
                dir="auto",
                label=f"What entry {look.labels[item.id]} says",
            ),
            cls="switch",
            entries=item.id,
        )
        for item in shown
    ]
    return element(
        "div",
        element("p", HINT, cls="hint"),
        *rows,
        _settings(look),
        closer_form(look),
        form=f"switch {look.reply}",
        id=look.reply,
        cls="made-form switch-form",
    )


def _settings(look: Assessed) -> Html:
    off = element(
        "label",
        element("input", type="checkbox", field="off"),
        element("span", "memory off: no entry at all"),
        cls="tick",
    )
    samples = element(
        "input",
        type="number",
        field="samples",
        value="3",
        least="1",
        most=str(MOST_SAMPLES),
        label="Samples, 1 to 10",
    )
    judges = [element("option", name, value=name) for name in look.judges if name != "file"]
    judge = element(
        "select",
        *judges,
        element("option", "no judge", value=NO_JUDGE),
        field="judge",
        label="Judge",
    )
    run = button("Run", "submit", look.reply, cls="small approve")
    causal = button(
        "Log-probability table",
        "apply",
        look.reply,
        cls="small",
        title="How much each entry adds to the probability of this very reply",
    )
    return joined(
        element("p", off, cls="form-line"),
        element(
            "p",
            element("small", "samples"),
            samples,
            element("small", "judge"),
            judge,
            cls="form-line",
        ),
        element("p", run, causal, cls="form-line"),
    )


def switched(values: Mapping[str, Any], look: Assessed) -> list[Switch]:
    """What the form switches: entries that are off, or say something else."""
    texts = {item.id: item.text for item in look.items}
    found: list[Switch] = []
    for entry, before in texts.items():
        if values.get(f"on|{entry}") is False:
            found.append(Switch(entry, None))
        elif isinstance(now := values.get(f"text|{entry}"), str) and now.strip() != before.strip():
            found.append(Switch(entry, now))
    return found


def progress(step: Step) -> Html:
    """Where an experiment is."""
    cells = [
        element("span", cls="cell done" if number < step.done else "cell")
        for number in range(step.of)
    ]
    return joined(
        element("p", f"◌ {step.writing} …", cls="busy", role="status"),
        element("div", *cells, cls="token-bar steps", hidden="true"),
    )
