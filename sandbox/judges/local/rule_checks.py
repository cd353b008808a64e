"""The parts of a rule that can be seen in a reply: words, length, format, units, language."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sandbox.judges.local.spans import sentences
from sandbox.judges.local.words import alike, content_stems, words_of
from sandbox.judges.verdict import Span

_COUNTS = {
    name: number
    for number, name in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 1
    )
}
_QUOTED = re.compile(
    r"\b(?:ask|asks|say|says|saying|greet|greets|begin|begins|start|starts|open|opens|end|ends|"
    r"close|closes|sign|signs|call|calls|use|uses|add|adds)\b[^'\".]{0,40}['\"]"
    r"(?P<words>[^'\"]+)['\"]",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"\b(?:must not|never|do not|don't|does not|doesn't|should not|shouldn't|avoids?|without)\s+"
    r"(?!by\b|in\b|at\b|with\b)(?P<what>[^,.;]+)",
    re.IGNORECASE,
)
_EXAMPLES = re.compile(r"\((?P<words>[^(),]+(?:, [^(),]+)+)\)")
_MOST = re.compile(
    r"\b(?:at most|no more than|not more than|up to|under|within)\s+(?P<count>\w+)\s+"
    r"(?P<unit>line|sentence|word|point|item)s?\b",
    re.IGNORECASE,
)
_FORMATS: Mapping[str, tuple[str, str]] = {
    "a numbered list": (r"\bnumbered (?:list|line|step)s?\b", r"^\s*\d+[.)]\s"),
    "a table": (r"\btables?\b", r"^\s*\|.*\|"),
    "bullet points": (r"\bbullet(?:ed|s| points| list)\b", r"^\s*[-*\u2022]\s"),
}
_UNITS: Mapping[str, tuple[str, str, str]] = {
    "metric units": (
        r"\b(?:metric|grams?|kilograms?|kilometres?|kilometers?|celsius|litres?|liters?)\b",
        r"\d\s?(?:g|kg|km|cm|mm|ml|l|m|\u00b0c|grams?|kilos?|kilomet(?:re|er)s?|met(?:re|er)s?|lit(?:re|er)s?)\b",
        r"\d\s?(?:oz|lbs?|mi|ft|in|miles?|feet|inches|ounces?|pounds?|cups?|\u00b0f)\b",
    ),
    "imperial units": (
        r"\b(?:imperial|miles|feet|inches|fahrenheit|pounds|ounces)\b",
        r"\d\s?(?:oz|lbs?|mi|ft|miles?|feet|inches|ounces?|pounds?|\u00b0f)\b",
        r"\d\s?(?:kg|km|cm|mm|kilos?|kilomet(?:re|er)s?|\u00b0c)\b",
    ),
}
_LANGUAGES: Mapping[str, frozenset[str]] = {
    "Norwegian": frozenset(
        [
            "og",
            "ikke",
            "det",
            "som",
            "er",
            "til",
            "med",
            "har",
            "vakt",
            "vi",
            "jeg",
            "på",
            "en",
            "et",
            "av",
        ]
    ),
    "German": frozenset(
        [
            "und",
            "nicht",
            "das",
            "die",
            "der",
            "ist",
            "ein",
            "eine",
            "mit",
            "ich",
            "wir",
            "zu",
            "auf",
        ]
    ),
    "French": frozenset(
        [
            "et",
            "pas",
            "les",
            "des",
            "une",
            "est",
            "que",
            "pour",
            "vous",
            "nous",
            "avec",
            "dans",
            "je",
        ]
    ),
    "Spanish": frozenset(
        ["y", "los", "las", "una", "es", "que", "para", "con", "por", "usted", "no", "el", "en"]
    ),
    "English": frozenset(
        ["the", "and", "is", "of", "to", "a", "in", "that", "you", "it", "for", "have", "with"]
    ),
}
_LANGUAGE = re.compile(r"\b(?:in|into)\s+(?P<name>" + "|".join(_LANGUAGES) + r")\b")


@dataclass(frozen=True, slots=True)
class Sight:
    """What one check saw."""

    obeyed: bool | None
    """Null where the reply only keeps clear of something, which shows nothing by itself."""
    why: str
    part: str
    spans: tuple[Span, ...] = ()


def words_asked_for(rule: str, reply: str) -> Sight | None:
    """A phrase in quotes that is to be said."""
    match = _QUOTED.search(rule)
    if match is None or _NEVER.search(rule[: match.start()]):
        return None
    phrase = match["words"]
    place = alike(reply).lower().find(phrase.lower().strip(" ?!."))
    if place >= 0:
        span = Span(place, place + len(phrase.strip(" ?!.")))
        return Sight(True, f"The reply says “{phrase}”, as the rule asks.", phrase, (span,))
    wanted = {word.stem for word in words_of(phrase)}
    for piece in sentences(reply):
        if wanted and wanted <= {word.stem for word in words_of(piece.text)}:
            span = Span(piece.start, piece.end)
            return Sight(True, f"The reply says “{phrase}” in its way.", phrase, (span,))
    return Sight(False, f"The reply lacks “{phrase}”, which the rule asks for.", phrase)


def words_forbidden(rule: str, reply: str) -> Sight | None:
    """Something that must not be said or suggested."""
    match = _NEVER.search(rule)
    what = (
        content_stems(match["what"]) - {"tell", "suggest", "sai", "mention", "ask", "offer"}
        if (match)
        else frozenset()
    )
    if match is None or not what:
        return None
    for piece in sentences(reply):
        if what <= content_stems(piece.text):
            span = Span(piece.start, piece.end)
            why = f"The reply does what the rule forbids: {match[0].strip()}."
            return Sight(False, why, match["what"].strip(), (span,))
    return Sight(None, "The reply keeps clear of what the rule forbids.", match["what"].strip())


def length(rule: str, reply: str) -> Sight | None:
    """At most so many lines, sentences or words. Only lines show an intention."""
    match = _MOST.search(rule)
    most = None if match is None else _number(match["count"])
    if match is None or most is None:
        return None
    unit = match["unit"].lower()
    lines = [line for line in reply.splitlines() if line.strip()]
    counted = {
        "word": len(reply.split()),
        "sentence": len(sentences(reply)),
    }.get(unit, len(lines))
    if counted > most:
        return Sight(False, f"The reply has {counted} {unit}s where {most} are allowed.", match[0])
    shows = unit not in ("word", "sentence") and counted > 1
    why = f"The reply has {counted} {unit}s, within the {most} of the rule."
    return Sight(True if shows else None, why, match[0], _whole(reply) if shows else ())


def form(rule: str, reply: str) -> Sight | None:
    """A numbered list, a table, bullet points."""
    for name, (asked, shown) in _FORMATS.items():
        if re.search(asked, rule, re.IGNORECASE):
            found = re.search(shown, reply, re.MULTILINE)
            if found:
                end = reply.find("\n", found.start() + 1)
                span = Span(found.start(), end if end > 0 else len(reply))
                return Sight(True, f"The reply is {name}, as the rule asks.", name, (span,))
            return Sight(False, f"The reply is not {name}, which the rule asks for.", name)
    return None


def units(rule: str, reply: str) -> Sight | None:
    """Metric or imperial figures; a reply without figures shows nothing."""
    for name, (asked, wanted, other) in _UNITS.items():
        if re.search(asked, rule, re.IGNORECASE):
            if found := re.search(other, reply, re.IGNORECASE):
                why = f"“{found[0]}” is not in {name}."
                return Sight(False, why, name, (Span(*found.span()),))
            if found := re.search(wanted, reply, re.IGNORECASE):
                why = f"“{found[0]}” is in {name}, as the rule asks."
                return Sight(True, why, name, (Span(*found.span()),))
            return Sight(None, f"The reply gives nothing in {name} or others.", name)
    return None


def language(rule: str, reply: str) -> Sight | None:
    """A language other than that of the rule itself, told by its commonest words."""
    match = _LANGUAGE.search(rule)
    if match is None or match["name"] == "English":
        return None
    name = match["name"]
    english = _LANGUAGES["English"]
    for piece in sentences(reply):
        words = {word.text.lower() for word in words_of(piece.text)}
        if len(words & _LANGUAGES[name]) > len(words & english):
            return Sight(True, f"The reply has {name}.", name, (Span(piece.start, piece.end),))
    return Sight(False, f"The reply has no {name}, which the rule asks for.", name)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else _COUNTS.get(text.lower())


def _whole(reply: str) -> tuple[Span, ...]:
    return (Span(0, len(reply)),) if reply else ()


def examples(rule: str, reply: str) -> Sight | None:
    """One of the words that the rule gives in brackets as examples; without one it is open."""
    match = _EXAMPLES.search(rule)
    wanted = content_stems(match["words"]) if match else frozenset()
    for word in words_of(reply):
        if word.content and word.stem in wanted:
            why = f"The reply has “{word.text}”, one of the rule's examples."
            return Sight(True, why, word.text, (Span(word.start, word.end),))
    return None


CHECKS: tuple[Callable[[str, str], Sight | None], ...] = (
    words_forbidden,
    words_asked_for,
    examples,
    form,
    length,
    units,
    language,
)
