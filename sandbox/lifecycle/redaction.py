"""Words taken out of texts and JSON wherever they stand, as they stand."""

import json
import re
from collections.abc import Iterable
from typing import Any

from memory_banks.entries import canonical
from memory_banks.forgetting import FORGOTTEN

_SHORT = 12
"""Characters below which words are taken out only where they are a whole line: they are likely to
stand in other texts too."""
_PREFIX = r"(?:- |\d+\. (?:\([^()\n]*\) )?)?"
"""What prompts put before an entry on its line."""


class Redaction:
    """Takes some texts out of others, whatever blanks are between their words."""

    def __init__(self, texts: Iterable[str]) -> None:
        spelled = sorted({" ".join(one.split()) for one in texts} - {"", FORGOTTEN}, key=len)
        self._patterns = [_pattern(one) for one in reversed(spelled)]

    def holds(self, text: str) -> bool:
        """Whether something would be taken out of `text`."""
        return self.text(text) != text

    def text(self, text: str) -> str:
        """`text` without the words; itself where they are not in it."""
        for pattern in self._patterns:
            text = pattern.sub(rf"\g<before>{FORGOTTEN}", text)
        return text

    def json(self, raw: str) -> str:
        """The JSON text `raw` with the words out of every string in it; keys are left alone."""
        value = json.loads(raw)
        clean = self._clean(value)
        return raw if clean == value else canonical(clean)

    def _clean(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._clean(one) for one in value]
        if isinstance(value, dict):
            return {key: self._clean(one) for key, one in value.items()}
        return value


def _pattern(text: str) -> re.Pattern[str]:
    words = r"\s+".join(re.escape(word) for word in text.split())
    if len(text) < _SHORT:
        return re.compile(rf"(?m)^(?P<before>[ \t]*{_PREFIX}){words}[ \t]*$")
    return re.compile(rf"(?P<before>){words}")
