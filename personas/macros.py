r"""The macros that cards use, replaced once, when a text is shown or sent.

| written | becomes |
|---|---|
| `{{char}}` `<BOT>` `<CHAR>` | the character's name |
| `{{user}}` `<USER>` | the name of the person who speaks |
| `{{// ...}}` `{{comment: ...}}` `{{hidden_key: ...}}` | nothing |
| `{{reverse: abc}}` | `cba` |
| `{{random: a, b}}` `{{pick: a, b}}` | one of the choices; `\,` is a comma, `::` separates too |
| `{{roll: 6}}` `{{roll: d6}}` | a number from 1 to 6 |

In any case and with spaces inside the braces. The last two rows are drawn from a seed, so that a
session shown again shows the same; without a seed they stay as written, as does everything else in
braces. What was put in is never expanded again. Stored texts keep their macros, and a text of
memory is never expanded.
"""

import hashlib
import re
from collections.abc import Iterator
from itertools import count

from personas.persona import Persona

_MACRO = re.compile(
    r"""<(?P<tag>bot|char|user)>
    | \{\{\s*(?P<name>char|user)\s*\}\}
    | \{\{\s*(?://|(?:comment|hidden_key)\s*:)(?P<hidden>(?:[^{}]++|\{\{[^{}]*+\}\})*+)\}\}
    | \{\{\s*(?P<act>random|pick|roll|reverse)\s*:(?P<with>[^{}]*+)\}\}""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
_COMMA = re.compile(r"(?<!\\),")
_DICE = re.compile(r"\s*d?([1-9][0-9]{0,8})\s*", re.IGNORECASE | re.ASCII)


def expand(text: str, char: str, user: str, seed: str | None = None) -> str:
    """`text` with its macros replaced; `char` and `user` are put in as they are.

    The same arguments give the same text. Of a macro inside another only the inner one is
    replaced, except in a comment, which goes whole.
    """
    numbers = count()
    return _MACRO.sub(lambda found: _replacement(found, char, user, seed, numbers), text)


def expanded(persona: Persona, user: str, seed: str | None = None) -> Persona:
    """The persona with the macros of all its texts replaced: for a prompt or the page, not to keep.

    A line of which nothing is left is left out; the summary then says the name at least.
    """

    def lines(told: tuple[str, ...]) -> tuple[str, ...]:
        said = (expand(line, persona.name, user, seed).strip() for line in told)
        return tuple(line for line in said if line)

    def prose(told: str | None) -> str | None:
        return "".join(lines((told,))) or None if told else None

    changed: dict[str, object] = {
        name: lines(told) for name, told in persona if isinstance(told, tuple)
    }
    changed["summary"] = changed["summary"] or (persona.name,)
    changed |= {"scenario": prose(persona.scenario), "greeting": prose(persona.greeting)}
    return persona.model_copy(update=changed)


def _replacement(
    found: re.Match[str], char: str, user: str, seed: str | None, numbers: Iterator[int]
) -> str:
    if name := found["tag"] or found["name"]:
        return user if name.lower() == "user" else char
    if found["hidden"] is not None:
        return ""
    act, told = found["act"].lower(), found["with"]
    if act == "reverse":
        return told.strip()[::-1]
    if seed is None:
        return found[0]
    drawn = _drawn(f"{seed}\n{next(numbers)}\n{found[0]}")
    return _rolled(told, drawn, found[0]) if act == "roll" else _chosen(told, drawn)


def _drawn(text: str) -> int:
    """A large number that depends on `text` alone."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")


def _rolled(told: str, drawn: int, otherwise: str) -> str:
    dice = _DICE.fullmatch(told)
    return str(drawn % int(dice[1]) + 1) if dice else otherwise


def _chosen(told: str, drawn: int) -> str:
    told = told.removeprefix(":")
    choices = told.split("::") if "::" in told else _COMMA.split(told)
    return choices[drawn % len(choices)].replace("\\,", ",").strip()
