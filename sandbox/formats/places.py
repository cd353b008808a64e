"""Where the values of a JSON text stand: lines for people, asked for only where one is needed."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property

Step = str | int
"""A field's name, or a place in a list from 0."""
_SPACE = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]')
_LARGE = 8_000_000
"""Characters: a larger text is not gone through again for a field that comes twice."""


class Places:
    """The lines of a JSON text's values. The text must be sound JSON."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._inner: dict[int, dict[str, int]] = {}
        # Numbers are passed over, not converted: one of them may be longer than Python takes.
        self._skip = json.JSONDecoder(parse_int=str, parse_float=str).raw_decode

    def line(self, path: Sequence[Step]) -> int:
        """The line from 1 of the value at `path`; of what is nearest above it if it is not there.

        An empty path is the whole text.
        """
        at = self._space(0)
        for step in path:
            inside = self._inside(at)
            if str(step) not in inside:
                break
            at = inside[str(step)]
        return bisect_left(self._breaks, at) + 1

    @cached_property
    def _breaks(self) -> list[int]:
        return [found.start() for found in re.finditer("\n", self._text)]

    def _space(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return found.end() if found else at

    def _inside(self, at: int) -> dict[str, int]:
        """Where each value of the list or object at `at` begins."""
        if at not in self._inner:
            opened = self._text[at : at + 1]
            walk = {"[": self._listed, "{": self._fields}.get(opened)
            self._inner[at] = dict(walk(self._space(at + 1))) if walk else {}
        return self._inner[at]

    def _listed(self, at: int) -> Iterator[tuple[str, int]]:
        index = 0
        while self._text[at] != "]":
            yield str(index), at
            at = self._after(at)
            index += 1

    def _fields(self, at: int) -> Iterator[tuple[str, int]]:
        while self._text[at] != "}":
            name, end = self._skip(self._text, at)
            at = self._space(self._space(end) + 1)
            yield name, at
            at = self._after(at)

    def _after(self, at: int) -> int:
        """Where the next value begins, or the closing bracket stands, behind the value at `at`."""
        _value, end = self._skip(self._text, at)
        end = self._space(end)
        return self._space(end + 1) if self._text[end] == "," else end


def line_of_repeated(text: str) -> int | None:
    """The line of the first field that an object gives a second time; None if it is not looked for.

    The text must be sound JSON.
    """
    if len(text) > _LARGE:
        return None
    open_: list[set[str] | None] = []
    last = ""
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token in "{[":
            open_.append(set() if token == "{" else None)
        elif token in "}]":
            open_.pop()
        elif token == ":" and open_ and (names := open_[-1]) is not None:
            name = json.loads(last)
            if name in names:
                return text.count("\n", 0, found.start()) + 1
            names.add(name)
        last = token
    return None
