"""What is known already: the bank, what was injected from it, who the character is."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from graphs.wording import Gist, People, echoes, gist, same
from memory_banks.entries import Entry, EntryType, TurnRole

_SENTENCE = re.compile(r"[\n;]+|(?<=[.!?。！？])\s*")


def normal(text: str) -> str:
    """`text` without what does not tell entries apart: case, spacing, end punctuation."""
    return " ".join(text.casefold().split()).rstrip(".!?。！？ ")


@dataclass(frozen=True, slots=True)
class Known:
    """What a capture must not bring once more."""

    live: tuple[Entry, ...] = ()
    """The bank."""
    gone: tuple[Entry, ...] = ()
    """What the agent was shown and is not in the bank any more: it may still repeat that."""

    def listening(self, people: People, agent: str, persona: str) -> "Heard":
        """The same, ready to be asked, with what is known of the character called `agent`."""
        return Heard(self, people, agent, persona)


class Heard:
    """Tells whether a text repeats what is known."""

    def __init__(self, known: Known, people: People, agent: str, persona: str) -> None:
        self._people = people
        self._live = _Texts(map(_dated, known.live))
        self._gone = _Texts(map(_dated, known.gone))
        told = [one for one in _SENTENCE.split(persona) if one.strip()]
        # A description often leaves out the name: what it says is said of the character.
        self._persona = _Texts((f"{agent}: {one}", None) for one in told)

    def holds(self, text: str, role: TurnRole, day: str | None) -> bool:
        """Whether `text`, told by `role`, is an echo; of an event, `day` is when it was.

        What is gone from the bank is no news only from the agent, who was shown it: the user may
        tell it again.
        """
        said = gist(text, self._people)
        if role == "user" and not said.speakers:
            said = replace(said, speakers=("user",))
        asked = [self._live, self._persona, *([self._gone] if role == "assistant" else [])]
        return any(known.hold(text, said, day, self._people) for known in asked)


class _Texts:
    """Known texts with their days."""

    def __init__(self, texts: Iterable[tuple[str, str | None]]) -> None:
        self._texts = [(text, text.casefold(), day) for text, day in texts]
        self._days: dict[str, list[str | None]] = defaultdict(list)
        for text, _folded, day in self._texts:
            self._days[normal(text)].append(day)

    def hold(self, text: str, said: Gist, day: str | None, people: People) -> bool:
        if any(_one_day(day, known) for known in self._days.get(normal(text), ())):
            return True
        # Only what holds every word, the longest first, is looked at: banks may be large.
        needed = sorted(said.words, key=len, reverse=True)
        return bool(needed) and any(
            echoes(said, gist(known, people))
            for known, folded, told in self._texts
            if all(word in folded for word in needed) and _one_day(day, told)
        )


@dataclass(frozen=True, slots=True)
class _Told:
    index: int
    text: str
    gist: Gist
    long_term: bool
    day: str | None


class Twins:
    """Entries of one capture that say the same: one of them stays."""

    def __init__(self, people: People) -> None:
        self._people = people
        self._told: list[_Told] = []

    def add(self, index: int, entry: Entry, anchor: str | None) -> None:
        """Take in an entry; `anchor` is the day that was given for it."""
        long_term = entry.type != _EVENT
        said = gist(entry.text, self._people)
        self._told.append(_Told(index, normal(entry.text), said, long_term, anchor))

    def losers(self) -> dict[int, str]:
        """Why an entry does not stay, by its index: a long-term type wins, then the later one."""
        found: dict[int, str] = {}
        for at, one in enumerate(self._told):
            for other in self._told[at + 1 :]:
                if not (one.text == other.text or same(one.gist, other.gist)):
                    continue
                if one.long_term and not other.long_term:
                    found.setdefault(other.index, "An entry of a long-term type says the same.")
                elif other.long_term and not one.long_term:
                    found.setdefault(one.index, "An entry of a long-term type says the same.")
                elif one.long_term or _one_day(one.day, other.day):
                    found.setdefault(one.index, "Said again by a later entry of this capture.")
        return found


_EVENT: EntryType = "episodic"


def _dated(entry: Entry) -> tuple[str, str | None]:
    """The entry's text, and its day where it is an event: other types hold on any day."""
    return entry.text, entry.anchor if entry.type == _EVENT else None


def _one_day(one: str | None, other: str | None) -> bool:
    """Whether the two may be of the same day: one of another day is another event."""
    return not one or not other or one[:10] == other[:10]
