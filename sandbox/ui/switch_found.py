"""What experiments on a reply showed: samples side by side, and the causal table."""

from collections.abc import Iterator

from sandbox.evaluation.experiments import Causal, Effect, Experiment, Found, Sample, Samples
from sandbox.judges.verdict import Verdict
from sandbox.metrics.figures import reply_figures
from sandbox.ui.diff_views import text_diff
from sandbox.ui.markup import Html, element, fold, joined, said
from sandbox.ui.switch_closer import closer_title, closer_view
from sandbox.ui.times import shown_time
from sandbox.ui.verdict_look import Assessed
from sandbox.ui.verdict_words import both, role_badge

SAME = "Same seed and order: sample n has the reply's seed + n on both sides."
OTHER_PROMPT = (
    "The prompt made again is not the recorded one (the program's prompts, or the talk before, "
    "have changed): compare the two sides, not the record."
)
NO_REPEAT = (
    "The first sample with the memories as they were is not the recorded reply again: this model "
    "does not repeat itself, so a single difference may be chance. Look at several samples."
)
BAR = 12
"""Cells of the longest bar."""


def experiments_view(look: Assessed | None) -> Html:
    """Every experiment on the reply, the latest open and first."""
    if look is None or not look.experiments:
        return Html("")
    latest, *earlier = reversed(look.experiments)
    past = [
        fold(title(look, one), _found(look, one), cls="fold experiment", key=f"experiment {one.id}")
        for one in earlier
    ]
    return joined(
        element("h3", title(look, latest)),
        _found(look, latest),
        element("h3", f"Earlier experiments on this reply: {len(past)}") if past else None,
        *past,
    )


def title(look: Assessed, one: Experiment) -> str:
    """What an experiment did, in one line."""
    found = one.found
    if isinstance(found, Samples):
        count = len(found.samples)
        many = f"{count} {'sample' if count == 1 else 'samples'}"
        return f"{_switches(look, found)} · {many} · {found.model}"
    if isinstance(found, Causal):
        return f"Log-probability table · {found.model}"
    return closer_title(found)


def _switches(look: Assessed, found: Samples) -> str:
    if not found.memory:
        return "memory off"
    return ", ".join(
        f"{look.label(one.entry)} {'off' if one.text is None else 'edited'}"
        for one in found.switches
    )


def _found(look: Assessed, one: Experiment) -> Html:
    found = one.found
    when = element("small", shown_time(one.created_at))
    trouble = _warning(found.trouble) if found.trouble else None
    return element("div", when, trouble, _inner(look, found), cls="experiment-found judged")


def _inner(look: Assessed, found: Found) -> Html:
    if isinstance(found, Samples):
        return _samples(look, found)
    return causal_table(look, found) if isinstance(found, Causal) else closer_view(look, found)


def _samples(look: Assessed, found: Samples) -> Html:
    edits = [
        joined(element("small", look.label(one.entry)), text_diff(_text(look, one.entry), one.text))
        for one in found.switches
        if one.text is not None
    ]
    samples = [_sample(look, found, one, n) for n, one in enumerate(found.samples, 1)]
    return joined(
        element("p", both("=", SAME), cls="fine"),
        *(_warning(text) for text in warnings(found)),
        *edits,
        element("p", _summary(found)),
        *samples,
    )


def _summary(found: Samples) -> str:
    count = len(found.samples)
    changed = sum(one.before != one.after for one in found.samples)
    told = f"The text changed in {changed} of {count} samples." if count else "No sample is whole."
    return (
        told if count == found.wanted else f"{told} It ended early: {found.wanted} were asked for."
    )


def warnings(found: Samples) -> list[str]:
    """What makes the samples hard to read."""
    return [
        *([] if found.same_prompt else [OTHER_PROMPT]),
        *([NO_REPEAT] if found.repeats is False else []),
    ]


def _warning(text: str) -> Html:
    return element("p", f"⚠ {text}", cls="warning")


def _text(look: Assessed, entry: str) -> str:
    return next((item.text for item in look.items if item.id == entry), "")


