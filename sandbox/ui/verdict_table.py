"""What every judge says of every entry: one row an entry, one column a judge."""

from sandbox.evaluation.evaluating import Judged
from sandbox.judges.case import PoolItem
from sandbox.judges.verdict import EntryVerdict
from sandbox.ui.markup import Child, Html, button, element, fold, joined, said
from sandbox.ui.verdict_look import Assessed, given
from sandbox.ui.verdict_spans import quotes
from sandbox.ui.verdict_words import (
    RULES,
    USAGE_HINTS,
    both,
    is_corrected,
    role_badge,
    role_source,
    usage_class,
    usage_mark,
    usage_words,
)

DIFFER = "judges differ"
SEPARATOR = "|"
"""Between the parts of what a tag's button tells."""
ELSEWHERE = (
    "The file's gold is for its own query and this turn says something else: it does not count."
)
MOST_ROWS = 12
"""Entries of a pool up to which every one has its row in sight."""


def usage_table(look: Assessed, front: Judged) -> Html:
    """The table; `front` is the judge whose verdict the bubble shows.

    In a large pool the irrelevant entries that nobody calls used are folded away.
    """
    heads = [_head(look, judged, judged is front) for judged in look.judged]
    plain = [item for item in look.items if _plain(look, item.id)]
    folded = plain if len(look.items) > MOST_ROWS else []
    differing = sum(differs(look, item.id) for item in look.items)
    rest = None
    if folded:
        count = f"{len(folded)} irrelevant {'entry' if len(folded) == 1 else 'entries'}, not used"
        rest = fold(count, _table(look, heads, folded), key=f"unused {look.reply}")
    return joined(
        _agreeing(look, differing),
        _table(look, heads, [item for item in look.items if item not in folded]),
        rest,
        _left_out(look),
        element("p", ELSEWHERE, cls="fine") if look.evaluation.reply.elsewhere else None,
    )


def _table(look: Assessed, heads: list[Html], items: list[PoolItem]) -> Html:
    table = element(
        "table",
        element("thead", element("tr", element("th", "Entry", scope="col"), *heads)),
        element("tbody", *(_row(look, item) for item in items)),
        cls=f"usage-table judges-{min(len(look.judged), 4)}",
    )
    return element("div", table, cls="table-scroll")


def _plain(look: Assessed, entry: str) -> bool:
    """Whether there is nothing to see: irrelevant, and every judge is sure that it is not used."""
    told = [given(judged, entry) for judged in look.judged]
    quiet = all(one and one.usage == "not used" and one.rule != "violated" for one in told)
    return quiet and look.role(entry) == "irr" and entry not in look.evaluation.wanted


def differs(look: Assessed, entry: str) -> bool:
    """Whether two judges that are sure say different things of an entry."""
    told = [one for one in (given(judged, entry) for judged in look.judged) if one]
    usages = {one.usage for one in told if one.usage not in ("unsure", "unscored")}
    rules = {one.rule for one in told if one.rule is not None}
    return len(usages) > 1 or len(rules) > 1


def tag_id(subject: str, verdict: str = "", entry: str = "") -> str:
    """What the button of a tag tells: what is to be corrected."""
    return SEPARATOR.join((subject, verdict, entry))


def _agreeing(look: Assessed, differing: int) -> Html | None:
    if len(look.judged) < 2:
        return None
    total = len(look.items)
    if differing:
        words = f"The judges differ on the use of {differing} of {total} entries."
        used = element("p", both("≠", words), cls="differing")
    else:
        words = f"The judges agree on the use of all {total} entries."
        used = element("p", both("=", words), cls="fine")
    return joined(used, _scores(look))


def _scores(look: Assessed) -> Html:
    """MIQ by every judge; half a point or more apart is a disagreement."""
    scores = {one.kept.verdict.judge: one.verdict.miq.score for one in look.judged}
    told = " · ".join(
        f"{judge} {'unscored' if score is None else f'{score:g}'}"
        for judge, score in scores.items()
    )
    known = [score for score in scores.values() if score is not None]
    apart = bool(known) and (len(known) < len(scores) or max(known) - min(known) >= 0.5)
    mark = "≠" if apart else "="
    return element("p", both(mark, f"MIQ: {told}"), cls="differing" if apart else "fine")


