"""What in a bank a person should look at: candidates, not verdicts, each with its evidence."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal, get_args

from graphs.echoes import normal
from memory_banks.entries import Scope, State

Kind = Literal[
    "duplicate",
    "contradiction",
    "echo",
    "unsupported",
    "wrong owner",
    "dangling date",
    "never recalled",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
ALIKE, RELATED = 0.8, 0.5
"""Shared content words of two entries (Jaccard) to be a duplicate, and to be compared at all."""
ECHOED = 0.8
"""Share of an entry's content words that an injected text has, to be called its echo."""
SUPPORTED = 0.25
"""Least share of an entry's content words that the talk it came from must have."""
COMMON = 100
"""Entries that hold a word, above which sharing it is no reason to compare two."""
CHANCES = 5
"""Searched replies since an entry was added, after which it is said that none injected it."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NOT = re.compile(r"\b(?:not|no|never|without|nothing|nobody|\w+n['’]t|cannot|stopped)\b", re.I)
_RELATIVE = re.compile(
    r"\b(?:today|tomorrow|yesterday|tonight|last (?:night|week|month|year|\w+day)"
    r"|next (?:week|month|year|\w+day)|this (?:morning|evening|week|month|year)"
    r"|\w+ (?:days?|weeks?|months?) ago|in (?:\w+) (?:days?|weeks?|months?))\b"
    r"|昨天|今天|明天|上周|下周",
    re.I,
)
_FIRST_PERSON = re.compile(r"(?:^|[.!?]\s+)(?:I|I['’]m|My|We|Our)\b")
_STOP = frozenset(
    """a an and are as at be been but by did do does for from had has have he her his how i if in
    is it its me my of on or our she so that the their them they this to was we were what when
    where which who will with would you your""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to look at."""

    kind: Kind
    entries: tuple[str, ...]
    """Ids of the entries that it is about; the newer last."""
    why: str
    """One sentence."""


@dataclass(frozen=True, slots=True)
class Talk:
    """What a bank's entries can be held against."""

    said: Mapping[str, Sequence[str]]
    """By session: what both sides said in it, in order."""
    injected: Mapping[str, Sequence[str]]
    """By session: texts that its prompts showed from memory."""
    chances: Mapping[str, int]
    """By entry: searched replies since it was added."""
    recalled: frozenset[str]
    """Ids of entries that a prompt has shown."""


def lint(states: Sequence[State], talk: Talk, agent: str, user: str) -> list[Remark]:
    """Remarks on the live entries of a bank, in the order of `KINDS`, then of addition.

    `agent` and `user` are the names of the two. An empty bank gives none. Words are compared, so
    languages without blanks between words get remarks on dates and recall only.
    """
    live = [state for state in states if state.live]
    found = [
        *_pairs(live),
        *(remark for state in live for remark in _of_one(state, talk, agent, user)),
    ]
    return sorted(found, key=lambda remark: KINDS.index(remark.kind))


def _pairs(live: Sequence[State]) -> Iterator[Remark]:
    words = {state.entry.id: _content(state.entry.text) for state in live}
    for one, other in _candidates(live, words):
        shared = _jaccard(words[one.entry.id], words[other.entry.id])
        ids = (one.entry.id, other.entry.id)
        if normal(one.entry.text) == normal(other.entry.text):
            yield Remark("duplicate", ids, "The two say the same, letter by letter.")
        elif shared >= RELATED and (clash := _clash(one.entry.text, other.entry.text)):
            yield Remark("contradiction", ids, f"Much the same words, but {clash}.")
        elif shared >= ALIKE:
            yield Remark("duplicate", ids, f"{shared:.0%} of their words are the same.")


def _candidates(
    live: Sequence[State], words: Mapping[str, frozenset[str]]
) -> Iterator[tuple[State, State]]:
    """Every pair of one scope that shares at least RELATED of its words, and few others.

    Two sets that share so much have a word in common among the rarest of either: only entries that
    meet there are compared. A word of more than COMMON entries brings none together, so that a bank
    of thousands takes seconds; entries that share nothing rarer are not compared.
    """
    count = Counter(word for one in words.values() for word in one)
    met: dict[tuple[Scope, str], list[int]] = defaultdict(list)
    for place, state in enumerate(live):
        mine = sorted(words[state.entry.id], key=lambda word: (count[word], word))
        rare = mine[: len(mine) - ceil(RELATED * len(mine)) + 1] or [normal(state.entry.text)]
        keys = [(state.entry.scope, word) for word in rare if count[word] <= COMMON]
        for earlier in sorted({one for key in keys for one in met[key]}):
            yield live[earlier], state
        for key in keys:
            met[key].append(place)


def _of_one(state: State, talk: Talk, agent: str, user: str) -> Iterator[Remark]:
    entry = state.entry
    words = _content(entry.text)
    session = entry.provenance.session or ""
    for text in talk.injected.get(session, ()):
        if normal(text) != normal(entry.text) and _share(words, _content(text)) >= ECHOED:
            yield Remark("echo", (entry.id,), f"Its session was shown this from memory: {text!r}.")
            break
    said = talk.said.get(session)
    if said is not None and words and entry.author != "human":
        share = _share(words, _content(" ".join(said)))
        if share < SUPPORTED:
            told = f"Only {share:.0%} of its words occur in the session it comes from."
            yield Remark("unsupported", (entry.id,), told)
    if owner := _wrong_owner(state, agent, user):
        yield Remark("wrong owner", (entry.id,), owner)
    if (relative := _RELATIVE.search(entry.text)) and not _NUMBER.search(entry.text):
        told = f"{relative.group()!r} depends on when it is read; give a date."
        yield Remark("dangling date", (entry.id,), told)
    chances = talk.chances.get(entry.id, 0)
    if chances >= CHANCES and entry.id not in talk.recalled:
        told = f"None of {chances} replies since it was added was shown it."
        yield Remark("never recalled", (entry.id,), told)


def _wrong_owner(state: State, agent: str, user: str) -> str:
    """Why an entry seems to be about somebody else than it belongs to; empty where it does not."""
    text, side = state.entry.text, state.entry.scope.side
    if _FIRST_PERSON.search(text):
        return "It speaks of itself as I or we: nobody can tell who that is."
    first_agent, first_user = agent.split()[0], user.split()[0]
    if first_agent == first_user:
        return ""
    if side == "user" and state.entry.type != "episodic" and text.startswith(first_agent):
        return f"It belongs to {user} and begins with {first_agent}."
    if side == "dyad" and text.startswith(first_user) and first_agent not in text:
        return f"It says how {agent} works and names only {first_user}."
    return ""


def _clash(one: str, other: str) -> str:
    """What two texts of the same words say differently; empty for nothing."""
    numbers = set(_NUMBER.findall(one)), set(_NUMBER.findall(other))
    if numbers[0] and numbers[1] and numbers[0] != numbers[1]:
        first, second = (", ".join(sorted(mine)) for mine in numbers)
        return f"{first} in one and {second} in the other"
    if bool(_NOT.search(one)) != bool(_NOT.search(other)):
        return "one of them denies it"
    return ""


def _content(text: str) -> frozenset[str]:
    found = (word.casefold() for word in _WORD.findall(text))
    return frozenset(_stem(word) for word in found if word not in _STOP)


def _stem(word: str) -> str:
    """The word without the endings that most often differ; crude, and enough for candidates."""
    for ending in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _share(one: frozenset[str], other: Iterable[str]) -> float:
    return len(one & set(other)) / len(one) if one else 0.0
