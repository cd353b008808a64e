"""What a judge's prompt shows of a case: fenced, numbered, and cut to the model's window."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from graphs.templates import fence
from graphs.tokens import estimated_tokens
from memory_banks.entries import canonical
from sandbox.judges.case import Case, PoolItem

FRAME_TOKENS = 1500
"""About what the longest prompt takes without its blocks, its form told in words included."""
_LEAST = 1000
"""Tokens for the blocks, however small the window is."""
_MOST_REPLY = 4000
_SHARES = {"persona": 0.15, "query": 0.1, "reply": 0.35, "pool": 0.25, "history": 0.15}
"""Of the room that is left, by block; what one leaves over goes to the next, history last."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """The fenced blocks of one case, for all of its prompts."""

    mark: str
    """Stands in every tag and in none of the texts."""
    who: str
    """Both names, and the moment."""
    persona: str
    history: str
    query: str
    replies: tuple[str, ...]
    """The replies to be judged, not fenced yet; the case's own reply last."""
    pool: tuple[str, ...]
    """One line an entry, without a number."""
    cut: tuple[str, ...]
    """Names of the blocks that were shortened."""

    @property
    def reply(self) -> str:
        """The last reply, fenced."""
        return self.fenced(-1, "reply")

    @property
    def earlier(self) -> str:
        """The replies before, each fenced; empty where there are none."""
        places = range(len(self.replies) - 1)
        return "\n".join(self.fenced(at, "earlier-reply") for at in places)

    def fenced(self, at: int, label: str) -> str:
        """The reply at the place `at`, fenced."""
        return fence(self.replies[at], f"{label}-{self.mark}")

    def numbered(self, indexes: Sequence[int]) -> str:
        """The entries at `indexes`, numbered from 1 in that order, fenced."""
        lines = (f"{number}. {self.pool[at]}" for number, at in enumerate(indexes, start=1))
        return fence("\n".join(lines), f"entries-{self.mark}")


@dataclass(slots=True)
class _Cutter:
    """Shortens texts, and remembers which."""

    cut: list[str]

    def __call__(self, name: str, text: str, tokens: float) -> str:
        """`text`, or its beginning and end with a notice between them, of about `tokens`."""
        needed = estimated_tokens(text)
        if needed <= tokens:
            return text
        kept = max(2, int(len(text) * max(tokens - 20, 1) / needed))
        left_out = len(text) - kept
        self.cut.append(name)
        head, tail = text[: kept - kept // 2], text[len(text) - kept // 2 :]
        return f"{head}\n[{left_out} characters left out here by the sandbox]\n{tail}"


def make_blocks(case: Case, room: int, candidates: Sequence[str] = ()) -> Blocks:
    """The blocks of `case` in about `room` tokens; the history loses its oldest utterances.

    `candidates` take the place of the case's replies where several are to be compared. The mark is
    derived from all texts, so that the same case gives the same prompts and no text can hold it.
    """
    texts = tuple(candidates) or (*case.replies[-2:], case.reply)
    mark = _mark(case, texts)
    cutter = _Cutter([])
    left = float(max(room, _LEAST))
    share = {name: left * part for name, part in _SHARES.items()}
    persona = cutter("persona", case.persona, share["persona"])
    query = cutter("query", case.query, share["query"])
    each = min(_MOST_REPLY, share["reply"]) / len(texts)
    replies = tuple(cutter("reply", text, each) for text in texts)
    lines = [_line(item) for item in case.pool]
    pool = tuple(cutter("entries", line, share["pool"] / len(lines)) for line in lines)
    spent = sum(map(estimated_tokens, (persona, query, *replies, *pool)))
    history = _history(case, max(left - spent, share["history"]), cutter)
    return Blocks(
        mark,
        fence(_who(case), f"who-{mark}"),
        fence(persona, f"persona-{mark}"),
        fence(history, f"history-{mark}"),
        fence(query, f"query-{mark}"),
        replies,
        tuple(" ".join(line.split()) for line in pool),
        tuple(dict.fromkeys(cutter.cut)),
    )


def _who(case: Case) -> str:
    """Both names and what is known of the moment, one a line."""
    moment = {"time": case.now, "the user feels": case.emotion, "scene": case.scene}
    known = [f"{name}: {value}" for name, value in moment.items() if value]
    return "\n".join([f"character: {case.character}", f"user: {case.human}", *known])


def _line(item: PoolItem) -> str:
    """An entry as the judge sees it: its text, with what it must know to read it."""
    known = [
        "a rule for the character" if item.is_rule else "",
        f"of {item.anchor}" if item.anchor else "",
        "" if item.live else "no longer true: a later entry took its place",
    ]
    notes = "; ".join(note for note in known if note)
    return f"{' '.join(item.text.split())}{f' ({notes})' if notes else ''}"


def _history(case: Case, room: float, cutter: _Cutter) -> str:
    """The utterances that fit, the newest of them, in order."""
    kept: list[str] = []
    for said in reversed(case.history):
        line = " ".join(f"{said.speaker}: {said.text}".split())
        if kept and estimated_tokens(line) > room:
            break
        line = cutter("history", line, room)
        kept.append(line)
        room -= estimated_tokens(line)
    if missing := len(case.history) - len(kept):
        cutter.cut.append("history")
        kept.append(f"[{missing} earlier utterances left out here by the sandbox]")
    return "\n".join(reversed(kept))


def _mark(case: Case, replies: Sequence[str]) -> str:
    texts = [_who(case), case.persona, case.query, *replies]
    texts += [said.speaker + said.text for said in case.history]
    texts += [item.text + (item.anchor or "") for item in case.pool]
    number = 0
    while True:
        made = hashlib.sha256(canonical([number, *texts]).encode("utf-8", "replace"))
        mark = made.hexdigest()[:12]
        if not any(mark in text.casefold() for text in texts):
            return mark
        number += 1
