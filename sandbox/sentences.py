"""How an error reads to a person, wherever it is shown: one sentence on one line."""

import re


def sentence(error: Exception) -> str:
    """The error's message on one line, with a capital where it begins with a word, and a stop."""
    line = " ".join(str(error).split())
    if re.match(r"[a-z]+[ ,]", line):
        line = line[0].upper() + line[1:]
    return line if line.endswith((".", "!", "?")) else f"{line}."
