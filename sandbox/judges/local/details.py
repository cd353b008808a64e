"""Typed details of a text: names, numbers, clock times and dates, in one form however written."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

from sandbox.judges.local.words import REMEMBERED, Word, alike, words_of

Kind = Literal["name", "number", "time", "date"]
_UNITS = dict(
    zip(
        [
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ],
        range(2, 21),
        strict=True,
    )
)
_NUMBERS = _UNITS | {
    **dict(
        zip(
            ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
            range(30, 91, 10),
            strict=True,
        )
    ),
    "hundred": 100,
    "thousand": 1000,
    "million": 1_000_000,
    "dozen": 12,
    "twice": 2,
    "thrice": 3,
    "couple": 2,
    "half": 0.5,
    **dict(
        zip(
            ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"],
            range(2, 11),
            strict=True,
        )
    ),
}
"""`one`, `once` and `first` are small change of talk and no detail."""
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = r"(?P<month>" + "|".join(f"{name[:3]}(?:t|{name[3:]})?" for name in _MONTHS) + r")\b\.?"
_DATES = (
    re.compile(r"\b(?P<year>\d{4})-(?P<number>\d\d)(?:-(?P<day>\d\d))?\b"),
    re.compile(
        _MONTH + r"(?: (?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?\b)?(?:,? (?P<year>\d{4})\b)?", re.I
    ),
    re.compile(
        r"\b(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? " + _MONTH + r"(?:,? (?P<year>\d{4})\b)?", re.I
    ),
    re.compile(r"\b(?P<year>(?:19|20)\d\d)\b"),
)
_CLOCK = re.compile(r"\b(\d{1,2}):(\d\d)(?:\s?(am|pm))?\b|\b(\d{1,2})\s?(am|pm)\b", re.I)
_AGO = re.compile(
    r"\b(?P<count>an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+|a couple(?: of)?|a few)"
    r" (?P<unit>day|week|month|year)s? (?P<way>ago|earlier|before|back)\b"
    r"|\b(?P<last>last|this past) (?P<span>week|weekend|month|year|night)\b"
    r"|\b(?P<near>yesterday)\b",
    re.I,
)
_DAYS = {"day": 1, "night": 1, "week": 7, "weekend": 4, "month": 30, "year": 365}


@dataclass(frozen=True, slots=True)
class Detail:
    """Something checkable that a text says."""

    kind: Kind
    value: str
    """In one form: a stem; a number in digits; HH:MM; YYYY-MM-DD with `*` for what is not told."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """Days that a relative date may mean."""

    first: date
    last: date
    start: int
    end: int


def details_of(text: str, names: Iterable[str] = ()) -> tuple[Detail, ...]:
    """The details in the order of their places; `names` (of the talkers) are none."""
    return _details(text, frozenset(part.lower() for name in names for part in name.split()))


def carried(wanted: Detail, told: Iterable[Detail]) -> Detail | None:
    """The first of `told` that says the same; null where none does.

    Two dates do where no part contradicts and a month or a day agrees.
    """
    for one in told:
        if one.kind == wanted.kind and (
            one.value == wanted.value
            or (one.kind == "date" and _same_date(one.value, wanted.value))
        ):
            return one
    return None


def relative_dates(text: str, anchors: Iterable[date]) -> tuple[Stretch, ...]:
    """What `two days earlier`, `last week` and the like may mean, seen from each of `anchors`."""
    found: list[Stretch] = []
    for match in _AGO.finditer(alike(text)):
        days = _days_back(match)
        slack = max(1, round(days * 0.35))
        for anchor in anchors:
            middle = anchor - timedelta(days=min(days, 20_000))
            span = timedelta(days=min(slack, 10_000))
            found.append(Stretch(middle - span, middle + span, match.start(), match.end()))
    return tuple(found)


def full_date(value: str) -> date | None:
    """The date of a detail that tells year, month and day; null otherwise."""
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


@lru_cache(maxsize=REMEMBERED)
def _details(text: str, known: frozenset[str]) -> tuple[Detail, ...]:
    plain = alike(text)
    dated = _dates(plain)
    timed = [one for one in _times(plain) if not _within(one.start, dated)]
    told = [*dated, *timed]
    for word in words_of(text):
        if not _within(word.start, told):
            told += _named_or_counted(word, plain, known)
    return tuple(sorted(told, key=lambda one: one.start))


def _dates(plain: str) -> list[Detail]:
    found: list[Detail] = []
    for pattern in _DATES:
        for match in pattern.finditer(plain):
            held = match.groupdict()
            if _within(match.start(), found) or _no_month(match):
                continue
            month = held.get("number") or _month_number(held.get("month"))
            day = (held.get("day") or "*").zfill(2) if held.get("day") else "*"
            value = f"{held.get('year') or '*'}-{month or '*'}-{day}"
            found.append(Detail("date", value, match.start(), match.end()))
    return found


def _no_month(match: re.Match[str]) -> bool:
    """Whether it is `may` or `march` or `mar` as a common word: no capital, or nothing beside."""
    held = match.groupdict()
    name = held.get("month")
    if name is None:
        return False
    alone = not held.get("day") and not held.get("year")
    return name.islower() or (alone and name.lower() in ("may", "march", "mar", "sep", "dec"))


def _month_number(name: str | None) -> str | None:
    if name is None:
        return None
    begun = [place for place, one in enumerate(_MONTHS, 1) if one.startswith(name.lower()[:3])]
    return f"{begun[0]:02d}"


def _times(plain: str) -> list[Detail]:
    found: list[Detail] = []
    for match in _CLOCK.finditer(plain):
        hour = int(match[1] or match[4])
        half = (match[3] or match[5] or "").lower()
        hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
        value = f"{hour:02d}:{match[2] or '00'}"
        found.append(Detail("time", value, match.start(), match.end()))
    return found


def _named_or_counted(word: Word, plain: str, known: frozenset[str]) -> list[Detail]:
    low = word.text.lower().partition("'")[0]
    digits = re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", low).replace(",", "")
    if digits.replace(".", "", 1).isdigit():
        return [Detail("number", f"{float(digits):g}", word.start, word.end)]
    if low in _NUMBERS:
        return [Detail("number", f"{float(_NUMBERS[low]):g}", word.start, word.end)]
    begins = word.start == 0 or bool(re.search(r"[.!?:\n\"(]\s*$", plain[: word.start]))
    named = word.capital and word.content and not begins and low not in known
    return [Detail("name", word.stem, word.start, word.end)] if named else []


def _same_date(one: str, other: str) -> bool:
    pairs = list(zip(one.split("-"), other.split("-"), strict=True))
    told = [(a, b) for a, b in pairs if "*" not in (a, b)]
    return all(a == b for a, b in told) and any(a == b for a, b in pairs[1:] if a != "*")


def _days_back(match: re.Match[str]) -> int:
    if match["near"]:
        return 1
    if match["span"]:
        return _DAYS[match["span"].lower()]
    count = match["count"].lower()
    few = 2 if "couple" in count else 3
    number = _UNITS.get(count) or (int(count[:6]) if count.isdigit() else None)
    times = number or (1 if count in ("a", "an", "one") else few)
    return times * _DAYS[match["unit"].lower()]


def _within(place: int, told: Iterable[Detail]) -> bool:
    return any(one.start <= place < one.end for one in told)