def _head(look: Assessed, judged: Judged, front: bool) -> Html:
    verdict = judged.kept.verdict
    name = button(
        element("strong", verdict.judge, dir="auto"),
        "select",
        verdict.judge,
        cls="judge front" if front else "judge",
        pressed="true" if front else "false",
        title="Show this judge's verdict in the chat and the figures",
    )
    trust = look.trust.get(verdict.judge, "")
    return element("th", name, element("small", trust, cls="trust"), scope="col")


def _row(look: Assessed, item: PoolItem) -> Html:
    cells = [element("td", _cell(look, judged, item)) for judged in look.judged]
    apart = differs(look, item.id)
    return element(
        "tr",
        element("th", _entry(look, item, apart), scope="row"),
        *cells,
        cls="differs" if apart else None,
        entries=item.id,
    )


def _entry(look: Assessed, item: PoolItem, apart: bool) -> Html:
    tag = look.roles.get(item.id)
    role = button(
        role_badge(tag.role if tag else None),
        "edit",
        tag_id("role", entry=item.id),
        cls="tag-button",
        title="Correct the role",
    )
    return joined(
        element(
            "span",
            element("span", look.labels[item.id], cls="label"),
            role,
            element("small", role_source(tag)),
            _disputed(look, item.id, tag is not None),
            cls="entry-line",
        ),
        said(item.text, "span", "entry-said"),
        _state(look, item),
        element("span", both("≠", DIFFER), cls="differing") if apart else None,
    )


def _disputed(look: Assessed, entry: str, told: bool) -> Html | None:
    """The mark of a label that somebody disputes; what they say only where a role is shown."""
    if entry not in look.disputed:
        return None
    why = look.disputed[entry] if told else None
    return element("span", "disputed", cls="doubt-mark", title=why)


def _state(look: Assessed, item: PoolItem) -> Html | None:
    """What else is to be known of an entry: not injected, superseded, wanted."""
    told: list[Child] = []
    if item.id not in look.evaluation.reply.injected:
        told.append(element("span", "not injected"))
    if not item.live:
        told.append(element("span", "superseded"))
    if item.id in look.evaluation.wanted:
        told.append(element("span", "should have come"))
        told.append(button("take back", "clear", tag_id("wanted", entry=item.id), cls="link"))
    return element("small", *told, cls="entry-state") if told else None


def _cell(look: Assessed, judged: Judged, item: PoolItem) -> Html:
    one = given(judged, item.id)
    if one is None:
        words = "It came into the pool after this verdict: evaluate again."
        return joined(element("span", usage_mark(None), title=words), element("small", words))
    return joined(
        _usage(judged, one),
        _rule(judged, one),
        element("small", one.recall, cls="recall-kind") if one.recall else None,
        quotes(look, judged, item.id),
        _more(look, one),
    )


def _usage(judged: Judged, one: EntryVerdict) -> Html:
    changed = is_corrected(judged, "usage", one.entry)
    mark, word = usage_words(one)
    return button(
        joined(both(mark, word), element("small", " corrected") if changed else None),
        "edit",
        tag_id("usage", judged.kept.id, one.entry),
        cls=f"usage tag-button {usage_class(one)}",
        title=f"{USAGE_HINTS[one.usage]} Press to correct.",
    )


def _rule(judged: Judged, one: EntryVerdict) -> Html | None:
    if one.rule is None:
        return None
    mark, word = RULES[one.rule]
    changed = is_corrected(judged, "rule", one.entry)
    return button(
        joined(both(mark, word), element("small", " corrected") if changed else None),
        "edit",
        tag_id("rule", judged.kept.id, one.entry),
        cls=f"rule tag-button rule-{one.rule.replace(' ', '-')}",
        title="Press to correct.",
    )


def _more(look: Assessed, one: EntryVerdict) -> Html | None:
    """Why, the detail, whom it is shared with, how sure."""
    shared = ", ".join(look.label(other) for other in one.shared_with)
    facts = [
        ("detail", one.detail),
        ("why", look.named(one.why)),
        ("shared with", shared),
        ("probability", "" if one.probability is None else f"{one.probability:.2f}"),
        ("draws that differ", "" if one.flips is None else f"{one.flips:.0%}"),
    ]
    told = [
        element("p", element("small", f"{name}: "), said(value, "span"))
        for name, value in facts
        if value
    ]
    return fold("why", *told, cls="cell-fold") if told else None


def _left_out(look: Assessed) -> Html | None:
    count = look.evaluation.reply.left_out
    if not count:
        return None
    words = f"{count} more recalled {'entry is' if count == 1 else 'entries are'} not judged."
    return element("p", words, cls="fine")
