"""The inspector of one reply: what was recalled, what of it went into the prompt, and how."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memory_banks.entries import Entry, State
from sandbox.reply_traces import Reply, Traced
from sandbox.ui.chain_views import origin
from sandbox.ui.entry_views import TYPES, entry_head, entry_text
from sandbox.ui.markup import Html, element, joined, said
from sandbox.ui.prompt_views import prompt_view
from sandbox.ui.proposal_views import Quote
from sandbox.ui.times import shown_time
from sandbox.ui.verdict_card import use_of, used_stage
from sandbox.ui.verdict_look import Assessed

SEARCHED = {
    "index": "searched by the vector index",
    "exact": "searched exactly over the ledger's vectors",
    "listed": "listed, not searched",
}
BY = {"human": "written by hand", "file": "from the file"}
GONE = "(this entry is no longer in the ledger)"
NOT_EVALUATED = "not evaluated"


@dataclass(frozen=True, slots=True)
class Inspection:
    """A reply with what is needed to show everything that made it."""

    reply: Reply
    persona: str
    """The character's name."""
    entries: Mapping[str, Entry]
    """What was recalled or injected, by id."""
    states: Mapping[str, State] = field(default_factory=dict)
    """What the bank has held up to now, by id."""
    quotes: Mapping[str, Quote] = field(default_factory=dict)
    """The utterances that entries rest on, by id, as far as they are on record."""
    times: Mapping[int, str] = field(default_factory=dict)
    """When each revision was written."""
    before: Reply | None = None
    """The reply whose prompt came before."""
    assessed: Assessed | None = None
    """What judges and people say of it; null where that was not looked up."""


def inspector(look: Inspection | None, judge: str = "") -> Html:
    """Everything that is kept of a reply, as `judge` sees it; what to do where none is selected."""
    if look is None:
        return element(
            "p",
            "Nothing to inspect yet: send a message, and what was recalled and injected for its "
            "reply is listed here.",
            cls="empty",
        )
    return joined(
        _forgotten(look.reply),
        _funnel(look, judge),
        _query(look.reply),
        _made_by(look.reply),
        _injected(look, judge),
        _fallen(look, judge),
        prompt_view(look.reply, look.before),
    )


def _forgotten(reply: Reply) -> Html | None:
    """Says that the reply cannot be made again."""
    if not reply.usage.get("forgotten"):
        return None
    words = "No longer reproducible: something that its prompt held was forgotten for good."
    line = element("p", "✕ ", words)
    return element("div", line, cls="notice irreproducible", role="status")


def _funnel(look: Inspection, judge: str) -> Html | None:
    """Recalled -> injected -> used, with a square for every recalled entry."""
    reply = look.reply
    if reply.line.author != "model":
        used = used_stage(look.assessed, judge)
        return element("div", used, cls="funnel") if used else None
    stages = [
        _stage(str(len(reply.recalled)), "recalled"),
        _stage(str(len(reply.injected)), "injected"),
        used_stage(look.assessed, judge) or _stage(NOT_EVALUATED, "used"),
    ]
    arrow = element("span", "→", cls="arrow", hidden="true")
    squares = [
        _square(one, look.entries.get(one.entry), one.entry in reply.injected)
        for one in reply.recalled
    ]
    return joined(
        element("div", stages[0], arrow, stages[1], arrow, stages[2], cls="funnel"),
        element("div", *squares, cls="squares", hidden="true") if squares else None,
    )


def _stage(count: str, name: str) -> Html:
    number = element("strong", count, cls="unknown" if count == NOT_EVALUATED else None)
    return element("span", element("small", name), " ", number, cls=f"stage {name}")


def _square(traced: Traced, entry: Entry | None, injected: bool) -> Html:
    letter = TYPES[entry.type][0] if entry else "?"
    words = "injected" if injected else (traced.fell or "not injected")
    title = f"{words}: {entry.text[:90]}" if entry else GONE
    return element("span", letter, cls="square in" if injected else "square", title=title)


