"""The emotional support guideline of MADial-Bench: situations and their numbered key points."""

import re
from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Situation:
    """One row of the guideline."""

    name: str
    """The name that a case, a form and a verdict give it."""
    when: str
    """When it applies, in words."""
    points: tuple[str, ...]
    """Key point 1 first."""
    ways: tuple[frozenset[int], ...]
    """Each set of key points that counts as "all" of them (ours: those that apply)."""
    note: str = ""
    """What a judge has to know of which points apply; empty where all always do."""
    cause_point: int | None = None
    """The key point that falls away once the user has said the cause."""

    def complete(self, followed: Collection[int], cause_said: bool = False) -> bool:
        """Whether `followed` holds all key points that apply."""
        dropped = {self.cause_point} if cause_said else set()
        return any(way - dropped <= set(followed) for way in self.ways)

    def numbered(self) -> str:
        """The key points, one a line, each behind its number."""
        return "\n".join(f"{number}. {text}" for number, text in enumerate(self.points, start=1))


SITUATIONS: tuple[Situation, ...] = (
    Situation(
        "activity",
        "the user brings up a past activity or event",
        ("refer to details of that event", "hint at a similar activity for now"),
        (frozenset({1, 2}),),
    ),
    Situation(
        "object",
        "the user brings up a thing, an animal, a character or a taste",
        (
            "refer to what is known of it",
            "mention the user's preference, and a way to do something with it",
        ),
        (frozenset({1, 2}),),
    ),
    Situation(
        "person, positive",
        "the user brings up a person in connection with something good",
        (
            "refer to the event with that person",
            "show interest in the person",
            "suggest an activity or a meeting",
        ),
        (frozenset({1, 2, 3}),),
    ),
    Situation(
        "person, negative",
        "the user brings up a person in connection with something bad",
        (
            "relate what happens now to the past event",
            "understand and comfort the user",
            "offer a solution",
        ),
        (frozenset({1, 2, 3}),),
    ),
    Situation(
        "happy",
        "the user is happy and brings up no past event",
        ("bring up a past event that fits, as a topic", "ask whether to do it again"),
        (frozenset({1, 2}),),
    ),
    Situation(
        "sad",
        "the user is sad and brings up no past event",
        (
            "sympathise",
            "where the cause is in the user's control: guide the user to solve it",
            "where it is not: divert to something the user enjoys, together",
        ),
        (frozenset({1, 2}), frozenset({1, 3})),
        "Points 2 and 3 exclude each other: 1 and 2, or 1 and 3, are all of them.",
    ),
    Situation(
        "disappointed",
        "the user is disappointed and brings up no past event",
        ("find the cause", "sympathise", "help to solve it"),
        (frozenset({1, 2, 3}),),
    ),
    Situation(
        "anxious",
        "the user is anxious and brings up no past event",
        ("find the cause, if the user has not said it", "sympathise", "help to solve it"),
        (frozenset({1, 2, 3}),),
        "Where the user has said the cause, points 2 and 3 are all of them.",
        cause_point=1,
    ),
)
"""The first four: the user brings up a past event; the last four: the user does not."""


def find_situation(name: str) -> Situation | None:
    """The situation called `name`, whatever its case, blanks and marks; null for any other name."""
    folded = _folded(name)
    return next((one for one in SITUATIONS if _folded(one.name) == folded), None)


def listed() -> str:
    """All situations, one a line: name, when it applies."""
    return "\n".join(f"- {one.name}: {one.when}" for one in SITUATIONS)


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.casefold()).strip()
