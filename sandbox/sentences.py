"""How an error reads to a person, wherever it is shown: one sentence on one line."""

import re

_BEGINS = re.compile(r"(the|this|there|a|an|no|only|another|nobody|it) ")
"""Words that begin a sentence; other first words may be the name of an argument or a file."""


def sentence(error: Exception) -> str:
    """The error's message on one line, with a capital where it begins with a word, and a stop."""
    line = " ".join(str(error).split())
    if _BEGINS.match(line):
        line = line[0].upper() + line[1:]
    return line if line.endswith((".", "!", "?")) else f"{line}."