def _made_by(reply: Reply) -> Html:
    """How the reply was made, as a list of facts."""
    facts = _facts(reply)
    cells = [
        element("div", element("dt", name), element("dd", said(value, "span")))
        for name, value in facts
        if value
    ]
    return element("dl", *cells, cls="facts")


def _facts(reply: Reply) -> list[tuple[str, str]]:
    if reply.line.author != "model":
        return [("author", BY[reply.line.author]), ("revision", str(reply.revision))]
    usage = reply.usage
    return [
        ("model", reply.model or ""),
        ("strategy", reply.strategy or ""),
        ("revision", str(reply.revision)),
        ("seed", "" if reply.seed is None else str(reply.seed)),
        ("seconds", f"{usage['seconds']:.1f}" if usage.get("seconds") is not None else ""),
        ("tokens", _tokens(usage.get("prompt_tokens"), usage.get("completion_tokens"))),
        ("left out", _left_out(usage.get("left_out") or 0)),
        ("written", shown_time(reply.created_at)),
    ]


def _tokens(prompt: int | None, completion: int | None) -> str:
    """Tokens in and out; empty where the server did not say."""
    if prompt is None and completion is None:
        return ""
    read, written = ("?" if count is None else str(count) for count in (prompt, completion))
    return f"{read} read, {written} written"


def _left_out(count: int) -> str:
    return f"{count} oldest utterances had no room" if count else ""


def _query(reply: Reply) -> Html | None:
    if reply.line.author != "model":
        words = f"{BY[reply.line.author].capitalize()}: nothing was recalled for it."
        return element("p", words, cls="empty")
    if not reply.recalled:
        words = "Nothing was recalled: the bank was empty, or the strategy does not look into it."
        return element("p", words, cls="empty")
    query = None
    if reply.query:
        query = joined("text embedded: ", said(f"“{reply.query}”", "span"))
    return element(
        "p", query, element("small", SEARCHED.get(reply.searched, reply.searched)), cls="query"
    )


def _injected(look: Inspection, judge: str) -> Html | None:
    reply = look.reply
    if not reply.recalled and not reply.injected:
        return None
    traced = {one.entry: one for one in reply.recalled}
    rows = [
        _row(look, entry, traced.get(entry), str(place), judge)
        for place, entry in enumerate(reply.injected, start=1)
    ]
    title = f"In the prompt, in this order: {len(rows)} of {len(reply.recalled)} recalled"
    none = element("p", "None of the recalled entries went into the prompt.", cls="empty")
    return element(
        "section",
        element("h3", title),
        element("ol", *rows, cls="entries injected") if rows else none,
    )


def _fallen(look: Inspection, judge: str) -> Html | None:
    fallen = [one for one in look.reply.recalled if one.entry not in look.reply.injected]
    if not fallen:
        return None
    rows = [_row(look, one.entry, one, None, judge) for one in fallen]
    return element(
        "section",
        element("h3", f"Recalled, not in the prompt: {len(fallen)}"),
        element("ul", *rows, cls="entries fallen"),
    )


def _row(
    look: Inspection, entry_id: str, traced: Traced | None, order: str | None, judge: str
) -> Html:
    entry = look.entries.get(entry_id)
    mark = element("span", order, cls="order", title="Place in the prompt") if order else None
    score = [element("span", score, cls="score") for score in _scores(traced)]
    body: Sequence[Html] = [element("p", GONE, cls="entry-text")]
    if entry:
        came = origin(entry, look.states, look.quotes, look.times, look.reply.revision)
        use = use_of(look.assessed, judge, entry_id)
        body = [entry_head(entry, look.persona, use), entry_text(entry), came]
    fell = traced.fell if traced and not order else None
    why = said(fell, "p", "why") if fell else None
    measure = element("div", mark, *score, cls="measure") if mark or score else None
    holds = element("div", why, *body, cls="entry")
    return element("li", measure, holds, id=entry_id, entries=entry_id)


def _scores(traced: Traced | None) -> list[str]:
    """`dense 0.412` for every stage; a dash where a stage gave none."""
    if traced is None:
        return []
    return [
        f"{stage} {'–' if score is None else format(score, '.3f')}"
        for stage, score in traced.scores.items()
    ]