def _sample(look: Assessed, found: Samples, one: Sample, number: int) -> Html:
    same = one.before == one.after
    diff = element("p", "The same text.", cls="fine") if same else text_diff(one.before, one.after)
    return element(
        "section",
        element("h3", f"Sample {number} ", element("small", f"seed {one.seed}")),
        diff,
        _verdicts(look, found, one),
        cls="sample",
    )


def _verdicts(look: Assessed, found: Samples, one: Sample) -> Html | None:
    """Used entries and SMC, before and after."""
    if found.judge is None:
        return None
    before, after = one.before_verdict, one.after_verdict
    if before is None or after is None:
        return element("p", f"{found.judge} could not judge this sample.", cls="fine")
    used = f"used {_used(look, before)} → {_used(look, after)}"
    smc = f"SMC {_smc(look, before)} → {_smc(look, after)}"
    mark = ("≠", "verdict changed") if _told(before) != _told(after) else ("=", "same verdict")
    words = element("span", both(*mark), cls="differing" if mark[0] == "≠" else "fine")
    by = element("small", f"by {found.judge}")
    moved = "; ".join(_moved(look, before, after))
    told = element("small", f" {moved}.") if moved else None
    return element("p", words, " · ", used, " · ", smc, " ", by, told, cls="sample-verdict")


def _moved(look: Assessed, before: Verdict, after: Verdict) -> Iterator[str]:
    """Each entry whose usage, or whose rule's state, is another one now."""
    then = {one.entry: one for one in before.entries}
    for one in after.entries:
        old = then.get(one.entry)
        if old is None:
            continue
        if one.rule != old.rule:
            yield f"{look.label(one.entry)}: rule {old.rule} → {one.rule}"
        elif one.usage != old.usage:
            yield f"{look.label(one.entry)}: {old.usage} → {one.usage}"


def _told(verdict: Verdict) -> list[tuple[str, str, str | None]]:
    return [(one.entry, one.usage, one.rule) for one in verdict.entries]


def _used(look: Assessed, verdict: Verdict) -> str:
    used = [
        look.label(one.entry)
        for one in verdict.entries
        if one.usage == "used" or one.rule == "followed"
    ]
    return ", ".join(used) or "nothing"


def _smc(look: Assessed, verdict: Verdict) -> str:
    roles = {entry: tag.role for entry, tag in look.roles.items()}
    return reply_figures(verdict, roles)["smc"].shown()


def causal_table(look: Assessed, found: Causal) -> Html:
    """What each entry adds to the probability of the reply, with the noise floor."""
    most = max([abs(one.drop) for one in found.effects] + [found.noise, 1e-9])
    heads = ("Entry", "Drop, nats", "per token", "against the noise")
    rows = [_effect(look, found, one, most) for one in found.effects]
    floor = (
        f"Noise floor {found.noise:.2f} nats: the most that the reply's log-probability moves when "
        f"nothing is left out (asked again, and in {found.orders} other orders)."
    )
    total = f"log p(reply) = {found.log_probability:.1f} nats over {found.tokens} tokens."
    return joined(
        None if found.same_prompt else _warning(OTHER_PROMPT),
        element("p", f"{total} {floor}", cls="fine"),
        element(
            "table",
            element("thead", element("tr", *(element("th", one, scope="col") for one in heads))),
            element("tbody", *rows),
            cls="usage-table causal",
        ),
    )


def _effect(look: Assessed, found: Causal, one: Effect, most: float) -> Html:
    above = abs(one.drop) > found.noise
    full = round(BAR * abs(one.drop) / most)
    kind = "less" if one.drop < 0 else "more"
    cells = [
        element("span", cls=f"cell {kind}" if number < full else "cell") for number in range(BAR)
    ]
    words = both("▲", "above the noise") if above else both("·", "within the noise")
    return element(
        "tr",
        element(
            "th",
            element("strong", look.label(one.entry)),
            " ",
            role_badge(look.role(one.entry)),
            said(_text(look, one.entry), "span", "entry-said"),
            scope="row",
        ),
        element("td", f"{one.drop:+.2f}"),
        element("td", f"{one.per_token:+.3f}"),
        element(
            "td",
            element("div", *cells, cls="token-bar drop", hidden="true"),
            element("small", words, cls="differing" if above else None),
        ),
        entries=one.entry,
    )
