"""Where an entry comes from: what was said, and the states it went through."""

from collections.abc import Mapping, Sequence

from memory_banks.entries import Entry, State
from sandbox.ui.entry_views import AUTHORS
from sandbox.ui.markup import Html, button, element, fold, joined, name_of, said
from sandbox.ui.proposal_views import Quote
from sandbox.ui.times import shown_time

LONGEST = 12
"""States of one chain that are shown; the latest where there are more."""


def chain_of(entry: str, states: Mapping[str, State]) -> list[State]:
    """The states that led to an entry and those that followed it, by revision; none if unknown."""
    found: set[str] = set()
    ahead = [entry]
    while ahead:
        one = ahead.pop()
        if one in found or one not in states:
            continue
        found.add(one)
        ahead += states[one].replaces
        ahead += [by for by in [states[one].replaced_by] if by]
    return sorted((states[one] for one in found), key=lambda state: state.added)


def origin(
    entry: Entry,
    states: Mapping[str, State],
    quotes: Mapping[str, Quote],
    times: Mapping[int, str],
    revision: int,
) -> Html:
    """Who said what the entry rests on, and its chain of states as a fold.

    `times` holds when each revision was written; states younger than `revision` are marked.
    """
    chain = chain_of(entry.id, states)
    alone = len(chain) == 1
    steps = [_step(state, entry.id, times, revision, alone) for state in chain[-LONGEST:]]
    hidden = len(chain) - len(steps)
    more = element("li", f"… {hidden} older states", cls="empty") if hidden else None
    words = f"chain of {len(chain)} states" if len(chain) > 1 else "one state"
    return fold(
        f"{_source_words(entry, quotes)} · {words}",
        *_sources(entry, quotes),
        element("ol", more, *steps, cls="chain") if steps else None,
        cls="origin",
        key=f"origin {entry.id}",
    )


def _source_words(entry: Entry, quotes: Mapping[str, Quote]) -> str:
    turns = entry.provenance.turns
    if not turns and entry.provenance.session is None:
        return f"{AUTHORS[entry.author]}, no turn"
    if not turns:
        return f"from session {entry.provenance.session}"
    known = sum(turn in quotes for turn in turns)
    count = f"{len(turns)} {'turn' if len(turns) == 1 else 'turns'}"
    return f"from {count}" + ("" if known == len(turns) else ", not all on this record")


def _sources(entry: Entry, quotes: Mapping[str, Quote]) -> Sequence[Html]:
    told = entry.provenance
    lines = [_quote(quotes.get(turn), turn) for turn in told.turns]
    if told.session:
        known = any(turn in quotes for turn in told.turns)
        link = button("open it", "select", told.session, cls="link") if known else None
        session = element("p", "session ", element("code", told.session), " ", link, cls="why")
        lines.insert(0, session)
    return lines


def _quote(quote: Quote | None, turn: str) -> Html:
    if quote is None:
        words = joined(element("code", turn), ": not on this record")
        return element("p", words, cls="evidence")
    return element(
        "p",
        element("code", turn),
        " ",
        name_of(quote.speaker),
        ": ",
        said(f"“{quote.text}”", "span"),
        cls="evidence",
    )


def _step(state: State, entry: str, times: Mapping[int, str], revision: int, alone: bool) -> Html:
    marks = [
        "this one" if state.entry.id == entry and not alone else "",
        "later than this reply" if state.added > revision else "",
        "live now" if state.live else f"gone at r{state.deleted}",
    ]
    gone = state.reason if not state.live and not state.replaced_by else ""
    return element(
        "li",
        element(
            "div",
            element("strong", f"r{state.added}"),
            element("time", shown_time(times.get(state.added, ""))),
            element("span", " · ".join(mark for mark in marks if mark)),
            cls="entry-head",
        ),
        None if alone else said(state.entry.text, "p", "entry-text"),
        _reason("because: ", state.add_reason),
        _reason("deleted: ", gone),
        id=state.entry.id,
        cls="here" if state.entry.id == entry else None,
    )


def _reason(before: str, reason: str) -> Html | None:
    return element("p", joined(before, said(reason, "span")), cls="why") if reason else None
