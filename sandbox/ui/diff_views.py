"""What is different between two prompts: line by line, and word by word in changed lines."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from graphs.chat_model import Message
from sandbox.ui.markup import Child, Html, element, joined

MOST_LINES = 1500
"""Lines of one prompt that are compared."""
MOST_WORDS = 600
"""Words of one line that are compared; a longer line is shown as replaced."""
WORDS = re.compile(r"\s+|\w+|[^\w\s]")
LIKE = 0.6
"""How much two lines must have in common to be compared word by word, in 0..1."""
AROUND = 1
"""Unchanged lines shown before and behind a change."""


def prompt_diff(before: Sequence[Message], now: Sequence[Message]) -> Html:
    """The changes from one prompt to the next; says so where there are none or too many lines."""
    old, new = _lines(before), _lines(now)
    if max(len(old), len(new)) > MOST_LINES:
        return element("p", f"More than {MOST_LINES} lines: not compared.", cls="empty")
    if old == new:
        return element("p", "Nothing: the two prompts are the same.", cls="empty")
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    rows: list[Html] = []
    for kind, start, end, begin, finish in changes:
        if kind == "equal":
            rows += _unchanged(old[start:end])
        else:
            rows += _changed(old[start:end], new[begin:finish])
    return element("pre", *rows, cls="diff", dir="auto")


def text_diff(before: str, now: str) -> Html:
    """The changes from one text to the other, word by word; both are whole in it."""
    rows = _changed(before.split("\n"), now.split("\n"))
    return element("p", *rows, cls="diff", dir="auto")


def _lines(messages: Sequence[Message]) -> list[str]:
    return [
        line
        for message in messages
        for line in (f"[{message['role']}]", *message["content"].split("\n"))
    ]


def _unchanged(lines: Sequence[str]) -> list[Html]:
    """The lines next to a change; what lies between is counted."""
    hidden = len(lines) - 2 * AROUND
    if hidden <= 1:
        return [_line(line) for line in lines]
    words = element("small", f"… {hidden} lines unchanged\n")
    return [*map(_line, lines[:AROUND]), words, *map(_line, lines[-AROUND:])]


def _changed(old: Sequence[str], new: Sequence[str]) -> list[Html]:
    rows: list[Html] = []
    for before, now in zip_longest(old, new):
        if before is None:
            rows.append(_line(element("ins", now)))
        elif now is None:
            rows.append(_line(element("del", before)))
        else:
            rows.append(_line(_by_word(before, now)))
    return rows


def _by_word(before: str, now: str) -> Html:
    old, new = WORDS.findall(before), WORDS.findall(now)
    if max(len(old), len(new)) > MOST_WORDS:
        return joined(element("del", before), "\n", element("ins", now))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < LIKE:
        return joined(element("del", before), "\n", element("ins", now))
    parts: list[Child] = []
    for kind, start, end, begin, finish in matcher.get_opcodes():
        if kind == "equal":
            parts.append("".join(old[start:end]))
            continue
        gone, come = "".join(old[start:end]), "".join(new[begin:finish])
        parts += [element("del", gone) if gone else None, element("ins", come) if come else None]
    return joined(*parts)


def _line(line: Child) -> Html:
    return joined(line, "\n")
