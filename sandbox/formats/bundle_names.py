"""Ids of a record under names that mean the same in any record."""

import re
from collections.abc import Callable, Mapping

_LONG_ENOUGH = 12
"""Characters: shorter ids could be words of somebody's text."""


def marker_of(text: str) -> str:
    """The first of `@0@`, `@1@` and so on that is not in `text`."""
    number = 0
    while f"@{number}@" in text:
        number += 1
    return f"@{number}@"


def named(text: str, marker: str, names: Mapping[str, str]) -> str:
    """`text` with every id in it under its name.

    Raises:
        ValueError: if an id is so short that it could be something else.
    """
    if not names:
        return text
    if short := next((one for one in names if len(one) < _LONG_ENOUGH), None):
        raise ValueError(f"the id {short!r} is too short to be told from other text")
    longest = sorted(names, key=len, reverse=True)
    found = re.compile("|".join(map(re.escape, longest)))
    return found.sub(lambda hit: f"{marker}{names[hit[0]]}@", text)


def resolved(text: str, marker: str, ids: Callable[[str], str | None]) -> str:
    """`text` with the id that `ids` gives for a name in its place; null leaves the name."""
    found = re.compile(re.escape(marker) + r"([a-z]\d*)@")
    return found.sub(lambda hit: ids(hit[1]) or hit[0], text)
