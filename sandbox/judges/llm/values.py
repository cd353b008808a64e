"""One value of an answer at a time: numbers, scores and words as models write them."""

import math
import re
import unicodedata
from collections.abc import Mapping
from typing import TypeVar

from sandbox.judges.verdict import FAILURES, Failure, RecallKind, RuleState, Usage

T = TypeVar("T")
_SCORE = re.compile(
    r"(?:miq|score)?\s*[:=]?\s*([+-]?\d{1,9}(?:\.\d+)?)\s*(?:(?:/|out of|of)\s*5(?:\.0+)?)?\s*\.?"
)
_NUMBER = re.compile(r"(?:entry|no\.?|number)?\s*#?\s*([+-]?\d{1,9})(?:\.0+)?[.)]?")
_USES: Mapping[str, Usage] = {
    **dict.fromkeys(("yes", "used", "true"), "used"),
    **dict.fromkeys(("no", "not used", "unused", "false"), "not used"),
    **dict.fromkeys(("unsure", "not sure", "unclear", "maybe"), "unsure"),
    **dict.fromkeys(("already said", "already mentioned"), "already said"),
}
_RULES: Mapping[str, RuleState] = {
    "followed": "followed",
    "violated": "violated",
    **dict.fromkeys(("not applicable", "n a", "na", "none"), "not applicable"),
}
_LOST = ("Cc", "Cs")
_KINDS: Mapping[str, RecallKind] = {"passive": "passive", "proactive": "proactive"}
_POINTS: Mapping[str, float] = {"0": 0.0, "1": 1.0, "0.5": 0.5, "no": 0.0, "yes": 1.0}


def read_score(value: object) -> int | None:
    """A score of 1..5: 4, 4.0, "4", "4/5", "4 out of 5", "Score: 4"; null for all else."""
    number = _matched(_SCORE, value)
    return int(number) if number in (1.0, 2.0, 3.0, 4.0, 5.0) else None


def read_number(value: object) -> int | None:
    """The number of an entry or a point: 3, 3.0, "3", "#3", "entry 3"; null for all else."""
    number = _matched(_NUMBER, value)
    return int(number) if number is not None and number == int(number) else None


def read_point(value: object, half: bool = False) -> float | None:
    """The value of a point: 0 or 1, also as a boolean; 0.5 only where `half`; null for all else."""
    if isinstance(value, bool):
        return float(value)
    word = str(value) if isinstance(value, int | float) else plain(value)
    found = _POINTS.get(re.sub(r"\.0+$", "", word))
    return None if found == 0.5 and not half else found


def read_use(value: object) -> Usage | None:
    """What is said of an entry's use; null where it is nothing of the list."""
    if isinstance(value, bool):
        return "used" if value else "not used"
    return _among(_USES, value)


def read_rule(value: object) -> RuleState | None:
    """What is said of a rule; null where it is nothing of the list."""
    return _among(_RULES, value)


def read_kind(value: object) -> RecallKind | None:
    """Passive or proactive; null for all else."""
    return _among(_KINDS, value)


def read_failures(value: object) -> tuple[tuple[Failure, ...], tuple[str, ...]]:
    """The failures of the list, each once, in its order; and the names that are not on it."""
    words = [_folded(word).replace(" ", "_") for word in texts(value)]
    known = tuple(name for name in FAILURES if name in words)
    strange = (word for word in words if word not in FAILURES and word not in ("none", ""))
    return known, tuple(dict.fromkeys(strange))


def read_flag(value: object) -> bool:
    """Whether something is said to be so; false for all that is not clearly true."""
    return value is True or plain(value) in ("yes", "true")


def texts(value: object) -> tuple[str, ...]:
    """The texts of a value that is a text or a list of texts; empty ones and all else left out."""
    items = value if isinstance(value, list) else [value]
    cleaned = (" ".join(_written(item).split()) for item in items if isinstance(item, str))
    return tuple(text for text in cleaned if text)


def words(value: object, longest: int = 600) -> str:
    """A reason or detail on one line, shortened; empty where there is none."""
    text = "; ".join(texts(value))
    return text if len(text) <= longest else f"{text[:longest].rstrip()}..."


def plain(value: object) -> str:
    """A text without case, width and outer blanks; empty for what is no text."""
    return unicodedata.normalize("NFKC", value).casefold().strip() if isinstance(value, str) else ""


def shown(value: object) -> str:
    """A value as a sentence may show it: on one line, shortened."""
    text = " ".join(_written(str(value)).split())
    text = text if len(text) <= 60 else f"{text[:60].rstrip()}..."
    return f'"{text}"' if isinstance(value, str) else text


def _written(text: str) -> str:
    """`text` without what no record keeps: control characters and lone surrogates."""
    return "".join(one for one in text if one.isspace() or unicodedata.category(one) not in _LOST)


def _matched(pattern: re.Pattern[str], value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 1e9 and not math.isnan(value) else None
    found = pattern.fullmatch(plain(value))
    return float(found[1]) if found else None


def _among(known: Mapping[str, T], value: object) -> T | None:
    return known.get(_folded(value))


def _folded(value: object) -> str:
    return re.sub(r"[\W_]+", " ", plain(value)).strip()
