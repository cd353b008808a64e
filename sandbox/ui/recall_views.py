"""The inspector of one reply: what was recalled, what of it went into the prompt, and how."""

from collections.abc import Mapping, Sequence

from memory_banks.entries import Entry
from sandbox.transcripts import Reply, Traced
from sandbox.ui.entry_views import entry_head, entry_text
from sandbox.ui.markup import Html, element, fold, joined, said
from sandbox.ui.times import shown_time

SEARCHED = {
    "index": "searched by the vector index",
    "exact": "searched exactly over the ledger's vectors",
    "listed": "listed, not searched",
}
GONE = "(this entry is no longer in the ledger)"


def inspector(reply: Reply | None, entries: Mapping[str, Entry], persona: str) -> Html:
    """Everything that is kept of a reply; what to do where none is selected."""
    if reply is None:
        return element(
            "p",
            "Nothing to inspect yet: send a message, and what was recalled and injected for its "
            "reply is listed here.",
            cls="empty",
        )
    return joined(
        _made_by(reply),
        _query(reply),
        _injected(reply, entries, persona),
        _fallen(reply, entries, persona),
        _messages(reply),
    )


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
    if reply.line.author == "human":
        return [("author", "written by hand"), ("revision", str(reply.revision))]
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
    if reply.line.author == "human":
        return element("p", "Written by hand: nothing was recalled for it.", cls="empty")
    if not reply.recalled:
        words = "Nothing was recalled: the bank was empty, or the strategy does not look into it."
        return element("p", words, cls="empty")
    query = joined("query ", said(f"“{reply.query}”", "span")) if reply.query else None
    return element(
        "p", query, element("small", SEARCHED.get(reply.searched, reply.searched)), cls="query"
    )


def _injected(reply: Reply, entries: Mapping[str, Entry], persona: str) -> Html | None:
    if not reply.recalled and not reply.injected:
        return None
    traced = {one.entry: one for one in reply.recalled}
    rows = [
        _row(entries.get(entry), _scores(traced.get(entry)), persona, str(place))
        for place, entry in enumerate(reply.injected, start=1)
    ]
    title = f"In the prompt, in this order: {len(rows)} of {len(reply.recalled)} recalled"
    none = element("p", "None of the recalled entries went into the prompt.", cls="empty")
    return element(
        "section",
        element("h3", title),
        element("ol", *rows, cls="entries injected") if rows else none,
    )


def _fallen(reply: Reply, entries: Mapping[str, Entry], persona: str) -> Html | None:
    fallen = [one for one in reply.recalled if one.entry not in reply.injected]
    if not fallen:
        return None
    rows = [_row(entries.get(one.entry), _scores(one), persona, None, one.fell) for one in fallen]
    return element(
        "section",
        element("h3", f"Recalled, not in the prompt: {len(fallen)}"),
        element("ul", *rows, cls="entries fallen"),
    )


def _row(
    entry: Entry | None,
    scores: Sequence[str],
    persona: str,
    order: str | None,
    fell: str | None = None,
) -> Html:
    mark = element("span", order, cls="order", title="Place in the prompt") if order else None
    score = [element("span", score, cls="score") for score in scores]
    body = (
        (entry_head(entry, persona), entry_text(entry))
        if entry
        else (element("p", GONE, cls="entry-text"),)
    )
    why = said(fell, "p", "why") if fell else None
    return element(
        "li",
        element("div", mark, *score, cls="measure"),
        element("div", *body, why, cls="entry"),
    )


def _scores(traced: Traced | None) -> list[str]:
    """`dense 0.41` for every stage that gave a score."""
    if traced is None:
        return []
    given = [(stage, score) for stage, score in traced.scores.items() if score is not None]
    return [f"{stage} {score:.2f}" for stage, score in given]


def _messages(reply: Reply) -> Html | None:
    if not reply.messages:
        return None
    shown: Sequence[Html] = [
        element(
            "div", element("small", message["role"]), said(message["content"], "pre"), cls="message"
        )
        for message in reply.messages
    ]
    count = len(reply.messages)
    return fold(f"The exact {'message' if count == 1 else f'{count} messages'} sent", *shown)
