"""The exact prompt of a reply: how much of it each section takes, and what changed in it."""

from collections.abc import Mapping, Sequence

from sandbox.reply_traces import Reply
from sandbox.ui.diff_views import prompt_diff
from sandbox.ui.markup import Html, element, fold, joined, said

CELLS = 48
"""Cells of the bar."""
LETTERS = {"persona": "P", "talk": "T", "notes": "N", "query": "Q"}
CHARACTERS = 3.5
"""Characters a token, about, where nobody counted."""


def prompt_view(reply: Reply, before: Reply | None) -> Html | None:
    """The prompt in all its parts; nothing for a reply without one.

    `before` is the reply made before it, to compare the prompts.
    """
    if not reply.messages:
        return None
    return element(
        "section",
        element("h3", "The prompt"),
        _bar(reply.usage),
        _messages(reply),
        _difference(reply, before) if before and before.messages else None,
    )


def section_tokens(usage: Mapping[str, object]) -> dict[str, int]:
    """Tokens of each section of the prompt, about; empty where the sections are not on record.

    Shared out by characters: of the tokens that the server counted, or else 3.5 characters each.
    """
    sections = usage.get("sections")
    if not isinstance(sections, dict) or not sum(sections.values()):
        return {}
    counted = usage.get("prompt_tokens")
    total = sum(sections.values())
    rate = counted / total if isinstance(counted, int) and counted > 0 else 1 / CHARACTERS
    order = [*(name for name in LETTERS if name in sections), *sorted(sections.keys() - LETTERS)]
    return {name: round(sections[name] * rate) for name in order}


def cells(sizes: Mapping[str, int], count: int = CELLS) -> dict[str, int]:
    """`count` cells shared out by size: whole ones, none lost, one at least for what is there."""
    total = sum(sizes.values())
    if not total:
        return dict.fromkeys(sizes, 0)
    exact = {name: size * count / total for name, size in sizes.items()}
    shared = {name: max(int(part), 1 if sizes[name] else 0) for name, part in exact.items()}
    while (left := count - sum(shared.values())) != 0:
        step = 1 if left > 0 else -1
        spare = [name for name, size in sizes.items() if size and shared[name] + step > 0]
        shared[max(spare, key=lambda name: step * (exact[name] - shared[name]))] += step
    return shared


def _bar(usage: Mapping[str, object]) -> Html | None:
    tokens = section_tokens(usage)
    if not tokens:
        return None
    shared = cells(tokens)
    row = [
        element("span", cls=f"cell {name}") for name, count in shared.items() for _ in range(count)
    ]
    legend = [
        element(
            "span",
            element("strong", LETTERS.get(name, name[:1].upper()), cls=f"key {name}"),
            f" {name} ≈ {count}",
        )
        for name, count in tokens.items()
    ]
    counted = usage.get("prompt_tokens")
    sure = isinstance(counted, int) and counted > 0
    total = (
        f"{counted} tokens, counted by the model" if sure else f"≈ {sum(tokens.values())} tokens"
    )
    return joined(
        element("div", *row, cls="token-bar", hidden="true"),
        element("p", *legend, element("small", total), cls="legend"),
    )


def _messages(reply: Reply) -> Html:
    shown: Sequence[Html] = [
        element(
            "div", element("small", message["role"]), said(message["content"], "pre"), cls="message"
        )
        for message in reply.messages
    ]
    count = len(reply.messages)
    caption = f"The exact {'message' if count == 1 else f'{count} messages'} sent"
    return fold(caption, *shown, key="messages")


def _difference(reply: Reply, before: Reply) -> Html:
    words = f"What changed since the prompt of reply {before.line.id}"
    return fold(words, prompt_diff(before.messages, reply.messages), key="difference")
