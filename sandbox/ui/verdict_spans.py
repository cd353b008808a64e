"""A reply's text with what carries each used entry underlined in its role's colour and letter."""

from collections.abc import Sequence
from dataclasses import dataclass

from sandbox.evaluation.evaluating import Judged
from sandbox.judges.verdict import EntryVerdict, Span
from sandbox.ui.markup import Html, element, joined
from sandbox.ui.verdict_look import Assessed
from sandbox.ui.verdict_words import letter, role_class

QUOTE = 80
"""Characters of a quote that the table shows; the text itself is shown whole."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text that the same entries are carried by."""

    text: str
    entries: tuple[str, ...]
    """Ids in the pool's order; empty for plain text."""


def pieces(text: str, spans: Sequence[tuple[int, int, str]]) -> list[Piece]:
    """`text` cut where a span (start, end, entry) begins or ends; the pieces together are `text`.

    Spans that reach beyond the text are cut at its end.
    """
    size = len(text)
    inside = [(max(0, start), min(size, end), entry) for start, end, entry in spans]
    cuts = sorted(
        {0, size, *(at for start, end, _ in inside if start < end for at in (start, end))}
    )
    found: list[Piece] = []
    for start, end in zip(cuts, cuts[1:], strict=False):
        here = dict.fromkeys(one for low, high, one in inside if low <= start and end <= high)
        found.append(Piece(text[start:end], tuple(here)))
    return found


def marked(look: Assessed, judged: Judged, name: str = "div", cls: str = "said") -> Html:
    """The judged reply's text with its evidence underlined; plain where nothing is used."""
    spans = [
        (span.start, span.end, item.id)
        for item in look.items
        for span in _shown(judged.verdict.of(item.id))
    ]
    text = look.evaluation.reply.case.reply
    parts = [
        _mark(look, one) if one.entries else one.text for one in pieces(text, spans) if one.text
    ]
    return element(name, *parts, cls=cls, dir="auto")


def evidence(look: Assessed | None, judge: str) -> Html | None:
    """The reply's text as the judge in front marks it, for the chat; null where none has judged.

    While a person's own form is open the style sheet shows the plain text instead.
    """
    front = look.front(judge) if look else None
    return marked(look, front, cls="said evidenced") if look and front else None


def quotes(look: Assessed, judged: Judged, entry: str) -> Html:
    """The words of the reply that carry an entry; nothing where none do."""
    text = look.evaluation.reply.case.reply
    role = look.role(entry)
    found = [
        element(
            "mark",
            _short(text[span.start : span.end]),
            cls=f"span {role_class(role)}",
            letters=letter(role),
            entries=entry,
            tab="0",
            dir="auto",
        )
        for span in _shown(judged.verdict.of(entry))
    ]
    return joined(*found)


def _short(text: str) -> str:
    """A quote's two ends, where it is long."""
    return text if len(text) <= QUOTE else f"{text[: QUOTE // 2]} … {text[-QUOTE // 2 :]}"


def _shown(one: EntryVerdict) -> tuple[Span, ...]:
    """The spans of what is used, or may be."""
    return one.spans if one.usage in ("used", "unsure") or one.rule == "followed" else ()


def _mark(look: Assessed, piece: Piece) -> Html:
    roles = [look.role(entry) for entry in piece.entries]
    named = ", ".join(f"{look.labels[one]}" for one in piece.entries)
    several = " several" if len(set(roles)) > 1 else ""
    return element(
        "mark",
        piece.text,
        cls=f"span {role_class(roles[0])}{several}",
        letters="+".join(letter(role) for role in roles),
        entries=" ".join(piece.entries),
        title=f"carries {named}",
        tab="0",
    )
