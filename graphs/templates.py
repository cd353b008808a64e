"""Prompts are files: filled strictly, hashed for the record, with untrusted text fenced."""

import hashlib
import re
import unicodedata
from importlib.resources import files
from itertools import count
from string import Template

_LABEL = re.compile(r"[a-z][a-z0-9_-]{0,40}")
_IGNORED = re.compile(r"[\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+")
"""What a reader does not see inside a tag: blanks, zero-width and direction marks."""


def render(package: str, prompt: str, /, **values: str) -> str:
    """The text of `prompts/<prompt>.md` with its variables filled; values are not expanded again.

    Raises:
        KeyError: if a variable of the file has no value.
        TypeError: if a value has no variable in the file.
        FileNotFoundError: if there is no such prompt.
    """
    template = Template(_content(package, prompt).decode("utf-8"))
    if unused := values.keys() - set(template.get_identifiers()):
        raise TypeError(f"prompt {prompt!r} does not use {sorted(unused)}")
    return template.substitute(values)


def prompt_hash(package: str, prompt: str) -> str:
    """sha256 of the prompt's file, as 64 hex digits: what a record keeps of the prompt used.

    Raises:
        FileNotFoundError: if there is no such prompt.
    """
    return hashlib.sha256(_content(package, prompt)).hexdigest()


def fence(text: str, label: str) -> str:
    """`text` between `<label>` and `</label>`, unchanged, in a block it cannot close itself.

    Where the text holds such a tag already, in any case, width or spacing, the label gets the
    first number that the text does not hold: `<label-2>`. Empty text gives an empty block.

    Raises:
        ValueError: if the label is not a lower-case word.
    """
    if not _LABEL.fullmatch(label):
        raise ValueError(f"a fence's label must be a lower-case word, got {label!r}")
    seen = _IGNORED.sub("", unicodedata.normalize("NFKC", text)).casefold()
    names = (label if number == 1 else f"{label}-{number}" for number in count(1))
    name = next(name for name in names if f"<{name}" not in seen and f"</{name}" not in seen)
    return f"<{name}>\n{text}\n</{name}>"


def _content(package: str, prompt: str) -> bytes:
    return files(package).joinpath("prompts", f"{prompt}.md").read_bytes()
